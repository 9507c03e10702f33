import numpy as np
import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights, random_weights, whole_residues
from seprank.errors import InvalidInput
from seprank.field.draw import residues

SIZES = Architecture(L=2, dx=4, H=2, da=3)


def arrays(dtype=np.int64):
    return {
        "query": np.ones((2, 2, 3, 4), dtype),
        "key": np.ones((2, 2, 3, 4), dtype),
        "value": np.ones((2, 2, 3, 4), dtype),
        "output": np.ones((2, 2, 4, 3), dtype),
    }


def test_random_weights_are_the_streams_q_k_v_o_in_row_major_order():
    weights = random_weights(SIZES, prime=509, seed=5)
    for array, stream in zip(weights, "QKVO", strict=True):
        assert array.ravel().tolist() == residues(5, stream, 48, 509).tolist()
    assert weights.output.shape == (2, 2, 4, 3)


def test_random_weights_of_another_seed_differ():
    assert (random_weights(SIZES, 509, 1).query != random_weights(SIZES, 509, 2).query).any()


def test_a_deeper_network_starts_with_the_same_layers():
    deep = random_weights(Architecture(L=3, dx=4, H=2, da=3), 509, 5)
    for few, more in zip(random_weights(SIZES, 509, 5), deep, strict=True):
        assert np.array_equal(few, more[:2])


@pytest.mark.parametrize("name", ["query", "key", "value", "output"])
def test_a_wrong_shape_is_refused(name):
    given = arrays() | {name: np.ones((2, 2, 2, 2), int)}
    with pytest.raises(InvalidInput, match=rf"^{name} must have shape \(2, 2, .*\), got \(2, 2, 2, 2\)$"):
        Weights(SIZES, **given)


@pytest.mark.parametrize("dtype", [bool, complex, object, "U1"])
def test_a_type_that_is_not_a_real_number_is_refused(dtype):
    with pytest.raises(InvalidInput, match=r"^query must hold finite real numbers"):
        Weights(SIZES, **arrays(dtype))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_value_that_is_not_finite_is_refused(value):
    given = arrays(float)
    given["key"][1, 1, 2, 3] = value
    with pytest.raises(InvalidInput, match=r"^key must hold finite real numbers"):
        Weights(SIZES, **given)


def test_a_value_beyond_int64_is_refused():
    given = arrays(np.uint64)
    given["value"][0, 0, 0, 0] = 2**63
    with pytest.raises(InvalidInput, match=r"^value must hold finite real numbers below"):
        Weights(SIZES, **given)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_every_whole_number_type_is_exact(dtype):
    weights = Weights(SIZES, **arrays(dtype))
    assert weights.is_integer
    assert [array.dtype for array in weights] == [np.int64] * 4


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floating_point_weights_are_kept_and_refused_where_exactness_is_needed(dtype):
    weights = Weights(SIZES, **arrays(dtype))
    assert not weights.is_integer
    with pytest.raises(InvalidInput, match=r"whole numbers for exact arithmetic"):
        weights.as_residues(509)


def test_the_stored_arrays_are_copies_that_cannot_be_written():
    given = arrays()
    weights = Weights(SIZES, **given)
    given["query"][:] = 7
    assert (weights.query == 1).all()
    with pytest.raises(ValueError, match=r"read-only"):
        weights.query[0, 0, 0, 0] = 2


def test_sizes_are_read_off_the_arrays():
    weights = Weights.from_arrays(**arrays(), residual=True)
    assert weights.architecture == Architecture(L=2, dx=4, H=2, da=3, residual=True)
    with pytest.raises(InvalidInput, match=r"^query must have shape \(L, H, da, dx\), got \(3,\)$"):
        Weights.from_arrays([1, 2, 3], [1], [1], [1])
    with pytest.raises(InvalidInput, match=r"^output must have shape"):
        Weights.from_arrays(*[np.ones((2, 2, 3, 4))] * 4)


def test_residues_of_negative_weights_lie_in_the_field():
    weights = Weights.from_arrays(*[[[[[-1]]]]] * 4)
    assert [array.item() for array in weights.as_residues(7)] == [6] * 4
    with pytest.raises(InvalidInput, match=r"^prime must be a prime at most 2147483647, got 6$"):
        weights.as_residues(6)


def test_random_weights_need_a_prime():
    with pytest.raises(InvalidInput, match=r"^prime must be a prime"):
        random_weights(SIZES, 2**31, 0)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, object])
def test_whole_residues_takes_every_whole_number_type(dtype):
    assert whole_residues("x", np.array([100, 3], dtype), 2147483647).tolist() == [100, 3]
    assert whole_residues("x", np.array([100, 3], dtype), 7).tolist() == [2, 3]


def test_whole_residues_of_the_largest_unsigned_number():
    assert whole_residues("x", np.array([2**64 - 1], np.uint64), 7).tolist() == [(2**64 - 1) % 7]


@pytest.mark.parametrize("values", [[1.0], [True], ["1"], np.array([1.5], object), np.array([True], object)])
def test_whole_residues_refuses_everything_else(values):
    with pytest.raises(InvalidInput, match=r"^x must be whole numbers, got dtype"):
        whole_residues("x", values, 7)
