"""Rows of bench/sound_peers.py: deltas, contrast, PCEN, gammatone bands and MDCT of one channel.

Both sides get the same float64 arrays. librosa has no gammatone bands and nobody an MDCT: there the
reference is scipy's filters at the bins, and a DCT-IV of scipy on folded frames.
"""

import librosa
import numpy as np
import scipy.fft
import scipy.signal

import papilio.signal as signal

N_FFT, HOP, MDCT = 2048, 512, 1024


def largest_difference(ours, theirs):
    return float(np.abs(ours - theirs).max())


def relative_difference(ours, theirs):
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def _gammatone(power, centres, rate):
    bins = np.arange(N_FFT // 2 + 1) * rate / N_FFT
    weights = []
    for centre in centres:
        taps, _ = scipy.signal.gammatone(centre, "fir", numtaps=rate // 2, fs=rate)
        at = np.abs(scipy.signal.freqz(taps, 1, np.append(bins, centre), fs=rate)[1]) ** 2
        weights.append(at[:-1] / at[-1])
    return power @ np.array(weights).T


def _mdct(x, n):
    """Frames (a, b, c, d) fold to (-c' - d, a - b'), ' for reversed order; then a DCT-IV."""
    frames = -(-len(x) // n) + 1
    padded = np.zeros((frames + 1) * n)
    padded[n : n + len(x)] = x
    window = np.sin(np.pi * (np.arange(2 * n) + 0.5) / (2 * n))
    cut = np.lib.stride_tricks.sliding_window_view(padded, 2 * n)[::n] * window
    a, b, c, d = np.split(cut, 4, axis=1)
    return scipy.fft.dct(np.concatenate([-c[:, ::-1] - d, a - b[:, ::-1]], axis=1), type=4) / 2


def rows(samples, rate):
    samples = np.ascontiguousarray(samples, np.float64)
    magnitude = np.abs(librosa.stft(samples, n_fft=N_FFT, hop_length=HOP))
    segments = np.ascontiguousarray(magnitude.T)
    mfcc = librosa.feature.mfcc(y=samples, sr=rate)
    coefficients = np.ascontiguousarray(mfcc.T)
    mel = librosa.feature.melspectrogram(S=magnitude, sr=rate) * 2.0**31
    bands = np.ascontiguousarray(mel.T)
    power = segments**2
    centres = np.array(signal.AuditoryFilterbank(rate, N_FFT).edges_hz[1:-1])
    return [
        dict(feature="delta, order 1", reference="librosa.feature.delta",
             ours=lambda: signal.delta(coefficients).T, theirs=lambda: librosa.feature.delta(mfcc),
             difference=largest_difference),
        dict(feature="delta, order 2", reference="librosa.feature.delta",
             ours=lambda: signal.delta(coefficients, order=2).T,
             theirs=lambda: librosa.feature.delta(mfcc, order=2), difference=largest_difference),
        dict(feature="spectral contrast, dB", reference="librosa.feature.spectral_contrast",
             ours=lambda: signal.spectral_contrast(segments, rate, N_FFT).T,
             theirs=lambda: librosa.feature.spectral_contrast(S=magnitude, sr=rate),
             difference=largest_difference),
        dict(feature="PCEN of 128 mel bands", reference="librosa.pcen",
             ours=lambda: signal.pcen(bands, rate, HOP).T,
             theirs=lambda: librosa.pcen(mel, sr=rate, hop_length=HOP), difference=largest_difference),
        dict(feature="64 gammatone bands, with their filters", reference="scipy.signal.gammatone, numpy",
             ours=lambda: signal.AuditoryFilterbank(rate, N_FFT).apply(power),
             theirs=lambda: _gammatone(power, centres, rate), difference=relative_difference),
        dict(feature="MDCT of 1024", reference="scipy.fft.dct, numpy",
             ours=lambda: signal.mdct(samples, MDCT), theirs=lambda: _mdct(samples, MDCT),
             difference=relative_difference),
        dict(feature="MDCT and its inverse", reference="the signal; time of scipy's MDCT alone",
             ours=lambda: signal.imdct(signal.mdct(samples, MDCT), length=len(samples)),
             theirs=lambda: (_mdct(samples, MDCT), samples)[1], difference=relative_difference),
    ]  # fmt: skip
