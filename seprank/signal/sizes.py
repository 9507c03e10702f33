"""Widths, weight variances and inverse temperature of one attention layer."""

from __future__ import annotations

from dataclasses import dataclass

from seprank.signal.tokens import LARGEST, scale
from seprank.validate import real_number, whole_number


@dataclass(frozen=True)
class LayerSizes:
    """One attention layer S = softmax(tau X WQ WK^T X^T / sqrt(dk)) X WV on tokens of width `d`.

    Parameters
    ----------
    d, dk, dv : token width, query/key width, value width; `dk` and `dv` are `d` where they are left out.
    tau : inverse temperature.
    sigma_v2, sigma_k2 : variances of the entries of WV, and of WQ and WK; ``1/dv`` and ``1/dk`` where left out.

    Raises `InvalidInput` when a size breaks its rule. Source: noci2022signal, eq. 1 and appendix.

    >>> LayerSizes(d=64)
    LayerSizes(d=64, dk=64, dv=64, tau=1.0, sigma_v2=0.015625, sigma_k2=0.015625)
    """

    d: int
    dk: int = None  # type: ignore[assignment]  # None stands for d and is replaced when built
    dv: int = None  # type: ignore[assignment]
    tau: float = 1.0
    sigma_v2: float = None  # type: ignore[assignment]  # None stands for 1/dv
    sigma_k2: float = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        d = whole_number("d", self.d, most=LARGEST)
        dk = d if self.dk is None else whole_number("dk", self.dk, most=LARGEST)
        dv = d if self.dv is None else whole_number("dv", self.dv, most=LARGEST)
        checked = {"d": d, "dk": dk, "dv": dv, "tau": scale("tau", self.tau)}
        checked["sigma_v2"] = _variance("sigma_v2", self.sigma_v2, dv)
        checked["sigma_k2"] = _variance("sigma_k2", self.sigma_k2, dk)
        for name, value in checked.items():
            object.__setattr__(self, name, value)


def _variance(name: str, value: object, width: int) -> float:
    return 1.0 / width if value is None else real_number(name, value, most=1e20, positive=True)
