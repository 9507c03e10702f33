"""The two softmax pieces of the input Jacobian are not equally large.   Source: noci2022signal, Lemma 3.1 (input)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_draws import Layer, mean_and_error, tokens, weights
from proofs_check.plain.signal_formulas import input_given, moments, printed_input_bound
from proofs_check.signal_propagation._results import all_numbers
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.lemma3.1.input",
    title="Lemma 3.1, input: the second softmax piece is not as large as the first; the printed bound fails near "
    "collapse",
    statement=r"Printed: with $\partial S/\partial X=A_1+A_2+A_3$, $\mathbb E\|A_2\|^2=\mathbb E\|A_1\|^2$ since "
    r"$K_{n,n}$ is "
    r"orthogonal, hence $\mathbb E\|\partial S/\partial X\|^2\le8\,\mathbb E\|A_1\|^2+2\,\mathbb E\|A_3\|^2$. Mended: "
    r"$\mathbb E\|\partial S/\partial X\|_F^2=dd_v\sigma_v^2[1+\sigma_k^4(\frac{\|B\|^2}n+\frac{2\|B\|^2}{dn^2}+"
    r"\frac{\|X\|^2\mathrm{tr}B}{n^2})]$, $B=X^\top X-n\bar x\bar x^\top$, "
    r"$\frac{\mathbb E\|A_2\|^2}{\mathbb E\|A_1\|^2}=\frac{\|X\|^2\mathrm{tr}B}{n\|B\|^2}$, without bound near "
    r"collapse.",
    source="noci2022signal, Lemma 3.1 (input) and its proof",
    scope="uniform attention; pieces as Kronecker products with weights drawn, and the softmax path of the softmax "
    "layer "
    "at vanishing WQ by differentiation; rho = 0 to 0.99, within 5 standard errors",
    expected=Verdict.CORRECTED,
    paper="SP",
    note="K drops out only at the end of a product; here it stands inside one, and turns I (x) PXX^TP into PXX^TP "
    "(x) I. "
    "The constants of the printed bound are not in our text; 8 and 2 are what its argument gives. No constant before "
    "||B||^2 repairs it, since A2 is of the first order in B. That collapse leaves the input gradient alive stays "
    "true.",
)


class Case(NamedTuple):
    """Sizes, weight draws; the pieces, or only the softmax path A1 + A2 of the softmax layer."""

    layer: Layer
    draws: int
    path: bool = False


def cases(level: str) -> Iterable[Case]:
    """From independent to nearly equal tokens."""
    more = 5 if level == "full" else 1
    yield Case(Layer(4, 6, 6, 6), 400 * more)
    yield Case(Layer(8, 6, 6, 6, 0.9), 200 * more)
    yield Case(Layer(8, 16, 16, 16, 0.95, 4.0), 200 * more)
    yield Case(Layer(4, 6, 3, 5, 0.5), 400 * more, path=True)
    yield Case(Layer(8, 6, 6, 6, 0.9), 400 * more, path=True)
    if level == "full":
        yield Case(Layer(8, 16, 16, 16, 0.95), 300)
        yield Case(Layer(8, 16, 16, 16, 0.99, 4.0), 300)


@cache
def _tokens(case: Case) -> np.ndarray:
    return tokens(case.layer, 1, 51)[0]


def by_draws(case: Case) -> tuple[Estimate, ...]:
    """Kronecker products and their norms, or the softmax layer by differentiation."""
    matrices = weights(case.layer, case.draws, 51)
    X = _tokens(case)
    if case.path:
        from proofs_check.plain.signal_autodiff import softmax_path

        return (Estimate(*mean_and_error(softmax_path(np.broadcast_to(X, (case.draws, *X.shape)), *matrices))),)
    from proofs_check.plain.signal_kronecker import input_pieces

    samples = []
    for Q, K, V in zip(*matrices, strict=True):
        first, second, third = input_pieces(X, Q, K, V)
        norms = [float((piece**2).sum()) for piece in (first, second, third, first + second + third)]
        samples.append([*norms[:3], 2 * float((first * second).sum()), norms[3]])
    return tuple(Estimate(*mean_and_error(column)) for column in np.array(samples).T)


def by_formula(case: Case) -> tuple[Estimate, ...]:
    """The library's pieces."""
    from seprank.signal.expectations import expected_input_norm
    from seprank.signal.sizes import LayerSizes

    layer = case.layer
    found = expected_input_norm(_tokens(case), LayerSizes(layer.d, layer.dk, layer.dv))
    if case.path:
        return (Estimate(found.A1 + found.A2 + found.cross),)
    return tuple(map(Estimate, (found.A1, found.A2, found.A3, found.cross, found.total)))


def roads() -> Mapping[str, Road]:
    """||A1||^2, ||A2||^2, ||A3||^2, 2<A1, A2> and the total, or ||A1 + A2||^2, by draws and in closed form."""
    return {"Kronecker products or differentiation, weights drawn": by_draws, "library": by_formula}


def agree(case: Case, first: tuple[Estimate, ...], other: tuple[Estimate, ...]) -> bool:
    """Every number within 5 standard errors."""
    return all(a.agrees(b) for a, b in zip(first, other, strict=True))


def _numbers(case: Case, equal: bool = False, centred_inside: bool = False) -> tuple[float, ...]:
    m = moments(_tokens(case))
    pieces = input_given(case.layer, m)
    if equal:
        pieces = pieces._replace(second=pieces.first)
    if centred_inside:  # ||X^T X||^2 where ||X||^2 tr B stands
        pieces = pieces._replace(second=pieces.second * m.uncentred / (m.norm * m.trace))
    total = sum(pieces)
    return (total - pieces.third,) if case.path else (*pieces, total)


holds = all_numbers(_numbers)


def _bound_holds(case: Case, result: tuple[Estimate, ...]) -> bool:
    total, least = result[-1], 0.0 if not case.path else float(case.layer.d)
    return total.value + least <= printed_input_bound(case.layer, moments(_tokens(case))) + 5 * total.error


def printed(case: Case, result: tuple[Estimate, ...]) -> bool:
    """The printed bound, and the equality behind it where the pieces are measured."""
    equal = case.path or result[0].agrees(result[1])
    return equal and _bound_holds(case, result)


def mutants() -> Mapping[str, Claim]:
    """The printed argument, its bound, and another trace."""
    return {
        "A2 as large as A1": all_numbers(lambda case: _numbers(case, equal=True)),
        "8 ||A1||^2 + 2 ||A3||^2 is an upper bound": _bound_holds,
        "||X^T X||^2 in place of ||X||^2 tr B": all_numbers(lambda case: _numbers(case, centred_inside=True)),
    }
