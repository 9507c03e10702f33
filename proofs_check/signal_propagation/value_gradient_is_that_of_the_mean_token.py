"""The value Jacobian has the squared norm dv n ||mean||^2.   Source: noci2022signal, Lemma 3.1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_draws import Arrays, Layer, tokens, weights
from proofs_check.plain.signal_formulas import moments, values_given
from proofs_check.signal_propagation._results import ROUNDING, is_number
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.lemma3.1.values",
    title="Lemma 3.1, values: E ||dS/dWV||^2 = dv n ||mean token||^2",
    statement=r"Under uniform attention $\mathbb E\|\partial S/\partial W_V\|_F^2=d_vn\,\mathbb E\|\bar x\|^2$.",
    source="noci2022signal, Lemma 3.1 (values)",
    scope="the softmax layer at WQ = 0, where attention is exactly uniform; six sizes, to 1e-11, relative",
    expected=Verdict.HOLDS,
    paper="SP",
)


def cases(level: str) -> Iterable[tuple[Layer, int]]:
    """Sizes with a seed; both ends of the correlation."""
    sizes = (
        Layer(4, 6, 6, 6),
        Layer(4, 6, 3, 5, 0.5),
        Layer(8, 16, 16, 16, 0.5),
        Layer(3, 2, 4, 7, -0.4, 2.0),
        Layer(2, 5, 5, 1, 1.0),
        Layer(8, 6, 6, 6, 0.0, 4.0),
    )
    yield from ((layer, seed) for layer in sizes for seed in range(4 if level == "full" else 1))


def _draw(case: tuple[Layer, int]) -> Arrays:
    layer, seed = case
    Q, K, V = (W[0] for W in weights(layer, 1, seed))
    return tokens(layer, 1, seed)[0], 0 * Q, K, V


def by_autodiff(case: tuple[Layer, int]) -> Estimate:
    """torch differentiates the softmax layer at WQ = 0."""
    from proofs_check.plain.signal_autodiff import jacobian

    return Estimate(float((jacobian("value", *_draw(case)) ** 2).sum()))


def by_formula(case: tuple[Layer, int]) -> Estimate:
    """The library's closed form."""
    from seprank.signal.expectations import expected_value_norm
    from seprank.signal.sizes import LayerSizes

    layer, _ = case
    return Estimate(expected_value_norm(_draw(case)[0], LayerSizes(layer.d, layer.dk, layer.dv)))


def roads() -> Mapping[str, Road]:
    """The squared norm, twice."""
    return {"reverse-mode differentiation": by_autodiff, "library": by_formula}


def agree(case: tuple[Layer, int], first: Estimate, other: Estimate) -> bool:
    """Equal up to rounding."""
    return first.agrees(other, relative=ROUNDING)


holds = is_number(lambda case: values_given(case[0], moments(_draw(case)[0])), ROUNDING)


def mutants() -> Mapping[str, Claim]:
    """All of the tokens, and no factor dv."""
    return {
        "dv ||X||^2": is_number(lambda case: case[0].dv * moments(_draw(case)[0]).norm, ROUNDING),
        "n ||mean||^2": is_number(lambda case: moments(_draw(case)[0]).mean, ROUNDING),
    }
