"""No two roads of a checker reach the same function of seprank; and the walk that says so sees what it must."""

import functools

import pytest

from proofs_check import ledger
from proofs_check.independence import reached, shared_by
from proofs_check.verdict import Verdict
from seprank.closed_forms.combinatorics import multiset

CHECKERS = ledger.checkers()


@pytest.mark.parametrize("id", CHECKERS)
def test_roads_share_no_code(id):
    checker = CHECKERS[id]
    if checker.STATEMENT.expected is Verdict.OPEN:
        assert not hasattr(checker, "roads")
    else:
        assert shared_by(dict(checker.roads())) == {}


def by_global(n):
    return multiset(n, 2)


def by_import(n):
    from seprank.closed_forms import combinatorics

    return combinatorics.multiset(n, 2)


def by_lambda():
    return lambda n: by_global(n)


class ByMethod:
    @property
    def value(self):
        return by_global(3)


@pytest.mark.parametrize(
    "road", [by_global, by_import, by_lambda, by_lambda(), functools.partial(by_global, 3), functools.cache(by_global)]
)
def test_the_walk_follows(road, monkeypatch):
    monkeypatch.setattr("proofs_check.independence.FOLLOWED", ("seprank.", "proofs_check.", f"{__name__}."))
    assert "seprank.closed_forms.combinatorics.multiset" in reached(road)


def test_the_walk_enters_kernels_and_classes():
    from seprank.attention.gram import GramNetwork

    found = reached(GramNetwork)
    assert "seprank.attention.gram_kernels.grid_tile" in found
    assert "seprank.attention.gram.GramNetwork.evaluate" in found


def test_shared_code_is_found():
    roads = {"a": multiset, "b": functools.partial(multiset, 2), "c": max}
    assert shared_by(roads) == {("a", "b"): {"seprank.closed_forms.combinatorics.multiset"}}


def test_sizes_draws_and_prime_checks_may_be_shared():
    from seprank.attention.architecture import Architecture
    from seprank.field.draw import residues
    from seprank.field.primes import check_prime

    assert shared_by({"a": [Architecture, residues, check_prime], "b": [Architecture, residues, check_prime]}) == {}
