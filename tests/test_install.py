"""The wheel, installed in an empty environment, runs the commands from another folder."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Tests run in parallel with edits of the checkout, and building in place would leave files in it.
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "shared", "tests", "notebooks")


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built offline from a copy of the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(ROOT, source, ignore=LEFT_OUT)
    quiet = {**os.environ, "PYTHONWARNINGS": "ignore"}
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--disable-pip-version-check"]
    run(sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", folder, source, env=quiet)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def scripts(wheel, tmp_path_factory):
    """The scripts folder of a new environment that holds the wheel, and the dependencies of this one."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False, symlinks=True)
    scheme = {"base": str(home), "platbase": str(home)}
    site = Path(sysconfig.get_path("purelib", "venv", vars=scheme))
    pip = [sys.executable, "-m", "pip", "--python", home, "--disable-pip-version-check", "install"]
    run(*pip, "--no-deps", "--no-index", wheel, cwd=home)
    # No .pth file of the other environment is read from here, so its editable install of the checkout stays out.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Path(sysconfig.get_path("scripts", "venv", vars=scheme))


@pytest.fixture
def elsewhere(tmp_path):
    """Options that run a program in another folder, with nothing of this environment in its variables."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV", "NUMBA"))}
    return {"cwd": tmp_path, "env": kept | {"NUMBA_CACHE_DIR": str(tmp_path / "numba")}}


def test_the_wheel_holds_every_module_and_data_file_and_nothing_else(wheel):
    names, source = set(zipfile.ZipFile(wheel).namelist()), wheel.parent / "source"
    packages = ("seprank", "proofs_check")
    expected = {
        path.relative_to(source).as_posix()
        for package in packages
        for pattern in ("*.py", "*.json", "py.typed")
        for path in (source / package).rglob(pattern)
    }
    assert {"seprank/py.typed", "seprank/cli/main.py", "proofs_check/__init__.py"} <= expected <= names
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} <= set(packages)


def test_the_installed_package_is_the_one_that_runs(scripts, elsewhere):
    found = run(scripts / "python", "-c", "import seprank, proofs_check; print(seprank.__file__)", **elsewhere)
    assert found.startswith(str(scripts.parent))
    assert str(ROOT) not in found


def test_the_commands_run_from_another_folder(scripts, elsewhere, tmp_path):
    program = scripts / "seprank"
    assert run(program, "--version", **elsewhere).startswith("seprank ")
    found = json.loads(run(program, "bound", "--L", "2", "--dx", "8", "--format", "json", **elsewhere))
    assert found["exact"]["value"] == "999"
    line = ["rank", "--L", "2", "--dx", "4", "--H", "2", "--certificate", "out.json", "--format", "json"]
    found = json.loads(run(program, *line, **elsewhere))
    assert (found["rank"], found["certified_exact"]) == (107, True)
    assert "confirmed: the separation rank is at least 107" in run(
        program, "check-certificate", "out.json", **elsewhere
    )
    assert "Gram bound" in run(program, "explain", "gram", **elsewhere)
    assert json.loads(run(program, "info", "--format", "json", **elsewhere))["schema"] == "seprank.info/1"


def test_what_is_written_as_metadata(scripts, elsewhere):
    code = (
        "from importlib.metadata import distribution as d; found = d('seprank');"
        "print(found.version, found.metadata['License-Expression'] or found.metadata['License'], found.requires)"
    )
    version, rest = run(scripts / "python", "-c", code, **elsewhere).split(" ", 1)
    assert version == run(scripts / "seprank", "--version", **elsewhere).split()[1]
    assert rest.startswith("Apache-2.0")
    assert "python-flint" in rest
