"""Stored results, checked again: what holds is confirmed, and every change of a row is found."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from seprank.study import records
from seprank.study.verify import verify


@pytest.fixture
def copy(filled, tmp_path):
    """A copy of the filled store, and a function that changes it by a statement."""
    path = tmp_path / "copy.sqlite"
    shutil.copy(filled, path)

    def change(statement, *values):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(statement, values)
            connection.commit()

    return path, change


def outcomes(path, **options):
    return {verdict.record.key: (verdict.outcome, verdict.reason) for verdict in verify(path, records(path), **options)}


def test_everything_in_a_store_is_confirmed_or_said_to_be_unchecked(filled):
    steps = []
    found = verify(filled, records(filled), progress=lambda *step: steps.append(step))
    kinds = {}
    for verdict in found:
        kinds.setdefault(verdict.outcome, []).append(verdict)
    assert sorted(kinds) == ["confirmed", "unchecked"]
    assert len(kinds["confirmed"]) == 5
    assert {verdict.reason for verdict in kinds["unchecked"]} == {"no rank"}
    assert all(verdict.record.rank is None for verdict in kinds["unchecked"])
    assert steps[-1][0] == steps[-1][1]


CHANGES = {
    "another size": ("UPDATE results SET L = 3 WHERE rank = 107", "the key is not that of the case"),
    "another seed": ("UPDATE results SET seed = 5 WHERE rank = 107", "the key is not that of the case"),
    "a larger rank": ("UPDATE results SET rank = 108 WHERE rank = 107", "the ranks of the blocks do not add up"),
    "a smaller rank": ("UPDATE results SET rank = 100 WHERE rank = 107", "the ranks of the blocks do not add up"),
    "beyond the bound": (
        "UPDATE results SET rank = 999 WHERE method = 'full'",
        "the rank 999 exceeds the proved bound",
    ),
    "not exact": ("UPDATE results SET rank = 30, certified_exact = 1 WHERE method = 'full'", "is said to be exact"),
    "another rank": (
        "UPDATE results SET rank = 30, certified_exact = 0 WHERE method = 'full'",
        "has rank 39, and the row 30",
    ),
    "another prime": ("UPDATE results SET used_prime = 65537 WHERE rank = 107", "prime 4194301, and the row 65537"),
    "a rank from nowhere": ("UPDATE results SET rank = 5 WHERE status = 'error'", "rank 5 with status error"),
    "no certificate": ("DELETE FROM certificates", "the certificate is gone"),
    "no document": ("UPDATE certificates SET document = 'x'", "certificate must be JSON"),
    "no rank": ("UPDATE results SET rank = NULL WHERE rank = 107", "rank None with status done"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_a_row_is_found(change, copy):
    path, run = copy
    statement, reason = CHANGES[change]
    run(statement)
    wrong = [text for outcome, text in outcomes(path, budget=1e-9).values() if outcome == "wrong"]
    assert wrong
    assert all(reason in text for text in wrong)


def test_a_certificate_that_claims_too_much_is_found(copy):
    path, run = copy
    record = next(record for record in records(path) if record.rank == 17)
    with closing(sqlite3.connect(path)) as connection:
        (text,) = connection.execute("SELECT document FROM certificates WHERE key = ?", (record.key,)).fetchone()
    document = json.loads(text)
    document["pieces"][0]["rows"] = [document["pieces"][0]["rows"][0] + 1]
    run("UPDATE certificates SET document = ? WHERE key = ?", json.dumps(document), record.key)
    assert outcomes(path)[record.key][0] == "wrong"


def test_a_certificate_of_another_case_is_found(copy):
    path, run = copy
    first, second = (record.key for record in records(path) if record.rank in (107, 110))
    run(
        "UPDATE certificates SET document = (SELECT document FROM certificates WHERE key = ?) WHERE key = ?",
        first,
        second,
    )
    outcome, reason = outcomes(path)[second]
    assert outcome == "wrong"
    assert reason.startswith("the certificate has ")


def test_checks_that_would_take_too_long_are_left(filled):
    found = outcomes(filled, budget=1e-9)
    assert {outcome for outcome, _ in found.values()} == {"unchecked"}
    assert sorted({reason for _, reason in found.values()}) == ["no rank", "no time left"]


def test_certificates_of_derivatives_are_checked_too(make_case, tmp_path):
    from seprank.study.store import Store
    from seprank.study.work import request, solve

    path = tmp_path / "results.sqlite"
    case = make_case(2, 3, method="derivative")
    with Store(path) as store:
        store.finish(case, solve(request(case, "rank")))
    ((outcome, _),) = outcomes(path).values()
    assert outcome == "confirmed"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE results SET NA = 1")
        connection.commit()
    ((outcome, reason),) = outcomes(path).values()
    assert (outcome, reason) == ("wrong", "the key is not that of the case")
