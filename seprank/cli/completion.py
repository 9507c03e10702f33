"""`seprank completion`: the line that switches on completion in a shell."""

from __future__ import annotations

import os
from pathlib import PurePath

import click

from seprank.cli.output import emit
from seprank.errors import InvalidInput

_LINES = {
    "bash": ("~/.bashrc", 'eval "$(_SEPRANK_COMPLETE=bash_source seprank)"'),
    "zsh": ("~/.zshrc, after compinit", 'eval "$(_SEPRANK_COMPLETE=zsh_source seprank)"'),
    "fish": ("~/.config/fish/completions/seprank.fish", "_SEPRANK_COMPLETE=fish_source seprank | source"),
}


@click.command()
@click.argument("shell", type=click.Choice(list(_LINES)), required=False)
def command(shell: str | None) -> None:
    """Print the line that switches on completion in SHELL: bash, zsh or fish.

    Add it to the start-up file of the shell (a comment names the file), then open a new shell. Without SHELL, the
    shell that the variable SHELL names is taken.
    """
    emit(completion_lines(shell or _own_shell()), None)


def completion_lines(shell: str) -> str:
    """A comment with the start-up file of `shell` ("bash", "zsh" or "fish"), and the line to add to it.

    >>> print(completion_lines("fish"))
    # Completion of seprank commands and options: add the next line to ~/.config/fish/completions/seprank.fish
    _SEPRANK_COMPLETE=fish_source seprank | source
    """
    place, line = _LINES[shell]
    return f"# Completion of seprank commands and options: add the next line to {place}\n{line}"


def _own_shell() -> str:
    name = PurePath(os.environ.get("SHELL", "")).name
    if name not in _LINES:
        raise InvalidInput(f"shell must be given as one of {', '.join(_LINES)}, got SHELL={name!r} in the environment")
    return name
