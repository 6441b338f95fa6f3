#!/usr/bin/env python3
"""Writes the reference vectors of tests/signal/data that belong to windows, mel and cepstral
features, spectral densities and features of segments.

    python3 -m venv venv && venv/bin/pip install numpy scipy librosa
    venv/bin/python tests/signal/reference/make_reference.py

The stored files come from numpy 2.4.6, scipy 1.17.1, librosa 0.11.0.
"""
import pathlib

import librosa
import numpy as np
import scipy.fft
import scipy.signal
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


def make_signal():
    """0.3 s at 22050 Hz: a gliding tone, a steady one, noise, an offset and a silent stretch."""
    t = np.arange(6615) / 22050
    x = 0.4 * np.sin(2 * np.pi * (300 * t + 4000 * t**2)) + 0.1 * np.sin(2 * np.pi * 5000 * t)
    x += 0.02 * np.random.default_rng(1).standard_normal(t.size) + 0.05
    x[4000:5200] = 0
    x = x.astype(np.float32)
    save("features_signal", x)
    return x.astype(np.float64)


def make_decibel(x):
    spectrum = np.abs(librosa.stft(x, n_fft=128, hop_length=512))
    save("decibel_values", spectrum)
    save("decibel_power", librosa.power_to_db(spectrum))
    save("decibel_power_to_largest", librosa.power_to_db(spectrum, ref=np.max, top_db=30))
    save("decibel_amplitude", librosa.amplitude_to_db(spectrum, ref=0.5, amin=1e-2, top_db=None))


def make_mel(x):
    save("mel_slaney", librosa.filters.mel(sr=22050, n_fft=256, n_mels=24, dtype=np.float64))
    save("mel_htk", librosa.filters.mel(sr=16000, n_fft=400, n_mels=13, fmin=100, fmax=7000,
                                        htk=True, norm=None, dtype=np.float64))
    save("mel_spectrogram", librosa.feature.melspectrogram(y=x, sr=22050, dtype=np.float64).T)
    save("mfcc_librosa", librosa.feature.mfcc(y=x, sr=22050, dtype=np.float64).T)
    save("mfcc_lifter", librosa.feature.mfcc(y=x, sr=22050, n_mfcc=13, lifter=22,
                                             dtype=np.float64).T)
    # torchaudio.transforms.MFCC(16000), from its documentation: Hann of 400, hop 200, mirrored
    # ends, 128 HTK bands of unit height from 0 to 8000 Hz, 10 log10 with a floor of 1e-10, 80 dB
    # below the highest, orthonormal DCT-II, 40 coefficients.
    mel = librosa.feature.melspectrogram(y=x, sr=16000, n_fft=400, hop_length=200,
                                         pad_mode="reflect", htk=True, norm=None, dtype=np.float64)
    levels = 10 * np.log10(np.maximum(mel, 1e-10))
    levels = np.maximum(levels, levels.max() - 80)
    save("mfcc_torchaudio", scipy.fft.dct(levels, axis=0, type=2, norm="ortho")[:40].T)


WELCH = {
    "default": {"nperseg": 256},
    "linear": {"nperseg": 200, "noverlap": 150, "nfft": 255, "detrend": "linear",
               "window": "blackman"},
    "spectrum": {"nperseg": 128, "noverlap": 0, "detrend": False, "scaling": "spectrum",
                 "window": ("kaiser", 8.6)},
    "median": {"nperseg": 256, "average": "median"},  # of 30 segments
    "median_odd": {"nperseg": 300, "average": "median"},  # of 25
    "two_sided": {"nperseg": 101, "noverlap": 30, "return_onesided": False},
}


def make_welch(x):
    x = x[:4000]
    for name, options in WELCH.items():
        frequencies, power = scipy.signal.welch(x, fs=22050, **options)
        save(f"welch_{name}", np.stack([frequencies, power]))
    save("welch_short", np.stack(scipy.signal.welch(x[:111], fs=22050)))  # nperseg is then 111
    x = x[:1000]
    save("welch_periodogram", np.stack(scipy.signal.periodogram(x, fs=22050)))
    save("welch_periodogram_hann", np.stack(scipy.signal.periodogram(
        x, fs=22050, window="hann", nfft=1023, detrend="linear", scaling="spectrum")))


def make_features(x):
    spectrum = np.abs(librosa.stft(x))
    f = librosa.feature
    save("features_segments", np.stack([
        f.spectral_centroid(S=spectrum, sr=22050)[0],
        f.spectral_bandwidth(S=spectrum, sr=22050)[0],
        f.spectral_bandwidth(S=spectrum, sr=22050, p=3)[0],
        f.spectral_rolloff(S=spectrum, sr=22050)[0],
        f.spectral_rolloff(S=spectrum, sr=22050, roll_percent=0.1)[0],
        f.spectral_flatness(S=spectrum)[0],
        f.rms(S=spectrum, dtype=np.float64)[0],
        f.rms(y=x, dtype=np.float64)[0],
        f.zero_crossing_rate(x)[0],
    ]))
    save("features_uncentred", np.stack([
        f.rms(y=x, frame_length=1001, hop_length=700, center=False, dtype=np.float64)[0],
        f.zero_crossing_rate(x, frame_length=1001, hop_length=700, center=False)[0],
    ]))


def make_odd(x):
    """Segments of 1023 samples, whose n_fft the count of bins does not say."""
    odd = {"n_fft": 1023, "hop_length": 512}
    spectrum = np.abs(librosa.stft(x, **odd))
    f = librosa.feature
    one = [f.spectral_centroid(y=x, **odd), f.spectral_bandwidth(y=x, **odd),
           f.spectral_rolloff(y=x, **odd), f.spectral_centroid(S=spectrum),
           f.spectral_centroid(S=spectrum, n_fft=1023), f.spectral_flatness(y=x, **odd),
           f.rms(S=spectrum, frame_length=1023, dtype=np.float64)]
    save("features_odd", np.concatenate([
        *one, f.melspectrogram(y=x, n_mels=20, dtype=np.float64, **odd),
        f.melspectrogram(S=spectrum**2, n_fft=1023, n_mels=20, dtype=np.float64),
        f.mfcc(y=x, n_mfcc=13, dtype=np.float64, **odd)]))
    part = librosa.stft(x[:1500], n_fft=255, hop_length=64)
    part *= np.linspace(0, 1, part.shape[0])[:, None]
    save("istft_odd", librosa.istft(part, n_fft=255, hop_length=64))
    save("istft_odd_longer", librosa.istft(part, n_fft=255, hop_length=64, length=1700))


if __name__ == "__main__":
    DATA.mkdir(exist_ok=True)
    make_windows()
    signal = make_signal()
    make_decibel(signal)
    make_mel(signal)
    make_welch(signal)
    make_features(signal)
    make_odd(signal)
