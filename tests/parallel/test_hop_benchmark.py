"""The benchmark of the k-hop task runs at small size and writes what it says."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "hop.py"


def test_the_benchmark_runs(tmp_path):
    line = ["--symbols", "300000", "--length", "5", "--edges", "400", "--json", str(tmp_path / "rows.json")]
    done = subprocess.run([sys.executable, str(SCRIPT), *line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads((tmp_path / "rows.json").read_text())
    assert found["schema"] == "seprank.benchmark.hop/1"
    short, long, *middle, last = found["rows"]
    assert min(short["times plain Python"], long["times plain Python"]) > 10
    assert [row["strings"] for row in middle] == [243] * 3
    assert last["rounds"] > 0
