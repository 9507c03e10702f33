"""Patterns keep to the fan-in and are delivered."""

import pytest

from seprank.errors import InvalidInput, TooLarge
from seprank.parallel.codebook import Codebook
from seprank.parallel.patterns import PATTERNS, message_pattern
from seprank.parallel.routing import misrouted, refuse_if_large, route


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize(("machines", "fan_in"), [(1, 1), (10, 3), (16, 4)])
def test_patterns_are_delivered(name, machines, fan_in):
    sent = message_pattern(name, machines, fan_in, words=2, payload=50, seed=5)
    found = route(Codebook(machines, fan_in), sent, 50, 2)
    assert (misrouted(sent, found), found.flagged) == ([], ())
    assert sent == message_pattern(name, machines, fan_in, words=2, payload=50, seed=5)


def test_what_patterns_are():
    assert [sorted(box) for box in message_pattern("blocks", 5, 2)] == [[0, 1], [0, 1], [2, 3], [2, 3], [4]]
    assert [sorted(box) for box in message_pattern("transpose", 5, 1)] == [[0], [2], [1], [3], []]
    assert [sorted(box) for box in message_pattern("to-one", 4, 2)] == [[3], [3], [], []]
    assert not any(message_pattern("empty", 4, 2))


def test_a_wrong_delivery_is_told():
    sent = message_pattern("random", 32, 2, seed=1)
    assert misrouted(sent, route(Codebook(32, 2, rows=1), sent, 1000))


def test_refusals():
    with pytest.raises(InvalidInput, match="pattern must be one of random, shift"):
        message_pattern("all", 4, 2)
    with pytest.raises(TooLarge, match="machines must leave the layer in half of the free memory, got machines=10000"):
        refuse_if_large(1000000, 9, 1, 12)
