"""Completion: the printed lines, and what the shells then get to see."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from seprank.cli.completion import completion_lines
from seprank.cli.main import COMMANDS, run

SCRIPT = Path(sysconfig.get_path("scripts")) / "seprank"


def completions(words: str, position: int) -> tuple[list[str], set[str]]:
    """What bash is offered, and the modules that were imported for it."""
    code = "import sys; from seprank.cli.main import run\ntry: run([])\nfinally: print(*sys.modules, file=sys.stderr)"
    more = {"_SEPRANK_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(position)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **more})
    return [line.partition(",")[2] for line in done.stdout.split()], set(done.stderr.split())


def test_commands_complete_from_the_table():
    offered, modules = completions("seprank ", 1)
    assert offered == list(COMMANDS)
    assert not {"seprank.cli.info", "numpy", "rich", "mpmath"} & modules
    assert completions("seprank b", 1)[0] == ["bound"]
    assert completions("seprank co", 1)[0] == ["completion"]
    assert completions("seprank x", 1)[0] == []


def test_options_and_their_values_complete():
    assert completions("seprank --v", 1)[0] == ["--version"]
    assert set(completions("seprank info --", 2)[0]) >= {"--format", "--output"}
    assert completions("seprank info --format j", 3)[0] == ["json"]
    assert completions("seprank completion ", 2)[0] == ["bash", "zsh", "fish"]


@pytest.mark.parametrize(("shell", "file"), [("bash", ".bashrc"), ("zsh", ".zshrc"), ("fish", "seprank.fish")])
def test_printed_lines(shell, file, capsys):
    assert run(["completion", shell]) == 0
    comment, line = capsys.readouterr().out.splitlines()
    assert comment.startswith("# ")
    assert file in comment
    assert f"_SEPRANK_COMPLETE={shell}_source seprank" in line
    assert completion_lines(shell) == f"{comment}\n{line}"


def test_the_shell_of_the_environment_is_taken(capsys, monkeypatch):
    monkeypatch.setenv("SHELL", "/usr/bin/zsh")
    assert run(["completion"]) == 0
    assert "zsh_source" in capsys.readouterr().out
    monkeypatch.setenv("SHELL", "/bin/dash")
    assert run(["completion"]) == 2
    assert capsys.readouterr().err == (
        "seprank: shell must be given as one of bash, zsh, fish, got SHELL='dash' in the environment\n"
    )


@pytest.mark.skipif(not SCRIPT.exists(), reason="the package is not installed")
def test_the_printed_line_works_in_bash():
    path = f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}"
    program = (
        f"{completion_lines('bash')}\n"
        "complete -p seprank\n"
        "COMP_WORDS=(seprank ex); COMP_CWORD=1; _seprank_completion seprank; echo ${COMPREPLY[@]}"
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", program], capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    first, second = done.stdout.splitlines()
    assert "-F _seprank_completion seprank" in first
    assert second == "explain"
