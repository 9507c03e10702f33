"""`seprank explain`: every bound and every term has a page."""

import json
import re

import pytest

from seprank.cli.main import run
from seprank.closed_forms.rules import RULES
from seprank.closed_forms.terms import TERMS


@pytest.fixture
def explain(capsys):
    def call(*arguments):
        code = run(["explain", *arguments])
        streams = capsys.readouterr()
        assert (code, streams.err) == (0, "")
        return streams.out

    return call


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_bound_is_stated_in_full(explain, rule):
    words = " ".join(explain(rule.id).split())
    for part in (rule.title, f"kind: {rule.kind} bound", rule.formula, rule.scope, rule.source, rule.about):
        assert " ".join(part.split()) in words
    assert all(len(line) <= 92 for line in explain(rule.id).splitlines())


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.id)
def test_every_term_is_explained(explain, term):
    words = " ".join(explain(term.id).split())
    assert term.title in words
    assert " ".join(term.text.split()) in words


def test_without_an_id_everything_is_listed(explain):
    names = re.findall(r"^  (\S+)", explain(), re.MULTILINE)
    assert sorted(names) == sorted([rule.id for rule in RULES] + [term.id for term in TERMS])
    found = json.loads(explain("--format", "json"))
    assert sorted(entry["id"] for entry in found["entries"]) == sorted(names)


def test_a_word_that_is_a_bound_and_a_term_has_both_pages(explain):
    found = json.loads(explain("multiset", "--format", "json"))
    assert found["schema"] == "seprank.explain/1"
    assert [entry["kind"] for entry in found["entries"]] == ["lower bound", "term"]
    assert explain("multiset").count("multiset: ") == 2


def test_every_bound_that_a_report_names_has_a_page(explain, capsys):
    assert run(["bound", "--L", "3", "--dx", "9", "--H", "3", "--residual", "--format", "json"]) == 0
    for entry in json.loads(capsys.readouterr().out)["bounds"]:
        assert explain(entry["id"]).startswith(f"{entry['id']}: ")


@pytest.mark.parametrize(
    ("id", "hint"),
    [("gramm", "did you mean 'gram'?"), ("xyzzy-unlike", "'seprank explain' lists them all"), ("", "lists them all")],
)
def test_an_unknown_id_is_bad_input(capsys, id, hint):
    assert run(["explain", id]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert f"ID must be a bound or a term that is explained, got {id!r}" in streams.err
    assert hint in streams.err


def test_a_page_goes_to_a_file(explain, tmp_path):
    page = explain("gram")
    assert explain("gram", "--output", str(tmp_path / "gram.txt")) == ""
    assert (tmp_path / "gram.txt").read_text() == page
