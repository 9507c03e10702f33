"""From what was watched, and the gradients, to one row a layer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from torch import Tensor

from seprank.signal.probe_sites import Projection
from seprank.signal.probe_statistics import wide
from seprank.signal.probe_table import LayerProbe
from seprank.signal.probe_watch import Record, check_finite

Gradients = Mapping[int, Tensor | None]
KINDS = ("query", "key", "value")


def layer_rows(records: Sequence[Record], gradients: Gradients) -> tuple[LayerProbe, ...]:
    """The rows, in the order of `records`; `gradients` by the id of the weight."""
    return tuple(_row(number, record, gradients) for number, record in enumerate(records, 1))


def _row(number: int, record: Record, gradients: Gradients) -> LayerProbe:
    site, seen = record.site, [seen for seen in record.logits if seen is not None]
    where = f"{number} ({site.name or type(site.module).__name__})"
    norms = {
        f"{kind}_gradient": gradient_norm(
            part, gradients, f"the gradient of the {kind} weight of attention layer {where}"
        )
        for kind, part in zip(KINDS, site.projections, strict=True)
    }
    first, last = record.tokens[0], seen[-1] if seen else None
    rows = sum(one.statistics.rows for one in seen)
    return LayerProbe(
        layer=number,
        name=site.name,
        n=first.n,
        d=first.d,
        heads=site.heads if last is None or last.heads is None else last.heads,
        calls=len(record.tokens),
        cosine=mean(one.cosine for one in record.tokens),
        effective_rank=mean(one.effective_rank for one in record.tokens),
        stable_rank=mean(one.stable_rank for one in record.tokens),
        norm=sum(one.norm for one in record.tokens) / len(record.tokens),
        **norms,
        logit_std=mean(one.statistics.std for one in seen),
        attention_entropy=sum(one.statistics.entropy for one in seen) / rows if rows else None,
        uniform_entropy=sum(one.statistics.uniform for one in seen) / rows if rows else None,
        mask=last.mask if last else "unknown",
        logits=last.source if last else "unknown",
    )


def gradient_norm(part: Projection, gradients: Gradients, what: str) -> float | None:
    """The Frobenius norm of the rows of a gradient that belong to one projection; None where there is no gradient."""
    gradient = gradients.get(id(part.weight))
    if gradient is None:
        return None
    rows = part.part(gradient)
    check_finite(rows, what)
    return float(wide(rows).norm())


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of those that are not None."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
