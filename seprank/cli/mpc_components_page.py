"""What `seprank mpc components` prints."""

from __future__ import annotations

from dataclasses import dataclass

from seprank.cli.output import to_json
from seprank.parallel.graph_input import Components
from seprank.parallel.graph_sources import GraphInput
from seprank.parallel.sizes import tree_depth


@dataclass(frozen=True)
class Page:
    """A run with its input; `delta` is None where the memory was given."""

    graph: GraphInput
    protocol: str
    delta: float | None
    seed: int
    found: Components
    agrees: bool

    def json(self) -> str:
        """Schema `seprank.mpc.components/1`; `loads` has sent, received and kept words for every round."""
        graph, found, sizes = self.graph, self.found, self.found.sizes
        return to_json(
            {
                "schema": "seprank.mpc.components/1",
                "graph": graph.name,
                "vertices": graph.vertices,
                "edges": len(graph.edges),
                "loops_left_out": graph.loops,
                "repeated_edges": graph.repeated,
                "protocol": self.protocol,
                "delta": self.delta,
                "seed": self.seed,
                "components": found.components,
                "agrees": self.agrees,
                "rounds": found.run.rounds,
                "iterations": found.iterations,
                "max_load": found.run.max_load,
                "max_memory": found.run.max_memory,
                "memory": sizes.words,
                "machines": sizes.machines,
                "fan_in": sizes.fan,
                "depth": found.depth,
                "loads": [list(row) for row in found.run.loads],
            }
        )

    def text(self) -> str:
        """A few lines for people."""
        graph, found, sizes = self.graph, self.found, self.found.sizes
        dropped = [f"{_count(graph.loops, 'loop')} left out"] if graph.loops else []
        dropped += [f"{_count(graph.repeated, 'repeated edge')} counted once"] if graph.repeated else []
        rule = "as given" if self.delta is None else f"delta = {self.delta:g}"
        levels = tree_depth(sizes.machines, sizes.fan)
        size = f"{_count(graph.vertices, 'vertex', 'vertices')}, {_count(len(graph.edges), 'edge')}"
        return "\n".join(
            [
                "; ".join([f"{graph.name}: {size}", *dropped]),
                f"components:    {found.components} ({'as networkx finds' if self.agrees else 'networkx DISAGREES'})",
                f"protocol:      {self.protocol}, {_count(found.iterations, 'iteration')}, seed {self.seed}",
                f"rounds:        {found.run.rounds}",
                f"machines:      {sizes.machines} of {sizes.words} words ({rule}), "
                f"tree of fan-in {sizes.fan} and {_count(levels, 'level')}",
                f"largest load:  {found.run.max_load} words sent or received in a round, "
                f"{found.run.max_memory} words kept, of {sizes.words}",
                f"depth implied: {found.depth} layers of a transformer (rounds + 2)",
            ]
        )


def _count(number: int, one: str, several: str | None = None) -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"
