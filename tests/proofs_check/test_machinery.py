"""The ledger's own machinery: what must fail a run does fail it, and the reports are well formed."""

import json
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from proofs_check import ledger, report
from proofs_check.estimate import Estimate
from proofs_check.runner import run_checker
from proofs_check.verdict import Statement, Verdict
from seprank.errors import InvalidInput


def planted(expected=Verdict.HOLDS, **changes):
    """A checker of ``n * n == n**2`` that is right in every respect, with the given parts replaced."""
    parts = {
        "STATEMENT": Statement("NEW.planted", "Squares", "$n n = n^2$", "nowhere", "n < 4", expected),
        "cases": lambda level: range(4),
        "roads": lambda: {"product": lambda n: n * n, "sum of odd numbers": lambda n: sum(range(1, 2 * n, 2))},
        "holds": lambda case, result: result == case**2,
        "mutants": lambda: {"2 n": lambda n, found: found == 2 * n, "n^3": lambda n, found: found == n**3},
    }
    return SimpleNamespace(**(parts | changes))


def problems(checker):
    record = run_checker(checker, "quick")
    assert record.good == (not record.problems)
    return " / ".join(record.problems)


def test_a_right_checker_passes():
    record = run_checker(planted(), "quick")
    assert (record.verdict, record.cases, record.problems) == (Verdict.HOLDS, 4, ())
    assert record.roads == (("product", "3: 9"), ("sum of odd numbers", "3: 9"))
    assert record.mutants == (("2 n", True), ("n^3", True))
    assert run_checker(planted(Verdict.PROVED), "quick").good


def test_disagreeing_roads_fail():
    roads = {"product": lambda n: n * n, "double": lambda n: 2 * n}
    assert "the roads disagree for 1 (product: 1, double: 2)" in problems(planted(roads=lambda: roads))


def test_estimates_agree_within_their_errors():
    def roads(gap):
        return {"a": lambda n: Estimate(float(n), 0.1), "b": lambda n: Estimate(n + gap, 0.1)}

    def near(case, first, other):
        return first.agrees(other, sigmas=5)

    claims = {"holds": lambda n, found: abs(found.value - n) < 1, "mutants": lambda: dict.fromkeys("ab", never)}
    assert run_checker(planted(roads=lambda: roads(0.6), agree=near, **claims), "quick").good
    assert "the roads disagree for 0 (a: 0.00 ± 0.10, b: 0.80 ± 0.10)" in problems(
        planted(roads=lambda: roads(0.8), agree=near, **claims)
    )
    assert not Estimate(float("nan"), 0.1).agrees(Estimate(0.0, 0.1))
    assert not Estimate(1.0).agrees(Estimate(1.0 + 1e-9))
    assert Estimate(1.0).agrees(Estimate(1.0 + 1e-9), relative=1e-8)


def never(case, found):
    return False


def test_results_of_any_length_are_shown():
    big = {"a": lambda n: 10**6000 + n, "b": lambda n: n + 10**6000}
    record = run_checker(planted(roads=lambda: big, holds=lambda case, result: True), "quick")
    assert record.roads[0] == ("a", "3: a number of 6001 digits or one less")
    many = {"a": lambda n: tuple(range(99)), "b": lambda n: tuple(range(99))}
    shown = run_checker(planted(roads=lambda: many), "quick").roads[0][1]
    assert shown.startswith("3: (0, 1, 2,")
    assert shown.endswith(" ...")


def test_a_surviving_mutant_fails():
    mutants = {"same": lambda n, found: found == n * n, "2 n": lambda n, found: found == 2 * n}
    assert problems(planted(mutants=lambda: mutants)) == "the mutant survives: same"


def test_a_checker_without_cases_fails():
    assert "no case was run" in problems(planted(cases=lambda level: []))


def test_one_road_is_not_enough():
    assert "only 1 road answers for 0" in problems(planted(roads=lambda: {"product": lambda n: n * n}))
    silent = {"product": lambda n: n * n, "silent": lambda n: None}
    found = problems(planted(roads=lambda: silent))
    assert "only 1 road answers for 3" in found
    assert "the road silent never answers" in found


def test_one_mutant_is_not_enough():
    found = problems(planted(mutants=lambda: {"2 n": lambda n, result: result == 2 * n}))
    assert found == "a checker needs at least two mutants, this one has 1"


def test_a_false_claim_is_refuted_with_its_counterexample():
    record = run_checker(planted(holds=lambda case, result: result < 9), "quick")
    assert record.verdict is Verdict.REFUTED
    assert record.counterexample == "Counterexample: 3 gives 9."
    assert record.problems == ("the ledger says HOLDS, this run REFUTED",)
    assert run_checker(planted(Verdict.REFUTED, holds=lambda case, result: result < 9), "quick").good


def test_corrected_needs_a_failing_print_and_a_holding_correction():
    wrong, right = (lambda n, found: found == 2 * n), (lambda n, found: found == n * n)
    assert run_checker(planted(Verdict.CORRECTED, printed=wrong), "quick").good
    assert run_checker(planted(Verdict.REFUTED, printed=wrong), "quick").good
    assert problems(planted(Verdict.CORRECTED, printed=right)) == "the ledger says CORRECTED, this run HOLDS"
    found = problems(planted(Verdict.CORRECTED, printed=wrong, holds=wrong))
    assert found == "the ledger says CORRECTED, this run REFUTED"


def test_a_checker_that_breaks_down_fails_alone(monkeypatch):
    def broken(level):
        raise ZeroDivisionError("no such case")

    both = {"D2W.a": planted(), "D2W.b": planted(cases=broken)}
    for id, checker in both.items():
        checker.STATEMENT = Statement(id, "", "", "", "", Verdict.HOLDS)
    monkeypatch.setattr(ledger, "checkers", lambda: both)
    records = ledger.verify()
    assert [record.good for record in records] == [True, False]
    assert records[1].problems == ("the checker broke down: ZeroDivisionError: no such case",)


def test_open_statements_run_nothing():
    def never(level):
        raise AssertionError

    record = run_checker(planted(Verdict.OPEN, cases=never), "quick")
    assert (record.verdict, record.good, record.cases) == (Verdict.OPEN, True, 0)


def test_a_checker_without_its_library_says_so(monkeypatch):
    def cases(level):
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr(ledger, "checkers", lambda: {"NEW.planted": planted(cases=cases)})
    (record,) = ledger.verify()
    assert record.problems == ("the checker needs torch, which is not installed",)


def test_ids_belong_to_their_paper():
    with pytest.raises(ValueError, match=r"id must start with D2W\. or NEW\., got 'SP.x'"):
        Statement("SP.x", "", "", "", "", Verdict.OPEN)


def test_numbers_in_ids_are_ordered_as_numbers():
    ids = ["NEW.b", "D2W.eq19", "D2W.lemma10", "NEW.a", "D2W.eq3", "D2W.b2", "D2W.lemma2"]
    wanted = ["D2W.b2", "D2W.eq3", "D2W.eq19", "D2W.lemma2", "D2W.lemma10", "NEW.a", "NEW.b"]
    assert sorted(ids, key=ledger.order) == wanted


def test_selection_and_its_errors():
    assert [s.id for s in ledger.statements(ids=["D2W.eq4"])] == ["D2W.eq4"]
    assert {s.paper for s in ledger.statements()} <= {"D2W", "SP", "ST", "PC"}
    assert all(s.paper == "D2W" for s in ledger.statements("D2W"))
    with pytest.raises(InvalidInput, match=r"paper must be one of D2W.*, got 'XX'"):
        ledger.statements("XX")
    with pytest.raises(InvalidInput, match=r"id must name a statement of the ledger, got 'D2W.eq44': did you mean"):
        ledger.statements(ids=["D2W.eq44"])
    with pytest.raises(InvalidInput, match="level must be one of quick, full, got 'slow'"):
        ledger.verify(level="slow")


def test_junit_parses_and_counts():
    bad = planted(roads=lambda: {"product": lambda n: n * n, "double": lambda n: 2 * n})
    records = [run_checker(planted(), "quick"), run_checker(bad, "quick"), run_checker(planted(Verdict.OPEN), "quick")]
    suite = ElementTree.fromstring(report.to_junit(records))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    assert [case.get("name") for case in suite] == ["NEW.planted"] * 3
    assert suite[1].find("failure").get("message").startswith("the roads disagree")


def test_markdown_has_a_section_for_every_record_and_no_times():
    page = report.to_markdown([run_checker(planted(), "quick")])
    assert "## NEW.planted: Squares" in page
    assert "| [`NEW.planted`](#new-planted) | Squares | HOLDS | 4 |" in page
    assert "second" not in page


def test_json_record():
    record = json.loads(json.dumps(run_checker(planted(), "quick").as_dict()))
    keys = "id paper statement source scope verdict expected roads mutants cases seconds note"
    assert set(record) >= set(keys.split())
    assert record["mutants"] == [{"name": "2 n", "refuted": True}, {"name": "n^3", "refuted": True}]
