"""Keys of cases: any change of what determines an answer changes them, and nothing else does."""

import json
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank import Architecture, Partition
from seprank.errors import InvalidInput
from seprank.study.case import METHODS, Case
from seprank.study.key import ENGINE, case_key

SIZES = st.integers(1, 50)
ARCHITECTURES = st.builds(Architecture, SIZES, SIZES, SIZES, SIZES, st.booleans())
CASES = st.builds(
    Case,
    ARCHITECTURES,
    st.builds(Partition, SIZES, SIZES),
    st.sampled_from([2, 3, 65537, 4194301, 2147483647]),
    st.integers(0, 2**64 - 1),
    st.sampled_from([None, *METHODS]),
)


def shuffled(document, order):
    names = list(document)
    order.shuffle(names)
    return {
        name: shuffled(document[name], order) if isinstance(document[name], dict) else document[name] for name in names
    }


@given(CASES, CASES)
def test_keys_are_equal_just_when_cases_are(first, second):
    assert (first.key == second.key) == (first == second)
    assert Case.from_document(json.loads(json.dumps(first.document()))) == first


@given(CASES, st.integers(0, 2**32))
def test_the_order_of_fields_does_not_matter(case, seed):
    assert case_key(shuffled(case.document(), random.Random(seed))) == case.key


@given(CASES, st.data())
def test_any_change_of_one_field_changes_the_key(case, data):
    document = case.document()
    place = data.draw(st.sampled_from(["architecture", "partition", None]))
    part = document if place is None else document[place]
    name = data.draw(st.sampled_from([name for name in part if not isinstance(part[name], dict)]))
    old = part[name]
    part[name] = not old if isinstance(old, bool) else old + 1 if isinstance(old, int) else f"{old}'"
    assert case_key(document) != case.key


def test_the_key_is_the_same_in_every_process():
    case = Case(Architecture(2, 4, 2), Partition(4, 4))
    assert case.key == "85c20279b8b2" + case.key[12:]
    assert case.document()["engine"] == ENGINE == "seprank.engine/1"
    code = f"from seprank.study.key import case_key; print(case_key({case.document()!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == case.key


@pytest.mark.parametrize(
    "change", [{"host": "here"}, {"prime": None, "seeds": 1}, {"partition": {"NA": 1}}, {"architecture": 3}]
)
def test_documents_with_other_fields_have_no_key(change):
    document = Case(Architecture(2, 4), Partition(4, 4)).document() | change
    if "seeds" in change:
        del document["seed"]
    with pytest.raises(ValueError, match=r"must have the fields"):
        case_key(document)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"architecture": 1}, "architecture must be an Architecture, got 1"),
        ({"partition": (2, 2)}, r"partition must be a Partition, got \(2, 2\)"),
        ({"prime": 6}, "prime must be a prime at most 2147483647, got 6"),
        ({"seed": 2**64}, "seed must be a whole number from 0 to"),
        ({"method": "svd"}, "method must be one of blocks, full, grid, derivative, got 'svd'"),
        ({"variant": "softmax"}, "variant must be one of plain, got 'softmax'"),
    ],
)
def test_cases_that_break_a_rule_are_refused(change, message):
    with pytest.raises(InvalidInput, match=f"^{message}"):
        Case(**({"architecture": Architecture(2, 4), "partition": Partition(4, 4)} | change))
