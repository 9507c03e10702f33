"""``python -m proofs_check``: the same as ``seprank verify``."""

import sys

from seprank.cli.main import run

if __name__ == "__main__":
    sys.exit(run(["verify", *sys.argv[1:]]))
