"""Deltas, contrast, PCEN, auditory bands and the MDCT, of rows, of segments and of signals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .. import _papilio
from .._arrays import Array, Reals
from .._calls import as_in, public
from ._streams import _in_double

__all__ = [
    "AuditoryFilterbank", "DeltaStream", "ImdctStream", "MdctStream", "PcenStream", "delta",
    "erb_number_to_hz", "hz_to_erb_number", "imdct", "mdct", "mdct_window", "pcen",
    "spectral_contrast",
]  # fmt: skip


def delta(x: ArrayLike, width: int = 9, order: int = 1, edges: str = "interpolate", *,
          workers: int | None = None) -> Array:  # fmt: skip
    """Derivatives of features along segments, of the polynomials that fit `width` of them.

    Parameters:
        x: real [..., segments, features].
        width: segments of a window, odd, at least 3.
        order: 1 ... 8, of the derivative and of the polynomial.
        edges: "interpolate" (whole windows alone, of at least `width` segments), "nearest",
            "mirror", "zero" or "wrap".
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Array of the shape of x, per segment to the power of the order.

    Raises:
        ValueError, TypeError: for options out of their range, or fewer segments than `width`.

    Example:
        >>> papilio.signal.delta(np.arange(20.0)[:, None] * 3)[:2]
        array([[3.],
               [3.]])
    """
    return _papilio.delta(x, width, order, edges, workers)


def spectral_contrast(magnitude: ArrayLike, rate: float, n_fft: int, octaves: int = 6,
                      fmin: float = 200.0, quantile: float = 0.02, linear: bool = False, *,
                      reference: float | None = 1.0, floor: float | None = None,
                      top_db: float | None = 80.0, workers: int | None = None) -> Array:  # fmt: skip
    """Peaks over valleys of segments' magnitudes, in octaves.

    Parameters:
        magnitude: [..., segments, bins].
        rate: samples a second.
        n_fft: points of the transform.
        octaves: bands above fmin.
        fmin: upper edge of the lowest band in Hz.
        quantile: share of a band's bins that makes a peak, and a valley.
        linear: differences of magnitudes instead of levels.
        reference, floor, top_db: as in to_decibel, of the levels.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Array [..., segments, octaves + 1], in dB unless linear.

    Raises:
        ValueError, TypeError: for options out of their range, or a band without bins.

    Example:
        >>> s = papilio.signal.spectrogram(papilio.read("song.flac")) ** 0.5
        >>> papilio.signal.spectral_contrast(s, 44100, 2048).shape
        (2, 515, 7)
    """
    return _papilio.spectral_contrast(magnitude, rate, n_fft, octaves, fmin, quantile, linear, reference, floor,
                                      top_db, workers)  # fmt: skip


def pcen(bands: ArrayLike, rate: float, hop: int = 512, gain: float = 0.98, bias: float = 2.0,
         power: float = 0.5, time_constant: float = 0.4, floor: float = 1e-6, *,
         smoothing: float | None = None, largest_of: int = 1,
         workers: int | None = None) -> Array:  # fmt: skip
    """Per-channel energy normalization: gain control and compression of each band.

    Parameters:
        bands: magnitudes or powers [..., segments, bands], at least 0, of samples of 16 or 32 bits;
            those of samples within 1 are first multiplied by 2**31.
        rate: samples a second.
        hop: samples between segments.
        gain: exponent of the smoothed level, at least 0.
        bias, power: G becomes (G + bias)**power - bias**power; power 0: log(1 + G).
        time_constant: of smoothing, in seconds.
        floor: added to the smoothed level.
        smoothing: coefficient in the place of the time constant's.
        largest_of: bands whose largest is smoothed in the place of a band's.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Array of the shape of bands.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> mel = papilio.signal.mel_spectrogram(papilio.read("song.flac"), bands=40) * 2.0**31
        >>> papilio.signal.pcen(mel, 44100).shape
        (2, 515, 40)
    """
    return _papilio.pcen(bands, rate, hop, gain, bias, power, time_constant, floor, smoothing, largest_of, workers)


class AuditoryFilterbank(_papilio.AuditoryFilterbank):
    """Bands that are even in ERB number: gammatone filters, or triangles.

    Parameters:
        rate: samples a second.
        n_fft: points of the transform.
        bands: how many.
        shape: "gammatone", as scipy.signal.gammatone(f, "fir"), or "triangle".
        fmin, fmax: ends of the bands in Hz; fmax None: rate / 2.
        order: of gammatone filters, 1 ... 8.
        bandwidth: of gammatone filters, in ERB.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> bank = papilio.signal.AuditoryFilterbank(44100, 1024, bands=40)
        >>> bank.apply(np.ones((7, 513))).shape
        (7, 40)
    """

    def __init__(self, rate: float, n_fft: int, bands: int = 64, shape: str = "gammatone",
                 fmin: float = 50.0, fmax: float | None = None, order: int = 4,
                 bandwidth: float = 1.019) -> None:  # fmt: skip
        super().__init__(rate, n_fft, bands, shape, fmin, fmax, order, bandwidth)


def hz_to_erb_number(hz: ArrayLike) -> Array:
    """Numbers of equivalent rectangular bandwidths below frequencies.

    Parameters:
        hz: frequencies.

    Returns:
        Array of the shape of hz.

    Raises:
        TypeError: for what are no real numbers.

    Example:
        >>> round(float(papilio.signal.hz_to_erb_number(1000)), 3)
        15.572
    """
    return _papilio.hz_to_erb_number(hz)[()]


def erb_number_to_hz(number: ArrayLike) -> Array:
    """Frequencies in Hz, the inverse of hz_to_erb_number.

    Parameters:
        number: of equivalent rectangular bandwidths.

    Returns:
        Array of the shape of number.

    Raises:
        TypeError: for what are no real numbers.

    Example:
        >>> float(papilio.signal.erb_number_to_hz(0))
        0.0
    """
    return _papilio.erb_number_to_hz(number)[()]


def mdct(x: ArrayLike, n: int = 1024, window: str = "sine", *, alpha: float = 4.0,
         norm: str | None = "backward", workers: int | None = None) -> Array:  # fmt: skip
    """The modified discrete cosine transform of frames of 2n samples, n apart.

    Parameters:
        x: real [..., samples], or a Sound.
        n: coefficients of a frame, even.
        window: "sine", "kaiser_bessel_derived" or "vorbis".
        alpha: of kaiser_bessel_derived; AAC has 4, AC-3 5.
        norm: None or "backward", "ortho" or "forward".
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Array [..., frames, n], of which frame f begins at sample (f - 1) n.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> x = np.sin(np.arange(5000.0))
        >>> frames = papilio.signal.mdct(x, 256)
        >>> frames.shape, bool(np.allclose(papilio.signal.imdct(frames, length=5000), x))
        ((21, 256), True)
    """
    return _papilio.mdct(x, n, window, alpha, norm, workers)


@as_in(mdct)
def imdct(frames: ArrayLike, window: str = "sine", *, alpha: float = 4.0, norm: str | None = "backward",
          length: int | None = None, workers: int | None = None) -> Array:  # fmt: skip
    """Signals of the frames of mdct, which overlap and add.

    Parameters:
        frames: real [..., frames, n].
        length: samples of the result; None: (frames - 1) n.
        ...

    Returns:
        Array [..., samples].

    Raises:
        ValueError, TypeError: for options out of their range, or more samples than the frames hold.

    Example:
        >>> papilio.signal.imdct(np.zeros((21, 256)), length=5000).shape
        (5000,)
    """
    return _papilio.imdct(frames, window, alpha, norm, length, workers)


def mdct_window(name: str, n: int, alpha: float = 4.0) -> Reals:
    """The window of an MDCT: w[k]**2 + w[k + n]**2 is 1.

    Parameters:
        name: "sine", "kaiser_bessel_derived" or "vorbis".
        n: coefficients of a frame, even.
        alpha: of kaiser_bessel_derived.

    Returns:
        float64 array [2n].

    Raises:
        ValueError: for options out of their range.

    Example:
        >>> w = papilio.signal.mdct_window("vorbis", 128)
        >>> bool(np.allclose(w[:128] ** 2 + w[128:] ** 2, 1))
        True
    """
    return _papilio.mdct_window(name, n, alpha)


@as_in(delta)
class DeltaStream:
    """delta() of rows that come one after another, with the same bits.

    Parameters:
        features: of a row.
        edges: "interpolate", "nearest", "mirror" or "zero".
        dtype: float32 or float64, of what is computed.
        ...

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> stream = papilio.signal.DeltaStream(3)
        >>> len(stream.push(np.ones((20, 3)))), len(stream.finish())
        (16, 4)
    """

    def __init__(self, features: int, width: int = 9, order: int = 1, edges: str = "interpolate", *,
                 dtype: DTypeLike = np.float32) -> None:  # fmt: skip
        self._stream: Any = _papilio.delta_stream(features, width, order, edges, _in_double(dtype))

    def push(self, rows: ArrayLike) -> Array:
        """The new deltas of rows [rows, features], which lag by width // 2."""
        return self._stream.push(rows)

    def finish(self) -> Array:
        """The last deltas."""
        return self._stream.finish()

    def reset(self) -> None:
        """Begins anew."""
        self._stream.reset()


@as_in(pcen)
class PcenStream:
    """pcen() of segments that come one after another, with the same bits.

    Parameters:
        bands: of a segment.
        dtype: float32 or float64, of what is computed.
        ...

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> stream = papilio.signal.PcenStream(40, 44100)
        >>> stream.push(np.ones((7, 40))).shape
        (7, 40)
    """

    def __init__(self, bands: int, rate: float, hop: int = 512, gain: float = 0.98, bias: float = 2.0,
                 power: float = 0.5, time_constant: float = 0.4, floor: float = 1e-6, *,
                 smoothing: float | None = None, largest_of: int = 1,
                 dtype: DTypeLike = np.float32) -> None:  # fmt: skip
        self._stream: Any = _papilio.pcen_stream(bands, rate, hop, gain, bias, power, time_constant, floor,
                                                 smoothing, largest_of, _in_double(dtype))  # fmt: skip

    def push(self, bands: ArrayLike) -> Array:
        """The normalized segments of segments [segments, bands]."""
        return self._stream.push(bands)

    def reset(self) -> None:
        """Begins anew."""
        self._stream.reset()


@as_in(mdct)
class MdctStream:
    """mdct() of a signal that comes block by block, with the same bits.

    Parameters:
        dtype: float32 or float64, of what is computed.
        ...

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> stream, back = papilio.signal.MdctStream(256), papilio.signal.ImdctStream(256)
        >>> frames = np.concatenate([stream.push(np.ones(5000)), stream.finish()])
        >>> len(frames), len(back.push(frames))
        (21, 5120)
    """

    def __init__(self, n: int = 1024, window: str = "sine", *, alpha: float = 4.0,
                 norm: str | None = "backward", dtype: DTypeLike = np.float32) -> None:  # fmt: skip
        self._stream: Any = _papilio.mdct_stream(n, window, alpha, norm, _in_double(dtype))

    def push(self, samples: ArrayLike) -> Array:
        """The new frames [frames, n] of a block of samples."""
        return self._stream.push(samples)

    def finish(self) -> Array:
        """The last frames."""
        return self._stream.finish()

    def reset(self) -> None:
        """Begins anew."""
        self._stream.reset()


@as_in(mdct)
class ImdctStream:
    """imdct() of frames that come one after another, with the same bits.

    Parameters:
        dtype: float32 or float64, of what is computed.
        ...

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.ImdctStream(4).push(np.zeros((3, 4))).shape
        (8,)
    """

    def __init__(self, n: int = 1024, window: str = "sine", *, alpha: float = 4.0,
                 norm: str | None = "backward", dtype: DTypeLike = np.float32) -> None:  # fmt: skip
        self._stream: Any = _papilio.imdct_stream(n, window, alpha, norm, _in_double(dtype))

    def push(self, frames: ArrayLike) -> Array:
        """The n samples of each of the frames [frames, n], but of the first ever."""
        return self._stream.push(frames)

    def reset(self) -> None:
        """Begins anew."""
        self._stream.reset()


public(globals(), {
    "rate_hz": "rate", "fmin_hz": "fmin", "fmax_hz": "fmax", "coefficients": "n", "bandwidth_erb": "bandwidth",
    "time_constant_seconds": "time_constant", "rows": "x",
})  # fmt: skip
