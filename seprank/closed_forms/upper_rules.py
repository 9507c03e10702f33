"""Every upper bound, for all weights, as data."""

from __future__ import annotations

from fractions import Fraction

from seprank.closed_forms import gram, paper, staircase
from seprank.closed_forms.case import Case
from seprank.closed_forms.combinatorics import multiset
from seprank.closed_forms.magnitude import Magnitude, context, log3_multiset
from seprank.closed_forms.rule import OWN, PAPER, Rule, always, printed_for, when_implied


def _gram_remark(case: Case) -> str:
    return "" if case.gram.counts_tokens or case.long else "long-input form: the sum for this N is too long"


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
        remark=printed_for,
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
        remark=printed_for,
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
