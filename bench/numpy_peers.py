#!/usr/bin/env python3
"""Calls of bench/hot_calls.cpp beside numpy, one thread, CPU seconds, in turns: decompositions as one
writes them in numpy (unfoldings, Khatri-Rao products by broadcasting, eigh of Gram matrices for
Tucker, the full SVD for tensor trains), products and sums of products (einsum, optimize=True); all
in float32.

usage: python-with-numpy bench/numpy_peers.py build/release/bench/papilio_bench_hot_calls [TEXT]

TEXT: only the calls whose names have it.
"""
import os
import statistics
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402

from processes import Calls, in_turns, median_ratio  # noqa: E402


def made(*shape):
    return np.random.default_rng(0).random(shape, np.float32) - np.float32(0.5)


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


def tensor_train(x, rank):
    cores, bond, rest = [], 1, x
    for n in range(2):
        u, s, v = np.linalg.svd(rest.reshape(bond * x.shape[n], -1), full_matrices=False)
        r = min(rank, len(s))
        cores.append(u[:, :r].reshape(bond, x.shape[n], r))
        rest, bond = s[:r, None] * v[:r], r
    return cores + [rest.reshape(bond, -1, 1)]


def peers():
    cubes = {16: made(16, 16, 16), 100: made(100, 100, 100)}

    def einsum(subscripts, left, right):
        a, b = made(*left), made(*right)
        return lambda: np.einsum(subscripts, a, b, optimize=True)
    functions = {f"{name} {n}^3": lambda run=run, n=n, rank=rank: run(cubes[n], rank)
                 for name, run, ranks in (("cp", cp, (8, 10)), ("tucker", tucker, (4, 10)),
                                          ("tensor train", tensor_train, (4, 10)))
                 for n, rank in zip((16, 100), ranks)}
    for n in (64, 512):
        functions[f"gemm {n}"] = lambda x=made(n, n): x @ x
    for subscripts, left, right in (("ap,bp->ab", (48, 128), (48, 128)),
                                    ("abcd,ebfd->aecf", (12,) * 4, (12,) * 4),
                                    ("ab,cb->abc", (50, 50), (50, 50)),
                                    ("iab,jba->ij", (200, 40, 40), (200, 40, 40)),
                                    ("abcd,dbea->ec", (32,) * 4, (32,) * 4)):
        functions[f"einsum {subscripts}"] = einsum(subscripts, left, right)
    return functions


def seconds_of(call):
    """CPU seconds of a call, of a block of about 10 ms."""
    call()
    start = time.process_time()
    call()
    count = max(1, int(1e-2 / max(time.process_time() - start, 1e-7)))

    def block():
        start = time.process_time()
        for _ in range(count):
            call()
        return (time.process_time() - start) / count
    return block


def main(program, text=""):
    calls = Calls(program)
    for name, peer in peers().items():
        if text in name:
            ours, theirs = in_turns([lambda: calls.seconds(name), seconds_of(peer)], 15, 5, 10)
            print(f"{name:<24} {1e3 * statistics.median(ours):9.3f} ms | numpy "
                  f"{1e3 * statistics.median(theirs):9.3f} ms | "
                  f"{median_ratio(theirs, ours):5.2f} times as fast", flush=True)
    calls.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
