#!/usr/bin/env python3
"""Writes the reference vectors of tests/signal/data that belong to constant-Q transforms and chroma.

    python3 -m venv venv && venv/bin/pip install numpy librosa
    venv/bin/python tests/signal/reference/make_constant_q_reference.py

The signal is features_signal.npy, which make_reference.py wrote. The stored files come from numpy
2.4.6, librosa 0.11.0.
"""
import pathlib

import librosa
import numpy as np

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
RATE = 22050


def save(name, values):
    values = np.ascontiguousarray(values)
    assert values.nbytes < 100_000, name
    np.save(DATA / f"{name}.npy", values)


def planes(values):
    """Real and imaginary parts, [2, segments, bins]."""
    return np.stack([values.T.real, values.T.imag])


def make_transforms(x):
    """A hop that no octave halves, and librosa's default; all coefficients, and its choice."""
    save("constant_q_odd_hop", planes(librosa.cqt(x, sr=RATE, hop_length=441, sparsity=0)))
    save("constant_q_default", planes(librosa.cqt(x, sr=RATE)))
    save("constant_q_unscaled", planes(librosa.cqt(
        x, sr=RATE, hop_length=441, fmin=110, n_bins=60, bins_per_octave=24, filter_scale=0.8,
        norm=2, window="blackmanharris", scale=False, sparsity=0)))
    save("variable_q_odd_hop", planes(librosa.vqt(x, sr=RATE, hop_length=441, sparsity=0)))


def make_chroma(x):
    filters = librosa.filters
    save("chroma_filters", filters.chroma(sr=RATE, n_fft=512, dtype=np.float64))
    save("chroma_filters_tuned", filters.chroma(
        sr=16000, n_fft=400, n_chroma=24, tuning=0.3, ctroct=4, octwidth=None, dtype=np.float64))
    save("chroma_filters_odd", filters.chroma(sr=RATE, n_fft=255, n_chroma=7, dtype=np.float64))
    save("chroma_filters_constant_q", filters.cq_to_chroma(
        100, bins_per_octave=36, fmin=82.4, dtype=np.float64))
    f = librosa.feature
    power = np.abs(librosa.stft(x, n_fft=1024, hop_length=256)) ** 2
    save("chroma_stft", f.chroma_stft(S=power, sr=RATE, n_fft=1024).T)
    save("chroma_tuning", np.array([
        librosa.estimate_tuning(S=power, sr=RATE, n_fft=1024),
        librosa.estimate_tuning(S=np.sqrt(power), sr=RATE, n_fft=1024, bins_per_octave=36)]))
    chroma = f.chroma_cqt(y=x, sr=RATE, tuning=0.0)
    save("chroma_constant_q", chroma.T)
    many = np.random.default_rng(2).random((12, 60)) ** 3
    save("chroma_many", many.T)
    one = {"C": many, "sr": RATE, "n_octaves": 1, "bins_per_octave": 12}
    save("chroma_cens", f.chroma_cens(**one).T)
    save("chroma_cens_even", f.chroma_cens(**one, win_len_smooth=10, norm=np.inf).T)
    save("tonnetz", f.tonnetz(chroma=many, sr=RATE).T)


if __name__ == "__main__":
    signal = np.load(DATA / "features_signal.npy").astype(np.float64)
    make_transforms(signal)
    make_chroma(signal)
