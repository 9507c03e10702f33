"""Compiled loops of the integrators: random numbers, one step of each scheme, whole paths.

`LANES` paths advance together, the path being the last index of every array, so that the innermost loops are over
paths and compile to vector instructions. A normal number is a function of (seed, path, step, index) alone: the
counter of Philox4x32-10 (Salmon et al. 2011), turned into a normal by the ziggurat of 256 layers. One file, since
stored machine code is looked up by file.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seprank.field.kernels import kernel

LANES = 64
WORK = 9  # matrices of scratch
Array = NDArray[Any]

# Places in the array of parameters.
GAMMA, TAU0, LINEAR, RELU, HEADS, ATTENDS, MASKED, EULER = range(8)

_LOW = np.uint64(0xFFFFFFFF)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_S8, _S12, _S32 = np.uint64(8), np.uint64(12), np.uint64(32)
_TAIL = 3.6541528853610088  # start of the tail of a ziggurat of 256 layers
_RUNAWAY = 1e4  # a squared norm so many times that of the radius stops a path at any step, on the radius
_STEP_LIMIT = 0.01  # adaptive steps: dt <= 0.01 tau0^2 / (gamma^4 D^2)


def _ziggurat() -> tuple[Array, Array]:
    """Right ends of the 256 layers, each of the same area, and the density there; the first layer holds the tail."""
    tail = math.sqrt(math.pi / 2) * math.erfc(_TAIL / math.sqrt(2))
    area = _TAIL * math.exp(-_TAIL * _TAIL / 2) + tail
    ends = [area / math.exp(-_TAIL * _TAIL / 2), _TAIL]
    while len(ends) < 256:
        ends.append(math.sqrt(-2 * math.log(area / ends[-1] + math.exp(-(ends[-1] ** 2) / 2))))
    ends.append(0.0)
    edges = np.array(ends)
    return edges, np.exp(-edges * edges / 2)


_ENDS, _DENSITY = _ziggurat()


@kernel
def philox(c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any) -> Any:
    """Ten rounds of Philox4x32: four words of 32 bits (as uint64) from a counter of four words and a key of two."""
    for _ in range(10):
        p0, p1 = _M0 * c0, _M1 * c2
        c0, c1, c2, c3 = (p1 >> _S32) ^ c1 ^ k0, p1 & _LOW, (p0 >> _S32) ^ c3 ^ k1, p0 & _LOW
        k0, k1 = (k0 + _W0) & _LOW, (k1 + _W1) & _LOW
    return c0, c1, c2, c3


@kernel
def _unit(word: Any) -> float:
    """A number in (0, 1) from the upper 52 bits of a word."""
    return (np.float64(np.int64(word >> _S12)) + 0.5) * 2.0**-52


@kernel
def _rejected(word: Any, index: Any, step: Any, path: Any, k0: Any, k1: Any) -> float:
    """The ziggurat behind its first test, with new words from the upper half of the counters when needed."""
    attempt = np.uint64(1)
    while True:
        layer = np.int64(word & np.uint64(255))
        x = _unit(word) * _ENDS[layer]
        sign = 1.0 if (word >> _S8) & np.uint64(1) else -1.0
        a0, a1, a2, a3 = philox(index, step, path, attempt, k0, k1)
        if x < _ENDS[layer + 1]:
            return sign * x
        u, v = _unit(a0 << _S32 | a1), _unit(a2 << _S32 | a3)
        if layer == 0:
            x = -math.log(u) / _TAIL
            if -2.0 * math.log(v) > x * x:
                return sign * (_TAIL + x)
        elif _DENSITY[layer] + u * (_DENSITY[layer + 1] - _DENSITY[layer]) < math.exp(-0.5 * x * x):
            return sign * x
        a0, a1, a2, a3 = philox(index, step, path, attempt + np.uint64(1), k0, k1)
        word = a0 << _S32 | a1
        attempt += np.uint64(2)


@kernel
def _fill_words(words: Array, k0: Any, k1: Any, first_path: int, step: int) -> None:
    """Philox of the counters (row pair, step, path, 0), round by round over all lanes so that it is vectorised."""
    c0, c1 = np.empty(LANES, np.uint64), np.empty(LANES, np.uint64)
    c2, c3 = np.empty(LANES, np.uint64), np.empty(LANES, np.uint64)
    for pair in range(words.shape[0] // 2):
        q0, q1 = k0, k1
        for lane in range(LANES):
            c0[lane], c1[lane], c2[lane], c3[lane] = pair, step, first_path + lane, 0
        for _ in range(10):
            for lane in range(LANES):
                p0, p1 = _M0 * (c0[lane] & _LOW), _M1 * (c2[lane] & _LOW)
                c0[lane] = (p1 >> _S32) ^ c1[lane] ^ q0
                c1[lane] = p1 & _LOW
                c2[lane] = (p0 >> _S32) ^ c3[lane] ^ q1
                c3[lane] = p0 & _LOW
            q0, q1 = (q0 + _W0) & _LOW, (q1 + _W1) & _LOW
        for lane in range(LANES):
            words[2 * pair, lane] = c0[lane] << _S32 | c1[lane]
            words[2 * pair + 1, lane] = c2[lane] << _S32 | c3[lane]


@kernel
def fill_normals(out: Array, words: Array, seed: Any, first_path: int, step: int) -> None:
    """Fill ``out[index, lane]`` with normals of path ``first_path + lane``.

    `words` is scratch with as many rows as `out`, rounded up to an even number.
    """
    k0, k1 = np.uint64(seed) & _LOW, np.uint64(seed) >> _S32
    _fill_words(words, k0, k1, first_path, step)
    for index in range(out.shape[0]):
        for lane in range(LANES):
            word = words[index, lane]
            layer = np.int64(word & np.uint64(255))
            x = _unit(word) * _ENDS[layer]
            if x < _ENDS[layer + 1]:
                out[index, lane] = x if (word >> _S8) & np.uint64(1) else -x
            else:
                out[index, lane] = _rejected(
                    word, np.uint64(index), np.uint64(step), np.uint64(first_path + lane), k0, k1
                )


@kernel
def _uniform(seed: Any, path: int, step: int) -> float:
    """A uniform number of (seed, path, step), from counters that no normal uses."""
    k0, k1 = np.uint64(seed) & _LOW, np.uint64(seed) >> _S32
    a0, a1, _, _ = philox(_LOW, np.uint64(step), np.uint64(path), _LOW, k0, k1)
    return _unit(a0 << _S32 | a1)


@kernel
def _cholesky(V: Array, R: Array, s: Array) -> None:
    """Lower triangular R with V = R R^T; pivots that rounding makes negative count as 0. `s` is scratch."""
    m = V.shape[0]
    for j in range(m):
        for i in range(j):
            for lane in range(LANES):
                R[i, j, lane] = 0.0
        for i in range(j, m):
            for lane in range(LANES):
                s[lane] = V[i, j, lane]
            for k in range(j):
                for lane in range(LANES):
                    s[lane] -= R[i, k, lane] * R[j, k, lane]
            if i == j:
                for lane in range(LANES):
                    R[j, j, lane] = math.sqrt(max(s[lane], 0.0))
            else:
                for lane in range(LANES):
                    pivot = R[j, j, lane]
                    good = pivot * pivot > 1e-15 * V[j, j, lane]
                    R[i, j, lane] = s[lane] / (pivot if good else 1.0) if good else 0.0


@kernel
def _relu(V: Array, dt: Array, rate: float, target: Array) -> None:
    """Add the ReLU drift of V times dt to `target`, off the diagonal; rate = gamma^2 (c_plus - c_minus)^2 / (2 pi)."""
    m = V.shape[0]
    for i in range(m):
        for j in range(i):
            for lane in range(LANES):
                size = math.sqrt(V[i, i, lane] * V[j, j, lane])
                rho = min(1.0, max(-1.0, V[i, j, lane] / max(size, 1e-300)))
                step = dt[lane] * rate * size * (math.sqrt(1.0 - rho * rho) - rho * math.acos(rho))
                target[i, j, lane] += step
                if i != j:
                    target[j, i, lane] = target[i, j, lane]


@kernel
def _product(A: Array, B: Array, out: Array, triangular: bool) -> None:
    """out = A B^T if B is the lower triangular factor (`triangular`), else out = A B."""
    m = A.shape[0]
    for i in range(m):
        for j in range(m):
            row = out[i, j]
            for lane in range(LANES):
                row[lane] = 0.0
            for k in range(j + 1 if triangular else m):
                other = B[j, k] if triangular else B[k, j]
                for lane in range(LANES):
                    row[lane] += A[i, k, lane] * other[lane]


@kernel
def _lower_times(R: Array, B: Array, out: Array) -> None:
    """out = R B for lower triangular R and any B."""
    m = R.shape[0]
    for i in range(m):
        for j in range(m):
            for lane in range(LANES):
                out[i, j, lane] = 0.0
            for k in range(i + 1):
                for lane in range(LANES):
                    out[i, j, lane] += R[i, k, lane] * B[k, j, lane]


@kernel
def _logit_noise(R: Array, E: Array, scratch: Array, F: Array, allowed: Array) -> None:
    """F = R E R^T with every row centred over its allowed tokens and divided by their number, 0 elsewhere."""
    m = R.shape[0]
    _lower_times(R, E, scratch)
    _product(scratch, R, F, True)
    _centre(F, allowed)
    for i in range(m):
        share = 1.0 / allowed[i].sum()
        for j in range(m):
            for lane in range(LANES):
                F[i, j, lane] *= share


@kernel
def _centre(F: Array, allowed: Array) -> None:
    """Subtract from every row its mean over the allowed tokens; 0 elsewhere."""
    m = F.shape[0]
    mean = np.empty(LANES)
    for i in range(m):
        share = 1.0 / allowed[i].sum()
        mean[:] = 0.0
        for j in range(m):
            for lane in range(LANES):
                mean[lane] += share * allowed[i, j] * F[i, j, lane]
        for j in range(m):
            for lane in range(LANES):
                F[i, j, lane] = allowed[i, j] * (F[i, j, lane] - mean[lane])


@kernel
def _second_order(V: Array, allowed: Array, out: Array) -> None:
    """out = S_2 with row a divided by the number of tokens allowed to a."""
    m = V.shape[0]
    sums, total = np.empty((m, LANES)), np.empty(LANES)
    for i in range(m):
        share = 1.0 / allowed[i].sum()
        for j in range(m):
            sums[j] = 0.0
            for k in range(m):
                for lane in range(LANES):
                    sums[j, lane] += share * allowed[i, k] * V[j, k, lane]
        total[:] = 0.0
        for j in range(m):
            for lane in range(LANES):
                out[i, j, lane] = V[j, j, lane] - 2.0 * sums[j, lane]
                total[lane] += share * allowed[i, j] * out[i, j, lane]
        for j in range(m):
            for lane in range(LANES):
                out[i, j, lane] = share * allowed[i, j] * V[i, i, lane] * (out[i, j, lane] - total[lane])


@kernel
def _full_scores(V: Array, S: Array, norm: Array, means: Array) -> None:
    """Without a mask: S = S_2 / m and norm = ||C||_F^2 / m^2, for C = H V H. `means` is scratch, (m + 2) rows."""
    m = V.shape[0]
    total, trace = means[m], means[m + 1]
    means[:] = 0.0
    norm[:] = 0.0
    for i in range(m):
        for j in range(m):
            for lane in range(LANES):
                means[i, lane] += V[i, j, lane] / m
        for lane in range(LANES):
            total[lane] += means[i, lane] / m
    for i in range(m):
        for j in range(i + 1):
            weight = (1.0 if i == j else 2.0) / (m * m)
            for lane in range(LANES):
                c = V[i, j, lane] - means[i, lane] - means[j, lane] + total[lane]
                norm[lane] += weight * c * c
        for lane in range(LANES):
            S[0, i, lane] = V[i, i, lane] - 2.0 * means[i, lane] + total[lane]
            trace[lane] += S[0, i, lane] / m
    for i in range(m - 1, -1, -1):
        for j in range(m):
            for lane in range(LANES):
                S[i, j, lane] = V[i, i, lane] * (S[0, j, lane] - trace[lane]) / m


@kernel
def _score_gram(V: Array, allowed: Array, out: Array) -> None:
    """out[a, b] = tr(V H_a V H_b) / (m_a m_b), in O(m^3)."""
    m = V.shape[0]
    U, W = np.zeros((m, m, LANES)), np.zeros((m, m, LANES))
    for a in range(m):  # U[i, a] = sum of V[i, j] over allowed j; W[i, a] the same of the squares
        for i in range(m):
            for j in range(m):
                for lane in range(LANES):
                    U[i, a, lane] += allowed[a, j] * V[i, j, lane]
                    W[i, a, lane] += allowed[a, j] * V[i, j, lane] * V[i, j, lane]
    for a in range(m):
        for b in range(m):
            ma, mb = allowed[a].sum(), allowed[b].sum()
            for lane in range(LANES):
                squares, left, right, both = 0.0, 0.0, 0.0, 0.0
                for i in range(m):
                    squares += allowed[a, i] * W[i, b, lane]
                    left += allowed[a, i] * U[i, b, lane] * U[i, b, lane]
                    right += allowed[b, i] * U[i, a, lane] * U[i, a, lane]
                    both += allowed[a, i] * U[i, b, lane]
                found = squares - left / mb - right / ma + both * both / (ma * mb)
                out[a, b, lane] = found / (ma * mb)


@kernel
def _mean_logits(V: Array, dt: Array, p: Array, allowed: Array, target: Array, S: Array, work: Array) -> None:
    """S = S_2 divided by row sizes, and target = V (1 + share dt G) with G_ab = tr(V H_a V H_b) / (m_a m_b).

    The drift has the share gamma^2 / tau0^2; the noise of the splitting brings gamma^2 / heads of it by itself. `work`
    holds at least four matrices of scratch.
    """
    m = V.shape[0]
    g2 = p[GAMMA] ** 2
    share = g2 / p[TAU0] ** 2 * (1.0 if p[EULER] else 1.0 - g2 / p[HEADS])
    if p[MASKED]:
        _second_order(V, allowed, S)
        _score_gram(V, allowed, work[0])
    else:
        _full_scores(V, S, work[0, 0, 0], work[1:].reshape(-1, LANES)[: m + 2])
    for i in range(m):
        for j in range(m):
            gram = work[0, i, j] if p[MASKED] else work[0, 0, 0]
            for lane in range(LANES):
                target[i, j, lane] = V[i, j, lane] * (1.0 + share * dt[lane] * gram[lane])


@kernel
def _logits(R: Array, E: Array, dt: Array, p: Array, allowed: Array, S: Array, F: Array, scratch: Array) -> None:
    """S = what attention adds to the identity: noise gamma^2 sqrt(dt) P plus gamma^2 dt / 2 times the mean S."""
    m = R.shape[0]
    _logit_noise(R, E, scratch, F, allowed)
    g2 = p[GAMMA] ** 2
    noise, mean = g2 / (p[TAU0] * math.sqrt(p[HEADS])), g2 / (2.0 * p[TAU0] ** 2)
    for i in range(m):
        for j in range(m):
            for lane in range(LANES):
                S[i, j, lane] = noise * math.sqrt(dt[lane]) * F[i, j, lane] + mean * dt[lane] * S[i, j, lane]


@kernel
def _wishart_factor(normals: Array, dt: Array, rate: float, T: Array) -> None:
    """Lower triangular T with E[T T^T] = I and the covariance of a Wishart matrix, rate dt per pair, to first order.

    Takes m (m + 1) / 2 normals and needs rate dt (m - 1/2) < 1.
    """
    m = T.shape[0]
    index = 0
    for i in range(m):
        for j in range(i):
            for lane in range(LANES):
                T[i, j, lane] = math.sqrt(rate * dt[lane]) * normals[index, lane]
            index += 1
        for lane in range(LANES):
            grown = rate * dt[lane]
            T[i, i, lane] = math.sqrt(1.0 - (i + 0.5) * grown) + math.sqrt(0.5 * grown) * normals[index, lane]
        index += 1


@kernel
def _times_lower(A: Array, T: Array, out: Array, triangular: bool) -> None:
    """out = A T for lower triangular T; A is lower triangular itself where `triangular`."""
    m = A.shape[0]
    for i in range(m):
        for j in range(m):
            for lane in range(LANES):
                out[i, j, lane] = 0.0
            for k in range(j, i + 1 if triangular else m):
                for lane in range(LANES):
                    out[i, j, lane] += A[i, k, lane] * T[k, j, lane]


@kernel
def splitting_step(V: Array, dt: Array, normals: Array, p: Array, allowed: Array, work: Array, scratch: Array) -> None:
    """One step of the splitting that keeps V positive semidefinite: ReLU, attention, linear noise; V is replaced.

    `normals` holds m (m + 1) / 2 numbers of the linear noise and then, with attention, m^2 of the logits.
    """
    m = V.shape[0]
    half = m * (m + 1) // 2
    R, F, S, T = work[0], work[1], work[2], work[3]
    if p[RELU] != 0.0:
        _relu(V, dt, p[RELU], V)
    if p[ATTENDS]:
        _mean_logits(V, dt, p, allowed, R, S, work[3:])
        V[:] = R
        _cholesky(V, R, scratch)
        _logits(R, normals[half:].reshape(m, m, LANES), dt, p, allowed, S, F, T)
        _times_lower(S, R, F, False)
        for i in range(m):
            for j in range(m):
                for lane in range(LANES):
                    R[i, j, lane] += F[i, j, lane]
    else:
        _cholesky(V, R, scratch)
    _wishart_factor(normals, dt, p[LINEAR], T)
    _times_lower(R, T, F, p[ATTENDS] == 0.0)
    _square(F, V)


@kernel
def _square(R: Array, V: Array) -> None:
    """V = R R^T."""
    m = R.shape[0]
    for i in range(m):
        for j in range(i + 1):
            for lane in range(LANES):
                V[i, j, lane] = 0.0
            for k in range(m):
                for lane in range(LANES):
                    V[i, j, lane] += R[i, k, lane] * R[j, k, lane]
            for lane in range(LANES):
                V[j, i, lane] = V[i, j, lane]


@kernel
def euler_step(V: Array, dt: Array, normals: Array, p: Array, allowed: Array, work: Array, scratch: Array) -> None:
    """One step of structured Euler-Maruyama; V is replaced by a symmetric matrix that may be indefinite.

    `normals` holds m^2 numbers of the linear noise and then, with attention, m^2 of the logits.
    """
    m = V.shape[0]
    R, F, S, T, N = work[0], work[1], work[2], work[3], work[4]
    _cholesky(V, R, scratch)
    N[:] = V
    if p[ATTENDS]:
        _mean_logits(V, dt, p, allowed, N, S, work[5:])
        _logits(R, normals[m * m :].reshape(m, m, LANES), dt, p, allowed, S, F, T)
        _product(S, V, F, False)
        for i in range(m):
            for j in range(m):
                for lane in range(LANES):
                    N[i, j, lane] += F[i, j, lane] + F[j, i, lane]
    if p[RELU] != 0.0:
        _relu(V, dt, p[RELU], N)
    _lower_times(R, normals[: m * m].reshape(m, m, LANES), T)
    _product(T, R, F, True)
    for i in range(m):
        for j in range(m):
            for lane in range(LANES):
                shake = math.sqrt(0.5 * p[LINEAR] * dt[lane])
                V[i, j, lane] = N[i, j, lane] + shake * (F[i, j, lane] + F[j, i, lane])


@kernel
def clip_indefinite(V: Array, R: Array, clipped: Array) -> None:
    """Set negative eigenvalues of V to 0 in the lanes that have any, and mark those lanes."""
    for lane in range(LANES):
        if _is_indefinite(V, lane, R) and math.isfinite(V[0, 0, lane]):
            values, vectors = np.linalg.eigh(V[:, :, lane].copy())
            kept = vectors * np.maximum(values, 0.0)
            V[:, :, lane] = np.dot(kept, vectors.T.copy())
            clipped[lane] = True


@kernel
def _is_indefinite(V: Array, lane: int, R: Array) -> bool:
    """Whether elimination of one lane meets a negative pivot beyond rounding. R is scratch."""
    m = V.shape[0]
    for j in range(m):
        for i in range(j, m):
            s = V[i, j, lane]
            for k in range(j):
                s -= R[i, k, lane] * R[j, k, lane]
            if i == j:
                if s < -1e-14 * abs(V[j, j, lane]) or V[j, j, lane] < 0.0:
                    return True
                R[j, j, lane] = math.sqrt(max(s, 0.0))
            else:
                pivot = R[j, j, lane]
                R[i, j, lane] = s / pivot if pivot * pivot > 1e-15 * V[j, j, lane] else 0.0
    return False


@kernel
def _norms(V: Array, out: Array) -> None:
    """The squared Frobenius norm of every lane."""
    m = V.shape[0]
    out[:] = 0.0
    for i in range(m):
        for j in range(m):
            for lane in range(LANES):
                out[lane] += V[i, j, lane] * V[i, j, lane]


@kernel
def log_norm_rate(V: Array, parameters: Array, allowed: Array, work: Array, out: Array) -> None:
    """The rate of quadratic variation of log ||V||_F in every lane: V : Sigma : V / ||V||^4."""
    m = V.shape[0]
    V2, W = work[1], work[2]
    _product(V, V, V2, False)
    _norms(V2, out)
    g2, h, tau2 = parameters[GAMMA] ** 2, parameters[HEADS], parameters[TAU0] ** 2
    for lane in range(LANES):
        out[lane] *= 2.0 * parameters[LINEAR]
    if parameters[ATTENDS]:
        _centre(V2, allowed)
        _product(V2, V, W, False)
        for i in range(m):
            for j in range(m):
                share = 4.0 * g2 * g2 / (h * tau2 * allowed[i].sum() * allowed[j].sum())
                for k in range(m):
                    for lane in range(LANES):
                        out[lane] += share * V[i, j, lane] * W[i, k, lane] * V2[j, k, lane]
    norm = np.empty(LANES)
    _norms(V, norm)
    for lane in range(LANES):
        out[lane] /= max(norm[lane] * norm[lane], 1e-300)


@kernel
def normals_needed(m: int, p: Array) -> int:
    """How many normal numbers a path takes for one step."""
    return (m * m if p[EULER] else m * (m + 1) // 2) + (m * m if p[ATTENDS] else 0)


@kernel
def run_paths(
    V0: Array,
    parameters: Array,
    allowed: Array,
    dt: float,
    check_every: int,
    bridge: bool,
    radius: float,
    seed: Any,
    first_path: int,
    record_at: Array,
    records: Array,
    stopped: Array,
    clipped: Array,
    largest: Array,
) -> None:
    """`LANES` paths from V0; ``records[r, :, :, lane]`` is V behind step ``record_at[r]`` (rising), stopped or not."""
    m = V0.shape[0]
    V, kept, work = np.empty((m, m, LANES)), np.empty((m, m, LANES)), np.empty((WORK, m, m, LANES))
    for lane in range(LANES):
        V[:, :, lane] = V0
    kept[:] = V
    count = normals_needed(m, parameters)
    normals, words = np.empty((count, LANES)), np.empty((count + count % 2, LANES), np.uint64)
    scratch, norm, before, rate = np.empty(LANES), np.empty(LANES), np.empty(LANES), np.empty(LANES)
    steps_of = np.full(LANES, dt)
    _norms(V, before)
    row = 0
    while row < record_at.size and record_at[row] == 0:
        records[row] = V
        row += 1
    for step in range(record_at[-1]):
        if bridge:
            log_norm_rate(V, parameters, allowed, work, rate)
        fill_normals(normals, words, seed, first_path, step)
        if parameters[EULER]:
            euler_step(V, steps_of, normals, parameters, allowed, work, scratch)
            clip_indefinite(V, work[0], clipped)
        else:
            splitting_step(V, steps_of, normals, parameters, allowed, work, scratch)
        _norms(V, norm)
        check = (step + 1) % check_every == 0
        for lane in range(LANES):
            if stopped[lane]:
                V[:, :, lane] = kept[:, :, lane]
                continue
            runaway = not norm[lane] < _RUNAWAY * radius * radius
            if not runaway:
                largest[lane] = max(largest[lane], norm[lane])
            hit = runaway or (check and not norm[lane] < radius * radius)
            if bridge and not hit and rate[lane] > 0.0:
                gaps = 0.25 * math.log(radius * radius / before[lane]) * math.log(radius * radius / norm[lane])
                hit = _uniform(seed, first_path + lane, step) < math.exp(-2.0 * gaps / (rate[lane] * dt))
            if hit:
                stopped[lane] = True
                if bridge or runaway:
                    V[:, :, lane] *= radius / math.sqrt(norm[lane])
                    largest[lane] = max(largest[lane], radius * radius)
                kept[:, :, lane] = V[:, :, lane]
            before[lane] = norm[lane]
        while row < record_at.size and record_at[row] == step + 1:
            records[row] = V
            row += 1


@kernel
def run_to_hit(
    V0: Array,
    parameters: Array,
    allowed: Array,
    dt: float,
    radius: float,
    epsilon: float,
    horizon: float,
    seed: Any,
    first_path: int,
    outcome: Array,
    times: Array,
) -> None:
    """Steps until the mean squared distance D of two tokens reaches `radius` (1), `epsilon` (2) or time `horizon` (0).

    A step is the smaller one of dt and 0.01 tau0^2 / (gamma^4 D^2).
    """
    m = V0.shape[0]
    V, kept, work = np.empty((m, m, LANES)), np.empty((m, m, LANES)), np.empty((WORK, m, m, LANES))
    for lane in range(LANES):
        V[:, :, lane] = V0
    kept[:] = V
    count = normals_needed(m, parameters)
    normals, words = np.empty((count, LANES)), np.empty((count + count % 2, LANES), np.uint64)
    scratch, D, steps_of = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    done = np.zeros(LANES, np.bool_)
    cap = _STEP_LIMIT * parameters[TAU0] ** 2 / parameters[GAMMA] ** 4
    step = 0
    mean_distances(V, D)
    while not done.all():
        for lane in range(LANES):
            steps_of[lane] = min(dt, cap / max(D[lane] * D[lane], 1e-300))
        fill_normals(normals, words, seed, first_path, step)
        splitting_step(V, steps_of, normals, parameters, allowed, work, scratch)
        mean_distances(V, D)
        for lane in range(LANES):
            if done[lane]:
                V[:, :, lane] = V0
                continue
            times[lane] += steps_of[lane]
            if not D[lane] < radius:
                outcome[lane] = 1
            elif D[lane] <= epsilon:
                outcome[lane] = 2
            if outcome[lane] or times[lane] >= horizon:
                done[lane] = True
                V[:, :, lane] = V0
        step += 1


@kernel
def mean_distances(V: Array, out: Array) -> None:
    """The mean over pairs of tokens of V_aa + V_bb - 2 V_ab, in every lane."""
    m = V.shape[0]
    out[:] = 0.0
    for i in range(m):
        for j in range(i):
            for lane in range(LANES):
                out[lane] += (V[i, i, lane] + V[j, j, lane] - 2.0 * V[i, j, lane]) * 2.0 / (m * (m - 1))
