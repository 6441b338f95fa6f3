"""Spectral functions with the names, arguments and results of scipy.signal.

Transforms:    stft istft spectrogram
Densities:     welch periodogram  csd coherence
Convolutions:  fftconvolve oaconvolve
Chirp z:       czt czt_points zoom_fft
Filters:       butter cheby1 cheby2 ellip bessel firwin  sosfilt sosfilt_zi sosfiltfilt
               savgol_filter savgol_coeffs  hilbert  buttord cheb1ord cheb2ord ellipord
Windows:       get_window
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike

from .. import _papilio
from .._arrays import Array, NamedWindow, Reals, Window, as_array, last
from .._calls import as_in, integer, public
from . import IstftPlan, StftPlan
from . import czt as _czt
from . import fftconvolve as _fftconvolve
from . import oaconvolve as _oaconvolve
from ._scipy_filters import (
    bessel,
    butter,
    buttord,
    cheb1ord,
    cheb2ord,
    cheby1,
    cheby2,
    ellip,
    ellipord,
    firwin,
    hilbert,
    savgol_coeffs,
    savgol_filter,
    sosfilt,
    sosfilt_zi,
    sosfiltfilt,
)
from ._streams import frequencies as _frequencies
from ._two_channel import together as _together

__all__ = [
    "bessel", "butter", "buttord", "cheb1ord", "cheb2ord", "cheby1", "cheby2", "coherence", "csd",
    "czt", "czt_points", "ellip", "ellipord", "fftconvolve", "firwin", "get_window", "hilbert",
    "istft", "oaconvolve", "periodogram", "savgol_coeffs", "savgol_filter", "sosfilt", "sosfilt_zi",
    "sosfiltfilt", "spectrogram", "stft", "welch", "zoom_fft",
]  # fmt: skip

Detrend = Literal["constant", "linear", False] | None

_PADDING = {"zeros": "zero", "even": "reflect", "constant": "edge"}


def _detrend(detrend: Detrend) -> str:
    if detrend is False or detrend is None:
        return "none"
    if detrend in ("constant", "linear"):
        return detrend
    raise ValueError(f"detrend must be 'constant', 'linear' or False, got {detrend!r}")


def _plan_options(fs: float, window: Window, nperseg: int, noverlap: int | None, nfft: int | None,
                  onesided: bool, scaling: str) -> dict[str, Any]:  # fmt: skip
    """Options of an StftPlan by scipy's names.

    Parameters:
        x: real array, or a Sound.
        fs: samples a second; that of a Sound where it is left out.
        window: a name or (name, parameter), of transforms without detrending also weights.
        nperseg: samples of a segment; None: 256.
        noverlap: samples that a segment shares with the next; None: half of them.
        nfft: points of a transform; None: nperseg.
        detrend: what is taken from a segment, "constant", "linear" or False.
        return_onesided: whether bins are those from 0 to half of fs.
        scaling: "density" (powers per Hz) or "spectrum" (powers).
        axis: of the samples.
        average: "mean" or "median" of the segments.
        workers: threads; None: those of papilio.fft.set_workers.
    """
    integer("stft", "nperseg", nperseg, 1)
    noverlap = nperseg // 2 if noverlap is None else integer("stft", "noverlap", noverlap, 0)
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    scalings = {"spectrum": "magnitude", "psd": "psd"}
    if scaling not in scalings:
        raise ValueError(f"scaling must be 'spectrum' or 'psd', got {scaling!r}")
    if nfft not in (None, nperseg):
        raise ValueError(f"nfft must be nperseg {nperseg}, got {nfft}")
    return dict(n_fft=nperseg, hop=nperseg - noverlap, window=window, scaling=scalings[scaling],
                sides="one" if onesided else "two", rate=fs)  # fmt: skip


def get_window(window: NamedWindow | float, Nx: int, fftbins: bool = True) -> Reals:
    """scipy.signal.get_window: the weights of a window.

    Parameters:
        window: a name, (name, parameter), or a number, the beta of a Kaiser window.
        Nx: how many.
        fftbins: whether the last weight is the last but one of a symmetric window.

    Returns:
        float64 [Nx].

    Raises:
        ValueError: for a window that there is not, listing those that there are.

    Example:
        >>> papilio.signal.scipy.get_window("hann", 4)
        array([0. , 0.5, 1. , 0.5])
    """
    if isinstance(window, (int, float)):
        window = ("kaiser", float(window))
    return _papilio.make_window(window, Nx, not fftbins)


@as_in(_plan_options)
def welch(x: ArrayLike, fs: float = 1.0, window: NamedWindow = "hann", nperseg: int | None = None,
          noverlap: int | None = None, nfft: int | None = None, detrend: Detrend = "constant",
          return_onesided: bool = True, scaling: str = "density", axis: int = -1,
          average: str = "mean", workers: int | None = None) -> tuple[Reals, Array]:  # fmt: skip
    """scipy.signal.welch of real x: power spectral densities.

    Parameters:
        ...

    Returns:
        Frequencies in Hz, and densities with them along the axis.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> frequencies, density = papilio.signal.scipy.welch(papilio.read("song.flac"), nperseg=1024)
        >>> density.shape
        (2, 513)
    """
    x = last(x, axis)
    nperseg = min(256 if nperseg is None else nperseg, x.shape[-1])
    nfft = nperseg if nfft is None else nfft
    density = _papilio.welch(x, fs, window, nperseg, noverlap, nfft, _detrend(detrend),
                             return_onesided, scaling, average, workers)  # fmt: skip
    return _frequencies(nfft, fs, return_onesided), np.moveaxis(density, -1, axis)


@as_in(_plan_options)
def periodogram(x: ArrayLike, fs: float = 1.0, window: NamedWindow = "boxcar",
                nfft: int | None = None, detrend: Detrend = "constant",
                return_onesided: bool = True, scaling: str = "density", axis: int = -1,
                workers: int | None = None) -> tuple[Reals, Array]:  # fmt: skip
    """scipy.signal.periodogram of real x: welch with the whole signal as the only segment.

    Parameters:
        nfft: points of the transform; None: the samples.
        ...

    Returns:
        Frequencies in Hz, and densities with them along the axis.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.scipy.periodogram(np.ones(8), detrend=False)[1]
        array([8., 0., 0., 0., 0.])
    """
    return welch(x, fs, window, last(x, axis).shape[-1], 0, nfft, detrend, return_onesided, scaling,
                 axis, "mean", workers)  # fmt: skip


def _padded(x: Array, samples: int) -> Array:
    """x [..., samples] with zeros behind."""
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, samples - x.shape[-1])])


def _cross(function: str, x: ArrayLike, y: ArrayLike, fs: float, window: NamedWindow, nperseg: int | None,
           noverlap: int | None, nfft: int | None, detrend: Detrend, return_onesided: bool, scaling: str, axis: int,
           average: str, workers: int | None) -> tuple[Reals, Array]:  # fmt: skip
    """csd or coherence; segments are no longer than the signals. As in scipy csd gives the shorter one zeros.

    scipy.signal.coherence of different lengths divides by powers of other segments than those of csd.
    """
    a, b = _together(last(x, axis), last(y, axis))
    if function == "coherence" and a.shape != b.shape:
        raise ValueError(f"coherence: x and y must have equal lengths, got {a.shape[-1]} and {b.shape[-1]} samples")
    samples = max(a.shape[-1], b.shape[-1])
    a, b = _padded(a, samples), _padded(b, samples)
    nperseg = min(256 if nperseg is None else nperseg, samples)
    nfft = nperseg if nfft is None else nfft
    values = _papilio.two_channel(function, a, b, function, fs, window, nperseg, noverlap, nfft, _detrend(detrend),
                                  return_onesided, scaling, average, workers)  # fmt: skip
    return _frequencies(nfft, fs, return_onesided), np.moveaxis(values, -1, axis)


@as_in(_plan_options)
def csd(x: ArrayLike, y: ArrayLike, fs: float = 1.0, window: NamedWindow = "hann", nperseg: int | None = None,
        noverlap: int | None = None, nfft: int | None = None, detrend: Detrend = "constant",
        return_onesided: bool = True, scaling: str = "density", axis: int = -1, average: str = "mean",
        workers: int | None = None) -> tuple[Reals, Array]:  # fmt: skip
    """scipy.signal.csd of real x and y: cross-spectral densities.

    Parameters:
        x, y: real arrays, or Sounds; the shorter one gets zeros.
        ...

    Returns:
        Frequencies in Hz, and complex densities with them along the axis.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> x = np.random.default_rng(1).standard_normal((2, 4000))
        >>> papilio.signal.scipy.csd(x[0], x[1], nperseg=512)[1].shape
        (257,)
    """
    return _cross("csd", x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis,
                  average, workers)  # fmt: skip


@as_in(csd)
def coherence(x: ArrayLike, y: ArrayLike, fs: float = 1.0, window: NamedWindow = "hann",
              nperseg: int | None = None, noverlap: int | None = None, nfft: int | None = None,
              detrend: Detrend = "constant", axis: int = -1,
              workers: int | None = None) -> tuple[Reals, Array]:  # fmt: skip
    """scipy.signal.coherence of real x and y: magnitude-squared coherence.

    Parameters:
        x, y: real arrays, or Sounds, equally long.
        ...

    Returns:
        Frequencies in Hz, and coherences with them along the axis.

    Raises:
        ValueError, TypeError: for different lengths, and options out of their range.

    Example:
        >>> x = np.random.default_rng(1).standard_normal(4000)
        >>> float(papilio.signal.scipy.coherence(x, -x)[1].min().round(9))
        1.0
    """
    return _cross("coherence", x, y, fs, window, nperseg, noverlap, nfft, detrend, True, "density", axis,
                  "mean", workers)  # fmt: skip


def _bins_at(axis: int, spectra: Array) -> Array:
    """[..., segments, bins] as [..., bins, segments], the bins along the axis of the samples."""
    spectra = np.swapaxes(spectra, -1, -2)
    if axis not in (-1, spectra.ndim - 2):
        spectra = np.moveaxis(spectra, -2, axis if axis >= 0 else axis - 1)
    return spectra


@as_in(_plan_options)
def stft(x: ArrayLike, fs: float = 1.0, window: Window = "hann", nperseg: int = 256,
         noverlap: int | None = None, nfft: int | None = None, detrend: Detrend = False,
         return_onesided: bool = True, boundary: str | None = "zeros", padded: bool = True,
         axis: int = -1, scaling: str = "spectrum",
         workers: int | None = None) -> tuple[Reals, Reals, Array]:  # fmt: skip
    """scipy.signal.stft of real x.

    Parameters:
        detrend: False; others are refused.
        boundary: beyond the ends, "zeros", "even", "constant", or None without centred segments.
        padded: whether zeros follow until the last sample is in a segment.
        scaling: "spectrum" or "psd".
        ...

    Returns:
        Frequencies in Hz, times in seconds, and spectra [..., bins, times].

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> frequencies, times, spectra = papilio.signal.scipy.stft(papilio.read("song.flac"))
        >>> spectra.shape
        (2, 129, 2059)
    """
    if detrend not in (False, None):
        raise ValueError(f"stft: detrend must be False, got {detrend!r}")
    if boundary is not None and boundary not in _PADDING:
        raise ValueError(f"boundary must be one of {', '.join(_PADDING)} or None, got {boundary}")
    x = last(x, axis)
    nperseg = min(nperseg, x.shape[-1])
    options = _plan_options(fs, window, nperseg, noverlap, nfft, return_onesided, scaling)
    padding = "zero" if boundary is None else _PADDING[boundary]
    plan = StftPlan(center=boundary is not None, padding=padding, pad_end=padded, **options)
    spectra = plan.execute(x, "complex", workers)
    times = np.arange(spectra.shape[-2]) * options["hop"] / fs
    if boundary is None:
        times = times + nperseg / 2 / fs
    return _frequencies(nperseg, fs, return_onesided), times, _bins_at(axis, spectra)


@as_in(_plan_options)
def istft(Zxx: ArrayLike, fs: float = 1.0, window: Window = "hann", nperseg: int | None = None,
          noverlap: int | None = None, nfft: int | None = None, input_onesided: bool = True,
          boundary: bool = True, time_axis: int = -1, freq_axis: int = -2,
          scaling: str = "spectrum", workers: int | None = None) -> tuple[Reals, Array]:  # fmt: skip
    """scipy.signal.istft to real signals.

    Parameters:
        Zxx: spectra [..., bins, times].
        nperseg: samples of a segment; None: 2 (bins - 1).
        input_onesided: whether bins are those from 0 to half of fs.
        boundary: whether segments were centred.
        time_axis, freq_axis: of the spectra.
        scaling: "spectrum" or "psd".
        ...

    Returns:
        Times in seconds, and signals [..., samples].

    Raises:
        ValueError: where samples are covered by no window.

    Example:
        >>> x = np.sin(np.arange(4096.0))
        >>> times, y = papilio.signal.scipy.istft(papilio.signal.scipy.stft(x)[2])
        >>> bool(np.allclose(y, x))
        True
    """
    for axis in (time_axis, freq_axis):
        last(Zxx, axis)  # which refuses others than there are
    spectra = np.moveaxis(as_array(Zxx), (time_axis, freq_axis), (-2, -1))
    bins = spectra.shape[-1]
    nperseg = (2 * (bins - 1) if input_onesided else bins) if nperseg is None else nperseg
    options = _plan_options(fs, window, nperseg, noverlap, nfft, input_onesided, scaling)
    length = (spectra.shape[-2] - 1) * options["hop"] + (nperseg % 2 if boundary else nperseg)
    plan = IstftPlan(center=bool(boundary), **options)
    x = plan.execute(spectra, length, workers)
    return np.arange(x.shape[-1]) / fs, x


@as_in(_plan_options)
def spectrogram(x: ArrayLike, fs: float = 1.0, window: NamedWindow = ("tukey", 0.25),
                nperseg: int | None = None, noverlap: int | None = None, nfft: int | None = None,
                detrend: Detrend = "constant", return_onesided: bool = True,
                scaling: str = "density", axis: int = -1, mode: str = "psd",
                workers: int | None = None) -> tuple[Reals, Reals, Array]:  # fmt: skip
    """scipy.signal.spectrogram of real x.

    Parameters:
        noverlap: samples that a segment shares with the next; None: an eighth of them.
        mode: "psd", or with detrend=False and nfft=None "complex", "magnitude", "angle" or "phase".
        ...

    Returns:
        Frequencies in Hz, times in seconds, and values [..., bins, times].

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.scipy.spectrogram(papilio.read("song.flac"))[2].shape
        (2, 129, 1175)
    """
    modes = ("psd", "complex", "magnitude", "angle", "phase")
    if not fs > 0:
        raise ValueError(f"spectrogram: fs must be positive and finite, got {fs}")
    if mode not in modes:
        raise ValueError(f"mode must be one of {', '.join(modes)}, got {mode!r}")
    x = last(x, axis)
    nperseg = min(256 if nperseg is None else nperseg, x.shape[-1])
    noverlap = nperseg // 8 if noverlap is None else noverlap
    if not 0 <= noverlap < nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    hop = nperseg - noverlap
    times = (np.arange((x.shape[-1] - noverlap) // hop) * hop + nperseg / 2) / fs
    if mode == "psd":
        # A segment is a signal of one segment.
        segments = sliding_window_view(x, nperseg, axis=-1)[..., ::hop, :]
        frequencies, spectra = welch(segments, fs, window, nperseg, 0, nfft, detrend,
                                     return_onesided, scaling, workers=workers)  # fmt: skip
        return frequencies, times, _bins_at(axis, spectra)
    kinds = {"density": "psd", "spectrum": "spectrum"}
    if scaling not in kinds:
        raise ValueError(f"scaling must be 'density' or 'spectrum', got {scaling!r}")
    frequencies, _, spectra = stft(x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided,
                                   None, False, -1, kinds[scaling], workers)  # fmt: skip
    if mode == "magnitude":
        spectra = np.abs(spectra)
    elif mode != "complex":
        spectra = np.angle(spectra)
        if mode == "phase":
            spectra = np.unwrap(spectra, axis=-1)
    return frequencies, times, _bins_at(axis, np.swapaxes(spectra, -1, -2))


def fftconvolve(in1: ArrayLike, in2: ArrayLike, mode: str = "full",
                axes: int | Sequence[int] | None = None, workers: int | None = None,
                ) -> Array:  # fmt: skip
    """scipy.signal.fftconvolve, of at most 6 axes.

    Parameters:
        in1, in2: arrays of as many axes.
        mode: "full", "same" (as in1) or "valid" (without zeros beyond the ends).
        axes: to convolve along; None: all.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Array of the sums, complex where one of them is.

    Raises:
        ValueError: where the shapes do not fit.

    Example:
        >>> papilio.signal.scipy.fftconvolve([1.0, 2.0], [1.0, 1.0]).round(12)
        array([1., 3., 2.])
    """
    return _fftconvolve(in1, in2, mode, axes, workers=workers)


@as_in(fftconvolve)
def oaconvolve(in1: ArrayLike, in2: ArrayLike, mode: str = "full",
               axes: int | Sequence[int] | None = None, workers: int | None = None,
               ) -> Array:  # fmt: skip
    """scipy.signal.oaconvolve, of at most 6 axes: fftconvolve of a long operand in blocks.

    Parameters:
        ...

    Returns:
        Array of the sums, complex where one of them is.

    Raises:
        ValueError: where the shapes do not fit.

    Example:
        >>> papilio.signal.scipy.oaconvolve(np.ones(1000), np.ones(3), mode="same").shape
        (1000,)
    """
    return _oaconvolve(in1, in2, mode, axes, workers=workers)


@as_in(_czt)
def czt(x: ArrayLike, m: int | None = None, w: complex | None = None, a: complex = 1 + 0j, *,
        axis: int = -1, workers: int | None = None) -> Array:  # fmt: skip
    """scipy.signal.czt: the z-transform of x at the points a w^-k.

    Parameters:
        ...

    Returns:
        Complex array with m points along the axis.

    Raises:
        ValueError: for no samples or no points.

    Example:
        >>> x = np.arange(5.0)
        >>> bool(np.allclose(papilio.signal.scipy.czt(x), np.fft.fft(x)))
        True
    """
    return _czt(x, m, w, a, axis=axis, workers=workers)


def czt_points(m: int, w: complex | None = None, a: complex = 1 + 0j) -> Array:
    """scipy.signal.czt_points: the points at which czt is computed.

    Parameters:
        m: points, at least 1.
        w: ratio of points; None: exp(-2 pi i / m).
        a: first point.

    Returns:
        Complex array [m].

    Raises:
        ValueError: for m below 1.

    Example:
        >>> papilio.signal.scipy.czt_points(2).round(12)
        array([ 1.+0.j, -1.+0.j])
    """
    if m < 1:
        raise ValueError(f"m must be at least 1, got {m}")
    k = np.arange(m)
    return a * (np.exp(2j * np.pi * k / m) if w is None else (1.0 * w) ** -k)


def zoom_fft(x: ArrayLike, fn: float | Sequence[float], m: int | None = None, *, fs: float = 2,
             endpoint: bool = False, axis: int = -1, workers: int | None = None) -> Array:  # fmt: skip
    """scipy.signal.zoom_fft: a part of the spectrum of x.

    Parameters:
        x: [..., samples, ...], or a Sound.
        fn: ends of the band, or its upper one.
        m: points; None: the samples.
        fs: samples a second; that of a Sound where it is left out.
        endpoint: whether the last point is at the upper end.
        axis: of the samples.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Complex array with m points along the axis.

    Raises:
        ValueError: for bands and rates that are not finite, or no points.

    Example:
        >>> t = np.arange(1000) / 1000
        >>> zoom = papilio.signal.scipy.zoom_fft(np.sin(2 * np.pi * 50.3 * t), [50, 51], m=11, fs=1000)
        >>> int(abs(zoom).argmax())
        3
    """
    lines = np.moveaxis(as_array(x), axis, -1)
    band = np.atleast_1d(np.asarray(fn, float))
    if band.ndim != 1 or not 1 <= len(band) <= 2 or not np.isfinite(band).all():
        raise ValueError(f"zoom_fft: fn must be one finite number or two, got {fn!r}")
    if not np.isfinite(fs) or fs == 0:
        raise ValueError(f"zoom_fft: fs must be finite and not 0, got {fs!r}")
    m = lines.shape[-1] if m is None else index(m)
    if m < 1 or (endpoint and m < 2):
        raise ValueError(f"zoom_fft: m must be at least {2 if endpoint else 1}, got {m}")
    first = 0.0 if len(band) == 1 else band[0]
    spectrum = _papilio.zoom(lines, first, band[-1], fs, m, m - 1 if endpoint else m, workers)
    return np.moveaxis(spectrum, -1, axis)


public(globals(), {
    "rate_hz": "fs", "rate": "fs", "segment_length": "nperseg", "window_length": "nperseg",
    "overlap": "noverlap", "one_sided": "return_onesided", "n": "Nx",
})  # fmt: skip
