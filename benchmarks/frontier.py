"""The largest separation ranks that are certified exact, with the time and the memory that each takes.

    python benchmarks/frontier.py [--all] [--case L,dx,H[,prime] ...] [--threads N] [--json FILE]

Long input, no skip connections, H da = dx, by derivatives. "Exact" says that the rank equals the best proved upper
bound of the architecture, block by block, so that nothing about it is probable; "bounds met" names those bounds. Every
case runs in a process of its own: "seconds" and "core seconds" (of all threads together) are those of the computation
without the start of Python, "peak memory" is that of the whole process. The default cases take about a minute each at
most, and less than a minute for most; `--all` adds those that take longer.

A prime below 2048 goes through float32, which takes half the time and memory of the default prime.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from seprank import Architecture
from seprank.closed_forms.known import theorem_A, theorem_C
from seprank.field.kernels import thread_limit
from seprank.field.primes import DEFAULT_PRIME
from seprank.machine import usable_cores
from seprank.separation.derivative import derivative_rank

NARROW = 1021
SCHEMA = "seprank.frontier/1"


@dataclass(frozen=True)
class Case:
    """Sizes, and the prime of the elimination."""

    L: int
    dx: int
    H: int
    prime: int = DEFAULT_PRIME

    def __str__(self) -> str:
        return f"{self.L},{self.dx},{self.H},{self.prime}"


MINUTE = (
    *(Case(2, dx, 1) for dx in (8, 16)),
    *(Case(2, dx, dx) for dx in (8, 16)),
    Case(2, 16, 2),
    *(Case(3, 3, H) for H in (1, 3)),
    *(Case(3, 4, H) for H in (1, 2, 4)),
    Case(3, 5, 5, NARROW),
    *(Case(4, 2, H) for H in (1, 2)),
    *(Case(5, 2, H) for H in (1, 2)),
)
LONG = (Case(6, 2, 1, NARROW), Case(4, 3, 3, NARROW), Case(4, 3, 1, NARROW), Case(3, 5, 1))
WARM = ((2, 2, 1), (3, 2, 1), (2, 3, 3), (2, 2, 2))  # compile every loop


@dataclass(frozen=True)
class Row:
    """One certified rank, or a lower bound where `exact` is false."""

    L: int
    dx: int
    H: int
    prime: int
    rank: int
    exact: bool
    bounds: tuple[str, ...]
    weights: tuple[str, ...]
    blocks: tuple[int, ...]
    seconds: float
    core_seconds: float
    peak_bytes: int


def measure(case: Case) -> Row:
    """Certify one case in this process."""
    for sizes in WARM:
        derivative_rank(Architecture(*sizes), case.prime)
    wall, core = time.perf_counter(), time.process_time()
    result = derivative_rank(Architecture(case.L, case.dx, case.H), case.prime)
    wall, core = time.perf_counter() - wall, time.process_time() - core
    expected = {1: theorem_A, case.dx: theorem_C}.get(case.H) if case.L == 2 else None
    if expected is not None and result.rank != expected(case.dx):
        raise ArithmeticError(f"{case} gives {result.rank}, the closed form {expected(case.dx)}")
    measured = [block for block in result.blocks if block.source == block.k]
    return Row(
        **asdict(case),
        rank=result.rank,
        exact=result.certified_exact,
        bounds=tuple(dict.fromkeys(block.bound_id for block in result.blocks)),
        weights=tuple(dict.fromkeys(block.weights for block in measured)),
        blocks=tuple(block.k for block in measured),
        seconds=wall,
        core_seconds=core,
        peak_bytes=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    )


def in_a_process(case: Case, threads: int) -> Row:
    """`measure` in a fresh process, whose peak memory is its own."""
    command = [sys.executable, __file__, "--only", str(case), "--threads", str(threads)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    lists = {name: tuple(found.pop(name)) for name in ("bounds", "weights", "blocks")}
    return Row(**found, **lists)


def table(rows: list[Row]) -> str:
    """The rows in markdown."""
    head = "| (L, dx, H) | separation rank | bounds met | blocks measured | seconds | core seconds | peak memory |"
    lines = [head, "|---|---:|---|---|---:|---:|---:|"]
    for row in rows:
        first, last = row.blocks[0], row.blocks[-1]
        blocks = f"{first} to {last} ({', '.join(row.weights)})"
        lines.append(
            f"| ({row.L}, {row.dx}, {row.H}) | {row.rank if row.exact else f'at least {row.rank}'} "
            f"| {', '.join(row.bounds)} | {blocks} | {row.seconds:.1f} | {row.core_seconds:.1f} "
            f"| {row.peak_bytes / 2**30:.1f} GiB |"
        )
    return "\n".join(lines)


def read_case(text: str) -> Case:
    """A case from ``L,dx,H`` or ``L,dx,H,prime``."""
    return Case(*map(int, text.split(",")))


def main() -> None:
    """Measure the cases asked for, one process after the other, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="also the cases that take several minutes")
    parser.add_argument("--case", type=read_case, action="append", metavar="L,dx,H[,prime]", help="these cases instead")
    parser.add_argument("--only", type=read_case, help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=usable_cores())
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    asked = parser.parse_args()
    if asked.only is not None:
        with thread_limit(asked.threads):
            print(json.dumps(asdict(measure(asked.only))))
        return
    rows = []
    for case in asked.case or [*MINUTE, *(LONG if asked.all else ())]:
        print(f"{case} ...", file=sys.stderr, flush=True)
        rows.append(in_a_process(case, asked.threads))
    print(table(rows))
    if asked.json is not None:
        about = {"schema": SCHEMA, "machine": platform.processor() or platform.machine(), "threads": asked.threads}
        asked.json.write_text(json.dumps({**about, "rows": [asdict(row) for row in rows]}, indent=1) + "\n")


if __name__ == "__main__":
    main()
