"""Two channels: cross-spectra, coherence, transfer functions, delays, sweeps."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .. import _papilio
from .._arrays import Array, NamedWindow, Reals, as_array
from .._calls import as_in, integer, public
from ._streams import WelchStream, _in_double, frequencies

__all__ = [
    "CrossSpectrumStream", "Delay", "ImpulseResponse", "coherence", "csd", "exponential_sweep", "find_delay",
    "group_delay", "harmonic_lead", "impulse_response", "inverse_sweep", "transfer_function",
]  # fmt: skip

Estimator = Literal["h1", "h2", "hv"]


def together(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """Both with the same leading axes and elements; their samples may differ in number."""
    a, b = as_array(x), as_array(y)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError("papilio: x and y must have at least 1 axis, got 0")
    leading = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    kind = np.result_type(a, b)
    return (np.broadcast_to(a.astype(kind, copy=False), (*leading, a.shape[-1])),
            np.broadcast_to(b.astype(kind, copy=False), (*leading, b.shape[-1])))  # fmt: skip


def equally_long(function: str, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """Both with the same shape and elements; ValueError where their samples differ in number."""
    a, b = together(x, y)
    if a.shape != b.shape:
        raise ValueError(f"{function}: x and y must have equal lengths, got {a.shape[-1]} and {b.shape[-1]} samples")
    return a, b


@as_in(WelchStream)
def csd(x: ArrayLike, y: ArrayLike, rate: float = 1.0, window: NamedWindow = "hann",
        segment_length: int = 256, overlap: int | None = None, n_fft: int | None = None,
        detrend: str = "constant", one_sided: bool = True, scaling: str = "density",
        average: str = "mean", workers: int | None = None) -> tuple[Reals, Array]:  # fmt: skip
    """Cross-spectral densities, averages of conj(X) Y over segments, by Welch's method.

    Parameters:
        x, y: real [..., samples] with axes that broadcast, or Sounds; equally many samples.
        rate: samples a second; that of a Sound where it is left out.
        workers: threads; None: those of papilio.fft.set_workers.
        ...

    Returns:
        Frequencies in Hz [bins], and complex densities [..., bins]; a later y has falling phases.

    Raises:
        ValueError, TypeError: for different lengths, fewer samples than a segment, and options out of
            their range.

    Example:
        >>> x = np.random.default_rng(1).standard_normal(8000)
        >>> frequencies, density = papilio.signal.csd(x, np.roll(x, 3), 8000)
        >>> density.shape, density.dtype
        ((129,), dtype('complex128'))
    """
    n = segment_length if n_fft is None else n_fft
    a, b = equally_long("csd", x, y)
    density = _papilio.two_channel("csd", a, b, "csd", rate, window, segment_length, overlap, n, detrend,
                                   one_sided, scaling, average, workers)  # fmt: skip
    return frequencies(n, rate, one_sided), density


@as_in(csd)
def coherence(x: ArrayLike, y: ArrayLike, rate: float = 1.0, window: NamedWindow = "hann",
              segment_length: int = 256, overlap: int | None = None, n_fft: int | None = None,
              detrend: str = "constant", workers: int | None = None) -> tuple[Reals, Array]:  # fmt: skip
    """Magnitude-squared coherence: how much of the power of y follows linearly from x.

    One segment always has 1, and n segments of unrelated noise have 1 / n in the mean.

    Parameters:
        ...

    Returns:
        Frequencies in Hz [bins], and coherences [..., bins], 0 to 1; NaN where x or y has no power.

    Raises:
        ValueError, TypeError: as csd().

    Example:
        >>> x = np.random.default_rng(1).standard_normal(8000)
        >>> float(papilio.signal.coherence(x, 2 * x)[1].min().round(9))
        1.0
    """
    n = segment_length if n_fft is None else n_fft
    a, b = equally_long("coherence", x, y)
    values = _papilio.two_channel("coherence", a, b, "coherence", rate, window, segment_length, overlap, n,
                                  detrend, True, "density", "mean", workers)  # fmt: skip
    return frequencies(n, rate, True), values


@as_in(csd)
def transfer_function(x: ArrayLike, y: ArrayLike, rate: float = 1.0, window: NamedWindow = "hann",
                      segment_length: int = 256, overlap: int | None = None, n_fft: int | None = None,
                      detrend: str = "constant", estimator: Estimator = "h1",
                      workers: int | None = None) -> tuple[Reals, Array]:  # fmt: skip
    """Transfer function Y / X from averages over segments.

    Parameters:
        estimator: "h1", which noise in y does not bias, "h2", which noise in x does not bias, or
            "hv", their geometric mean.
        ...

    Returns:
        Frequencies in Hz [bins], and complex values [..., bins].

    Raises:
        ValueError, TypeError: as csd().

    Example:
        >>> x = np.random.default_rng(1).standard_normal(8000)
        >>> abs(papilio.signal.transfer_function(x, 2 * x)[1][5]).round(9)
        np.float64(2.0)
    """
    n = segment_length if n_fft is None else n_fft
    a, b = equally_long("transfer_function", x, y)
    if estimator not in ("h1", "h2", "hv"):
        raise ValueError(f"transfer_function: estimator must be h1, h2 or hv, got {estimator}")
    values = _papilio.two_channel("transfer_function", a, b, estimator, rate, window, segment_length,
                                  overlap, n, detrend, True, "density", "mean", workers)  # fmt: skip
    return frequencies(n, rate, True), values


def group_delay(response: ArrayLike, spacing: float) -> Reals:
    """Group delay of a transfer function, the negative slope of its unwrapped phase.

    Parameters:
        response: complex [..., bins], equally spaced.
        spacing: distance of bins in Hz; delays are told apart below 1 / (2 spacing) seconds.

    Returns:
        Seconds, float64 [..., bins].

    Raises:
        ValueError, TypeError: for a distance that is not positive.

    Example:
        >>> late = np.exp(-2j * np.pi * np.arange(5) * 10 * 0.003)
        >>> papilio.signal.group_delay(late, 10).round(9)
        array([0.003, 0.003, 0.003, 0.003, 0.003])
    """
    return _papilio.group_delay(response, spacing)


class Delay(NamedTuple):
    """Delay that find_delay finds: samples by which y is later than x, and the correlation there.

    A negative number of samples: y is earlier. A negative correlation: y has the other polarity.

    Example:
        >>> papilio.signal.Delay(3.0, 1.0).samples
        3.0
    """

    samples: Any
    correlation: Any


def find_delay(x: ArrayLike, y: ArrayLike, weighting: Literal["none", "phat"] = "none",
               max_delay: int | None = None, workers: int | None = None) -> Delay:  # fmt: skip
    """Delay of y in samples and fractions, where the cross-correlation is largest in magnitude.

    Parameters:
        x, y: real [..., samples] with axes that broadcast, or Sounds; equally many samples.
        weighting: "none", or "phat", which gives all frequencies one weight: a sharp peak under echoes.
        max_delay: samples of either sign that are searched; None: all there are (of more than 2^20
            samples those below 2^19).
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Delay of samples and correlation: floats, or float64 arrays [...].

    Raises:
        ValueError, TypeError: for different lengths, signals that are constant or not finite.

    Example:
        >>> x = np.random.default_rng(1).standard_normal(8000)
        >>> round(papilio.signal.find_delay(x[100:], x[:-100]).samples, 3)
        100.0
    """
    a, b = equally_long("find_delay", x, y)
    most = 0 if max_delay is None else integer("find_delay", "max_delay", max_delay, 1)
    samples, correlation = _papilio.find_delay(a, b, weighting, most, workers)
    return Delay(float(samples), float(correlation)) if a.ndim == 1 else Delay(samples, correlation)


def exponential_sweep(samples: int, rate: float = 48000.0, low: float = 20.0, high: float = 20000.0,
                      fade_in: int = 0, fade_out: int = 0) -> Reals:  # fmt: skip
    """Sine whose frequency rises exponentially, for measurements.

    Parameters:
        samples: how many, 2 ... 2^23.
        rate: samples a second.
        low: frequency at the first sample, Hz.
        high: frequency behind the last sample, Hz, at most half the rate.
        fade_in: samples of half a Hann window at the beginning.
        fade_out: samples of half a Hann window at the end.

    Returns:
        float64 [samples], -1 ... 1.

    Raises:
        ValueError, TypeError: for arguments out of their range.

    Example:
        >>> papilio.signal.exponential_sweep(4, 8, 1, 4).round(3)
        array([ 0.   ,  0.807,  0.768, -0.843])
    """
    given = (("samples", samples), ("fade_in", fade_in), ("fade_out", fade_out))
    count, first, last = (integer("exponential_sweep", name, value, 0) for name, value in given)
    return _papilio.exponential_sweep(count, rate, low, high, first, last, False)


@as_in(exponential_sweep)
def inverse_sweep(samples: int, rate: float = 48000.0, low: float = 20.0, high: float = 20000.0,
                  fade_in: int = 0, fade_out: int = 0) -> Reals:  # fmt: skip
    """Inverse filter of exponential_sweep: their convolution is an impulse at samples - 1.

    Parameters:
        ...

    Returns:
        float64 [samples].

    Raises:
        ValueError, TypeError: for arguments out of their range.

    Example:
        >>> sweep = papilio.signal.exponential_sweep(48000)
        >>> both = papilio.signal.fftconvolve(sweep, papilio.signal.inverse_sweep(48000))
        >>> int(both.argmax())
        47999
    """
    given = (("samples", samples), ("fade_in", fade_in), ("fade_out", fade_out))
    count, first, last = (integer("inverse_sweep", name, value, 0) for name, value in given)
    return _papilio.exponential_sweep(count, rate, low, high, first, last, True)


@as_in(exponential_sweep)
def harmonic_lead(order: int, samples: int, rate: float = 48000.0, low: float = 20.0,
                  high: float = 20000.0) -> float:  # fmt: skip
    """Samples by which a harmonic's response stands before the linear one, of a sweep's impulse response.

    Parameters:
        order: of the harmonic, from 1.
        ...

    Returns:
        Samples and fractions.

    Raises:
        ValueError, TypeError: for arguments out of their range.

    Example:
        >>> round(papilio.signal.harmonic_lead(2, 480000), 1)
        48164.8
    """
    return _papilio.harmonic_lead(integer("harmonic_lead", "order", order, 0),
                                  integer("harmonic_lead", "samples", samples, 0), rate, low, high)  # fmt: skip


class ImpulseResponse(NamedTuple):
    """Samples of an impulse response, float64 [recorded + excitation - 1], and the index of time 0.

    Before time 0, the origin, stand the harmonics of a sweep.

    Example:
        >>> papilio.signal.ImpulseResponse(np.ones(1), 0).origin
        0
    """

    samples: Reals
    origin: int


def impulse_response(recorded: ArrayLike, excitation: ArrayLike, regularization: float = 1e-6) -> ImpulseResponse:
    """Impulse response from an excitation and the recording of it, by division of spectra.

    Parameters:
        recorded: real [samples], finite; may be longer than the excitation.
        excitation: real [samples], finite, for example an exponential_sweep.
        regularization: part of the excitation's largest power below which a frequency counts less.

    Returns:
        ImpulseResponse of samples and origin.

    Raises:
        ValueError, TypeError: for empty or silent signals, and samples that are not finite.

    Example:
        >>> sweep = papilio.signal.exponential_sweep(24000)
        >>> response = papilio.signal.impulse_response(np.pad(0.5 * sweep, (40, 0)), sweep)
        >>> int(response.samples.argmax()) - response.origin
        40
    """
    return ImpulseResponse(*_papilio.impulse_response(as_array(recorded), as_array(excitation), regularization))


@as_in(WelchStream)
class CrossSpectrumStream:
    """csd, coherence and transfer_function of two signals that come in blocks.

    Parameters:
        ...

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> stream = papilio.signal.CrossSpectrumStream(8000)
        >>> for block in np.random.default_rng(1).standard_normal((4, 1000)):
        ...     stream.push(block, 2 * block)
        >>> stream.segments, abs(stream.transfer_function()[9]).round(9)
        (30, np.float64(2.0))
    """

    def __init__(self, rate: float = 1.0, window: NamedWindow = "hann", segment_length: int = 256,
                 overlap: int | None = None, n_fft: int | None = None, detrend: str = "constant",
                 one_sided: bool = True, scaling: str = "density", average: str = "mean",
                 dtype: DTypeLike = np.float64) -> None:  # fmt: skip
        n = segment_length if n_fft is None else n_fft
        self._stream: Any = _papilio.cross_spectrum_stream(rate, window, segment_length, overlap, n, detrend,
                                                           one_sided, scaling, average, _in_double(dtype))  # fmt: skip
        self.rate = rate
        self.frequencies = frequencies(n, rate, one_sided)

    def push(self, x: ArrayLike, y: ArrayLike) -> None:
        """Takes the next samples [samples] of both, equally many."""
        self._stream.push(x, y)

    def cross_spectrum(self) -> Array:
        """Cross-spectral densities [bins] of the segments so far; `frequencies` are theirs in Hz."""
        return self._stream.result("csd")

    def coherence(self) -> Array:
        """Coherences [bins] of the segments so far."""
        return self._stream.result("coherence")

    def transfer_function(self, estimator: Estimator = "h1") -> Array:
        """Transfer function [bins] of the segments so far."""
        return self._stream.result(estimator)

    def reset(self) -> None:
        """Begins anew."""
        self._stream.reset()

    @property
    def segments(self) -> int:
        """Segments so far."""
        return self._stream.segments


public(globals(), {"rate_hz": "rate", "low_hz": "low", "high_hz": "high", "bin_hz": "spacing"})
