"""`seprank check-certificate`: confirm the claim of a certificate by the slow road."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from seprank.cli.options import output_options, threads_option
from seprank.cli.output import emit, to_json
from seprank.cli.progress import announce, progress_bar

if TYPE_CHECKING:
    from seprank.separation.check import Checked
    from seprank.separation.derivative_check import CheckedDerivatives


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@output_options("text", "json")
@threads_option()
def command(file: Path, fmt: str, output: Path | None, threads: int | None) -> None:
    """Check the certificate in FILE without trusting the run that wrote it.

    Every entry of every claimed minor is worked out again, by eq. 3 on explicit tokens, and its rank is taken again,
    in Python integers and python-flint (one thread). For the method derivative the entries come from the coefficients
    of the output, which are compared with eq. 3, and the upper bounds are worked out again, too. Exit code 0: the claim
    holds; 1: it does not, with the reason; 2: the file is no certificate; 3: the check is too large.
    """
    from seprank.separation.certificate_file import read_certificate
    from seprank.separation.check import check_certificate, work_of

    document = read_certificate(file)
    announce(work_of(document).seconds)
    with progress_bar("checking") as progress:
        checked = check_certificate(document, progress)
    emit(to_json(_document(checked)) if fmt == "json" else _text(checked), output)


def _document(checked: Checked | CheckedDerivatives) -> dict[str, object]:
    from seprank.separation.check import Checked

    schema = "seprank.check/1" if isinstance(checked, Checked) else "seprank.check.derivative/1"
    return {"schema": schema, "confirmed": True, **asdict(checked), "seconds": round(checked.seconds, 6)}


def _text(checked: Checked | CheckedDerivatives) -> str:
    from seprank.separation.check import Checked

    at_least = f"confirmed: the separation rank is at least {checked.rank} for almost all weights"
    if isinstance(checked, Checked):
        return (
            f"{at_least}\n{checked.entries} entries from {checked.evaluations} evaluations of eq. 3 on explicit "
            f"tokens, {checked.seconds:.1f} s"
        )
    exact = "exact, " if checked.rank == checked.upper else ""
    return (
        f"{at_least} and long input\n{exact}at most {checked.upper} by the proved bounds of the blocks\n"
        f"{checked.entries} entries from {checked.coefficients} coefficients, {checked.seconds:.1f} s"
    )
