import numpy as np
import pytest

from seprank.attention.partition import Partition
from seprank.errors import InvalidInput
from seprank.field.draw import residues
from seprank.separation.assignments import draw_assignments


def test_the_sides_are_the_streams_a_and_b():
    A, B = draw_assignments(Partition(2, 3), dx=4, prime=509, seed=6, count=5)
    assert A.shape == (5, 2, 4)
    assert B.shape == (5, 3, 4)
    assert A.ravel().tolist() == residues(6, "A", 40, 509).tolist()
    assert B.ravel().tolist() == residues(6, "B", 60, 509).tolist()


def test_more_assignments_begin_with_the_same_ones():
    few = draw_assignments(Partition(2, 3), 4, 509, 6, count=5)
    more = draw_assignments(Partition(2, 3), 4, 509, 6, count=(9, 7))
    assert [len(side) for side in more] == [9, 7]
    for short, long in zip(few, more, strict=True):
        assert np.array_equal(short, long[:5])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dx": 0}, "^dx must be a whole number at least 1, got 0$"),
        ({"count": 0}, "^count must be a whole number at least 1, got 0$"),
        ({"count": (3, 0)}, "^count must be a whole number at least 1, got 0$"),
        ({"count": 2.0}, "^count must be a whole number at least 1, got 2.0$"),
        ({"prime": 8}, "^prime must be a prime at most 2147483647, got 8$"),
    ],
)
def test_bad_arguments_are_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        draw_assignments(Partition(1, 1), **({"dx": 2, "prime": 7, "seed": 0, "count": 3} | change))
