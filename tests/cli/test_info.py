"""`seprank info`: the JSON, the table, and the readings of the machine."""

import configparser
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import seprank
from seprank import machine
from seprank.cli import info
from seprank.cli.main import run

SETUP = Path(__file__).parents[2] / "setup.cfg"


def test_json(capsys):
    assert run(["info", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "seprank.info/1"
    assert found["seprank"] == seprank.__version__
    assert platform.python_version() in found["python"]
    assert found["dependencies"]["numpy"] == numpy.__version__
    assert found["cores"]["usable"] == len(os.sched_getaffinity(0)) <= found["cores"]["total"]
    assert 0 < found["memory"]["available"] < found["memory"]["total"]
    assert all(pool["threads"] >= 1 and pool["library"] for pool in found["blas"])
    assert found["blas"], "numpy brings a BLAS"


def test_table(capsys):
    assert run(["info"]) == 0
    lines = capsys.readouterr().out.splitlines()
    values = dict(re.split(r" {2,}", line.strip(), maxsplit=1) for line in lines[2:])
    assert values["numpy"] == numpy.__version__
    assert values["cores"].endswith(f"of {os.cpu_count()}")
    assert values["numba cache"] == str(info.numba_cache())


def test_packages_that_are_missing_are_said_to_be(monkeypatch, capsys):
    monkeypatch.setattr(info, "OPTIONAL", ("no-such-package",))
    assert info.installation()["optional"] == {"no-such-package": None}
    assert run(["info"]) == 0
    assert re.search(r"no-such-package +not installed", capsys.readouterr().out)


def test_versions_are_found_without_importing_the_packages():
    code = "import sys; from seprank.cli.info import installation; installation(); print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "numpy" in modules
    assert not {"numba", "sympy", "torch", "scipy", "matplotlib", "rich"} & set(modules)


def test_the_packages_are_those_of_the_set_up_file():
    setup = configparser.ConfigParser()
    setup.read(SETUP)
    names = re.findall(r"^([\w-]+)", setup["options"]["install_requires"], flags=re.MULTILINE)
    assert set(info.CORE) == set(names)
    extras = setup["options.extras_require"]
    wanted = {
        name
        for extra in ("torch", "graphs", "plots", "dask", "notebooks")
        for name in re.findall(r"^([\w-]+)", extras[extra], flags=re.MULTILINE)
    }
    assert set(info.OPTIONAL) == wanted


def test_numba_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert info.numba_cache() == tmp_path
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert info.numba_cache() == Path(seprank.__file__).parent / "field" / "__pycache__"
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert info.numba_cache() == tmp_path / "numba"


def test_output_file(tmp_path):
    assert run(["info", "--format", "json", "--output", str(tmp_path / "info.json")]) == 0
    assert json.loads((tmp_path / "info.json").read_text())["seprank"] == seprank.__version__


def control_groups(tmp_path, membership, **limits):
    (tmp_path / "cgroup").write_text(membership)
    for place, limit in limits.items():
        file = tmp_path / "fs" / place.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{limit}\n")
    return machine.memory_limit(tmp_path / "fs", tmp_path / "cgroup")


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({"a/b/memory.max": "max"}, None),
        ({"a/b/memory.max": "4096"}, 4096),
        ({"a/b/memory.max": "4096", "a/memory.max": "2048", "memory.max": "max"}, 2048),
        ({"memory.max": "1024"}, 1024),
        ({}, None),
    ],
)
def test_memory_limit_of_version_2(tmp_path, files, limit):
    assert control_groups(tmp_path, "0::/a/b\n", **files) == limit


def test_memory_limit_of_version_1(tmp_path):
    membership = "4:cpu:/x\n3:cpuacct,memory:/box\n"
    place = "memory/box/memory.limit_in_bytes"
    assert control_groups(tmp_path, membership, **{place: 2**40}) == 2**40
    assert control_groups(tmp_path, membership, **{place: 9223372036854771712}) is None


def test_systems_without_these_files(tmp_path):
    assert machine.memory_limit(tmp_path, tmp_path / "none") is None
    assert machine.memory_available(tmp_path / "none") is not None
