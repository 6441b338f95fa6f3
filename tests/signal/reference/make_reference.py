#!/usr/bin/env python3
"""Writes the reference vectors of tests/signal/data that belong to windows, mel and cepstral
features, spectral densities and features of segments.

    python3 -m venv venv && venv/bin/pip install numpy scipy librosa
    venv/bin/python tests/signal/reference/make_reference.py

The stored files come from numpy 2.4.6, scipy 1.17.1, librosa 0.11.0.
"""
import pathlib

import numpy as np
from scipy.signal import windows

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"


def save(name, values):
    values = np.ascontiguousarray(values)
    assert values.nbytes < 100_000, name
    np.save(DATA / f"{name}.npy", values)


WINDOWS = {
    "rectangular": windows.boxcar,
    "hann": windows.hann,
    "hamming": windows.hamming,
    "blackman": windows.blackman,
    "nuttall": windows.nuttall,
    "blackman_harris": windows.blackmanharris,
    "flat_top": windows.flattop,
    "kaiser": lambda n, sym: windows.kaiser(n, 8.6, sym),
    "kaiser_wide": lambda n, sym: windows.kaiser(n, 60.0, sym),
    "gaussian": lambda n, sym: windows.gaussian(n, 7.5, sym),
    "tukey": lambda n, sym: windows.tukey(n, 0.3, sym),
    "dpss": lambda n, sym: windows.dpss(n, 2.5, sym=sym),
    "dpss_wide": lambda n, sym: windows.dpss(n, 7.25, sym=sym),
}


def make_windows():
    """Of each kind, 16, 33 and 64 weights, periodic and symmetric of each length in turn."""
    for name, make in WINDOWS.items():
        save(f"windows_{name}", np.concatenate(
            [make(n, sym=symmetric) for n in (16, 33, 64) for symmetric in (False, True)]))


if __name__ == "__main__":
    DATA.mkdir(exist_ok=True)
    make_windows()
