#!/usr/bin/env python3
"""papilio's Python module beside numpy, scipy, librosa and torch, one thread unless --workers says.

usage: PYTHONPATH=build/release/python python3 bench/python_peers.py [--workers N] [--repeats N]

Each row is timed in turns in one process; times are medians, ratios the peer's over papilio's.
librosa and torch are timed where they are installed. Exits 1 where a ratio is below its floor.
"""

import argparse
import os
import statistics
import sys
import time

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np
import scipy.fft
import scipy.signal

import papilio


def optional(name):
    try:
        return __import__(name)
    except ImportError:
        print(f"{name} is not installed: left out")
        return None


def medians(functions, repeats, inner=1):
    times = {name: [] for name in functions}
    for f in functions.values():
        f()
    for _ in range(repeats):
        for name, f in functions.items():
            start = time.perf_counter()
            for _ in range(inner):
                f()
            times[name].append((time.perf_counter() - start) / inner)
    return {name: statistics.median(t) for name, t in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    workers, repeats = options.workers, options.repeats
    librosa, torch = optional("librosa"), optional("torch")
    if torch is not None:
        torch.set_num_threads(workers)
    rng = np.random.default_rng(1)
    rows = []  # name, times, floors by peer

    lines = rng.standard_normal((10000, 1024)).astype(np.float32)
    rows.append(("rfft of (10000, 1024) float32", medians({
        "papilio": lambda: papilio.fft.rfft(lines, workers=workers),
        "scipy.fft": lambda: scipy.fft.rfft(lines, workers=workers),
        "numpy.fft": lambda: np.fft.rfft(lines),
    }, repeats), {"scipy.fft": 2.0}))

    points = rng.standard_normal(16) + 0j
    rows.append(("fft of 16 points, a call", medians({
        "papilio": lambda: papilio.fft.fft(points),
        "numpy.fft": lambda: np.fft.fft(points),
        "scipy.fft": lambda: scipy.fft.fft(points),
    }, repeats, 2000), {"numpy.fft": 1.0}))

    sound = rng.standard_normal(600 * 44100).astype(np.float32)
    plan = papilio.StftPlan(2048, 512)
    functions = {"papilio": lambda: plan.execute(sound, workers=workers)}
    floors = {}
    if librosa is not None:
        functions["librosa"] = lambda: librosa.stft(sound, n_fft=2048, hop_length=512)
        floors["librosa"] = 3.0
    if torch is not None:
        samples, window = torch.from_numpy(sound), torch.hann_window(2048)
        functions["torch"] = lambda: torch.stft(samples, 2048, 512, window=window,
                                                return_complex=True, pad_mode="constant")
        floors["torch"] = 3.0
    rows.append(("STFT of 10 minutes, 2048 / 512", medians(functions, max(3, repeats // 3)), floors))

    long, taps = rng.standard_normal(2_000_000).astype(np.float32), np.ones(129, np.float32)
    rows.append(("oaconvolve of 2000000 and 129 float32", medians({
        "papilio": lambda: papilio.signal.oaconvolve(long, taps, workers=workers),
        "scipy": lambda: scipy.signal.oaconvolve(long, taps),
    }, max(3, repeats // 3)), {}))

    below = False
    for name, times, floors in rows:
        ours = times["papilio"]
        print(f"{name}: papilio {ours * 1e6:.4g} us")
        for peer, t in times.items():
            if peer == "papilio":
                continue
            ratio, floor = t / ours, floors.get(peer)
            below = below or (floor is not None and ratio < floor)
            note = f" (floor {floor:g})" if floor is not None else ""
            print(f"  {peer:<10} {t * 1e6:.4g} us, {ratio:.2f} times papilio's{note}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
