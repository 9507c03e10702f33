"""One constant serves all heads: base floor((dx+1)/2) for every H.   Source: docs/theory.md, One constant is enough."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import Any, NamedTuple

import numpy as np

from proofs_check.plain.networks import Heads, inner_product_power, own_constants
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.field.draw import residues

PRIME = 2147483629

STATEMENT = Statement(
    id="NEW.lower",
    title="The separation rank is at least multiset(floor((dx+1)/2), 3^(L-2)) for every number of heads",
    statement=r"$\mathrm{sep}(y_p)\ge\left(\!\binom{\lfloor(d_x+1)/2\rfloor}{3^{L-2}}\!\right)$ almost everywhere, "
    r"for $L\ge2$, "
    r"$N\ge2$, every $H$ and both parities of $d_x$: some weights give $(\langle v,w\rangle+1)^{3^{L-2}}$ with "
    r"$v,w$ of length $\lfloor(d_x-1)/2\rfloor$. It strengthens B.2, whose base is $(d_x-H)/2$.",
    source="docs/theory.md, One constant is enough",
    scope="explicit weights at L = 2, 3, 4, dx <= 9, H = 1 up to H = dx, both parities, (NA, NB) = (1, 1), and (1, "
    "3), (2, 1), "
    "(3, 2) once each; two head sizes with H da != dx; ranks up to 220, met exactly",
    expected=Verdict.HOLDS,
    note="The proof in docs/theory.md covers all sizes. With H da < dx the base is floor((H da + 1)/2).",
)


class Sizes(NamedTuple):
    """An architecture and the tokens of each side."""

    L: int
    dx: int
    H: int
    da: int
    NA: int
    NB: int

    @property
    def base(self) -> int:
        """floor((dx + 1)/2), or the same of H da when that is less."""
        return (min(self.dx, self.H * self.da) + 1) // 2

    def rank(self, base: int) -> int:
        """multiset(base, 3^(L-2))."""
        return comb(base + 3 ** (self.L - 2) - 1, 3 ** (self.L - 2))


def cases(level: str) -> Iterable[Sizes]:
    """Both parities, H = 1 and H = dx at every depth; the smallest width."""
    few = ((2, 1, 1), (2, 6, 2), (2, 7, 7), (2, 8, 1), (3, 4, 4), (3, 5, 1), (4, 3, 3), (4, 4, 1))
    more = (
        (2, 2, 2),
        (2, 9, 3),
        (3, 3, 1),
        (3, 6, 6),
        (3, 7, 1),
        (3, 8, 4),
        (3, 9, 9),
        (4, 5, 5),
        (4, 6, 3),
        (4, 7, 7),
    )
    for L, dx, H in few + (more if level == "full" else ()):
        yield Sizes(L, dx, H, dx // H, 1, 1)
    yield from (Sizes(2, 6, 3, 2, 1, 3), Sizes(3, 4, 2, 2, 3, 2), Sizes(2, 7, 2, 2, 1, 1), Sizes(3, 5, 3, 4, 2, 1))


def explicit(case: Sizes) -> Heads:
    """The explicit weights."""
    return inner_product_power(case.L, case.dx, case.H, case.da, case.base - 1, True, case.NA + case.NB, PRIME)


def sides(case: Sizes) -> tuple[Any, Any]:
    """First tokens (v, 0, 1) and (0, w, 1), all others (0, 0, 1); a few more than the rank."""
    n, count = case.base - 1, case.rank(case.base) + 2
    drawn = residues(2, "vectors", (2, count, n), PRIME)
    A, B = (np.zeros((count, N, case.dx), np.int64) for N in (case.NA, case.NB))
    A[:, 0, :n], B[:, 0, n : 2 * n] = drawn
    A[:, :, 2 * n] = B[:, :, 2 * n] = 1
    return A, B


def gram_form(case: Sizes) -> int:
    """Gram form and elimination of the library."""
    from seprank.attention.weights import Weights
    from seprank.separation.full import full_rank
    from seprank.separation.network import network_function

    return full_rank(network_function(Weights.from_arrays(*explicit(case)), PRIME), *sides(case), PRIME).rank


def explicit_tokens(case: Sizes) -> int:
    """Eq. 3 on explicit tokens and rank, in python-flint."""
    return _plain_rank(explicit(case), *sides(case))


def _plain_rank(heads: Heads, A: Any, B: Any) -> int:
    from proofs_check.plain.attention import layers_modulo, output_entry
    from proofs_check.plain.ranks import value_rank

    layers = layers_modulo(*heads, PRIME)
    return value_rank(lambda x: output_entry(layers, x, PRIME), A.tolist(), B.tolist(), PRIME)


def closed_form(case: Sizes) -> int:
    """The library's bound."""
    from seprank.attention.architecture import Architecture
    from seprank.closed_forms.paper import all_heads_base, multiset_power

    sizes = Architecture(case.L, case.dx, case.H, case.da)
    pair = multiset_power(all_heads_base(sizes), case.L).pair
    return -1 if pair is None else int(pair[0])


def roads() -> Mapping[str, Road]:
    """The rank of the explicit network, twice, and the bound."""
    return {"Gram form, own elimination": gram_form, "eq. 3, flint": explicit_tokens, "closed form": closed_form}


def holds(case: Sizes, result: int) -> bool:
    """The claimed rank, in whole numbers."""
    return result == case.rank(case.base)


def own_constants_rank(case: Sizes) -> int:
    """At L = 2: the rank when every head writes to its own constant, as B.2's layer 2 does."""
    da, half = case.da, (case.da - 1) // 2
    count = case.dx + 2
    drawn = residues(4, "vectors", (2, count, case.dx), PRIME)
    A, B = np.zeros((2, count, 1, case.dx), np.int64)
    for h in range(case.H):
        first = slice(h * da, h * da + half)
        second = slice(h * da + half, h * da + 2 * half)
        A[:, 0, first], B[:, 0, second] = drawn[0][:, first], drawn[1][:, second]
        A[:, 0, h * da + da - 1] = B[:, 0, h * da + da - 1] = 1
    shared = own_constants(case.dx, case.H, 2, PRIME)
    # The output entry is the constant of the first head: bring it to the front.
    order = [da - 1, *range(da - 1), *range(da, case.dx)]
    query, key, value = (array[..., order] for array in shared[:3])
    moved = Heads(query, key, value, shared.output[:, :, order])
    return _plain_rank(moved, A[..., order], B[..., order])


def mutants() -> Mapping[str, Claim]:
    """Heads that do not share the constant; a base or an exponent too large."""

    def own_constants_do_as_well(case: Sizes, result: int) -> bool:
        if (case.L, case.dx, case.H) != (2, 6, 2):
            return True
        return own_constants_rank(case) >= (case.dx - case.H) // 2

    return {
        "heads of layer 2 write to their own constants: B.2's rank 2 at L = 2, dx = 6, H = 2": own_constants_do_as_well,
        "base floor(dx/2) + 1": lambda case, result: result >= case.rank(case.dx // 2 + 1),
        "exponent 3^(L-1)": lambda case, result: result >= comb(case.base - 1 + 3 ** (case.L - 1), 3 ** (case.L - 1)),
    }
