"""`seprank signal probe`: rank collapse and query/key gradients in the user's own PyTorch model."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import output_options
from seprank.cli.output import emit
from seprank.errors import InvalidInput


@click.command()
@click.argument("target", metavar="MODULE:FUNCTION")
@click.option("--attention", metavar="PATTERN", help="Only attention layers of such names, as '*.self_attn'.")
@click.option("--query", metavar="PATTERN", help="Names of query projections; with --key and --value.")
@click.option("--key", metavar="PATTERN", help="Names of key projections.")
@click.option("--value", metavar="PATTERN", help="Names of value projections.")
@click.option("--qkv", metavar="PATTERN", help="Names of fused projections: queries, keys, values in this order.")
@output_options("table", "json", "csv")
def command(
    target: str,
    attention: str | None,
    query: str | None,
    key: str | None,
    value: str | None,
    qkv: str | None,
    fmt: str,
    output: Path | None,
) -> None:
    """Do tokens collapse in your own model, at which layer, and do query and key gradients vanish with them?

    FUNCTION takes no arguments and returns (model, inputs) or (model, inputs, loss): a torch.nn.Module, its inputs (a
    tensor, a tuple or a dict) and a function of its output. MODULE may lie in the current folder. One forward and one
    backward pass; the model is left as it was.

    \b
    seprank signal probe mymodel:build
    seprank signal probe mymodel:build --query '*.Wq' --key '*.Wk' --value '*.Wv'
    """
    names = _names(attention, query, key, value, qkv)
    try:
        import torch  # noqa: F401
    except ImportError:
        raise InvalidInput("signal probe needs PyTorch, which is not installed: pip install 'seprank[torch]'") from None
    from seprank.cli import signal_probe_page
    from seprank.cli.progress import progress_bar
    from seprank.cli.signal_probe_load import current_folder, load, users
    from seprank.signal.probe_model import probe

    with current_folder(), progress_bar("forward pass", "backward pass") as progress:
        returned = load(target)
        found = users(f"model of {target!r} fails", lambda: probe(*returned, attention=names, progress=progress))
    emit(signal_probe_page.text(found, fmt, None if output is None else False), output)


def _names(
    attention: str | None, query: str | None, key: str | None, value: str | None, qkv: str | None
) -> str | dict[str, object] | None:
    """What the options say, as `probe` takes it."""
    separate = {"query": query, "key": key, "value": value}
    given = {name: pattern for name, pattern in separate.items() if pattern is not None}
    if (attention is not None) + (qkv is not None) + bool(given) > 1:
        raise InvalidInput("attention, qkv, and query with key and value exclude each other, got more than one of them")
    if given and len(given) < 3:
        raise InvalidInput(f"query, key and value must be given together, got {', '.join(given)} alone")
    if qkv is not None:
        return {"qkv": qkv}
    return dict(given) if given else attention
