"""The simulator keeps the rules, protocols get the right answers on it, and cheats are caught."""

from dataclasses import dataclass, field

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seprank.errors import CheckFailed, InvalidInput
from seprank.parallel.audit import audited_run
from seprank.parallel.components import HookAndShortcut, LabelPropagation, RandomMate
from seprank.parallel.graph_input import connected_components, graph_edges, graph_memories
from seprank.parallel.mpc import CapExceeded, Messages, Step, run_protocol
from seprank.parallel.sizes import PROTOCOLS, Sizes, default_sizes
from seprank.parallel.small_protocols import (
    CycleDoubling,
    cycle_labels,
    cycle_memories,
    prefix_sums_on_machines,
    sort_on_machines,
)

KINDS = {"random-mate": RandomMate, "label-propagation": LabelPropagation, "hook-and-shortcut": HookAndShortcut}


def numbers(*values):
    return np.array(values, np.int64)


@dataclass(frozen=True)
class Relay:
    """Machine i sends `size` words to the next one, once; machine 0 keeps `kept` words."""

    machines: int
    size: int = 1
    kept: int = 1

    def step(self, machine, memory, inbox, round):
        if round == 2:
            return Step({"got": inbox.words.ravel()}, Messages.none(), True)
        words = np.full((1, self.size), machine)
        keep = np.zeros(self.kept if machine == 0 else 0, np.int64)
        return Step({"kept": keep}, Messages(numbers((machine + 1) % self.machines), words), False)


def test_messages_arrive_after_one_round():
    run = run_protocol(Relay(3), [{}] * 3, words=4, most_rounds=5)
    assert [memory["got"].tolist() for memory in run.memories] == [[2], [0], [1]]
    assert (run.rounds, run.max_load, run.max_memory) == (1, 1, 1)


@pytest.mark.parametrize(
    ("protocol", "start", "message"),
    [
        (Relay(3, size=5), {}, "got 4: machine 0 sends 5 in round 1"),
        (Relay(3, kept=5), {}, "got 4: machine 0 keeps 5 in round 1"),
        (Relay(3), {"x": np.zeros(5, np.int64)}, "got 4: machine 0 holds at the start 5 in round 0"),
    ],
)
def test_caps_are_enforced(protocol, start, message):
    with pytest.raises(CapExceeded, match=message):
        run_protocol(protocol, [start] * 3, words=4, most_rounds=5)


@dataclass(frozen=True)
class AllToOne:
    """Everybody sends two words to machine 0."""

    def step(self, machine, memory, inbox, round):
        return Step({}, Messages(numbers(0), numbers(1, 2)[None]), False)


def test_receivers_have_a_cap_too():
    with pytest.raises(CapExceeded, match="machine 0 receives 6 in round 1"):
        run_protocol(AllToOne(), [{}] * 3, words=4, most_rounds=5)


@dataclass(frozen=True)
class Endless:
    """Never finishes."""

    receiver: int = 0

    def step(self, machine, memory, inbox, round):
        return Step({}, Messages(numbers(self.receiver), numbers(1)[None]), False)


def test_a_run_that_does_not_end_is_given_up():
    with pytest.raises(CapExceeded, match="most_rounds must be enough for the protocol to finish, got 3"):
        run_protocol(Endless(), [{}], words=4, most_rounds=3)
    with pytest.raises(CapExceeded, match="machine 0 sends to a machine that does not exist in round 1"):
        run_protocol(Endless(receiver=7), [{}], words=4, most_rounds=3)


@dataclass(frozen=True)
class SharedList:
    """Carries data in its own field."""

    board: list = field(default_factory=list)

    def step(self, machine, memory, inbox, round):
        return Step({}, Messages.none(), True)


@dataclass
class Thawed:
    """Could remember between machines."""

    def step(self, machine, memory, inbox, round):
        return Step({}, Messages.none(), True)


def test_protocols_that_could_carry_data_are_refused():
    with pytest.raises(InvalidInput, match="protocol must hold numbers and text only, got SharedList with board"):
        run_protocol(SharedList(), [{}], words=4, most_rounds=2)
    with pytest.raises(InvalidInput, match="protocol must be a frozen dataclass, got Thawed"):
        run_protocol(Thawed(), [{}], words=4, most_rounds=2)


BOARD = {}  # what a cheat reads behind the simulator's back


def neighbours_of(n, two):
    m = n // 2 if two else n
    place = np.arange(n)
    block = place // m * m
    return np.stack([block + (place % m + 1) % m, block + (place % m - 1) % m], axis=1)


def test_reading_another_memory_is_caught(monkeypatch):
    start = cycle_memories(neighbours_of(32, two=True))
    protocol = CycleDoubling(32)
    assert audited_run(protocol, start, 4, protocol.rounds + 1, every=3).rounds == protocol.rounds
    BOARD.clear()
    honest = CycleDoubling.step
    monkeypatch.setattr(CycleDoubling, "step", lambda *call: _with(honest, call))
    with pytest.raises(CheckFailed, match="used more than its memory and its inbox"):
        audited_run(protocol, start, 4, protocol.rounds + 1, every=3)


def _with(honest, call):
    """The honest step, but with the least label that any machine of this process has seen."""
    step = honest(*call)
    BOARD[call[1]] = int(step.memory["least"][0])
    return Step({**step.memory, "least": numbers(min(BOARD.values()))}, step.outbox, step.done)


def test_memories_cannot_be_written_to():
    @dataclass(frozen=True)
    class Scribbler:
        def step(self, machine, memory, inbox, round):
            memory["x"][0] = 9
            return Step(memory, Messages.none(), True)

    with pytest.raises(ValueError, match="read-only"):
        run_protocol(Scribbler(), [{"x": numbers(1)}], words=4, most_rounds=2)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@settings(max_examples=25)
@given(data=st.data())
def test_components_are_those_of_networkx(protocol, data):
    n = data.draw(st.integers(1, 40))
    edges = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=60))
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edges)
    sizes = Sizes(machines=data.draw(st.integers(1, 9)), words=2000, fan=data.draw(st.integers(2, 4)))
    found = connected_components(np.array(edges), n, protocol, sizes, seed=data.draw(st.integers(0, 5)))
    expected = [min(nx.node_connected_component(graph, node)) for node in range(n)]
    assert found.labels.tolist() == expected
    assert found.components == nx.number_connected_components(graph)
    assert found.depth == found.run.rounds + 2


def graphs(n):
    yield nx.path_graph(n)
    yield nx.cycle_graph(n)
    yield nx.disjoint_union(nx.cycle_graph(n // 2), nx.cycle_graph(n // 2))
    yield nx.gnp_random_graph(n, 4 / n, seed=1)
    yield nx.star_graph(n - 1)
    yield nx.grid_2d_graph(16, n // 16)


@pytest.mark.parametrize(("delta", "n"), [(0.5, 48)])
def test_default_sizes_keep_the_caps(delta, n):
    for graph in graphs(n):
        edges, nodes, _ = graph_edges(graph)
        edges = np.random.default_rng(0).permutation(len(nodes))[edges]
        for protocol in PROTOCOLS:
            sizes = default_sizes(len(nodes), len(edges), delta, protocol=protocol)
            found = connected_components(edges, len(nodes), protocol, sizes)
            assert found.components == nx.number_connected_components(graph)
            assert max(found.run.max_load, found.run.max_memory) <= sizes.words


def test_the_tree_is_needed():
    """With the whole fan-in at one host, a popular label overloads it."""
    edges, nodes, _ = graph_edges(nx.star_graph(599))
    sizes = default_sizes(len(nodes), len(edges), delta=0.35)
    assert connected_components(edges, len(nodes), sizes=sizes).components == 1
    with pytest.raises(CapExceeded, match="receives"):
        connected_components(edges, len(nodes), sizes=Sizes(4 * sizes.machines, sizes.words, 10**6))


def test_iterations_grow_with_the_diameter_or_with_its_logarithm():
    iterations = {}
    for n in (24, 96):
        edges, _, _ = graph_edges(nx.path_graph(n))
        edges = np.random.default_rng(0).permutation(n)[edges]
        for protocol in PROTOCOLS:
            iterations[protocol, n] = connected_components(edges, n, protocol).iterations
    assert iterations["label-propagation", 96] > 2 * iterations["label-propagation", 24]
    assert iterations["random-mate", 96] <= iterations["random-mate", 24] + 10
    assert iterations["hook-and-shortcut", 96] <= iterations["hook-and-shortcut", 24] + 4


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_component_protocols_use_messages_alone(protocol):
    edges, nodes, _ = graph_edges(nx.gnp_random_graph(30, 0.08, seed=3))
    sizes = Sizes(machines=6, words=2000, fan=2)
    memories = graph_memories(protocol, edges, len(nodes), sizes)
    rule = KINDS[protocol](sizes.machines, sizes.fan)
    plain = run_protocol(rule, memories, sizes.words, 2000)
    assert audited_run(rule, memories, sizes.words, 2000, every=5).rounds == plain.rounds


@pytest.mark.parametrize("n", [6, 8, 16, 31, 64, 128])
def test_cycle_doubling(n):
    for two in {False, n % 2 == 0 and n >= 6}:
        labels, run = cycle_labels(neighbours_of(n, two))
        assert labels.tolist() == (np.arange(n) // (n // 2 if two else n) * (n // 2 if two else n)).tolist()
        assert run.rounds == int(np.ceil(np.log2(n + 1))) - 1
        assert run.max_load == 4


def test_one_round_less_does_not_reach_the_other_side():
    class Short(CycleDoubling):
        rounds = 4

    n = 32
    assert CycleDoubling(n).rounds == 5
    run = run_protocol(Short(n), cycle_memories(neighbours_of(n, two=False)), 4, 5)
    assert int(run.memories[n // 2]["least"][0]) != 0


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60), st.integers(1, 5))
def test_sorting(values, machines):
    found, run = sort_on_machines(np.array(values), machines, words=400)
    assert found.tolist() == sorted(values)
    assert run.rounds == 6


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60), st.integers(1, 12))
def test_prefix_sums(values, machines):
    found, run = prefix_sums_on_machines(np.array(values), machines, words=80)
    assert found.tolist() == np.cumsum(values).tolist()
    assert run.rounds == 2


def test_prefix_sums_through_a_deep_tree():
    values = np.arange(64) ** 2
    found, run = prefix_sums_on_machines(values, 64, words=15)
    assert found.tolist() == np.cumsum(values).tolist()
    assert run.rounds == 6


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: connected_components([[0, 9]], 5), "edges must join vertices from 0 to 4, got 0 to 9"),
        (lambda: connected_components([[0, 1]], 2, "guess"), "protocol must be one of random-mate"),
        (lambda: default_sizes(10, 9, delta=1.0), "delta must be a number between 0 and 1, got 1.0"),
        (lambda: default_sizes(10, 9, delta=0.0), "delta must be a positive number, got 0.0"),
        (lambda: default_sizes(10, 9, words=10), "words must be a whole number at least 64, got 10"),
        (lambda: graph_edges(nx.DiGraph([(0, 1)])), "graph must be undirected with single edges, got a directed graph"),
        (lambda: graph_edges(nx.MultiGraph([(0, 1)])), "got a multigraph"),
        (lambda: graph_edges(nx.Graph()), "graph must have at least one vertex"),
        (lambda: sort_on_machines(np.arange(9), 3, 10), "words must be at least 2 machines"),
        (lambda: prefix_sums_on_machines(np.arange(99), 9, 12), "words must leave room for a tree"),
        (lambda: cycle_labels(np.zeros((3, 3), int)), r"neighbours must have shape \(n, 2\)"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


def test_loops_are_left_out():
    edges, _, loops = graph_edges(nx.Graph([(0, 1), (1, 1)]))
    assert (edges.tolist(), loops) == ([[0, 1]], 1)
