"""Training an encoder-decoder of the theory on sentence pairs: residual scaling, temperature and its warm-up, or Adam
with layer norm, as the paper compares them. Nothing is downloaded: the pairs are a TSV file of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from seprank.errors import InvalidInput, TooLarge
from seprank.signal.depth_measure import token_numbers
from seprank.signal.network import Network, Seen
from seprank.signal.network_decoder import Decoder
from seprank.signal.network_sizes import NetworkSizes
from seprank.signal.network_threads import one_thread
from seprank.signal.reverse_task import positions
from seprank.signal.sentence_files import END, PADDING, START, Batch, Pair, Vocabulary, batch_of
from seprank.signal.training import Loss, Training
from seprank.validate import real_number, whole_number

SCHEMA = "seprank.signal.sentence-pairs.checkpoint/1"
EMBEDDING_STREAM, ORDER_STREAM = 11, 12  # end the seeds of draws
DECAY_AT, DECAY = (0.4, 0.8), 0.1  # shares of training at which the rate of SGD falls, and to what
OPTIMISERS = ("sgd", "adam")
MOST_BYTES = 2**34


@dataclass(frozen=True)
class PairTask:
    """How to train: `sizes` of encoder and decoder each, optimiser "sgd" (learning rate `rate`, a tenth of it from 40 %
    and a hundredth from 80 % of the steps, no warm-up) or "adam" (constant rate), decoupled `weight_decay`.

    Raises `InvalidInput`. Source: noci2022signal, appendix C.2; the factor of the decay and all rates are ours.
    """

    sizes: NetworkSizes
    steps: int
    batch: int = 64
    rate: float = 0.02
    optimiser: str = "sgd"
    weight_decay: float = 0.0
    vocabulary: int = 10000
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("steps", 1), ("batch", 1), ("vocabulary", 5), ("seed", 0)):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), least=least))
        object.__setattr__(self, "rate", real_number("rate", self.rate, positive=True))
        object.__setattr__(self, "weight_decay", real_number("weight_decay", self.weight_decay, least=0.0))
        if self.optimiser not in OPTIMISERS:
            raise InvalidInput(f"optimiser must be one of {', '.join(OPTIMISERS)}, got {self.optimiser!r}")
        if self.sizes.d % 2:
            raise InvalidInput(f"d must be even, since positions are pairs of sine and cosine, got {self.sizes.d}")

    def rate_at(self, step: int) -> float:
        """The learning rate of a step."""
        if self.optimiser == "adam":
            return self.rate
        return float(self.rate * DECAY ** sum(step >= share * self.steps for share in DECAY_AT))


class LayerState(NamedTuple):
    """An encoder layer of a trained model: branch scales, mean cosine and squared norm of a token of its output (cosine
    None where no sentence has two)."""

    alpha1: float
    alpha2: float
    cosine: float | None
    norm: float


class Translator(torch.nn.Module):
    """Embeddings, positions, encoder, decoder and read-out, for one seed."""

    def __init__(self, task: PairTask, source: Vocabulary, target: Vocabulary) -> None:
        super().__init__()
        d = task.sizes.d
        draw = np.random.default_rng([task.seed, 0, EMBEDDING_STREAM])
        shapes = {"source": (len(source.words), d), "target": (len(target.words), d), "readout": (d, len(target.words))}
        for name, shape in shapes.items():
            deviation = (2 / sum(shape)) ** 0.5 if name == "readout" else 1.0
            self.register_parameter(
                name, torch.nn.Parameter(torch.from_numpy(deviation * draw.standard_normal((1, *shape))))
            )
        self.encoder = Network(task.sizes, [task.seed])
        self.decoder = Decoder(task.sizes, [task.seed])

    def embed(self, words: Tensor, side: str) -> Tensor:
        """Tokens (1, batch, n, d) of the numbers `words` (batch, n)."""
        embedding = self.get_parameter(side)[0]
        return (embedding[words] + torch.from_numpy(positions(words.shape[1], embedding.shape[1])))[None]

    def forward(self, source: Tensor, given: Tensor, step: int | None = None) -> Tensor:
        """Logits (batch, n, words) of the next target words; `step` sets the temperature."""
        hidden = (source == PADDING)[None]
        tokens = self.encoder(self.embed(source, "source"), step, Seen(hidden=hidden))
        found = self.decoder(self.embed(given, "target"), self.encoder.temperature(step), Seen(tokens, hidden))
        return (found @ self.get_parameter("readout")[:, None])[0]

    def loss(self, batch: Batch, step: int | None = None) -> Loss:
        """Mean cross-entropy and share of right words over the target words that are no padding."""
        source, given, wanted = map(torch.from_numpy, batch)
        logits, kept = self(source, given, step), wanted != PADDING
        values = torch.nn.functional.cross_entropy(logits[kept], wanted[kept])
        right = (logits.detach().argmax(-1) == wanted)[kept].double().mean()
        return Loss(values[None], right[None])

    def translate(self, source: Sequence[int], longest: int = 100) -> list[int]:
        """The most likely next word, again and again, until the end: numbers of target words."""
        found = [START]
        with torch.no_grad():
            words = torch.tensor([[*source, END]])
            while len(found) <= longest:
                found.append(int(self(words, torch.tensor([found]))[0, -1].argmax()))
                if found[-1] == END:
                    return found[1:-1]
        return found[1:]


@dataclass(frozen=True)
class Trained:
    """The training with its model and notes, and the vocabularies of both sides."""

    training: Training
    source: Vocabulary
    target: Vocabulary

    @property
    def model(self) -> Translator:
        """The trained model."""
        assert isinstance(self.training.model, Translator)
        return self.training.model


def train_on_pairs(
    pairs: Sequence[Pair],
    task: PairTask,
    checkpoint: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    save_every: int = 500,
) -> Trained:
    """Train on `pairs` (see `sentence_files.read_pairs`), on one thread in float64; resumable like `reverse_task`.

    Raises `InvalidInput`, also where activations leave the range of floats, with layer and step.
    Source: noci2022signal, section 4 and appendix C.2.
    """
    source = Vocabulary.of((pair.source for pair in pairs), task.vocabulary)
    target = Vocabulary.of((pair.target for pair in pairs), task.vocabulary)
    numbered = [(source.numbers(pair.source), target.numbers(pair.target)) for pair in pairs]
    with one_thread():
        training = _training(numbered, task, source, target)
        training.run(task.steps, checkpoint, progress, save_every)
    return Trained(training, source, target)


def layer_states(model: Translator, batch: Batch) -> list[LayerState]:
    """Scales, cosine and norm behind every encoder layer, over the words of `batch` that are no padding.

    Source: noci2022signal, Fig. 15.
    """
    words = torch.from_numpy(batch.source)
    hidden = (words == PADDING)[None]
    found = []
    with torch.no_grad():
        X = model.embed(words, "source")
        for block in model.encoder.blocks:
            X = block(X, model.encoder.sizes.tau, Seen(hidden=hidden))
            sentences = [X[0, row, ~hidden[0, row]][None, None] for row in range(len(words))]
            numbers = [token_numbers(each, each) for each in sentences if each.shape[2] > 1]
            cosine = 1.0 - float(np.mean([each.gap for each in numbers])) if numbers else None
            norm = float(X[~hidden].square().sum(dim=-1).mean())
            found.append(LayerState(float(block.alpha1), float(block.alpha2), cosine, norm))  # type: ignore[arg-type]
    return found


def trained_layers(trained: Trained, pairs: Sequence[Pair], most: int = 64) -> list[LayerState]:
    """`layer_states` on the first `most` of `pairs`, on one thread."""
    chosen = [(trained.source.numbers(pair.source), [END]) for pair in pairs[:most]]
    with one_thread():
        return layer_states(trained.model, batch_of(chosen))


def refuse_if_large(task: PairTask, pairs: Sequence[Pair]) -> None:
    """Raise `TooLarge` where one step would take over 16 GiB, before anything is computed."""
    sizes, n = task.sizes, 1 + max(max(len(pair.source), len(pair.target)) for pair in pairs)
    words = task.batch * n
    graph = 3 * sizes.L * words * (12 * sizes.d + 3 * sizes.dF + 3 * sizes.H * n) + 3 * words * task.vocabulary
    needed = 8 * (graph + 4 * (3 * sizes.entries + 3 * task.vocabulary * sizes.d))
    if needed > MOST_BYTES:
        raise TooLarge(
            f"one step would take up to {needed / 2**30:.3g} GiB, above the limit of {MOST_BYTES / 2**30:g}; a smaller "
            "batch, width, vocabulary or shorter sentences make it fit"
        )


def _training(
    numbered: list[tuple[list[int], list[int]]], task: PairTask, source: Vocabulary, target: Vocabulary
) -> Training:
    model = Translator(task, source, target)

    def loss(step: int) -> Loss:
        draw = np.random.default_rng([task.seed, step, ORDER_STREAM])
        chosen = draw.integers(0, len(numbered), task.batch)
        return model.loss(batch_of([numbered[index] for index in chosen]), step)

    return Training(
        model=model,
        optimiser=_optimiser(model, task),
        loss=loss,
        schedule=task.rate_at,
        task=_plain(task) | {"data": sha256(repr(numbered).encode()).hexdigest()},
        schema=SCHEMA,
        seeds=[task.seed],
    )


def _optimiser(model: torch.nn.Module, task: PairTask) -> torch.optim.Optimizer:
    """Without momentum the weight decay of SGD is the decoupled one."""
    if task.optimiser == "sgd":
        return torch.optim.SGD(model.parameters(), lr=task.rate, weight_decay=task.weight_decay)
    return torch.optim.AdamW(model.parameters(), lr=task.rate, betas=(0.9, 0.98), weight_decay=task.weight_decay)


def _plain(task: PairTask) -> dict[str, Any]:
    return asdict(task) | {"sizes": asdict(task.sizes)}
