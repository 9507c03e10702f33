"""Checking that a protocol moves data by its messages alone: steps are replayed where nothing else exists.

A sample of the steps of a run is pickled by this process, and replayed in a fresh interpreter that has seen no other
machine. A step that looked at anything but its own memory and inbox gives another result there, or fails.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from seprank.errors import CheckFailed
from seprank.parallel.mpc import Exchange, Memory, Messages, MPCProtocol, MPCRun, Step, run_protocol

_REPLAY = """
import pickle, sys
protocol, calls = pickle.load(sys.stdin.buffer)
pickle.dump([tuple(protocol.step(*call)) for call in calls], sys.stdout.buffer)
"""


def audited_run(
    protocol: MPCProtocol,
    memories: Sequence[Memory],
    words: int,
    most_rounds: int,
    every: int = 7,
    exchange: Exchange | None = None,
) -> MPCRun:
    """`run_protocol`, with one step in `every` replayed in a fresh process and compared.

    Raises `CheckFailed`, naming machine and round, for a step that is no function of what its machine holds.
    """
    calls: list[tuple[Any, ...]] = []
    steps: list[Step] = []

    def watch(machine: int, round: int, memory: Memory, inbox: Messages, step: Step) -> None:
        if (machine + 3 * round) % every == 0:
            calls.append((machine, dict(memory), inbox, round))
            steps.append(step)

    run = run_protocol(protocol, memories, words, most_rounds, exchange, watch=watch)
    done = subprocess.run(
        [sys.executable, "-c", _REPLAY], input=pickle.dumps((protocol, calls)), capture_output=True, check=False
    )
    if done.returncode:
        raise CheckFailed(f"a step failed where only its machine exists: {done.stderr.decode().splitlines()[-1]}")
    for (machine, _, _, round), seen, again in zip(calls, steps, pickle.loads(done.stdout), strict=True):
        if not _same(seen, Step(*again)):
            raise CheckFailed(f"machine {machine} in round {round} used more than its memory and its inbox")
    return run


def _same(one: Step, other: Step) -> bool:
    return (
        one.done == other.done
        and one.memory.keys() == other.memory.keys()
        and all(np.array_equal(one.memory[name], other.memory[name]) for name in one.memory)
        and np.array_equal(one.outbox.machines, other.outbox.machines)
        and np.array_equal(one.outbox.words, other.outbox.words)
    )
