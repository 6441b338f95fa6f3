#!/usr/bin/env python3
"""Geometric means of the classes of papilio_bench_fft: bench/means.py FILE.json [--check]

FILE is what --benchmark_out wrote. FFTW, MKL: the peer's time over papilio's; faster: over papilio's
that of the faster of the two; worst: of the sizes. --check: exit 1 where a size is below 0.95 of
FFTW or 0.80 of MKL, a class of floats or doubles below its least (smooth: of FFTW), planning takes
longer than 1 ms up to 2^16 or 50 ms beyond, or a transform longer on more threads (by over 5 %).
"""
import json
import math
import statistics
import sys

PEERS = {"FFTW": 0.95, "MKL": 0.80}
LEAST = {"c2c": 1.15, "r2c": 1.15, "c2r": 1.15, "double": 1.15, "mixed": 1.15, "primes": 1.15,
         "batches": 1.10, "2d": 1.10, "3d": 1.10, "smooth": 1.3,
         "pffft": 1.15}


def geometric(values):
    return math.exp(statistics.fmean(math.log(v) for v in values))


def report(results):
    """The lines to print, and what is below its floor."""
    text, below, classes, speedups = "", [], {}, {}
    for b in results["benchmarks"]:
        if b.get("aggregate_name") != "median":
            continue
        name, size, threads = b["run_name"].split("/")[:3]
        if name == "planning":
            if b["real_time"] > (1e3 if int(size) <= 1 << 16 else 50e3):
                below.append(f"{name}/{size}: {b['real_time'] * 1e-3:.1f} ms")
        elif "speedup" in b:  # over one thread in the same turns; rows come with ascending threads
            if b["speedup"] < 0.95 * speedups.get(size, 1):
                below.append(f"{name}/{size}/{threads}: speed-up {b['speedup']:.2f}, before "
                             f"{speedups.get(size, 1):.2f}")
            speedups[size] = b["speedup"]
        elif ratios := {peer: b[peer] for peer in PEERS if peer in b}:
            classes.setdefault(name, []).append(ratios)
            below += [f"{name}/{size}: {peer} {ratio:.2f}" for peer, ratio in ratios.items()
                      if ratio < PEERS[peer]]
    for name, rows in classes.items():
        means = {peer: geometric([r[peer] for r in rows]) for peer in rows[0]}
        faster = [min(r.values()) for r in rows]
        means["faster"], means["worst"] = geometric(faster), min(faster)
        if name in LEAST:
            held = means["FFTW" if name == "smooth" else "faster"]
            means["least"] = LEAST[name]
            if held < LEAST[name]:
                below.append(f"class {name}: {held:.2f}")
        text += f"{name:<8} {len(rows):3}   " + "  ".join(f"{k} {v:.2f}" for k, v in means.items())
        text += " BELOW\n" if below and below[-1].startswith(f"class {name}:") else "\n"
    return text, below


def main(path, check=None):
    text, below = report(json.load(open(path)))
    print(text + "".join(f"below its floor: {b}\n" for b in below), end="")
    return 1 if check == "--check" and below else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
