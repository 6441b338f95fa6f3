"""What takes signals, or segments, block by block. One call at a time: others wait."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .. import _papilio
from .. import fft as _fft
from .._arrays import Array, NamedWindow, Reals, Window, by_frame
from .._calls import integer, options_of, public


def segments(n_fft: int = 2048, hop: int | None = None, window: Window = "hann", *,
             window_length: int | None = None, center: bool = True, padding: str = "zero",
             pad_end: bool = False, sides: str = "one", scaling: str = "none",
             rate: float = 1.0) -> Any:  # fmt: skip
    """The options of short-time transforms, which all of them take."""
    integer("segments", "n_fft", n_fft, 1)
    for name, value in (("hop", hop), ("window_length", window_length)):
        if value is not None:
            integer("segments", name, value, 1)
    return _papilio.Segments(n_fft, hop, window, window_length, center, padding, pad_end, sides,
                             scaling, rate)  # fmt: skip


def frequencies(n: int, rate: float, one_sided: bool) -> Reals:
    return np.asarray((_fft.rfftfreq if one_sided else _fft.fftfreq)(n, 1 / rate), np.float64)


def _in_double(dtype: DTypeLike) -> bool:
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64, got {np.dtype(dtype)}")
    return np.dtype(dtype) == np.float64


class StftStream:
    """An StftPlan over blocks of any size; a segment comes with the sample that completes it.

    push(block) takes [samples] or [samples, channels] and returns the new segments, [segments,
    channels, bins]; finish() returns those that reach beyond the end.
    """

    @options_of(segments)
    def __init__(self, channels: int = 1, dtype: DTypeLike = np.float32, n_fft: int = 2048,
                 hop: int | None = None, window: Window = "hann", **options: Any) -> None:  # fmt: skip
        made = segments(n_fft, hop, window, **options)
        self._stream: Any = _papilio.stft_stream(made, channels, _in_double(dtype))

    def push(self, block: ArrayLike) -> Array:
        return self._stream.push(by_frame(block))

    def finish(self) -> Array:
        return self._stream.finish()

    def reset(self) -> None:
        self._stream.reset()

    @property
    def channels(self) -> int:
        return self._stream.channels

    @property
    def segments(self) -> int:
        """Segments so far."""
        return self._stream.segments

    @property
    def received(self) -> int:
        """Samples so far."""
        return self._stream.received


class IstftStream:
    """An IstftPlan over segments that come one after another; samples before `first` are left out.

    push(spectra) takes [segments, channels, bins], as StftStream makes them, and returns the samples
    that are complete, [samples, channels]; finish(samples=None) returns the rest of a signal.
    """

    @options_of(segments)
    def __init__(self, channels: int = 1, dtype: DTypeLike = np.float32, n_fft: int = 2048,
                 hop: int | None = None, window: Window = "hann", *, first: int = 0,
                 **options: Any) -> None:  # fmt: skip
        made = segments(n_fft, hop, window, **options)
        self._stream: Any = _papilio.istft_stream(made, channels, first, _in_double(dtype))

    def push(self, spectra: ArrayLike) -> Array:
        return self._stream.push(spectra)

    def finish(self, samples: int | None = None) -> Array:
        return self._stream.finish(samples)

    def reset(self) -> None:
        self._stream.reset()

    @property
    def channels(self) -> int:
        return self._stream.channels

    @property
    def segments(self) -> int:
        """Segments so far."""
        return self._stream.segments

    @property
    def position(self) -> int:
        """Samples so far."""
        return self._stream.position


class WelchStream:
    """welch of a signal that comes in blocks: push(samples), and result() of the segments so far."""

    def __init__(self, rate: float = 1.0, window: NamedWindow = "hann", segment_length: int = 256,
                 overlap: int | None = None, n_fft: int | None = None, detrend: str = "constant",
                 one_sided: bool = True, scaling: str = "density", average: str = "mean",
                 dtype: DTypeLike = np.float64) -> None:  # fmt: skip
        n = segment_length if n_fft is None else n_fft
        self._stream: Any = _papilio.welch_stream(rate, window, segment_length, overlap, n, detrend,
                                             one_sided, scaling, average, _in_double(dtype))  # fmt: skip
        self.rate = rate
        self.frequencies = frequencies(n, rate, one_sided)

    def push(self, samples: ArrayLike) -> None:
        self._stream.push(samples)

    def result(self) -> Array:
        return self._stream.result()

    def reset(self) -> None:
        self._stream.reset()

    @property
    def segments(self) -> int:
        """Segments so far."""
        return self._stream.segments


class NoiseProfile:
    """Noise power of each bin, of spectra that come in blocks: add(spectra [..., bins])."""

    def __init__(self, bins: int, dtype: DTypeLike = np.float32) -> None:
        self._profile: Any = _papilio.noise_profile(bins, _in_double(dtype))

    def add(self, spectra: ArrayLike) -> None:
        self._profile.add(spectra)

    def mean(self) -> Array:
        """Mean powers [bins]."""
        return self._profile.mean()

    def from_quantile(self, q: float = 0.2) -> Array:
        """Powers [bins] of noise that is heard alone in the share q of the segments."""
        return self._profile.from_quantile(q)

    @property
    def segments(self) -> int:
        """Segments so far."""
        return self._profile.segments


class SpectralGate:
    """spectral_gate of spectra that come in blocks.

    push(spectra [segments, bins]) returns the segments that are done, `latency` behind; finish()
    the rest.
    """

    def __init__(self, noise_power: ArrayLike, threshold_db: float = 6.0,
                 reduction_db: float = 24.0, smoothing_bins: int = 3, smoothing_segments: int = 2,
                 dtype: DTypeLike = np.float32) -> None:  # fmt: skip
        self._gate: Any = _papilio.gate_stream(noise_power, threshold_db, reduction_db, smoothing_bins,
                                          smoothing_segments, _in_double(dtype))  # fmt: skip

    def push(self, spectra: ArrayLike) -> Array:
        return self._gate.push(spectra)

    def finish(self) -> Array:
        return self._gate.finish()

    @property
    def latency(self) -> int:
        """Segments that are held back."""
        return self._gate.latency


class PooledSpectrogram:
    """A spectrogram at a picture's size, rows [frequencies] by columns [times], of blocks of sound.

    Every segment and bin falls into one cell, as the largest power or their mean (pool), relative
    to a full-scale sine; channels are averaged. push(block) takes [samples] or [samples, channels],
    `samples` of them altogether; then finish(). frequency_axis: "log", "linear", "mel",
    "bark" or "notes", from fmin to fmax; None: rows of bins.
    """

    @options_of(segments)
    def __init__(self, samples: int, rate: float, channels: int = 1, *, rows: int = 1024,
                 columns: int = 2000, pool: str = "maximum", frequency_axis: str | None = None,
                 fmin: float | None = None, fmax: float | None = None, n_fft: int = 2048,
                 hop: int | None = None, window: NamedWindow = "hann", **options: Any) -> None:  # fmt: skip
        made = segments(n_fft, hop, window, **options)
        self._made = _papilio.PooledSpectrogram(made, samples, rate, channels, rows, columns,
                                                pool, frequency_axis, fmin, fmax)  # fmt: skip
        self.rate = rate

    def push(self, block: ArrayLike) -> None:
        self._made.push(by_frame(block))

    def finish(self) -> None:
        self._made.finish()

    @property
    def levels(self) -> NDArray[np.float32] | Reals:
        """Powers [rows, columns], row 0 the lowest in frequency; complete after finish().

        float32, or float64 where they are too small or too large for that.
        """
        return self._made.levels

    @property
    def times(self) -> Reals:
        """Seconds [columns] of the segments' centres, or of the middle of what a column holds."""
        return self._made.times

    @property
    def mean_power(self) -> Reals:
        """Mean powers [bins], as find_peaks takes them; complete after finish()."""
        return self._made.mean_power


public(globals(), {"rate_hz": "rate"})
