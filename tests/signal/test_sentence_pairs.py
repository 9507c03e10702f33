"""Training on sentence pairs: files, batches, the encoder-decoder, a few steps on generated pairs, going on."""

import numpy as np
import pytest
import torch

from seprank.errors import InvalidInput
from seprank.signal.network import Seen
from seprank.signal.network_decoder import Decoder
from seprank.signal.network_sizes import NetworkSizes
from seprank.signal.sentence_files import PADDING, Pair, Vocabulary, batch_of, read_pairs
from seprank.signal.sentence_pairs import PairTask, Translator, layer_states, train_on_pairs

SCALED = {"alpha1": "1/sqrt(L)", "alpha2": "1/sqrt(L)", "trainable": True, "tau": 2.0, "tau_steps": 10}
WORDS = ["ab", "cd", "ef", "gh", "ij", "kl"]


def generated(count, longest=5, seed=0):
    """Pairs of a sentence and the same sentence in capitals."""
    draw = np.random.default_rng(seed)
    sentences = [list(draw.choice(WORDS, draw.integers(1, longest + 1))) for _ in range(count)]
    return [Pair(sentence, [word.upper() for word in sentence]) for sentence in sentences]


def written(path, pairs):
    path.write_text("".join(f"{' '.join(p.source)}\t{' '.join(p.target)}\n" for p in pairs), encoding="utf-8")
    return path


def task(**more):
    sizes = NetworkSizes(L=2, d=16, H=2, **SCALED)
    return PairTask(sizes, **{"steps": 60, "batch": 16, "rate": 0.02} | more)


def test_a_file_is_read(tmp_path):
    pairs = generated(20)
    assert read_pairs(written(tmp_path / "pairs.tsv", pairs)) == pairs
    assert read_pairs(written(tmp_path / "pairs.tsv", pairs), longest=2) == [
        Pair(p.source[:2], p.target[:2]) for p in pairs
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\tb\n\na b\n", "two sentences parted by a tab on each line, got 'a b' on line 3"),
        (b"a\t \n", "two sentences parted by a tab"),
        (b"a\tb\tc\n", "two sentences parted by a tab"),
        (b"\n", "pairs must hold one pair at least, got none"),
        (b"\xff\t\xfe", "it is not UTF-8"),
    ],
)
def test_files_that_are_no_pairs(tmp_path, content, message):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=message):
        read_pairs(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InvalidInput, match="pairs must be a TSV file that can be read"):
        read_pairs(tmp_path / "none.tsv")


def test_batches_are_padded_and_shifted():
    batch = batch_of([([4, 5], [6]), ([7], [8, 9, 1])])
    assert batch.source.tolist() == [[4, 5, 3], [7, 3, 0]]
    assert batch.given.tolist() == [[2, 6, 0, 0], [2, 8, 9, 1]]
    assert batch.wanted.tolist() == [[6, 3, 0, 0], [8, 9, 1, 3]]
    assert Vocabulary.of([["x"]]).numbers(["x", "y"]) == [4, 1]


@pytest.mark.parametrize("norm", ["none", "post", "pre"])
def test_padding_changes_nothing_and_later_words_are_hidden(norm):
    words = Vocabulary(("<pad>", "<unk>", "<s>", "</s>", *"abcd"))
    model = Translator(PairTask(NetworkSizes(L=2, d=8, H=2, norm=norm), steps=1), words, words)
    source, given = torch.tensor([[4, 5, 3]]), torch.tensor([[2, 6, 7]])
    longer = torch.tensor([[4, 5, 3, PADDING, PADDING]])
    with torch.no_grad():
        first = model(source, given)
        torch.testing.assert_close(model(longer, given), first, rtol=1e-12, atol=1e-12)
        torch.testing.assert_close(
            model(source, torch.tensor([[2, 6, 4]]))[:, :2], first[:, :2], rtol=1e-12, atol=1e-12
        )
        assert not torch.allclose(model(source.flip(1), given), first)


def test_a_decoder_block_is_two_attentions_and_a_feed_forward():
    sizes = NetworkSizes(L=1, d=4, alpha1=0.7, alpha2=0.3)
    (block,) = Decoder(sizes, [3]).blocks
    X, Y = (torch.from_numpy(np.random.default_rng(seed).standard_normal((1, 2, 3, 4))) for seed in (0, 1))
    own, cross = block.own, block.cross
    assert not hasattr(own, "first")
    with torch.no_grad():
        M = (X @ own.query[:, None]) @ (X @ own.key[:, None]).mT / 2
        M = M.masked_fill(torch.ones(3, 3, dtype=torch.bool).triu(1), -torch.inf)
        Z = X + 0.7 * M.softmax(-1) @ X @ own.value[:, None]
        M = (Z @ cross.query[:, None]) @ (Y @ cross.key[:, None]).mT / 2
        Z = Z + 0.7 * M.softmax(-1) @ Y @ cross.value[:, None]
        Z = Z + 0.3 * (Z @ cross.first[:, None]).relu() @ cross.second[:, None]
        torch.testing.assert_close(block(X, 1.0, Seen(Y)), Z, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("more", [{}, {"optimiser": "adam", "rate": 0.01, "weight_decay": 0.01}])
def test_a_few_steps_lower_the_loss(more):
    found = train_on_pairs(generated(60), task(**more))
    notes = found.training.notes
    assert notes[-1].loss[0] < 0.75 * notes[0].loss[0]
    assert notes[-1].accuracy[0] > notes[0].accuracy[0]
    states = layer_states(found.model, batch_of([([4, 5, 6], [4]), ([5, 4], [4])]))
    assert len(states) == 2
    assert all(state.alpha1 != pytest.approx(0.5**0.5, abs=1e-6) for state in states)  # scales were trained
    assert all(-1 <= state.cosine <= 1 and state.norm > 0 for state in states)
    words = found.model.translate(found.source.numbers(["ab", "cd"]), longest=7)
    assert len(words) <= 7
    assert all(0 <= word < len(found.target.words) for word in words)


def test_training_goes_on_from_its_checkpoint(tmp_path):
    path, pairs = tmp_path / "run.pt", generated(30)
    whole = train_on_pairs(pairs, task(steps=8))

    def killer(done, total):
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_on_pairs(pairs, task(steps=8), path, killer, save_every=2)
    steps = []
    again = train_on_pairs(pairs, task(steps=8), path, lambda done, total: steps.append(done), save_every=2)
    assert steps == [5, 6, 7, 8]
    for first, second in zip(whole.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(first, second)
    with pytest.raises(InvalidInput, match="checkpoint must belong to the same task"):
        train_on_pairs(generated(30, seed=1), task(steps=8), path)


def test_the_rate_falls_at_40_and_80_percent():
    plan = task(steps=100, rate=1.0)
    assert [plan.rate_at(step) for step in (0, 39, 40, 79, 80)] == pytest.approx([1, 1, 0.1, 0.1, 0.01])
    assert task(optimiser="adam", rate=1.0).rate_at(59) == 1.0


def test_numbers_beyond_floats_are_named_by_layer_and_step():
    with pytest.raises(InvalidInput, match=r"got NaN or an infinity in (decoder )?layer \d at step \d+, seed 0"):
        train_on_pairs(generated(10), task(rate=1e200))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"optimiser": "lion"}, "optimiser must be one of sgd, adam, got 'lion'"),
        ({"rate": 0.0}, "rate must be a positive number"),
        ({"weight_decay": -1.0}, "weight_decay must be a number at least 0"),
        ({"vocabulary": 4}, "vocabulary must be a whole number at least 5, got 4"),
        ({"sizes": NetworkSizes(L=1, d=3)}, "d must be even"),
    ],
)
def test_bad_tasks(wrong, message):
    with pytest.raises(InvalidInput, match=message):
        PairTask(**{"sizes": NetworkSizes(L=1, d=4), "steps": 1} | wrong)
