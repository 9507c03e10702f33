"""`seprank rank --variant`: the exact rank of another kind of network, with the upper bounds that hold for it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from seprank.cli.output import emit
from seprank.cli.variant_options import variant_from


def measure_variant(
    name: str,
    given: Mapping[str, Any],
    *,
    method: str | None,
    prime: int | None,
    seed: int,
    points: int | None,
    confirm: bool,
    fmt: str,
    output: Path | None,
    threads: int | None,
) -> None:
    """Measure the variant `name` with the sizes `given` and print the result; errors as `variant_from` and
    `variant_rank`."""
    from seprank.cli import variant_page
    from seprank.cli.progress import announce, progress_bar
    from seprank.field.kernels import thread_limit
    from seprank.field.primes import DEFAULT_PRIME
    from seprank.variants.measure import confirmed_variant, variant_rank

    variant = variant_from(name, given)
    limit = nullcontext() if threads is None else thread_limit(threads)
    with limit, progress_bar("evaluating", "eliminating") as progress:
        result = variant_rank(
            variant,
            prime=DEFAULT_PRIME if prime is None else prime,
            seed=seed,
            method=method,
            points=points,
            progress=progress,
            announce=announce,
        )
        again = confirmed_variant(result, progress) if confirm else None
    emit(variant_page.text(result, again, fmt, None if output is None else False), output)
