"""The result of `seprank rank` as text: table, JSON, CSV, LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from seprank.cli.bound_page import VALID, in_order
from seprank.cli.numbers import short_real
from seprank.cli.output import to_csv, to_json

if TYPE_CHECKING:
    from seprank.separation.result import Piece, RankResult

_WEIGHTS = {
    "torus": "antidiagonal links",
    "signs": "diagonal links",
    "pairs": "links in pairs of coordinates",
    "none": "generic weights",
    "unseen": "layer 1 reading single entries",
}


def text(result: RankResult, again: RankResult | None, fmt: str, for_terminal: bool | None) -> str:
    """A measured rank, and a second measurement to compare with if there is one, in the format asked for."""
    if fmt == "json":
        return to_json(document(result, again))
    if fmt == "csv":
        return to_csv([summary(result, again)])
    from seprank.cli.tables import to_table
    from seprank.tabular import to_latex

    rows = list(_blocks(result)) if result.blocks is not None else [summary(result, again)]
    if fmt == "latex":
        return to_latex(rows, f"Separation rank, {_sizes(result)}: {result.rank} ({result.status}).")
    parts = [*_heading(result), ""]
    if result.blocks is not None:
        parts += [to_table(rows, for_terminal=for_terminal).rstrip("\n"), ""]
    parts += [f"rank: {result.rank}", f"status: {result.status}", *_comparison(result, again), ""]
    parts += [to_table(list(_bounds(result)), for_terminal=for_terminal).rstrip("\n")]
    return "\n".join(parts) + "\n"


def document(result: RankResult, again: RankResult | None) -> dict[str, Any]:
    """The schema ``seprank.rank/1``."""
    partition = result.partition
    found: dict[str, Any] = {
        "schema": "seprank.rank/1",
        "architecture": result.architecture.as_dict(),
        "partition": {"NA": partition.NA, "NB": partition.NB},
        "method": result.method,
        "rank": result.rank,
        "status": result.status,
        "blocks": None if result.blocks is None else [_block_document(piece) for piece in result.blocks],
        "gram_bound": result.gram_bound,
        "best_upper": {"id": result.best_upper.id, "value": result.best_upper_value},
        "certified_exact": result.certified_exact,
        "prime": result.prime,
        "seed": result.seed,
        "points": result.points,
        "seconds": round(result.seconds, 6),
    }
    if again is not None:
        found["confirm"] = {
            "prime": again.prime,
            "seed": again.seed,
            "rank": again.rank,
            "agrees": again.rank == result.rank,
        }
    return found


def summary(result: RankResult, again: RankResult | None) -> dict[str, object]:
    """One row with everything but the blocks."""
    row: dict[str, object] = {
        **result.architecture.as_dict(),
        "NA": result.partition.NA,
        "NB": result.partition.NB,
        "method": result.method,
        "prime": result.prime,
        "seed": result.seed,
        "points": result.points,
        "rank": result.rank,
        "gram_bound": result.gram_bound,
        "best_upper": result.best_upper.id,
        "best_upper_value": result.best_upper_value,
        "certified_exact": result.certified_exact,
        "seconds": round(result.seconds, 3),
    }
    return row | ({} if again is None else {"confirm_rank": again.rank})


def _block_document(piece: Piece) -> dict[str, object]:
    found: dict[str, object] = {"k": piece.k, "rank": piece.rank, "bound": piece.bound, "bound_id": piece.bound_id}
    return found if piece.source is None else found | {"weights": piece.weights, "source": piece.source}


def _blocks(result: RankResult) -> Iterable[dict[str, object]]:
    for piece in result.blocks or ():
        row: dict[str, object] = {
            "block k": piece.k,
            "rank": piece.rank,
            "bound": piece.bound,
            "by": piece.bound_id or "",
            "met": "yes" if piece.rank == piece.bound else "no",
        }
        yield row if piece.source is None else row | {"how": _how(piece)}


def _how(piece: Piece) -> str:
    """How the method derivative decided a block."""
    if piece.source != piece.k:
        return f"follows from block {piece.source}"
    return f"measured, {_WEIGHTS.get(piece.weights, piece.weights)}" if piece.weights else "not measured"


def _bounds(result: RankResult) -> Iterable[dict[str, object]]:
    for bound in in_order(result.report):
        yield {
            "bound": bound.id,
            "kind": bound.kind,
            "log3": short_real(bound.log3),
            "value": "" if bound.value is None else str(bound.value),
            "valid": VALID[bound.valid],
        }


def _sizes(result: RankResult) -> str:
    arch = result.architecture
    skip = ", with skip connections" if arch.residual else ""
    tokens = f"NA = {result.partition.NA}, NB = {result.partition.NB}"
    return f"L = {arch.L}, dx = {arch.dx}, H = {arch.H}, da = {arch.da}{skip}; {tokens}"


def _heading(result: RankResult) -> list[str]:
    points = {"grid": f"{result.points} templates", "derivative": "no sampling"}.get(
        result.method, f"{result.points} points per side"
    )
    return [
        _sizes(result),
        f"method {result.method}, modulo {result.prime}, seed {result.seed}, {points}, {result.seconds:.2f} s",
    ]


def _comparison(result: RankResult, again: RankResult | None) -> list[str]:
    if again is None:
        return []
    verdict = "the same" if again.rank == result.rank else "NOT the same: the larger is the better lower bound"
    return [f"confirmed with seed {again.seed} modulo {again.prime}: rank {again.rank}, {verdict}"]
