"""Records, rows, DataFrames and exported files say the same."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from dataclasses import fields, replace

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seprank.errors import InvalidInput
from seprank.study import Record, load, records
from seprank.study.export import digits_for, flat_row, from_text, json_row
from seprank.study.record import FLAGS, LARGE, NAMES, NESTED, REAL, WHOLE, from_row, to_row
from seprank.study.select import selected

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
SIZE = st.integers(1, 2**62)
HUGE = st.one_of(st.integers(0, 10), st.integers(0, 10**400))
MAYBE = st.none()
REALS = st.floats(allow_nan=False, allow_infinity=False)
BLOCK = st.fixed_dictionaries({"k": st.integers(0, 9), "rank": HUGE, "bound": st.one_of(MAYBE, HUGE), "bound_id": TEXT})
BOUND = st.fixed_dictionaries(
    {"id": TEXT, "log3": st.one_of(REALS, TEXT), "valid": st.sampled_from([True, False, None])}
)
KINDS = {
    **dict.fromkeys(("L", "dx", "H", "da", "NA", "NB", "prime"), SIZE),
    "seed": st.integers(0, 2**64 - 1),
    **dict.fromkeys(("used_prime", "points", "memory"), st.one_of(MAYBE, SIZE)),
    **dict.fromkeys(LARGE, st.one_of(MAYBE, HUGE)),
    **dict.fromkeys(REAL, st.one_of(MAYBE, REALS)),
    "residual": st.booleans(),
    "has_certificate": st.booleans(),
    "certified_exact": st.one_of(MAYBE, st.booleans()),
    **dict.fromkeys(("key", "status", "what", "variant", "engine"), TEXT),
    "blocks": st.lists(BLOCK, max_size=2).map(tuple),
    "bounds": st.lists(BOUND, max_size=2).map(tuple),
    "versions": st.one_of(MAYBE, st.dictionaries(TEXT, TEXT, min_size=1, max_size=2)),
}
RECORDS = st.builds(Record, **{name: KINDS.get(name, st.one_of(MAYBE, TEXT)) for name in NAMES})


def test_every_field_has_its_kind():
    assert tuple(field.name for field in fields(Record)) == NAMES
    assert set(WHOLE) | set(LARGE) | set(REAL) | set(FLAGS) | set(NESTED) <= set(NAMES)


@settings(max_examples=40)
@given(RECORDS)
def test_rows_of_the_file_round_trip(record):
    row = to_row({name: getattr(record, name) for name in NAMES})
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute(f"CREATE TABLE t ({', '.join(NAMES)})")
        connection.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(NAMES))})", [row[name] for name in NAMES])
        assert from_row(dict(connection.execute("SELECT * FROM t").fetchone())) == record


@settings(max_examples=40)
@given(st.lists(RECORDS, max_size=3))
def test_csv_round_trips(found):
    text = io.StringIO()
    writer = csv.DictWriter(text, NAMES)
    writer.writeheader()
    writer.writerows(flat_row(record) for record in found)
    assert [from_text(row) for row in csv.DictReader(io.StringIO(text.getvalue()))] == found


@settings(max_examples=40)
@given(RECORDS)
def test_json_round_trips(record):
    row = json.loads(json.dumps(json_row(record), allow_nan=False))
    assert Record(**{**row, "blocks": tuple(row["blocks"]), "bounds": tuple(row["bounds"])}) == record


def test_parquet_round_trips(filled, tmp_path):
    from seprank.study.reading import frame

    found = records(filled)
    frame(digits_for(map(flat_row, found))).to_parquet(tmp_path / "out.parquet", index=False)
    back = pandas.read_parquet(tmp_path / "out.parquet")
    cells = back.astype(object).where(back.notna(), "").map(str)
    assert [from_text(row) for row in cells.to_dict("records")] == found


def test_a_data_frame_has_the_fields_as_columns(filled):
    frame, found = load(filled), records(filled)
    assert tuple(frame.columns) == NAMES
    assert len(frame) == len(found) == 8
    assert str(frame.dtypes["seed"]) == "UInt64"
    assert frame["seed"].max() == 2**64 - 1
    assert str(frame.dtypes["certified_exact"]) == "boolean"
    for name in NAMES:
        values = [None if isinstance(value, type(pandas.NA)) else value for value in frame[name]]
        assert values == [getattr(record, name) for record in found], name
    exact = frame[frame["certified_exact"].fillna(False)]
    assert dict(zip(exact["best_upper_value"], exact["rank"], strict=True)) == {3: 3, 17: 17, 107: 107, 110: 110}


def test_an_empty_store_gives_an_empty_frame(tmp_path):
    from seprank.study.store import Store

    Store(tmp_path / "empty.sqlite").close()
    frame = load(tmp_path / "empty.sqlite")
    assert (len(frame), tuple(frame.columns)) == (0, NAMES)


def test_what_the_filled_store_says(filled):
    by_size = {(record.L, record.dx, record.H, record.prime): record for record in records(filled)}
    plain = by_size[2, 4, 2, 4194301]
    assert (plain.status, plain.what, plain.rank, plain.method) == ("done", "rank", 107, "blocks")
    assert [block["bound"] for block in plain.blocks] == [1, 10, 52, 40, 4]
    assert plain.claim == "exact (certified): the rank meets the proved upper bound staircase"
    residual = by_size[2, 3, 1, 4194301]
    assert (residual.residual, residual.method, residual.blocks, residual.rank) == (True, "full", (), 39)
    closed = by_size[40, 64, 8, 4194301]
    assert (closed.status, closed.what, closed.rank, closed.has_certificate) == ("done", "bounds", None, False)
    assert closed.best_upper_log3 > closed.best_lower_log3 > 1000
    large = by_size[4, 8, 1, 4194301]
    assert (large.status, large.rank, large.best_upper) == ("too-large", None, "isotropic")
    assert large.error.startswith("the largest block needs")
    failed = by_size[2, 2, 1, 7]
    assert (failed.status, failed.rank, failed.best_upper_value) == ("error", None, 18)
    assert failed.error == "prime must exceed 3**L = 9 for the block method, got 7"


def test_selection(filled):
    found = records(filled)
    assert {record.L for record in selected(found, L="1:2")} == {1, 2}
    assert {(record.dx, record.H) for record in selected(found, H="dx/2")} == {(4, 2), (2, 1)}
    assert [record.dx for record in selected(found, status="too-large", dx="2:8")] == [8]
    key = found[0].key
    assert selected(found, key=key[:9].upper()) == [found[0]]
    assert selected(found) == found
    with pytest.raises(InvalidInput, match=r"^status must be one of done, too-large, error, got 'ok'$"):
        selected(found, status="ok")


def test_a_key_that_is_not_that_of_the_case_shows(filled):
    record = records(filled)[0]
    assert record.key_fits
    assert not replace(record, seed=record.seed + 1).key_fits
