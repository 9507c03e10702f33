"""Records as a page that a person reads, and as JUnit XML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree

from proofs_check.verdict import Record, Statement, Verdict

MEANINGS = {
    Verdict.PROVED: "a symbolic identity, or an exhaustive check of a finite claim",
    Verdict.HOLDS: "on the stated cases, by at least two roads that share no code; not a proof",
    Verdict.CORRECTED: "false as printed; the mended form holds on the stated cases",
    Verdict.REFUTED: "false, with a counterexample",
    Verdict.OPEN: "not decided",
}


def to_markdown(records: Sequence[Record]) -> str:
    """A page: what the verdicts mean, a summary table, one section a statement. No dates, no times."""
    counts = Counter(record.verdict for record in records)
    lines = ["# Ledger", "", "Every statement, what was checked, and the verdict. `seprank verify` runs it again.", ""]
    lines += ["| verdict | statements | meaning |", "|---|---|---|"]
    lines += [f"| {verdict} | {counts[verdict]} | {MEANINGS[verdict]} |" for verdict in Verdict]
    lines += ["", "| id | statement | verdict | cases |", "|---|---|---|---|"]
    lines += [
        f"| [`{record.statement.id}`](#{_anchor(record.statement)}) | {_cell(record.statement.title)} "
        f"| {_verdict(record)} | {record.cases} |"
        for record in records
    ]
    for record in records:
        lines += ["", *_section(record)]
    return "\n".join(lines) + "\n"


def _section(record: Record) -> list[str]:
    statement = record.statement
    lines = [
        f'<a id="{_anchor(statement)}"></a>',
        "",
        f"## {statement.id}: {statement.title}",
        "",
        statement.statement,
        "",
    ]
    lines += [f"* verdict: **{_verdict(record)}**", f"* scope: {statement.scope}", f"* source: {statement.source}"]
    lines += [f"* cases: {record.cases}"] if record.cases else []
    lines += [f"* road: {name} — {result}" for name, result in record.roads]
    lines += [f"* wrong variant, {'refuted' if refuted else 'NOT refuted'}: {name}" for name, refuted in record.mutants]
    lines += [f"* {record.counterexample}"] if record.counterexample else []
    lines += [f"* note: {statement.note}"] if statement.note else []
    return lines + [f"* PROBLEM: {problem}" for problem in record.problems]


def _anchor(statement: Statement) -> str:
    return statement.id.lower().replace(".", "-")


def _verdict(record: Record) -> str:
    return "-" if record.verdict is None else str(record.verdict)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def to_junit(records: Sequence[Record]) -> str:
    """JUnit XML: one testcase a record, a failure for each record with problems."""
    failures = sum(not record.good for record in records)
    seconds = sum(record.seconds for record in records)
    suite = ElementTree.Element(
        "testsuite",
        name="seprank verify",
        tests=str(len(records)),
        failures=str(failures),
        errors="0",
        skipped=str(sum(record.verdict is Verdict.OPEN for record in records)),
        time=f"{seconds:.3f}",
    )
    for record in records:
        statement = record.statement
        case = ElementTree.SubElement(
            suite, "testcase", classname=statement.paper, name=statement.id, time=f"{record.seconds:.3f}"
        )
        if record.problems:
            failure = ElementTree.SubElement(case, "failure", message=record.problems[0])
            failure.text = "\n".join(record.problems)
        elif record.verdict is Verdict.OPEN:
            ElementTree.SubElement(case, "skipped", message="open")
        ElementTree.SubElement(case, "system-out").text = f"{_verdict(record)}: {statement.title}"
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"
