#!/usr/bin/env python3
"""out = a * b + c, the kernel of fused_multiply_add.cpp, in NKI: the same instructions, the same modelled time.

usage: python3 -m papilio.nki examples/nki_fused_multiply_add.py [ROWS COLUMNS]
"""

import sys

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np

import papilio.nki


@nki.jit
def fused_multiply_add(a, b, c):
    rows, columns = a.shape
    out = nl.ndarray((rows, columns), dtype=a.dtype, buffer=nl.shared_hbm)
    width = min(columns, 2048)
    # Two tiles of each operand, so that one is loaded while the other is worked on.
    tiles = [[nl.ndarray((128, width), dtype=a.dtype, buffer=nl.sbuf) for _ in range(2)] for _ in range(3)]
    turn = 0
    for i in range(0, rows, 128):
        for j in range(0, columns, width):
            m, n = min(128, rows - i), min(width, columns - j)
            x, y, z = (pair[turn % 2][:m, :n] for pair in tiles)
            nisa.dma_copy(dst=x, src=a[i : i + m, j : j + n])
            nisa.dma_copy(dst=y, src=b[i : i + m, j : j + n])
            nisa.dma_copy(dst=z, src=c[i : i + m, j : j + n])
            nisa.tensor_tensor(dst=x, data1=x, data2=y, op=nl.multiply)
            nisa.tensor_tensor(dst=x, data1=x, data2=z, op=nl.add)
            nisa.dma_copy(dst=out[i : i + m, j : j + n], src=x)
            turn += 1
    return out


def main() -> int:
    rows, columns = (int(n) for n in (sys.argv[1:3] or (300, 4100)))
    rng = np.random.default_rng(1)
    a, b, c = (rng.standard_normal((rows, columns), dtype=np.float32) for _ in range(3))
    if not np.array_equal(fused_multiply_add(a, b, c), a * b + c):
        print("other numbers than numpy's")
        return 1
    print(f"{a.size} elements as numpy has them")
    print(papilio.nki.profile(fused_multiply_add, a, b, c))
    return 0


if __name__ == "__main__":
    sys.exit(main())
