"""Compiled steps of a finite network of random weights, on m-row factors in place of tokens of width n.

Tokens X (m, n) are cut into `heads` blocks of n/heads columns. Block i is held as a factor R_i with
R_i R_i^T = X_i X_i^T / n: R_i is m x m, or X_i / sqrt(n) itself where n/heads < 2m. Kernels that call one another share
this file. All draws come from `draw`, a numpy Generator.
"""

from __future__ import annotations

import math

import numpy as np

from seprank.field.kernels import kernel


@kernel
def normal_matrix(rows, columns, draw):  # type: ignore[no-untyped-def]
    """A matrix of independent standard normals."""
    Z = np.empty((rows, columns))
    for i in range(rows):
        for j in range(columns):
            Z[i, j] = draw.standard_normal()
    return Z


@kernel
def wishart_factor(m, degrees, draw):  # type: ignore[no-untyped-def]
    """Lower triangular T with T T^T a Wishart matrix of size m, by Bartlett; needs degrees >= m."""
    T = np.zeros((m, m))
    for i in range(m):
        T[i, i] = math.sqrt(draw.chisquare(degrees - i))
        for j in range(i):
            T[i, j] = draw.standard_normal()
    return T


@kernel
def product(A, B):  # type: ignore[no-untyped-def]
    """A B for small matrices."""
    C = np.zeros((A.shape[0], B.shape[1]))
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            for j in range(B.shape[1]):
                C[i, j] += A[i, k] * B[k, j]
    return C


@kernel
def outer(A, B):  # type: ignore[no-untyped-def]
    """A B^T for small matrices."""
    C = np.empty((A.shape[0], B.shape[0]))
    for i in range(A.shape[0]):
        for j in range(B.shape[0]):
            total = 0.0
            for k in range(A.shape[1]):
                total += A[i, k] * B[j, k]
            C[i, j] = total
    return C


@kernel
def triangle(A):  # type: ignore[no-untyped-def]
    """Lower triangular L with L L^T = A A^T, by Gram-Schmidt on the rows: no digit of A is lost. Spoils A."""
    m, columns = A.shape
    L = np.zeros((m, m))
    for i in range(m):
        for j in range(i):
            for k in range(columns):
                L[i, j] += A[j, k] * A[i, k]
            for k in range(columns):
                A[i, k] -= L[i, j] * A[j, k]
        square = 0.0
        for k in range(columns):
            square += A[i, k] * A[i, k]
        L[i, i] = math.sqrt(square)
        for k in range(columns):
            A[i, k] = A[i, k] / L[i, i] if square > 0.0 else 0.0
    return L


@kernel
def gram_root(phi):  # type: ignore[no-untyped-def]
    """Lower triangular L with L L^T = phi phi^T. May spoil phi.

    By Cholesky; by Gram-Schmidt where a row is so near the span of those above that Cholesky would lose its digits.
    """
    K = outer(phi, phi)
    m = K.shape[0]
    L = np.zeros((m, m))
    for j in range(m):
        pivot = K[j, j]
        for k in range(j):
            pivot -= L[j, k] * L[j, k]
        if not pivot > 1e-6 * K[j, j]:
            return triangle(phi)
        L[j, j] = math.sqrt(pivot)
        for i in range(j + 1, m):
            total = K[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            L[i, j] = total / L[j, j]
    return L


@kernel
def whole(parts):  # type: ignore[no-untyped-def]
    """A factor of the covariance of all columns: R R^T = sum of the blocks' R_i R_i^T."""
    heads, m, columns = parts.shape
    if heads == 1 and columns == m:
        return parts[0].copy()
    row = np.empty((m, heads * columns))
    for h in range(heads):
        row[:, h * columns : (h + 1) * columns] = parts[h]
    return triangle(row)


@kernel
def add_columns(R, skip, scale, L, size, draw):  # type: ignore[no-untyped-def]
    """R becomes a factor of what was skip times a block plus scale times `size` columns of law N(0, L L^T).

    With R of `size` columns the sum itself; with m columns its law, a noncentral Wishart (size >= 2m).
    """
    m, columns = R.shape
    near = product(L, normal_matrix(m, columns, draw))
    if columns == size:
        for i in range(m):
            for j in range(columns):
                R[i, j] = skip * R[i, j] + scale * near[i, j]
        return
    far = product(L, wishart_factor(m, size - m, draw))
    wide = np.empty((m, 2 * m))
    for i in range(m):
        for j in range(m):
            wide[i, j] = skip * R[i, j] + scale * near[i, j]
            wide[i, m + j] = scale * far[i, j]
    R[:] = triangle(wide)


@kernel
def logits(R, head_dim, draw):  # type: ignore[no-untyped-def]
    """Y = n^-1 X WQ WK^T X^T for X X^T = n R R^T and standard normal weights (n, head_dim)."""
    m = R.shape[0]
    if head_dim >= m:
        inner = product(wishart_factor(m, head_dim, draw), normal_matrix(m, m, draw))
    else:
        inner = outer(normal_matrix(m, head_dim, draw), normal_matrix(m, head_dim, draw))
    return outer(product(R, inner), R)


@kernel
def shaped_attention(Y, tau, mask):  # type: ignore[no-untyped-def]
    """A = I + softmax(Y / tau) - (1 / number allowed), row by row over what `mask` allows."""
    m = Y.shape[0]
    A = np.zeros((m, m))
    for i in range(m):
        largest, allowed, total = -math.inf, 0, 0.0
        for j in range(m):
            if mask[i, j]:
                allowed += 1
                largest = max(largest, Y[i, j] / tau)
        for j in range(m):
            if mask[i, j]:
                A[i, j] = math.exp(Y[i, j] / tau - largest)
                total += A[i, j]
        for j in range(m):
            if mask[i, j]:
                A[i, j] = A[i, j] / total - 1.0 / allowed
        A[i, i] += 1.0
    return A


@kernel
def attention_layer(parts, mask, head_dim, tau, skip, scale, size, draw):  # type: ignore[no-untyped-def]
    """One layer of shaped attention on the blocks in place; every head writes the columns of its block."""
    R = whole(parts)
    for h in range(parts.shape[0]):
        A = shaped_attention(logits(R, head_dim, draw), tau, mask)
        add_columns(parts[h], skip, scale, product(A, R), size, draw)


@kernel
def activations(R, hidden, s_plus, s_minus, draw):  # type: ignore[no-untyped-def]
    """sqrt(c / hidden) phi(G) for `hidden` columns G of law N(0, R R^T) and phi the shaped ReLU."""
    m, columns = R.shape
    phi, z = np.empty((m, hidden)), np.empty(columns)
    scale = math.sqrt(2.0 / (s_plus * s_plus + s_minus * s_minus) / hidden)
    for column in range(hidden):
        for k in range(columns):
            z[k] = draw.standard_normal()
        for i in range(m):
            g = 0.0
            for k in range(columns):
                g += R[i, k] * z[k]
            phi[i, column] = scale * (s_plus if g > 0.0 else s_minus) * g
    return phi


@kernel
def relu_layer(parts, hidden, s_plus, s_minus, skip, scale, size, draw):  # type: ignore[no-untyped-def]
    """One residual layer of shaped ReLU on the blocks in place."""
    L = gram_root(activations(whole(parts), hidden, s_plus, s_minus, draw))
    for h in range(parts.shape[0]):
        add_columns(parts[h], skip, scale, L, size, draw)


@kernel
def covariance(parts, V):  # type: ignore[no-untyped-def]
    """V becomes the sum of the blocks' R_i R_i^T; its Frobenius norm, NaN where a variance is lost to underflow."""
    m, square = V.shape[0], 0.0
    for i in range(m):
        for j in range(i + 1):
            total = 0.0
            for h in range(parts.shape[0]):
                for k in range(parts.shape[2]):
                    total += parts[h, i, k] * parts[h, j, k]
            V[i, j] = total
            V[j, i] = total
            square += total * total * (1.0 if i == j else 2.0)
        if V[i, i] == 0.0:
            return math.nan
    return math.sqrt(square)


@kernel
def run_path(  # type: ignore[no-untyped-def]
    parts, attends, feeds, mask, head_dim, tau, hidden, s_plus, s_minus, gamma, size, depth, radius, recorded, out, draw
):
    """One network through `depth` layers: `out[k]` is V after layer `recorded[k]`, held from the layer on at which its
    norm is at least `radius`. Returns that layer (-1: none), the largest norm met, and the layer at which V left the
    range of floats (-1)."""
    n = size * parts.shape[0]
    skip, scale = math.sqrt(1.0 - gamma * gamma), gamma / math.sqrt(n)
    V = np.empty((parts.shape[1], parts.shape[1]))
    largest = covariance(parts, V)
    stopped, row = 0 if largest >= radius else -1, 0
    for layer in range(depth + 1):
        if layer > 0 and stopped < 0:
            if attends:
                attention_layer(parts, mask, head_dim, tau, skip, scale, size, draw)
            if feeds:
                relu_layer(parts, hidden, s_plus, s_minus, skip, scale, size, draw)
            norm = covariance(parts, V)
            if not math.isfinite(norm):
                return stopped, largest, layer
            largest = max(largest, norm)
            if norm >= radius:
                stopped = layer
        while row < recorded.size and recorded[row] == layer:
            out[row] = V
            row += 1
    return stopped, largest, -1
