"""Training on the k-hop task: strings, model, resumption after a kill, and what is refused."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from seprank.errors import InvalidInput, TooLarge
from seprank.parallel.hop import find, hop
from seprank.parallel.training_task import HopTask, evaluation_batch, links_of, training_batch

torch = pytest.importorskip("torch")

from seprank.parallel.training import HopTraining, torch_alone  # noqa: E402
from seprank.parallel.training_log import log_rows, read_logs  # noqa: E402

SMALL = HopTask(k=2, N=12, depth=1, alphabet=3, dx=16, H=2, batch=8, rate=1e-2, warmup=5)


def weights(run):
    return [parameter.detach().clone() for parameter in run.model.parameters()]


def equal(one, other):
    return all(torch.equal(a, b) for a, b in zip(weights(one), weights(other), strict=True))


@pytest.mark.parametrize("batch", [training_batch(SMALL, 3), evaluation_batch(SMALL, 2, 20)])
def test_answers_are_those_of_the_definition(batch):
    assert (batch.X[:, 1:] != batch.X[:, :-1]).all()
    assert set(np.unique(batch.X)) == {0, 1, 2}
    for X, hops, answers in zip(*batch, strict=True):
        assert np.array_equal(answers, hop(X, int(hops)))


def test_links_with_equal_neighbours():
    X = np.random.default_rng(0).integers(0, 3, (30, 25))
    assert np.array_equal(links_of(X, 3), [find(row) for row in X])


def test_strings_are_of_the_authors_distribution():
    """First letter uniform, each step uniform over the other letters: within 5 standard errors."""
    X = evaluation_batch(HopTask(k=1, N=50, depth=1, alphabet=4), 1, 400).X
    steps = (X[:, 1:] - X[:, :-1]) % 4
    for count, total, share in [(np.bincount(steps.ravel(), minlength=4)[1:], steps.size, 1 / 3)]:
        assert np.abs(count / total - share).max() < 5 * np.sqrt(share * (1 - share) / total)
    first = np.bincount(X[:, 0], minlength=4) / len(X)
    assert np.abs(first - 0.25).max() < 5 * np.sqrt(0.25 * 0.75 / len(X))


def test_batches_depend_on_seed_and_step_alone():
    again = training_batch(SMALL, 3)
    assert all(np.array_equal(a, b) for a, b in zip(training_batch(SMALL, 3), again, strict=True))
    assert not np.array_equal(training_batch(SMALL, 4).X, again.X)


def test_the_model_is_causal():
    model = HopTraining.start(SMALL).model.eval()
    X = torch.from_numpy(training_batch(SMALL, 0).X)
    changed = X.clone()
    changed[:, 7] = (changed[:, 7] + 1) % 3
    hops = torch.zeros(len(X), dtype=torch.int64)
    with torch.no_grad():
        one, other = model(X, hops), model(changed, hops)
    assert torch.equal(one[:, :7], other[:, :7])
    assert not torch.allclose(one[:, 7:], other[:, 7:])


def test_weights_of_attention_are_softmax_of_the_logits():
    """The layer against one written out in numpy with loops over heads."""
    run = HopTraining.start(SMALL)
    batch = training_batch(SMALL, 0)
    kept = []
    run.model.eval()
    with torch.no_grad():
        run.model(torch.from_numpy(batch.X), torch.from_numpy(batch.hops), kept)
        Z = run.model.tokens(torch.from_numpy(np.hstack([batch.hops[:, None], batch.X + 3]))) + run.model.positions
        qkv = run.model.blocks[0].qkv(run.model.blocks[0].norm1(Z)).double().numpy()
    for head in range(2):
        query, key = (qkv[..., 16 * part + 8 * head : 16 * part + 8 * head + 8] for part in (0, 1))
        logits = np.einsum("bim,bjm->bij", query, key) / np.sqrt(8)
        shares = np.exp(logits) * np.tril(np.ones((13, 13)))
        np.testing.assert_allclose(kept[0][:, head].numpy(), shares / shares.sum(-1, keepdims=True), atol=1e-5)


@pytest.mark.parametrize("dropout", [0.0, 0.2])
def test_resumed_run_is_the_uninterrupted_one(tmp_path, dropout):
    task = HopTask(**{**SMALL.plain(), "dropout": dropout})
    whole = HopTraining.start(task)
    whole.train(30, every=10)
    HopTraining.start(task).train(17, tmp_path / "a.pt", every=10, save_every=7)
    resumed = HopTraining.resume(tmp_path / "a.pt", task)
    assert resumed.step == 17
    resumed.train(30, tmp_path / "a.pt", every=10)
    assert equal(whole, resumed)
    assert resumed.errors() == whole.errors()
    assert [note for note in resumed.notes if note.step % 10 == 0] == whole.notes


def test_training_learns_and_another_seed_is_another_run():
    one, other = HopTraining.start(SMALL), HopTraining.start(HopTask(**{**SMALL.plain(), "seed": 1}))
    for run in (one, other):
        run.train(120, every=20)
        assert run.notes[-1].loss < 0.8 * run.notes[0].loss
    assert not equal(one, other)


def test_dropout_is_off_in_evaluation():
    run = HopTraining.start(HopTask(**{**SMALL.plain(), "dropout": 0.5}))
    run.train(100, every=100)
    assert run.errors() == run.errors()
    assert run.errors(dropout=True) != run.errors()
    assert sum(row.wrong for row in run.errors()) < sum(row.wrong for row in run.errors(dropout=True))


def test_torch_is_left_as_it_was():
    threads, state = torch.get_num_threads(), torch.get_rng_state()
    torch.set_num_threads(2)
    try:
        HopTraining.start(SMALL).train(2)
        assert torch.get_num_threads() == 2
        assert torch.equal(torch.get_rng_state(), state)
        with torch_alone():
            assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(threads)


def test_killed_run_goes_on(tmp_path):
    """kill -9 in the middle of training; the same command then ends with the result of an undisturbed run."""
    line = "hop train --k 1 --N 10 --depth 1 --alphabet 2 --dx 8 --H 1 --batch 4 --every 200"
    code = "import sys; from seprank.cli.main import run; sys.exit(run())"
    command = [sys.executable, "-c", code, *line.split(), "--checkpoint", str(tmp_path / "a.pt")]
    run = subprocess.Popen([*command, "--steps", "1000000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not (tmp_path / "a.pt").exists() and time.monotonic() < until:
        time.sleep(0.02)
    run.send_signal(signal.SIGKILL)
    assert run.wait() == -signal.SIGKILL
    resumed = HopTraining.resume(tmp_path / "a.pt")
    assert resumed.step % 100 == 0
    steps = resumed.step + 100
    done = subprocess.run([*command, "--steps", str(steps)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    whole = HopTraining.start(resumed.task)
    whole.train(steps)
    assert equal(HopTraining.resume(tmp_path / "a.pt"), whole)
    assert [name for name in os.listdir(tmp_path) if not name.endswith(".part")] == ["a.pt"]


def test_log_is_read_back(tmp_path):
    from seprank.cli.output import to_csv

    run = HopTraining.start(SMALL)
    run.train(20, every=10)
    (tmp_path / "log.csv").write_text(to_csv(log_rows(SMALL, run.notes)))
    assert read_logs([tmp_path / "log.csv"]) == run.errors()
    twice = read_logs([tmp_path / "log.csv"] * 2)
    assert [(row.wrong, row.scored) for row in twice] == [(2 * row.wrong, 2 * row.scored) for row in run.errors()]


def log_of(tmp_path, name, **change):
    row = {"N": 9, "alphabet": 3, "depth": 1, "H": 1, "step": 5, "hops": 1, "wrong": 2, "scored": 4} | change
    (tmp_path / name).write_text(",".join(row) + "\n" + ",".join(map(str, row.values())) + "\n")
    return tmp_path / name


def test_logs_refused(tmp_path):
    good, other = log_of(tmp_path, "a.csv"), log_of(tmp_path, "b.csv", N=8)
    assert [row.error for row in read_logs([good])] == [0.5]
    with pytest.raises(InvalidInput, match=r"one kind of strings, got .*a.csv' with 9 of 3 symbols, .*b.csv' with 8"):
        read_logs([good, other])
    for change in ({"scored": 0, "wrong": 0}, {"wrong": 5}, {"hops": "x"}):
        with pytest.raises(InvalidInput, match="log must be a file of 'seprank hop train --log'"):
            read_logs([log_of(tmp_path, "c.csv", **change)])
    (tmp_path / "d.csv").write_text("N,alphabet\n")
    with pytest.raises(InvalidInput, match="log must hold an evaluation, got none"):
        read_logs([tmp_path / "d.csv"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 0}, "k must be a whole number from 1 to 1000, got 0"),
        ({"N": 3}, "N must be above 5, so that hop_2 over 3 symbols has an answer in every string, got 3"),
        ({"H": 3}, "H must divide dx, got H=3 with dx=16"),
        ({"rate": -1.0}, "rate must be a positive number at most 1, got -1.0"),
        ({"dropout": 1.0}, "dropout must be a number from 0 to below 1, got 1.0"),
        ({"alphabet": 1}, "alphabet must be a whole number from 2 to 1000, got 1"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"batch": 10**6}, "batch must be a whole number from 1 to 5461, got 1000000"),
    ],
)
def test_sizes_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        HopTask(**{**SMALL.plain(), **change})


def test_activations_too_large():
    with pytest.raises(TooLarge, match="activations within 2 GiB, estimated"):
        HopTask(k=2, N=2000, depth=20, alphabet=3, dx=512, H=8, batch=30)


def test_another_configuration_is_refused(tmp_path):
    run = HopTraining.start(SMALL)
    run.train(2, tmp_path / "a.pt")
    with pytest.raises(InvalidInput, match=r"same configuration, got '.*a.pt' with dx = 16 in place of 32"):
        HopTraining.resume(tmp_path / "a.pt", HopTask(**{**SMALL.plain(), "dx": 32}))
    with pytest.raises(InvalidInput, match="steps must be at least the 2 of the checkpoint, got 1"):
        HopTraining.resume(tmp_path / "a.pt").train(1)


def change_weights(document):
    document["model"]["readout.bias"] = torch.zeros(7)


def change_to_nan(document):
    document["model"]["readout.bias"][0] = float("nan")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (change_weights, "weights that fit its sizes"),
        (change_to_nan, "weights that fit its sizes"),
        (lambda document: document["task"].pop("k"), "must hold the sizes of a run"),
        (lambda document: document["task"].update(k=0), "must hold the sizes of a run"),
        (lambda document: document.pop("step"), "without its fields"),
        (lambda document: document.update(step=-1), "weights that fit its sizes"),
        (lambda document: document.update(schema="another/1"), "without its fields"),
    ],
)
def test_damaged_checkpoints(tmp_path, damage, message):
    run = HopTraining.start(SMALL)
    run.save(tmp_path / "a.pt")
    document = torch.load(tmp_path / "a.pt", weights_only=True)
    damage(document)
    torch.save(document, tmp_path / "a.pt")
    with pytest.raises(InvalidInput, match=message) as raised:
        HopTraining.resume(tmp_path / "a.pt")
    assert "\n" not in str(raised.value)


def test_permissions_are_those_of_the_shell_or_of_the_file(tmp_path):
    mask = os.umask(0o027)
    try:
        HopTraining.start(SMALL).save(tmp_path / "a.pt")
    finally:
        os.umask(mask)
    assert (tmp_path / "a.pt").stat().st_mode & 0o777 == 0o640
    (tmp_path / "a.pt").chmod(0o604)
    HopTraining.start(SMALL).save(tmp_path / "a.pt")
    assert (tmp_path / "a.pt").stat().st_mode & 0o777 == 0o604


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04 torn"])
def test_files_of_another_kind(tmp_path, content):
    (tmp_path / "a.pt").write_bytes(content)
    with pytest.raises(InvalidInput, match="torn or of another kind"):
        HopTraining.resume(tmp_path / "a.pt")
    with pytest.raises(InvalidInput, match="No such file"):
        HopTraining.resume(tmp_path / "b.pt")


def test_a_rate_that_explodes_is_told():
    run = HopTraining.start(SMALL)
    with torch.no_grad():
        run.model.readout.bias[0] = float("inf")
    with pytest.raises(InvalidInput, match=r"rate must keep the loss finite, got 0.01 with .* at step 0"):
        run.train(1)


@pytest.mark.long
def test_depth_three_learns_three_hops_and_depth_two_does_not():
    """About three minutes on an idle core; by default depth 1 against 2 for one hop of shorter strings.

    Measured: 19 % against 5 % (28 % against 0 % by default); sums in float32 may differ between machines.
    """
    long = os.environ.get("SEPRANK_LONG") == "1"
    k, N, steps, shallow = (3, 32, 5000, 2) if long else (1, 12, 250, 1)
    sizes = {"dx": 64, "rate": 2e-3} if long else {"dx": 32, "rate": 4e-3, "warmup": 50}
    errors = {}
    for depth in (shallow, shallow + 1):
        run = HopTraining.start(HopTask(k=k, N=N, depth=depth, alphabet=4, batch=32, **sizes))
        run.train(steps, every=steps)
        errors[depth] = run.errors()[k].error
    assert errors[shallow] > 0.12
    assert errors[shallow + 1] < 0.6 * errors[shallow]
