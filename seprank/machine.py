"""What this machine lets the program use: cores and memory."""

from __future__ import annotations

import os
from pathlib import Path

_CGROUPS = Path("/sys/fs/cgroup")
_NO_LIMIT = 2**60


def usable_cores() -> int:
    """Cores that this process may run on (its affinity where the system has one)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_total() -> int | None:
    """Physical memory in bytes, or None where the system does not say."""
    return _pages("SC_PHYS_PAGES")


def memory_available(meminfo: Path = Path("/proc/meminfo")) -> int | None:
    """Memory in bytes that could be used without swapping, or None where the system does not say."""
    for line in _read(meminfo).splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return _pages("SC_AVPHYS_PAGES")


def memory_limit(root: Path = _CGROUPS, membership: Path = Path("/proc/self/cgroup")) -> int | None:
    """The smallest memory limit in bytes of the control groups (version 1 or 2) of this process; None without one."""
    limits = []
    for line in _read(membership).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            limits += _limits(root, path, "memory.max")
        elif "memory" in controllers.split(","):
            limits += _limits(root / "memory", path, "memory.limit_in_bytes")
    return min(limits, default=None)


def _limits(root: Path, path: str, name: str) -> list[int]:
    # A limit of an outer group binds the inner ones, and in a container the path may exist outside only.
    folder = root / path.strip("/")
    folders = [folder, *(parent for parent in folder.parents if parent == root or root in parent.parents)]
    texts = [_read(place / name).strip() for place in dict.fromkeys([*folders, root])]
    return [int(text) for text in texts if text.isdigit() and int(text) < _NO_LIMIT]


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _pages(name: str) -> int | None:
    try:
        return os.sysconf(name) * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None
