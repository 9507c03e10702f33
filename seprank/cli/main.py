"""The `seprank` command: a group whose commands are imported when they are called.

Rules of every command: stdout holds the result only; an error is one line ``seprank: <message>`` on stderr. Exit codes:
0 done, 1 a check failed or an error of the program, 2 input that breaks a rule or that no theorem covers, 3 too large.
Without a command the help is printed, with exit code 0.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

import click

from seprank._version import __version__
from seprank.cli.lazy import LazyGroup
from seprank.errors import SeprankError

COMMANDS = {
    "bound": "Proved upper and lower bounds on the separation rank of a network.",
    "rank": "Measure a separation rank by exact arithmetic, with a certificate.",
    "sweep": "Measure all cases of a grid into a results store, resumable at every moment.",
    "results": "List, show, verify and export what a results store holds.",
    "poly": "Write an output entry as an exact polynomial, with its separation rank.",
    "check-certificate": "Check a certificate by itself, without trusting the run that wrote it.",
    "plan": "Optimal depth and width for a parameter budget; is a model too shallow or too deep?",
    "plot": "Draw a figure: regimes, growth, blocks, heads, the depth-width guideline.",
    "hop": "The k-hop induction-heads task: answers, constructions, trained models.",
    "mpc": "Massively parallel computation: components by protocols, messages by attention.",
    "signal": "Signal propagation at initialisation: rank collapse, vanishing gradients.",
    "shaped": "Shaped transformers: covariance SDEs, finite networks beside them, stability.",
    "verify": "Check every statement of the ledger: two roads each, wrong variants refuted.",
    "explain": "State a bound in full: formula, conditions and source.",
    "info": "Show versions, BLAS, cores, memory and cache folder.",
    "completion": "Print the line that switches on completion in a shell.",
}
LONGEST_MESSAGE = 2000


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="'seprank COMMAND --help' explains a command.",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def seprank(ctx: click.Context) -> None:
    """Separation rank of self-attention networks: certified ranks and proved bounds."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`arguments`, or those of the process) and return its exit code.

    A whole number that a command returns is the exit code; anything else stands for 0.
    """
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)  # Exact ranks and bounds can have more digits than Python prints by default.
    try:
        code = seprank.main(arguments, prog_name="seprank", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code if type(code) is int else 0
    except BrokenPipeError:
        _drop_stdout()
        return 1
    except click.exceptions.Exit as error:
        return error.exit_code
    except Exception as error:
        return _report(error)
    except KeyboardInterrupt:
        return _report(click.Abort())
    finally:
        sys.set_int_max_str_digits(digits)


def _report(error: Exception) -> int:
    message, code = _explained(error)
    line = " ".join(message.split())
    if len(line) > LONGEST_MESSAGE:
        line = f"{line[:LONGEST_MESSAGE]} ..."
    with suppress(OSError):
        click.echo(f"seprank: {line}", err=True)
    if sys.stdout is not None:
        try:
            sys.stdout.flush()
        except OSError:
            _drop_stdout()
    return code


def _explained(error: Exception) -> tuple[str, int]:
    if isinstance(error, SeprankError):
        return str(error), error.exit_code
    if isinstance(error, click.ClickException):
        return _usage(error), 2
    if isinstance(error, click.Abort):
        return "interrupted", 1
    if isinstance(error, MemoryError):
        return "not enough memory for this job", 3
    if os.environ.get("SEPRANK_TRACEBACK") == "1":
        import traceback

        traceback.print_exception(error)
    kind = type(error).__name__
    return f"internal error: {kind}: {error} (set SEPRANK_TRACEBACK=1 for the traceback)", 1


def _usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    hint = "" if context is None else f" (see '{context.command_path} --help')"
    return f"{error.format_message().rstrip('.')}{hint}"


def _drop_stdout() -> None:
    # Without this, the interpreter would try to write the rest on its way out and complain.
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
