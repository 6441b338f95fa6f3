#!/usr/bin/env python3
"""A matrix product in NKI, twice: as one writes it first, and with its operands kept on chip.

usage: python3 -m papilio.nki examples/nki_matmul.py [TRACE.json]

Prints what each would take on the modelled machine and why, and writes the better one's timeline for
ui.perfetto.dev.
"""

import sys

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np

import papilio.nki

K_TILE, M_TILE, N_TILE = 128, 128, 512


@nki.jit
def loads_in_the_loop(a, b):
    """a [K, M], b [K, N]: a.T @ b, each tile loaded where it is needed."""
    (k, m), (_, n) = a.shape, b.shape
    out = nl.ndarray((m, n), dtype=a.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(m // M_TILE):
        for j in nl.affine_range(n // N_TILE):
            acc = nl.zeros((M_TILE, N_TILE), dtype=nl.float32, buffer=nl.psum)
            for p in nl.affine_range(k // K_TILE):
                rows = nl.ds(p * K_TILE, K_TILE)
                left = nl.load(a[rows, nl.ds(i * M_TILE, M_TILE)])
                right = nl.load(b[rows, nl.ds(j * N_TILE, N_TILE)])
                acc += nisa.nc_matmul(left, right)
            nl.store(out[nl.ds(i * M_TILE, M_TILE), nl.ds(j * N_TILE, N_TILE)], nl.copy(acc, dtype=a.dtype))
    return out


@nki.jit
def operands_kept(a, b):
    """The same product, each element of a and b loaded once."""
    (k, m), (_, n) = a.shape, b.shape
    out = nl.ndarray((m, n), dtype=a.dtype, buffer=nl.shared_hbm)
    steps = range(k // K_TILE)
    left = [nl.load(a[nl.ds(p * K_TILE, K_TILE), :]) for p in steps]
    right = [nl.load(b[nl.ds(p * K_TILE, K_TILE), :]) for p in steps]
    for i in nl.affine_range(m // M_TILE):
        row = nl.ndarray((M_TILE, n), dtype=a.dtype, buffer=nl.sbuf)
        for j in nl.affine_range(n // N_TILE):
            acc = nl.ndarray((M_TILE, N_TILE), dtype=nl.float32, buffer=nl.psum)
            for p in steps:
                nisa.nc_matmul(
                    dst=acc,
                    stationary=left[p][:, i * M_TILE : (i + 1) * M_TILE],
                    moving=right[p][:, j * N_TILE : (j + 1) * N_TILE],
                )
            nisa.tensor_copy(dst=row[:, j * N_TILE : (j + 1) * N_TILE], src=acc)
        nisa.dma_copy(dst=out[i * M_TILE : (i + 1) * M_TILE, :], src=row)
    return out


def main() -> int:
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal((512, 1024), dtype=np.float32) for _ in range(2))
    expected = a.T.astype(float) @ b
    for kernel in (loads_in_the_loop, operands_kept):
        error = np.abs(kernel(a, b) - expected).max() / np.abs(expected).max()
        profile = papilio.nki.profile(kernel, a, b)
        print(f"{profile}\nlargest error {error:.1e}\n")
        if error > 1e-6:
            return 1
    if sys.argv[1:]:
        profile.trace(sys.argv[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
