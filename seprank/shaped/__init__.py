"""Shaped transformers: covariance SDEs of the proportional limit, their integrators, finite networks beside them.

The public names are loaded on first use, so that importing this room costs nothing.
"""

from typing import TYPE_CHECKING

from seprank.lazy_names import lazy_names

if TYPE_CHECKING:
    from seprank.shaped.activation import normaliser, nu, relu_drift, shaped_relu
    from seprank.shaped.advice import ShapedAdvice, shaped_advice
    from seprank.shaped.attention_module import ShapedAttention
    from seprank.shaped.block_module import ShapedBlock, ShapedReLU
    from seprank.shaped.coefficients import (
        attention_covariance,
        attention_drift,
        covariance,
        drift,
        residual_drift,
        score_covariance,
        sigma_lin,
    )
    from seprank.shaped.compare import Comparison, law_distances
    from seprank.shaped.fokker_planck import Density
    from seprank.shaped.full_gradients import gradients
    from seprank.shaped.full_variants import Variant, variant
    from seprank.shaped.hitting import Hitting, hitting_estimate
    from seprank.shaped.probability_attention import logit_bias_drift, mixture_drift
    from seprank.shaped.quantiles import entries
    from seprank.shaped.schedule import at_step
    from seprank.shaped.setup import Law, Setup, causal_mask, equicorrelated
    from seprank.shaped.stability import blow_up_time, explodes, hitting_probability, spread
    from seprank.shaped.stability_report import Stability
    from seprank.shaped.two_tokens import correlation_law, distance_law
    from seprank.shaped.unshaped import leading_law

_HOME = {
    "Comparison": "compare",
    "Density": "fokker_planck",
    "Hitting": "hitting",
    "Law": "setup",
    "Setup": "setup",
    "ShapedAdvice": "advice",
    "ShapedAttention": "attention_module",
    "ShapedBlock": "block_module",
    "ShapedReLU": "block_module",
    "Stability": "stability_report",
    "Variant": "full_variants",
    "at_step": "schedule",
    "attention_covariance": "coefficients",
    "attention_drift": "coefficients",
    "blow_up_time": "stability",
    "causal_mask": "setup",
    "correlation_law": "two_tokens",
    "covariance": "coefficients",
    "distance_law": "two_tokens",
    "drift": "coefficients",
    "entries": "quantiles",
    "equicorrelated": "setup",
    "explodes": "stability",
    "gradients": "full_gradients",
    "hitting_estimate": "hitting",
    "hitting_probability": "stability",
    "law_distances": "compare",
    "leading_law": "unshaped",
    "logit_bias_drift": "probability_attention",
    "mixture_drift": "probability_attention",
    "normaliser": "activation",
    "nu": "activation",
    "relu_drift": "activation",
    "residual_drift": "coefficients",
    "score_covariance": "coefficients",
    "shaped_advice": "advice",
    "shaped_relu": "activation",
    "sigma_lin": "coefficients",
    "spread": "stability",
    "variant": "full_variants",
}

__all__ = [
    "Comparison",
    "Density",
    "Hitting",
    "Law",
    "Setup",
    "ShapedAdvice",
    "ShapedAttention",
    "ShapedBlock",
    "ShapedReLU",
    "Stability",
    "Variant",
    "at_step",
    "attention_covariance",
    "attention_drift",
    "blow_up_time",
    "causal_mask",
    "correlation_law",
    "covariance",
    "distance_law",
    "drift",
    "entries",
    "equicorrelated",
    "explodes",
    "gradients",
    "hitting_estimate",
    "hitting_probability",
    "law_distances",
    "leading_law",
    "logit_bias_drift",
    "mixture_drift",
    "normaliser",
    "nu",
    "relu_drift",
    "residual_drift",
    "score_covariance",
    "shaped_advice",
    "shaped_relu",
    "sigma_lin",
    "spread",
    "variant",
]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
