"""Depth and width for a parameter budget, from the sizes at which depth starts to pay (levine2020depth, section 5)."""

from seprank.planning.guideline import Plan, plan, plan_model
from seprank.planning.least_squares import LineFit, TransitionPoint, fit_points
from seprank.planning.points_file import read_points
from seprank.planning.transition_fit import PAPER_FIT, TransitionFit

__all__ = [
    "PAPER_FIT",
    "LineFit",
    "Plan",
    "TransitionFit",
    "TransitionPoint",
    "fit_points",
    "plan",
    "plan_model",
    "read_points",
]
