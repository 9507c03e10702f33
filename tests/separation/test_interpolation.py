import pytest

from seprank.errors import InvalidInput
from seprank.separation.interpolation import interpolation_matrix


@pytest.mark.parametrize("prime", [101, 4194301, 2147483647])
@pytest.mark.parametrize("count", [1, 2, 5, 14, 41])
def test_coefficients_come_back_from_values(prime, count):
    nodes = [t * t for t in range(count)]
    coefficients = [pow(3, 7 * k + 1, prime) for k in range(count)]
    values = [sum(a * pow(node, k, prime) for k, a in enumerate(coefficients)) % prime for node in nodes]
    rows = interpolation_matrix(nodes, prime)
    assert [sum(c * v for c, v in zip(row, values, strict=True)) % prime for row in rows] == coefficients


def test_nodes_that_agree_modulo_the_prime_are_refused():
    with pytest.raises(InvalidInput, match=r"^nodes must differ modulo the prime 7, got \[0, 1, 8\]$"):
        interpolation_matrix([0, 1, 8], 7)
