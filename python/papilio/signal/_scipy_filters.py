"""Filters with the names, arguments and results of scipy.signal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _papilio
from .._arrays import Array, NamedWindow, Reals, as_array, last
from .._calls import as_in, integer, public
from . import _filters

__all__ = [
    "bessel", "buttord", "butter", "cheb1ord", "cheb2ord", "cheby1", "cheby2", "ellip", "ellipord", "firwin",
    "hilbert", "savgol_coeffs", "savgol_filter", "sosfilt", "sosfilt_zi", "sosfiltfilt",
]  # fmt: skip

_BANDS = {
    name: band
    for band, names in {
        "lowpass": "low lowpass lp l", "highpass": "high highpass hp h",
        "bandpass": "band bandpass pass bp", "bandstop": "bands bandstop stop bs",
    }.items()
    for name in names.split()
}  # fmt: skip


def _designed(family: str, N: int, Wn: ArrayLike, btype: str = "low", analog: bool = False, output: str = "ba",
              fs: float | None = None, ripple: float = 1.0, attenuation: float = 40.0,
              norm: str = "phase") -> Any:  # fmt: skip
    """A recursive filter.

    Parameters:
        N: order, 1 ... 64 (bessel: 25).
        rp: dB of ripple where the filter passes.
        rs: dB of attenuation where it stops.
        Wn: one edge, of bandpass and bandstop two, in units of fs; without fs in halves of the rate.
        btype: "lowpass", "highpass", "bandpass" or "bandstop", or scipy's abbreviations of them.
        analog: False; others are refused.
        output: "ba" (polynomials), "zpk" (zeros, poles, gain) or "sos" (second-order sections).
        norm: "phase", "delay" or "mag".
        fs: samples a second; None: 2.
    """
    if analog:
        raise ValueError(f"{family}: analog must be False, got {analog!r}")
    if btype not in _BANDS:
        raise ValueError(f"{family}: btype must be one of {', '.join(_BANDS)}, got {btype!r}")
    if output not in ("ba", "zpk", "sos"):
        raise ValueError(f"{family}: output must be 'ba', 'zpk' or 'sos', got {output!r}")
    band = _BANDS[btype]
    edges = np.atleast_1d(np.asarray(Wn, dtype=np.float64))
    wanted = 2 if band in ("bandpass", "bandstop") else 1
    if edges.shape != (wanted,):
        raise ValueError(f"{family}: Wn must be {wanted} for btype {btype!r}, got {edges.size}")
    upper = float(edges[1]) if wanted == 2 else 0.0
    options = (family, integer(family, "N", N, 0), band, float(edges[0]), upper, 2.0 if fs is None else fs,
               ripple, attenuation, norm)  # fmt: skip
    if output == "sos":
        return _papilio.iir_sections(*options)
    zeros, poles, gain = _papilio.iir_zeros_poles(*options)
    z, p = np.array(zeros, dtype=np.complex128), np.array(poles, dtype=np.complex128)
    return (z, p, gain) if output == "zpk" else (gain * np.poly(z).real, np.poly(p).real)


@as_in(_designed)
def butter(N: int, Wn: ArrayLike, btype: str = "low", analog: bool = False, output: str = "ba",
           fs: float | None = None) -> Any:  # fmt: skip
    """scipy.signal.butter: a Butterworth filter.

    Parameters:
        ...

    Returns:
        (b, a), (z, p, k), or float64 [sections, 6], as output says.

    Raises:
        ValueError, TypeError: for options out of their range, analog filters, and unstable designs.

    Example:
        >>> papilio.signal.scipy.butter(1, 0.5)[0].round(12)
        array([0.5, 0.5])
    """
    return _designed("butter", N, Wn, btype, analog, output, fs)


@as_in(_designed)
def cheby1(N: int, rp: float, Wn: ArrayLike, btype: str = "low", analog: bool = False, output: str = "ba",
           fs: float | None = None) -> Any:  # fmt: skip
    """scipy.signal.cheby1: a Chebyshev filter with ripples where it passes.

    Parameters:
        ...

    Returns:
        (b, a), (z, p, k), or float64 [sections, 6], as output says.

    Raises:
        ValueError, TypeError: for options out of their range, analog filters, and unstable designs.

    Example:
        >>> papilio.signal.scipy.cheby1(4, 0.5, 1000, output="sos", fs=8000).shape
        (2, 6)
    """
    return _designed("cheby1", N, Wn, btype, analog, output, fs, ripple=rp)


@as_in(_designed)
def cheby2(N: int, rs: float, Wn: ArrayLike, btype: str = "low", analog: bool = False, output: str = "ba",
           fs: float | None = None) -> Any:  # fmt: skip
    """scipy.signal.cheby2: a Chebyshev filter with ripples where it stops.

    Parameters:
        ...

    Returns:
        (b, a), (z, p, k), or float64 [sections, 6], as output says.

    Raises:
        ValueError, TypeError: for options out of their range, analog filters, and unstable designs.

    Example:
        >>> zeros, poles, gain = papilio.signal.scipy.cheby2(4, 60, 1000, output="zpk", fs=8000)
        >>> bool((abs(poles) < 1).all())
        True
    """
    return _designed("cheby2", N, Wn, btype, analog, output, fs, attenuation=rs)


@as_in(_designed)
def ellip(N: int, rp: float, rs: float, Wn: ArrayLike, btype: str = "low", analog: bool = False,
          output: str = "ba", fs: float | None = None) -> Any:  # fmt: skip
    """scipy.signal.ellip: an elliptic filter.

    Parameters:
        ...

    Returns:
        (b, a), (z, p, k), or float64 [sections, 6], as output says.

    Raises:
        ValueError, TypeError: for options out of their range, analog filters, and unstable designs.

    Example:
        >>> papilio.signal.scipy.ellip(5, 0.5, 60, [100, 1000], "band", output="sos", fs=8000).shape
        (5, 6)
    """
    return _designed("ellip", N, Wn, btype, analog, output, fs, rp, rs)


@as_in(_designed)
def bessel(N: int, Wn: ArrayLike, btype: str = "low", analog: bool = False, output: str = "ba",
           norm: str = "phase", fs: float | None = None) -> Any:  # fmt: skip
    """scipy.signal.bessel: a Bessel filter.

    Parameters:
        ...

    Returns:
        (b, a), (z, p, k), or float64 [sections, 6], as output says.

    Raises:
        ValueError, TypeError: for options out of their range, analog filters, and unstable designs.

    Example:
        >>> papilio.signal.scipy.bessel(4, 1000, output="sos", norm="mag", fs=8000).shape
        (2, 6)
    """
    return _designed("bessel", N, Wn, btype, analog, output, fs, norm=norm)


def _lowest(function: str, family: str, wp: ArrayLike, ws: ArrayLike, gpass: float, gstop: float,
            analog: bool = False, fs: float | None = None) -> tuple[int, Any]:  # fmt: skip
    """The lowest order of a family.

    Parameters:
        wp: edges of what passes, one or two; below those of ws for lowpass and bandstop.
        ws: edges of what is stopped.
        gpass: dB that are lost at most where it passes.
        gstop: dB that are lost at least where it stops.
        analog: False; others are refused.
        fs: samples a second; None: 2.
    """
    if analog:
        raise ValueError(f"{function}: analog must be False, got {analog!r}")
    return _filters.lowest_order(family, wp, ws, gpass, gstop, 2.0 if fs is None else fs)


@as_in(_lowest)
def buttord(wp: ArrayLike, ws: ArrayLike, gpass: float, gstop: float, analog: bool = False,
            fs: float | None = None) -> tuple[int, Any]:  # fmt: skip
    """scipy.signal.buttord: the lowest order of a Butterworth filter, and its edges.

    Parameters:
        ...

    Returns:
        The order, and one edge or two, in units of fs.

    Raises:
        ValueError, TypeError: for edges that are not apart, analog filters, and orders above 64.

    Example:
        >>> papilio.signal.scipy.buttord(0.2, 0.3, 1, 40)[0]
        12
    """
    return _lowest("buttord", "butter", wp, ws, gpass, gstop, analog, fs)


@as_in(_lowest)
def cheb1ord(wp: ArrayLike, ws: ArrayLike, gpass: float, gstop: float, analog: bool = False,
             fs: float | None = None) -> tuple[int, Any]:  # fmt: skip
    """scipy.signal.cheb1ord: the lowest order of a Chebyshev filter, and its edges.

    Parameters:
        ...

    Returns:
        The order, and one edge or two, in units of fs.

    Raises:
        ValueError, TypeError: for edges that are not apart, analog filters, and orders above 64.

    Example:
        >>> papilio.signal.scipy.cheb1ord(0.2, 0.3, 1, 40)[0]
        6
    """
    return _lowest("cheb1ord", "cheby1", wp, ws, gpass, gstop, analog, fs)


@as_in(_lowest)
def cheb2ord(wp: ArrayLike, ws: ArrayLike, gpass: float, gstop: float, analog: bool = False,
             fs: float | None = None) -> tuple[int, Any]:  # fmt: skip
    """scipy.signal.cheb2ord: the lowest order of an inverse Chebyshev filter, and its edges.

    Parameters:
        ...

    Returns:
        The order, and one edge or two, in units of fs.

    Raises:
        ValueError, TypeError: for edges that are not apart, analog filters, and orders above 64.

    Example:
        >>> papilio.signal.scipy.cheb2ord(0.2, 0.3, 1, 40)[0]
        6
    """
    return _lowest("cheb2ord", "cheby2", wp, ws, gpass, gstop, analog, fs)


@as_in(_lowest)
def ellipord(wp: ArrayLike, ws: ArrayLike, gpass: float, gstop: float, analog: bool = False,
             fs: float | None = None) -> tuple[int, Any]:  # fmt: skip
    """scipy.signal.ellipord: the lowest order of an elliptic filter, and its edges.

    Parameters:
        ...

    Returns:
        The order, and one edge or two, in units of fs.

    Raises:
        ValueError, TypeError: for edges that are not apart, analog filters, and orders above 64.

    Example:
        >>> papilio.signal.scipy.ellipord(0.2, 0.3, 1, 40)[0]
        4
    """
    return _lowest("ellipord", "ellip", wp, ws, gpass, gstop, analog, fs)


def _kaiser_beta(taps: int, width: float) -> float:
    """The beta for a transition of that width in halves of the rate (Kaiser 1974)."""
    attenuation = 2.285 * (taps - 1) * np.pi * width + 7.95
    if attenuation > 50:
        return float(0.1102 * (attenuation - 8.7))
    above = max(0.0, attenuation - 21)
    return float(0.5842 * above**0.4 + 0.07886 * above)


def firwin(numtaps: int, cutoff: ArrayLike, *, width: float | None = None, window: NamedWindow = "hamming",
           pass_zero: bool | str = True, scale: bool = True, fs: float | None = None) -> Reals:  # fmt: skip
    """scipy.signal.firwin of one band: taps of a filter of linear phase.

    Parameters:
        numtaps: how many; odd where half the rate passes.
        cutoff: one edge or two, in units of fs; without fs in halves of the rate.
        width: of the transition, for which a Kaiser window is chosen; None: by window.
        window: a name or (name, parameter).
        pass_zero: whether 0 Hz passes, or "lowpass", "highpass", "bandpass" or "bandstop".
        scale: whether the gain is 1 at the centre of the first band that passes.
        fs: samples a second; None: 2.

    Returns:
        float64 [numtaps].

    Raises:
        ValueError, TypeError: for options out of their range, and more than two edges.

    Example:
        >>> papilio.signal.scipy.firwin(3, 0.25).round(4)
        array([0.063 , 0.8741, 0.063 ])
    """
    rate = 2.0 if fs is None else fs
    edges = np.atleast_1d(np.asarray(cutoff, dtype=np.float64))
    if edges.ndim != 1 or edges.size not in (1, 2):
        raise ValueError(f"firwin: cutoff must be one number or two, got {edges.size}")
    if not (np.all(edges > 0) and np.all(edges < rate / 2) and np.all(np.diff(edges) > 0)):
        raise ValueError(f"firwin: cutoff must ascend between 0 and half the rate, {rate / 2:g}, got {cutoff!r}")
    bands = {(1, True): "lowpass", (1, False): "highpass", (2, True): "bandstop", (2, False): "bandpass"}
    band = bands[edges.size, bool(pass_zero)] if not isinstance(pass_zero, str) else pass_zero
    if (edges.size, band in ("lowpass", "bandstop")) not in bands or band not in bands.values():
        raise ValueError(f"firwin: pass_zero must be a bool or a band, got {pass_zero!r}")
    if bands[edges.size, band in ("lowpass", "bandstop")] != band:
        raise ValueError(f"firwin: pass_zero {band!r} must have {3 - edges.size} cutoffs, got {edges.size}")
    numtaps = integer("firwin", "numtaps", numtaps, 0)
    if width is not None:
        window = ("kaiser", _kaiser_beta(numtaps, width / (rate / 2)))
    upper = float(edges[1]) if edges.size == 2 else 0.0
    return _papilio.firwin(numtaps, band, float(edges[0]), upper, rate, window, scale)


def sosfilt_zi(sos: ArrayLike) -> Reals:
    """scipy.signal.sosfilt_zi: the states of sections whose input has always been 1.

    Parameters:
        sos: [sections, 6], a0 of 1.

    Returns:
        float64 [sections, 2].

    Raises:
        ValueError: for sections that are none, and those with a pole at 0 Hz.

    Example:
        >>> papilio.signal.scipy.sosfilt_zi([[0.5, 0.5, 0, 1, 0, 0]])
        array([[0.5, 0. ]])
    """
    return _papilio.sosfilt_zi(sos)


def sosfilt(sos: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None) -> Any:
    """scipy.signal.sosfilt of real x; float32 stays float32, computed in double.

    Parameters:
        sos: [sections, 6], a0 of 1.
        x: real [..., samples, ...], or a Sound.
        axis: of the samples.
        zi: states to begin with, [sections, ..., 2, ...]; None: of silence.

    Returns:
        Array as x, and with zi given also the states behind it.

    Raises:
        ValueError, TypeError: for sections that are none, and states of other shapes.

    Example:
        >>> papilio.signal.scipy.sosfilt([[0.5, 0.5, 0, 1, 0, 0]], [2.0, 0.0, 0.0])
        array([1., 1., 0.])
    """
    lines = last(x, axis)
    if zi is None:
        return np.moveaxis(_papilio.sosfilt(sos, lines, None)[0], -1, axis)
    at = axis % lines.ndim + 1
    begin = last(np.asarray(zi, dtype=np.float64), at) if np.ndim(zi) == lines.ndim + 1 else zi
    y, behind = _papilio.sosfilt(sos, lines, begin)
    return np.moveaxis(y, -1, axis), np.moveaxis(behind, -1, at)


def sosfiltfilt(sos: ArrayLike, x: ArrayLike, axis: int = -1, padtype: str | None = "odd",
                padlen: int | None = None, workers: int | None = None) -> Array:  # fmt: skip
    """scipy.signal.sosfiltfilt of real x: filtered forward and then backward.

    Parameters:
        sos: [sections, 6], a0 of 1.
        x: real [..., samples, ...], or a Sound.
        axis: of the samples.
        padtype: by what x goes on at its ends, "odd", "even", "constant" or None.
        padlen: by how many samples; None: about six times the sections.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Array as x.

    Raises:
        ValueError, TypeError: for sections that are none, and signals no longer than padlen.

    Example:
        >>> sos = papilio.signal.scipy.butter(2, 0.2, output="sos")
        >>> bool(np.allclose(papilio.signal.scipy.sosfiltfilt(sos, np.ones(20)), 1))
        True
    """
    if padlen is not None:
        padlen = integer("sosfiltfilt", "padlen", padlen, 0)
    padding = "none" if padtype is None else padtype
    return np.moveaxis(_papilio.sosfiltfilt(sos, last(x, axis), padding, padlen, workers), -1, axis)


def savgol_coeffs(window_length: int, polyorder: int, deriv: int = 0, delta: float = 1.0,
                  pos: float | None = None, use: str = "conv") -> Reals:  # fmt: skip
    """scipy.signal.savgol_coeffs of odd windows: weights of a fitted polynomial's value.

    Parameters:
        window_length: samples, odd.
        polyorder: of the polynomial, below window_length.
        deriv: order of the derivative.
        delta: distance of samples.
        pos: where in the window; None: its middle.
        use: "conv", the weights reversed, or "dot".

    Returns:
        float64 [window_length].

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> (papilio.signal.scipy.savgol_coeffs(5, 2) * 35).round(9)
        array([-3., 12., 17., 12., -3.])
    """
    if use not in ("conv", "dot"):
        raise ValueError(f"savgol_coeffs: use must be 'conv' or 'dot', got {use!r}")
    weights = _filters.savgol_coefficients(window_length, polyorder, deriv, step=delta, position=pos)
    return weights[::-1].copy() if use == "conv" else weights


def savgol_filter(x: ArrayLike, window_length: int, polyorder: int, deriv: int = 0, delta: float = 1.0,
                  axis: int = -1, mode: str = "interp", cval: float = 0.0,
                  workers: int | None = None) -> Array:  # fmt: skip
    """scipy.signal.savgol_filter of odd windows.

    Parameters:
        x: real [..., samples, ...], or a Sound.
        window_length: samples, odd.
        polyorder: of the polynomial, below window_length.
        deriv: order of the derivative.
        delta: distance of samples.
        axis: of the samples.
        mode: what is beyond the ends, "interp", "mirror", "nearest", "wrap" or "constant".
        cval: the value beyond the ends of "constant".
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Array as x.

    Raises:
        ValueError, TypeError: for options out of their range, and fewer samples than the window.

    Example:
        >>> papilio.signal.scipy.savgol_filter([0.0, 1.0, 4.0, 9.0, 16.0], 5, 2, deriv=1).round(9)
        array([0., 2., 4., 6., 8.])
    """
    smooth = _filters.savgol_filter(last(x, axis), window_length, polyorder, deriv, step=delta, edges=mode,
                                    outside=cval, workers=workers)  # fmt: skip
    return np.moveaxis(smooth, -1, axis)


def hilbert(x: ArrayLike, N: int | None = None, axis: int = -1, workers: int | None = None) -> Array:
    """scipy.signal.hilbert: the analytic signal.

    Parameters:
        x: real [..., samples, ...], or a Sound.
        N: samples to take, with zeros behind the last; None: all.
        axis: of the samples.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Complex array with N samples along the axis.

    Raises:
        ValueError, TypeError: for no samples, and complex numbers.

    Example:
        >>> papilio.signal.scipy.hilbert([1.0, 0.0, -1.0, 0.0]).imag.round(9)
        array([ 0.,  1.,  0., -1.])
    """
    lines = last(as_array(x), axis)
    count = lines.shape[-1] if N is None else integer("hilbert", "N", N)
    if count < 1:
        raise ValueError(f"hilbert: N must be at least 1, got {count}")
    if count <= lines.shape[-1]:
        lines = lines[..., :count]
    else:
        lines = np.pad(lines, [(0, 0)] * (lines.ndim - 1) + [(0, count - lines.shape[-1])])
    return np.moveaxis(_papilio.analytic(lines, False, workers), -1, axis)


public(globals(), {
    "rate_hz": "fs", "order": "N", "edge_hz": "Wn", "upper_edge_hz": "Wn", "ripple_db": "rp",
    "attenuation_db": "rs", "taps": "numtaps", "sections": "sos", "state": "zi", "padding": "padtype",
    "window": "window_length", "degree": "polyorder", "derivative": "deriv", "step": "delta",
    "position": "pos", "edges": "mode",
})  # fmt: skip
