#!/usr/bin/env python3
"""Writes the reference vectors of tests/signal/data that belong to deltas, contrast, PCEN, gammatone
bands and windows of the MDCT.

    python3 -m venv venv && venv/bin/pip install numpy scipy librosa
    venv/bin/python tests/signal/reference/make_bands_reference.py

The stored files come from numpy 2.4.6, scipy 1.17.1, librosa 0.11.0.
"""
import pathlib

import librosa
import numpy as np
import scipy.signal

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"

DELTAS = [(9, 1, "interp"), (5, 2, "interp"), (7, 3, "mirror"), (9, 1, "nearest"),
          (9, 2, "constant"), (9, 1, "wrap")]
PCEN = [{}, {"gain": 0.8, "bias": 0, "power": 0.3}, {"power": 0, "time_constant": 0.06},
        {"bias": 10, "power": 0.25, "max_size": 4}, {"b": 0.1, "eps": 1e-3, "max_size": 3}]
GAMMATONE = {"rate": 16000, "n_fft": 256, "bands": 6, "fmin": 50}


def save(name, values):
    values = np.ascontiguousarray(values)
    assert values.nbytes < 100_000, name
    np.save(DATA / f"{name}.npy", values)


def make_deltas():
    """20 rows of 3 features, and their deltas, one under another."""
    rows = np.random.default_rng(2).standard_normal((20, 3))
    save("deltas_rows", rows)
    save("deltas", np.concatenate([
        librosa.feature.delta(rows, width=w, order=o, axis=0, mode=m) for w, o, m in DELTAS]))


def make_contrast(x):
    spectrum = np.abs(librosa.stft(x))
    f = librosa.feature.spectral_contrast
    save("contrast", f(S=spectrum, sr=22050).T)
    save("contrast_linear", f(S=spectrum, sr=22050, n_bands=4, fmin=150, quantile=0.1,
                              linear=True).T)
    save("contrast_odd", f(S=np.abs(librosa.stft(x, n_fft=1023, hop_length=512)), sr=22050,
                           freq=np.arange(512) * 22050 / 1023, n_bands=3, fmin=400).T)


def make_pcen(x):
    bands = librosa.feature.melspectrogram(y=x, sr=22050, n_mels=20, power=1, dtype=np.float64)
    bands *= 2**31
    save("pcen_bands", bands.T)
    save("pcen", np.concatenate([librosa.pcen(bands, sr=22050, **o).T for o in PCEN]))


def make_gammatone():
    """Powers of the filters at the bins over those at the centres; the centres in the last column."""
    rate, n_fft, bands = (GAMMATONE[name] for name in ("rate", "n_fft", "bands"))
    number = lambda hz: 9.26449 * np.log1p(hz / (24.7 * 9.26449))
    edges = np.linspace(number(GAMMATONE["fmin"]), number(rate / 2), bands + 2)
    centres = 24.7 * 9.26449 * np.expm1(edges[1:-1] / 9.26449)
    rows = []
    for centre in centres:
        taps, _ = scipy.signal.gammatone(centre, "fir", numtaps=8000, fs=rate)
        at = np.append(np.arange(n_fft // 2 + 1) * rate / n_fft, centre)
        power = np.abs(scipy.signal.freqz(taps, 1, at, fs=rate)[1]) ** 2
        rows.append(np.append(power[:-1] / power[-1], centre))
    save("gammatone", np.stack(rows))


def make_mdct_windows():
    """Kaiser-Bessel-derived, of 16 coefficients and alpha 4, and of 64 and 5."""
    derived = scipy.signal.windows.kaiser_bessel_derived
    save("mdct_windows", np.concatenate([derived(32, 4 * np.pi), derived(128, 5 * np.pi)]))


if __name__ == "__main__":
    make_deltas()
    signal = np.load(DATA / "features_signal.npy").astype(np.float64)
    make_contrast(signal)
    make_pcen(signal)
    make_gammatone()
    make_mdct_windows()
