"""Every bound as data: what it is called, what it states, where it applies, and how to evaluate it.

A rule says whether it is proved for a case; a printed bound that is not is judged in `report` against the
proved ones. Order matters: among equal bounds the earlier one is named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from seprank.closed_forms import explicit, gram, paper, staircase
from seprank.closed_forms.case import Case
from seprank.closed_forms.combinatorics import multiset
from seprank.closed_forms.magnitude import Magnitude, context, log3_multiset

PAPER = "levine2020depth, {}"
OWN = "derived for this project: docs/theory.md, {}"


@dataclass(frozen=True)
class Rule:
    """A bound on the separation rank of almost every network of an architecture.

    `value` returns None where the bound says nothing about the case; `proved` whether this project proves it
    there outright; `remark` a clause to add to the scope for the case, or "".
    """

    id: str
    kind: Literal["lower", "upper"]
    title: str
    formula: str
    scope: str
    source: str
    about: str
    value: Callable[[Case], Magnitude | None]
    proved: Callable[[Case], bool]
    remark: Callable[[Case], str] = lambda case: ""


def always(case: Case) -> bool:
    """Proved wherever it applies."""
    return True


def when_implied(case: Case) -> bool:
    """Never outright; `report` compares with the proved bounds."""
    return False


def _printed_for(case: Case) -> str:
    notes = []
    if not case.arch.is_standard:
        notes.append("stated for H da = dx")
    if case.arch.residual:
        notes.append("stated without skip connections")
    return "; ".join(notes)


def _gram_remark(case: Case) -> str:
    return "" if case.gram.counts_tokens or case.long else "long-input form: the sum for this N is too long"


def _known_value(case: Case) -> Magnitude | None:
    return None if case.known is None else Magnitude.of(case.known.value)


def _simple_gram(case: Case) -> Magnitude:
    power = case.arch.s * case.arch.L
    return Magnitude(context().mpf(power), exact=lambda: (Fraction(3**power), 1))


def _staircase(case: Case) -> Magnitude | None:
    blocks = case.staircase_blocks
    return None if blocks is None else Magnitude.of(case.least_sum(blocks))


def _isotropic(case: Case) -> Magnitude | None:
    blocks = case.isotropic_blocks
    return None if blocks is None else Magnitude.of(case.least_sum(blocks))


def _narrow(case: Case) -> Magnitude | None:
    arch = case.arch
    if arch.residual or staircase.token_forms(arch) == arch.dx:
        return None
    return gram.long_gram_bound(staircase.token_forms(arch), arch.C, staircase.gram_forms(arch))


def _two_tokens(case: Case) -> Magnitude | None:
    if case.partition is None or case.partition.n > 2:
        return None
    d, C = case.arch.dx, case.arch.C
    size = log3_multiset(d, C) + log3_multiset(d + 1, C)
    return Magnitude(size, exact=lambda: (Fraction(multiset(d, C) * multiset(d + 1, C)), 1))


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


def _eq19_true(case: Case) -> bool:
    return case.n <= 2 or case.arch.dx <= 2


def _theorem2_upper_true(case: Case) -> bool:
    d = case.arch.dx
    return case.n <= 2 or d <= 3 or (d == 4 and case.n == 3)


def _theorem6_true(case: Case) -> bool:
    return case.n <= 2 or case.arch.dx <= 3


def _skip_connections_tokens(case: Case) -> int:
    return 2 * case.arch.dx if case.partition is None else case.partition.N


def _tokens_remark(case: Case) -> str:
    return "evaluated at N = 2 dx, from where on N changes nothing" if case.partition is None else ""


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
        remark=_printed_for,
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
        remark=_printed_for,
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
        remark=_printed_for,
    ),
)

UPPER_RULES = (
    Rule(
        id="gram",
        kind="upper",
        title="Gram bound",
        formula="sum over k = 0..C of min(D_B(k), D_A(C-k)); long input: D_B(k) = ((s, k)), D_A(c) = dx ((s, c))",
        scope="all weights, every H, every N, with or without skip connections",
        source=OWN.format("Gram bound"),
        about="The output is linear in its own token and homogeneous of degree C in G = G_A + G_B, so its part of "
        "degree k in G_B has at most the rank of either space of polynomials. With fewer than dx tokens the "
        "spaces shrink (sums of dimensions of Schur functors).",
        value=lambda case: case.gram.magnitude,
        proved=always,
        remark=_gram_remark,
    ),
    Rule(
        id="staircase",
        kind="upper",
        title="Staircase bound",
        formula="sum over k of min over t of dx sum_{j<t} ((mu,C-k-j))((zeta,j)) + sum_{i<=Z-t} ((mu,k-i))((zeta,i))",
        scope="all weights, every N, with or without skip connections; H >= 2 or da < dx; L <= 6 here",
        source=OWN.format("Staircase bound"),
        about="Layer 1 sees G only through mu = min(s, H da^2) linear forms; zeta = s - mu, Z = C(L-1). Many thin "
        "heads lower the separation rank. On few tokens the smaller of this and the Gram bound is taken block by "
        "block. For H da < dx the token enters through H da forms and G through mu + H da (H da + 1)/2 at most (no "
        "skip connections). Reached in every long-input case computed with H >= 2 (conjecture).",
        value=_staircase,
        proved=always,
    ),
    Rule(
        id="isotropic",
        kind="upper",
        title="Isotropic correction",
        formula="sum over k of min(((s, k)) - h_X(2k) where k > tau_T, dx ((s, C-k)))",
        scope="all weights, H = 1, no skip connections, every N; L <= 6 here",
        source=OWN.format("Isotropic directions"),
        about="With one head the same link matrices return many times along the word of the network. Vectors that "
        "are isotropic for some of them kill high powers, so the Gram bound is missed for L = 3, 4 <= dx <= 12 and "
        "other cases. h_X is the Hilbert function of the set X of such vectors.",
        value=_isotropic,
        proved=always,
    ),
    Rule(
        id="gram.narrow",
        kind="upper",
        title="Gram bound for a narrow inner width",
        formula="sum over k of min(((s', k)), m ((s', C-k))),  m = H da,  s' = min(s, mu + m (m+1)/2)",
        scope="all weights, H da < dx, no skip connections, every N",
        source=OWN.format("General head size"),
        about="With H da < dx the output's own token enters through m = H da linear forms, and G through those that "
        "the heads of layer 1 and the inner products of their queries see.",
        value=_narrow,
        proved=always,
    ),
    Rule(
        id="gram.two-tokens",
        kind="upper",
        title="Gram bound, at most two tokens on a side",
        formula="((dx, C)) ((dx+1, C))",
        scope="all weights, every H, with or without skip connections; min(NA, NB) <= 2",
        source=OWN.format("Where eq. 19 holds"),
        about="A closed consequence of the Gram bound for very short inputs, whose logarithm grows like "
        "(2 dx - 1) L only. It proves eq. 19 there.",
        value=_two_tokens,
        proved=always,
    ),
    Rule(
        id="gram.simple",
        kind="upper",
        title="Saturated growth, upper side",
        formula="log3 sep <= dx (dx+1)/2 L",
        scope="all weights, every L, H and N, with or without skip connections",
        source=OWN.format("Gram bound, corollaries"),
        about="A short consequence of the Gram bound: double-exponential growth with depth ends by L = 2 log3 dx.",
        value=_simple_gram,
        proved=always,
    ),
    Rule(
        id="eq18",
        kind="upper",
        title="Equation 18",
        formula="(H (da + 1))^C(L), that is (dx + H)^C(L) when H da = dx",
        scope="all weights, every L, every N",
        source=PAPER.format("eq. 18 (A.2)"),
        about="Each of the C(L) gaps between Gram factors is crossed through one of H bottlenecks of size da or not "
        "at all. The Gram bound is at most (dx + 1)^C(L), so never larger when H da = dx.",
        value=lambda case: paper.eq18(case.arch),
        proved=lambda case: not case.arch.residual,
        remark=lambda case: "stated without skip connections" if case.arch.residual else "",
    ),
    Rule(
        id="eq19",
        kind="upper",
        title="Equation 19",
        formula="dx ((dx, 2C)) (2C/dx + 1)^dx",
        scope="claimed for all weights, every L and N; proved for min(NA, NB) <= 2 or dx <= 2, false for deep networks",
        source=PAPER.format("eq. 19 (A.3)"),
        about="The printed proof treats a product of C Gram entries as if it depended on the powers of the "
        "coordinates only, but it depends on how they are paired: G11 G22 is not G12^2. With three or more tokens on "
        "each side explicit networks exceed the bound (product, diagonal, quadric).",
        value=lambda case: paper.eq19(case.arch.dx, case.arch.C),
        proved=_eq19_true,
        remark=lambda case: "stated without skip connections" if case.arch.residual else "",
    ),
    Rule(
        id="thm1.upper",
        kind="upper",
        title="Theorem 1, upper side",
        formula="log3 sep <= (3^L - 1)/2 log3(dx + H)",
        scope="all weights; L < log3 dx",
        source=PAPER.format("Theorem 1"),
        about="The logarithm of eq. 18.",
        value=lambda case: paper.theorem1_upper(case.arch) if case.below_threshold else None,
        proved=when_implied,
        remark=_printed_for,
    ),
    Rule(
        id="thm2.upper",
        kind="upper",
        title="Theorem 2, upper side",
        formula="log3 sep <= 2 dx L + L - 2 dx log3(dx / (2 sqrt(2e))) + log3 dx",
        scope="claimed for L > log3 dx; proved for min(NA, NB) <= 2, dx <= 3, or dx = 4 with 3 tokens; else as eq. 19",
        source=PAPER.format("Theorem 2"),
        about="Follows from eq. 19 and falls with it: the true growth is dx^2 L, not dx L, for long inputs.",
        value=lambda case: paper.theorem2_upper(case.arch) if case.above_threshold else None,
        proved=_theorem2_upper_true,
        remark=_printed_for,
    ),
    Rule(
        id="residual.thm5",
        kind="upper",
        title="Skip connections, Theorem 5",
        formula="L l_L,  l_L = (N dx^4 / H)^C(L) prod over l = 2..L of l^(3^(L-l+1))",
        scope="all weights, with skip connections",
        source=PAPER.format("Theorem 5 (A.4)"),
        about="The paper's upper bound with skip connections; far above the Gram bound, which holds for both.",
        value=lambda case: paper.theorem5(case.arch, _skip_connections_tokens(case)) if case.arch.residual else None,
        proved=when_implied,
        remark=_tokens_remark,
    ),
    Rule(
        id="residual.thm6",
        kind="upper",
        title="Skip connections, Theorem 6",
        formula="(C(L) + 1) times eq. 19",
        scope="claimed with skip connections; proved for min(NA, NB) <= 2 or dx <= 3; else as eq. 19, a little later",
        source=PAPER.format("Theorem 6 (A.4)"),
        about="Falls with eq. 19 once the plain network, whose rank is never the larger, exceeds it.",
        value=lambda case: paper.theorem6(case.arch) if case.arch.residual else None,
        proved=_theorem6_true,
    ),
)

RULES = LOWER_RULES + UPPER_RULES
