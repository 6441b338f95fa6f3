"""Constant-Q transforms, and chroma of these and of short-time transforms."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _papilio
from .._arrays import Array, NamedWindow, Reals
from .._calls import as_in, integer, public
from ._axes import Result, Spectra

__all__ = [
    "ConstantQPlan", "chroma_cens", "chroma_cqt", "chroma_stft", "cqt", "estimate_tuning", "icqt",
    "tonnetz", "vqt",
]  # fmt: skip

C1 = 32.70319566257483  # Hz


class ConstantQPlan(_papilio.ConstantQPlan):
    """A constant-Q transform whose tables are made once: bins that are even in octaves.

    Parameters:
        rate: samples a second.
        hop: samples from one segment to the next.
        fmin: frequency of the lowest bin in Hz.
        bins: how many.
        bins_per_octave: bins of an octave.
        gamma: width in Hz that is added to each bin's; 0: constant Q; None: as of the ear.
        filter_scale: length of the atoms, 1: neighbours are a bandwidth apart.
        window: a name or (name, parameter), of a transform in closed form.
        norm: of an atom, 1 (a sine of amplitude A reads A / 2), 2 or np.inf.
        scale: whether values are divided by the root of their atom's length.
        tolerance: share of its peak below which an atom's spectrum is cut off.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> plan = papilio.signal.ConstantQPlan(22050, bins=48)
        >>> plan.execute(np.ones((2, 22050)), "magnitude").shape
        (2, 44, 48)
        >>> [round(f, 2) for f in plan.frequencies[:2]]
        [32.7, 34.65]
    """

    def __init__(self, rate: float, hop: int = 512, fmin: float = C1, bins: int = 84,
                 bins_per_octave: int = 12, gamma: float | None = 0.0, filter_scale: float = 1.0,
                 window: NamedWindow = "hann", norm: float = 1, scale: bool = True,
                 tolerance: float = 1e-5) -> None:  # fmt: skip
        for name, value in (("hop", hop), ("bins", bins), ("bins_per_octave", bins_per_octave)):
            integer("ConstantQPlan", name, value, 1)
        self._arguments = (rate, hop, fmin, bins, bins_per_octave, gamma, filter_scale, window, norm,
                           scale, tolerance)  # fmt: skip
        super().__init__(*self._arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._arguments


@functools.lru_cache(maxsize=16)
def _plan(*arguments: Any) -> ConstantQPlan:
    return ConstantQPlan(*arguments)


def _options(function: str, rate: float | None, *rest: Any) -> ConstantQPlan:
    """Plans of the last calls are kept.

    Parameters:
        x: real [..., samples], or a Sound.
        rate: samples a second; that of a Sound where it is left out.
        hop: samples from one segment to the next.
        fmin: frequency of the lowest bin in Hz.
        bins: how many.
        bins_per_octave: bins of an octave.
        tuning: of the bins, in bins; None: estimate_tuning of the signal.
        filter_scale: length of the atoms, 1: neighbours are a bandwidth apart.
        window: a name or (name, parameter), of a transform in closed form.
        norm: of an atom, 1 (a sine of amplitude A reads A / 2), 2 or np.inf.
        scale: whether values are divided by the root of their atom's length.
        tolerance: share of its peak below which an atom's spectrum is cut off.
        result: "complex" or "magnitude".
        axes: whether times, frequencies and unit come with the values, as Spectra.
        classes: of an octave.
        workers: threads; None: those of papilio.fft.set_workers.
    """
    if rate is None:
        raise TypeError(f"{function}: rate must be given, unless x is a Sound")
    try:
        return _plan(rate, *rest)
    except TypeError as e:  # what cannot be looked up among the plans
        if "unhashable" not in str(e):
            raise
        return ConstantQPlan(rate, *rest)


def _tuned(function: str, x: ArrayLike, rate: float | None, fmin: float, bins_per_octave: int,
           tuning: float | None) -> float:  # fmt: skip
    if tuning is None:
        tuning = estimate_tuning(x, rate, bins_per_octave=bins_per_octave)
    return float(fmin * 2 ** (tuning / bins_per_octave))


@as_in(_options)
def vqt(x: ArrayLike, rate: float | None = None, hop: int = 512, fmin: float = C1, bins: int = 84,
        bins_per_octave: int = 12, *, gamma: float | None = None, tuning: float | None = 0.0,
        filter_scale: float = 1.0, window: NamedWindow = "hann", norm: float = 1,
        scale: bool = True, tolerance: float = 1e-5, result: str = "complex", axes: bool = False,
        workers: int | None = None) -> Result:  # fmt: skip
    """The variable-Q transform: bins even in octaves, whose width grows by gamma.

    Parameters:
        gamma: width in Hz that is added to each bin's; None: as of the ear.
        ...

    Returns:
        Array [..., segments, bins]; Spectra with axes=True.

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> papilio.signal.vqt(papilio.read("song.flac"), bins=96).shape
        (2, 515, 96)
    """
    fmin = _tuned("vqt", x, rate, fmin, bins_per_octave, tuning)
    plan = _options("vqt", rate, hop, fmin, bins, bins_per_octave, gamma, filter_scale, window, norm,
                    scale, tolerance)  # fmt: skip
    values = plan.execute(x, result, workers)
    if not axes:
        return values
    times = np.arange(values.shape[-2]) * hop / float(rate or 1)
    return Spectra(values, times, np.array(plan.frequencies), "amplitude")


@as_in(vqt)
def cqt(x: ArrayLike, rate: float | None = None, hop: int = 512, fmin: float = C1, bins: int = 84,
        bins_per_octave: int = 12, *, tuning: float | None = 0.0, filter_scale: float = 1.0,
        window: NamedWindow = "hann", norm: float = 1, scale: bool = True, tolerance: float = 1e-5,
        result: str = "complex", axes: bool = False, workers: int | None = None) -> Result:  # fmt: skip
    """The constant-Q transform: bins even in octaves, as wide as their distance.

    Parameters:
        ...

    Returns:
        Array [..., segments, bins]; Spectra with axes=True.

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> papilio.signal.cqt(papilio.read("song.flac"), bins=96).shape
        (2, 515, 96)
        >>> values = papilio.signal.cqt(np.sin(2 * np.pi * 440 * np.arange(22050) / 22050), 22050)
        >>> int(abs(values[20]).argmax())
        45
    """
    return vqt(x, rate, hop, fmin, bins, bins_per_octave, gamma=0.0, tuning=tuning,
               filter_scale=filter_scale, window=window, norm=norm, scale=scale,
               tolerance=tolerance, result=result, axes=axes, workers=workers)  # fmt: skip


@as_in(vqt)
def icqt(values: ArrayLike, rate: float, hop: int = 512, fmin: float = C1, bins_per_octave: int = 12,
         *, gamma: float | None = 0.0, length: int | None = None, iterations: int = 4,
         tuning: float = 0.0, filter_scale: float = 1.0, window: NamedWindow = "hann",
         norm: float = 1, scale: bool = True, tolerance: float = 1e-5,
         workers: int | None = None) -> Array:  # fmt: skip
    """The signals whose constant-Q transforms of the same options are nearest to values.

    Parameters:
        values: [..., segments, bins].
        gamma: width in Hz that is added to each bin's; 0: that of cqt; None: that of vqt.
        length: samples of the result; None: (segments - 1) hop.
        iterations: steps of conjugate gradients; more come nearer.
        ...

    Returns:
        Real array [..., samples].

    Raises:
        ValueError, TypeError: for options out of their range, and values that are not finite.

    Example:
        >>> x = np.sin(2 * np.pi * 440 * np.arange(22050) / 22050)
        >>> y = papilio.signal.icqt(papilio.signal.cqt(x, 22050, 64), 22050, 64, length=22050)
        >>> bool(abs(y - x)[8000:14000].max() < 0.01)
        True
    """
    shape = np.shape(values)
    if len(shape) < 2:
        raise ValueError(f"icqt: values must have at least 2 axes, got {len(shape)}")
    fmin = float(fmin * 2 ** (tuning / bins_per_octave))
    plan = _options("icqt", rate, hop, fmin, shape[-1], bins_per_octave, gamma, filter_scale, window,
                    norm, scale, tolerance)  # fmt: skip
    return plan.inverse(values, length, iterations, workers)


@as_in(_options)
def estimate_tuning(x: ArrayLike, rate: float | None = None, *, n_fft: int = 2048, hop: int = 512,
                    bins_per_octave: int = 12, workers: int | None = None) -> float:  # fmt: skip
    """The tuning of a signal's partials above A4 = 440 Hz, in bins of an octave.

    Parameters:
        x: real [..., samples], or a Sound; of several signals that of all.
        n_fft: points of the transform whose maxima are the partials.
        ...

    Returns:
        A float, -0.5 to 0.49.

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> x = np.sin(2 * np.pi * 445 * np.arange(22050) / 22050)
        >>> round(papilio.signal.estimate_tuning(x, 22050), 2)
        0.17
    """
    from . import stft

    if rate is None:
        raise TypeError("estimate_tuning: rate must be given, unless x is a Sound")
    return _papilio.estimate_tuning(stft(x, n_fft, hop, result="magnitude", workers=workers), rate,
                                    n_fft, bins_per_octave)  # fmt: skip


def _centred(chroma: Array, hop: int, rate: float, axes: bool) -> Result:
    if not axes:
        return chroma
    times = np.arange(chroma.shape[-2]) * hop / rate
    return Spectra(chroma, times, np.arange(chroma.shape[-1], dtype=np.float64), "share", "Class")


@as_in(_options)
def chroma_stft(x: ArrayLike, rate: float | None = None, n_fft: int = 2048, hop: int = 512, *,
                tuning: float | None = None, classes: int = 12, norm: float | None = np.inf,
                centre_octave: float = 5.0, octave_width: float | None = 2.0,
                axes: bool = False, workers: int | None = None) -> Result:  # fmt: skip
    """Pitch classes of the powers of a short-time Fourier transform.

    Parameters:
        n_fft: points of the transform.
        tuning: of A4 above 440 Hz, in classes; None: that of the partials.
        norm: that the classes of a segment have, 1, 2 or np.inf; None: as they are.
        centre_octave: octaves above 27.5 Hz at which bins count most.
        octave_width: in octaves, of the Gaussian about it; None: all octaves count the same.
        ...

    Returns:
        Array [..., segments, classes], C first; Spectra with axes=True.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.chroma_stft(papilio.read("song.flac")).shape
        (2, 515, 12)
    """
    from . import spectrogram

    if rate is None:
        raise TypeError("chroma_stft: rate must be given, unless x is a Sound")
    power = spectrogram(x, n_fft, hop, workers=workers)
    if tuning is None:
        tuning = _papilio.estimate_tuning(power, rate, n_fft, classes)
    bank = _papilio.chroma_of_stft(rate, n_fft, classes, tuning, centre_octave, octave_width)
    return _centred(bank.apply(power, norm, workers), hop, rate, axes)


@as_in(_options)
def chroma_cqt(x: ArrayLike, rate: float | None = None, hop: int = 512, fmin: float = C1, *,
               tuning: float | None = None, classes: int = 12, octaves: int = 7,
               bins_per_octave: int = 36, norm: float | None = np.inf, threshold: float = 0.0,
               axes: bool = False, workers: int | None = None) -> Result:  # fmt: skip
    """Pitch classes of the magnitudes of a constant-Q transform.

    Parameters:
        tuning: of the bins, in bins; None: that of the partials.
        octaves: of the transform, from fmin on.
        bins_per_octave: a multiple of classes.
        norm: that the classes of a segment have, 1, 2 or np.inf; None: as they are.
        threshold: lower sums are taken as 0.
        ...

    Returns:
        Array [..., segments, classes], C first; Spectra with axes=True.

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> papilio.signal.chroma_cqt(papilio.read("song.flac")).shape
        (2, 515, 12)
    """
    bins = octaves * bins_per_octave
    bank = _papilio.chroma_of_constant_q(fmin, bins, bins_per_octave, classes)
    magnitude = cqt(x, rate, hop, fmin, bins, bins_per_octave, tuning=tuning, result="magnitude",
                    workers=workers)  # fmt: skip
    if threshold > 0:
        chroma = bank.apply(magnitude, None, workers)
        chroma[chroma < threshold] = 0
        chroma = _normalized(chroma, norm)
    else:
        chroma = bank.apply(magnitude, norm, workers)
    return _centred(chroma, hop, float(rate or 1), axes)


def _normalized(chroma: Array, norm: float | None) -> Array:
    if norm is None:
        return chroma
    length = np.linalg.norm(chroma, norm, axis=-1, keepdims=True)
    return chroma / np.where(length < np.finfo(chroma.dtype).tiny, 1, length)


@as_in(chroma_cqt)
def chroma_cens(x: ArrayLike | None = None, rate: float | None = None, hop: int = 512,
                fmin: float = C1, *, chroma: ArrayLike | None = None, smoothing: int | None = 41,
                window: NamedWindow = "hann", norm: float | None = 2, tuning: float | None = None,
                classes: int = 12, octaves: int = 7, bins_per_octave: int = 36, axes: bool = False,
                workers: int | None = None) -> Result:  # fmt: skip
    """Energy-normalised chroma: shares in steps of a quarter, smoothed along time.

    Parameters:
        x: real [..., samples], or a Sound, of which chroma_cqt is taken.
        chroma: [..., segments, classes] in its place.
        smoothing: segments that are averaged; None: none.
        window: of the average.
        ...

    Returns:
        Array [..., segments, classes], C first; Spectra with axes=True.

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> papilio.signal.chroma_cens(papilio.read("song.flac")).shape
        (2, 515, 12)
    """
    if chroma is None:
        if x is None:
            raise TypeError("chroma_cens: x or chroma must be given")
        chroma = chroma_cqt(x, rate, hop, fmin, tuning=tuning, classes=classes, octaves=octaves,
                            bins_per_octave=bins_per_octave, norm=None, workers=workers)  # fmt: skip
    steps = 0 if smoothing is None else integer("chroma_cens", "smoothing", smoothing, 1)
    cens = _papilio.chroma_cens(chroma, steps, window, norm)
    return _centred(cens, hop, float(rate or 1), axes)


@as_in(chroma_cqt)
def tonnetz(x: ArrayLike | None = None, rate: float | None = None, *,
            chroma: ArrayLike | None = None, **options: Any) -> Array:  # fmt: skip
    """Tonal centroids: where chroma lie on the circles of fifths and of minor and major thirds.

    Parameters:
        x: real [..., samples], or a Sound, of which chroma_cqt is taken, with its options.
        chroma: [..., segments, classes] in its place.
        ...

    Returns:
        Array [..., segments, 6]: a sine and a cosine of each circle, of radius 1, 1 and 1/2.

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> papilio.signal.tonnetz(chroma=np.eye(12)[:1]).round(2)
        array([[0. , 1. , 0. , 1. , 0. , 0.5]])
    """
    if chroma is None:
        if x is None:
            raise TypeError("tonnetz: x or chroma must be given")
        if options.get("axes"):
            raise TypeError("tonnetz: axes are of chroma_cqt, not of centroids")
        chroma = chroma_cqt(x, rate, **options)
    return _papilio.tonnetz(chroma)


public(globals(), {"rate_hz": "rate", "fmin_hz": "fmin", "gamma_hz": "gamma"})
