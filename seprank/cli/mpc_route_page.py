"""What `seprank mpc route` prints."""

from __future__ import annotations

import math
from dataclasses import dataclass

from seprank.cli.output import to_json
from seprank.parallel.codebook import Codebook, rows_for_all_patterns
from seprank.parallel.routing import Delivery, Outboxes, misrouted


@dataclass(frozen=True, eq=False)
class Page:
    """A delivery with what was sent."""

    book: Codebook
    pattern: str
    payload: int
    words: int
    dtype: str
    outboxes: Outboxes
    found: Delivery

    @property
    def wrong(self) -> list[int]:
        """Machines whose inbox is not what was sent to them."""
        return misrouted(self.outboxes, self.found)

    @property
    def certified(self) -> bool:
        """Whether every key scores at most 1/2 at machines that it does not name."""
        return self.found.worst_score <= 0.5

    def json(self) -> str:
        """Schema `seprank.mpc.route/1`."""
        book, found = self.book, self.found
        score = found.worst_score
        return to_json(
            {
                "schema": "seprank.mpc.route/1",
                "machines": book.machines,
                "beta": book.fan_in,
                "words": self.words,
                "payload": self.payload,
                "pattern": self.pattern,
                "messages": sum(map(len, self.outboxes)),
                "dtype": self.dtype,
                "seed": book.seed,
                "dimension": book.dimension,
                "rows": book.rows,
                "rows_for_all_patterns": rows_for_all_patterns(book.machines, book.fan_in),
                "buckets": book.buckets,
                "query_width": found.query_width,
                "value_width": found.value_width,
                "temperature": found.temperature,
                "worst_score": score if math.isfinite(score) else None,
                "certified": self.certified,
                "wrong": self.wrong,
                "flagged": list(found.flagged),
                "worst_deviation": found.deviation,
            }
        )

    def text(self) -> str:
        """A few lines for people."""
        book, found = self.book, self.found
        score = f"{found.worst_score:.3f}" if math.isfinite(found.worst_score) else "none"
        margin = "at most 1/2: certified" if self.certified else "above 1/2: NOT certified"
        every = rows_for_all_patterns(book.machines, book.fan_in)
        return "\n".join(
            [
                f"{sum(map(len, self.outboxes))} messages ({self.pattern}) among {book.machines} machines, "
                f"at most {book.fan_in} sent or received by one, {self.dtype}",
                f"width:           queries and keys {found.query_width}, values {found.value_width}",
                f"hash tables:     {book.rows} of {book.buckets} buckets ({every} would serve every pattern at once)",
                f"temperature:     {found.temperature:.2f}",
                f"worst score:     {score} of a machine that is no destination ({margin})",
                f"worst deviation: {found.deviation:.1e} of a rounding, limit 0.5",
                f"flags raised:    {_listed(found.flagged)}",
                f"wrong receivers: {_listed(self.wrong)}",
            ]
        )


def _listed(machines: list[int] | tuple[int, ...]) -> str:
    names = ", ".join(map(str, machines[:10])) + (", ..." if len(machines) > 10 else "")
    return f"{len(machines)} ({names})" if machines else "0"
