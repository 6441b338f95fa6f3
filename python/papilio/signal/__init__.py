"""Short-time transforms, spectral densities, mel bands, features and convolutions.

Arrays have signals along their last axis: x is [..., samples], spectra are [..., segments, bins].
float32 stays float32, all else is computed in double. `papilio.signal.librosa` and
`papilio.signal.scipy` have the names, arguments and layouts of those libraries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .. import _papilio
from .. import fft as _fft
from .._arrays import Array, NamedWindow, Reals, Window, as_array
from .._papilio import MelFilterbank

__all__ = [
    "IstftPlan", "IstftStream", "MelFilterbank", "NoiseProfile", "PooledSpectrogram", "SpectralGate",
    "StftPlan", "StftStream", "WelchStream", "apply_mask", "coherent_gain", "complex_ratio_mask",
    "czt", "equivalent_noise_bandwidth", "fftconvolve", "find_peaks", "hz_to_mel", "istft",
    "mel_spectrogram", "mel_to_hz", "mfcc", "noise_profile", "oaconvolve", "periodogram",
    "ratio_mask", "scalloping_loss_db", "segment_rms", "segment_zero_crossing_rate",
    "spectral_bandwidth", "spectral_centroid", "spectral_flatness", "spectral_gate",
    "spectral_rms", "spectral_rolloff", "spectrogram", "stft", "to_decibel", "welch",
    "wiener_mask", "window", "window_sum",
]  # fmt: skip


class StftPlan(_papilio.StftPlan):
    """A short-time Fourier transform whose tables are made once.

    n_fft: points of a transform. hop: samples from one segment to the next (n_fft / 4). window: a
    name ("hann", "kaiser:8.6"), scipy's ("kaiser", 8.6), or its weights; window_length: samples of
    it, centred in n_fft. center: segment s is centred on sample s hop, with `padding` ("zero",
    "reflect", "edge") beyond the ends. pad_end: zeros until the last sample is in a segment. sides:
    "one", "two". scaling: "none", "magnitude", "psd" (of `rate`), "orthonormal", "dbfs".
    """

    def __init__(self, n_fft: int = 2048, hop: int | None = None, window: Window = "hann",
                 **options: Any) -> None:  # fmt: skip
        super().__init__(_papilio.Segments(n_fft, hop, window, **options))


class IstftPlan(_papilio.IstftPlan):
    """The inverse of an StftPlan of the same options, by least squares."""

    def __init__(self, n_fft: int = 2048, hop: int | None = None, window: Window = "hann",
                 **options: Any) -> None:  # fmt: skip
        super().__init__(_papilio.Segments(n_fft, hop, window, **options))


def _in_double(dtype: DTypeLike) -> bool:
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64, got {np.dtype(dtype)}")
    return np.dtype(dtype) == np.float64


class StftStream:
    """An StftPlan over blocks of any size; a segment comes with the sample that completes it.

    push(block) takes [samples] or [samples, channels] and returns the new segments, [segments,
    channels, bins]; finish() returns those that reach beyond the end.
    """

    def __init__(self, channels: int = 1, dtype: DTypeLike = np.float32, n_fft: int = 2048,
                 hop: int | None = None, window: Window = "hann", **options: Any) -> None:  # fmt: skip
        segments = _papilio.Segments(n_fft, hop, window, **options)
        self._stream: Any = _papilio.stft_stream(segments, channels, _in_double(dtype))

    def push(self, block: ArrayLike) -> Array:
        return self._stream.push(block)

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

    def __init__(self, channels: int = 1, dtype: DTypeLike = np.float32, n_fft: int = 2048,
                 hop: int | None = None, window: Window = "hann", *, first: int = 0,
                 **options: Any) -> None:  # fmt: skip
        segments = _papilio.Segments(n_fft, hop, window, **options)
        self._stream: Any = _papilio.istft_stream(segments, channels, first, _in_double(dtype))

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


def stft(x: ArrayLike, n_fft: int = 2048, hop: int | None = None, window: Window = "hann", *,
         result: str = "complex", workers: int | None = None, **options: Any) -> Array:  # fmt: skip
    """Segments' spectra [..., segments, bins] of x [..., samples]; options as of StftPlan.

    result: "complex", "magnitude" or "power".
    """
    return StftPlan(n_fft, hop, window, **options).execute(x, result, workers)


def istft(spectra: ArrayLike, n_fft: int | None = None, hop: int | None = None,
          window: Window = "hann", *, length: int | None = None, workers: int | None = None,
          **options: Any) -> Array:  # fmt: skip
    """The signals [..., samples] of spectra [..., segments, bins]; n_fft: 2 (bins - 1)."""
    if n_fft is None:
        bins = as_array(spectra).shape[-1]
        n_fft = bins if options.get("sides") == "two" else 2 * (bins - 1)
    return IstftPlan(n_fft, hop, window, **options).execute(spectra, length, workers)


def spectrogram(x: ArrayLike, n_fft: int = 2048, hop: int | None = None, window: Window = "hann", *,
                workers: int | None = None, **options: Any) -> Array:  # fmt: skip
    """Powers [..., segments, bins]."""
    return stft(x, n_fft, hop, window, result="power", workers=workers, **options)


class PooledSpectrogram:
    """A spectrogram at a picture's size, rows [frequencies] by columns [times], of blocks of sound.

    Every segment and bin falls into one cell, as the largest power or their mean (pool), relative
    to a full-scale sine; channels are averaged. push(block) takes [samples] or [samples, channels],
    `samples` of them altogether; then finish(). frequency_axis: "log", "linear" or "mel", from fmin
    to fmax; None: rows of bins.
    """

    def __init__(self, samples: int, rate: float, channels: int = 1, *, rows: int = 1024,
                 columns: int = 2000, pool: str = "maximum", frequency_axis: str | None = None,
                 fmin: float | None = None, fmax: float | None = None, n_fft: int = 2048,
                 hop: int | None = None, window: NamedWindow = "hann", **options: Any) -> None:  # fmt: skip
        segments = _papilio.Segments(n_fft, hop, window, **options)
        self._made = _papilio.PooledSpectrogram(segments, samples, rate, channels, rows, columns,
                                                pool, frequency_axis, fmin, fmax)  # fmt: skip

    def push(self, block: ArrayLike) -> None:
        self._made.push(block)

    def finish(self) -> None:
        self._made.finish()

    @property
    def levels(self) -> NDArray[np.float32]:
        """Powers [rows, columns], row 0 the lowest in frequency; complete after finish()."""
        return self._made.levels

    @property
    def mean_power(self) -> Reals:
        """Mean powers [bins], as find_peaks takes them; complete after finish()."""
        return self._made.mean_power


def apply_mask(spectra: ArrayLike, mask: ArrayLike, out: Array | None = None, *,
               workers: int | None = None) -> Array:  # fmt: skip
    """mask * spectra, of a real or complex mask, which is repeated along axes that it lacks.

    out: an array to write into, of complex numbers of the spectra's precision; it may be spectra.
    """
    return _papilio.apply_mask(spectra, mask, out, workers)


def ratio_mask(signal_power: ArrayLike, noise_power: ArrayLike, exponent: float = 0.5,
               out: Array | None = None, *, workers: int | None = None) -> Array:  # fmt: skip
    """The mask (S / (S + N))^exponent of powers, 0 where both are 0; out as of apply_mask."""
    return _papilio.ratio_mask(signal_power, noise_power, exponent, out, workers)


def wiener_mask(signal_power: ArrayLike, noise_power: ArrayLike, out: Array | None = None, *,
                workers: int | None = None) -> Array:  # fmt: skip
    """The mask S / (S + N) of powers, of least mean square error."""
    return _papilio.wiener_mask(signal_power, noise_power, out, workers)


def complex_ratio_mask(target: ArrayLike, mixture: ArrayLike, out: Array | None = None, *,
                       workers: int | None = None) -> Array:  # fmt: skip
    """The mask that makes the target of the mixture; 0 where the mixture is 0."""
    return _papilio.complex_ratio_mask(target, mixture, out, workers)


def window(name: NamedWindow, n: int, symmetric: bool = False) -> Reals:
    """The n weights of a window, by name, "name:parameter" or (name, parameter)."""
    return _papilio.make_window(name, n, symmetric)


def window_sum(weights: ArrayLike) -> float:
    """The sum of the weights."""
    return _papilio.window_sum(weights)


def coherent_gain(weights: ArrayLike) -> float:
    """The gain of a tone at a bin's centre, relative to the rectangular window's."""
    return _papilio.coherent_gain(weights)


def equivalent_noise_bandwidth(weights: ArrayLike) -> float:
    """The noise bandwidth n sum w^2 / (sum w)^2, in bins."""
    return _papilio.equivalent_noise_bandwidth(weights)


def scalloping_loss_db(weights: ArrayLike) -> float:
    """The loss in dB of a tone half a bin from the nearest."""
    return _papilio.scalloping_loss_db(weights)


def _frequencies(n: int, rate: float, one_sided: bool) -> Reals:
    return np.asarray((_fft.rfftfreq if one_sided else _fft.fftfreq)(n, 1 / rate), np.float64)


def welch(x: ArrayLike, rate: float = 1.0, window: NamedWindow = "hann", segment_length: int = 256,
          overlap: int | None = None, n_fft: int | None = None, detrend: str = "constant",
          one_sided: bool = True, scaling: str = "density", average: str = "mean",
          workers: int | None = None) -> tuple[Reals, Array]:  # fmt: skip
    """Frequencies [bins] and power spectral densities [..., bins] by Welch's method."""
    n = segment_length if n_fft is None else n_fft
    density = _papilio.welch(x, rate, window, segment_length, overlap, n, detrend, one_sided,
                             scaling, average, workers)  # fmt: skip
    return _frequencies(n, rate, one_sided), density


class WelchStream:
    """welch of a signal that comes in blocks: push(samples), and result() of the segments so far."""

    def __init__(self, rate: float = 1.0, window: NamedWindow = "hann", segment_length: int = 256,
                 overlap: int | None = None, n_fft: int | None = None, detrend: str = "constant",
                 one_sided: bool = True, scaling: str = "density", average: str = "mean",
                 dtype: DTypeLike = np.float64) -> None:  # fmt: skip
        n = segment_length if n_fft is None else n_fft
        self._stream: Any = _papilio.welch_stream(rate, window, segment_length, overlap, n, detrend,
                                             one_sided, scaling, average, _in_double(dtype))  # fmt: skip
        self.frequencies = _frequencies(n, rate, one_sided)

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


def periodogram(x: ArrayLike, rate: float = 1.0, window: NamedWindow = "rectangular",
                n_fft: int | None = None, detrend: str = "constant", one_sided: bool = True,
                scaling: str = "density", workers: int | None = None,
                ) -> tuple[Reals, Array]:  # fmt: skip
    """welch with the whole signal as the only segment."""
    return welch(x, rate, window, as_array(x).shape[-1], 0, n_fft, detrend, one_sided, scaling, "mean",
                 workers)  # fmt: skip


def to_decibel(values: ArrayLike, of: str = "power", reference: float | None = 1.0,
               floor: float | None = None, top_db: float | None = 80.0) -> Array:  # fmt: skip
    """Levels in dB of powers or amplitudes; reference None: the largest value."""
    return _papilio.to_decibel(values, of, reference, floor, top_db)


def hz_to_mel(hz: ArrayLike, scale: str = "slaney") -> Array:
    """Frequencies in mel, of Slaney's scale or "htk"."""
    return _papilio.hz_to_mel(hz, scale)[()]


def mel_to_hz(mel: ArrayLike, scale: str = "slaney") -> Array:
    """The inverse of hz_to_mel."""
    return _papilio.mel_to_hz(mel, scale)[()]


def mel_spectrogram(x: ArrayLike, rate: float, n_fft: int = 2048, hop: int | None = None,
                    window: Window = "hann", *, bands: int = 128, scale: str = "slaney",
                    norm: str | None = "slaney", fmin: float = 0.0, fmax: float | None = None,
                    workers: int | None = None, **options: Any) -> Array:  # fmt: skip
    """Powers in mel bands, [..., segments, bands]."""
    power = stft(x, n_fft, hop, window, result="power", workers=workers, **options)
    return MelFilterbank(rate, n_fft, bands, scale, norm, fmin, fmax).apply(power, workers)


def mfcc(x: ArrayLike | None = None, rate: float | None = None, *, mel: ArrayLike | None = None,
         coefficients: int = 20, lifter: float = 0.0, reference: float | None = 1.0,
         floor: float | None = None, top_db: float | None = 80.0, workers: int | None = None,
         **options: Any) -> Array:  # fmt: skip
    """Mel-frequency cepstral coefficients [..., segments, coefficients].

    Of x, whose other options are those of mel_spectrogram, or of powers in mel bands `mel`.
    """
    if mel is None:
        if x is None or rate is None:
            raise TypeError("mfcc: x and rate, or mel, must be given")
        mel = mel_spectrogram(x, rate, workers=workers, **options)
    elif x is not None or rate is not None or options:
        raise TypeError("mfcc: x, rate and options of mel_spectrogram must not be given beside mel")
    return _papilio.mfcc(mel, coefficients, lifter, reference, floor, top_db, workers)


def spectral_centroid(magnitude: ArrayLike, bin_hz: float) -> Array:
    """Centres in Hz of the segments' magnitudes [..., segments, bins]; bin k is at k bin_hz."""
    return _papilio.spectral_centroid(magnitude, bin_hz)


def spectral_bandwidth(magnitude: ArrayLike, bin_hz: float, p: float = 2.0) -> Array:
    """Bandwidths in Hz about the centroid, of order p."""
    return _papilio.spectral_bandwidth(magnitude, bin_hz, p)


def spectral_rolloff(magnitude: ArrayLike, bin_hz: float, share: float = 0.85) -> Array:
    """Frequencies below which lies that share of the magnitudes."""
    return _papilio.spectral_rolloff(magnitude, bin_hz, share)


def spectral_flatness(magnitude: ArrayLike, floor: float = 1e-10) -> Array:
    """Geometric over arithmetic mean of the powers."""
    return _papilio.spectral_flatness(magnitude, floor)


def spectral_rms(magnitude: ArrayLike, n_fft: int) -> Array:
    """RMS of the segments' windowed samples."""
    return _papilio.spectral_rms(magnitude, n_fft)


def segment_rms(x: ArrayLike, length: int = 2048, hop: int = 512, center: bool = True, *,
                workers: int | None = None) -> Array:  # fmt: skip
    """RMS of the segments of x [..., samples], with zeros beyond its ends: [..., segments]."""
    return _papilio.segment_rms(x, length, hop, center, workers)


def segment_zero_crossing_rate(x: ArrayLike, length: int = 2048, hop: int = 512,
                               center: bool = True, threshold: float = 1e-10, *,
                               workers: int | None = None) -> Array:  # fmt: skip
    """Sign changes over samples of each segment of x [..., samples]: [..., segments]."""
    return _papilio.segment_zero_crossing_rate(x, length, hop, center, threshold, workers)


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


def noise_profile(spectra: ArrayLike, quantile: float | None = None) -> Array:
    """Noise power of each bin of spectra [..., bins]: their mean, or from a quantile."""
    spectra = as_array(spectra)
    if spectra.ndim == 0:
        raise ValueError("noise_profile: spectra must have at least 1 axis, got 0")
    profile = NoiseProfile(spectra.shape[-1], _real(spectra.dtype))
    profile.add(spectra)
    return profile.mean() if quantile is None else profile.from_quantile(quantile)


def _real(dtype: np.dtype[Any]) -> DTypeLike:
    return np.float32 if dtype.newbyteorder("=") in (np.complex64, np.float32, np.float16) else np.float64


def spectral_gate(spectra: ArrayLike, noise_power: ArrayLike, threshold_db: float = 6.0,
                  reduction_db: float = 24.0, smoothing_bins: int = 3,
                  smoothing_segments: int = 2) -> Array:  # fmt: skip
    """Spectra [..., segments, bins] with the cells reduced that are not above the noise."""
    return _papilio.spectral_gate(spectra, noise_power, threshold_db, reduction_db, smoothing_bins,
                                  smoothing_segments)  # fmt: skip


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


def find_peaks(power: ArrayLike, rate: float, n_fft: int, window: NamedWindow = "hann",
               count: int = 5, separation_hz: float = 0.0,
               range_db: float = 120.0) -> list[tuple[float, float]]:  # fmt: skip
    """The strongest (frequency in Hz, power) of a half spectrum of n_fft/2 + 1 powers."""
    return _papilio.find_peaks(power, rate, n_fft, window, count, separation_hz, range_db)


def fftconvolve(x: ArrayLike, y: ArrayLike, mode: str = "full",
                axes: int | Sequence[int] | None = None, *,
                workers: int | None = None) -> Array:  # fmt: skip
    """The convolution of x and y along `axes` (all), at most 6, as scipy.signal.fftconvolve."""
    along = None if axes is None else _fft._indices(axes, "axes")
    return _papilio.convolve(x, y, mode, along, False, workers)[()]


def oaconvolve(x: ArrayLike, y: ArrayLike, mode: str = "full",
               axes: int | Sequence[int] | None = None, *,
               workers: int | None = None) -> Array:  # fmt: skip
    """fftconvolve of a long operand in blocks, by overlap-add, as scipy.signal.oaconvolve."""
    along = None if axes is None else _fft._indices(axes, "axes")
    return _papilio.convolve(x, y, mode, along, True, workers)[()]


def czt(x: ArrayLike, m: int | None = None, w: complex | None = None, a: complex = 1.0, *,
        axis: int = -1, workers: int | None = None) -> Array:  # fmt: skip
    """The chirp z-transform at the m points a w^-k, along an axis; by default the DFT.

    Where w is given its rounding counts k^2 / 2 times in point k.
    """
    spectrum = _papilio.czt(np.moveaxis(as_array(x), axis, -1), m, w, a, workers)
    return np.moveaxis(spectrum, -1, axis)


from . import librosa, scipy  # noqa: E402
