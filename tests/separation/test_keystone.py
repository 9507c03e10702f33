"""Three roads to one number: the coefficient matrix, sampled values, and the literal grid tensor.

The first samples nothing: it is the separation rank by definition, over the rationals and modulo a prime. The
second is what `seprank rank` does, through the Gram form. The third is eq. 3 at every way to put templates on the
positions. All take the same whole-number weights, the modular ones modulo the prime.
"""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.poly_weights import small_weights
from seprank.attention.polynomial import network_polynomial
from seprank.attention.weights import Weights
from seprank.field.draw import residues
from seprank.separation.assignments import draw_assignments
from seprank.separation.blocks import block_ranks
from seprank.separation.coefficients import coefficient_matrix, coefficient_rank
from seprank.separation.full import full_rank
from seprank.separation.grid import grid_rank
from seprank.separation.network import network_function

PRIMES = (4194301, 2147483629)
SPARE = 6


@dataclass(frozen=True)
class Case:
    """Sizes, sides, the rank that is known (None: only agreement is asked), and templates for the grid."""

    sizes: Architecture
    NA: int
    NB: int
    rank: int | None
    templates: int
    seed: int = 1
    entry: int = 0

    @property
    def N(self):
        return self.NA + self.NB

    @property
    def weights(self):
        return small_weights(self.sizes, self.seed)


def of(L, dx, NA, NB, rank, templates, H=1, da=None, residual=False, **more):
    return Case(Architecture(L, dx, H, da, residual), NA, NB, rank, templates, **more)


CASES = [
    of(1, 1, 1, 1, 2, 6),
    of(1, 1, 2, 1, 2, 6),
    of(1, 2, 1, 1, 3, 8),
    of(1, 2, 1, 1, 3, 8, H=2),
    of(1, 2, 1, 3, 3, 6, H=2, entry=1),
    of(1, 2, 2, 2, 3, 5, residual=True),
    of(1, 3, 1, 1, 4, 12, H=3),
    of(1, 3, 3, 1, 3, 6, H=2, da=1),
    of(1, 4, 2, 2, 5, 6, H=4),
    of(1, 4, 1, 2, 5, 12, H=2, da=3, residual=True, entry=3),
    of(1, 4, 1, 1, 2, 14, H=1, da=1),
    of(2, 1, 1, 1, 5, 10),
    of(2, 1, 1, 2, 5, 10, H=2, da=2),
    of(2, 2, 1, 1, 15, 24),
    of(2, 2, 1, 1, 15, 24, residual=True, entry=1),
    of(2, 2, 1, 2, 16, 24),
    of(2, 2, 2, 1, 17, 24),
    of(2, 2, 2, 2, 18, 9),
    of(2, 2, 2, 2, 17, 9, H=2),
    of(2, 2, 2, 2, 17, 9, H=2, residual=True),
    of(2, 2, 2, 2, None, 9, H=3, da=1),
    of(2, 2, 2, 1, None, 22, H=1, da=1),
    of(2, 2, 1, 2, None, 22, H=2, da=3, residual=True),
    of(2, 2, 1, 3, 16, 18, seed=2),
    of(2, 2, 3, 1, 17, 20, seed=2),
    of(2, 3, 1, 1, None, 42, H=3),
    of(2, 3, 1, 1, None, 42, H=1, da=1, residual=True),
    of(2, 3, 1, 2, 39, 46),
    of(2, 3, 2, 2, 49, 12),
    of(2, 3, 2, 2, None, 12, H=1, da=2, entry=2),
    of(2, 4, 1, 1, None, 90),
    of(3, 1, 1, 1, 14, 20),
    of(3, 1, 2, 2, 14, 16, residual=True),
    of(3, 2, 1, 1, 105, 112),
    of(3, 2, 1, 1, None, 112, H=2, entry=1),
]


def exact(weights, case, A=None, position=0):
    """The separation rank over the rationals, by definition."""
    y = network_polynomial(weights, case.N, position=position, entry=case.entry)
    return coefficient_rank(y, range(case.NA) if A is None else A)


def modular(weights, case, prime):
    y = network_polynomial(weights, case.N, domain=prime, entry=case.entry)
    return coefficient_rank(y, range(case.NA))


def sampled(weights, case, prime, points):
    network = network_function(weights, prime, case.entry)
    A, B = draw_assignments(Partition(case.NA, case.NB), case.sizes.dx, prime, 7, points)
    return full_rank(network, A, B, prime).rank


def by_blocks(weights, case, prime, points):
    network = network_function(weights, prime, case.entry)
    A, B = draw_assignments(Partition(case.NA, case.NB), case.sizes.dx, prime, 8, points)
    found = block_ranks(network, A, B, [points] * (case.sizes.C + 1), prime)
    return sum(block.rank for block in found)


def on_grid(weights, case, prime, A=None, position=0):
    templates = residues(9, "templates", (case.templates, case.sizes.dx), prime)
    side = range(case.NA) if A is None else A
    return grid_rank(weights, templates, case.N, side, prime, position=position, entry=case.entry).rank


def all_roads(weights, case):
    rank = exact(weights, case)
    found = {
        "exact": rank,
        "coefficients": modular(weights, case, PRIMES[1]),
        "grid": on_grid(weights, case, PRIMES[0]),
    }
    for prime in PRIMES:
        found[f"sampled mod {prime}"] = sampled(weights, case, prime, rank + SPARE)
        if not case.sizes.residual:
            found[f"blocks mod {prime}"] = by_blocks(weights, case, prime, rank + SPARE)
    return found


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_three_roads_agree(case):
    found = all_roads(case.weights, case)
    assert len(set(found.values())) == 1, found
    assert case.rank in (None, found["exact"])


@pytest.mark.parametrize("case", [case for case in CASES if case.N * case.sizes.dx * case.sizes.L <= 16], ids=str)
def test_the_polynomials_of_two_rings_are_one(case):
    y = network_polynomial(case.weights, case.N, entry=case.entry)
    for prime in PRIMES:
        image = coefficient_matrix(y.modulo(prime), range(case.NA))
        direct = network_polynomial(case.weights, case.N, domain=prime, entry=case.entry)
        assert image.entries == coefficient_matrix(direct, range(case.NA)).entries


@pytest.mark.parametrize(("NA", "NB"), [(1, 2), (2, 1), (2, 2), (1, 3)])
@pytest.mark.parametrize("sizes", [Architecture(1, 2, 2), Architecture(2, 2), Architecture(2, 2, 2, residual=True)])
def test_permuted_partitions(sizes, NA, NB):
    case = Case(sizes, NA, NB, None, 22 if NA + NB < 4 else 9 if NA == 2 else 18)
    weights, N = case.weights, case.N
    found = {exact(weights, case), sampled(weights, case, PRIMES[0], 40)}
    for position in (0, N - 1):
        for chosen in combinations([j for j in range(N) if j != position], NA - 1):
            A = [position, *chosen]
            found |= {exact(weights, case, A, position), on_grid(weights, case, PRIMES[0], A, position)}
            rest = [j for j in range(N) if j not in A]
            found |= {exact(weights, case, rest, position), on_grid(weights, case, PRIMES[0], rest, position)}
    assert len(found) == 1


@dataclass(frozen=True)
class Special:
    """Weights at which the rank drops below the generic one."""

    name: str
    case: Case
    change: object = field(repr=False)
    rank: int | None = None

    def __str__(self):
        return self.name

    @property
    def weights(self):
        arrays = [array.copy() for array in self.case.weights]
        return Weights(self.case.sizes, *self.change(*arrays))


def no_second_head(q, k, v, o):
    o[:, 1] = 0
    return q, k, v, o


def identity(q, k, v, o):
    one = np.broadcast_to(np.eye(q.shape[-1], dtype=np.int64), q.shape)
    return one, one, one, one


def thin(q, k, v, o):
    q[:, :, 1:] = 0
    v[:, :, 1:] = 0
    return q, k, v, o


SPECIAL = [
    Special("zero weights", of(2, 2, 2, 2, None, 6), lambda q, k, v, o: (q, k, 0 * v, o), 0),
    Special("zero weights, skip", of(2, 2, 2, 2, None, 6, residual=True), lambda q, k, v, o: (q, k, 0 * v, o), 1),
    Special("zero last layer", of(2, 2, 1, 1, None, 24), lambda q, k, v, o: (q, k, v, o * [[[[0]]], [[[0]]]]), 0),
    Special("one head of two is zero", of(2, 2, 2, 2, None, 9, H=2), no_second_head),
    Special("one head of three is zero", of(1, 3, 1, 2, None, 12, H=3), no_second_head),
    Special("identity, one layer", of(1, 2, 1, 1, None, 8), identity, 3),
    Special("identity, two layers", of(2, 2, 2, 2, None, 9), identity),
    Special("identity, dx = 3", of(2, 3, 1, 1, None, 42), identity),
    Special("identity, skip", of(2, 2, 1, 2, None, 22, residual=True), identity),
    Special("symmetric links", of(2, 2, 2, 2, None, 9), lambda q, k, v, o: (q, q, v, np.swapaxes(v, -1, -2))),
    Special("symmetric links, dx = 3", of(2, 3, 1, 1, None, 42), lambda q, k, v, o: (q, q, v, np.swapaxes(v, -1, -2))),
    Special("scalar weights", of(2, 1, 1, 2, None, 10), lambda q, k, v, o: (q, q, q, q), 5),
    Special("matrices of rank one", of(2, 2, 2, 2, None, 9), thin),
    Special("matrices of rank one, L = 3", of(3, 2, 1, 1, None, 112), thin),
    Special(
        "query of layer 2 is zero", of(2, 2, 1, 2, None, 22), lambda q, k, v, o: (q * [[[[1]]], [[[0]]]], k, v, o), 0
    ),
]
GENERIC = {(2, 2, 2, 2, 1): 18, (2, 2, 2, 2, 2): 17, (2, 3, 1, 1, 1): 35, (1, 3, 1, 2, 3): 4, (2, 2, 1, 2, 1): 16}


@pytest.mark.parametrize("special", SPECIAL, ids=str)
def test_the_three_roads_agree_where_the_rank_drops(special):
    found = all_roads(special.weights, special.case)
    assert len(set(found.values())) == 1, found
    assert special.rank in (None, found["exact"])
    sizes, case = special.case.sizes, special.case
    assert found["exact"] <= GENERIC.get((sizes.L, sizes.dx, case.NA, case.NB, sizes.H), found["exact"])


def test_the_rank_does_drop():
    found = {special.name: exact(special.weights, special.case) for special in SPECIAL}
    assert found["identity, two layers"] < 18
    assert found["symmetric links, dx = 3"] <= 35
    assert found["matrices of rank one"] < 18
    assert found["one head of three is zero"] < 4


def output_in_B(weights, case):
    return exact(weights, case, A=range(1, case.NA + 1))


def without_the_last_head(weights, case):
    H = case.sizes.H - 1
    fewer = Weights.from_arrays(*(array[:, :H] for array in weights), residual=case.sizes.residual)
    return exact(fewer, case)


def split_by_degree_only(weights, case):
    """Adds ranks of homogeneous parts, which share monomials of a side when there are skip connections."""
    y = network_polynomial(weights, case.N, entry=case.entry)
    return sum(coefficient_rank(part, range(case.NA)) for part in y.homogeneous_parts().values())


def split_by_the_output_token(weights, case):
    """Adds ranks of parts by the degree in the output token instead of the degree in side A."""
    y = network_polynomial(weights, case.N, entry=case.entry)
    return sum(coefficient_rank(part, range(case.NA)) for part in y.bidegree_parts([0]).values())


def without_the_top_block(weights, case):
    y = network_polynomial(weights, case.N, entry=case.entry)
    parts = list(y.bidegree_parts(range(case.NA)).values())
    return sum(coefficient_rank(part, range(case.NA)) for part in parts[1:])


def too_few_templates(weights, case):
    return on_grid(weights, Case(case.sizes, case.NA, case.NB, None, 2, entry=case.entry), PRIMES[0])


def too_small_a_prime(weights, case):
    return modular(weights, case, 2)


MUTANTS = [
    (output_in_B, of(2, 2, 1, 2, 16, 24)),
    (output_in_B, of(2, 3, 1, 2, 39, 46)),
    (without_the_last_head, of(2, 2, 2, 2, 17, 9, H=2)),
    (without_the_last_head, of(1, 3, 1, 1, 4, 12, H=3)),
    (split_by_degree_only, of(2, 2, 1, 1, 15, 24, residual=True)),
    (split_by_the_output_token, of(2, 2, 2, 2, 18, 9)),
    (without_the_top_block, of(2, 2, 1, 1, 15, 24)),
    (too_few_templates, of(2, 2, 2, 2, 18, 9)),
    (too_small_a_prime, of(2, 2, 2, 2, 18, 9)),
]


@pytest.mark.parametrize(("mutant", "case"), MUTANTS, ids=lambda value: getattr(value, "__name__", None))
def test_wrong_roads_are_told_apart(mutant, case):
    assert mutant(case.weights, case) != exact(case.weights, case) == case.rank
