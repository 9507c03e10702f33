"""Density of the representation norm of many networks, softmax against uniform attention."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from seprank.plots.canvas import COLOURS, SMALL, label, legend, sheet
from seprank.signal.figure_runs import NormSamples

BINS = 40
CAPTION = """
Density of the logarithm of the squared norm behind L linear blocks of branch scale 0.5, one panel an input scale.
Filled: softmax attention; line: uniform attention, the same weights and tokens. KS: Kolmogorov-Smirnov distance of the
two samples. Uniform attention is close at the input scale 1/sqrt(d) only; tails grow heavier with depth.
"""


def signal_norm_density(samples: Sequence[NormSamples]) -> Figure:
    """Histograms of log10 of the squared norm, by input scale and depth.

    Source: noci2022signal, Fig. 11.
    """
    sigmas = list(dict.fromkeys(sample.sigma for sample in samples))
    first = samples[0]
    note = f"d = {first.sizes.d}, {len(first.softmax)} networks."
    figure, axes = sheet(11.0, 3.4, f"{CAPTION} {note}", columns=len(sigmas))
    for ax, sigma in zip(axes, sigmas, strict=True):
        for sample, colour in zip((s for s in samples if s.sigma == sigma), COLOURS, strict=False):
            both = np.concatenate([sample.softmax, sample.uniform])
            low, high = np.percentile(both, [0.2, 99.8])
            bins = np.linspace(low, high, BINS).tolist()
            name = f"L = {sample.sizes.L}, KS {sample.distance:.2f}"
            ax.hist(sample.softmax, bins=bins, density=True, color=colour, alpha=0.35, label=name)
            ax.hist(sample.uniform, bins=bins, density=True, color=colour, histtype="step", linewidth=1.4)
        label(ax, f"$\\sigma$ = {sigma:.3g}", "$\\log_{10}$ of the squared norm", "density" if ax is axes[0] else "")
        legend(ax, title_fontsize=SMALL)
    return figure
