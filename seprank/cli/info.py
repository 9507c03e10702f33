"""`seprank info`: what a report of a problem, or of a measured time, should say about the machine."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

import click

import seprank
from seprank.cli.options import output_options
from seprank.cli.output import emit, to_json
from seprank.machine import memory_available, memory_limit, memory_total, usable_cores

CORE = ("click", "mpmath", "numba", "numpy", "python-flint", "rich", "scipy", "sympy", "threadpoolctl")
OPTIONAL = ("torch", "networkx", "matplotlib", "distributed", "ipykernel", "nbclient", "nbformat")


@click.command()
@output_options("table", "json")
def command(fmt: str, output: Path | None) -> None:
    """Show versions, BLAS, cores, memory and cache folder.

    JSON has the schema seprank.info/1, with sizes in bytes and null for what is not installed or not limited.
    """
    found = installation()
    if fmt == "json":
        emit(to_json(found), output)
        return
    from seprank.cli.tables import to_table

    rows = [{"item": item, "value": value} for item, value in _lines(found)]
    emit(to_table(rows, for_terminal=None if output is None else False), output)


def installation() -> dict[str, Any]:
    """Versions, BLAS, cores, memory and cache folder as plain data (the JSON of ``seprank info``)."""
    return {
        "schema": "seprank.info/1",
        "seprank": seprank.__version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": platform.platform(),
        "dependencies": {name: _version(name) for name in CORE},
        "optional": {name: _version(name) for name in OPTIONAL},
        "blas": _blas(),
        "cores": {"usable": usable_cores(), "total": os.cpu_count()},
        "memory": {"total": memory_total(), "available": memory_available(), "limit": memory_limit()},
        "numba_cache": str(numba_cache()),
    }


def numba_cache() -> Path:
    """The folder in which numba keeps the compiled kernels: the one it is told, or the one beside the sources.

    Where the sources cannot be written to, numba uses a folder of the user, in the manner of the system.
    """
    stated = os.environ.get("NUMBA_CACHE_DIR")
    if stated:
        return Path(stated)
    sources = Path(seprank.__file__).parent
    if os.access(sources, os.W_OK):
        return sources / "field" / "__pycache__"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "numba"


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _blas() -> list[dict[str, Any]]:
    import numpy  # noqa: F401  # threadpoolctl sees the libraries that are loaded
    from threadpoolctl import threadpool_info

    return [
        {"library": pool["internal_api"], "version": pool["version"], "threads": pool["num_threads"]}
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    ]


def _lines(found: dict[str, Any]) -> list[tuple[str, str]]:
    cores, memory = found["cores"], found["memory"]
    versions = {**found["dependencies"], **found["optional"]}
    return [
        ("seprank", found["seprank"]),
        ("python", found["python"]),
        ("platform", found["platform"]),
        *((name, version or "not installed") for name, version in versions.items()),
        *(("BLAS", f"{pool['library']} {pool['version']}, {pool['threads']} threads") for pool in found["blas"]),
        ("cores", f"{cores['usable']} usable of {cores['total']}"),
        ("memory", f"{_gib(memory['available'])} available of {_gib(memory['total'])}"),
        ("memory limit", "none" if memory["limit"] is None else _gib(memory["limit"])),
        ("numba cache", found["numba_cache"]),
    ]


def _gib(size: int | None) -> str:
    return "unknown" if size is None else f"{size / 2**30:.1f} GiB"
