"""One token on each side at L = 2: the heads are invisible, but for H = dx, which misses binom(dx, 4).

Source: derived for this project (observed, no proof)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import Any

from proofs_check.heads._networks import PRIME, Net, arrays, derivative_blocks, divisors, sampled_blocks
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.one-token-heads",
    title="One token a side: rank binom(C + dx, dx) whatever the heads, less binom(dx, 4) at L = 2, H = dx",
    statement=r"$N_A=N_B=1$: the Gram bound is $\sum_{j\le C}\binom{d+j-1}{j}=\binom{C+d}{d}$. It is the rank in "
    r"all cases of the scope but for $L=2$, $H=d\ge4$, $d_a=1$, where the rank is $\binom{d+4}4-\binom "
    r"d4$: 69, 121, 195, 295, 425, 589 for $d=4,\dots,9$. (Conjecture for all $d$.)",
    source="docs/theory.md, Short inputs",
    scope="L = 2: every H dividing dx <= 8, (9,9), and H da > dx for (4,5,1), (5,6,1), (5,3,2), (6,4,2); L = 3: dx <= "
    "3; random weights modulo 4194301",
    expected=Verdict.HOLDS,
    note="The Gram bound for one token a side is proved (docs/theory.md, Gram bound), and met certifies a value. That "
    "binom(d, 4) is missed is observed; it is the number of products of four different coordinates, all missed "
    "in block 2.",
)


def cases(level: str) -> Iterable[Net]:
    """All H dividing dx at L = 2, some with H da > dx, and L = 3."""
    full = level == "full"
    nets = [Net(2, d, H, NA=1, NB=1) for d in range(2, 9 if full else 6) for H in divisors(d)]
    nets += [Net(2, d, H, da, 1, 1) for d, H, da in ((4, 5, 1), (5, 6, 1), (5, 3, 2), (6, 4, 2))]
    nets += [Net(3, d, H, NA=1, NB=1) for d in ((2, 3) if full else (2,)) for H in divisors(d)]
    return nets + ([Net(2, 9, 9, NA=1, NB=1)] if full else [])


def derivatives(net: Net) -> Result:
    """All derivatives, multiplied by values of monomials at single tokens, where the tables are small."""
    return derivative_blocks(net) if (net.L, net.dx) <= (2, 4) or net.dx == 6 or net.L * net.dx <= 9 else None


def generic_values(net: Net) -> Result:
    """Eq. 3 on the two tokens written out as a polynomial in them, L = 2; no Gram matrices."""
    return _two_tokens(net) if net.L == 2 and net.dx in (4, 5, 7, 8, 9) else None


def _two_tokens(net: Net) -> Result:
    """Values by explicit tokens in numpy, interpolated in the scale of the second token, ranks by python-flint."""
    import numpy as np

    from proofs_check.plain.field_rank import array_rank
    from proofs_check.plain.ranks import _coefficient_weights

    query, key, value, output = arrays(net)
    d, C = net.dx, 4
    most = max(comb(d + j - 1, j) for j in range(C + 1)) + 8
    draw = np.random.default_rng(net.seed)
    x, z = draw.integers(0, PRIME, (2, most, d))
    blocks = np.zeros((C + 1, most, most), np.int64)
    for t in range(C + 1):
        tokens = [
            np.broadcast_to(x[:, None], (most, most, d)),
            np.broadcast_to(t * z[None] % PRIME, (most, most, d)),
        ]
        for l in range(2):
            heads = list(zip(query[l], key[l], value[l], output[l], strict=True))
            tokens = [sum(_head(tokens, i, *head) for head in heads) % PRIME for i in range(2)]
        for k in range(C + 1):
            blocks[k] += tokens[0][..., 0] * _coefficient_weights(C, k, PRIME)[t] % PRIME
    return tuple(array_rank(block, PRIME) for block in blocks)


def _head(tokens: list[Any], i: int, Q: Any, K: Any, V: Any, O: Any) -> Any:
    mixed = 0
    for other in tokens:
        score = (tokens[i] @ Q.T % PRIME * (other @ K.T % PRIME) % PRIME).sum(-1, keepdims=True) % PRIME
        mixed = mixed + score * (other @ V.T % PRIME) % PRIME
    return mixed % PRIME @ O.T % PRIME


def roads() -> Mapping[str, Road]:
    """Two or three ways to the block ranks."""
    return {"sampled values": sampled_blocks, "derivatives": derivatives, "eq. 3 on two tokens": generic_values}


def _claim(exception: bool, missed: int = 4) -> Claim:
    def claim(net: Net, result: Result) -> bool:
        C, d = net.architecture.C, net.dx
        full = comb(C + d, d)
        thin = exception and net.L == 2 and net.H * (net.da or d // net.H) == d and net.H == d
        return bool(sum(result) == full - (comb(d, missed) if thin else 0))

    return claim


def holds(net: Net, result: Result) -> bool:
    """binom(C + d, d), less binom(d, 4) for L = 2, H = d."""
    return _claim(True)(net, result)


def mutants() -> Mapping[str, Claim]:
    """No exception, and another one."""
    return {
        "heads are invisible without exception": _claim(False),
        "binom(d, 3) is missed at H = dx": _claim(True, 3),
    }
