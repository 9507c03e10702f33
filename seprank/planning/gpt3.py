"""The GPT-3 family: sizes as printed, with what is odd about them.

Source: Brown et al., Language Models are Few-Shot Learners, 2020, Table 2.1 (key brown2020language).
"""

from __future__ import annotations

from typing import NamedTuple

from seprank.planning.guideline import Plan, plan_model
from seprank.planning.transition_fit import PAPER_FIT, TransitionFit


class PrintedModel(NamedTuple):
    """A model as a table prints it: name, stated parameters, depth, width, heads, head size, and a remark."""

    name: str
    params: int
    L: int
    dx: int
    H: int
    da: int
    note: str = ""


GPT3 = (
    PrintedModel("GPT-3 Small", 125_000_000, 12, 768, 12, 64),
    PrintedModel("GPT-3 Medium", 350_000_000, 24, 1024, 16, 64),
    PrintedModel("GPT-3 Large", 760_000_000, 24, 1536, 16, 96),
    PrintedModel("GPT-3 XL", 1_300_000_000, 24, 2048, 24, 128, "24 heads of 128 are printed, 3072 and not 2048"),
    PrintedModel("GPT-3 2.7B", 2_700_000_000, 32, 2560, 32, 80),
    PrintedModel("GPT-3 6.7B", 6_700_000_000, 32, 4096, 32, 128),
    PrintedModel("GPT-3 13B", 13_000_000_000, 40, 5140, 40, 128, "40 heads of 128 are printed, 5120 and not 5140"),
    PrintedModel("GPT-3 175B", 175_000_000_000, 96, 12288, 96, 128),
)
"""The eight models of Table 2.1, smallest first; `params` includes embeddings."""


def gpt3_plans(fit: TransitionFit = PAPER_FIT) -> dict[str, Plan]:
    """The plan of each of these models by its ``12 L dx^2`` parameters, smallest first.

    >>> [plan.verdict for plan in gpt3_plans().values()][-2:]
    ['too shallow', 'too deep']
    """
    return {model.name: plan_model(model.L, model.dx, fit) for model in GPT3}
