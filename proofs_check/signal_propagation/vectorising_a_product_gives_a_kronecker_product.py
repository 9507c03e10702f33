"""vec_r(A X B) = (A (x) B^T) vec_r(X).   Source: noci2022signal, eq. 20."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.signal_propagation._results import Matrix, is_matrix, same_matrix
from proofs_check.signal_propagation._shapes import IDENTITY
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.eq20",
    title="Row-wise vectorisation: the Jacobian of A X B by X is A (x) B^T",
    statement=r"$\mathrm{vec}_r(AXB)=(A\otimes B^\top)\,\mathrm{vec}_r(X)$, hence $\partial(AXB)/\partial X=A\otimes "
    r"B^\top$.",
    source="noci2022signal, eq. 20",
    scope=f"random matrices of four shapes, {IDENTITY}",
    expected=Verdict.HOLDS,
    paper="SP",
    note="The display is not in our text of the paper; it is the rule that the prose names.",
)


class Shape(NamedTuple):
    """A is a x b, X is b x c, B is c x e."""

    a: int
    b: int
    c: int
    e: int
    seed: int = 0


def cases(level: str) -> Iterable[Shape]:
    """Square and unequal shapes."""
    for sizes in ((3, 3, 3, 3), (2, 3, 4, 5), (1, 4, 2, 3), (5, 2, 2, 1)):
        yield from (Shape(*sizes, seed) for seed in range(5 if level == "full" else 1))


def _draw(case: Shape) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng([case.seed, 20])
    return draw.standard_normal((case.a, case.b)), draw.standard_normal((case.c, case.e))


def by_unit_matrices(case: Shape) -> Matrix:
    """Column by column: the product for every unit matrix X."""
    A, B = _draw(case)
    columns = [np.outer(A[:, i], B[j]).reshape(-1) for i in range(case.b) for j in range(case.c)]
    return Matrix(np.stack(columns, axis=1))


def by_autodiff(case: Shape) -> Matrix:
    """torch differentiates A X B."""
    from proofs_check.plain.signal_autodiff import one_thread

    A, B = _draw(case)
    with one_thread() as torch:
        left, right = torch.from_numpy(A), torch.from_numpy(B)
        X = torch.zeros(case.b, case.c, dtype=torch.float64)
        found = torch.func.jacrev(lambda x: (left @ x @ right).reshape(-1))(X)
        return Matrix(found.reshape(case.a * case.e, -1).numpy())


def roads() -> Mapping[str, Road]:
    """The Jacobian, twice."""
    return {"unit matrices": by_unit_matrices, "reverse-mode differentiation": by_autodiff}


agree = same_matrix
holds = is_matrix(lambda case: np.kron(_draw(case)[0], _draw(case)[1].T))


def mutants() -> Mapping[str, Claim]:
    """Rules of other conventions."""
    return {
        "B^T (x) A, the rule of column-wise vectorisation": is_matrix(
            lambda case: np.kron(_draw(case)[1].T, _draw(case)[0])
        ),
        "A (x) B, not transposed": is_matrix(lambda case: np.kron(*_draw(case))),
    }
