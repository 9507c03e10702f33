"""One attention layer delivers every pattern of messages, and notices when it cannot."""

import math

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.parallel.codebook import Codebook, default_dimension, rows_for_all_patterns
from seprank.parallel.routing import route, temperature

PAYLOAD = 1000


def random_pattern(N, beta, seed, words=1):
    """Every machine sends and receives at most beta messages: beta random permutations on top of one another."""
    generator = np.random.default_rng(seed)
    out = [{} for _ in range(N)]
    for _ in range(beta):
        for sender, receiver in enumerate(generator.permutation(N).tolist()):
            out[sender][receiver] = generator.integers(PAYLOAD, size=words).tolist()
    return out


def delivered(outboxes):
    """What must arrive, by carrying each message by hand."""
    boxes = [{} for _ in outboxes]
    for sender, box in enumerate(outboxes):
        for receiver, message in box.items():
            boxes[receiver][sender] = tuple(message)
    return boxes


def wrong(outboxes, found):
    return sum(got != sent for got, sent in zip(found.inboxes, delivered(outboxes), strict=True))


@pytest.mark.parametrize(("N", "beta"), [(1, 1), (2, 1), (32, 1), (32, 2), (64, 2), (64, 4)])
def test_random_patterns_arrive(N, beta):
    for seed in range(3):
        outboxes = random_pattern(N, beta, seed)
        found = route(Codebook(N, beta, rows=12, seed=seed), outboxes, PAYLOAD)
        assert wrong(outboxes, found) == 0
        assert found.flagged == ()
        assert found.deviation < 1e-3
        assert found.worst_score < 0.5 or beta == N


def structured(N, beta):
    yield [{(sender + shift) % N: [sender] for shift in range(beta)} for sender in range(N)]
    yield [{sender - sender % beta + other: [1] for other in range(beta)} for sender in range(N)]
    yield [{sender: [sender]} for sender in range(N)]
    yield [{} for _ in range(N)]
    yield [{0: [sender]} if sender < beta else {} for sender in range(N)]
    side = math.isqrt(N)
    yield [{(sender % side) * side + sender // side: [sender]} for sender in range(N)]


def test_structured_patterns_arrive():
    for outboxes in structured(64, 4):
        found = route(Codebook(64, 4, rows=12), outboxes, PAYLOAD)
        assert (wrong(outboxes, found), found.flagged) == (0, ())


def test_messages_of_several_words():
    outboxes = random_pattern(32, 2, seed=5, words=3)
    found = route(Codebook(32, 2), outboxes, PAYLOAD, words=3)
    assert (wrong(outboxes, found), found.flagged) == (0, ())


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_half_the_precision_is_enough(dtype):
    for seed in range(3):
        outboxes = random_pattern(64, 2, seed)
        found = route(Codebook(64, 2, seed=seed), outboxes, PAYLOAD, dtype=dtype)
        assert (wrong(outboxes, found), found.flagged) == (0, ())


def test_receivers_average_over_their_senders_and_the_sink():
    outboxes = random_pattern(32, 2, seed=1)
    weights = route(Codebook(32, 2), outboxes, PAYLOAD).weights
    for receiver, sent in enumerate(delivered(outboxes)):
        expected = np.zeros(33)
        expected[[*sent, 32]] = 1 / (len(sent) + 1)
        np.testing.assert_allclose(weights[receiver], expected, atol=1e-5)


@pytest.mark.parametrize(
    ("harm", "least"),
    [({"scale": 0.3}, 100), ({"key_bits": 4}, 30), ({"dimension": 12}, 5), ({"rows": 1}, 30)],
    ids=["hot softmax", "coarse keys", "short codes", "one row of tables"],
)
def test_what_breaks_it_is_noticed(harm, least):
    """Every one of these makes receivers wrong; nearly all of those raise their flag, or the scores tell."""
    sizes = {name: harm[name] for name in ("dimension", "rows") if name in harm}
    options = {name: harm[name] for name in ("scale", "key_bits") if name in harm}
    mistakes, silent = 0, 0
    for seed in range(4):
        outboxes = random_pattern(64, 2, seed)
        found = route(Codebook(64, 2, seed=seed, **sizes), outboxes, PAYLOAD, **options)
        for machine, (got, sent) in enumerate(zip(found.inboxes, delivered(outboxes), strict=True)):
            mistakes += got != sent
            silent += got != sent and machine not in found.flagged
    assert mistakes > least
    assert silent <= mistakes / 50 or found.worst_score > 0.5


def test_destinations_score_one():
    book = Codebook(64, 4)
    for destinations in ([3], [1, 2], [0, 10, 20, 63]):
        scores = book.signs @ book.key(destinations) / book.dimension
        np.testing.assert_allclose(scores[destinations], 1, atol=1e-12)
    assert not book.key([]).any()


def test_sizes():
    assert default_dimension(64, 4) == 272
    assert rows_for_all_patterns(64, 4) == math.ceil(2 * 16 * 6 + 4) + 1
    assert temperature(64, 2, 1000) == pytest.approx(2 * math.log(16 * 64 * 3 * 2 * 1000))
    found = route(Codebook(32, 2, rows=7), random_pattern(32, 2, 0), PAYLOAD)
    assert (found.query_width, found.value_width) == (113, 225)
    assert (Codebook(9, 2, seed=1).signs == Codebook(9, 2, seed=1).signs).all()
    assert (Codebook(9, 2, seed=1).signs != Codebook(9, 2, seed=2).signs).any()


def test_buckets_are_spread():
    book = Codebook(64, 2, rows=3)
    senders, receivers = (array.ravel() for array in np.meshgrid(np.arange(64), np.arange(64)))
    for row in range(3):
        counts = np.bincount(book.bucket(row, senders, receivers), minlength=8)
        assert np.abs(counts - 512).max() < 110  # five standard deviations


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Codebook(0, 1), "machines must be a whole number at least 1, got 0"),
        (lambda: Codebook(4, 5), "fan_in must be a whole number from 1 to 4, got 5"),
        (lambda: route(Codebook(2, 1), [{}], 9), "outboxes must be one for each of 2 machines, got 1"),
        (lambda: route(Codebook(3, 1), [{0: [1], 1: [1]}, {}, {}], 9), "machine 0 must send at most 1 messages, got 2"),
        (lambda: route(Codebook(3, 1), [{0: [1]}, {0: [1]}, {}], 9), "machine 0 must receive at most 1 messages"),
        (lambda: route(Codebook(2, 1), [{0: [9]}, {}], 9), "machine 0 must send 1 whole numbers from 0 to 8"),
        (lambda: route(Codebook(2, 1), [{2: [1]}, {}], 9), "receiver must be a whole number from 0 to 1, got 2"),
        (lambda: Codebook(8, 4, dimension=2).key([0, 1, 2, 3]), "dimension must keep the codes of 4 destinations"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
