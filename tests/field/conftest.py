"""What several tests of the field share: the primes, and a way to run Python in another process."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import seprank

PRIMES = (2, 3, 5, 7, 101, 509, 4194301, 2147483629, 2147483647)


@pytest.fixture(params=PRIMES)
def prime(request: pytest.FixtureRequest) -> int:
    """The smallest primes, the usual ones, and the largest two allowed."""
    return request.param


@pytest.fixture
def run_python() -> Callable[..., str]:
    """Runs a program with warnings as errors, in a process with changed environment; returns what it prints."""

    def run(program: str, package_parent: Path | None = None, **environment: str) -> str:
        parent = package_parent or Path(seprank.__file__).parent.parent
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program],
            env={**os.environ, "PYTHONPATH": str(parent), **environment},
            cwd=parent,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run
