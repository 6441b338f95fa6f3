"""Spectral functions with the names, arguments and results of scipy.signal."""

import numpy as np

from .. import fft as _fft
from . import IstftPlan, StftPlan, _papilio, fftconvolve, oaconvolve

__all__ = ["fftconvolve", "istft", "oaconvolve", "periodogram", "stft", "welch"]

_PADDING = {"zeros": "zero", "even": "reflect", "constant": "edge"}


def _last(x, axis):
    return np.moveaxis(np.asarray(x), axis, -1)


def _detrend(detrend):
    if detrend is False or detrend is None:
        return "none"
    if detrend in ("constant", "linear"):
        return detrend
    raise ValueError(f"detrend must be 'constant', 'linear' or False, got {detrend!r}")


def welch(x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant",
          return_onesided=True, scaling="density", axis=-1, average="mean",
          workers=None):  # fmt: skip
    """scipy.signal.welch of real x: frequencies and densities."""
    x = _last(x, axis)
    nperseg = min(256 if nperseg is None else nperseg, x.shape[-1])
    nfft = nperseg if nfft is None else nfft
    density = _papilio.welch(x, fs, window, nperseg, noverlap, nfft, _detrend(detrend),
                             return_onesided, scaling, average, workers)  # fmt: skip
    frequencies = (_fft.rfftfreq if return_onesided else _fft.fftfreq)(nfft, 1 / fs)
    return frequencies, np.moveaxis(density, -1, axis)


def periodogram(x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True,
                scaling="density", axis=-1, workers=None):  # fmt: skip
    """scipy.signal.periodogram of real x."""
    return welch(x, fs, window, np.shape(x)[axis], 0, nfft, detrend, return_onesided, scaling,
                 axis, "mean", workers)  # fmt: skip


def _plan_options(fs, window, nperseg, noverlap, nfft, onesided, scaling):
    noverlap = nperseg // 2 if noverlap is None else noverlap
    if not 0 <= noverlap < nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    scalings = {"spectrum": "magnitude", "psd": "psd"}
    if scaling not in scalings:
        raise ValueError(f"scaling must be 'spectrum' or 'psd', got {scaling!r}")
    if nfft not in (None, nperseg):
        raise ValueError("nfft must be nperseg")
    return dict(n_fft=nperseg, hop=nperseg - noverlap, window=window, scaling=scalings[scaling],
                sides="one" if onesided else "two", rate=fs)  # fmt: skip


def stft(x, fs=1.0, window="hann", nperseg=256, noverlap=None, nfft=None, detrend=False,
         return_onesided=True, boundary="zeros", padded=True, axis=-1, scaling="spectrum",
         workers=None):  # fmt: skip
    """scipy.signal.stft of real x: frequencies, times, and spectra [..., bins, times]."""
    if detrend not in (False, None):
        raise ValueError("stft: detrend must be False")
    if boundary is not None and boundary not in _PADDING:
        raise ValueError(f"boundary must be one of {', '.join(_PADDING)} or None, got {boundary}")
    x = _last(x, axis)
    nperseg = min(nperseg, x.shape[-1])
    options = _plan_options(fs, window, nperseg, noverlap, nfft, return_onesided, scaling)
    plan = StftPlan(center=boundary is not None, padding=_PADDING.get(boundary, "zero"),
                    pad_end=padded, **options)  # fmt: skip
    spectra = plan.execute(x, "complex", workers)
    times = np.arange(spectra.shape[-2]) * options["hop"] / fs
    if boundary is None:
        times = times + nperseg / 2 / fs
    frequencies = (_fft.rfftfreq if return_onesided else _fft.fftfreq)(nperseg, 1 / fs)
    spectra = np.swapaxes(spectra, -1, -2)
    if axis != -1 and axis != x.ndim - 1:
        spectra = np.moveaxis(spectra, -2, axis if axis >= 0 else axis - 1)
    return frequencies, times, spectra


def istft(Zxx, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, input_onesided=True,
          boundary=True, time_axis=-1, freq_axis=-2, scaling="spectrum", workers=None):  # fmt: skip
    """scipy.signal.istft to real signals: times and [..., samples]."""
    spectra = np.moveaxis(np.asarray(Zxx), (time_axis, freq_axis), (-2, -1))
    bins = spectra.shape[-1]
    nperseg = (2 * (bins - 1) if input_onesided else bins) if nperseg is None else nperseg
    options = _plan_options(fs, window, nperseg, noverlap, nfft, input_onesided, scaling)
    length = (spectra.shape[-2] - 1) * options["hop"] + (0 if boundary else nperseg)
    plan = IstftPlan(center=bool(boundary), **options)
    x = plan.execute(spectra, length, workers)
    return np.arange(x.shape[-1]) / fs, x
