"""Draw the figures that docs/figures.md shows, from a small sweep and a trained model (about four minutes on one core).

python scripts/make_figures.py  # rewrites docs/figures/*.png
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "figures"
SWEEPS = (
    "sweep --L 1:2 --dx 2:8 --H 1,2,dx",
    "sweep --L 3 --dx 2:3 --H 1,dx",
    "sweep --L 2 --dx 3:5 --N 1+2",
    "sweep --L 3:4 --dx 2:8 --what bounds",
)
FIGURES = (
    "regimes --N long",
    "rank-growth --N long",
    "blocks --L 2 --dx 4 --N 1+2",
    "head-count",
    "guideline",
    "transition",
    "signal-depth",
    "signal-scaling",
    "hop-errors",
    "mpc-rounds",
    "mpc-loads",
    "shaped-conditioning",
    "shaped-residual",
)
STORED = ("regimes", "rank-growth", "blocks", "head-count")


def seprank(*arguments: str) -> None:
    """Run a command, which must succeed; only its errors are shown."""
    code = "import sys; from seprank.cli.main import run; sys.exit(run())"
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "results.sqlite")
        for line in SWEEPS:
            seprank(*line.split(), "--store", store, "--workers", "1")
        for line in FIGURES:
            name, *options = line.split()
            source = ["--store", store] if name in STORED else []
            seprank("plot", name, *options, *source, "-o", str(FOLDER / f"{name}.png"))
        model = str(Path(folder) / "three.pt")
        seprank("hop", "train", "--k", "3", "--N", "32", "--depth", "3", "--checkpoint", model)
        seprank("plot", "hop-attention", "--checkpoint", model, "-o", str(FOLDER / "hop-attention.png"))


if __name__ == "__main__":
    main()
