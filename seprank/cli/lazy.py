"""Groups of commands that import the file of a command when it is called, never before."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from difflib import get_close_matches

import click


class LazyGroup(click.Group):
    """A group that knows its commands by a table of one-line texts and imports the file of one when it is called.

    The file of command ``NAME`` is ``seprank/cli/<prefix><NAME>.py``, hyphens written as underscores; it holds a click
    command (or group) called ``command``.
    """

    def __init__(self, *args: object, table: Mapping[str, str], prefix: str = "", **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.table = table
        self.prefix = prefix

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The click command `command` of the file named like `cmd_name`."""
        if cmd_name not in self.table:
            return None
        module = importlib.import_module(f"seprank.cli.{self.prefix}{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        command.name = cmd_name
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Like click's, with the nearest name in the message for a name that is not there."""
        if not ctx.resilient_parsing and args[0] not in self.table and not args[0].startswith("-"):
            near = get_close_matches(args[0], self.table, n=1, cutoff=0.5)
            hint = f"did you mean '{near[0]}'?" if near else f"the commands are {', '.join(self.table)}"
            raise click.UsageError(f"No such command {args[0]!r}; {hint}", ctx=None)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, so that help imports none of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[click.shell_completion.CompletionItem]:
        """Complete names from the table, so that only the file of a command that is written out is imported."""
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        return [
            click.shell_completion.CompletionItem(name, help=text)
            for name, text in self.table.items()
            if name.startswith(incomplete)
        ]

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; an interrupt becomes `Abort` here, since click would write an empty line first."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None


def lazy_group(text: str, table: Mapping[str, str], prefix: str) -> LazyGroup:
    """A group below `seprank`: help `text`, and its commands by the table; without a command it prints its help."""

    def show_help(ctx: click.Context) -> None:
        if ctx.invoked_subcommand is None:
            click.echo(ctx.get_help())

    return LazyGroup(
        callback=click.pass_context(show_help),
        help=text,
        table=table,
        prefix=prefix,
        invoke_without_command=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
