"""The certificate as a document: everything that a stranger needs to check the claim."""

import hashlib
import json

import pytest

from seprank import Architecture, Partition, separation_rank
from seprank.errors import InvalidInput
from seprank.separation.certificate import certificate, certificate_text, digest
from seprank.separation.certificate_file import read_certificate


@pytest.fixture(scope="module")
def result():
    return separation_rank(Architecture(2, 3, 3), Partition(2, 4), seed=11)


def test_it_holds_the_claim_and_how_everything_was_drawn(result):
    document = certificate(result)
    assert document["schema"] == "seprank.certificate/1"
    assert document["architecture"] == {"L": 2, "dx": 3, "H": 3, "da": 1, "residual": False}
    assert document["partition"] == {"NA": 2, "NB": 4}
    assert document["draw"] == {"generator": "seprank.draw/1", "seed": 11}
    assert (document["prime"], document["entry"], document["method"]) == (4194301, 1, "blocks")
    assert (document["rank"], document["templates"]) == (result.rank, None)
    for piece, measured in zip(document["pieces"], result.pieces, strict=True):
        assert (piece["k"], piece["rank"]) == (measured.k, measured.rank)
        assert piece["rows"] == list(measured.pivots.rows)
        assert piece["columns"] == list(measured.pivots.columns)
        assert len(piece["rows"]) == len(piece["columns"]) == piece["rank"]


@pytest.mark.parametrize("method", ["full", "grid"])
def test_other_methods_have_one_piece(method):
    document = certificate(separation_rank(Architecture(2, 2), method=method))
    assert [piece["k"] for piece in document["pieces"]] == [None]
    assert (document["templates"] is None) == (method == "full")


def test_the_digest_is_the_one_of_the_documentation(result):
    document = certificate(result)
    content = {name: value for name, value in document.items() if name != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    assert document["digest"] == hashlib.sha256(text.encode()).hexdigest() == digest(document)


def test_the_text_reads_back_and_can_be_read_by_people(result, tmp_path):
    document = certificate(result)
    path = tmp_path / "out.json"
    path.write_text(certificate_text(document))
    assert read_certificate(path) == document
    lines = path.read_text().splitlines()
    assert len(lines) == len(document) + len(document["pieces"]) + 3
    assert lines[1] == '  "schema": "seprank.certificate/1",'


def places(document, place=()):
    """The path of every value in the document, lists of whole numbers counted as one."""
    if isinstance(document, dict):
        for name, value in document.items():
            yield (*place, name)
            yield from places(value, (*place, name))
    elif isinstance(document, list) and document and isinstance(document[0], dict):
        yield from places(document[0], (*place, 0))


def changed(document, place, *values):
    """A copy with the value at the place replaced, or taken out when no value is given."""
    copy = json.loads(json.dumps(document))
    target = copy
    for name in place[:-1]:
        target = target[name]
    if values:
        target[place[-1]] = values[0]
    else:
        del target[place[-1]]
    return copy


PLACES = list(places(certificate(separation_rank(Architecture(1, 2)))))
WRONG = ["x", 1.5, True, [None], {"a": 1}, -1]


def test_every_field_is_found():
    assert len(PLACES) == 11 + 5 + 2 + 2 + 4


@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)))
def test_a_field_that_is_missing_or_of_another_type_is_named(tmp_path, place):
    document = certificate(separation_rank(Architecture(1, 2)))
    path = tmp_path / "out.json"
    path.write_text(json.dumps(changed(document, place)))
    with pytest.raises(InvalidInput, match=f"certificate (field .*{place[-1]} must be there|must have schema)"):
        read_certificate(path)
    for value in WRONG:
        original = document
        for name in place:
            original = original[name]
        if type(value) is type(original) and place[-1] in ("digest", "residual"):
            continue
        path.write_text(json.dumps(changed(document, place, value)))
        with pytest.raises(InvalidInput, match="certificate") as caught:
            read_certificate(path)
        assert str(place[-1]) in str(caught.value)
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "place", [("x",), ("architecture", "x"), ("partition", "x"), ("draw", "x"), ("pieces", 0, "x")]
)
def test_no_other_fields_are_accepted(tmp_path, place):
    path = tmp_path / "out.json"
    path.write_text(json.dumps(changed(certificate(separation_rank(Architecture(1, 2))), place, 1)))
    with pytest.raises(InvalidInput, match=r"certificate must have no other fields, got '.*x'"):
        read_certificate(path)


def test_numbers_with_thousands_of_digits_are_no_crash(tmp_path):
    text = json.dumps(changed(certificate(separation_rank(Architecture(1, 2))), ("prime",), 0))
    path = tmp_path / "out.json"
    path.write_text(text.replace('"prime": 0', f'"prime": {"9" * 5000}'))
    with pytest.raises(InvalidInput, match="certificate must be JSON"):  # Python refuses to read such a number
        read_certificate(path)


def test_a_file_beyond_the_largest_size_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("seprank.separation.certificate_file.MOST_BYTES", 1000)
    path = tmp_path / "out.json"
    path.write_text(" " * 1001)
    with pytest.raises(InvalidInput, match="certificate must be a file of at most 1000 bytes"):
        read_certificate(path)
