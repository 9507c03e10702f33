"""Short definitions of the words and letters that the commands print."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """A word or letter, what it means, and where it comes from."""

    id: str
    title: str
    text: str
    source: str


_PAPER = "levine2020depth"
_OWN = "derived for this project: docs/theory.md"

TERMS = (
    Term("L", "Depth", "Number of self-attention layers, at least 1.", _PAPER),
    Term("dx", "Width", "Embedding dimension: every token is a vector of dx numbers (d_x in the paper).", _PAPER),
    Term("H", "Heads", "Number of attention heads in every layer.", _PAPER),
    Term(
        "da",
        "Head size",
        "Rows of the query, key and value matrices of one head. dx / H unless stated; real models often have "
        "H da != dx.",
        _PAPER,
    ),
    Term(
        "N", "Tokens", "Number of input positions; NA of them on side A, which holds the output, NB on side B.", _PAPER
    ),
    Term("C", "Gram factors", "C(L) = (3^L - 1) / 2. The output has degree 2 C + 1 = 3^L in the tokens.", _PAPER),
    Term("s", "Entries of a symmetric matrix", "dx (dx + 1) / 2, the number of free entries of G.", _OWN),
    Term(
        "multiset",
        "Multiset coefficient ((n, k))",
        "Number of ways to choose k things of n kinds with repetition, binom(n + k - 1, k). It counts the monomials "
        "of degree k in n variables. (A bound has this id, too: see the lower bounds.)",
        _PAPER,
    ),
    Term(
        "separation-rank",
        "Separation rank",
        "The least R with y = sum over r <= R of g_r(tokens in A) g'_r(tokens in B). Rank 1 means that the output "
        "cannot relate the two sides at all. For a polynomial it is the rank of its coefficient matrix.",
        f"{_PAPER}, section 3",
    ),
    Term(
        "almost-all",
        "Almost all weights",
        "All weights but a set of measure zero. A lower bound at a single weight setting holds for almost all of "
        "them, because a minor that is not zero somewhere is zero almost nowhere.",
        _PAPER,
    ),
    Term(
        "partition",
        "Partition",
        "The split of the positions in A and B. Without a causal mask only NA and NB matter, and on which side the "
        "output is.",
        f"{_PAPER}, Proposition 1",
    ),
    Term("long-input", "Long input", "NA, NB >= dx: more tokens change nothing from there on.", _OWN),
    Term(
        "gram-form",
        "Gram form",
        "A linearized layer maps x to M(G) x, where G = sum of x x^T over all tokens and M is linear in G. So the "
        "output is linear in its own token and homogeneous of degree C(L) in G = G_A + G_B.",
        _OWN,
    ),
    Term(
        "block",
        "Bidegree block",
        "The part y_k of degree k in G_B. Blocks share no monomials, so the separation rank is the sum of the ranks "
        "of the blocks k = 0..C (not with skip connections).",
        _OWN,
    ),
    Term(
        "grid-tensor",
        "Grid tensor",
        "The values of the network at all ways to put M template vectors on N positions. Its matricization has the "
        "indices of A as rows and those of B as columns; its rank never exceeds the separation rank.",
        f"{_PAPER}, B.1 and Claim 1",
    ),
    Term(
        "regime",
        "Regime",
        "depth-efficient for L < log3 dx, depth-inefficient for L > log3 dx, boundary between: where the paper's "
        "Theorems 1 and 2 apply. Double-exponential growth lasts at least to L = log3 dx and at most to 2 log3 dx.",
        f"{_PAPER}, Theorems 1 and 2",
    ),
    Term("threshold", "Threshold", "log3 dx, the depth between the two regimes.", _PAPER),
    Term(
        "certified",
        "Exact (certified)",
        "A rank modulo a prime is a proved lower bound. When it equals a proved upper bound the value is exact, "
        "with no probability in it.",
        _OWN,
    ),
    Term(
        "certificate",
        "Certificate",
        "A JSON file that says how weights and tokens were drawn and which rows and columns make an invertible "
        "minor. `seprank check-certificate` evaluates it again by another road (docs/certificate.md).",
        _OWN,
    ),
    Term(
        "valid",
        "Valid",
        "yes: proved for this case. no: refuted for this case by a proved bound of the other kind. unknown: neither.",
        _OWN,
    ),
)
