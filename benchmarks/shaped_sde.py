"""Path-steps a core-second of the covariance SDE: this project, plain numba rates, diffrax and torchsde.

    python benchmarks/shaped_sde.py [--peers] [--json FILE]

Full block, gamma = 0.3, tau0 = 1, positivity-preserving scheme, steps of 1/200, one thread; seconds are those of the
processor, so that other programs on the machine count little. The stated rates, 4 and 2 million path-steps a second
for m = 2 and 4, are those of a plain numba version on an x86-64 server core. With `--peers`, diffrax and torchsde are
installed by pip into a temporary environment and take the same steps by Euler-Maruyama in matrix form.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from seprank.machine import usable_cores
from seprank.shaped.integrate import integrate
from seprank.shaped.setup import Setup

PLAIN = {2: 4e6, 4: 2e6, 8: 0.61e6}
PEERS = {"diffrax": ["jax[cpu]", "diffrax"], "torchsde": ["torchsde"]}
STEPS, PEER_PATHS = 200, {2: 1024, 4: 512}
SCRIPT = Path(__file__).with_name("shaped_sde_peers.py")


def rate(m: int, scheme: str = "splitting", threads: int = 1, paths: int = 8192) -> dict[str, float]:
    """Path-steps a second of the processor and of the clock, machine code compiled before."""
    sizes = {"m": m, "n": STEPS, "depth": STEPS, "gamma": 0.3, "tau0": 1.0}
    run = {"scheme": scheme, "substeps": 1, "threads": threads, "layers": (STEPS,)}
    integrate(Setup(**sizes, paths=1), **run)
    setup = Setup(**sizes, paths=paths)
    processor, clock = time.process_time(), time.perf_counter()
    integrate(setup, **run)
    processor, clock = time.process_time() - processor, time.perf_counter() - clock
    return {"processor": paths * STEPS / processor, "clock": paths * STEPS / clock}


def environment(library: str, folder: Path) -> Path | str:
    """The Python of a new environment with `library`, or why there is none."""
    try:
        venv.create(folder, with_pip=True)
        python = folder / "bin" / "python"
        subprocess.run(
            [python, "-m", "pip", "install", "-q", *PEERS[library]], check=True, capture_output=True, timeout=900
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"not installable here ({type(error).__name__})"
    return python


def peer_rates(library: str) -> dict[int, float] | str:
    """Path-steps a core-second of another library for m = 2 and 4, or why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        python = environment(library, Path(folder))
        if isinstance(python, str):
            return python
        found = {}
        for m, paths in PEER_PATHS.items():
            run = subprocess.run(
                [python, SCRIPT, library, str(m), str(paths), str(STEPS)], capture_output=True, text=True, timeout=600
            )
            if run.returncode:
                return f"failed ({run.stderr.strip().splitlines()[-1]})"
            found[m] = float(run.stdout)
        return found


def main() -> int:
    """Measure, print a table, and write JSON on request."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peers", action="store_true", help="install and run diffrax and torchsde, too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to FILE as well")
    options = parser.parse_args()
    own = {m: rate(m) for m in PLAIN}
    euler = {m: rate(m, "euler")["processor"] for m in (2, 4)}
    for m, found in own.items():
        print(
            f"m = {m}: {found['processor'] / 1e6:7.2f} million path-steps a second, "
            f"{found['processor'] / PLAIN[m]:.2f} times the plain rate of {PLAIN[m] / 1e6:g}"
        )
    for m, found in euler.items():
        print(f"m = {m}: {found / 1e6:7.2f} million by Euler-Maruyama with clipping")
    cores = usable_cores()
    scaling = rate(4, threads=cores)["clock"] / own[4]["clock"]
    print(f"m = 4: {cores} threads are {scaling:.2f} times one thread by the clock")
    document: dict[str, object] = {
        "schema": "seprank.shaped-sde/1",
        "machine": platform.processor() or platform.machine(),
        "python": sys.version.split()[0],
        "own": {str(m): found for m, found in own.items()},
        "euler": {str(m): found for m, found in euler.items()},
        "threads": cores,
        "scaling": scaling,
    }
    for library in PEERS if options.peers else ():
        found = peer_rates(library)
        document[library] = found if isinstance(found, str) else {str(m): value for m, value in found.items()}
        if isinstance(found, str):
            print(f"{library}: {found}")
            continue
        for m, value in found.items():
            print(f"m = {m}: {value / 1e6:7.3f} million by {library}, {own[m]['processor'] / value:.1f} times slower")
    if options.json is not None:
        options.json.write_text(json.dumps(document, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
