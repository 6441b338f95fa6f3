"""numpy's side of papilio_bench_decompose, as one writes it: unfoldings, Khatri-Rao products by
broadcasting, eigh of Gram matrices for Tucker, the full SVD for tensor trains; all in float32.

A line "cp 16 8 3" (or tucker, tt; extent, rank, calls) is answered with the CPU seconds of one call.
"""

import sys
import time

import numpy as np


def unfolded(x, n):
    return np.moveaxis(x, n, 0).reshape(x.shape[n], -1)


def khatri_rao(a, b):
    return (a[:, None, :] * b[None, :, :]).reshape(-1, a.shape[1])


def cp(x, rank, sweeps=20):
    f = [np.random.default_rng(n).standard_normal((e, rank)).astype(x.dtype)
         for n, e in enumerate(x.shape)]
    norm = np.linalg.norm(x)
    for sweep in range(sweeps):
        for n in range(3):
            a, b = [f[m] for m in range(3) if m != n]
            v = (a.T @ a) * (b.T @ b)
            m = unfolded(x, n) @ khatri_rao(a, b)
            g = np.linalg.solve(v, m.T).T
            w = np.linalg.norm(g, axis=0)
            f[n] = g / w
        model = w @ (v * (f[2].T @ f[2])) @ w
        error = np.sqrt(max(norm**2 - 2 * np.sum(m * f[2] * w) + model, 0)) / norm
    return f, w, error


def tucker(x, rank):
    core, factors = x, []
    for n in range(3):
        u = unfolded(core, n)
        values, vectors = np.linalg.eigh(u @ u.T)
        factors.append(vectors[:, ::-1][:, :rank])
        core = np.moveaxis(np.tensordot(factors[-1].T, core, (1, n)), 0, n)
    return core, factors


def tt(x, rank):
    cores, bond, rest = [], 1, x
    for n in range(2):
        u, s, v = np.linalg.svd(rest.reshape(bond * x.shape[n], -1), full_matrices=False)
        r = min(rank, len(s))
        cores.append(u[:, :r].reshape(bond, x.shape[n], r))
        rest, bond = s[:r, None] * v[:r], r
    return cores + [rest.reshape(bond, -1, 1)]


print("ready", flush=True)
inputs = {}
for line in sys.stdin:
    name, extent, rank, calls = line.split()
    extent, rank = int(extent), int(rank)
    if extent not in inputs:
        inputs[extent] = np.random.default_rng(0).standard_normal((extent,) * 3).astype(np.float32)
    run, x = globals()[name], inputs[extent]
    start = time.process_time()
    for call in range(int(calls)):
        run(x, rank)
    print((time.process_time() - start) / int(calls), flush=True)
