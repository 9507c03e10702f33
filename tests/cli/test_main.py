"""The command line as a whole: exit codes, one line on stderr, what is imported when."""

import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import click
import pytest

from seprank import __version__
from seprank.cli import main
from seprank.errors import CheckFailed, InvalidInput, OutOfScope, SeprankError, TooLarge

HEAVY = {"rich", "mpmath", "numpy", "numba", "sympy", "torch", "scipy", "flint"}
SCRIPT = Path(sysconfig.get_path("scripts")) / "seprank"


def seprank(*arguments: str, **options) -> subprocess.CompletedProcess:
    code = "import sys; from seprank.cli.main import run; sys.exit(run())"
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, **options)


@pytest.fixture
def command_that(monkeypatch):
    """Put a command `info` in place that calls the given function."""

    def install(function):
        module = ModuleType("seprank.cli.info")
        module.command = click.Command("info", callback=function, params=[click.Argument(["words"], nargs=-1)])
        monkeypatch.setitem(sys.modules, "seprank.cli.info", module)

    return install


def raises(error):
    def function(words):
        raise error

    return function


def test_help_imports_nothing_heavy_and_lists_every_command():
    code = (
        "import sys; from seprank.cli.main import run; run(['--help']);"
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stderr.split())
    assert "click" in done.stderr.split()
    assert all(f"  {name} " in done.stdout for name in main.COMMANDS)


def test_without_a_command_the_help_is_printed():
    done = seprank()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == seprank("--help").stdout == seprank("-h").stdout
    assert done.stdout.startswith("Usage: seprank [OPTIONS] [COMMAND]")


def test_version():
    done = seprank("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"seprank {__version__}\n", "")


@pytest.mark.skipif(not SCRIPT.exists(), reason="the package is not installed")
def test_the_installed_script_returns_the_exit_code():
    done = subprocess.run([SCRIPT, "nothing"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("seprank: No such command 'nothing'; the commands are bound, rank,")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bond"], "No such command 'bond'; did you mean 'bound'?"),
        (["check-certficate"], "No such command 'check-certficate'; did you mean 'check-certificate'?"),
        (["--versoin"], "No such option '--versoin'. Did you mean '--version'?"),
        (["info", "--fromat", "json"], "No such option '--fromat'. Did you mean '--format'?"),
        (["info", "--format", "xml"], "Invalid value for '--format': 'xml' is not one of 'table', 'json'"),
        (["info", "--format"], "Option '--format' requires an argument"),
        (["info", "extra"], "Got unexpected extra argument (extra)"),
        (["completion", "tcsh"], "'tcsh' is not one of 'bash', 'zsh', 'fish'"),
    ],
)
def test_usage_errors_are_one_line_with_exit_2(arguments, message):
    done = seprank(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("seprank: ")
    assert done.stderr.count("\n") == 1
    # Older versions of click write "No such option: --x" and "(Possible options: ...)".
    assert all(word.strip("'?.:") in done.stderr for word in message.replace("Did you mean", "").split())


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InvalidInput("dx must be\n 1"), 2, "dx must be 1"),
        (OutOfScope("no theory"), 2, "no theory"),
        (TooLarge("needs 3 TiB"), 3, "needs 3 TiB"),
        (CheckFailed("rank differs"), 1, "rank differs"),
        (SeprankError("other"), 1, "other"),
        (
            click.BadParameter("not so", param_hint="--x"),
            2,
            "Invalid value for --x: not so (see 'seprank info --help')",
        ),
        (click.FileError("a.json", "gone"), 2, "Could not open file 'a.json': gone"),
        (click.Abort(), 1, "interrupted"),
        (KeyboardInterrupt(), 1, "interrupted"),
        (MemoryError(), 3, "not enough memory for this job"),
        (
            ZeroDivisionError("by\nzero"),
            1,
            "internal error: ZeroDivisionError: by zero (set SEPRANK_TRACEBACK=1 for the traceback)",
        ),
    ],
)
def test_errors_of_commands(command_that, capsys, error, code, line):
    command_that(raises(error))
    assert main.run(["info"]) == code
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err == f"seprank: {line}\n"


def test_traceback_on_request(command_that, capsys, monkeypatch):
    monkeypatch.setenv("SEPRANK_TRACEBACK", "1")
    command_that(raises(ZeroDivisionError("here")))
    assert main.run(["info"]) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_long_message_is_cut(command_that, capsys):
    command_that(raises(InvalidInput("9" * 100_000)))
    assert main.run(["info"]) == 2
    assert len(capsys.readouterr().err) < 2100


@pytest.mark.parametrize(("value", "code"), [(None, 0), (3, 3), ("text", 0), (True, 0)])
def test_what_a_command_returns(command_that, value, code):
    command_that(lambda words: value)
    assert main.run(["info"]) == code


def test_exit_codes_given_through_click(command_that):
    command_that(raises(click.exceptions.Exit(3)))
    assert main.run(["info"]) == 3


def test_numbers_of_any_length_can_be_printed_while_a_command_runs(command_that):
    before = sys.get_int_max_str_digits()
    command_that(lambda words: len(str(10**5000)) - 5001)
    assert main.run(["info"]) == 0
    assert sys.get_int_max_str_digits() == before


def test_a_reader_that_closes_early_is_no_error():
    line = f"{sys.executable} -c 'from seprank.cli.main import run; import sys; sys.exit(run())' info --format json"
    done = subprocess.run(
        ["bash", "-c", f"{line} | true; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert done.stdout == "1\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line():
    with open("/dev/full", "w") as full:
        code = "import sys; from seprank.cli.main import run; sys.exit(run())"
        done = subprocess.run(
            [sys.executable, "-c", code, "completion", "bash"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr == "seprank: cannot write to standard output: No space left on device\n"


def test_an_interrupt_from_the_terminal_is_one_line():
    code = (
        "import os, signal, sys, types, click; from seprank.cli.main import run\n"
        "module = types.ModuleType('seprank.cli.info')\n"
        "module.command = click.Command('info', callback=lambda: os.kill(os.getpid(), signal.SIGINT))\n"
        "sys.modules['seprank.cli.info'] = module\n"
        "sys.exit(run(['info']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "seprank: interrupted\n")
