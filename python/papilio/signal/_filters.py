"""Filters: their design, second-order sections, smoothing, envelopes."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from .. import _papilio
from .._arrays import Array, NamedWindow, Reals, as_array
from .._calls import as_in, integer, public

__all__ = [
    "bessel", "butter", "cheby1", "cheby2", "ellip", "firwin", "hilbert", "hilbert_envelope", "lowest_order",
    "savgol_coefficients", "savgol_filter", "sosfilt", "sosfilt_zi", "sosfiltfilt",
]  # fmt: skip

Band = Literal["lowpass", "highpass", "bandpass", "bandstop"]


def edges_of(function: str, edges: ArrayLike, band: str) -> tuple[float, float]:
    """The lower and the upper edge, 0 where there is one."""
    given = np.atleast_1d(np.asarray(edges, dtype=np.float64))
    wanted = 2 if band in ("bandpass", "bandstop") else 1
    if given.shape != (wanted,):
        raise ValueError(f"{function}: edges must be {wanted} for a {band}, got {given.size}")
    return float(given[0]), float(given[1]) if wanted == 2 else 0.0


def _sections(family: str, order: int, edges: ArrayLike, rate: float, band: str, ripple: float = 1.0,
              attenuation: float = 40.0, norm: str = "phase") -> Reals:  # fmt: skip
    """The sections of a recursive filter.

    Parameters:
        order: of the prototype, 1 ... 64; bandpass and bandstop have twice as many poles.
        edges: one frequency in Hz, of bandpass and bandstop two.
        rate: samples a second.
        band: "lowpass", "highpass", "bandpass" or "bandstop".
        ripple: dB by which the gain varies where the filter passes, above 0.
        attenuation: dB by which the filter stops at least, above 0.
    """
    order = integer(family, "order", order, 0)
    low, high = edges_of(family, edges, band)
    return _papilio.iir_sections(family, order, band, low, high, rate, ripple, attenuation, norm)


@as_in(_sections)
def butter(order: int, edges: ArrayLike, rate: float, band: Band = "lowpass") -> Reals:
    """A Butterworth filter, the flattest, as second-order sections; an edge is at -3 dB.

    Parameters:
        ...

    Returns:
        float64 [sections, 6]: b0 b1 b2 1 a1 a2 of each, in scipy's order.

    Raises:
        ValueError, TypeError: for orders and edges out of their range, and unstable designs.

    Example:
        >>> papilio.signal.butter(2, 1000, 8000).round(4)
        array([[ 0.0976,  0.1953,  0.0976,  1.    , -0.9428,  0.3333]])
    """
    return _sections("butter", order, edges, rate, band)


@as_in(_sections)
def cheby1(order: int, ripple: float, edges: ArrayLike, rate: float, band: Band = "lowpass") -> Reals:
    """A Chebyshev filter with ripples where it passes; an edge is at -ripple dB.

    Parameters:
        ...

    Returns:
        float64 [sections, 6], as of butter().

    Raises:
        ValueError, TypeError: for options out of their range, and unstable designs.

    Example:
        >>> papilio.signal.cheby1(4, 0.5, 1000, 8000).shape
        (2, 6)
    """
    return _sections("cheby1", order, edges, rate, band, ripple=ripple)


@as_in(_sections)
def cheby2(order: int, attenuation: float, edges: ArrayLike, rate: float,
           band: Band = "lowpass") -> Reals:  # fmt: skip
    """A Chebyshev filter with ripples where it stops; an edge is at -attenuation dB.

    Parameters:
        ...

    Returns:
        float64 [sections, 6], as of butter().

    Raises:
        ValueError, TypeError: for options out of their range, and unstable designs.

    Example:
        >>> papilio.signal.cheby2(4, 60, [100, 1000], 8000, "bandpass").shape
        (4, 6)
    """
    return _sections("cheby2", order, edges, rate, band, attenuation=attenuation)


@as_in(_sections)
def ellip(order: int, ripple: float, attenuation: float, edges: ArrayLike, rate: float,
          band: Band = "lowpass") -> Reals:  # fmt: skip
    """An elliptic filter, the steepest, with ripples where it passes and stops; an edge is at -ripple dB.

    Parameters:
        ...

    Returns:
        float64 [sections, 6], as of butter().

    Raises:
        ValueError, TypeError: for options out of their range, and unstable designs.

    Example:
        >>> papilio.signal.ellip(5, 0.5, 60, 1000, 8000, "highpass").shape
        (3, 6)
    """
    return _sections("ellip", order, edges, rate, band, ripple, attenuation)


@as_in(_sections)
def bessel(order: int, edges: ArrayLike, rate: float, band: Band = "lowpass",
           norm: str = "phase") -> Reals:  # fmt: skip
    """A Bessel filter, whose group delay is nearly constant.

    Parameters:
        order: of the prototype, 1 ... 25; bandpass and bandstop have twice as many poles.
        norm: "phase" (asymptotes of a Butterworth filter), "delay" (a delay of 1 / edge in radians a
            second), or "magnitude" (an edge is at -3 dB; "mag" too).
        ...

    Returns:
        float64 [sections, 6], as of butter().

    Raises:
        ValueError, TypeError: for options out of their range, and unstable designs.

    Example:
        >>> papilio.signal.bessel(4, 1000, 8000, norm="magnitude").shape
        (2, 6)
    """
    return _sections("bessel", order, edges, rate, band, norm=norm)


def band_of(function: str, passed: Array, stopped: Array) -> Band:
    """The band that is meant by edges of what passes and what stops."""
    if passed.shape != stopped.shape or passed.ndim != 1 or passed.size not in (1, 2):
        raise ValueError(f"{function}: passed and stopped must be one edge each or two, got {passed.size} and "
                         f"{stopped.size}")  # fmt: skip
    if passed.size == 1:
        return "lowpass" if passed[0] < stopped[0] else "highpass"
    return "bandstop" if passed[0] < stopped[0] else "bandpass"


def lowest_order(family: str, passed: ArrayLike, stopped: ArrayLike, ripple: float, attenuation: float,
                 rate: float) -> tuple[int, Any]:  # fmt: skip
    """The lowest order, and the edges, with which a filter passes and stops what it has to.

    Parameters:
        family: "butter", "cheby1", "cheby2" or "ellip".
        passed: edges in Hz of what passes, one or two; below those of stopped for lowpass and bandstop.
        stopped: edges in Hz of what is stopped, as many.
        ripple: dB that are lost at most where it passes.
        attenuation: dB that are lost at least where it stops.
        rate: samples a second.

    Returns:
        The order, and one edge in Hz or two, for the function of the family.

    Raises:
        ValueError, TypeError: for edges that are not apart, levels out of their range, orders above 64.

    Example:
        >>> order, edges = papilio.signal.lowest_order("ellip", 1000, 1200, 0.5, 60, 8000)
        >>> order, round(edges)
        (7, 1000)
    """
    inner, outer = (np.atleast_1d(np.asarray(edges, dtype=np.float64)) for edges in (passed, stopped))
    band = band_of("lowest_order", inner, outer)
    upper = (float(inner[-1]), float(outer[-1])) if inner.size == 2 else (0.0, 0.0)
    order, low, high = _papilio.lowest_order(family, band, float(inner[0]), upper[0], float(outer[0]), upper[1],
                                             ripple, attenuation, rate)  # fmt: skip
    return order, (np.array([low, high]) if inner.size == 2 else low)


def firwin(taps: int, edges: ArrayLike, rate: float, band: Band = "lowpass", *,
           window: NamedWindow = "hamming", scale: bool = True) -> Reals:  # fmt: skip
    """Taps of a filter of linear phase, by a window; fftconvolve and oaconvolve filter by them.

    Parameters:
        taps: how many; odd for highpass and bandstop.
        edges: one frequency in Hz, of bandpass and bandstop two; the gain there is about a half.
        rate: samples a second.
        band: "lowpass", "highpass", "bandpass" or "bandstop".
        window: a name or (name, parameter).
        scale: whether the gain is 1 at the centre of the first band that passes.

    Returns:
        float64 [taps].

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.firwin(3, 1000, 8000).round(4)
        array([0.063 , 0.8741, 0.063 ])
    """
    low, high = edges_of("firwin", edges, band)
    return _papilio.firwin(integer("firwin", "taps", taps, 0), band, low, high, rate, window, scale)


def sosfilt_zi(sections: ArrayLike) -> Reals:
    """The states of sections whose input has always been 1, for sosfilt to begin with.

    Parameters:
        sections: [sections, 6], a0 of 1.

    Returns:
        float64 [sections, 2].

    Raises:
        ValueError: for sections that are none, and those with a pole at 0 Hz.

    Example:
        >>> sections = papilio.signal.butter(2, 1000, 8000)
        >>> first = papilio.signal.sosfilt_zi(sections)
        >>> papilio.signal.sosfilt(sections, np.ones(3), first)[0].round(12)
        array([1., 1., 1.])
    """
    return _papilio.sosfilt_zi(sections)


@overload
def sosfilt(sections: ArrayLike, x: ArrayLike, state: None = None) -> Array: ...
@overload
def sosfilt(sections: ArrayLike, x: ArrayLike, state: ArrayLike) -> tuple[Array, Reals]: ...
def sosfilt(sections: ArrayLike, x: ArrayLike, state: ArrayLike | None = None) -> Any:
    """x filtered by second-order sections, in double; float32 is rounded to at the end.

    Signals that come in blocks have the bits of whole ones: each call takes the last one's state.

    Parameters:
        sections: [sections, 6], a0 of 1.
        x: real [..., samples], or a Sound.
        state: to begin with, [sections, ..., 2], also without the axes between; None: of silence.

    Returns:
        Array as x, and with a state given also the state behind it.

    Raises:
        ValueError, TypeError: for sections that are none, and states of other shapes.

    Example:
        >>> sections = papilio.signal.butter(4, 80, 44100, "highpass")
        >>> papilio.signal.sosfilt(sections, papilio.read("song.flac")).shape
        (2, 263356)
    """
    if state is None:
        return _papilio.sosfilt(sections, x, None)[0]
    begin = np.asarray(state, dtype=np.float64)
    if begin.ndim == 2:
        leading = as_array(x).shape[:-1]
        begin = np.broadcast_to(begin.reshape(len(begin), *(1,) * len(leading), begin.shape[1]),
                                (len(begin), *leading, begin.shape[1]))  # fmt: skip
    return _papilio.sosfilt(sections, x, begin)


def sosfiltfilt(sections: ArrayLike, x: ArrayLike, *, padding: str = "odd", length: int | None = None,
                workers: int | None = None) -> Array:  # fmt: skip
    """x filtered forward and then backward: no phase shift, and the magnitude squared.

    Parameters:
        sections: [sections, 6], a0 of 1.
        x: real [..., samples], or a Sound.
        padding: by what x goes on at its ends, "odd", "even", "constant" or "none".
        length: samples of the padding; None: scipy's, about six times the sections.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Array as x.

    Raises:
        ValueError, TypeError: for sections that are none, and signals no longer than the padding.

    Example:
        >>> sections = papilio.signal.butter(4, 1000, 44100)
        >>> bool(np.allclose(papilio.signal.sosfiltfilt(sections, np.ones(100)), 1))
        True
    """
    if length is not None:
        length = integer("sosfiltfilt", "length", length, 0)
    return _papilio.sosfiltfilt(sections, x, padding, length, workers)


def savgol_coefficients(window: int, degree: int, derivative: int = 0, *, step: float = 1.0,
                        position: float | None = None) -> Reals:  # fmt: skip
    """Weights whose sum with a window of samples is the value of the polynomial fitted to them.

    Parameters:
        window: samples, 1 ... 65535; the middle of an even number is between two of them.
        degree: of the polynomial, below window.
        derivative: of the polynomial.
        step: distance of samples.
        position: where in the window, 0 ... window - 1; None: its middle.

    Returns:
        float64 [window], in the order of the samples.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> (papilio.signal.savgol_coefficients(5, 2) * 35).round(9)
        array([-3., 12., 17., 12., -3.])
    """
    function = "savgol_coefficients"
    return _papilio.savgol_weights(integer(function, "window", window, 0), integer(function, "degree", degree, 0),
                                   integer(function, "derivative", derivative, 0), step, position)  # fmt: skip


@as_in(savgol_coefficients)
def savgol_filter(x: ArrayLike, window: int, degree: int, derivative: int = 0, *, step: float = 1.0,
                  edges: str = "interpolate", outside: float = 0.0,
                  workers: int | None = None) -> Array:  # fmt: skip
    """x smoothed, or differentiated, by polynomials fitted to the window about each sample.

    Parameters:
        x: real [..., samples], or a Sound.
        edges: what is beyond the ends: "interpolate" (nothing: the outermost polynomials go on),
            "mirror", "nearest", "wrap", or "constant".
        outside: the value beyond the ends of "constant".
        workers: threads; None: those of papilio.fft.set_workers.
        ...

    Returns:
        Array as x.

    Raises:
        ValueError, TypeError: for options out of their range, and fewer samples than the window.

    Example:
        >>> papilio.signal.savgol_filter([0.0, 1.0, 4.0, 9.0, 16.0], 5, 2, 1).round(9)
        array([0., 2., 4., 6., 8.])
    """
    function = "savgol_filter"
    return _papilio.savgol_filter(x, integer(function, "window", window, 0), integer(function, "degree", degree, 0),
                                  integer(function, "derivative", derivative, 0), step, edges, outside,
                                  workers)  # fmt: skip


def hilbert(x: ArrayLike, *, workers: int | None = None) -> Array:
    """The analytic signal x + i H(x), which has no negative frequencies; its real part is x itself.

    Parameters:
        x: real [..., samples], or a Sound.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Complex array as x.

    Raises:
        TypeError: for complex numbers.

    Example:
        >>> papilio.signal.hilbert([1.0, 0.0, -1.0, 0.0]).round(9)
        array([ 1.+0.j,  0.+1.j, -1.+0.j,  0.-1.j])
    """
    return _papilio.analytic(x, False, workers)


@as_in(hilbert)
def hilbert_envelope(x: ArrayLike, *, workers: int | None = None) -> Array:
    """The envelope |x + i H(x)| of a narrow band.

    Parameters:
        ...

    Returns:
        Array as x.

    Raises:
        TypeError: for complex numbers.

    Example:
        >>> papilio.signal.hilbert_envelope([1.0, 0.0, -1.0, 0.0]).round(9)
        array([1., 1., 1., 1.])
    """
    return _papilio.analytic(x, True, workers)


public(globals(), {
    "edge_hz": "edges", "upper_edge_hz": "edges", "ripple_db": "ripple", "attenuation_db": "attenuation",
    "rate_hz": "rate",
})  # fmt: skip
