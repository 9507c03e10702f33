"""Grids of cases: ranges with both ends, what is skipped and counted, and what is refused."""

import pytest

from seprank.errors import InvalidInput
from seprank.study.grid import grid
from seprank.study.ranges import head_counts, seconds_of, token_counts, whole_values


def sizes(found):
    return [
        (case.architecture.L, case.architecture.dx, case.architecture.H, case.partition.NA, case.partition.NB)
        for case in found.cases
    ]


def test_all_combinations_in_order():
    found = grid("1:2", "2,4", "1,dx", "long,2")
    assert sizes(found) == [(L, dx, H, N, N) for L in (1, 2) for dx in (2, 4) for H in (1, dx) for N in (dx, 1)]
    assert (found.skipped, found.repeated) == ({}, 0)


def test_what_makes_no_sense_is_skipped_and_counted():
    found = grid("1", "2:8", "1,2,dx", "long,2:5")
    brute = {
        (1, dx, H, *sides)
        for dx in range(2, 9)
        for H in (1, 2, dx)
        if dx % H == 0
        for sides in ((dx, dx), (1, 1), (2, 2))
    }
    assert set(sizes(found)) == brute
    assert found.skipped == {"H does not divide dx": 3 * 5, "N is odd": (7 * 3 - 3) * 2}
    assert len(found.cases) + found.repeated + sum(found.skipped.values()) == 7 * 3 * 5


def test_sides_and_quotients_and_the_draw():
    found = grid(2, [6], "dx/2,dx/3,dx/4", "3+5", residual=True, method="full", prime=65537, seed=7)
    assert sizes(found) == [(2, 6, 3, 3, 5), (2, 6, 2, 3, 5)]
    assert {(case.prime, case.seed, case.method, case.architecture.residual) for case in found.cases} == {
        (65537, 7, "full", True)
    }
    assert found.skipped == {"H does not divide dx": 1}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("3", (3,)),
        ("1:4", (1, 2, 3, 4)),
        ("2:9:3,1", (2, 5, 8, 1)),
        (5, (5,)),
        ([1, "2:3"], (1, 2, 3)),
        (" 1 , 2 ", (1, 2)),
    ],
)
def test_ranges_include_both_ends(text, values):
    assert whole_values("L", text) == values


@pytest.mark.parametrize(
    "text", ["", "0", "1:", ":3", "1:2:0", "a", "1.5", "-1", "1,,2", "dx", "1:2:3:4", "0x3", [None]]
)
def test_other_text_is_refused(text):
    with pytest.raises(
        InvalidInput, match=r"^L must be whole numbers of at least 1 or ranges of them such as 1:4, got "
    ):
        whole_values("L", text)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: whole_values("L", "4:1"), "L must be a range from the smaller to the larger end, got '4:1'"),
        (lambda: whole_values("dx", "1:200000"), "dx must have at most 100000 values, got '1:200000'"),
        (lambda: head_counts("2dx"), "H must be whole numbers of at least 1, ranges of them such as 1:4, dx or dx/2"),
        (lambda: head_counts("dx/0"), "H must be"),
        (lambda: token_counts("1"), "N must be long, whole numbers of at least 2"),
        (lambda: token_counts("3+0"), "N must be long"),
        (lambda: grid("1:1000", "1:1000", "1:2"), "the grid must have at most 1000000 cases, got 2000000"),
        (lambda: grid("1", "2", prime=9), "prime must be a prime"),
    ],
)
def test_grids_that_break_a_rule_are_refused(call, message):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2h", 7200),
        ("90m", 5400),
        ("1h30m", 5400),
        ("45", 45),
        ("45s", 45),
        ("1.5h", 5400),
        ("1d2h", 93600),
        (0.5, 0.5),
    ],
)
def test_times(text, seconds):
    assert seconds_of("budget", text) == seconds


@pytest.mark.parametrize("text", ["", "0", "0h", "-1", "2 h", "h", "1m2h", "nan", "inf", True, "1e5"])
def test_other_times_are_refused(text):
    with pytest.raises(InvalidInput, match=r"^budget must be a positive time such as 2h, 90m, 1h30m or 45s, got"):
        seconds_of("budget", text)
