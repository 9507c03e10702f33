"""Who holds a claim: a name for this process, and whether the process of a name is known to be gone."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path


def own_name() -> str:
    """A name of this process that no other one has had: machine, process number, and when it started."""
    return f"{_machine()} {os.getpid()} {_started(os.getpid())}"


def is_gone(name: str) -> bool:
    """Whether the process of that name ran on this machine and has ended; False where nobody can tell."""
    machine, _, rest = name.partition(" ")
    number, _, started = rest.partition(" ")
    if machine != _machine() or not number.isdigit() or sys.platform == "win32":
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        pass
    now = _started(int(number))
    return bool(now and started and now != started)


def _machine() -> str:
    """This run of this machine, and the table of process numbers that this process sees."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return socket.gethostname().replace(" ", "-")


def _started(number: int) -> str:
    """When the process started, in ticks since the machine did; "" where the system does not say or it is a zombie."""
    try:
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "ended" if fields[0] == "Z" else fields[19]
