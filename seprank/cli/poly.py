"""`seprank poly`: an output entry as an exact polynomial, with its separation rank by definition."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import click

from seprank.attention.partition import Partition
from seprank.cli.options import (
    WholeNumber,
    architecture_from,
    architecture_options,
    output_options,
    partition_from,
    threads_option,
)
from seprank.cli.output import emit
from seprank.errors import InvalidInput


@click.command()
@architecture_options()
@click.option("--N", "N", type=WholeNumber(), metavar="N", help="Positions, odd ones too.  [default: NA + NB, else 2]")
@click.option("--NA", "NA", type=WholeNumber(), metavar="NA", help="The first NA positions are side A; needs --NB.")
@click.option("--NB", "NB", type=WholeNumber(), metavar="NB", help="The last NB positions are side B; needs --NA.")
@click.option("--p", "p", type=WholeNumber(), default=1, metavar="P", show_default=True, help="Output entry, 1 to dx.")
@click.option(
    "--weights",
    type=click.Choice(["random", "symbolic"]),
    default="random",
    show_default=True,
    help="Small random whole numbers, of which a rank can be taken, or variables.",
)
@click.option("--seed", type=WholeNumber(0), default=0, metavar="S", show_default=True, help="Seed of random weights.")
@click.option("--prime", type=WholeNumber(2), metavar="P", help="Work modulo this prime.  [default: whole numbers]")
@output_options("text", "json", "latex", "sympy")
@threads_option()
def command(
    L: int,
    dx: int,
    H: int | None,
    da: int | None,
    residual: bool,
    N: int | None,
    NA: int | None,
    NB: int | None,
    p: int,
    weights: str,
    seed: int,
    prime: int | None,
    fmt: str,
    output: Path | None,
    threads: int | None,
) -> None:
    """The output entry p at position 1 as an exact polynomial in the tokens.

    Variables are x1_2 (position 1, coordinate 2) and, with --weights symbolic, Q1_2_3_4 (query matrix of layer 1, head
    2, row 3, column 4), K, V and O. The rank is that of the coefficient matrix for the two sides: the separation
    rank of this polynomial, exactly, with nothing sampled. Sizes that would not finish are refused at once.

    \b
    seprank poly --L 1 --dx 2 --H 1 --N 2
    seprank poly --L 2 --dx 2 --NA 1 --NB 2 --format json
    """
    arch = architecture_from(L, dx, H, da, residual)
    positions, partition = positions_from(N, NA, NB)
    if p > dx:
        raise InvalidInput(f"p must be a whole number from 1 to dx = {dx}, got {p}")

    from seprank.attention.poly_size import refuse_if_endless
    from seprank.attention.poly_weights import small_weights
    from seprank.attention.polynomial import network_polynomial
    from seprank.attention.weights import random_weights
    from seprank.cli import poly_page
    from seprank.cli.progress import progress_bar
    from seprank.field.primes import check_prime
    from seprank.separation.coefficients import coefficient_rank

    domain = "ZZ" if prime is None else check_prime(prime)
    refuse_if_endless(arch, positions, symbolic_weights=weights == "symbolic", symbolic_tokens=True)
    drawn = None
    if weights == "random":
        drawn = small_weights(arch, seed) if prime is None else random_weights(arch, prime, seed)
    with _limit(threads), progress_bar("multiplying out"):
        polynomial = network_polynomial(arch if drawn is None else drawn, positions, domain=domain, entry=p - 1)
        ranked = drawn is not None and partition is not None
        rank = coefficient_rank(polynomial, range(partition.NA)) if ranked and partition is not None else None
    result = poly_page.Result(polynomial, partition, drawn, seed, rank)
    emit(poly_page.text(result, fmt), output)


def positions_from(N: int | None, NA: int | None, NB: int | None) -> tuple[int, Partition | None]:
    """The number of positions and the two sides that the options describe; no sides for an odd number alone.

    >>> positions_from(3, None, None), positions_from(3, 1, 2)
    ((3, None), (3, Partition(NA=1, NB=2)))
    """
    partition = partition_from(None, NA, NB)
    if partition is None:
        number = 2 if N is None else N
        return number, None if number % 2 else Partition.balanced(number)
    if N is not None and partition.N != N:
        raise InvalidInput(f"N must be NA + NB = {partition.N}, got N={N} with NA={NA} NB={NB}")
    return partition.N, partition


def _limit(threads: int | None) -> AbstractContextManager[None]:
    if threads is None:
        return nullcontext()
    from seprank.field.kernels import thread_limit

    return thread_limit(threads)
