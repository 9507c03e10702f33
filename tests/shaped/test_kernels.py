"""Random numbers of the kernels: published vectors of Philox, the normal law, dependence on (seed, path, step) only."""

import numpy as np
import pytest
from scipy import stats

from seprank.shaped.integrate import parameters
from seprank.shaped.kernels import LANES, fill_normals, normals_needed, philox
from seprank.shaped.setup import Setup

# Philox4x32-10 known answers, from the Random123 library (Salmon et al. 2011).
VECTORS = [
    ([0] * 6, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 6, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]


@pytest.mark.parametrize(("given", "expected"), VECTORS)
def test_published_vectors(given, expected):
    assert [int(word) for word in philox(*map(np.uint64, given))] == expected


def normals(count, seed, first, step):
    out, words = np.empty((count, LANES)), np.empty((count + count % 2, LANES), np.uint64)
    fill_normals(out, words, np.uint64(seed), first, step)
    return out


def test_words_of_a_tile_are_those_of_philox():
    words = np.empty((4, LANES), np.uint64)
    fill_normals(np.empty((4, LANES)), words, np.uint64(2**40 + 3), 7, 11)
    a = philox(*map(np.uint64, [1, 11, 12, 0, 3, 2**8]))
    assert [int(words[2, 5]), int(words[3, 5])] == [int(a[0]) << 32 | int(a[1]), int(a[2]) << 32 | int(a[3])]


def test_normal_law():
    draws = np.concatenate([normals(64, 5, LANES * tile, 3).ravel() for tile in range(200)])
    N = draws.size
    assert abs(draws.mean()) < 5 / np.sqrt(N)
    assert abs(draws.var() - 1) < 5 * np.sqrt(2 / N)
    assert abs(np.mean(draws**4) - 3) < 5 * np.sqrt(96 / N)
    assert stats.kstest(draws, "norm").statistic < 2.0 / np.sqrt(N)
    beyond = np.mean(np.abs(draws) > 3.7)  # the tail of the ziggurat starts at 3.654
    expected = 2 * stats.norm.sf(3.7)
    assert abs(beyond - expected) < 5 * np.sqrt(expected / N)


def test_neighbours_are_uncorrelated():
    a, b = normals(64, 5, 0, 3), normals(64, 5, 0, 4)
    tile = normals(64, 5, LANES, 3)
    for first, second in ((a[:-1], a[1:]), (a, b), (a, tile), (a[:, :-1], a[:, 1:])):
        assert abs(np.mean(first * second)) < 5 / np.sqrt(first.size)


def test_a_number_depends_on_seed_path_step_and_index_alone():
    long, short = normals(9, 5, 10, 3), normals(4, 5, 12, 3)
    assert np.array_equal(long[:4, 2:], short[:, :-2])
    assert not np.array_equal(normals(4, 6, 12, 3), short)


def test_how_many_are_needed():
    full = Setup(m=3, n=10, depth=10, gamma=0.5, tau0=1.0)
    residual = Setup(m=3, n=10, depth=10, gamma=0.5, tau0=1.0, block="residual")
    assert (normals_needed(3, parameters(full)), normals_needed(3, parameters(residual))) == (15, 6)
    assert normals_needed(3, parameters(full, "euler")) == 18
