"""Reversing a string of digits: deep encoders learn it with scaled branches, and do not with unscaled ones."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seprank.errors import InvalidInput, TooLarge
from seprank.signal.network_sizes import NetworkSizes
from seprank.signal.scaling import branch_scale
from seprank.validate import real_number, whole_number

if TYPE_CHECKING:
    from seprank.signal.depth_measure import Progress
    from seprank.signal.training import Note

SCHEMA = "seprank.signal.reverse-task.checkpoint/1"
DIGITS = 10
MOST_BYTES = 2**33
FRESH = 10  # batches of fresh strings at the end
START_STREAM, BATCH_STREAM = 9, 10  # end the seeds of draws


@dataclass(frozen=True)
class ReverseTask:
    """Encoders of `L` POST-LN blocks with one head and ReLU, trained with Adam to print `length` digits from the end.

    `alphas` are branch scales as text, a number or a rule such as "1/sqrt(L)"; every one is trained with the seeds
    1..`seeds`. `d` is the even width of the embedding, `batch` the number of strings a step, `rate` the learning rate.
    Raises `InvalidInput`. Source: noci2022signal, Fig. 5 and appendix C.1 (batch, steps and hidden width are ours).
    """

    L: int = 12
    alphas: tuple[str, ...] = ("1", "1/sqrt(L)")
    steps: int = 700
    seeds: int = 3
    length: int = 20
    d: int = 16
    batch: int = 64
    rate: float = 0.01

    def __post_init__(self) -> None:
        for name, least in (("L", 1), ("steps", 1), ("seeds", 1), ("length", 2), ("d", 2), ("batch", 1)):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), least=least, most=10**6))
        object.__setattr__(self, "rate", real_number("rate", self.rate, positive=True))
        if self.d % 2:
            raise InvalidInput(f"d must be even, since positions are pairs of sine and cosine, got {self.d}")
        if not self.alphas:
            raise InvalidInput("alphas must hold one branch scale at least, got none")
        for alpha in self.alphas:
            branch_scale("alpha", alpha, self.L)

    @property
    def sizes(self) -> NetworkSizes:
        """The encoder; scales are set for each network."""
        return NetworkSizes(L=self.L, d=self.d, norm="post", activation="relu")

    @property
    def networks(self) -> list[tuple[str, int]]:
        """Branch scale and seed of every network, in the order in which they are trained side by side."""
        return [(alpha, seed) for alpha in self.alphas for seed in range(1, self.seeds + 1)]


@dataclass(frozen=True)
class Start:
    """At initialisation, of one network: mean cosine of the tokens that enter the last block, and norms of the query
    gradient over the value gradient there (not squared)."""

    cosine: float
    ratio: float


@dataclass(frozen=True)
class Trained:
    """One network: its branch scale and seed, how it started, and the share of right digits on fresh strings."""

    alpha: str
    seed: int
    start: Start
    accuracy: float


@dataclass(frozen=True)
class ReverseResult:
    """All networks of a task, and their losses and accuracies on the way (lists in the order of `networks`)."""

    task: ReverseTask
    networks: tuple[Trained, ...]
    notes: tuple[Note, ...]

    def accuracies(self, alpha: str) -> list[float]:
        """Those of the networks with one branch scale, by seed."""
        return [network.accuracy for network in self.networks if network.alpha == alpha]


def reverse_task(
    task: ReverseTask, checkpoint: Path | None = None, progress: Progress | None = None, save_every: int = 50
) -> ReverseResult:
    """Train all networks of `task` side by side, in float64 on one thread.

    With a `checkpoint` file a run that was killed goes on where it was, and ends with the same numbers. Raises
    `InvalidInput`. Needs torch. Source: noci2022signal, Fig. 5.

    >>> tiny = ReverseTask(L=1, alphas=("1",), steps=2, seeds=1, length=3, d=4, batch=2)
    >>> [network.seed for network in reverse_task(tiny).networks]
    [1]
    """
    from seprank.signal.network_threads import one_thread
    from seprank.signal.reverse_encoder import final_accuracies, starts, training

    with one_thread():
        run = training(task)
        beginnings = starts(run, task)
        run.run(task.steps, checkpoint, progress, save_every)
        accuracies = final_accuracies(run, task)
    pairs = zip(task.networks, beginnings, accuracies, strict=True)
    networks = tuple(Trained(alpha, seed, start, accuracy) for (alpha, seed), start, accuracy in pairs)
    return ReverseResult(task, networks, tuple(run.notes))


def strings(task: ReverseTask, step: int) -> np.ndarray:
    """The strings of a step for every network, (networks, batch, length); networks of one seed see the same."""
    shape = (task.batch, task.length)
    return np.stack(
        [np.random.default_rng([seed, step, BATCH_STREAM]).integers(0, DIGITS, shape) for _, seed in task.networks]
    )


def initial_weights(task: ReverseTask) -> tuple[np.ndarray, np.ndarray]:
    """Embedding (networks, digits, d) of variance 1 and read-out (networks, d, digits) of Xavier's variance."""
    found = []
    for _, seed in task.networks:
        draw = np.random.default_rng([seed, 0, START_STREAM])
        embedding = draw.standard_normal((DIGITS, task.d))
        found.append((embedding, sqrt(2 / (task.d + DIGITS)) * draw.standard_normal((task.d, DIGITS))))
    embeddings, readouts = zip(*found, strict=True)
    return np.stack(embeddings), np.stack(readouts)


def positions(length: int, d: int) -> np.ndarray:
    """Sinusoidal positions (length, d): sine and cosine by turns.

    >>> positions(2, 2).round(3).tolist()
    [[0.0, 1.0], [0.841, 0.54]]
    """
    angles = np.arange(length)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(length, d)


def plain_task(task: ReverseTask) -> dict[str, Any]:
    """The task as plain values, without the number of steps, which a checkpoint may exceed later."""
    found = asdict(task) | {"alphas": list(task.alphas)}
    del found["steps"]
    return found


def seconds(task: ReverseTask) -> float:
    """A rough estimate of the time that `reverse_task` takes on one core."""
    tokens = len(task.networks) * task.batch * task.length * task.L
    return task.steps * tokens * (26.0 * task.d + 2.6 * task.d**2 + 8.0 * task.length) * 1e-9


def refuse_if_large(task: ReverseTask) -> None:
    """Raise `TooLarge` where the graph of one step would take over 8 GiB, before anything is computed."""
    tokens = len(task.networks) * task.batch * task.length * task.L
    weights = 4 * len(task.networks) * task.sizes.entries
    needed = 8 * (tokens * (16 * task.d + 3 * task.length) + weights)
    if needed > MOST_BYTES:
        raise TooLarge(
            f"one step would take about {needed / 2**30:.3g} GiB, above the limit of {MOST_BYTES / 2**30:g}; a smaller "
            "batch, depth or width makes it fit"
        )
