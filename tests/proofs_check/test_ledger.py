"""The whole ledger at the quick level, and that it lists every statement of the paper."""

import re
from pathlib import Path

import pytest

from proofs_check import ledger
from proofs_check.runner import run_checker

ROOT = Path(__file__).resolve().parents[2]
PUBLICATIONS = ("levine2020depth, ", "noci2022signal, ", "noci2023shaped, ", "sanford2024log, ")

# Every numbered statement of levine2020depth, and the formulas of its section 5.
PAPER = """
    eq3 eq4 eq16 eq18 eq19 lemma1 lemma2 lemma3 lemma4 lemma5 lemma6 lemma7 lemma8 claim1 prop1 thm1.lower thm1.upper
    thm2.lower thm2.upper thm5 thm6 b2 b2.log1 b2.log2 cor1 cor2 hadamard transition table1 chi2 r2
""".split()  # noqa: SIM905


# Every statement and formula of noci2022signal, and the figures that are checked.
SIGNAL = """
    eq17 eq18 eq18.independent eq20 eq23 eq24 lemmaA1 kswap lemmaA2.values lemmaA2.queries lemmaA2.keys lemmaA3
    lemmaA4-6 lemma3.1.values lemma3.1.queries lemma3.1.keys lemma3.1.input thm3.1 lemma3.2 lemma3.3 thm3.2 thm3.2.limit
    assumption3.1 tau tau-eq collapse fig1 fig3 fig4 fig5 fig9 fig10 fig11 fig12 fig13 fig15 bleu
""".split()  # noqa: SIM905


# Every statement of noci2023shaped that our text keeps, its reviewers' questions, and the schemes.
SHAPED = """
    P1 P2 P3 D1 nu A qk B.1 B.2 T3.2 T3.2-b R1 E8 C.1 C.2 C.3-C.5 C.6-C.8 T4.2.drift T4.2.covariance T4.2.law C4.3 hom
    heads ratio mask pmf unsh trick scheme gradients training gamma1-gamma2 captions Q1 Q2 Q3 Q4 Q5 Q6 Q7
""".split()  # noqa: SIM905


def headings(page):
    return re.findall(r"^#+ ([^:\n]+)", (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8"), re.M)


def test_no_statement_of_the_paper_is_left_out():
    assert {f"D2W.{name}" for name in PAPER} <= set(ledger.checkers())
    assert {f"SP.{name}" for name in SIGNAL} <= set(ledger.checkers())
    assert {f"ST.{name}" for name in SHAPED} <= set(ledger.checkers())


@pytest.mark.parametrize("id", ledger.checkers())
def test_statement(id):
    record = run_checker(ledger.checkers()[id], "quick")
    assert record.problems == ()


@pytest.mark.parametrize("id", ledger.checkers())
def test_sources_exist(id):
    source = ledger.checkers()[id].STATEMENT.source
    pages = re.findall(r"docs/(\w+)\.md", source)
    for page in pages:
        assert any(heading.lower() in source.lower() for heading in headings(page)), source
    assert pages or source.startswith(PUBLICATIONS)


def test_the_page_lists_every_statement():
    assert re.findall(r"^## ([^:]+): ", (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8"), re.M) == list(
        ledger.checkers()
    )
