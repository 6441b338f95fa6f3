"""Short-time transforms, spectral densities, mel bands, features and convolutions.

Arrays have signals along their last axis: x is [..., samples], spectra are [..., segments, bins].
float32 stays float32, all else is computed in double. `papilio.signal.librosa` and
`papilio.signal.scipy` have the names, arguments and layouts of those libraries.
"""

from __future__ import annotations

import copyreg
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .. import _papilio
from .. import fft as _fft
from .._arrays import Array, NamedWindow, Reals, Window, as_array, last
from .._calls import integer, options_of, public
from .._papilio import MelFilterbank
from ._axes import Result, Spectra
from ._streams import (
    IstftStream,
    NoiseProfile,
    PooledSpectrogram,
    SpectralGate,
    StftStream,
    WelchStream,
    frequencies,
    segments,
)

__all__ = [
    "IstftPlan", "IstftStream", "MelFilterbank", "NoiseProfile", "PooledSpectrogram", "Spectra",
    "SpectralGate", "StftPlan", "StftStream", "WelchStream", "apply_mask", "coherent_gain", "complex_ratio_mask",
    "czt", "equivalent_noise_bandwidth", "fftconvolve", "find_peaks", "hz_to_mel", "istft",
    "mel_spectrogram", "mel_to_hz", "mfcc", "noise_profile", "oaconvolve", "periodogram",
    "ratio_mask", "scalloping_loss_db", "segment_rms", "segment_zero_crossing_rate",
    "spectral_bandwidth", "spectral_centroid", "spectral_flatness", "spectral_gate",
    "spectral_rms", "spectral_rolloff", "spectrogram", "stft", "to_decibel", "welch",
    "wiener_mask", "window", "window_sum",
]  # fmt: skip


def _again(plan: type, n_fft: int, hop: int | None, window: Window,
           options: dict[str, Any]) -> tuple[Any, ...]:  # fmt: skip
    """The call that makes such a plan anew, for pickle."""
    if not isinstance(window, (str, tuple)):
        window = np.array(window)
    return functools.partial(plan, **options), (n_fft, hop, window)


class StftPlan(_papilio.StftPlan):
    """A short-time Fourier transform whose tables are made once.

    n_fft: points of a transform. hop: samples from one segment to the next (n_fft / 4). window: a
    name ("hann", "kaiser:8.6"), scipy's ("kaiser", 8.6), or its weights; window_length: samples of
    it, centred in n_fft. center: segment s is centred on sample s hop, with `padding` ("zero",
    "reflect", "edge") beyond the ends. pad_end: zeros until the last sample is in a segment. sides:
    "one", "two". scaling: "none", "magnitude", "psd" (of `rate`), "orthonormal", "dbfs".
    """

    @options_of(segments)
    def __init__(self, n_fft: int = 2048, hop: int | None = None, window: Window = "hann",
                 **options: Any) -> None:  # fmt: skip
        super().__init__(segments(n_fft, hop, window, **options))
        self._another = _again(type(self), n_fft, hop, window, options)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._another


class IstftPlan(_papilio.IstftPlan):
    """The inverse of an StftPlan of the same options, by least squares."""

    @options_of(segments)
    def __init__(self, n_fft: int = 2048, hop: int | None = None, window: Window = "hann",
                 **options: Any) -> None:  # fmt: skip
        super().__init__(segments(n_fft, hop, window, **options))
        self._another = _again(type(self), n_fft, hop, window, options)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._another


# Methods of plans travel with their plan, to processes of a pool for example.
_method: Any = type(MelFilterbank(8000, 64, 4).apply)
copyreg.pickle(_method, lambda method: (getattr, (method.__self__, method.__name__)))


def _centres(plan: StftPlan, segments: int, rate: float, center: bool) -> Reals:
    """Times of the segments' middles."""
    return (np.arange(segments) * plan.hop + (0 if center else plan.n_fft / 2)) / rate


_UNITS = {"psd": ("amplitude / sqrt(Hz)", "power / Hz"),
          "dbfs": ("amplitude re full scale", "power re full scale")}  # fmt: skip


@options_of(segments)
def stft(x: ArrayLike, n_fft: int = 2048, hop: int | None = None, window: Window = "hann", *,
         result: str = "complex", axes: bool = False, workers: int | None = None,
         **options: Any) -> Result:  # fmt: skip
    """Segments' spectra [..., segments, bins] of x [..., samples]; options as of StftPlan.

    result: "complex", "magnitude" or "power".
    """
    plan = StftPlan(n_fft, hop, window, **options)
    values = plan.execute(x, result, workers)
    if not axes:
        return values
    rate, scaling = options.get("rate", 1.0), options.get("scaling", "none")
    unit = _UNITS.get(scaling, ("amplitude", "power"))[result == "power"]
    return Spectra(values, _centres(plan, values.shape[-2], rate, options.get("center", True)),
                   frequencies(n_fft, rate, options.get("sides", "one") == "one"), unit)  # fmt: skip


@options_of(segments)
def istft(spectra: ArrayLike, n_fft: int | None = None, hop: int | None = None,
          window: Window = "hann", *, length: int | None = None, workers: int | None = None,
          **options: Any) -> Array:  # fmt: skip
    """The signals [..., samples] of spectra [..., segments, bins]; n_fft: 2 (bins - 1)."""
    if n_fft is None:
        bins = last(spectra, -1).shape[-1]
        n_fft = bins if options.get("sides") == "two" else 2 * (bins - 1)
    return IstftPlan(n_fft, hop, window, **options).execute(spectra, length, workers)


@options_of(segments)
def spectrogram(x: ArrayLike, n_fft: int = 2048, hop: int | None = None, window: Window = "hann", *,
                axes: bool = False, workers: int | None = None, **options: Any) -> Result:  # fmt: skip
    """Powers [..., segments, bins]."""
    return stft(x, n_fft, hop, window, result="power", axes=axes, workers=workers, **options)


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


def welch(x: ArrayLike, rate: float = 1.0, window: NamedWindow = "hann", segment_length: int = 256,
          overlap: int | None = None, n_fft: int | None = None, detrend: str = "constant",
          one_sided: bool = True, scaling: str = "density", average: str = "mean",
          workers: int | None = None, axes: bool = False) -> Result:  # fmt: skip
    """Frequencies [bins] and power spectral densities [..., bins] by Welch's method."""
    n = segment_length if n_fft is None else n_fft
    density = _papilio.welch(x, rate, window, segment_length, overlap, n, detrend, one_sided,
                             scaling, average, workers)  # fmt: skip
    if axes:
        unit = "power / Hz" if scaling == "density" else "power"
        return Spectra(density, None, frequencies(n, rate, one_sided), unit)
    return frequencies(n, rate, one_sided), density


def periodogram(x: ArrayLike, rate: float = 1.0, window: NamedWindow = "rectangular",
                n_fft: int | None = None, detrend: str = "constant", one_sided: bool = True,
                scaling: str = "density", workers: int | None = None,
                axes: bool = False) -> Result:  # fmt: skip
    """welch with the whole signal as the only segment."""
    return welch(x, rate, window, last(x, -1).shape[-1], 0, n_fft, detrend, one_sided, scaling, "mean",
                 workers, axes)  # fmt: skip


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


@options_of(segments)
def mel_spectrogram(x: ArrayLike, rate: float | None = None, n_fft: int = 2048,
                    hop: int | None = None, window: Window = "hann", *, bands: int = 128,
                    scale: str = "slaney", norm: str | None = "slaney", fmin: float = 0.0,
                    fmax: float | None = None, axes: bool = False, workers: int | None = None,
                    **options: Any) -> Result:  # fmt: skip
    """Powers in mel bands, [..., segments, bands]."""
    if rate is None:
        raise TypeError("mel_spectrogram: rate must be given, unless x is a Sound")
    plan = StftPlan(n_fft, hop, window, rate=rate, **options)
    bank = MelFilterbank(rate, n_fft, bands, scale, norm, fmin, fmax)
    values = bank.apply(plan.execute(x, "power", workers), workers)
    if not axes:
        return values
    times = _centres(plan, values.shape[-2], rate, options.get("center", True))
    return Spectra(values, times, np.array(bank.edges_hz[1:-1]), "power")


@options_of(mel_spectrogram)
def mfcc(x: ArrayLike | None = None, rate: float | None = None, *, mel: ArrayLike | None = None,
         coefficients: int = 20, lifter: float = 0.0, reference: float | None = 1.0,
         floor: float | None = None, top_db: float | None = 80.0, axes: bool = False,
         workers: int | None = None, **options: Any) -> Result:  # fmt: skip
    """Mel-frequency cepstral coefficients [..., segments, coefficients].

    Of x, whose other options are those of mel_spectrogram, or of powers in mel bands `mel`.
    """
    if mel is None and x is None:
        raise TypeError("mfcc: x and rate, or mel, must be given")
    if mel is not None and (x is not None or rate is not None or axes or options):
        raise TypeError("mfcc: x, rate, axes and options of mel_spectrogram must not be given beside mel")
    bands = mel if x is None else mel_spectrogram(x, rate, axes=True, workers=workers, **options)
    powers = bands.values if isinstance(bands, Spectra) else bands
    values = _papilio.mfcc(powers, coefficients, lifter, reference, floor, top_db, workers)
    if not axes:
        return values
    numbers = np.arange(float(coefficients))
    return Spectra(values, bands.times, numbers, "dB", "Coefficient")


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

    Where w is given its rounding counts k^2 / 2 times in point k; papilio.signal.scipy.zoom_fft
    takes frequencies, without that loss.
    """
    spectrum = _papilio.czt(last(x, axis), m, w, a, workers)
    return np.moveaxis(spectrum, -1, axis)


public(globals(), {"rate_hz": "rate", "fmin_hz": "fmin", "fmax_hz": "fmax"})

from . import librosa, scipy  # noqa: E402
