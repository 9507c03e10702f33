"""Every lower bound, for almost all weights, as data."""

from __future__ import annotations

from seprank.closed_forms import explicit, paper
from seprank.closed_forms.case import Case
from seprank.closed_forms.magnitude import Magnitude
from seprank.closed_forms.rule import OWN, PAPER, Rule, always, printed_for, when_implied


def _known_value(case: Case) -> Magnitude | None:
    return None if case.known is None else Magnitude.of(case.known.value)


def _multiset(case: Case) -> Magnitude | None:
    base = paper.b2_base(case.arch)
    return None if base is None or case.arch.L < 2 else paper.multiset_power(base, case.arch.L)


def _all_heads(case: Case) -> Magnitude | None:
    if case.arch.L < 2:
        return None
    return paper.multiset_power(paper.all_heads_base(case.arch), case.arch.L)


def _narrow_inner(case: Case) -> str:
    inner = case.arch.H * case.arch.da
    return f"base from H da = {inner} in place of dx" if inner < case.arch.dx else ""


LOWER_RULES = (
    Rule(
        id="known",
        kind="lower",
        title="Exact value",
        formula="sep = the value named by the evidence",
        scope="almost all weights; L = 1; dx = 1; L = 2 with H = 1 or H = dx (theorems A, C); certified cases",
        source=OWN.format("Exact values"),
        about="Where the exact generic separation rank of this network is proved or certified. A certified value is a "
        "rank modulo a prime that meets a proved upper bound. It is listed as a lower bound; with the upper bound that "
        "it meets the value is exact. With skip connections the value is that of the plain network, whose rank is "
        "never the larger.",
        value=_known_value,
        proved=always,
        remark=lambda case: case.known.evidence if case.known else "",
    ),
    Rule(
        id="contained",
        kind="lower",
        title="Exact value of a contained network",
        formula="sep >= the value named by the evidence",
        scope="almost all weights; smaller width, fewer or thinner heads, or fewer tokens give a known value",
        source=OWN.format("Exact values"),
        about="Setting weights and tokens to zero leaves a smaller network, so its exact separation rank is a lower "
        "bound on the generic one here.",
        value=lambda case: Magnitude.of(case.contained.value) if case.contained else None,
        proved=always,
        remark=lambda case: case.contained.evidence if case.contained else "",
    ),
    Rule(
        id="quadric",
        kind="lower",
        title="Power of a quadratic form",
        formula="2 ((r+1, K-1)) + ((r, K)),  r = J H m (da - m),  K = 3^(L-l),  l = J + ceil(log2(H m / 2)) + 1 <= L",
        scope="almost all weights; da >= 3, m even, 2 <= m < da, 1 <= J <= H; NA, NB >= H da <= dx",
        source=OWN.format("Quadric"),
        about="An explicit network computes, to leading order, the power K of a nondegenerate quadratic form in r "
        "entries of G. ((n, k)) is the multiset coefficient. The best m and J are taken. Its growth d^2 L refutes "
        "eq. 19 for deep networks even at H = 1.",
        value=lambda case: explicit.quadric_bound(case.arch, case.partition),
        proved=always,
    ),
    Rule(
        id="diagonal",
        kind="lower",
        title="Diagonal network",
        formula="prod over a <= b of (e_ab + 1), the e_ab from a recursion over the layers, sum C(L)",
        scope="almost all weights; min(H, dx) thin heads; fewer tokens than heads: pairs with min(a, b) <= n only",
        source=OWN.format("Diagonal networks"),
        about="One coordinate a head, one entry of G a head and layer: the output is x_p times a monomial in the "
        "entries of G. The best of the shift, doubling and row schedules is taken; where their exponents would "
        "take too long, prod over l <= J of (3^(L-k-l) + 1)^m with k = ceil(log2 m), J = min(ceil(m/2), L-k).",
        value=lambda case: explicit.diagonal_bound(case.arch, case.partition),
        proved=always,
    ),
    Rule(
        id="product",
        kind="lower",
        title="Product network",
        formula="prod over l < t of (3^(L-l) + 1) times ((3^(L-t+1) - 1)/2 + 1),  t = min(L, rho(n))",
        scope="almost all weights; min(H, dx) thin heads, rho(n) = dimension of their matrices of rank <= n",
        source=OWN.format("Product networks"),
        about="All heads of a layer multiply by the same linear form of G, so the output is x_p times a product of "
        "powers of independent forms. rho(n) = n m - n(n-1)/2 for n <= m = min(H, dx) tokens on the smaller side.",
        value=lambda case: explicit.product_bound(case.arch, case.partition),
        proved=always,
    ),
    Rule(
        id="growth.lower",
        kind="lower",
        title="Saturated growth, lower side",
        formula="log3 sep >= dx^2 L / 16",
        scope="almost all weights; L >= 2 H + 5 log2 dx; NA, NB >= dx; H divides dx",
        source=OWN.format("Saturated growth"),
        about="Past L = 2H + 5 log2 dx the logarithm of the separation rank grows like dx^2 L up to constants, with "
        "or without skip connections; gram.simple is the upper side.",
        value=lambda case: (
            explicit.growth_bound(case.arch) if explicit.growth_applies(case.arch, case.partition) else None
        ),
        proved=always,
    ),
    Rule(
        id="multiset.all-heads",
        kind="lower",
        title="Power of an inner product, every H",
        formula="((floor((dx+1)/2), 3^(L-2)))",
        scope="almost all weights; L >= 2, every H, every N >= 2",
        source=OWN.format("One constant is enough"),
        about="The lower bound B.2 of the paper, strengthened: one constant coordinate serves all heads, so the "
        "number of heads costs nothing and the parity of dx - H does not matter.",
        value=_all_heads,
        proved=always,
        remark=_narrow_inner,
    ),
    Rule(
        id="multiset",
        kind="lower",
        title="Power of an inner product (B.2)",
        formula="(((dx-H)/2, 3^(L-2)))",
        scope="almost all weights; L >= 2, dx - H even and positive",
        source=PAPER.format("B.2"),
        about="The paper's combinatorial lower bound, from which the lower sides of its Theorems 1 and 2 follow.",
        value=_multiset,
        proved=when_implied,
        remark=printed_for,
    ),
    Rule(
        id="thm1.lower",
        kind="lower",
        title="Theorem 1, lower side",
        formula="log3 sep >= 3^(L-2) (log3(dx-H) - L + 2 - log3 2)",
        scope="almost all weights; L < log3 dx, H < dx",
        source=PAPER.format("Theorem 1"),
        about="Double-exponential growth with depth below the threshold. It is log3 of (n/k)^k with n = (dx-H)/2, "
        "k = 3^(L-2), and lies below multiset for every L >= 2.",
        value=lambda case: (
            paper.theorem1_lower(case.arch) if case.below_threshold and case.arch.H < case.arch.dx else None
        ),
        proved=when_implied,
        remark=printed_for,
    ),
    Rule(
        id="thm2.lower",
        kind="lower",
        title="Theorem 2, lower side",
        formula="log3 sep >= dx L/2 - L (H/2 + 1) - dx (1 + log3((dx-H)/2) / 2)",
        scope="almost all weights; L > log3 dx, H < dx",
        source=PAPER.format("Theorem 2"),
        about="Linear growth of the logarithm with depth above the threshold; lies below multiset for every L >= 2.",
        value=lambda case: (
            paper.theorem2_lower(case.arch) if case.above_threshold and case.arch.H < case.arch.dx else None
        ),
        proved=when_implied,
        remark=printed_for,
    ),
)
