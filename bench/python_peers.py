#!/usr/bin/env python3
"""papilio's Python module beside numpy, scipy, ducc0, pyfftw, mkl_fft, librosa and torch.

usage: PYTHONPATH=build/release/python python3 bench/python_peers.py [--fetch] [--workers N]
       [--repeats N] [--only WORD...]

Each row is timed in turns in one process, on one thread and in its CPU time unless --workers says;
times are medians, ratios the peer's over papilio's. Functions of scipy.signal and librosa are called with
the same arguments as papilio.signal.scipy's and papilio.signal.librosa's, and their results compared.
--fetch runs in an environment with the peers but torch, fetched from PyPI once (1.3 GB, with MKL) into
~/.cache/papilio; without it the peers that are installed are timed. --only takes the rows that have
one of these words in their names. Exits 1 where a ratio is below its floor.
"""

import argparse
import functools
import os
import pathlib
import statistics
import subprocess
import sys
import time

PEERS = ["numpy==2.4.6", "scipy==1.17.1", "ducc0==0.42.0", "pyfftw==0.15.1", "mkl_fft==2.3.2",
         "librosa==0.11.0"]  # fmt: skip

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--fetch", action="store_true")
parser.add_argument("--workers", type=int, default=1)
parser.add_argument("--repeats", type=int, default=15)
parser.add_argument("--only", nargs="+", default=[""])
options = parser.parse_args()

if options.fetch:
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = cache / "papilio" / "python_peers"
    wanted, done = "\n".join(PEERS), folder / "peers.txt"
    if not done.exists() or done.read_text() != wanted:
        print(f"==> Fetching {', '.join(PEERS)} from PyPI into {folder}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([folder / "bin/python", "-m", "pip", "install", "--quiet", *PEERS], check=True)
        done.write_text(wanted)
    again = [str(folder / "bin/python"), *(a for a in sys.argv if a != "--fetch")]
    sys.exit(subprocess.run(again).returncode)

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(variable, str(options.workers))

import numpy as np
import scipy.fft
import scipy.signal

import papilio
import papilio.signal.librosa
import papilio.signal.scipy


def optional(name):
    try:
        return __import__(name)
    except ImportError:
        print(f"{name} is not installed: left out")
        return None


def medians(functions, repeats, inner=1):
    now = time.thread_time if options.workers == 1 else time.perf_counter
    times = {name: [] for name in functions}
    for f in functions.values():
        f()
    for _ in range(repeats):
        for name, f in functions.items():
            start = now()
            for _ in range(inner):
                f()
            times[name].append((now() - start) / inner)
    return {name: statistics.median(t) for name, t in times.items()}


# Calls that are not three times as fast yet, and have no floor.
SHORT_OF_THREE = {"spectrogram", "periodogram", "fftconvolve", "czt", "zoom_fft", "spectral_flatness", "power_to_db"}


def same_calls_rows(rng, repeats, librosa):
    """A minute of sound through functions of the same names and arguments, in float."""
    y = rng.standard_normal(60 * 44100).astype(np.float32)
    taps = rng.standard_normal(1025).astype(np.float32)
    calls = [
        ("scipy.signal", "stft", (y, 44100), {"nperseg": 2048, "noverlap": 1536}),
        ("scipy.signal", "spectrogram", (y, 44100), {"nperseg": 1024, "noverlap": 768}),
        ("scipy.signal", "welch", (y, 44100), {"nperseg": 4096}),
        ("scipy.signal", "periodogram", (y[:65537], 44100), {}),
        ("scipy.signal", "fftconvolve", (y, taps), {}),
        ("scipy.signal", "czt", (y[:20000],), {"m": 5000}),
        ("scipy.signal", "zoom_fft", (y[:20000], [0.1, 0.11]), {"m": 5000}),
    ]
    if librosa is not None:
        magnitude = np.abs(librosa.stft(y))
        calls += [
            ("librosa", "stft", (y,), {}),
            ("librosa", "istft", (librosa.stft(y),), {}),
            ("librosa", "melspectrogram", (), {"y": y, "sr": 44100}),
            ("librosa", "mfcc", (), {"y": y, "sr": 44100}),
            ("librosa", "spectral_centroid", (), {"y": y, "sr": 44100}),
            ("librosa", "spectral_rolloff", (), {"y": y, "sr": 44100}),
            ("librosa", "spectral_flatness", (), {"y": y}),
            ("librosa", "rms", (), {"y": y}),
            ("librosa", "zero_crossing_rate", (y,), {}),
            ("librosa", "power_to_db", (magnitude,), {}),
        ]
    rows = []
    for library, name, arguments, options in calls:
        row = f"{library}.{name} of a minute"
        if not wanted(row):
            continue
        peer = scipy.signal if library == "scipy.signal" else librosa
        peer = getattr(peer, name, None) or getattr(librosa.feature, name)
        ours = getattr(getattr(papilio.signal, library.split(".")[0]), name)
        results = [f(*arguments, **options) for f in (ours, peer)]
        ours_last, theirs_last = (r[-1] if isinstance(r, tuple) else r for r in results)
        scale = np.max(np.abs(theirs_last))
        if not np.allclose(ours_last, theirs_last, rtol=0, atol=2e-3 * scale):
            print(f"{library}.{name}: differs by {np.max(np.abs(ours_last - theirs_last)) / scale:.2g} of the largest")
        functions = {"papilio": functools.partial(ours, *arguments, **options),
                     library: functools.partial(peer, *arguments, **options)}  # fmt: skip
        rows.append((row, medians(functions, max(3, repeats // 3)),
                     {} if name in SHORT_OF_THREE else {library: 3.0}))  # fmt: skip
    return rows


def wanted(row):
    return any(word in row for word in options.only)


def lines_rows(rng, workers, repeats, ducc0, pyfftw, mkl_fft):
    """One complex float line, every library with its plan and its output where it takes them."""
    rows = []
    for n in (1024, 2048, 4096, 8192, 16384):
        x = (rng.standard_normal(n) + 1j * rng.standard_normal(n)).astype(np.complex64)
        y = np.empty_like(x)
        plan = papilio.FftPlan(n)
        functions = {"papilio": lambda: plan.execute(x, out=y)}
        if ducc0 is not None:
            functions["ducc0"] = lambda: ducc0.fft.c2c(x, out=y, nthreads=workers)
        if pyfftw is not None:
            a, b = pyfftw.empty_aligned(n, "complex64"), pyfftw.empty_aligned(n, "complex64")
            fftw = pyfftw.FFTW(a, b, threads=workers, flags=("FFTW_MEASURE",))
            a[:] = x
            functions["pyfftw"] = fftw.execute
        if mkl_fft is not None:
            functions["mkl_fft"] = lambda: mkl_fft.fft(x, out=y)
        functions["scipy.fft"] = lambda: scipy.fft.fft(x, workers=workers)
        for name, f in functions.items():
            y[:] = 0
            result = f()
            result = b if name == "pyfftw" else y if result is None else result
            if not np.allclose(result, np.fft.fft(x), atol=1e-5 * n):
                sys.exit(f"{name}: another transform of {n} points than numpy's")
        rows.append((f"fft of {n} complex64", medians(functions, repeats, 200), {}))
    return rows


def main():
    workers, repeats = options.workers, options.repeats
    librosa, torch = optional("librosa"), optional("torch")
    if torch is not None:
        torch.set_num_threads(workers)
    ducc0, pyfftw, mkl_fft = optional("ducc0"), optional("pyfftw"), optional("mkl_fft")
    rng = np.random.default_rng(1)
    rows = same_calls_rows(rng, repeats, librosa)  # name, times, floors by peer
    if options.only != [""]:
        return told(rows)
    rows += lines_rows(rng, workers, repeats, ducc0, pyfftw, mkl_fft)

    lines = rng.standard_normal((10000, 1024)).astype(np.float32)
    rows.append(("rfft of (10000, 1024) float32", medians({
        "papilio": lambda: papilio.fft.rfft(lines, workers=workers),
        "scipy.fft": lambda: scipy.fft.rfft(lines, workers=workers),
        "numpy.fft": lambda: np.fft.rfft(lines),
        **({} if ducc0 is None else {"ducc0": lambda: ducc0.fft.r2c(lines, axes=(1,), nthreads=workers)}),
        **({} if mkl_fft is None else {"mkl_fft": lambda: mkl_fft.rfft(lines)}),
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

    return told(rows)


def told(rows):
    """Prints the rows; the exit code."""
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
