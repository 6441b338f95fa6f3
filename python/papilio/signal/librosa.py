"""Spectral functions with librosa's names, arguments and layouts: spectra are [..., bins, frames]."""

import numpy as np

from . import IstftPlan, MelFilterbank, StftPlan, _papilio, to_decibel

_PADDING = {"constant": "zero", "zeros": "zero", "reflect": "reflect", "edge": "edge"}


def _options(n_fft, hop_length, win_length, window, center, pad_mode):
    if pad_mode not in _PADDING:
        raise ValueError(f"pad_mode must be one of {', '.join(_PADDING)}, got {pad_mode}")
    win_length = n_fft if win_length is None else win_length
    return dict(
        n_fft=n_fft,
        hop=win_length // 4 if hop_length is None else hop_length,
        window=window,
        window_length=win_length if isinstance(window, (str, tuple)) else None,
        center=center,
        padding=_PADDING[pad_mode],
    )


def _swapped(x):
    return np.swapaxes(x, -1, -2)


def stft(y, *, n_fft=2048, hop_length=None, win_length=None, window="hann", center=True,
         dtype=None, pad_mode="constant", out=None, workers=None):  # fmt: skip
    """librosa.stft: complex spectra [..., 1 + n_fft / 2, frames]."""
    plan = StftPlan(**_options(n_fft, hop_length, win_length, window, center, pad_mode))
    spectra = _swapped(plan.execute(y, "complex", workers))
    if dtype is not None:
        spectra = spectra.astype(dtype, copy=False)
    if out is None:
        return spectra
    out[..., : spectra.shape[-1]] = spectra
    return out[..., : spectra.shape[-1]]


def istft(stft_matrix, *, hop_length=None, win_length=None, n_fft=None, window="hann", center=True,
          dtype=None, length=None, out=None, workers=None):  # fmt: skip
    """librosa.istft: signals [..., samples] of spectra [..., bins, frames]."""
    spectra = _swapped(np.asarray(stft_matrix))
    n_fft = 2 * (spectra.shape[-1] - 1) if n_fft is None else n_fft
    plan = IstftPlan(**_options(n_fft, hop_length, win_length, window, center, "constant"))
    whole = None
    if length is not None:
        hop = _options(n_fft, hop_length, win_length, window, center, "constant")["hop"]
        frames = spectra.shape[-2]
        whole = min(length, (frames - 1) * hop + n_fft - (n_fft // 2 if center else 0))
    y = plan.execute(spectra, whole, workers)
    if length is not None and length > y.shape[-1]:
        y = np.pad(y, [(0, 0)] * (y.ndim - 1) + [(0, length - y.shape[-1])])
    if dtype is not None:
        y = y.astype(dtype, copy=False)
    if out is None:
        return y
    out[...] = y
    return out


def _spectrogram(y, S, n_fft, hop_length, power, win_length, window, center, pad_mode, workers):
    if S is not None:
        return _swapped(np.asarray(S))
    plan = StftPlan(**_options(n_fft, hop_length, win_length, window, center, pad_mode))
    if power in (1, 2):
        return plan.execute(y, "magnitude" if power == 1 else "power", workers)
    return plan.execute(y, "magnitude", workers) ** power


def melspectrogram(*, y=None, sr=22050, S=None, n_fft=2048, hop_length=512, win_length=None,
                   window="hann", center=True, pad_mode="constant", power=2.0, n_mels=128,
                   fmin=0.0, fmax=None, htk=False, norm="slaney", workers=None):  # fmt: skip
    """librosa.feature.melspectrogram: [..., n_mels, frames]."""
    S = _spectrogram(y, S, n_fft, hop_length, power, win_length, window, center, pad_mode, workers)
    bank = MelFilterbank(
        sr, 2 * (S.shape[-1] - 1), n_mels, "htk" if htk else "slaney", norm, fmin, fmax
    )
    return _swapped(bank.apply(S, workers))


def mel(*, sr, n_fft, n_mels=128, fmin=0.0, fmax=None, htk=False, norm="slaney", dtype=np.float32):
    """librosa.filters.mel: weights [n_mels, 1 + n_fft / 2]."""
    bank = MelFilterbank(sr, n_fft, n_mels, "htk" if htk else "slaney", norm, fmin, fmax)
    return bank.dense().astype(dtype)


def mfcc(*, y=None, sr=22050, S=None, n_mfcc=20, dct_type=2, norm="ortho", lifter=0, workers=None,
         **options):  # fmt: skip
    """librosa.feature.mfcc: [..., n_mfcc, frames]; S are levels in dB."""
    if dct_type != 2 or norm != "ortho":
        raise ValueError("mfcc: dct_type must be 2 and norm 'ortho'")
    if S is not None:
        bands = 10 ** (_swapped(np.asarray(S)) / 10)
        return _swapped(_papilio.mfcc(bands, n_mfcc, lifter, 1.0, 1e-300, None, workers))
    bands = _swapped(melspectrogram(y=y, sr=sr, workers=workers, **options))
    return _swapped(_papilio.mfcc(bands, n_mfcc, lifter, 1.0, None, 80.0, workers))


def power_to_db(S, *, ref=1.0, amin=1e-10, top_db=80.0):
    """librosa.power_to_db."""
    reference = ref(S) if callable(ref) else abs(ref)
    return to_decibel(S, "power", float(reference), amin, top_db)


def amplitude_to_db(S, *, ref=1.0, amin=1e-5, top_db=80.0):
    """librosa.amplitude_to_db."""
    reference = ref(S) if callable(ref) else abs(ref)
    return to_decibel(np.abs(S), "amplitude", float(reference), amin, top_db)


def _magnitudes(y, S, n_fft, hop_length, win_length, window, center, pad_mode, workers):
    return _spectrogram(y, S, n_fft, hop_length, 1, win_length, window, center, pad_mode, workers)


def spectral_centroid(*, y=None, sr=22050, S=None, n_fft=2048, hop_length=512, win_length=None,
                      window="hann", center=True, pad_mode="constant", workers=None):  # fmt: skip
    """librosa.feature.spectral_centroid: [..., 1, frames]."""
    S = _magnitudes(y, S, n_fft, hop_length, win_length, window, center, pad_mode, workers)
    return _papilio.spectral_centroid(S, sr / (2 * (S.shape[-1] - 1)))[..., None, :]


def spectral_bandwidth(*, y=None, sr=22050, S=None, n_fft=2048, hop_length=512, win_length=None,
                       window="hann", center=True, pad_mode="constant", p=2,
                       workers=None):  # fmt: skip
    """librosa.feature.spectral_bandwidth: [..., 1, frames]."""
    S = _magnitudes(y, S, n_fft, hop_length, win_length, window, center, pad_mode, workers)
    return _papilio.spectral_bandwidth(S, sr / (2 * (S.shape[-1] - 1)), p)[..., None, :]


def spectral_rolloff(*, y=None, sr=22050, S=None, n_fft=2048, hop_length=512, win_length=None,
                     window="hann", center=True, pad_mode="constant", roll_percent=0.85,
                     workers=None):  # fmt: skip
    """librosa.feature.spectral_rolloff: [..., 1, frames]."""
    S = _magnitudes(y, S, n_fft, hop_length, win_length, window, center, pad_mode, workers)
    return _papilio.spectral_rolloff(S, sr / (2 * (S.shape[-1] - 1)), roll_percent)[..., None, :]


def spectral_flatness(*, y=None, S=None, n_fft=2048, hop_length=512, win_length=None,
                      window="hann", center=True, pad_mode="constant", amin=1e-10,
                      workers=None):  # fmt: skip
    """librosa.feature.spectral_flatness: [..., 1, frames]."""
    S = _magnitudes(y, S, n_fft, hop_length, win_length, window, center, pad_mode, workers)
    return _papilio.spectral_flatness(S, amin)[..., None, :]
