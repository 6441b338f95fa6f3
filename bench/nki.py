#!/usr/bin/env python3
"""Speed of papilio.nki: instructions recorded in a second of CPU time, with slices and with index
expressions and masks, and the replay of a dry run beside a C++ kernel that issues the same.

usage: bench/nki.py [papilio_bench_nki_peer]      (needs papilio on Python's path)
"""
import pathlib
import runpy
import subprocess
import sys
import time

import numpy as np

import papilio.nki
from papilio.nki.kernels import Recorded

with papilio.nki.as_nki():
    import neuronxcc.nki as nki
    import neuronxcc.nki.isa as nisa
    import neuronxcc.nki.language as nl

ROWS = 128 * 1500


@nki.jit
def with_slices(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(x.shape[0] // 128):
        t = nl.ndarray((128, 4096), x.dtype, nl.sbuf)
        nisa.dma_copy(dst=t, src=x[i * 128 : (i + 1) * 128, :])
        for j in nl.affine_range(8):
            part = nl.ds(j * 512, 512)
            nisa.tensor_tensor(dst=t[:, part], data1=t[:, part], data2=t[:, part], op=nl.add)
            nisa.tensor_scalar(dst=t[:, part], data=t[:, part], op0=nl.multiply, operand0=2.0)
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=t)
    return out


@nki.jit
def with_index_expressions(x):
    rows, _ = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range((rows + 127) // 128):
        p, whole = nl.arange(128)[:, None], nl.arange(4096)[None, :]
        mask = i * 128 + p < rows
        t = nl.ndarray((nl.par_dim(128), 4096), dtype=x.dtype, buffer=nl.sbuf)
        t[p, whole] = nl.load(x[i * 128 + p, whole], mask=mask)
        for j in nl.affine_range(8):
            part = 512 * j + nl.arange(512)[None, :]
            t[p, part] = nl.add(t[p, part], t[p, part], mask=i * 128 + nl.arange(128)[:, None] < rows)
            t[nl.arange(128)[:, None], 512 * j + nl.arange(512)[None, :]] = nisa.activation(
                op=nl.exp, data=t[nl.arange(128)[:, None], 512 * j + nl.arange(512)[None, :]], mask=mask
            )
        nl.store(out[i * 128 + p, whole], t[p, whole], mask=mask)
    return out


def cpu_seconds(run):
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


def main():
    for kernel, rows in ((with_slices, 128 * 200), (with_index_expressions, 128 * 200 - 50)):
        x = np.broadcast_to(np.float32(0), (rows, 4096))
        seconds, recorded = min((cpu_seconds(lambda: Recorded(kernel, (x,), {})) for _ in range(5)), key=lambda r: r[0])
        count = recorded.run(dry=True)["instructions"]
        print(f"{kernel.__name__:24} {count:6} instructions, {count / seconds:9.0f} recorded a second")
    program = sys.argv[1:]
    with papilio.nki.as_nki():
        example = runpy.run_path(str(pathlib.Path(__file__).parents[1] / "examples/nki_fused_multiply_add.py"))
    x = np.broadcast_to(np.float32(0), (ROWS, 4096))
    recorded = Recorded(example["fused_multiply_add"], (x, x, x), {})
    replays, peers = [], []
    for _ in range(9):  # in turns, for the neighbours' sake
        replays.append(cpu_seconds(lambda: recorded.run(dry=True))[0])
        if program:
            run = subprocess.run([program[0], str(ROWS)], check=True, capture_output=True, text=True)
            peers.append(float(run.stdout))
    print(f"{'replay of a dry run':24} {min(replays) * 1e3:.1f} ms CPU", end="")
    if program:
        print(f", a C++ kernel {min(peers) * 1e3:.1f} ms: {min(replays) / min(peers):.2f} times", end="")
    print()


if __name__ == "__main__":
    main()
