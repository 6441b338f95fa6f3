"""Spectral functions with librosa's names, arguments and layouts: spectra are [..., bins, frames].

Transforms:      stft istft
Mel bands:       melspectrogram mel mfcc  hz_to_mel mel_to_hz
Levels:          power_to_db amplitude_to_db
Constant Q:      cqt vqt icqt
Frequencies:     yin pyin
Pitch classes:   chroma_stft chroma_cqt chroma_cens tonnetz estimate_tuning
Features:        spectral_centroid spectral_bandwidth spectral_rolloff spectral_flatness
                 spectral_contrast rms zero_crossing_rate delta pcen
Rhythm:          onset_strength onset_detect tempogram tempo beat_track
Change of rate:  resample
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .. import _papilio, _sound
from .._arrays import Array, NamedWindow, Window, as_array, last, swapped
from .._calls import as_in, public
from . import IstftPlan, MelFilterbank, StftPlan, _constant_q, _pitch, to_decibel
from . import IstftPlan, MelFilterbank, StftPlan, _constant_q, _rhythm, to_decibel
from . import hz_to_mel as _hz_to_mel
from . import mel_to_hz as _mel_to_hz

__all__ = [
    "amplitude_to_db", "beat_track", "chroma_cens", "chroma_cqt", "chroma_stft", "cqt", "delta",
    "estimate_tuning", "hz_to_mel", "icqt", "istft", "mel", "mel_to_hz", "melspectrogram", "mfcc",
    "onset_detect", "onset_strength", "pcen", "power_to_db", "pyin", "resample", "rms",
    "spectral_bandwidth", "spectral_centroid", "spectral_contrast", "spectral_flatness",
    "spectral_rolloff", "stft", "tempo", "tempogram", "tonnetz", "vqt", "yin", "zero_crossing_rate",
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


def _spectrogram(y: ArrayLike | None, S: ArrayLike | None, n_fft: int, hop_length: int | None,
                 power: float, win_length: int | None, window: Window, center: bool, pad_mode: str,
                 workers: int | None) -> tuple[Array, int]:  # fmt: skip
    """Spectra [..., frames, bins] and their n_fft, which is that of S only where its bins fit.

    Parameters:
        y: real signals [..., samples], or a Sound.
        S: spectra [..., bins, frames] in the place of y.
        sr: samples a second; that of a Sound where it is left out.
        n_fft: points of a transform.
        hop_length: samples from one frame to the next; None: win_length / 4.
        win_length: samples of the window; None: n_fft.
        window: a name, (name, parameter), or weights.
        center: whether frame t is centred on sample t hop_length, or begins there.
        pad_mode: beyond the ends, "constant" (zeros), "reflect" or "edge".
        power: exponent of the magnitudes.
        n_mels: how many bands.
        fmin, fmax: ends of the bands in Hz; fmax None: sr / 2.
        htk: whether the mel scale is HTK's, or Slaney's.
        norm: "slaney", bands of area 1, or None, of height 1.
        dtype: of the result; None: as it is computed.
        out: array to write into.
        amin: smallest value that counts.
        top_db: lower levels than the highest less this are raised to it; None: none are.
        ref: value of 0 dB, or a function of the values, np.max for example.
        frame_length: samples of a frame.
        workers: threads; None: those of papilio.fft.set_workers.
    """
    if S is not None:
        spectra = swapped(S)
        bins = spectra.shape[-1]
        return spectra, n_fft if n_fft is not None and n_fft // 2 + 1 == bins else 2 * (bins - 1)
    if y is None:
        raise TypeError("librosa: y or S must be given")
    plan = StftPlan(**_options(n_fft, hop_length, win_length, window, center, pad_mode))
    if power in (1, 2):
        return plan.execute(y, "magnitude" if power == 1 else "power", workers), n_fft
    return plan.execute(y, "magnitude", workers) ** power, n_fft


@as_in(_spectrogram)
def stft(y: ArrayLike, *, n_fft: int = 2048, hop_length: int | None = None,
         win_length: int | None = None, window: Window = "hann", center: bool = True,
         dtype: DTypeLike | None = None, pad_mode: str = "constant", out: Array | None = None,
         workers: int | None = None) -> Array:  # fmt: skip
    """librosa.stft: spectra of frames.

    Parameters:
        ...

    Returns:
        Complex array [..., 1 + n_fft/2, frames].

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> y = papilio.read("song.flac", mono=True)
        >>> papilio.signal.librosa.stft(y, hop_length=512).shape
        (1025, 515)
    """
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


@as_in(_spectrogram)
def istft(stft_matrix: ArrayLike, *, hop_length: int | None = None, win_length: int | None = None,
          n_fft: int | None = None, window: Window = "hann", center: bool = True,
          dtype: DTypeLike | None = None, length: int | None = None, out: Array | None = None,
          workers: int | None = None) -> Array:  # fmt: skip
    """librosa.istft: signals of spectra.

    Parameters:
        stft_matrix: [..., bins, frames].
        n_fft: points of a transform; None: 2 (bins - 1).
        length: samples of the result; None: all that frames reach.
        ...

    Returns:
        Real array [..., samples].

    Raises:
        ValueError: where samples are covered by no window.

    Example:
        >>> y = np.sin(np.arange(8000.0))
        >>> back = papilio.signal.librosa.istft(papilio.signal.librosa.stft(y), length=8000)
        >>> bool(np.allclose(back, y))
        True
    """
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


@as_in(_spectrogram)
def melspectrogram(*, y: ArrayLike | None = None, sr: float = 22050, S: ArrayLike | None = None,
                   n_fft: int = 2048, hop_length: int | None = 512, win_length: int | None = None,
                   window: Window = "hann", center: bool = True, pad_mode: str = "constant",
                   power: float = 2.0, n_mels: int = 128, fmin: float = 0.0,
                   fmax: float | None = None, htk: bool = False, norm: str | None = "slaney",
                   workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.melspectrogram: powers in mel bands.

    Parameters:
        ...

    Returns:
        Array [..., n_mels, frames].

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.librosa.melspectrogram(y=papilio.read("song.flac")).shape
        (2, 128, 515)
    """
    S, n_fft = _spectrogram(y, S, n_fft, hop_length, power, win_length, window, center, pad_mode,
                            workers)  # fmt: skip
    bank = MelFilterbank(sr, n_fft, n_mels, "htk" if htk else "slaney", norm, fmin, fmax)
    return swapped(bank.apply(S, workers))


@as_in(_spectrogram)
def mel(*, sr: float, n_fft: int, n_mels: int = 128, fmin: float = 0.0, fmax: float | None = None,
        htk: bool = False, norm: str | None = "slaney",
        dtype: DTypeLike = np.float32) -> Array:  # fmt: skip
    """librosa.filters.mel: weights of mel bands.

    Parameters:
        ...

    Returns:
        Array [n_mels, 1 + n_fft/2].

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.librosa.mel(sr=22050, n_fft=2048).shape
        (128, 1025)
    """
    bank = MelFilterbank(sr, n_fft, n_mels, "htk" if htk else "slaney", norm, fmin, fmax)
    return bank.dense().astype(dtype)


@as_in(melspectrogram)
def mfcc(*, y: ArrayLike | None = None, sr: float = 22050, S: ArrayLike | None = None,
         n_mfcc: int = 20, dct_type: int = 2, norm: str = "ortho", lifter: float = 0,
         workers: int | None = None, **options: Any) -> Array:  # fmt: skip
    """librosa.feature.mfcc: mel-frequency cepstral coefficients.

    Parameters:
        S: levels in dB [..., n_mels, frames] in the place of y.
        n_mfcc: how many.
        dct_type: 2; others are refused.
        norm: "ortho"; others are refused.
        lifter: 0, or the length of the lifter that weights them.
        ...

    Returns:
        Array [..., n_mfcc, frames].

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.librosa.mfcc(y=papilio.read("song.flac", mono=True), n_mfcc=13).shape
        (13, 515)
    """
    if dct_type != 2 or norm != "ortho":
        raise ValueError(f"mfcc: dct_type must be 2 and norm 'ortho', got {dct_type} and {norm!r}")
    if S is not None:
        bands = 10 ** (swapped(S) / 10)
        return swapped(_papilio.mfcc(bands, n_mfcc, lifter, 1.0, 1e-300, None, workers))
    bands = swapped(melspectrogram(y=y, sr=sr, workers=workers, **options))
    return swapped(_papilio.mfcc(bands, n_mfcc, lifter, 1.0, None, 80.0, workers))


@as_in(_spectrogram)
def power_to_db(S: ArrayLike, *, ref: Reference = 1.0, amin: float = 1e-10,
                top_db: float | None = 80.0) -> Array:  # fmt: skip
    """librosa.power_to_db: levels of powers.

    Parameters:
        S: powers, of any shape.
        ...

    Returns:
        Array in that shape, dB.

    Raises:
        ValueError, TypeError: for what are no real numbers, or options out of their range.

    Example:
        >>> papilio.signal.librosa.power_to_db([1.0, 0.1])
        array([  0., -10.])
    """
    reference = ref(S) if callable(ref) else abs(ref)
    return to_decibel(S, "power", float(reference), amin, top_db)


@as_in(_spectrogram)
def amplitude_to_db(S: ArrayLike, *, ref: Reference = 1.0, amin: float = 1e-5,
                    top_db: float | None = 80.0) -> Array:  # fmt: skip
    """librosa.amplitude_to_db: levels of amplitudes.

    Parameters:
        S: amplitudes, of any shape.
        ...

    Returns:
        Array in that shape, dB.

    Raises:
        ValueError, TypeError: for what are no numbers, or options out of their range.

    Example:
        >>> papilio.signal.librosa.amplitude_to_db([1.0, 0.1])
        array([  0., -20.])
    """
    magnitude = np.abs(as_array(S))
    reference = ref(magnitude) if callable(ref) else abs(ref)
    return to_decibel(magnitude, "amplitude", float(reference), amin, top_db)


def _magnitudes(y: ArrayLike | None, S: ArrayLike | None, n_fft: int, hop_length: int | None,
                win_length: int | None, window: Window, center: bool, pad_mode: str,
                workers: int | None) -> tuple[Array, int]:  # fmt: skip
    return _spectrogram(y, S, n_fft, hop_length, 1, win_length, window, center, pad_mode, workers)


@as_in(_spectrogram)
def spectral_centroid(*, y: ArrayLike | None = None, sr: float = 22050, S: ArrayLike | None = None,
                      n_fft: int = 2048, hop_length: int | None = 512, win_length: int | None = None,
                      window: Window = "hann", center: bool = True, pad_mode: str = "constant",
                      workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.spectral_centroid: centres of frames' magnitudes.

    Parameters:
        ...

    Returns:
        Array [..., 1, frames] in Hz.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.librosa.spectral_centroid(y=papilio.read("song.flac")).shape
        (2, 1, 515)
    """
    S, n_fft = _magnitudes(y, S, n_fft, hop_length, win_length, window, center, pad_mode, workers)
    return _papilio.spectral_centroid(S, sr / n_fft)[..., None, :]


@as_in(_spectrogram)
def spectral_bandwidth(*, y: ArrayLike | None = None, sr: float = 22050, S: ArrayLike | None = None,
                       n_fft: int = 2048, hop_length: int | None = 512, win_length: int | None = None,
                       window: Window = "hann", center: bool = True, pad_mode: str = "constant",
                       p: float = 2, workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.spectral_bandwidth: bandwidths of frames' magnitudes about their centroid.

    Parameters:
        p: order of the mean of distances.
        ...

    Returns:
        Array [..., 1, frames] in Hz.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.librosa.spectral_bandwidth(y=papilio.read("song.flac")).shape
        (2, 1, 515)
    """
    S, n_fft = _magnitudes(y, S, n_fft, hop_length, win_length, window, center, pad_mode, workers)
    return _papilio.spectral_bandwidth(S, sr / n_fft, p)[..., None, :]


@as_in(_spectrogram)
def spectral_rolloff(*, y: ArrayLike | None = None, sr: float = 22050, S: ArrayLike | None = None,
                     n_fft: int = 2048, hop_length: int | None = 512, win_length: int | None = None,
                     window: Window = "hann", center: bool = True, pad_mode: str = "constant",
                     roll_percent: float = 0.85, workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.spectral_rolloff: frequencies below which lies a share of the magnitudes.

    Parameters:
        roll_percent: that share, 0.85 for example.
        ...

    Returns:
        Array [..., 1, frames] in Hz.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.librosa.spectral_rolloff(y=papilio.read("song.flac")).shape
        (2, 1, 515)
    """
    S, n_fft = _magnitudes(y, S, n_fft, hop_length, win_length, window, center, pad_mode, workers)
    return _papilio.spectral_rolloff(S, sr / n_fft, roll_percent)[..., None, :]


@as_in(_spectrogram)
def spectral_flatness(*, y: ArrayLike | None = None, S: ArrayLike | None = None,
                      n_fft: int = 2048, hop_length: int | None = 512, win_length: int | None = None,
                      window: Window = "hann", center: bool = True, pad_mode: str = "constant",
                      amin: float = 1e-10, workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.spectral_flatness: geometric over arithmetic mean of frames' powers.

    Parameters:
        ...

    Returns:
        Array [..., 1, frames].

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.librosa.spectral_flatness(S=np.ones((5, 3)))
        array([[1., 1., 1.]])
    """
    S, _ = _magnitudes(y, S, n_fft, hop_length, win_length, window, center, pad_mode, workers)
    return _papilio.spectral_flatness(S, amin)[..., None, :]


@as_in(_spectrogram)
def spectral_contrast(*, y: ArrayLike | None = None, sr: float = 22050, S: ArrayLike | None = None,
                      n_fft: int = 2048, hop_length: int | None = 512, win_length: int | None = None,
                      window: Window = "hann", center: bool = True, pad_mode: str = "constant",
                      fmin: float = 200.0, n_bands: int = 6, quantile: float = 0.02,
                      linear: bool = False, workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.spectral_contrast: peaks over valleys of frames' magnitudes, in octaves.

    Parameters:
        fmin: upper edge of the lowest band in Hz.
        n_bands: octaves above it.
        quantile: share of a band's bins that makes a peak, and a valley.
        linear: differences of magnitudes instead of levels.
        ...

    Returns:
        Array [..., n_bands + 1, frames].

    Raises:
        ValueError, TypeError: for options out of their range, or a band without bins.

    Example:
        >>> papilio.signal.librosa.spectral_contrast(y=papilio.read("song.flac")).shape
        (2, 7, 515)
    """
    S, n_fft = _magnitudes(y, S, n_fft, hop_length, win_length, window, center, pad_mode, workers)
    values = _papilio.spectral_contrast(S, sr, n_fft, n_bands, fmin, quantile, linear, 1.0, None, 80.0, workers)
    return np.swapaxes(values, -1, -2)


_DELTA_MODES = {"interp": "interpolate", "nearest": "nearest", "mirror": "mirror", "constant": "zero",
                "wrap": "wrap"}  # fmt: skip


def _along(function: Callable[[Array], Array], x: ArrayLike, axis: int) -> Array:
    """A function of [..., frames, others] along any axis."""
    moved = last(x, axis)
    values = function(moved[..., None] if moved.ndim == 1 else np.swapaxes(moved, -1, -2))
    return np.moveaxis(values[..., 0] if moved.ndim == 1 else np.swapaxes(values, -1, -2), -1, axis)


@as_in(_spectrogram)
def delta(data: ArrayLike, *, width: int = 9, order: int = 1, axis: int = -1, mode: str = "interp",
          workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.delta: derivatives of features by fitted polynomials.

    Parameters:
        data: real [..., features, frames].
        width: frames of a window, odd, at least 3.
        order: 1 ... 8, of the derivative and of the polynomial.
        axis: of the frames.
        mode: "interp", "nearest", "mirror", "constant" (zeros) or "wrap".
        ...

    Returns:
        Array of the shape of data.

    Raises:
        ValueError, TypeError: for options out of their range, or fewer frames than `width`.

    Example:
        >>> papilio.signal.librosa.delta(np.arange(20.0)[None] * 3).shape
        (1, 20)
    """
    if mode not in _DELTA_MODES:
        raise ValueError(f"mode must be one of {', '.join(_DELTA_MODES)}, got {mode!r}")
    return _along(lambda x: _papilio.delta(x, width, order, _DELTA_MODES[mode], workers), data, axis)


@as_in(_spectrogram)
def pcen(S: ArrayLike, *, sr: float = 22050, hop_length: int = 512, gain: float = 0.98, bias: float = 2.0,
         power: float = 0.5, time_constant: float = 0.4, eps: float = 1e-6, b: float | None = None,
         max_size: int = 1, axis: int = -1, workers: int | None = None) -> Array:  # fmt: skip
    """librosa.pcen: per-channel energy normalization.

    Parameters:
        S: magnitudes or powers [..., bands, frames].
        hop_length: samples between frames.
        gain: exponent of the smoothed level, at least 0.
        bias, power: G becomes (G + bias)**power - bias**power; power 0: log(1 + G).
        time_constant: of smoothing, in seconds.
        eps: added to the smoothed level.
        b: coefficient of smoothing in the place of the time constant's.
        max_size: bands whose largest is smoothed in the place of a band's.
        axis: of the frames.
        ...

    Returns:
        Array of the shape of S.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.librosa.pcen(np.ones((40, 100))).shape
        (40, 100)
    """
    return _along(lambda x: _papilio.pcen(x, sr, hop_length, gain, bias, power, time_constant, eps, b,
                                          max_size, workers), S, axis)  # fmt: skip


@as_in(_spectrogram)
def rms(*, y: ArrayLike | None = None, S: ArrayLike | None = None, frame_length: int = 2048,
        hop_length: int = 512, center: bool = True, pad_mode: str = "constant",
        dtype: DTypeLike = np.float32, workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.rms: RMS of frames, of signals or of magnitudes.

    Parameters:
        pad_mode: "constant"; others are refused.
        ...

    Returns:
        Array [..., 1, frames].

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.librosa.rms(y=np.ones(1024), center=False, frame_length=512)
        array([[1., 1.]], dtype=float32)
    """
    if pad_mode != "constant":
        raise ValueError(f"rms: pad_mode must be 'constant', got {pad_mode!r}")
    if y is not None:
        values = _papilio.segment_rms(y, frame_length, hop_length, center, workers)
    elif S is not None:
        values = _papilio.spectral_rms(swapped(S), frame_length)
    else:
        raise TypeError("librosa: y or S must be given")
    return values.astype(dtype, copy=False)[..., None, :]


@as_in(_spectrogram)
def zero_crossing_rate(y: ArrayLike, *, frame_length: int = 2048, hop_length: int = 512,
                       center: bool = True, threshold: float = 1e-10,
                       workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.zero_crossing_rate: sign changes over samples of frames.

    Parameters:
        threshold: smaller samples count as 0.
        ...

    Returns:
        Array [..., 1, frames].

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> y = np.tile([1.0, -1.0], 1024)
        >>> papilio.signal.librosa.zero_crossing_rate(y, center=False).round(3)
        array([[1.]])
    """
    rates = _papilio.segment_zero_crossing_rate(y, frame_length, hop_length, center, threshold,
                                                workers)  # fmt: skip
    return rates[..., None, :]


@as_in(_spectrogram)
def hz_to_mel(frequencies: ArrayLike, *, htk: bool = False) -> Array:
    """librosa.hz_to_mel: frequencies in mel.

    Parameters:
        frequencies: Hz, of any shape.
        ...

    Returns:
        float64 in that shape.

    Raises:
        TypeError: for what are no real numbers.

    Example:
        >>> papilio.signal.librosa.hz_to_mel([0, 500, 1000])
        array([ 0. ,  7.5, 15. ])
    """
    return _hz_to_mel(frequencies, "htk" if htk else "slaney")


@as_in(_spectrogram)
def mel_to_hz(mels: ArrayLike, *, htk: bool = False) -> Array:
    """librosa.mel_to_hz: frequencies in Hz.

    Parameters:
        mels: of any shape.
        ...

    Returns:
        float64 in that shape.

    Raises:
        TypeError: for what are no real numbers.

    Example:
        >>> float(papilio.signal.librosa.mel_to_hz(15))
        1000.0
    """
    return _mel_to_hz(mels, "htk" if htk else "slaney")


def _constant(function: str, name: str, value: Any, only: str) -> None:
    if not isinstance(value, str) or value != only:
        raise ValueError(f"{function}: {name} must be {only}, got {value}")


@as_in(_constant_q.vqt)
def vqt(y: ArrayLike, *, sr: float = 22050, hop_length: int = 512, fmin: float | None = None,
        n_bins: int = 84, intervals: str = "equal", gamma: float | None = None,
        bins_per_octave: int = 12, tuning: float | None = 0.0, filter_scale: float = 1,
        norm: float = 1, window: NamedWindow = "hann", scale: bool = True,
        pad_mode: str = "constant", workers: int | None = None) -> Array:  # fmt: skip
    """librosa.vqt: the variable-Q transform.

    Parameters:
        y: real signals [..., samples], or a Sound.
        sr: samples a second; that of a Sound where it is left out.
        hop_length: samples from one frame to the next.
        fmin: frequency of the lowest bin in Hz; None: C1.
        n_bins: how many bins.
        intervals: "equal"; others are refused.
        pad_mode: "constant" (zeros); others are refused.
        ...

    Returns:
        Complex array [..., n_bins, frames].

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> papilio.signal.librosa.vqt(papilio.read("song.flac", mono=True), n_bins=96).shape
        (96, 515)
    """
    _constant("vqt", "intervals", intervals, "equal")
    _constant("vqt", "pad_mode", pad_mode, "constant")
    return swapped(_constant_q.vqt(
        y, sr, hop_length, _constant_q.C1 if fmin is None else fmin, n_bins, bins_per_octave,
        gamma=gamma, tuning=tuning, filter_scale=filter_scale, window=window, norm=norm,
        scale=scale, workers=workers))  # fmt: skip


@as_in(vqt)
def cqt(y: ArrayLike, *, sr: float = 22050, hop_length: int = 512, fmin: float | None = None,
        n_bins: int = 84, bins_per_octave: int = 12, tuning: float | None = 0.0,
        filter_scale: float = 1, norm: float = 1, window: NamedWindow = "hann",
        scale: bool = True, pad_mode: str = "constant", workers: int | None = None) -> Array:  # fmt: skip
    """librosa.cqt: the constant-Q transform.

    Parameters:
        ...

    Returns:
        Complex array [..., n_bins, frames].

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> papilio.signal.librosa.cqt(papilio.read("song.flac", mono=True), n_bins=96).shape
        (96, 515)
    """
    return vqt(y, sr=sr, hop_length=hop_length, fmin=fmin, n_bins=n_bins, gamma=0.0,
               bins_per_octave=bins_per_octave, tuning=tuning, filter_scale=filter_scale,
               norm=norm, window=window, scale=scale, pad_mode=pad_mode, workers=workers)  # fmt: skip


@as_in(vqt)
def icqt(C: ArrayLike, *, sr: float = 22050, hop_length: int = 512, fmin: float | None = None,
         bins_per_octave: int = 12, tuning: float = 0.0, filter_scale: float = 1,
         norm: float = 1, window: NamedWindow = "hann", scale: bool = True,
         length: int | None = None, workers: int | None = None) -> Array:  # fmt: skip
    """librosa.icqt: signals of constant-Q transforms, by least squares.

    Parameters:
        C: [..., n_bins, frames].
        length: samples of the result; None: (frames - 1) hop_length.
        ...

    Returns:
        Real array [..., samples].

    Raises:
        ValueError, TypeError: for options out of their range, and values that are not finite.

    Example:
        >>> values = papilio.signal.librosa.cqt(np.ones(22050))
        >>> papilio.signal.librosa.icqt(values, length=22050).shape
        (22050,)
    """
    return _constant_q.icqt(
        swapped(C), sr, hop_length, _constant_q.C1 if fmin is None else fmin, bins_per_octave,
        length=length, tuning=tuning, filter_scale=filter_scale, window=window, norm=norm,
        scale=scale, workers=workers)  # fmt: skip


def _padded(y: ArrayLike, frame_length: int, center: bool, pad_mode: str) -> tuple[ArrayLike, bool]:
    """The signals, and whether frames are centred still."""
    if pad_mode not in _PADDING:
        raise ValueError(f"pad_mode must be one of {', '.join(_PADDING)}, got {pad_mode}")
    if not center or _PADDING[pad_mode] == "zero":
        return y, center
    x = as_array(y)
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(frame_length // 2,) * 2], mode=pad_mode), False  # type: ignore


def yin(y: ArrayLike, *, fmin: float, fmax: float, sr: float = 22050, frame_length: int = 2048,
        hop_length: int | None = None, trough_threshold: float = 0.1, center: bool = True,
        pad_mode: str = "constant", workers: int | None = None) -> Array:  # fmt: skip
    """librosa.yin: fundamental frequencies of frames.

    Parameters:
        y: real signals [..., samples], or a Sound.
        fmin: lowest frequency in Hz.
        fmax: highest frequency in Hz.
        sr: samples a second; that of a Sound where it is left out.
        frame_length: samples of a frame.
        hop_length: samples from one frame to the next; None: frame_length // 4.
        trough_threshold: of the normalised difference.
        center: whether frame t is centred on sample t * hop_length.
        pad_mode: "constant" (zeros), "reflect" or "edge", with center.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Array of doubles [..., frames], in Hz.

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> y = papilio.read("song.flac", mono=True)
        >>> papilio.signal.librosa.yin(y, fmin=65, fmax=2093).shape
        (515,)
    """
    y, center = _padded(y, frame_length, center, pad_mode)
    return _pitch.yin(y, sr, fmin, fmax, frame_length, hop_length, threshold=trough_threshold,
                      center=center, workers=workers)  # fmt: skip


@as_in(yin)
def pyin(y: ArrayLike, *, fmin: float, fmax: float, sr: float = 22050, frame_length: int = 2048,
         hop_length: int | None = None, n_thresholds: int = 100,
         beta_parameters: tuple[float, float] = (2, 18), boltzmann_parameter: float = 2,
         resolution: float = 0.1, max_transition_rate: float = 35.92, switch_prob: float = 0.01,
         no_trough_prob: float = 0.01, fill_na: float | None = np.nan, center: bool = True,
         pad_mode: str = "constant",
         workers: int | None = None) -> tuple[Array, Array, Array]:  # fmt: skip
    """librosa.pyin: fundamental frequencies of frames, and whether they are voiced.

    Parameters:
        n_thresholds: how many, from 1 / n_thresholds to 1.
        beta_parameters: of the thresholds' prior.
        boltzmann_parameter: how much the first trough below a threshold is preferred.
        resolution: of the frequencies, in semitones.
        max_transition_rate: octaves a second that a frequency moves at most.
        switch_prob: that voicing changes from a frame to the next.
        no_trough_prob: of the lowest trough where none is below a threshold.
        fill_na: frequency of frames that are not voiced; None: that of the path.
        ...

    Returns:
        Three arrays [..., frames]: frequencies in Hz, whether they are voiced, and the probability of
        that.

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> y = papilio.read("song.flac", mono=True)
        >>> f0, voiced, probability = papilio.signal.librosa.pyin(y, fmin=65, fmax=2093)
        >>> f0.shape, voiced.dtype
        ((515,), dtype('bool'))
    """
    y, center = _padded(y, frame_length, center, pad_mode)
    return _pitch.pyin(
        y, sr, fmin, fmax, frame_length, hop_length, thresholds=n_thresholds, beta=beta_parameters,
        boltzmann=boltzmann_parameter, resolution=resolution,
        max_transition_rate=max_transition_rate, switch_probability=switch_prob,
        no_trough_probability=no_trough_prob, fill=fill_na, center=center, workers=workers)  # fmt: skip


@as_in(vqt)
def estimate_tuning(y: ArrayLike, *, sr: float = 22050, n_fft: int = 2048, bins_per_octave: int = 12,
                    workers: int | None = None) -> float:  # fmt: skip
    """librosa.estimate_tuning: the tuning of partials, in bins of an octave.

    Parameters:
        n_fft: points of the transform whose maxima are the partials.
        ...

    Returns:
        A float, -0.5 to 0.49.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.librosa.estimate_tuning(np.zeros(22050))
        0.0
    """
    return _constant_q.estimate_tuning(y, sr, n_fft=n_fft, hop=n_fft // 4,
                                       bins_per_octave=bins_per_octave, workers=workers)  # fmt: skip


@as_in(vqt)
def chroma_stft(*, y: ArrayLike, sr: float = 22050, norm: float | None = np.inf, n_fft: int = 2048,
                hop_length: int = 512, tuning: float | None = None, n_chroma: int = 12,
                ctroct: float = 5.0, octwidth: float | None = 2.0,
                workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.chroma_stft: pitch classes of powers.

    Parameters:
        norm: that the classes of a frame have, 1, 2 or np.inf; None: as they are.
        n_fft: points of the transform.
        tuning: of A4 above 440 Hz, in classes; None: that of the partials.
        n_chroma: classes of an octave.
        ctroct: octaves above 27.5 Hz at which bins count most.
        octwidth: in octaves, of the Gaussian about it; None: all octaves count the same.
        ...

    Returns:
        Array [..., n_chroma, frames].

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.librosa.chroma_stft(y=papilio.read("song.flac", mono=True)).shape
        (12, 515)
    """
    return swapped(_constant_q.chroma_stft(
        y, sr, n_fft, hop_length, tuning=tuning, classes=n_chroma, norm=norm,
        centre_octave=ctroct, octave_width=octwidth, workers=workers))  # fmt: skip


@as_in(chroma_stft)
def chroma_cqt(*, y: ArrayLike, sr: float = 22050, hop_length: int = 512, fmin: float | None = None,
               norm: float | None = np.inf, threshold: float = 0.0, tuning: float | None = None,
               n_chroma: int = 12, n_octaves: int = 7, bins_per_octave: int = 36,
               workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.chroma_cqt: pitch classes of magnitudes of a constant-Q transform.

    Parameters:
        fmin: frequency of the lowest bin in Hz; None: C1.
        threshold: lower sums are taken as 0.
        tuning: of the bins, in bins; None: that of the partials.
        n_octaves: of the transform.
        bins_per_octave: a multiple of n_chroma.
        ...

    Returns:
        Array [..., n_chroma, frames].

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> papilio.signal.librosa.chroma_cqt(y=papilio.read("song.flac", mono=True)).shape
        (12, 515)
    """
    return swapped(_constant_q.chroma_cqt(
        y, sr, hop_length, _constant_q.C1 if fmin is None else fmin, tuning=tuning,
        classes=n_chroma, octaves=n_octaves, bins_per_octave=bins_per_octave, norm=norm,
        threshold=threshold, workers=workers))  # fmt: skip


@as_in(chroma_cqt)
def chroma_cens(*, y: ArrayLike, sr: float = 22050, hop_length: int = 512, fmin: float | None = None,
                tuning: float | None = None, n_chroma: int = 12, n_octaves: int = 7,
                bins_per_octave: int = 36, norm: float | None = 2,
                win_len_smooth: int | None = 41, smoothing_window: NamedWindow = "hann",
                workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.chroma_cens: energy-normalised chroma.

    Parameters:
        win_len_smooth: frames that are averaged; None: none.
        smoothing_window: of the average.
        ...

    Returns:
        Array [..., n_chroma, frames].

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> papilio.signal.librosa.chroma_cens(y=papilio.read("song.flac", mono=True)).shape
        (12, 515)
    """
    return swapped(_constant_q.chroma_cens(
        y, sr, hop_length, _constant_q.C1 if fmin is None else fmin, smoothing=win_len_smooth,
        window=smoothing_window, norm=norm, tuning=tuning, classes=n_chroma, octaves=n_octaves,
        bins_per_octave=bins_per_octave, workers=workers))  # fmt: skip


@as_in(vqt)
def tonnetz(*, y: ArrayLike | None = None, sr: float = 22050, chroma: ArrayLike | None = None,
            workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.tonnetz: tonal centroids, of signals or of chroma.

    Parameters:
        chroma: [..., classes, frames], in the place of y.
        ...

    Returns:
        Array [..., 6, frames].

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> papilio.signal.librosa.tonnetz(y=papilio.read("song.flac", mono=True)).shape
        (6, 515)
    """
    if chroma is None:
        if y is None:
            raise TypeError("tonnetz: y or chroma must be given")
        return swapped(_constant_q.tonnetz(y, sr, workers=workers))
    return swapped(_constant_q.tonnetz(chroma=swapped(chroma)))


def _envelope(function: str, y: ArrayLike | None, sr: float, onset_envelope: ArrayLike | None,
              hop_length: int, aggregate: str = "mean") -> ArrayLike:  # fmt: skip
    """The envelope that is given, or that of y.

    Parameters:
        y: real signals [..., samples], or a Sound.
        sr: samples a second; that of a Sound where it is left out.
        onset_envelope: strengths [..., frames] in the place of y.
        hop_length: samples from one frame to the next.
        lag: frames over which a rise is measured.
        start_bpm: centre of the prior in beats a minute.
        std_bpm: its standard deviation in octaves.
        ac_size: seconds of the tempogram's window.
        max_tempo: tempos must be below it; None: any.
        units: "frames", "samples" or "time".
        workers: threads; None: those of papilio.fft.set_workers.
    """
    if onset_envelope is not None:
        return onset_envelope
    if y is None:
        raise TypeError(f"{function}: y or onset_envelope must be given")
    return _rhythm.onset_strength(y, sr, hop=hop_length, aggregate=aggregate)


def _placed(function: str, frames: Array, sr: float, hop_length: int, units: str) -> Array:
    units_of = {"frames": 1, "samples": hop_length, "time": hop_length / float(sr)}
    if units not in units_of:
        raise ValueError(f"{function}: units must be frames, samples or time, got {units}")
    return frames * units_of[units]


_AGGREGATES = {None: "mean", np.mean: "mean", np.median: "median"}


@as_in(_envelope)
def onset_strength(*, y: ArrayLike | None = None, sr: float = 22050, S: ArrayLike | None = None,
                   lag: int = 1, center: bool = True,
                   aggregate: Callable[..., Any] | str | None = None, n_fft: int = 2048,
                   hop_length: int = 512, n_mels: int = 128,
                   workers: int | None = None) -> Array:  # fmt: skip
    """librosa.onset.onset_strength: how much the levels of mel bands rise.

    Parameters:
        S: levels in dB [..., bands, frames] in the place of y.
        center: whether the frames are centred, and strengths n_fft / 2 samples behind the rise.
        aggregate: np.mean or np.median of the bands, or these words; None: the mean.
        n_fft: points of a transform.
        n_mels: how many bands.
        ...

    Returns:
        Array [..., frames].

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> y = papilio.read("song.flac", mono=True)
        >>> papilio.signal.librosa.onset_strength(y=y).shape
        (515,)
    """
    by = aggregate if isinstance(aggregate, str) else _AGGREGATES.get(aggregate)
    if by is None:
        raise ValueError(f"onset_strength: aggregate must be np.mean or np.median, got {aggregate!r}")
    if S is not None:
        shift = n_fft // (2 * hop_length) if center else 0
        return _papilio.onset_strength_of_levels(swapped(S), lag, shift, by)
    if y is None:
        raise TypeError("onset_strength: y or S must be given")
    if not center:
        levels = power_to_db(melspectrogram(y=y, sr=sr, n_fft=n_fft, hop_length=hop_length,
                                            center=False, n_mels=n_mels, workers=workers))  # fmt: skip
        return _papilio.onset_strength_of_levels(swapped(levels), lag, 0, by)
    return _papilio.onset_strength(y, sr, n_fft, hop_length, n_mels, lag, by, workers)


@as_in(_envelope)
def onset_detect(*, y: ArrayLike | None = None, sr: float = 22050,
                 onset_envelope: ArrayLike | None = None, hop_length: int = 512,
                 units: str = "frames", pre_max: int | None = None, post_max: int | None = None,
                 pre_avg: int | None = None, post_avg: int | None = None, wait: int | None = None,
                 delta: float = 0.07) -> Array:  # fmt: skip
    """librosa.onset.onset_detect: peaks of the onset strength.

    Parameters:
        pre_max, post_max: frames before, and from the peak on, of which it is the largest; None: 30 ms
            before.
        pre_avg, post_avg: frames above whose mean it is; None: 100 ms each.
        wait: least frames behind the last peak; None: 30 ms.
        delta: by how much it is above the mean, of the span of the strengths.
        ...

    Returns:
        Array of frames, samples or seconds.

    Raises:
        ValueError, TypeError: for options out of their range, and strengths that are not finite.

    Example:
        >>> strength = np.zeros(100)
        >>> strength[[20, 60]] = 1
        >>> papilio.signal.librosa.onset_detect(onset_envelope=strength)
        array([20, 60])
    """
    strength = _envelope("onset_detect", y, sr, onset_envelope, hop_length)
    of_30_ms, of_100_ms = int(0.03 * sr // hop_length), int(0.1 * sr // hop_length)

    # Half a frame more, because seconds are rounded down to frames.
    def seconds(frames: int | None, usual: int, least: int = 0) -> float:
        return ((usual if frames is None else frames - least) + 0.5) * hop_length / sr

    frames = _papilio.onset_detect(
        strength, sr / hop_length, seconds(pre_max, of_30_ms), seconds(post_max, 0, 1),
        seconds(pre_avg, of_100_ms), seconds(post_avg, of_100_ms, 1), seconds(wait, of_30_ms), delta)  # fmt: skip
    return _placed("onset_detect", np.array(frames, dtype=np.int64), sr, hop_length, units)


@as_in(_envelope)
def tempogram(*, y: ArrayLike | None = None, sr: float = 22050,
              onset_envelope: ArrayLike | None = None, hop_length: int = 512,
              win_length: int = 384, workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.tempogram: autocorrelation of the onset strength about each frame.

    Parameters:
        win_length: frames of a Hann window, and lags.
        ...

    Returns:
        Array [..., win_length, frames], each frame divided by its largest value.

    Raises:
        ValueError, TypeError: for options out of their range, and strengths that are not finite.

    Example:
        >>> y = papilio.read("song.flac", mono=True)
        >>> papilio.signal.librosa.tempogram(y=y).shape
        (384, 515)
    """
    strength = _envelope("tempogram", y, sr, onset_envelope, hop_length)
    return swapped(_papilio.tempogram(strength, win_length, workers))


@as_in(_envelope)
def tempo(*, y: ArrayLike | None = None, sr: float = 22050,
          onset_envelope: ArrayLike | None = None, hop_length: int = 512, start_bpm: float = 120,
          std_bpm: float = 1.0, ac_size: float = 8.0, max_tempo: float | None = 320.0,
          workers: int | None = None) -> Array:  # fmt: skip
    """librosa.feature.tempo: the tempo in beats a minute, of whole frames a beat.

    Parameters:
        ...

    Returns:
        Array [..., 1].

    Raises:
        ValueError, TypeError: for options out of their range, and strengths that are not finite.

    Example:
        >>> strength = np.zeros(400)
        >>> strength[::20] = 1
        >>> papilio.signal.librosa.tempo(onset_envelope=strength).round(2)
        array([129.2])
    """
    strength = _envelope("tempo", y, sr, onset_envelope, hop_length)
    return np.asarray(_papilio.tempo(strength, sr / hop_length, start_bpm, std_bpm, ac_size,
                                     max_tempo, False, workers))[..., None]  # fmt: skip


@as_in(_envelope)
def beat_track(*, y: ArrayLike | None = None, sr: float = 22050,
               onset_envelope: ArrayLike | None = None, hop_length: int = 512,
               start_bpm: float = 120.0, tightness: float = 100, trim: bool = True,
               bpm: float | None = None, units: str = "frames") -> tuple[Any, Array]:  # fmt: skip
    """librosa.beat.beat_track: the tempo, and the beats of one signal.

    Parameters:
        tightness: how much a beat that is early or late costs.
        trim: whether weak beats at the two ends are left out.
        bpm: beats a minute; None: tempo of the strengths, of y the median's.
        ...

    Returns:
        Beats a minute, an array [1] unless bpm is given, and an array of frames, samples or seconds.

    Raises:
        ValueError, TypeError: for options out of their range, and strengths that are not finite.

    Example:
        >>> strength = np.zeros(200)
        >>> strength[10::20] = 1
        >>> bpm, beats = papilio.signal.librosa.beat_track(onset_envelope=strength)
        >>> bpm.round(2), beats
        (array([129.2]), array([ 30,  50,  70,  90, 110, 130, 150, 170, 190]))
    """
    strength = _envelope("beat_track", y, sr, onset_envelope, hop_length, "median")
    found, frames = _papilio.beat_track(strength, sr / hop_length, start_bpm, 1.0, 8.0, 320.0, False,
                                        bpm, tightness, trim, 1.0, False)  # fmt: skip
    beats = _placed("beat_track", np.array(frames, dtype=np.int64), sr, hop_length, units)
    if bpm is not None or found == 0:
        return found, beats
    return np.array([found]), beats


_RESAMPLING = {"soxr_vhq": "very_high", "soxr_hq": "high", "soxr_mq": "medium", "soxr_lq": "low"}


def resample(y: ArrayLike, *, orig_sr: int, target_sr: int, res_type: str = "soxr_hq",
             scale: bool = False, axis: int = -1) -> Array:  # fmt: skip
    """librosa.resample by libsoxr, in float32.

    Parameters:
        y: real signals [samples], or of two axes, or a Sound.
        orig_sr: samples a second of y; that of a Sound where it is left out.
        target_sr: samples a second of the result.
        res_type: "soxr_vhq", "soxr_hq", "soxr_mq" or "soxr_lq".
        scale: whether the energy is kept.
        axis: of the samples.

    Returns:
        float32 of ceil(samples target_sr / orig_sr) samples.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.librosa.resample(np.zeros(44100), orig_sr=44100, target_sr=16000).shape
        (16000,)
    """
    if res_type not in _RESAMPLING:
        raise ValueError(f"res_type must be one of {', '.join(_RESAMPLING)}, got {res_type!r}")
    samples = last(y, axis)
    result = _sound.resample(samples, orig_sr, target_sr, quality=_RESAMPLING[res_type])
    if scale:
        result = result / np.sqrt(target_sr / orig_sr)
    return np.moveaxis(result, -1, axis)


public(globals(), {
    "x": "y", "strength": "onset_envelope", "window_seconds": "ac_size",
    "edge padding": "pad_mode", "hop": "hop_length", "window_length": "win_length", "rate_hz": "sr", "rate": "sr",
    "bands": "n_mels", "coefficients": "n_mfcc", "length": "frame_length", "fmin_hz": "fmin",
    "fmax_hz": "fmax", "share": "roll_percent", "from_rate": "orig_sr",
    "to_rate": "target_sr", "octaves": "n_bands", "edges": "mode", "smoothing": "b", "floor": "eps",
    "largest_of": "max_size", "time_constant_seconds": "time_constant",
})  # fmt: skip
