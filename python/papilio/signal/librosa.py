"""Spectral functions with librosa's names, arguments and layouts: spectra are [..., bins, frames]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .. import _papilio, _sound
from .._arrays import Array, Window, as_array, last, swapped
from .._calls import options_of, public
from . import IstftPlan, MelFilterbank, StftPlan, to_decibel
from . import hz_to_mel as _hz_to_mel
from . import mel_to_hz as _mel_to_hz

__all__ = [
    "amplitude_to_db", "hz_to_mel", "istft", "mel", "mel_to_hz", "melspectrogram", "mfcc",
    "power_to_db", "resample", "rms", "spectral_bandwidth", "spectral_centroid",
    "spectral_flatness", "spectral_rolloff", "stft", "zero_crossing_rate",
]  # fmt: skip

Reference: TypeAlias = float | Callable[[Any], Any]

_PADDING = {"constant": "zero", "zeros": "zero", "reflect": "reflect", "edge": "edge"}


def _options(n_fft: int, hop_length: int | None, win_length: int | None, window: Window,
             center: bool, pad_mode: str) -> dict[str, Any]:  # fmt: skip
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


def stft(y: ArrayLike, *, n_fft: int = 2048, hop_length: int | None = None,
         win_length: int | None = None, window: Window = "hann", center: bool = True,
         dtype: DTypeLike | None = None, pad_mode: str = "constant", out: Array | None = None,
         workers: int | None = None) -> Array:  # fmt: skip
    """librosa.stft: complex spectra [..., 1 + n_fft / 2, frames]."""
    plan = StftPlan(**_options(n_fft, hop_length, win_length, window, center, pad_mode))
    spectra = swapped(plan.execute(y, "complex", workers))
    if dtype is not None:
        spectra = spectra.astype(dtype, copy=False)
    if out is None:
        return spectra
    out[..., : spectra.shape[-1]] = spectra
    return out[..., : spectra.shape[-1]]


def _reached(options: dict[str, Any], frames: int) -> int:
    """Samples before the last that windows cover by more than 1e-10 of their largest square."""
    squares = StftPlan(**options).window ** 2
    sums, n_fft, hop = squares.copy(), options["n_fft"], options["hop"]
    for back in range(hop, min(frames * hop, n_fft), hop):
        sums[:-back] += squares[back:]
    last = np.flatnonzero(sums > 1e-10 * squares.max())[-1]
    return (frames - 1) * hop + int(last) + 1 - (n_fft // 2 if options["center"] else 0)


def istft(stft_matrix: ArrayLike, *, hop_length: int | None = None, win_length: int | None = None,
          n_fft: int | None = None, window: Window = "hann", center: bool = True,
          dtype: DTypeLike | None = None, length: int | None = None, out: Array | None = None,
          workers: int | None = None) -> Array:  # fmt: skip
    """librosa.istft: signals [..., samples] of spectra [..., bins, frames]."""
    spectra = swapped(stft_matrix)
    n_fft = 2 * (spectra.shape[-1] - 1) if n_fft is None else n_fft
    options = _options(n_fft, hop_length, win_length, window, center, "constant")
    whole = None if length is None else min(length, _reached(options, spectra.shape[-2]))
    y = IstftPlan(**options).execute(spectra, whole, workers)
    if length is not None and length > y.shape[-1]:
        y = np.pad(y, [(0, 0)] * (y.ndim - 1) + [(0, length - y.shape[-1])])
    if dtype is not None:
        y = y.astype(dtype, copy=False)
    if out is None:
        return y
    out[...] = y
    return out


def _spectrogram(y: ArrayLike | None, S: ArrayLike | None, n_fft: int, hop_length: int | None,
                 power: float, win_length: int | None, window: Window, center: bool, pad_mode: str,
                 workers: int | None) -> tuple[Array, int]:  # fmt: skip
    """Spectra [..., frames, bins] and their n_fft, which is that of S only where its bins fit."""
    if S is not None:
        spectra = swapped(S)
        bins = spectra.shape[-1]
        return spectra, n_fft if n_fft is not None and n_fft // 2 + 1 == bins else 2 * (bins - 1)
    if y is None:
        raise TypeError("y or S must be given")
    plan = StftPlan(**_options(n_fft, hop_length, win_length, window, center, pad_mode))
    if power in (1, 2):
        return plan.execute(y, "magnitude" if power == 1 else "power", workers), n_fft
    return plan.execute(y, "magnitude", workers) ** power, n_fft


def melspectrogram(*, y: ArrayLike | None = None, sr: float = 22050, S: ArrayLike | None = None,
                   n_fft: int = 2048, hop_length: int | None = 512, win_length: int | None = None,
                   window: Window = "hann", center: bool = True, pad_mode: str = "constant",
                   power: float = 2.0, n_mels: int = 128, fmin: float = 0.0,
                   fmax: float | None = None, htk: bool = False, norm: str | None = "slaney",
                   workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.melspectrogram: [..., n_mels, frames]."""
    S, n_fft = _spectrogram(y, S, n_fft, hop_length, power, win_length, window, center, pad_mode,
                            workers)  # fmt: skip
    bank = MelFilterbank(sr, n_fft, n_mels, "htk" if htk else "slaney", norm, fmin, fmax)
    return swapped(bank.apply(S, workers))


def mel(*, sr: float, n_fft: int, n_mels: int = 128, fmin: float = 0.0, fmax: float | None = None,
        htk: bool = False, norm: str | None = "slaney",
        dtype: DTypeLike = np.float32) -> Array:  # fmt: skip
    """librosa.filters.mel: weights [n_mels, 1 + n_fft / 2]."""
    bank = MelFilterbank(sr, n_fft, n_mels, "htk" if htk else "slaney", norm, fmin, fmax)
    return bank.dense().astype(dtype)


@options_of(melspectrogram)
def mfcc(*, y: ArrayLike | None = None, sr: float = 22050, S: ArrayLike | None = None,
         n_mfcc: int = 20, dct_type: int = 2, norm: str = "ortho", lifter: float = 0,
         workers: int | None = None, **options: Any) -> Array:  # fmt: skip
    """librosa.feature.mfcc: [..., n_mfcc, frames]; S are levels in dB."""
    if dct_type != 2 or norm != "ortho":
        raise ValueError(f"mfcc: dct_type must be 2 and norm 'ortho', got {dct_type} and {norm!r}")
    if S is not None:
        bands = 10 ** (swapped(S) / 10)
        return swapped(_papilio.mfcc(bands, n_mfcc, lifter, 1.0, 1e-300, None, workers))
    bands = swapped(melspectrogram(y=y, sr=sr, workers=workers, **options))
    return swapped(_papilio.mfcc(bands, n_mfcc, lifter, 1.0, None, 80.0, workers))


def power_to_db(S: ArrayLike, *, ref: Reference = 1.0, amin: float = 1e-10,
                top_db: float | None = 80.0) -> Array:  # fmt: skip
    """librosa.power_to_db."""
    reference = ref(S) if callable(ref) else abs(ref)
    return to_decibel(S, "power", float(reference), amin, top_db)


def amplitude_to_db(S: ArrayLike, *, ref: Reference = 1.0, amin: float = 1e-5,
                    top_db: float | None = 80.0) -> Array:  # fmt: skip
    """librosa.amplitude_to_db."""
    magnitude = np.abs(as_array(S))
    reference = ref(magnitude) if callable(ref) else abs(ref)
    return to_decibel(magnitude, "amplitude", float(reference), amin, top_db)


def _magnitudes(y: ArrayLike | None, S: ArrayLike | None, n_fft: int, hop_length: int | None,
                win_length: int | None, window: Window, center: bool, pad_mode: str,
                workers: int | None) -> tuple[Array, int]:  # fmt: skip
    return _spectrogram(y, S, n_fft, hop_length, 1, win_length, window, center, pad_mode, workers)


def spectral_centroid(*, y: ArrayLike | None = None, sr: float = 22050, S: ArrayLike | None = None,
                      n_fft: int = 2048, hop_length: int | None = 512, win_length: int | None = None,
                      window: Window = "hann", center: bool = True, pad_mode: str = "constant",
                      workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.spectral_centroid: [..., 1, frames]."""
    S, n_fft = _magnitudes(y, S, n_fft, hop_length, win_length, window, center, pad_mode, workers)
    return _papilio.spectral_centroid(S, sr / n_fft)[..., None, :]


def spectral_bandwidth(*, y: ArrayLike | None = None, sr: float = 22050, S: ArrayLike | None = None,
                       n_fft: int = 2048, hop_length: int | None = 512, win_length: int | None = None,
                       window: Window = "hann", center: bool = True, pad_mode: str = "constant",
                       p: float = 2, workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.spectral_bandwidth: [..., 1, frames]."""
    S, n_fft = _magnitudes(y, S, n_fft, hop_length, win_length, window, center, pad_mode, workers)
    return _papilio.spectral_bandwidth(S, sr / n_fft, p)[..., None, :]


def spectral_rolloff(*, y: ArrayLike | None = None, sr: float = 22050, S: ArrayLike | None = None,
                     n_fft: int = 2048, hop_length: int | None = 512, win_length: int | None = None,
                     window: Window = "hann", center: bool = True, pad_mode: str = "constant",
                     roll_percent: float = 0.85, workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.spectral_rolloff: [..., 1, frames]."""
    S, n_fft = _magnitudes(y, S, n_fft, hop_length, win_length, window, center, pad_mode, workers)
    return _papilio.spectral_rolloff(S, sr / n_fft, roll_percent)[..., None, :]


def spectral_flatness(*, y: ArrayLike | None = None, S: ArrayLike | None = None,
                      n_fft: int = 2048, hop_length: int | None = 512, win_length: int | None = None,
                      window: Window = "hann", center: bool = True, pad_mode: str = "constant",
                      amin: float = 1e-10, workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.spectral_flatness: [..., 1, frames]."""
    S, _ = _magnitudes(y, S, n_fft, hop_length, win_length, window, center, pad_mode, workers)
    return _papilio.spectral_flatness(S, amin)[..., None, :]


def rms(*, y: ArrayLike | None = None, S: ArrayLike | None = None, frame_length: int = 2048,
        hop_length: int = 512, center: bool = True, pad_mode: str = "constant",
        dtype: DTypeLike = np.float32, workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.rms: [..., 1, frames]."""
    if pad_mode != "constant":
        raise ValueError(f"rms: pad_mode must be 'constant', got {pad_mode!r}")
    if y is not None:
        values = _papilio.segment_rms(y, frame_length, hop_length, center, workers)
    elif S is not None:
        values = _papilio.spectral_rms(swapped(S), frame_length)
    else:
        raise TypeError("y or S must be given")
    return values.astype(dtype, copy=False)[..., None, :]


def zero_crossing_rate(y: ArrayLike, *, frame_length: int = 2048, hop_length: int = 512,
                       center: bool = True, threshold: float = 1e-10,
                       workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.zero_crossing_rate: [..., 1, frames]."""
    rates = _papilio.segment_zero_crossing_rate(y, frame_length, hop_length, center, threshold,
                                                workers)  # fmt: skip
    return rates[..., None, :]


def hz_to_mel(frequencies: ArrayLike, *, htk: bool = False) -> Array:
    """librosa.hz_to_mel."""
    return _hz_to_mel(frequencies, "htk" if htk else "slaney")


def mel_to_hz(mels: ArrayLike, *, htk: bool = False) -> Array:
    """librosa.mel_to_hz."""
    return _mel_to_hz(mels, "htk" if htk else "slaney")


_RESAMPLING = {"soxr_vhq": "very_high", "soxr_hq": "high", "soxr_mq": "medium", "soxr_lq": "low"}


def resample(y: ArrayLike, *, orig_sr: int, target_sr: int, res_type: str = "soxr_hq",
             scale: bool = False, axis: int = -1) -> Array:  # fmt: skip
    """librosa.resample by libsoxr, in float32, of signals [samples] or of two axes."""
    if res_type not in _RESAMPLING:
        raise ValueError(f"res_type must be one of {', '.join(_RESAMPLING)}, got {res_type!r}")
    samples = last(y, axis)
    result = _sound.resample(samples, orig_sr, target_sr, quality=_RESAMPLING[res_type])
    if scale:
        result = result / np.sqrt(target_sr / orig_sr)
    return np.moveaxis(result, -1, axis)


public(globals(), {
    "x": "y", "hop": "hop_length", "window_length": "win_length", "rate_hz": "sr", "rate": "sr",
    "bands": "n_mels", "coefficients": "n_mfcc", "length": "frame_length", "fmin_hz": "fmin",
    "fmax_hz": "fmax", "share": "roll_percent", "from_rate": "orig_sr",
    "to_rate": "target_sr",
})  # fmt: skip
