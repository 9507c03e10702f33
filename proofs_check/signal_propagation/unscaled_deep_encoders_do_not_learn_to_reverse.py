"""Twelve POST-LN blocks learn to reverse a string when scaled only.   Source: noci2022signal, Fig. 5."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from proofs_check.plain.signal_reverse_draws import Task
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.fig5",
    title="Fig. 5: a deep POST-LN encoder learns to reverse a string with 1/sqrt(L) branches, not with unscaled ones",
    statement=r"12 blocks of width 16, one head, ReLU, Adam with rate 0.01, batches of 64, strings of 20 digits: "
    r"with $\alpha=1$ the share "
    r"of right digits stays below 0.3 after 700 steps (chance 0.1); with $\alpha=1/\sqrt L$ it exceeds 0.95 after 300.",
    source="noci2022signal, Fig. 5, section 3.4 and appendix C.1",
    scope="three seeds (with alpha = 1 two of them for 300 steps only); quick: one seed, strings of 8 digits, 150 "
    "steps",
    expected=Verdict.HOLDS,
    paper="SP",
    note="The paper has 5 blocks; there the outcome with alpha = 1 depends on the seed. Batch size, steps and hidden "
    "width are not given "
    "there. Layer norm has no scale and shift here.",
)

HIGH, LOW, BETWEEN = "above 0.95", "below 0.3", "between"


def cases(level: str) -> Iterable[Task]:
    """Scaled and unscaled branches."""
    scaled = 12**-0.5
    if level == "full":
        for seed in (1, 2, 3):
            yield Task(12, scaled, 300, seed)
            yield Task(12, 1.0, 700 if seed == 1 else 300, seed)
    else:
        yield Task(12, scaled, 150, 2, 8)
        yield Task(12, 1.0, 150, 2, 8)


def _word(accuracy: float) -> str:
    return HIGH if accuracy > 0.95 else LOW if accuracy < 0.3 else BETWEEN


@cache
def by_hand(case: Task) -> str:
    """Derivatives and Adam written out in numpy."""
    from proofs_check.plain.signal_reverse_numpy import final_accuracy

    return _word(final_accuracy(case))


@cache
def by_autograd(case: Task) -> str:
    """torch's autograd and Adam."""
    from proofs_check.plain.signal_reverse_torch import final_accuracy

    return _word(final_accuracy(case))


def roads() -> Mapping[str, Road]:
    """The share of right digits on fresh strings after training, twice."""
    return {"autograd and torch's Adam": by_autograd, "derivatives and Adam by hand": by_hand}


def holds(case: Task, result: str) -> bool:
    """Scaled branches learn, unscaled ones do not."""
    return result == (LOW if case.alpha == 1.0 else HIGH)


def mutants() -> Mapping[str, Claim]:
    """Both learn, or neither does, as the loss at the first step alone would say."""
    return {
        "unscaled branches learn, too": lambda case, result: result == HIGH,
        "scaled branches do not learn either": lambda case, result: result == LOW,
    }
