"""The task of reversing a string: a few steps, going on after a stop, files that are no checkpoints; whole if asked."""

import os

import numpy as np
import pytest
import torch

from seprank.errors import InvalidInput, TooLarge
from seprank.signal.reverse_encoder import Encoder, training
from seprank.signal.reverse_task import (
    ReverseTask,
    initial_weights,
    positions,
    refuse_if_large,
    reverse_task,
    strings,
)

LONG = bool(os.environ.get("SEPRANK_LONG"))
SMALL = {"L": 2, "seeds": 2, "length": 5, "d": 8, "batch": 8}


def test_a_few_steps_lower_the_loss_and_networks_start_alike():
    result = reverse_task(ReverseTask(steps=60, **SMALL))
    assert [(found.alpha, found.seed) for found in result.networks] == [
        ("1", 1),
        ("1", 2),
        ("1/sqrt(L)", 1),
        ("1/sqrt(L)", 2),
    ]
    assert [note.step for note in result.notes] == [0, 10, 20, 30, 40, 50, 59]
    first, last = result.notes[0], result.notes[-1]
    assert all(after < before for before, after in zip(first.loss, last.loss, strict=True))
    assert all(0.0 <= found.accuracy <= 1.0 for found in result.networks)
    assert result.accuracies("1") == [found.accuracy for found in result.networks[:2]]


def test_deep_unscaled_encoders_start_collapsed():
    task = ReverseTask(steps=1, seeds=2, batch=8)
    unscaled, scaled = (reverse_task(task).networks[place : place + 2] for place in (0, 2))
    assert all(found.start.cosine > 0.98 for found in unscaled)
    assert all(found.start.cosine < 0.75 for found in scaled)
    assert max(found.start.ratio for found in unscaled) * 20 < min(found.start.ratio for found in scaled)


def test_a_run_that_stopped_goes_on_as_if_it_had_not(tmp_path):
    path = tmp_path / "run.pt"
    whole = reverse_task(ReverseTask(steps=12, **SMALL))
    reverse_task(ReverseTask(steps=5, **SMALL), path)
    assert [file.name for file in tmp_path.iterdir()] == ["run.pt"]
    steps = []
    again = reverse_task(ReverseTask(steps=12, **SMALL), path, lambda done, total: steps.append((done, total)))
    assert steps == [(step, 12) for step in range(6, 13)]
    assert again.networks == whole.networks
    assert [note for note in again.notes if note.step % 10 == 0 or note.step == 11] == list(whole.notes)
    assert reverse_task(ReverseTask(steps=12, **SMALL), path).networks == whole.networks


def test_a_kill_between_checkpoints_costs_only_the_steps_since(tmp_path):
    path = tmp_path / "run.pt"
    task = ReverseTask(steps=9, **SMALL)

    def killer(done, total):
        if done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reverse_task(task, path, killer, save_every=3)
    steps = []
    again = reverse_task(task, path, lambda done, total: steps.append(done), save_every=3)
    assert steps == [7, 8, 9]
    assert again == reverse_task(task)


def test_a_network_does_not_depend_on_those_beside_it():
    both = reverse_task(ReverseTask(steps=4, **SMALL)).networks
    alone = reverse_task(ReverseTask(steps=4, **SMALL | {"alphas": ("1/sqrt(L)",), "seeds": 1})).networks
    assert alone[0].accuracy == both[2].accuracy
    assert alone[0].start.cosine == pytest.approx(both[2].start.cosine, abs=1e-12)


def test_the_loss_is_cross_entropy_against_the_string_from_its_end():
    task = ReverseTask(**SMALL)
    model = Encoder(task)
    digits = torch.from_numpy(strings(task, 3))
    with torch.no_grad():
        logits, found = model(digits).numpy(), model.loss(digits)
    for network in range(4):
        wanted = digits[network].numpy()[:, ::-1]
        shifted = np.exp(logits[network] - logits[network].max(axis=-1, keepdims=True))
        shares = np.take_along_axis(shifted / shifted.sum(axis=-1, keepdims=True), wanted[..., None].copy(), -1)
        assert found.values[network].item() == pytest.approx(-np.log(shares).mean(), rel=1e-12)
        assert found.accuracy[network].item() == (logits[network].argmax(-1) == wanted).mean()


def test_draws():
    task = ReverseTask(seeds=3, alphas=("1", "0.5"))
    digits = strings(task, 7)
    assert digits.shape == (6, 64, 20)
    assert set(digits.flat) == set(range(10))
    assert (digits[:3] == digits[3:]).all()
    assert not (digits[0] == strings(task, 8)[0]).all()
    embeddings, readouts = initial_weights(task)
    assert embeddings.std() == pytest.approx(1.0, abs=0.15)
    assert readouts.std() == pytest.approx((2 / 26) ** 0.5, rel=0.15)
    assert positions(4, 6)[2].tolist() == pytest.approx(
        [f(2 / 10000 ** (k / 6)) for k in (0, 2, 4) for f in (np.sin, np.cos)]
    )


def test_a_file_that_does_not_fit_is_refused(tmp_path):
    path = tmp_path / "run.pt"
    reverse_task(ReverseTask(steps=2, **SMALL), path)
    with pytest.raises(InvalidInput, match=r"checkpoint must belong to the same task, got .* with d = 8 in place of 4"):
        reverse_task(ReverseTask(steps=2, **SMALL | {"d": 4}), path)
    with pytest.raises(InvalidInput, match="steps must be at least the 2 of the checkpoint, got 1"):
        reverse_task(ReverseTask(steps=1, **SMALL), path)
    document = torch.load(path, weights_only=True)
    for broken in ({"schema": "other/1"}, document | {"model": {}}, document | {"notes": [1]}, [1, 2]):
        torch.save(broken, path)
        with pytest.raises(InvalidInput, match="checkpoint must be a file of seprank"):
            reverse_task(ReverseTask(steps=2, **SMALL), path)
    path.write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(InvalidInput, match="checkpoint must be a file of seprank"):
        reverse_task(ReverseTask(steps=2, **SMALL), path)


def test_numbers_beyond_floats_are_named_by_layer_step_and_seed():
    run = training(ReverseTask(steps=3, **SMALL))
    run.run(1)
    with torch.no_grad():
        run.model.network.blocks[1].first[1].fill_(float("nan"))
    with pytest.raises(InvalidInput, match="got NaN or an infinity in layer 2 at step 1, seed 2"):
        run.run(3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"d": 7}, "d must be even, since positions are pairs of sine and cosine, got 7"),
        ({"alphas": ("x",)}, "alpha must be a number from 0 to 1e6 or a rule"),
        ({"alphas": ()}, "alphas must hold one branch scale at least, got none"),
        ({"rate": -1.0}, "rate must be a positive number"),
        ({"length": 1}, "length must be a whole number from 2"),
        ({"batch": 0}, "batch must be a whole number from 1"),
    ],
)
def test_bad_tasks(wrong, message):
    with pytest.raises(InvalidInput, match=message):
        ReverseTask(**wrong)


def test_too_large_a_task_is_refused():
    with pytest.raises(TooLarge, match="one step would take about"):
        refuse_if_large(ReverseTask(d=10**4))


@pytest.mark.long
@pytest.mark.skipif(not LONG, reason="two minutes: SEPRANK_LONG=1 runs it")
def test_deep_encoders_learn_with_scaled_branches_only():
    result = reverse_task(ReverseTask())
    assert max(result.accuracies("1")) < 0.3
    assert min(result.accuracies("1/sqrt(L)")) > 0.95
