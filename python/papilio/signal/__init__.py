"""Short-time transforms, spectral densities, mel bands and features.

Arrays have signals along their last axis: x is [..., samples], spectra are [..., segments, bins].
float32 stays float32, all else is computed in double. `papilio.signal.librosa` and
`papilio.signal.scipy` have the names, arguments and layouts of those libraries.
"""

import numpy as np

from .. import _papilio
from .. import fft as _fft
from .._papilio import MelFilterbank, to_decibel as _to_decibel

__all__ = [
    "IstftPlan", "IstftStream", "MelFilterbank", "StftPlan", "StftStream", "fftconvolve", "find_peaks", "istft",
    "mel_spectrogram", "mfcc", "noise_profile", "oaconvolve", "periodogram", "spectral_bandwidth",
    "spectral_centroid", "spectral_flatness", "spectral_gate", "spectral_rms", "spectral_rolloff",
    "spectrogram", "stft", "to_decibel", "welch", "window",
]  # fmt: skip


class StftPlan(_papilio.StftPlan):
    """A short-time Fourier transform whose tables are made once.

    n_fft: points of a transform. hop: samples from one segment to the next (n_fft / 4). window: a
    name ("hann", "kaiser:8.6"), scipy's ("kaiser", 8.6), or its weights; window_length: samples of
    it, centred in n_fft. center: segment s is centred on sample s hop, with `padding` ("zero",
    "reflect", "edge") beyond the ends. pad_end: zeros until the last sample is in a segment. sides:
    "one", "two". scaling: "none", "magnitude", "psd" (of `rate`), "orthonormal", "dbfs".
    """

    def __init__(self, n_fft=2048, hop=None, window="hann", **options):
        super().__init__(_papilio.Segments(n_fft, hop, window, **options))


class IstftPlan(_papilio.IstftPlan):
    """The inverse of an StftPlan of the same options, by least squares."""

    def __init__(self, n_fft=2048, hop=None, window="hann", **options):
        super().__init__(_papilio.Segments(n_fft, hop, window, **options))


def _in_double(dtype):
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64, got {np.dtype(dtype)}")
    return np.dtype(dtype) == np.float64


class StftStream:
    """An StftPlan over blocks of any size; a segment comes with the sample that completes it.

    push(block) takes [samples] or [samples, channels] and returns the new segments, [segments,
    channels, bins]; finish() returns those that reach beyond the end.
    """

    def __init__(self, channels=1, dtype=np.float32, n_fft=2048, hop=None, window="hann", **options):
        segments = _papilio.Segments(n_fft, hop, window, **options)
        self._stream = _papilio.stft_stream(segments, channels, _in_double(dtype))

    def push(self, block):
        return self._stream.push(block)

    def finish(self):
        return self._stream.finish()

    def reset(self):
        self._stream.reset()

    @property
    def channels(self):
        return self._stream.channels

    @property
    def segments(self):
        """Segments so far."""
        return self._stream.segments


class IstftStream:
    """An IstftPlan over segments that come one after another.

    push(spectra) takes [segments, channels, bins], as StftStream makes them, and returns the samples
    that are complete, [samples, channels]; finish(samples=None) returns the rest of a signal.
    """

    def __init__(self, channels=1, dtype=np.float32, n_fft=2048, hop=None, window="hann", **options):
        segments = _papilio.Segments(n_fft, hop, window, **options)
        self._stream = _papilio.istft_stream(segments, channels, _in_double(dtype))

    def push(self, spectra):
        return self._stream.push(spectra)

    def finish(self, samples=None):
        return self._stream.finish(samples)

    def reset(self):
        self._stream.reset()

    @property
    def position(self):
        """Samples so far."""
        return self._stream.position


def stft(x, n_fft=2048, hop=None, window="hann", *, result="complex", workers=None, **options):
    """Segments' spectra [..., segments, bins] of x [..., samples]; options as of StftPlan.

    result: "complex", "magnitude" or "power".
    """
    return StftPlan(n_fft, hop, window, **options).execute(x, result, workers)


def istft(spectra, n_fft=None, hop=None, window="hann", *, length=None, workers=None, **options):
    """The signals [..., samples] of spectra [..., segments, bins]; n_fft: 2 (bins - 1)."""
    if n_fft is None:
        bins = np.shape(spectra)[-1]
        n_fft = bins if options.get("sides") == "two" else 2 * (bins - 1)
    return IstftPlan(n_fft, hop, window, **options).execute(spectra, length, workers)


def spectrogram(x, n_fft=2048, hop=None, window="hann", *, workers=None, **options):
    """Powers [..., segments, bins]."""
    return stft(x, n_fft, hop, window, result="power", workers=workers, **options)


def window(name, n, symmetric=False):
    """The n weights of a window, by name, "name:parameter" or (name, parameter)."""
    return _papilio.make_window(name, n, symmetric)


def welch(x, rate=1.0, window="hann", segment_length=256, overlap=None, n_fft=None,
          detrend="constant", one_sided=True, scaling="density", average="mean",
          workers=None):  # fmt: skip
    """Frequencies [bins] and power spectral densities [..., bins] by Welch's method."""
    n = segment_length if n_fft is None else n_fft
    density = _papilio.welch(x, rate, window, segment_length, overlap, n, detrend, one_sided,
                             scaling, average, workers)  # fmt: skip
    return (_fft.rfftfreq if one_sided else _fft.fftfreq)(n, 1 / rate), density


def periodogram(x, rate=1.0, window="rectangular", n_fft=None, detrend="constant", one_sided=True,
                scaling="density", workers=None):  # fmt: skip
    """welch with the whole signal as the only segment."""
    return welch(x, rate, window, np.shape(x)[-1], 0, n_fft, detrend, one_sided, scaling, "mean",
                 workers)  # fmt: skip


def to_decibel(values, of="power", reference=1.0, floor=None, top_db=80.0):
    """Levels in dB of powers or amplitudes; reference None: the largest value."""
    return _to_decibel(values, of, reference, floor, top_db)


def mel_spectrogram(x, rate, n_fft=2048, hop=None, window="hann", *, bands=128, scale="slaney",
                    norm="slaney", fmin=0.0, fmax=None, workers=None, **options):  # fmt: skip
    """Powers in mel bands, [..., segments, bands]."""
    power = stft(x, n_fft, hop, window, result="power", workers=workers, **options)
    return MelFilterbank(rate, n_fft, bands, scale, norm, fmin, fmax).apply(power, workers)


def mfcc(x=None, rate=None, *, mel=None, coefficients=20, lifter=0.0, reference=1.0, floor=None,
         top_db=80.0, workers=None, **options):  # fmt: skip
    """Mel-frequency cepstral coefficients [..., segments, coefficients].

    Of x, whose other options are those of mel_spectrogram, or of powers in mel bands `mel`.
    """
    if mel is None:
        mel = mel_spectrogram(x, rate, workers=workers, **options)
    return _papilio.mfcc(mel, coefficients, lifter, reference, floor, top_db, workers)


def spectral_centroid(magnitude, bin_hz):
    """Centres in Hz of the segments' magnitudes [..., segments, bins]; bin k is at k bin_hz."""
    return _papilio.spectral_centroid(magnitude, bin_hz)


def spectral_bandwidth(magnitude, bin_hz, p=2.0):
    """Bandwidths in Hz about the centroid, of order p."""
    return _papilio.spectral_bandwidth(magnitude, bin_hz, p)


def spectral_rolloff(magnitude, bin_hz, share=0.85):
    """Frequencies below which lies that share of the magnitudes."""
    return _papilio.spectral_rolloff(magnitude, bin_hz, share)


def spectral_flatness(magnitude, floor=1e-10):
    """Geometric over arithmetic mean of the powers."""
    return _papilio.spectral_flatness(magnitude, floor)


def spectral_rms(magnitude, n_fft):
    """RMS of the segments' windowed samples."""
    return _papilio.spectral_rms(magnitude, n_fft)


def noise_profile(spectra, quantile=None):
    """Noise power of each bin of spectra [segments, bins]: their mean, or from a quantile."""
    return _papilio.noise_profile(spectra, quantile)


def spectral_gate(spectra, noise_power, threshold_db=6.0, reduction_db=24.0, smoothing_bins=3,
                  smoothing_segments=2):  # fmt: skip
    """Spectra [segments, bins] with the cells reduced that are not above the noise."""
    return _papilio.spectral_gate(spectra, noise_power, threshold_db, reduction_db, smoothing_bins,
                                  smoothing_segments)  # fmt: skip


def find_peaks(power, rate, n_fft, window="hann", count=5, separation_hz=0.0, range_db=120.0):
    """The strongest (frequency in Hz, power) of a half spectrum of n_fft/2 + 1 powers."""
    return _papilio.find_peaks(power, rate, n_fft, window, count, separation_hz, range_db)


def fftconvolve(x, y, mode="full", axes=None):
    """The convolution of x and y along `axes` (all), as scipy.signal.fftconvolve."""
    x, y = np.asarray(x), np.asarray(y)
    if x.ndim != y.ndim:
        raise ValueError(f"fftconvolve: operands must have as many axes, got {x.ndim} and {y.ndim}")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"fftconvolve: mode must be full, same or valid, got {mode}")
    if x.size == 0 or y.size == 0:
        return np.array([])
    axes = range(x.ndim) if axes is None else _fft._indices(axes, "axes")
    axes = sorted({a + x.ndim if a < 0 else a for a in axes})
    for a in range(x.ndim):
        if a not in axes and x.shape[a] != y.shape[a] and 1 not in (x.shape[a], y.shape[a]):
            raise ValueError(f"fftconvolve: extents {x.shape[a]} and {y.shape[a]} of axis {a}")
    if mode == "valid":
        longer = [x.shape[a] >= y.shape[a] for a in axes]
        if not all(longer):
            if any(longer) and any(x.shape[a] > y.shape[a] for a in axes):
                raise ValueError("fftconvolve: valid needs one operand at least as long everywhere")
            x, y = y, x
    full = [x.shape[a] + y.shape[a] - 1 for a in axes]
    real = not (np.iscomplexobj(x) or np.iscomplexobj(y))
    fast = [_fft.next_fast_len(n, real) for n in full]
    there, back = (_fft.rfftn, _fft.irfftn) if real else (_fft.fftn, _fft.ifftn)
    type = np.result_type(x, y, np.float32) if real else np.result_type(x, y, np.complex64)
    x, y = x.astype(type, copy=False), y.astype(type, copy=False)
    z = back(there(x, fast, axes) * there(y, fast, axes), fast, axes)
    keep = [slice(None)] * z.ndim
    for a, n in zip(axes, full):
        count = {"full": n, "same": x.shape[a], "valid": x.shape[a] - y.shape[a] + 1}[mode]
        first = (n - count) // 2
        keep[a] = slice(first, first + count)
    return z[tuple(keep)]


def oaconvolve(x, y, mode="full", axes=None):
    """fftconvolve under the name that scipy has for long signals with short filters."""
    return fftconvolve(x, y, mode, axes)


from . import librosa, scipy  # noqa: E402
