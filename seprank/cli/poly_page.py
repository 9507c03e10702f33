"""The result of `seprank poly` as text: for people, JSON, LaTeX, and a program for sympy."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seprank.attention.partition import Partition
from seprank.cli.output import to_json

if TYPE_CHECKING:
    from seprank.attention.polynomial import NetworkPolynomial
    from seprank.attention.weights import Weights

WIDTH = 92
SHOWN = 200  # terms of the text form; the other forms hold all
SHOWN_HEADS = 4
SHOWN_DEPTH = 3
_ODD = "not taken, an odd N needs --NA and --NB"
LATEX_TERMS = 4  # on a line; half as many with symbolic weights


@dataclass(frozen=True)
class Result:
    """A polynomial with what it was computed from; `weights` None stands for symbolic ones."""

    polynomial: NetworkPolynomial
    partition: Partition | None
    weights: Weights | None
    seed: int
    rank: int | None

    @property
    def name(self) -> str:
        """The name of the output entry, like ``y1_2`` (position, coordinate)."""
        return f"y{self.polynomial.position + 1}_{self.polynomial.entry + 1}"

    @property
    def variables(self) -> list[str]:
        """The names of all variables of the ring."""
        return [str(symbol) for symbol in self.polynomial.ring.symbols]


def text(result: Result, fmt: str) -> str:
    """The result in the format asked for."""
    if fmt == "json":
        return to_json(document(result))
    return {"text": _page, "latex": _latex, "sympy": _program}[fmt](result)


def document(result: Result) -> dict[str, Any]:
    """The schema ``seprank.poly/1``."""
    polynomial, partition, weights = result.polynomial, result.partition, result.weights
    matrices = None
    if weights is not None:
        matrices = dict(zip(("query", "key", "value", "output"), (array.tolist() for array in weights), strict=True))
    return {
        "schema": "seprank.poly/1",
        "architecture": polynomial.architecture.as_dict(),
        "N": polynomial.N,
        "partition": None if partition is None else {"NA": partition.NA, "NB": partition.NB},
        "p": polynomial.entry + 1,
        "weights": "symbolic" if weights is None else "random",
        "seed": None if weights is None else result.seed,
        "prime": polynomial.prime,
        "matrices": matrices,
        "degree": polynomial.degree,
        "monomials": polynomial.monomials,
        "rank": result.rank,
        "gram_factors": polynomial.architecture.C,
        "variables": result.variables,
        "polynomial": expression(result),
    }


def expression(result: Result) -> str:
    """All terms in sympy's syntax, highest first."""
    names = result.variables
    return _sum(_term(value, _powers(exponents, names)) for exponents, value in result.polynomial.terms())


def _page(result: Result) -> str:
    polynomial = result.polynomial
    degree = "none, the polynomial is zero" if polynomial.degree is None else str(polynomial.degree)
    facts = [f"degree: {degree}", f"monomials: {_monomials(result)}", f"rank: {_rank(result)}"]
    word = _wrapped(f"word form (Lemma 1): {_word(result)}", "  ")
    return "\n".join([*_heading(result), "", *facts, word, "", *_polynomial(result)]) + "\n"


def _heading(result: Result) -> list[str]:
    polynomial, partition = result.polynomial, result.partition
    arch = polynomial.architecture
    skip = ", with skip connections" if arch.residual else ""
    sides = "" if partition is None else f", NA = {partition.NA}, NB = {partition.NB}"
    over = "over the whole numbers" if polynomial.prime is None else f"modulo {polynomial.prime}"
    lines = [
        f"L = {arch.L}, dx = {arch.dx}, H = {arch.H}, da = {arch.da}{skip}; N = {polynomial.N}{sides}",
        f"{result.name}: entry {polynomial.entry + 1} of the output at position {polynomial.position + 1}, {over}",
    ]
    if result.weights is None:
        return [*lines, "weights: symbolic, Q, K, V, O with layer_head_row_column"]
    lines.append(f"weights: random, seed {result.seed}")
    if arch.L * arch.H > SHOWN_HEADS:
        return [*lines, f"  ({4 * arch.L * arch.H} matrices, listed with --format json)"]
    return lines + [
        f"  {matrix}{layer + 1}_{head + 1} = {array[layer, head].tolist()}"
        for layer in range(arch.L)
        for head in range(arch.H)
        for matrix, array in zip("QKVO", result.weights, strict=True)
    ]


def _monomials(result: Result) -> str:
    from seprank.attention.poly_size import token_monomials

    polynomial, total = result.polynomial, len(result.polynomial.value)
    most = token_monomials(polynomial.architecture, polynomial.N)
    terms = f"; {total} terms in tokens and weights" if result.weights is None else ""
    return f"{polynomial.monomials} in the tokens, of {most} that can occur{terms}"


def _rank(result: Result) -> str:
    if result.rank is not None:
        where = "" if result.polynomial.prime is None else f" modulo {result.polynomial.prime}"
        return f"{result.rank}, the separation rank of this polynomial for the two sides, exact{where}"
    if result.weights is None:
        return "not taken, the weights are symbolic"
    return "not taken, one position has no two sides" if result.polynomial.N == 1 else _ODD


def _word(result: Result) -> str:
    from seprank.attention.poly_words import word_form

    arch = result.polynomial.architecture
    if arch.residual:
        return "not for skip connections"
    if arch.L > SHOWN_DEPTH:
        return f"C = {arch.C} Gram factors (written out for L at most {SHOWN_DEPTH})"
    return str(word_form(arch.L))


def _polynomial(result: Result) -> list[str]:
    """The sum over token monomials with their coefficients, from the highest on, as far as `SHOWN` terms reach."""
    count, names = result.polynomial.token_variables, result.variables
    grouped: dict[tuple[int, ...], list[str]] = {}
    shown = 0
    for exponents, value in result.polynomial.terms():
        grouped.setdefault(exponents[:count], []).append(_term(value, _powers(exponents[count:], names[count:])))
    parts: list[str] = []
    for exponents, terms in grouped.items():
        if parts and shown + len(terms) > SHOWN:
            break
        shown += len(terms)
        factor = _powers(exponents, names[:count])
        parts.append(_times(terms, factor))
    lines = [f"{result.name} =", textwrap.indent(_wrapped(_sum(parts), ""), "  ")]
    left = len(grouped) - len(parts)
    if left:
        more = f"{left} more monomials" if result.weights is not None else f"{left} more token monomials"
        lines.append(f"  ... and {more}: --format json, latex or sympy prints all")
    return lines


def _times(terms: list[str], factor: str) -> str:
    """The terms of a coefficient, times a token monomial."""
    if not factor:
        return _sum(terms)
    if len(terms) > 1:
        return f"({_sum(terms)})*{factor}"
    return factor if terms[0] == "1" else f"-{factor}" if terms[0] == "-1" else f"{terms[0]}*{factor}"


def _program(result: Result) -> str:
    """Python that builds the polynomial on its ring; a dictionary, since Python compiles no sum this long."""
    prime = result.polynomial.prime
    domain = "ZZ" if prime is None else f"GF({prime}, symmetric=False)"
    terms = [f"    {exponents}: {value}," for exponents, value in result.polynomial.terms()]
    return "\n".join(
        [
            f"from sympy import {domain.partition('(')[0]}, grlex",
            "from sympy.polys.rings import PolyRing",
            "",
            f'R = PolyRing("{",".join(result.variables)}", {domain}, grlex)',
            "y = R.from_dict({",
            *terms,
            "})",
            "",
        ]
    )


def _latex(result: Result) -> str:
    names = [_latex_name(name) for name in result.variables]
    terms = [_latex_term(value, exponents, names) for exponents, value in result.polynomial.terms()] or ["0"]
    first = _latex_name(result.name)
    length = LATEX_TERMS // 2 if result.weights is None else LATEX_TERMS
    groups = [terms[start : start + length] for start in range(0, len(terms), length)]
    lines = [_sum(groups[0]), *(_continued(group) for group in groups[1:])]
    body = " \\\\\n  &\\quad ".join(lines)
    comments = [f"% {line}" for line in [*_heading(result)[:2], f"rank: {_rank(result)}"]]
    return "\n".join([*comments, "\\begin{align*}", f"  {first} &= {body}", "\\end{align*}", ""])


def _latex_name(name: str) -> str:
    """``x1_2`` as ``x_{1,2}``, and a weight ``Q1_2_3_4`` as ``Q^{(1,2)}_{3,4}``: layer and head, row and column."""
    numbers = name[1:].split("_")
    if len(numbers) == 2:
        return f"{name[0]}_{{{','.join(numbers)}}}"
    return f"{name[0]}^{{({','.join(numbers[:2])})}}_{{{','.join(numbers[2:])}}}"


def _latex_term(value: object, exponents: tuple[int, ...], names: list[str]) -> str:
    factors = []
    for name, exponent in zip(names, exponents, strict=True):
        if exponent:
            base = f"({name})" if "^" in name and exponent > 1 else name
            factors.append(base if exponent == 1 else f"{base}^{{{exponent}}}")
    return _term(value, " ".join(factors), " ")


def _powers(exponents: Iterable[int], names: list[str]) -> str:
    pairs = zip(names, exponents, strict=True)
    return "*".join(name if exponent == 1 else f"{name}**{exponent}" for name, exponent in pairs if exponent)


def _term(value: object, monomial: str, times: str = "*") -> str:
    if not monomial:
        return str(value)
    return monomial if value == 1 else f"-{monomial}" if value == -1 else f"{value}{times}{monomial}"


def _sum(terms: Iterable[str]) -> str:
    """The terms joined by signs; ``0`` without any."""
    return "".join(_signed(terms)) or "0"


def _signed(terms: Iterable[str]) -> Iterator[str]:
    for index, term in enumerate(terms):
        yield term if not index else f" - {term[1:]}" if term.startswith("-") else f" + {term}"


def _continued(terms: list[str]) -> str:
    """The terms with a sign before the first one too."""
    return "".join(_signed(["", *terms]))[1:]


def _wrapped(line: str, indent: str) -> str:
    return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
