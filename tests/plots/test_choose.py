"""Which records a figure shows, said in words; and what is said when there is nothing to show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.errors import InvalidInput
from seprank.plots.choose import Choice, chosen, log3, power_text


def places(found):
    return [(record.L, record.dx, record.H) for record in found.records]


def test_one_head_and_long_input_without_being_asked(record, grid):
    others = [record(2, 4, 107, H=2), record(2, 4, 80, sides=(1, 1)), record(2, 4, 110, residual=True)]
    found = chosen([*others, *grid], Choice())
    assert found.records == tuple(sorted(grid, key=lambda record: (record.L, record.dx)))
    assert found.words == "H = 1, long input (NA = NB = dx)"
    assert (found.same, found.total) == (10, 13)
    assert found.note == "Shown: H = 1, long input (NA = NB = dx). Other records in the store: 3."
    assert chosen(grid, Choice()).note == "Shown: H = 1, long input (NA = NB = dx)."


def test_what_most_records_have(record):
    records = [record(1, 4, 5), *(record(L, 4, 9, H=2, sides=(1, 1)) for L in (1, 2, 3))]
    assert chosen(records, Choice()).words == "H = 2, N = 2 tokens"
    records = [record(L, 4, 9, H=2, sides=(2, 1), residual=True) for L in (1, 2)]
    assert chosen(records, Choice()).words == "with skip connections, H = 2, NA = 2, NB = 1 tokens"


@pytest.mark.parametrize(
    ("choice", "expected", "words"),
    [
        (Choice(H=2), [(2, 4, 2)], "H = 2, long input (NA = NB = dx)"),
        (Choice(H="dx"), [(2, 2, 2), (2, 4, 4)], "H = dx, long input (NA = NB = dx)"),
        (Choice(H="dx/2"), [(2, 2, 1), (2, 4, 2)], "H = dx/2, long input (NA = NB = dx)"),
        (Choice(N=2), [(2, 4, 1)], "H = 1, N = 2 tokens"),
        (Choice(N=4), [(1, 2, 1)], "H = 1, N = 4 tokens"),
        (Choice(N="1+2"), [(3, 4, 1)], "H = 1, NA = 1, NB = 2 tokens"),
        (Choice(H=1, N="long", residual=True), [(2, 4, 1)], "with skip connections, H = 1, long input (NA = NB = dx)"),
        (Choice(variant="causal"), [(2, 2, 1)], "variant causal, H = 1, long input (NA = NB = dx)"),
    ],
    ids=str,
)
def test_a_choice_is_kept_to(record, choice, expected, words):
    records = [
        record(1, 2, 3),
        record(2, 2, 17, H=2),
        record(2, 4, 107, H=2),
        record(2, 4, 85, H=4),
        record(2, 4, 70, sides=(1, 1)),
        record(3, 4, 70, sides=(1, 2)),
        record(2, 4, 111, residual=True),
        record(2, 2, 12, variant="causal"),
    ]
    if choice.H == 2:
        expected = [(2, 2, 2), *expected]
    if choice.H == "dx/2":
        expected = [(1, 2, 1), expected[1]]
    found = chosen(records, choice)
    assert places(found) == expected
    assert found.words == words


def test_of_several_draws_the_largest_rank(record):
    records = [record(2, 4, 108, upper=110, seed=1), record(2, 4, 110, seed=2), record(2, 4, None, upper=110, seed=3)]
    found = chosen(records, Choice())
    assert [record.rank for record in found.records] == [110]
    assert (found.same, found.total) == (3, 3)
    assert found.note.endswith("dx).")


def test_every_number_of_heads_is_kept_when_asked(record):
    records = [record(2, 4, 110), record(2, 4, 107, H=2), record(2, 4, 85, H=4)]
    assert places(chosen(records, Choice(), heads=False)) == [(2, 4, 1), (2, 4, 2), (2, 4, 4)]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (Choice(H=3), "store must hold records with H = 3, got H = 1, 2"),
        (Choice(N=12), "store must hold records with N = 12 tokens, got N = 2, 3\\+1, long"),
        (Choice(residual=True), "store must hold records with residual = True, got residual = False"),
        (
            Choice(variant="odd"),
            "store must hold a rank or a bound of the variant 'odd' to draw, got none in 4 records",
        ),
    ],
    ids=str,
)
def test_nothing_left(record, choice, message):
    records = [record(2, 4, 110), record(2, 4, 9, sides=(1, 1)), record(2, 4, 9, sides=(3, 1)), record(2, 4, 107, H=2)]
    with pytest.raises(InvalidInput, match=message):
        chosen(records, choice)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"H": 0}, "H must be whole numbers of at least 1, .* got '0'"),
        ({"H": "1,2"}, "H must be one number, dx or dx/2, got '1,2'"),
        ({"N": 5}, "N must be one even number, long, or two sides such as 3\\+5, got 5"),
        ({"N": "2:4"}, "N must be one even number"),
        ({"N": "short"}, "N must be long, whole numbers .* got 'short'"),
    ],
    ids=str,
)
def test_choices_that_are_none(choice, message):
    with pytest.raises(InvalidInput, match=message):
        Choice(**choice)


def test_no_records_and_records_without_a_number(record):
    for records in ([], [record(2, 4, None, status="error", error="failed")]):
        with pytest.raises(InvalidInput, match=f"got none in {len(records)} records"):
            chosen(records, Choice())


@given(st.integers(0, 10**5), st.integers(-3, 3))
def test_logarithms_of_long_numbers(power, shift):
    value = 3**power + (shift if power > 2 else 0)
    assert log3(value) == pytest.approx(power, rel=1e-12, abs=0.2)
    text = power_text(value, None)
    assert text == str(value) if value < 10**6 else text.startswith("$3^{")


def test_numbers_for_figures():
    assert power_text(None, None) == ""
    assert power_text(999_999, 1.0) == "999999"
    assert power_text(3**20, None) == "$3^{\\mathrm{20}}$"
    assert power_text(None, 5.98e9) == "$3^{\\mathrm{6.0e9}}$"
