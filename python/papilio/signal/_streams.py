"""What takes signals, or segments, block by block. One call at a time: others wait."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .. import _papilio
from .. import fft as _fft
from .._arrays import Array, NamedWindow, Reals, Window, by_frame
from .._calls import as_in, integer, public


def segments(n_fft: int = 2048, hop: int | None = None, window: Window = "hann", *,
             window_length: int | None = None, center: bool = True, padding: str = "zero",
             pad_end: bool = False, sides: str = "one", scaling: str = "none",
             rate: float = 1.0) -> Any:  # fmt: skip
    """The options of short-time transforms, which all of them take.

    Parameters:
        n_fft: points of a transform.
        hop: samples from one segment to the next; None: n_fft / 4.
        window: a name ("hann", "kaiser:8.6"), scipy's form ("kaiser", 8.6), or n_fft weights.
        window_length: samples of the window, which is centred in n_fft; None: n_fft.
        center: whether segment s is centred on sample s hop, or begins there.
        padding: beyond the ends of centred segments, "zero", "reflect" or "edge".
        pad_end: whether zeros follow until the last sample is in a segment.
        sides: "one", n_fft/2 + 1 bins, or "two", n_fft.
        scaling: "none", "magnitude", "psd" (of `rate`), "orthonormal" or "dbfs".
        rate: samples a second; that of a Sound where it is left out.
        workers: threads; None: those of papilio.fft.set_workers.
        axes: whether times, frequencies and unit come with the values, as Spectra.
    """
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


@as_in(segments)
class StftStream:
    """An StftPlan over blocks of any size; a segment comes with the sample that completes it.

    Parameters:
        channels: of the blocks.
        dtype: float32 or float64, of what is computed.
        ...

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> stream = papilio.StftStream(2, n_fft=1024)
        >>> parts = [stream.push(block) for block in papilio.blocks("song.flac", 30000)]
        >>> sum(map(len, parts)) + len(stream.finish())
        1029
    """

    def __init__(self, channels: int = 1, dtype: DTypeLike = np.float32, n_fft: int = 2048,
                 hop: int | None = None, window: Window = "hann", **options: Any) -> None:  # fmt: skip
        made = segments(n_fft, hop, window, **options)
        self._stream: Any = _papilio.stft_stream(made, channels, _in_double(dtype))

    def push(self, block: ArrayLike) -> Array:
        """The new segments [segments, channels, bins] of a block [samples] or [samples, channels], or a Sound."""
        return self._stream.push(by_frame(block))

    def finish(self) -> Array:
        """The segments that reach beyond the end."""
        return self._stream.finish()

    def reset(self) -> None:
        """Begins anew."""
        self._stream.reset()

    @property
    def channels(self) -> int:
        """Channels of a block."""
        return self._stream.channels

    @property
    def segments(self) -> int:
        """Segments so far."""
        return self._stream.segments

    @property
    def received(self) -> int:
        """Samples so far."""
        return self._stream.received


@as_in(segments)
class IstftStream:
    """An IstftPlan over segments that come one after another.

    Parameters:
        channels: of the segments.
        dtype: float32 or float64, of what is computed.
        first: samples that are left out at the beginning.
        ...

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> back = papilio.IstftStream(n_fft=1024)
        >>> spectra = papilio.signal.stft(np.ones(5000, np.float32), 1024)[:, None]
        >>> len(back.push(spectra)), len(back.finish(5000))
        (4608, 392)
    """

    def __init__(self, channels: int = 1, dtype: DTypeLike = np.float32, n_fft: int = 2048,
                 hop: int | None = None, window: Window = "hann", *, first: int = 0,
                 **options: Any) -> None:  # fmt: skip
        made = segments(n_fft, hop, window, **options)
        self._stream: Any = _papilio.istft_stream(made, channels, first, _in_double(dtype))

    def push(self, spectra: ArrayLike) -> Array:
        """The samples [samples, channels] that are complete after more segments [segments, channels, bins]."""
        return self._stream.push(spectra)

    def finish(self, samples: int | None = None) -> Array:
        """The rest of a signal of `samples` samples; None: of all that segments reach."""
        return self._stream.finish(samples)

    def reset(self) -> None:
        """Begins anew."""
        self._stream.reset()

    @property
    def channels(self) -> int:
        """Channels of a segment."""
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
    """papilio.signal.welch of a signal that comes in blocks.

    Parameters:
        rate: samples a second.
        window: a name, "kaiser:8.6" or ("kaiser", 8.6).
        segment_length: samples of a segment.
        overlap: samples that a segment shares with the next; None: half of them.
        n_fft: points of a transform; None: segment_length.
        detrend: what is taken from a segment, "constant", "linear" or "none".
        one_sided: whether bins are those from 0 to half of the rate.
        scaling: "density" (powers per Hz) or "spectrum" (powers).
        average: "mean" or "median" of the segments.
        dtype: float32 or float64, of what is computed.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> stream = papilio.signal.WelchStream(8000)
        >>> for block in np.ones((4, 1000)):
        ...     stream.push(block)
        >>> stream.segments, stream.result().shape
        (30, (129,))
    """

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
        """Takes the next samples [samples]."""
        self._stream.push(samples)

    def result(self) -> Array:
        """Densities [bins] of the segments so far; `frequencies` are theirs in Hz."""
        return self._stream.result()

    def reset(self) -> None:
        """Begins anew."""
        self._stream.reset()

    @property
    def segments(self) -> int:
        """Segments so far."""
        return self._stream.segments


class NoiseProfile:
    """The noise power of each bin, of spectra that come in blocks.

    Parameters:
        bins: of the spectra.
        dtype: float32 or float64, of what is computed.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> profile = papilio.signal.NoiseProfile(257)
        >>> profile.add(papilio.signal.stft(np.ones(8000), 512))
        >>> profile.segments, profile.mean().shape
        (63, (257,))
    """

    def __init__(self, bins: int, dtype: DTypeLike = np.float32) -> None:
        self._profile: Any = _papilio.noise_profile(bins, _in_double(dtype))

    def add(self, spectra: ArrayLike) -> None:
        """Takes the next spectra [..., bins]."""
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
    """papilio.signal.spectral_gate of spectra that come in blocks.

    Parameters:
        noise_power: of each bin, [bins].
        threshold_db: level above the noise at which a cell opens.
        reduction_db: what the others are reduced by.
        smoothing_bins, smoothing_segments: half widths of the average of what is open.
        dtype: float32 or float64, of what is computed.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> gate = papilio.signal.SpectralGate(np.ones(257))
        >>> spectra = papilio.signal.stft(np.ones(8000, np.float32), 512)
        >>> len(gate.push(spectra)), len(gate.finish())
        (61, 2)
    """

    def __init__(self, noise_power: ArrayLike, threshold_db: float = 6.0,
                 reduction_db: float = 24.0, smoothing_bins: int = 3, smoothing_segments: int = 2,
                 dtype: DTypeLike = np.float32) -> None:  # fmt: skip
        self._gate: Any = _papilio.gate_stream(noise_power, threshold_db, reduction_db, smoothing_bins,
                                          smoothing_segments, _in_double(dtype))  # fmt: skip

    def push(self, spectra: ArrayLike) -> Array:
        """The segments that are done, `latency` behind, after more spectra [segments, bins]."""
        return self._gate.push(spectra)

    def finish(self) -> Array:
        """The segments that are left."""
        return self._gate.finish()

    @property
    def latency(self) -> int:
        """Segments that are held back."""
        return self._gate.latency


@as_in(segments)
class PooledSpectrogram:
    """A spectrogram at a picture's size, rows [frequencies] by columns [times], of blocks of sound.

    Every segment and bin falls into one cell. Levels are relative to a full-scale sine; channels are
    averaged.

    Parameters:
        samples: of the whole sound.
        channels: of the blocks.
        rows, columns: of the levels.
        pool: what a cell has of its segments and bins, "maximum" or "mean".
        frequency_axis: "log", "linear", "mel", "bark" or "notes"; None: rows are bins.
        fmin, fmax: ends of that axis in Hz.
        ...

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> sound = papilio.read("song.flac")
        >>> pooled = papilio.signal.PooledSpectrogram(len(sound), sound.rate, 2, rows=64, columns=100)
        >>> pooled.push(sound)
        >>> pooled.finish()
        >>> pooled.levels.shape
        (64, 100)
    """

    def __init__(self, samples: int, rate: float, channels: int = 1, *, rows: int = 1024,
                 columns: int = 2000, pool: str = "maximum", frequency_axis: str | None = None,
                 fmin: float | None = None, fmax: float | None = None, n_fft: int = 2048,
                 hop: int | None = None, window: NamedWindow = "hann", **options: Any) -> None:  # fmt: skip
        made = segments(n_fft, hop, window, **options)
        self._made = _papilio.PooledSpectrogram(made, samples, rate, channels, rows, columns,
                                                pool, frequency_axis, fmin, fmax)  # fmt: skip
        self.rate = rate

    def push(self, block: ArrayLike) -> None:
        """Takes the next samples, [samples] or [samples, channels], or a Sound."""
        self._made.push(by_frame(block))

    def finish(self) -> None:
        """Ends the sound, after all of its samples."""
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
