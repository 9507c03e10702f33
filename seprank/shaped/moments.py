"""Moments of softmax logits and of shaped attention, to the order that the limit sees (noci2023shaped, Appendix C)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.validate import real_number

Array = NDArray[Any]


def softmax_expansion(y: ArrayLike, tau: float) -> Array:
    """Softmax of y / tau to second order in 1 / tau, along the last axis; the error is O(tau^-3) (Eq. 8).

    >>> softmax_expansion([0.0, 1.0], 10.0).round(6).tolist()
    [0.475, 0.525]
    """
    y, tau = np.asarray(y, np.float64), real_number("tau", tau, positive=True)
    m = y.shape[-1]
    deviation = y - y.mean(axis=-1, keepdims=True)
    squares = deviation**2
    second = squares - squares.mean(axis=-1, keepdims=True)
    return 1 / m + deviation / (tau * m) + second / (2 * tau**2 * m)


def centred(V: ArrayLike) -> Array:
    """C = H V H, the covariance of the tokens without their mean, for an m x m covariance V."""
    V = np.asarray(V, np.float64)
    means = V.mean(axis=-1, keepdims=True)
    return V - means - np.swapaxes(means, -1, -2) + V.mean(axis=(-1, -2), keepdims=True)


def logit_moment(V: ArrayLike) -> Array:
    """E[Y_ad Y_bw] / n_k = V_ab V_dw, as an array [a, d, b, w]; exact at every width (Lemma C.1)."""
    V = np.asarray(V, np.float64)
    return np.einsum("ab,dw->adbw", V, V)


def S1(V: ArrayLike) -> Array:
    """Second moment of centred logits over n_k, [a, d, b, w] = V_ab C_dw; exact, sums over d vanish (Lemma C.2).

    >>> float(S1([[1.0, 0.0], [0.0, 1.0]])[0, 0, 0, 1])
    -0.5
    """
    V = np.asarray(V, np.float64)
    return np.einsum("ab,dw->adbw", V, centred(V))


def S2(V: ArrayLike) -> Array:
    """Mean squared centred logit less its mean over the row, over n_k: [a, d] = V_aa (C_dd - tr C / m) (Lemma C.2).

    Exact; rows sum to 0, and it vanishes for m = 2 and for equal variances and covariances.
    """
    V = np.asarray(V, np.float64)
    spread = np.diag(centred(V))
    return np.outer(np.diag(V), spread - spread.mean())


def attention_mean(V: ArrayLike, n: float, tau0: float) -> Array:
    """E[A - I] = S2 / (2 m tau0^2 n) of shaped attention, up to O(n^-2); fluctuations are O(n^-1/2) (Lemma C.3)."""
    V = np.asarray(V, np.float64)
    return S2(V) / (2 * V.shape[0] * tau0**2 * n)


def attention_second_moment(V: ArrayLike, n: float, tau0: float) -> Array:
    """E[A_ad A_bw] as [a, d, b, w], up to O(n^-2) (Lemma C.3)."""
    V = np.asarray(V, np.float64)
    m, eye = V.shape[0], np.eye(V.shape[0])
    mean = attention_mean(V, n, tau0)
    noise = S1(V) / (tau0**2 * n * m**2)
    return (
        np.einsum("ad,bw->adbw", eye, eye)
        + noise
        + np.einsum("ad,bw->adbw", eye, mean)
        + np.einsum("ad,bw->adbw", mean, eye)
    )


def attention_product_covariance(V: ArrayLike, n: float, tau0: float) -> Array:
    """Cov(A_aa' A_bb', A_dd' A_ww') as [a, a', b, b', d, d', w, w'], up to O(n^-2) (Lemma C.5)."""
    V = np.asarray(V, np.float64)
    m, eye = V.shape[0], np.eye(V.shape[0])
    noise = S1(V) / (tau0**2 * n * m**2)
    return (
        np.einsum("ae,dh,bfwz->aebfdhwz", eye, eye, noise)
        + np.einsum("ae,wz,bfdh->aebfdhwz", eye, eye, noise)
        + np.einsum("bf,dh,aewz->aebfdhwz", eye, eye, noise)
        + np.einsum("bf,wz,aedh->aebfdhwz", eye, eye, noise)
    )
