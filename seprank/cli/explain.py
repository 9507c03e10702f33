"""`seprank explain`: what a bound or a term means."""

from __future__ import annotations

import textwrap
from difflib import get_close_matches
from pathlib import Path

import click

from seprank.cli.options import output_options
from seprank.cli.output import emit, to_json
from seprank.errors import InvalidInput

WIDTH = 92


@click.command()
@click.argument("id", required=False)
@output_options("text", "json")
def command(id: str | None, fmt: str, output: Path | None) -> None:
    """State what a bound or a term means: formula, scope and source. Without ID: list them all.

    \b
    seprank explain gram
    seprank explain separation-rank
    """
    pages = _pages()
    if id is None:
        found = [{"id": name, **entry} for name, entries in pages.items() for entry in entries]
        emit(to_json({"schema": "seprank.explain/1", "entries": found}) if fmt == "json" else _list(found), output)
        return
    if id not in pages:
        near = get_close_matches(id, pages, n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'?" if near else "'seprank explain' lists them all"
        raise InvalidInput(f"ID must be a bound or a term that is explained, got {id!r}: {hint}")
    entries = pages[id]
    if fmt == "json":
        emit(to_json({"schema": "seprank.explain/1", "entries": [{"id": id, **entry} for entry in entries]}), output)
        return
    emit("\n\n".join(_page(id, entry) for entry in entries), output)


def _pages() -> dict[str, list[dict[str, str]]]:
    """Every id with its entries; a word may be a bound and a term."""
    from seprank.closed_forms.rules import RULES
    from seprank.closed_forms.terms import TERMS

    pages: dict[str, list[dict[str, str]]] = {}
    for rule in RULES:
        entry = {
            "title": rule.title,
            "kind": f"{rule.kind} bound",
            "formula": rule.formula,
            "scope": rule.scope,
            "text": rule.about,
            "source": rule.source,
        }
        pages.setdefault(rule.id, []).append(entry)
    for term in TERMS:
        pages.setdefault(term.id, []).append(
            {"title": term.title, "kind": "term", "text": term.text, "source": term.source}
        )
    return pages


def _list(entries: list[dict[str, str]]) -> str:
    sections: dict[str, list[str]] = {}
    for entry in entries:
        sections.setdefault(f"{entry['kind']}s", []).append(f"  {entry['id']:<20} {entry['title']}")
    return "\n\n".join("\n".join([name, *lines]) for name, lines in sections.items())


def _page(id: str, entry: dict[str, str]) -> str:
    lines = [f"{id}: {entry['title']}", "=" * (len(id) + 2 + len(entry["title"]))]
    for name in ("kind", "formula", "scope", "source"):
        if name in entry:
            lines.append(_wrapped(f"{name + ':':<9}{entry[name]}", " " * 9))
    return "\n".join([*lines, "", _wrapped(entry["text"], "")])


def _wrapped(text: str, indent: str) -> str:
    return "\n".join(textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False))
