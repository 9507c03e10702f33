"""The whole ledger at the quick level, and that it lists every statement of the paper."""

import re
from pathlib import Path

import pytest

from proofs_check import ledger
from proofs_check.runner import run_checker

ROOT = Path(__file__).resolve().parents[2]
HEADINGS = re.findall(r"^#+ (.+)$", (ROOT / "docs" / "theory.md").read_text(encoding="utf-8"), re.M)

# Every numbered statement of levine2020depth, and the formulas of its section 5.
PAPER = """
    eq3 eq4 eq16 eq18 eq19 lemma1 lemma2 lemma3 lemma4 lemma5 lemma6 lemma7 lemma8 claim1 prop1 thm1.lower thm1.upper
    thm2.lower thm2.upper thm5 thm6 b2 b2.log1 b2.log2 cor1 cor2 hadamard transition table1 chi2 r2
""".split()  # noqa: SIM905


def test_no_statement_of_the_paper_is_left_out():
    assert {f"D2W.{name}" for name in PAPER} <= set(ledger.checkers())


@pytest.mark.parametrize("id", ledger.checkers())
def test_statement(id):
    record = run_checker(ledger.checkers()[id], "quick")
    assert record.problems == ()


@pytest.mark.parametrize("id", ledger.checkers())
def test_sources_exist(id):
    source = ledger.checkers()[id].STATEMENT.source
    if source.startswith("docs/theory.md, "):
        assert any(heading in source for heading in HEADINGS), source
    else:
        assert source.startswith("levine2020depth, ")


def test_the_page_lists_every_statement():
    assert re.findall(r"^## ([^:]+): ", (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8"), re.M) == list(
        ledger.checkers()
    )
