"""The authors' errors are not those of the models without dropout.   Source: docs/parallel.md, dropout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.parallel_computation._table import cells
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.hop-dropout",
    title="The published errors were measured with dropout on; without it they are up to 20 points smaller",
    statement=r"The published models of depths 2 to 5 with 4 heads, dropout 0.1 switched off, have far smaller "
    r"errors than "
    r"the authors' file: at depth 3, $k=4$: 4.5 % against 15.0 %; at depth 5, $k=12$: 4.0 % against 21.8 %.",
    source="docs/parallel.md, dropout; data: sanford2024log, Figure 2, and an evaluation of the published weights",
    scope="68 cells (depths 2 to 5, k = 0..16), counts on 200 strings against counts on 100; the evaluation itself is "
    "data of this project, not repeated here",
    expected=Verdict.HOLDS,
    paper="PC",
    note="With dropout on the same forward pass gives the file: 68 cells, median difference 0.3 points, largest "
    "4.4. The "
    "weights are not part of this project, so this run compares the two tables only.",
)


def cases(level: str) -> Iterable[int]:
    """Depths."""
    return (2, 3, 4, 5)


def _points(with_dropout: tuple[int, int], without: tuple[int, int]) -> int:
    """The difference in hundredths of a point, rounded down."""
    (a, n), (b, m) = with_dropout, without
    return 10_000 * (a * m - b * n) // (n * m)


def by_library(depth: int) -> Result:
    """From the package's tables."""
    from seprank.parallel.measured import authors_errors, errors_without_dropout

    chosen = [row for row in authors_errors() if (row.depth, row.heads, row.samples) == (depth, 4, -1)]
    off = {row.k: row for row in errors_without_dropout() if row.depth == depth}
    return tuple(_points((row.wrong, row.scored), (off[row.k].wrong, off[row.k].scored)) for row in chosen)


def by_hand(depth: int) -> Result:
    """From the files, line by line."""
    on, off = cells("authors_errors.csv"), cells("without_dropout.csv")
    return tuple(_points(on[depth, 4, -1, k], off[depth, 4, -1, k]) for k in range(17))


def roads() -> Mapping[str, Road]:
    """Error with dropout less error without, in hundredths of a point, k = 0..16."""
    return {"library": by_library, "files": by_hand}


def holds(depth: int, result: Result) -> bool:
    """Some cell differs by more than 10 points from depth 3 on; no cell is better with dropout by more than a point."""
    return min(result) > -100 and (depth == 2 or max(result) > 1000)


def mutants() -> Mapping[str, Claim]:
    """No difference, or one everywhere."""
    return {
        "the file is the error without dropout, to within 5 points": lambda depth, result: max(result) < 500,
        "every cell differs by more than 10 points": lambda depth, result: min(result) > 1000,
    }
