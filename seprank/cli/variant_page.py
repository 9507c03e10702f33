"""The result of `seprank rank --variant` as text: table, JSON, CSV, LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from seprank.cli.output import to_csv, to_json
from seprank.separation.room import short_count
from seprank.variants.limits import upper_bounds

if TYPE_CHECKING:
    from seprank.variants.measure import VariantRank

_LONGEST = 10**4000  # numbers beyond are left out


def text(result: VariantRank, again: VariantRank | None, fmt: str, for_terminal: bool | None) -> str:
    """A measured rank, and a second measurement to compare with if there is one, in the format asked for."""
    if fmt == "json":
        return to_json(document(result, again))
    if fmt == "csv":
        return to_csv([summary(result, again)])
    from seprank.cli.tables import to_table
    from seprank.tabular import to_latex

    rows = list(_parts(result)) if result.method == "blocks" else [summary(result, again)]
    if fmt == "latex":
        return to_latex(rows, f"Separation rank, {_sizes(result)}: {result.rank} ({result.status}).")
    parts = [*_heading(result), ""]
    if result.method == "blocks":
        parts += [to_table(rows, for_terminal=for_terminal).rstrip("\n"), ""]
    parts += [f"rank: {result.rank}", f"status: {result.status}", *_comparison(result, again), ""]
    parts += [to_table(list(_bounds(result)), for_terminal=for_terminal).rstrip("\n")]
    return "\n".join(parts) + "\n"


def document(result: VariantRank, again: VariantRank | None) -> dict[str, Any]:
    """The schema ``seprank.variant-rank/1``."""
    variant, best = result.variant, result.best_upper
    found: dict[str, Any] = {
        "schema": "seprank.variant-rank/1",
        "variant": variant.name,
        "parameters": dict(variant.parameters),
        "order": variant.order,
        "partition": {"NA": variant.partition.NA, "NB": variant.partition.NB},
        "method": result.method,
        "rank": result.rank,
        "status": result.status,
        "blocks": _documented_parts(result) if result.method == "blocks" else None,
        "bounds": [
            {"id": bound.id, "value": _whole(bound.value), "holds": bound.holds, "scope": bound.scope}
            for bound in upper_bounds(variant)
        ],
        "best_upper": None if best is None else {"id": best.id, "value": _whole(best.value)},
        "certified_exact": result.certified_exact,
        "prime": result.prime,
        "seed": result.seed,
        "points": result.points,
        "seconds": round(result.seconds, 6),
    }
    if again is not None:
        agrees = again.rank == result.rank
        found["confirm"] = {"prime": again.prime, "seed": again.seed, "rank": again.rank, "agrees": agrees}
    return found


def summary(result: VariantRank, again: VariantRank | None) -> dict[str, object]:
    """One row with everything but the blocks."""
    variant, best = result.variant, result.best_upper
    sizes = {name: _shown(value) for name, value in variant.parameters.items()}
    row: dict[str, object] = {
        "variant": variant.name,
        **sizes,
        "order": variant.order,
        "NA": variant.partition.NA,
        "NB": variant.partition.NB,
        "method": result.method,
        "prime": result.prime,
        "seed": result.seed,
        "points": result.points,
        "rank": result.rank,
        "best_upper": None if best is None else best.id,
        "best_upper_value": None if best is None else _whole(best.value),
        "certified_exact": result.certified_exact,
        "seconds": round(result.seconds, 3),
    }
    return row | ({} if again is None else {"confirm_rank": again.rank})


def _documented_parts(result: VariantRank) -> list[dict[str, Any]]:
    grading = result.variant.grading
    degrees = grading.degrees() if grading is not None else ()
    return [
        {"k": piece.k, "degree_B": degree, "rank": piece.rank, "bound": _whole(piece.bound), "by": piece.bound_id}
        for piece, degree in zip(result.pieces, degrees, strict=True)
    ]


def _parts(result: VariantRank) -> Iterable[dict[str, object]]:
    for part in _documented_parts(result):
        yield {
            "block k": part["k"],
            "degree in B": part["degree_B"],
            "rank": part["rank"],
            "bound": "" if part["bound"] is None else short_count(part["bound"]),
            "by": part["by"] or "",
            "met": "yes" if part["rank"] == part["bound"] else "no",
        }


def _bounds(result: VariantRank) -> Iterable[dict[str, object]]:
    listed = upper_bounds(result.variant)
    for bound in listed:
        value = _whole(bound.value)
        yield {
            "upper bound": bound.id,
            "value": "" if value is None else short_count(value),
            "holds": "yes" if bound.holds else "no",
            "scope": bound.scope,
        }
    best = result.best_upper
    if best is not None and all(bound.id != best.id for bound in listed):
        yield {"upper bound": best.id, "value": str(best.value), "holds": "yes", "scope": best.scope}


def _heading(result: VariantRank) -> list[str]:
    points = f"{result.points} points per side, {result.seconds:.2f} s"
    return [_sizes(result), f"method {result.method}, modulo {result.prime}, seed {result.seed}, {points}"]


def _sizes(result: VariantRank) -> str:
    variant = result.variant
    sizes = ", ".join(f"{name.replace('_', '-')} = {_shown(value)}" for name, value in variant.parameters.items())
    order = "" if variant.order is None else f"order {variant.order}, "
    return f"{variant.name}: {sizes}; {order}NA = {variant.partition.NA}, NB = {variant.partition.NB}"


def _comparison(result: VariantRank, again: VariantRank | None) -> list[str]:
    if again is None:
        return []
    verdict = "the same" if again.rank == result.rank else "NOT the same: the larger is the better lower bound"
    return [f"confirmed with seed {again.seed} modulo {again.prime}: rank {again.rank}, {verdict}"]


def _shown(value: object) -> object:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else value


def _whole(value: int | None) -> int | None:
    return None if value is None or value >= _LONGEST else value
