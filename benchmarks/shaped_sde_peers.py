"""Path-steps a core-second of diffrax and torchsde on the covariance SDE of the full block; run by shaped_sde.py.

    python benchmarks/shaped_sde_peers.py diffrax|torchsde M PATHS STEPS

Euler-Maruyama of the matrix form V += b dt + sigma(V) dB, with the structured root of the diffusion as the matrix sigma
(m^2 rows, 2 m^2 columns). It needs nothing of seprank, so that it runs in an environment of its own.
"""

from __future__ import annotations

import math
import os
import sys
import time

GAMMA, TAU0, START, DT = 0.3, 1.0, 0.2, 1 / 200
LINEAR = GAMMA**2 * (4 - GAMMA**2)


def coefficients(xp, cholesky, V, m, eye):
    """Drift (..., m, m) and root (..., m, m, 2 m^2) of the diffusion, for numpy-like arrays of jax or torch."""
    H = eye - 1.0 / m
    C = H @ V @ H
    R = cholesky(V + 1e-9 * eye)
    v = xp.einsum("...aa->...a", V)
    spread = xp.einsum("...aa->...a", C)
    spread = spread - spread.mean(-1)[..., None]
    cross = v[..., :, None] * xp.einsum("...ab,...b->...a", V, spread)[..., None, :]
    b = ((C * C).sum((-1, -2)) / m**2)[..., None, None] * V + (cross + xp.swapaxes(cross, -1, -2)) / (2 * m)
    size = xp.sqrt(v[..., :, None] * v[..., None, :])
    rho = xp.clip(V / size, -1 + 1e-12, 1 - 1e-12)
    relu = size * (xp.sqrt(1 - rho * rho) - rho * xp.arccos(rho)) / (2 * math.pi)
    b = GAMMA**2 * (b / TAU0**2 + relu)
    one = xp.einsum("...ak,...bl->...abkl", R, R)
    Z = math.sqrt(LINEAR / 2) * (one + xp.swapaxes(one, -4, -3))
    N = xp.einsum("...ak,...bl->...abkl", R, V @ (H @ R))
    E = GAMMA**2 / (TAU0 * m) * (N + xp.swapaxes(N, -4, -3))
    shape = (*V.shape, m * m)
    return b, xp.concatenate([Z.reshape(shape), E.reshape(shape)], -1)


def diffrax_seconds(m: int, paths: int, steps: int) -> float:
    """Core-seconds of diffrax for `paths` paths, compiled before."""
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    import diffrax
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    eye = jnp.eye(m)
    V0 = (1 - START) * eye + START

    def drift(t, V, args):
        return coefficients(jnp, jnp.linalg.cholesky, V, m, eye)[0]

    def diffusion(t, V, args):
        return coefficients(jnp, jnp.linalg.cholesky, V, m, eye)[1]

    def one(key):
        noise = diffrax.UnsafeBrownianPath(shape=(2 * m * m,), key=key)
        terms = diffrax.MultiTerm(diffrax.ODETerm(drift), diffrax.ControlTerm(diffusion, noise))
        run = diffrax.diffeqsolve(
            terms, diffrax.Euler(), 0.0, steps * DT, DT, V0, adjoint=diffrax.DirectAdjoint(), max_steps=steps + 2
        )
        return run.ys[-1]

    batch = jax.jit(jax.vmap(one))
    batch(jax.random.split(jax.random.key(0), paths)).block_until_ready()
    start = time.process_time()
    batch(jax.random.split(jax.random.key(1), paths)).block_until_ready()
    return time.process_time() - start


def torchsde_seconds(m: int, paths: int, steps: int) -> float:
    """Core-seconds of torchsde for `paths` paths."""
    import torch
    import torchsde

    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    eye = torch.eye(m)

    class Equation(torch.nn.Module):
        noise_type, sde_type = "general", "ito"

        def f(self, t, y):
            return coefficients(torch, torch.linalg.cholesky, y.reshape(-1, m, m), m, eye)[0].reshape(-1, m * m)

        def g(self, t, y):
            root = coefficients(torch, torch.linalg.cholesky, y.reshape(-1, m, m), m, eye)[1]
            return root.reshape(-1, m * m, 2 * m * m)

    V0 = ((1 - START) * eye + START).reshape(1, -1).repeat(paths, 1)
    times = torch.tensor([0.0, steps * DT])
    noise = torchsde.BrownianInterval(0.0, steps * DT, size=(paths, 2 * m * m), dtype=V0.dtype)
    start = time.process_time()
    with torch.no_grad():
        torchsde.sdeint(Equation(), V0, times, dt=DT, method="euler", bm=noise)
    return time.process_time() - start


if __name__ == "__main__":
    library, sizes = sys.argv[1], [int(word) for word in sys.argv[2:5]]
    taken = {"diffrax": diffrax_seconds, "torchsde": torchsde_seconds}[library](*sizes)
    print(sizes[1] * sizes[2] / taken)
