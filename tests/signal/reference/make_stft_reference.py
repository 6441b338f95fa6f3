#!/usr/bin/env python3
"""Writes the reference vectors of tests/signal/data that belong to short-time Fourier transforms.

    python3 -m venv venv && venv/bin/pip install numpy scipy librosa
    venv/bin/python tests/signal/reference/make_stft_reference.py signal librosa scipy
    apt-get install python3-torch
    /usr/bin/python3 tests/signal/reference/make_stft_reference.py torch

The stored files come from numpy 2.4.6, librosa 0.11.0, scipy 1.17.1 (PyPI), torch 1.13.0 (Debian
bookworm). Spectra are [bins, segments, 2] in double, re and im last. torchaudio is in neither place
for that torch: its normalized="window" is computed from torch.stft by the documented formula,
divided by sqrt(sum w^2).
"""
import pathlib
import sys

import numpy as np

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
SAMPLES = 1000


def save(name, values):
    values = np.ascontiguousarray(values)
    if np.iscomplexobj(values):
        values = np.stack([values.real, values.imag], axis=-1)
    values = values.astype(np.float64)
    assert values.nbytes < 100_000, (name, values.nbytes)
    np.save(DATA / f"stft_{name}.npy", values)


def signal():
    return np.load(DATA / "stft_signal.npy")


def masked(spectra):
    """Spectra that are those of no signal."""
    k, s = np.indices(spectra.shape)
    return spectra * (1 + (3 * k + 5 * s) % 7) / 4


def make_signal():
    save("signal", np.random.default_rng(7).standard_normal(SAMPLES))


def make_librosa():
    import librosa

    x = signal()
    save("librosa_default", librosa.stft(x))
    x = x[:300]
    save("librosa_small", librosa.stft(x, n_fft=64, hop_length=16))
    save("librosa_reflect", librosa.stft(x, n_fft=64, hop_length=16, pad_mode="reflect"))
    save("librosa_edge", librosa.stft(x, n_fft=64, hop_length=16, pad_mode="edge"))
    save("librosa_uncentred", librosa.stft(x, n_fft=64, hop_length=24, center=False))
    save("librosa_short_window", librosa.stft(x, n_fft=64, hop_length=16, win_length=41))
    save("librosa_odd", librosa.stft(x, n_fft=63, hop_length=20, window="blackmanharris"))
    spectra = masked(librosa.stft(x, n_fft=64, hop_length=16))
    save("librosa_masked", spectra)
    save("librosa_istft", librosa.istft(spectra, n_fft=64, hop_length=16))
    save("librosa_istft_length", librosa.istft(spectra, n_fft=64, hop_length=16, length=300))


def make_scipy():
    from scipy.signal import istft, stft

    x = signal()
    save("scipy_default", stft(x)[2])
    save("scipy_short", stft(x[:111])[2])  # shorter than nperseg, which is then 111
    x = x[:307]
    small = {"nperseg": 64, "noverlap": 48}
    save("scipy_small", stft(x, **small)[2])
    save("scipy_psd", stft(x, 8000, scaling="psd", **small)[2])
    save("scipy_two_sided", stft(x, return_onesided=False, **small)[2])
    save("scipy_even", stft(x, boundary="even", **small)[2])
    save("scipy_constant", stft(x, boundary="constant", **small)[2])
    save("scipy_no_boundary", stft(x, boundary=None, **small)[2])
    save("scipy_not_padded", stft(x, boundary=None, padded=False, **small)[2])
    save("scipy_odd", stft(x, nperseg=45, noverlap=13, window=("kaiser", 8.6))[2])
    spectra = masked(stft(x, **small)[2])
    save("scipy_masked", spectra)
    save("scipy_istft", istft(spectra, **small)[1])
    spectra = masked(stft(x, return_onesided=False, **small)[2])
    save("scipy_two_sided_masked", spectra)
    save("scipy_two_sided_istft", istft(spectra, input_onesided=False, **small)[1].real)


def make_torch():
    import torch

    def transform(x, n_fft, hop=None, **options):
        x = torch.from_numpy(np.array(x))
        return torch.stft(x, n_fft, hop, return_complex=True, **options).numpy()

    x = signal()
    hann = {n: torch.hann_window(n, dtype=torch.float64) for n in (40, 64)}
    save("torch_default", transform(x, 256))
    x = x[:300]
    save("torch_hann", transform(x, 64, 16, window=hann[64]))
    save("torch_short_window", transform(x, 64, 16, win_length=40, window=hann[40]))
    save("torch_uncentred", transform(x, 64, 20, window=hann[64], center=False))
    save("torch_two_sided", transform(x, 64, 16, window=hann[64], onesided=False))
    save("torchaudio_window", transform(x, 64, 16, window=hann[64]) / np.sqrt(
        np.sum(hann[64].numpy() ** 2)))
    spectra = masked(transform(x, 64, 16, window=hann[64]))
    save("torch_masked", spectra)
    save("torch_istft", torch.istft(torch.from_numpy(spectra), 64, 16, window=hann[64],
                                    length=300).numpy())


if __name__ == "__main__":
    makers = {"signal": make_signal, "librosa": make_librosa, "scipy": make_scipy,
              "torch": make_torch}
    if len(sys.argv) < 2 or not set(sys.argv[1:]) <= makers.keys():
        sys.exit(f"usage: make_stft_reference.py {{{'|'.join(makers)}}}...")
    DATA.mkdir(exist_ok=True)
    for what in sys.argv[1:]:
        makers[what]()
