"""The most memory that this process held while something ran."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path


def forget_peak() -> None:
    """Start a new measurement where the system allows it; elsewhere the peak is that of the whole process."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory() -> int | None:
    """Bytes resident at the peak since `forget_peak`, or None where the system does not say."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
