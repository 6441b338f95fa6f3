"""Short-time transforms, spectral densities, mel bands, features and convolutions.

Arrays have signals along their last axis: x is [..., samples], spectra are [..., segments, bins].
float32 stays float32, all else is computed in double. A Sound is taken wherever samples are, with
its rate. `papilio.signal.librosa` and `papilio.signal.scipy` have the names, arguments and layouts
of those libraries.

Short-time transforms:  stft istft spectrogram  StftPlan IstftPlan  Spectra
Densities:              welch periodogram
Constant Q:             cqt vqt icqt  ConstantQPlan
Fundamental frequency:  yin pyin
Pitch classes:          chroma_stft chroma_cqt chroma_cens tonnetz estimate_tuning
Mel bands, levels:      mel_spectrogram mfcc MelFilterbank  hz_to_mel mel_to_hz  to_decibel
Features of spectra:    spectral_centroid spectral_bandwidth spectral_rolloff spectral_flatness
                        spectral_rms spectral_contrast find_peaks
Rows of features:       delta pcen
Onsets and beats:       onset_strength onset_detect tempogram tempo beat_track  Beats
Auditory bands:         AuditoryFilterbank  hz_to_erb_number erb_number_to_hz
Lapped transforms:      mdct imdct mdct_window
Features in time:       segment_rms segment_zero_crossing_rate
Noise, masks:           noise_profile spectral_gate  apply_mask wiener_mask ratio_mask
                        complex_ratio_mask
Convolutions, chirp z:  fftconvolve oaconvolve czt
Filters:                butter cheby1 cheby2 ellip bessel firwin  sosfilt sosfilt_zi sosfiltfilt
                        savgol_filter savgol_coefficients  hilbert hilbert_envelope
                        lowest_order
Loudness:               loudness momentary_loudness short_term_loudness true_peaks k_weighting
                        Loudness
Sound levels:           sound_levels octave_band_levels LevelMeter SoundLevels OctaveBandLevels
                        weighting_gain weighting_sections octave_bands octave_band_sections
                        OctaveBands
Two channels:           csd coherence transfer_function group_delay find_delay Delay
                        exponential_sweep inverse_sweep harmonic_lead impulse_response
                        ImpulseResponse
Windows:                window window_sum coherent_gain equivalent_noise_bandwidth
                        scalloping_loss_db
Block by block:         StftStream IstftStream WelchStream NoiseProfile SpectralGate
                        PooledSpectrogram DeltaStream PcenStream MdctStream ImdctStream
                        LoudnessMeter LevelMeter CrossSpectrumStream
"""

from __future__ import annotations

import copyreg
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .. import _papilio
from .. import fft as _fft
from .._arrays import ON_DEVICE, Array, NamedWindow, Reals, Window, as_array, last
from .._calls import as_in, public
from ._axes import Result, Spectra
from ._bands import (
    AuditoryFilterbank,
    DeltaStream,
    ImdctStream,
    MdctStream,
    PcenStream,
    delta,
    erb_number_to_hz,
    hz_to_erb_number,
    imdct,
    mdct,
    mdct_window,
    pcen,
    spectral_contrast,
)
from ._constant_q import (
    ConstantQPlan,
    chroma_cens,
    chroma_cqt,
    chroma_stft,
    cqt,
    estimate_tuning,
    icqt,
    tonnetz,
    vqt,
)
from ._filters import (
    bessel,
    butter,
    cheby1,
    cheby2,
    ellip,
    firwin,
    hilbert,
    hilbert_envelope,
    lowest_order,
    savgol_coefficients,
    savgol_filter,
    sosfilt,
    sosfilt_zi,
    sosfiltfilt,
)
from ._levels import (
    LevelMeter,
    OctaveBandLevels,
    OctaveBands,
    SoundLevels,
    octave_band_levels,
    octave_band_sections,
    octave_bands,
    sound_levels,
    weighting_gain,
    weighting_sections,
)
from ._loudness import (
    Loudness,
    LoudnessMeter,
    k_weighting,
    loudness,
    momentary_loudness,
    short_term_loudness,
    true_peaks,
)
from ._pitch import pyin, yin
from ._rhythm import Beats, beat_track, onset_detect, onset_strength, tempo, tempogram
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
from ._two_channel import (
    CrossSpectrumStream,
    Delay,
    ImpulseResponse,
    coherence,
    csd,
    exponential_sweep,
    find_delay,
    group_delay,
    harmonic_lead,
    impulse_response,
    inverse_sweep,
    transfer_function,
)

if TYPE_CHECKING:
    from ..device import Device

__all__ = [
    "AuditoryFilterbank", "Beats", "ConstantQPlan", "CrossSpectrumStream", "Delay", "DeltaStream",
    "ImdctStream", "ImpulseResponse", "IstftPlan", "IstftStream", "LevelMeter", "Loudness",
    "LoudnessMeter", "MdctStream", "MelFilterbank", "NoiseProfile", "OctaveBandLevels",
    "OctaveBands", "PcenStream", "PooledSpectrogram", "SoundLevels", "Spectra", "SpectralGate",
    "StftPlan", "StftStream", "WelchStream", "apply_mask", "beat_track", "bessel", "butter",
    "cheby1", "cheby2", "chroma_cens", "chroma_cqt", "chroma_stft", "coherence", "coherent_gain",
    "complex_ratio_mask", "cqt", "csd", "czt", "delta", "ellip", "equivalent_noise_bandwidth",
    "erb_number_to_hz", "estimate_tuning", "exponential_sweep", "fftconvolve", "find_delay",
    "find_peaks", "firwin", "group_delay", "harmonic_lead", "hilbert", "hilbert_envelope",
    "hz_to_erb_number", "hz_to_mel", "icqt", "imdct", "impulse_response", "inverse_sweep", "istft",
    "k_weighting", "loudness", "lowest_order", "mdct", "mdct_window", "mel_spectrogram",
    "mel_to_hz", "mfcc", "momentary_loudness", "noise_profile", "oaconvolve", "octave_band_levels",
    "octave_band_sections", "octave_bands", "onset_detect", "onset_strength", "pcen", "periodogram",
    "pyin", "ratio_mask", "savgol_coefficients", "savgol_filter", "scalloping_loss_db",
    "segment_rms", "segment_zero_crossing_rate", "short_term_loudness", "sosfilt", "sosfilt_zi",
    "sosfiltfilt", "sound_levels", "spectral_bandwidth", "spectral_centroid", "spectral_contrast",
    "spectral_flatness", "spectral_gate", "spectral_rms", "spectral_rolloff", "spectrogram", "stft",
    "tempo", "tempogram", "to_decibel", "tonnetz", "transfer_function", "true_peaks", "vqt",
    "weighting_gain", "weighting_sections", "welch", "wiener_mask", "window", "window_sum", "yin",
]  # fmt: skip


def _again(plan: type, n_fft: int, hop: int | None, window: Window,
           options: dict[str, Any]) -> tuple[Any, ...]:  # fmt: skip
    """The call that makes such a plan anew, for pickle."""
    if not isinstance(window, (str, tuple)):
        window = np.array(window)
    return functools.partial(plan, **options), (n_fft, hop, window)


@as_in(segments)
class StftPlan(_papilio.StftPlan):
    """A short-time Fourier transform whose tables are made once.

    Parameters:
        ...

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> plan = papilio.StftPlan(512, window=("kaiser", 8.6))
        >>> plan.execute(np.ones((2, 8000)), "power").shape
        (2, 63, 257)
    """

    def __init__(self, n_fft: int = 2048, hop: int | None = None, window: Window = "hann",
                 **options: Any) -> None:  # fmt: skip
        super().__init__(segments(n_fft, hop, window, **options))
        self._another = _again(type(self), n_fft, hop, window, options)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._another


@as_in(segments)
class IstftPlan(_papilio.IstftPlan):
    """The inverse of an StftPlan of the same options, by least squares.

    Parameters:
        ...

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> x = np.sin(np.arange(8000.0))
        >>> y = papilio.IstftPlan(512).execute(papilio.StftPlan(512).execute(x), length=8000)
        >>> bool(np.allclose(y, x))
        True
    """

    def __init__(self, n_fft: int = 2048, hop: int | None = None, window: Window = "hann",
                 **options: Any) -> None:  # fmt: skip
        super().__init__(segments(n_fft, hop, window, **options))
        self._another = _again(type(self), n_fft, hop, window, options)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._another


class MelFilterbank(_papilio.MelFilterbank):
    """Triangular bands that are even in mel.

    Parameters:
        rate: samples a second.
        n_fft: points of the transform.
        bands: how many.
        scale: "slaney" or "htk".
        norm: "slaney", bands of area 1, or None, of height 1.
        fmin, fmax: ends of the bands in Hz; fmax None: rate / 2.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> bank = papilio.MelFilterbank(44100, 1024, bands=40)
        >>> bank.apply(np.ones((7, 513))).shape
        (7, 40)
    """

    def __init__(self, rate: float, n_fft: int, bands: int = 128, scale: str = "slaney",
                 norm: str | None = "slaney", fmin: float = 0.0,
                 fmax: float | None = None) -> None:  # fmt: skip
        super().__init__(rate, n_fft, bands, scale, norm, fmin, fmax)


# Methods of plans travel with their plan, to processes of a pool for example.
_method: Any = type(MelFilterbank(8000, 64, 4).apply)
copyreg.pickle(_method, lambda method: (getattr, (method.__self__, method.__name__)))


def _centres(plan: StftPlan, segments: int, rate: float, center: bool) -> Reals:
    """Times of the segments' middles."""
    return (np.arange(segments) * plan.hop + (0 if center else plan.n_fft / 2)) / rate


_UNITS = {"psd": ("amplitude / sqrt(Hz)", "power / Hz"),
          "dbfs": ("amplitude re full scale", "power re full scale")}  # fmt: skip


@as_in(segments)
def stft(x: ArrayLike, n_fft: int = 2048, hop: int | None = None, window: Window = "hann", *,
         result: str = "complex", axes: bool = False, workers: int | None = None,
         on: Device | None = None, **options: Any) -> Result:  # fmt: skip
    """The short-time Fourier transform: spectra of segments.

    Parameters:
        x: real [..., samples], or a Sound, whose channels are a leading axis where there are several.
        result: "complex", "magnitude" or "power".
        on: a papilio.device.Device to run on, in float; None: the host.
        ...

    Returns:
        Array [..., segments, bins]; Spectra with axes=True.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> sound = papilio.read("song.flac")
        >>> papilio.signal.stft(sound, 1024, hop=256).shape
        (2, 1029, 513)
        >>> times, frequencies, spectra = papilio.signal.stft(sound[:1], 1024, axes=True)
        >>> float(frequencies[1])
        43.06640625
    """
    plan = StftPlan(n_fft, hop, window, **options)
    values = plan.execute(x, result, workers, on)
    if not axes:
        return values
    rate, scaling = options.get("rate", 1.0), options.get("scaling", "none")
    unit = _UNITS.get(scaling, ("amplitude", "power"))[result == "power"]
    return Spectra(values, _centres(plan, values.shape[-2], rate, options.get("center", True)),
                   frequencies(n_fft, rate, options.get("sides", "one") == "one"), unit)  # fmt: skip


@as_in(segments)
def istft(spectra: ArrayLike, n_fft: int | None = None, hop: int | None = None,
          window: Window = "hann", *, length: int | None = None, workers: int | None = None,
          on: Device | None = None, **options: Any) -> Array:  # fmt: skip
    """The signals of spectra, by least squares: the inverse of stft of the same options.

    Parameters:
        spectra: [..., segments, bins].
        n_fft: points of a transform; None: 2 (bins - 1).
        length: samples of the result; None: all that segments reach.
        on: a papilio.device.Device to run on, in float; None: the host.
        ...

    Returns:
        Real array [..., samples].

    Raises:
        ValueError: where samples are covered by no window.

    Example:
        >>> x = np.sin(np.arange(8000.0))
        >>> bool(np.allclose(papilio.signal.istft(papilio.signal.stft(x), length=8000), x))
        True
    """
    if n_fft is None:
        bins = np.shape(spectra if isinstance(spectra, ON_DEVICE) else last(spectra, -1))[-1]
        n_fft = bins if options.get("sides") == "two" else 2 * (bins - 1)
    return IstftPlan(n_fft, hop, window, **options).execute(spectra, length, workers, on=on)


@as_in(segments)
def spectrogram(x: ArrayLike, n_fft: int = 2048, hop: int | None = None, window: Window = "hann", *,
                axes: bool = False, workers: int | None = None, on: Device | None = None,
                **options: Any) -> Result:  # fmt: skip
    """Powers of the short-time Fourier transform.

    Parameters:
        x: real [..., samples], or a Sound.
        on: a papilio.device.Device to run on, in float; None: the host.
        ...

    Returns:
        Array [..., segments, bins]; Spectra with axes=True.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.spectrogram(papilio.read("song.flac"), axes=True).decibel()
        Spectra(float32 [2, 515, 1025], dB)
    """
    return stft(x, n_fft, hop, window, result="power", axes=axes, workers=workers, on=on, **options)


def apply_mask(spectra: ArrayLike, mask: ArrayLike, out: Array | None = None, *,
               workers: int | None = None) -> Array:  # fmt: skip
    """mask * spectra, of a mask that is repeated along axes that it lacks.

    Parameters:
        spectra: [..., segments, bins].
        mask: real or complex.
        out: array to write into, of complex numbers of the spectra's precision; it may be spectra.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Complex array in the shape of spectra.

    Raises:
        ValueError: where the shapes do not fit.

    Example:
        >>> papilio.signal.apply_mask(np.full((2, 3), 1 + 1j), [0, 0.5, 1])[0]
        array([0. +0.j , 0.5+0.5j, 1. +1.j ])
    """
    return _papilio.apply_mask(spectra, mask, out, workers)


def ratio_mask(signal_power: ArrayLike, noise_power: ArrayLike, exponent: float = 0.5,
               out: Array | None = None, *, workers: int | None = None) -> Array:  # fmt: skip
    """The mask (S / (S + N))^exponent of powers, 0 where both are 0.

    Parameters:
        signal_power: S, of any shape.
        noise_power: N, repeated along axes that it lacks.
        exponent: 0.5 makes amplitudes of the ratio of powers.
        out: array to write into.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Array in the shape of signal_power.

    Raises:
        ValueError: where the shapes do not fit.

    Example:
        >>> papilio.signal.ratio_mask([3.0, 0.0], [1.0, 0.0]).round(3)
        array([0.866, 0.   ])
    """
    return _papilio.ratio_mask(signal_power, noise_power, exponent, out, workers)


def wiener_mask(signal_power: ArrayLike, noise_power: ArrayLike, out: Array | None = None, *,
                workers: int | None = None) -> Array:  # fmt: skip
    """The mask S / (S + N) of powers, of least mean square error.

    Parameters:
        signal_power: S, of any shape.
        noise_power: N, repeated along axes that it lacks.
        out: array to write into.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Array in the shape of signal_power.

    Raises:
        ValueError: where the shapes do not fit.

    Example:
        >>> papilio.signal.wiener_mask([3.0, 0.0], 1.0)
        array([0.75, 0.  ])
    """
    return _papilio.wiener_mask(signal_power, noise_power, out, workers)


def complex_ratio_mask(target: ArrayLike, mixture: ArrayLike, out: Array | None = None, *,
                       workers: int | None = None) -> Array:  # fmt: skip
    """The mask that makes the target of the mixture; 0 where the mixture is 0.

    Parameters:
        target, mixture: spectra of one shape.
        out: array to write into.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Complex array in that shape.

    Raises:
        ValueError: where the shapes do not fit.

    Example:
        >>> papilio.signal.complex_ratio_mask([2j, 1], [1 + 0j, 0])
        array([0.+2.j, 0.+0.j])
    """
    return _papilio.complex_ratio_mask(target, mixture, out, workers)


def window(name: NamedWindow, n: int, symmetric: bool = False) -> Reals:
    """The weights of a window.

    Parameters:
        name: "hann" for example, "name:parameter" or (name, parameter).
        n: how many.
        symmetric: whether the last weight is the first one, or would be the next (periodic).

    Returns:
        float64 [n].

    Raises:
        ValueError: for a window that there is not, listing those that there are.

    Example:
        >>> papilio.signal.window("hann", 4)
        array([0. , 0.5, 1. , 0.5])
    """
    return _papilio.make_window(name, n, symmetric)


def window_sum(weights: ArrayLike) -> float:
    """The sum of a window's weights.

    Parameters:
        weights: [n].

    Returns:
        A float.

    Raises:
        ValueError, TypeError: for what is no array of one axis.

    Example:
        >>> papilio.signal.window_sum(papilio.signal.window("hann", 4))
        2.0
    """
    return _papilio.window_sum(weights)


def coherent_gain(weights: ArrayLike) -> float:
    """The gain of a tone at a bin's centre, relative to the rectangular window's.

    Parameters:
        weights: [n].

    Returns:
        A float, sum w / n.

    Raises:
        ValueError, TypeError: for what is no array of one axis.

    Example:
        >>> papilio.signal.coherent_gain(papilio.signal.window("hann", 64))
        0.5
    """
    return _papilio.coherent_gain(weights)


def equivalent_noise_bandwidth(weights: ArrayLike) -> float:
    """The bandwidth of a window for noise.

    Parameters:
        weights: [n].

    Returns:
        n sum w^2 / (sum w)^2, in bins.

    Raises:
        ValueError, TypeError: for what is no array of one axis.

    Example:
        >>> round(papilio.signal.equivalent_noise_bandwidth(papilio.signal.window("hann", 64)), 9)
        1.5
    """
    return _papilio.equivalent_noise_bandwidth(weights)


def scalloping_loss_db(weights: ArrayLike) -> float:
    """The loss of a tone half a bin from the nearest.

    Parameters:
        weights: [n].

    Returns:
        A float in dB.

    Raises:
        ValueError, TypeError: for what is no array of one axis.

    Example:
        >>> round(papilio.signal.scalloping_loss_db(papilio.signal.window("hann", 64)), 3)
        1.424
    """
    return _papilio.scalloping_loss_db(weights)


@as_in(WelchStream)
def welch(x: ArrayLike, rate: float = 1.0, window: NamedWindow = "hann", segment_length: int = 256,
          overlap: int | None = None, n_fft: int | None = None, detrend: str = "constant",
          one_sided: bool = True, scaling: str = "density", average: str = "mean",
          workers: int | None = None, axes: bool = False) -> Result:  # fmt: skip
    """Power spectral densities by Welch's method.

    Parameters:
        x: real [..., samples], or a Sound.
        rate: samples a second; that of a Sound where it is left out.
        workers: threads; None: those of papilio.fft.set_workers.
        axes: whether the result is Spectra.
        ...

    Returns:
        Frequencies in Hz [bins], and densities [..., bins] in powers per Hz; Spectra with axes=True.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> frequencies, density = papilio.signal.welch(papilio.read("song.flac"), segment_length=4096)
        >>> round(float(frequencies[density[0].argmax()]), 1)
        366.1
    """
    n = segment_length if n_fft is None else n_fft
    density = _papilio.welch(x, rate, window, segment_length, overlap, n, detrend, one_sided,
                             scaling, average, workers)  # fmt: skip
    if axes:
        unit = "power / Hz" if scaling == "density" else "power"
        return Spectra(density, None, frequencies(n, rate, one_sided), unit)
    return frequencies(n, rate, one_sided), density


@as_in(welch)
def periodogram(x: ArrayLike, rate: float = 1.0, window: NamedWindow = "rectangular",
                n_fft: int | None = None, detrend: str = "constant", one_sided: bool = True,
                scaling: str = "density", workers: int | None = None,
                axes: bool = False) -> Result:  # fmt: skip
    """welch with the whole signal as the only segment.

    Parameters:
        x: real [..., samples], or a Sound.
        n_fft: points of the transform; None: the samples.
        ...

    Returns:
        Frequencies in Hz [bins], and densities [..., bins] in powers per Hz; Spectra with axes=True.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.periodogram(np.ones(8), detrend="none")[1]
        array([8., 0., 0., 0., 0.])
    """
    return welch(x, rate, window, last(x, -1).shape[-1], 0, n_fft, detrend, one_sided, scaling, "mean",
                 workers, axes)  # fmt: skip


def to_decibel(values: ArrayLike, of: str = "power", reference: float | None = 1.0,
               floor: float | None = None, top_db: float | None = 80.0) -> Array:  # fmt: skip
    """Levels in dB.

    Parameters:
        values: powers or amplitudes, of any shape.
        of: "power" or "amplitude".
        reference: value of 0 dB; None: the largest.
        floor: smallest value that counts; None: 1e-10 of powers, 1e-5 of amplitudes.
        top_db: lower levels than the highest less this are raised to it; None: none are.

    Returns:
        Array in the shape of values.

    Raises:
        ValueError, TypeError: for values that are no real numbers, or options out of their range.

    Example:
        >>> papilio.signal.to_decibel([1.0, 0.1, 0.0])
        array([  0., -10., -80.])
    """
    return _papilio.to_decibel(values, of, reference, floor, top_db)


def hz_to_mel(hz: ArrayLike, scale: str = "slaney") -> Array:
    """Frequencies in mel.

    Parameters:
        hz: of any shape.
        scale: "slaney" or "htk".

    Returns:
        float64 in that shape.

    Raises:
        ValueError, TypeError: for another scale, or what are no real numbers.

    Example:
        >>> papilio.signal.hz_to_mel([0, 500, 1000])
        array([ 0. ,  7.5, 15. ])
    """
    return _papilio.hz_to_mel(hz, scale)[()]


def mel_to_hz(mel: ArrayLike, scale: str = "slaney") -> Array:
    """Frequencies in Hz, the inverse of hz_to_mel.

    Parameters:
        mel: of any shape.
        scale: "slaney" or "htk".

    Returns:
        float64 in that shape.

    Raises:
        ValueError, TypeError: for another scale, or what are no real numbers.

    Example:
        >>> float(papilio.signal.mel_to_hz(15))
        1000.0
    """
    return _papilio.mel_to_hz(mel, scale)[()]


@as_in(segments)
def mel_spectrogram(x: ArrayLike, rate: float | None = None, n_fft: int = 2048,
                    hop: int | None = None, window: Window = "hann", *, bands: int = 128,
                    scale: str = "slaney", norm: str | None = "slaney", fmin: float = 0.0,
                    fmax: float | None = None, axes: bool = False, workers: int | None = None,
                    **options: Any) -> Result:  # fmt: skip
    """Powers in mel bands.

    Parameters:
        x: real [..., samples], or a Sound.
        rate: samples a second; that of a Sound where it is left out.
        bands: how many.
        scale: "slaney" or "htk".
        norm: "slaney", bands of area 1, or None, of height 1.
        fmin, fmax: ends of the bands in Hz; fmax None: rate / 2.
        ...

    Returns:
        Array [..., segments, bands]; Spectra with axes=True.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.mel_spectrogram(papilio.read("song.flac"), bands=64).shape
        (2, 515, 64)
    """
    if rate is None:
        raise TypeError("mel_spectrogram: rate must be given, unless x is a Sound")
    plan = StftPlan(n_fft, hop, window, rate=rate, **options)
    bank = MelFilterbank(rate, n_fft, bands, scale, norm, fmin, fmax)
    values = bank.apply(plan.execute(x, "power", workers), workers)
    if not axes:
        return values
    times = _centres(plan, values.shape[-2], rate, options.get("center", True))
    return Spectra(values, times, np.array(bank.edges_hz[1:-1]), "power")


@as_in(mel_spectrogram)
def mfcc(x: ArrayLike | None = None, rate: float | None = None, *, mel: ArrayLike | None = None,
         coefficients: int = 20, lifter: float = 0.0, reference: float | None = 1.0,
         floor: float | None = None, top_db: float | None = 80.0, axes: bool = False,
         workers: int | None = None, **options: Any) -> Result:  # fmt: skip
    """Mel-frequency cepstral coefficients, of signals or of powers in mel bands.

    Parameters:
        x: real [..., samples], or a Sound; its other options are those of mel_spectrogram.
        mel: powers [..., segments, bands] in the place of x.
        coefficients: how many.
        lifter: 0, or the length of the lifter that weights them.
        reference, floor, top_db: as in to_decibel, of the levels that are transformed.
        ...

    Returns:
        Array [..., segments, coefficients]; Spectra with axes=True.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.mfcc(papilio.read("song.flac"), coefficients=13).shape
        (2, 515, 13)
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
    """The centres of segments' magnitudes.

    Parameters:
        magnitude: [..., segments, bins].
        bin_hz: from one bin to the next, rate / n_fft.

    Returns:
        Array [..., segments] in Hz.

    Raises:
        ValueError, TypeError: for what are no real numbers of two axes, or options out of their range.

    Example:
        >>> papilio.signal.spectral_centroid([[0.0, 1.0, 1.0]], bin_hz=100)
        array([150.])
    """
    return _papilio.spectral_centroid(magnitude, bin_hz)


def spectral_bandwidth(magnitude: ArrayLike, bin_hz: float, p: float = 2.0) -> Array:
    """The bandwidths of segments' magnitudes about their centroid.

    Parameters:
        magnitude: [..., segments, bins].
        bin_hz: from one bin to the next, rate / n_fft.
        p: order of the mean of distances.

    Returns:
        Array [..., segments] in Hz.

    Raises:
        ValueError, TypeError: for what are no real numbers of two axes, or options out of their range.

    Example:
        >>> papilio.signal.spectral_bandwidth([[0.0, 1.0, 1.0]], bin_hz=100)
        array([50.])
    """
    return _papilio.spectral_bandwidth(magnitude, bin_hz, p)


def spectral_rolloff(magnitude: ArrayLike, bin_hz: float, share: float = 0.85) -> Array:
    """Frequencies below which lies a share of the magnitudes.

    Parameters:
        magnitude: [..., segments, bins].
        bin_hz: from one bin to the next, rate / n_fft.
        share: of the sum of a segment's magnitudes.

    Returns:
        Array [..., segments] in Hz.

    Raises:
        ValueError, TypeError: for what are no real numbers of two axes, or options out of their range.

    Example:
        >>> papilio.signal.spectral_rolloff([[1.0, 1.0, 1.0, 1.0]], bin_hz=100, share=0.5)
        array([100.])
    """
    return _papilio.spectral_rolloff(magnitude, bin_hz, share)


def spectral_flatness(magnitude: ArrayLike, floor: float = 1e-10) -> Array:
    """Geometric over arithmetic mean of segments' powers: 1 of white noise, near 0 of a tone.

    Parameters:
        magnitude: [..., segments, bins].
        floor: smallest power that counts.

    Returns:
        Array [..., segments].

    Raises:
        ValueError, TypeError: for what are no real numbers of two axes, or options out of their range.

    Example:
        >>> papilio.signal.spectral_flatness([[2.0, 2.0, 2.0]])
        array([1.])
    """
    return _papilio.spectral_flatness(magnitude, floor)


def spectral_rms(magnitude: ArrayLike, n_fft: int) -> Array:
    """RMS of segments' windowed samples, from their magnitudes.

    Parameters:
        magnitude: [..., segments, n_fft/2 + 1].
        n_fft: points of the transform.

    Returns:
        Array [..., segments].

    Raises:
        ValueError, TypeError: where the bins do not fit n_fft.

    Example:
        >>> papilio.signal.spectral_rms(abs(np.fft.rfft(np.ones((1, 8)))), 8)
        array([1.])
    """
    return _papilio.spectral_rms(magnitude, n_fft)


def segment_rms(x: ArrayLike, length: int = 2048, hop: int = 512, center: bool = True, *,
                workers: int | None = None) -> Array:  # fmt: skip
    """RMS of segments of signals, with zeros beyond their ends.

    Parameters:
        x: real [..., samples], or a Sound.
        length: samples of a segment.
        hop: samples from one segment to the next.
        center: whether segment s is centred on sample s hop, or begins there.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Array [..., segments].

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.segment_rms(np.ones(8), length=4, hop=4, center=False)
        array([1., 1.])
    """
    return _papilio.segment_rms(x, length, hop, center, workers)


@as_in(segment_rms)
def segment_zero_crossing_rate(x: ArrayLike, length: int = 2048, hop: int = 512,
                               center: bool = True, threshold: float = 1e-10, *,
                               workers: int | None = None) -> Array:  # fmt: skip
    """Sign changes over samples of segments of signals.

    Parameters:
        x: real [..., samples], or a Sound.
        threshold: smaller samples count as 0.
        ...

    Returns:
        Array [..., segments].

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.segment_zero_crossing_rate([1.0, -1, 1, -1], length=4, hop=4, center=False)
        array([0.75])
    """
    return _papilio.segment_zero_crossing_rate(x, length, hop, center, threshold, workers)


def noise_profile(spectra: ArrayLike, quantile: float | None = None) -> Array:
    """The noise power of each bin of spectra.

    Parameters:
        spectra: [..., bins], of noise alone, or with a quantile of all.
        quantile: share of the segments in which noise is heard alone; None: the mean of all.

    Returns:
        Real array [bins].

    Raises:
        ValueError, TypeError: for a quantile that is not within 0 and 1.

    Example:
        >>> papilio.signal.noise_profile([[1.0, 2.0], [1.0, 2.0]])
        array([1., 4.])
    """
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
    """Spectra with the cells reduced that are not above the noise.

    Parameters:
        spectra: [..., segments, bins].
        noise_power: of each bin, [bins].
        threshold_db: level above the noise at which a cell opens.
        reduction_db: what the others are reduced by.
        smoothing_bins, smoothing_segments: half widths of the average of what is open.

    Returns:
        Array in the shape of spectra.

    Raises:
        ValueError, TypeError: where the bins do not fit, or for options out of their range.

    Example:
        >>> sound = papilio.read("song.flac")
        >>> spectra = papilio.signal.stft(sound)
        >>> noise = papilio.signal.noise_profile(spectra, quantile=0.2)
        >>> papilio.signal.spectral_gate(spectra, noise).shape
        (2, 515, 1025)
    """
    return _papilio.spectral_gate(spectra, noise_power, threshold_db, reduction_db, smoothing_bins,
                                  smoothing_segments)  # fmt: skip


def find_peaks(power: ArrayLike, rate: float, n_fft: int, window: NamedWindow = "hann",
               count: int = 5, separation_hz: float = 0.0,
               range_db: float = 120.0) -> list[tuple[float, float]]:  # fmt: skip
    """The strongest partials of a half spectrum.

    Parameters:
        power: [n_fft/2 + 1].
        rate: samples a second.
        n_fft: points of the transform.
        window: of the transform.
        count: partials at most.
        separation_hz: from one to the next at least.
        range_db: below the strongest at most.

    Returns:
        A list of (frequency in Hz, power), the strongest first.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> power = papilio.signal.spectrogram(np.sin(np.arange(512.0)), 512, center=False)[0]
        >>> [(frequency, _)] = papilio.signal.find_peaks(power, 2 * np.pi, 512, count=1)
        >>> round(frequency, 4)
        1.0
    """
    return _papilio.find_peaks(power, rate, n_fft, window, count, separation_hz, range_db)


def fftconvolve(x: ArrayLike, y: ArrayLike, mode: str = "full",
                axes: int | Sequence[int] | None = None, *,
                workers: int | None = None) -> Array:  # fmt: skip
    """The convolution of x and y by transforms, as scipy.signal.fftconvolve.

    Parameters:
        x, y: arrays of as many axes, 6 at most.
        mode: "full", "same" (as x) or "valid" (without zeros beyond the ends).
        axes: to convolve along; None: all.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Array of the sums, complex where x or y is.

    Raises:
        ValueError: where the shapes do not fit.

    Example:
        >>> papilio.signal.fftconvolve([1.0, 2.0], [1.0, 1.0]).round(12)
        array([1., 3., 2.])
    """
    along = None if axes is None else _fft._indices(axes, "axes")
    return _papilio.convolve(x, y, mode, along, False, workers)[()]


@as_in(fftconvolve)
def oaconvolve(x: ArrayLike, y: ArrayLike, mode: str = "full",
               axes: int | Sequence[int] | None = None, *,
               workers: int | None = None) -> Array:  # fmt: skip
    """fftconvolve of a long operand in blocks, by overlap-add, as scipy.signal.oaconvolve.

    Parameters:
        ...

    Returns:
        Array of the sums, complex where x or y is.

    Raises:
        ValueError: where the shapes do not fit.

    Example:
        >>> papilio.signal.oaconvolve(np.ones(1000), np.ones(3), mode="same").shape
        (1000,)
    """
    along = None if axes is None else _fft._indices(axes, "axes")
    return _papilio.convolve(x, y, mode, along, True, workers)[()]


def czt(x: ArrayLike, m: int | None = None, w: complex | None = None, a: complex = 1.0, *,
        axis: int = -1, workers: int | None = None) -> Array:  # fmt: skip
    """The chirp z-transform: the z-transform of x at the points a w^-k.

    Parameters:
        x: [..., samples, ...].
        m: points; None: the samples.
        w: ratio of points; None: exp(-2 pi i / m).
        a: first point.
        axis: of the samples.
        workers: threads; None: those of papilio.fft.set_workers.

    Returns:
        Complex array with m points along the axis.

    Raises:
        ValueError: for no samples or no points.

    Example:
        >>> x = np.arange(5.0)
        >>> bool(np.allclose(papilio.signal.czt(x), np.fft.fft(x)))
        True
    """
    spectrum = _papilio.czt(last(x, axis), m, w, a, workers)
    return np.moveaxis(spectrum, -1, axis)


public(globals(), {"rate_hz": "rate", "fmin_hz": "fmin", "fmax_hz": "fmax", "q": "quantile"})

from . import librosa, scipy  # noqa: E402
