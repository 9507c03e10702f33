"""Run the commands shown in README.md and put what they print under them.

    python scripts/readme_output.py          # rewrite README.md
    python scripts/readme_output.py --check  # exit 1 when it is not current

A block starts with ```console and one line ``$ seprank ...``; measured seconds may differ.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"```console\n\$ (?P<command>seprank [^\n]*)\n(?P<output>.*?)```", re.DOTALL)


def printed(command: str) -> str:
    """Standard output of a seprank command, run in the repository with this interpreter."""
    code = "import sys; from seprank.cli.main import run; sys.exit(run())"
    arguments = [sys.executable, "-c", code, *shlex.split(command)[1:]]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout if done.stdout.endswith("\n") else done.stdout + "\n"


def updated(text: str) -> str:
    """The page with every block's output as printed now."""
    return BLOCK.sub(lambda block: f"```console\n$ {block['command']}\n{printed(block['command'])}```", text)


def without_seconds(text: str) -> str:
    """The page with measured times blotted out."""
    return re.sub(r"\d+\.\d+ s\b", "_ s", text)


def main() -> int:
    page = ROOT / "README.md"
    text = page.read_text(encoding="utf-8")
    new = updated(text)
    if without_seconds(new) == without_seconds(text):
        return 0
    if "--check" in sys.argv[1:]:
        print("README.md is not current: run python scripts/readme_output.py", file=sys.stderr)
        return 1
    page.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
