"""`seprank rank`: the exact rank of the network's value matrix, a certified lower bound on the separation rank."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from seprank.cli.options import (
    WholeNumber,
    architecture_from,
    architecture_options,
    output_options,
    partition_from,
    partition_options,
    threads_option,
)
from seprank.cli.output import check_output, emit
from seprank.cli.variant_options import refuse_variant_options, variant_options
from seprank.errors import InvalidInput


@click.command()
@architecture_options(required=False)
@partition_options()
@variant_options()
@click.option(
    "--method",
    type=click.Choice(["blocks", "full", "grid", "derivative"]),
    help="One rank for every bidegree block, one matrix, the literal grid tensor, or derivatives (long input)."
    "  [default: blocks, or derivative for large ones where it is much cheaper; full with --residual]",
)
@click.option("--prime", type=WholeNumber(2), metavar="P", help="Prime at most 2147483647.  [default: 4194301]")
@click.option("--seed", type=WholeNumber(0), default=0, metavar="S", show_default=True, help="Seed of all draws.")
@click.option(
    "--points",
    type=WholeNumber(),
    metavar="R",
    help="Most assignments sampled per side (templates for the grid).  [default: a few more than the upper bound]",
)
@click.option("--confirm", is_flag=True, help="Repeat with another seed and prime, and compare.")
@click.option("--certificate", type=click.Path(path_type=Path), metavar="FILE", help="Write a certificate to FILE.")
@output_options("table", "json", "csv", "latex")
@threads_option()
def command(
    L: int | None,
    dx: int | None,
    H: int | None,
    da: int | None,
    residual: bool,
    N: int | None,
    NA: int | None,
    NB: int | None,
    variant: str | None,
    method: str | None,
    prime: int | None,
    seed: int,
    points: int | None,
    confirm: bool,
    certificate: Path | None,
    fmt: str,
    output: Path | None,
    threads: int | None,
    **own: Any,
) -> None:
    """Exact rank of the grid-tensor matricization modulo a prime, beside the proved upper bounds.

    The rank is a lower bound on the separation rank of almost every network of these sizes. Where it meets a proved
    upper bound it is the exact value, with no probability in it. Without --N, --NA and --NB there are dx tokens on
    each side, the shortest long input.

    \b
    seprank rank --L 2 --dx 8 --H 2
    seprank rank --L 3 --dx 4
    seprank rank --L 2 --dx 3 --NA 1 --NB 4 --certificate out.json
    seprank rank --variant causal --L 2 --dx 2 --order ABAB
    """
    if variant is not None:
        from seprank.cli.variant_rank import measure_variant

        sizes = {"L": L, "dx": dx, "H": H, "da": da, "residual": residual, "N": N, "NA": NA, "NB": NB}
        own |= {"certificate": certificate}
        measure_variant(
            variant,
            sizes | own,
            method=method,
            prime=prime,
            seed=seed,
            points=points,
            confirm=confirm,
            fmt=fmt,
            output=output,
            threads=threads,
        )
        return
    refuse_variant_options(own)
    arch = architecture_from(L, dx, H, da, residual)
    partition = partition_from(N, NA, NB)
    _check_certificate_path(certificate, output)

    from seprank.cli import rank_page
    from seprank.cli.progress import announce, progress_bar
    from seprank.field.kernels import thread_limit
    from seprank.field.primes import DEFAULT_PRIME
    from seprank.separation.measure import confirmed, measured
    from seprank.separation.plan import plan_rank

    prime = DEFAULT_PRIME if prime is None else prime
    with nullcontext() if threads is None else thread_limit(threads):
        plan = plan_rank(arch, partition, prime=prime, seed=seed, method=method, points=points)
        announce(plan.seconds * (2 if confirm else 1))
        with progress_bar("evaluating", "eliminating") as progress:
            result = measured(plan, progress)
            again = confirmed(result, progress) if confirm else None
    text = rank_page.text(result, again, fmt, None if output is None else False)
    if certificate is not None:
        from seprank.separation.certificate import certificate as certificate_of
        from seprank.separation.certificate import certificate_text

        emit(certificate_text(certificate_of(result)), certificate)
    emit(text, output)


def _check_certificate_path(certificate: Path | None, output: Path | None) -> None:
    """Refuse a certificate that cannot be written, or that would end up where the result goes."""
    if certificate is None:
        return
    if str(certificate) == "-":
        raise InvalidInput("certificate must be a file, got '-': standard output is for the result")
    if output is not None and certificate.resolve() == output.resolve():
        raise InvalidInput(f"certificate and output must be two files, got {str(certificate)!r} for both")
    try:
        check_output(certificate)
    except InvalidInput as error:
        raise InvalidInput(str(error).replace("output must", "certificate must", 1)) from None
