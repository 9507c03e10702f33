"""`seprank check-certificate`: confirm the claim of a certificate by the slow road."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import output_options, threads_option
from seprank.cli.output import emit, to_json
from seprank.cli.progress import announce, progress_bar


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@output_options("text", "json")
@threads_option()
def command(file: Path, fmt: str, output: Path | None, threads: int | None) -> None:
    """Check the certificate in FILE without trusting the run that wrote it.

    Every entry of every claimed minor is evaluated again, by eq. 3 on explicit tokens, and its rank is taken again,
    in Python integers and python-flint (one thread). Exit code 0: the claim holds; 1: it does not, with the reason;
    2: the file is no certificate.
    """
    from seprank.separation.certificate_file import read_certificate
    from seprank.separation.check import check_certificate, work_of

    document = read_certificate(file)
    announce(work_of(document).seconds)
    with progress_bar("checking") as progress:
        checked = check_certificate(document, progress)
    if fmt == "json":
        found = {
            "schema": "seprank.check/1",
            "confirmed": True,
            "rank": checked.rank,
            "entries": checked.entries,
            "evaluations": checked.evaluations,
            "seconds": round(checked.seconds, 6),
        }
        emit(to_json(found), output)
        return
    emit(
        f"confirmed: the separation rank is at least {checked.rank} for almost all weights\n"
        f"{checked.entries} entries from {checked.evaluations} evaluations of eq. 3 on explicit tokens, "
        f"{checked.seconds:.1f} s",
        output,
    )
