"""Sound levels: frequency weightings, octave bands, meters."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _papilio
from .._arrays import Array, Reals, by_frame
from .._calls import as_in, integer, public

__all__ = [
    "LevelMeter", "OctaveBandLevels", "OctaveBands", "SoundLevels", "octave_band_levels", "octave_band_sections",
    "octave_bands", "sound_levels", "weighting_gain", "weighting_sections",
]  # fmt: skip

Weighting = Literal["A", "C", "Z"]
Time = Literal["fast", "slow"]


class SoundLevels(NamedTuple):
    """Levels that sound_levels finds, in dB: each an array of the leading axes of x.

    leq is the level of the mean square, maximum and minimum are of the time-weighted level, exposure
    is leq over the duration beside one second, peak is of the largest weighted sample, and l10, l50,
    l90 are exceeded in 10, 50 and 90 % of the time. Digital silence is -inf. NaN is what does not
    exist: minimum and l10, l50, l90 of signals no longer than five time constants, and all levels
    of lines with NaN.

    Example:
        >>> t = np.arange(96000) / 48000
        >>> levels = papilio.signal.sound_levels(np.sin(2 * np.pi * 1000 * t), 48000, full_scale=94)
        >>> float(levels.leq.round(1)), float(levels.maximum.round(1)), float(levels.l90.round(0))
        (94.0, 94.0, 94.0)
    """

    leq: Reals
    maximum: Reals
    minimum: Reals
    exposure: Reals
    peak: Reals
    l10: Reals
    l50: Reals
    l90: Reals


class OctaveBands(NamedTuple):
    """Bands that octave_bands finds, in Hz: names, middles and edges.

    Example:
        >>> papilio.signal.octave_bands(1, 63, 250).nominal
        array([ 63., 125., 250.])
    """

    nominal: Reals
    mid: Reals
    low: Reals
    high: Reals


class OctaveBandLevels(NamedTuple):
    """Levels that octave_band_levels finds, in dB, each [..., bands], of bands named `nominal` in Hz.

    Example:
        >>> levels = papilio.signal.octave_band_levels(np.ones(8000), 8000, 1, 125, 1000)
        >>> levels.nominal, levels.leq.shape
        (array([ 125.,  250.,  500., 1000.]), (4,))
    """

    nominal: Reals
    leq: Reals
    maximum: Reals
    minimum: Reals


def _metered(weighting: Weighting = "A", time: Time = "fast", peak_weighting: Weighting = "C",
             full_scale: float = 0.0) -> None:  # fmt: skip
    """Options of meters.

    Parameters:
        x: real [..., samples], or a Sound.
        rate: samples a second, 1000 ... 1e7; that of a Sound where it is left out.
        weighting: of frequencies, "A", "C" or "Z".
        time: weighting of "fast", 125 ms, or "slow", 1 s.
        peak_weighting: of frequencies, for the peak.
        full_scale: level in dB of a sine between -1 and 1; 0: levels are dBFS.
        fraction: of an octave: 1 / fraction, 1 ... 48.
        low, high: Hz, lowest and highest name of a band.
        workers: threads; None: those of papilio.fft.set_workers.
    """


@as_in(_metered)
def weighting_gain(frequencies: ArrayLike, weighting: Weighting = "A") -> Reals:
    """The gain of a frequency weighting in dB, by the analog poles of IEC 61672-1.

    Parameters:
        frequencies: Hz, at least 0.
        ...

    Returns:
        float64 array as frequencies.

    Raises:
        ValueError: for frequencies below 0 or not finite, and other weightings.

    Example:
        >>> papilio.signal.weighting_gain([31.5, 1000, 16000]).round(1)
        array([-39.5,   0. ,  -6.7])
    """
    return _papilio.weighting_gain(weighting, frequencies)


@as_in(_metered)
def weighting_sections(weighting: Weighting, rate: float) -> Reals:
    """A frequency weighting as second-order sections for sosfilt, within class 1 to half the rate.

    Parameters:
        rate: samples a second, 1000 ... 1e7.
        ...

    Returns:
        float64 [sections, 6], three of A, two of C, and one of Z, which does nothing.

    Raises:
        ValueError: for rates out of their range and other weightings.

    Example:
        >>> papilio.signal.weighting_sections("A", 48000).shape
        (3, 6)
    """
    return _papilio.weighting_sections(weighting, rate)


@as_in(_metered)
def octave_bands(fraction: int = 3, low: float = 20.0, high: float = 20000.0,
                 rate: float | None = None) -> OctaveBands:  # fmt: skip
    """The bands of IEC 61260-1, octaves or fractions of them, about 1 kHz times powers of 10^0.3.

    Parameters:
        rate: samples a second; bands that reach half of it are left out. None: none are.
        ...

    Returns:
        OctaveBands, ascending.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.signal.octave_bands(3, 1000, 2000).mid.round(1)
        array([1000. , 1258.9, 1584.9, 1995.3])
    """
    fraction = integer("octave_bands", "fraction", fraction, 0)
    found = _papilio.octave_bands(fraction, low, high, np.inf if rate is None else rate)
    return OctaveBands(*found.T.copy())


@as_in(_metered)
def octave_band_sections(mid: float, rate: float, fraction: int = 3) -> Reals:
    """The filter of a band as second-order sections for sosfilt, within class 1 to half the rate.

    Parameters:
        mid: middle of the band in Hz, as OctaveBands.mid has it.
        rate: samples a second.
        ...

    Returns:
        float64 [sections, 6] of a Butterworth filter: three, and more near half the rate.

    Raises:
        ValueError, TypeError: for options out of their range, and bands that reach half the rate.

    Example:
        >>> papilio.signal.octave_band_sections(1000, 48000).shape
        (3, 6)
    """
    half = 10 ** (0.15 / integer("octave_band_sections", "fraction", fraction, 1))
    return _papilio.octave_band_sections(mid, mid / half, mid * half, rate)


@as_in(_metered)
def sound_levels(x: ArrayLike, rate: float, weighting: Weighting = "A", time: Time = "fast", *,
                 peak_weighting: Weighting = "C", full_scale: float = 0.0,
                 workers: int | None = None) -> SoundLevels:  # fmt: skip
    """What a sound level meter shows of x: Leq, Lmax, Lmin, LE, Lpeak, L10, L50, L90.

    Parameters:
        ...

    Returns:
        SoundLevels, arrays of the leading axes.

    Raises:
        ValueError, TypeError: for options out of their range, and signals without samples.

    Example:
        >>> levels = papilio.signal.sound_levels(papilio.read("song.flac"), weighting="A")
        >>> levels.leq.round(1)
        array([-23.4, -23.4])
    """
    found = _papilio.sound_levels(x, rate, weighting, time, peak_weighting, full_scale, workers)
    return SoundLevels(*(np.asarray(found[..., i]) for i in range(8)))


@as_in(_metered)
def octave_band_levels(x: ArrayLike, rate: float, fraction: int = 3, low: float = 20.0, high: float = 20000.0, *,
                       weighting: Weighting = "Z", time: Time = "fast", full_scale: float = 0.0,
                       workers: int | None = None) -> OctaveBandLevels:  # fmt: skip
    """Levels of x in octave bands, of those whose upper edge is below half the rate.

    Parameters:
        ...

    Returns:
        OctaveBandLevels, arrays [..., bands].

    Raises:
        ValueError, TypeError: for options out of their range, signals without samples, and no bands.

    Example:
        >>> t = np.arange(48000) / 48000
        >>> x = np.sin(2 * np.pi * 1000 * t)
        >>> levels = papilio.signal.octave_band_levels(x, 48000, 1, 500, 2000)
        >>> levels.leq.round(1)
        array([-19.6,  -0. , -19.5])
    """
    fraction = integer("octave_band_levels", "fraction", fraction, 0)
    found: Array = _papilio.octave_band_levels(x, rate, fraction, low, high, weighting, time, full_scale, workers)
    return OctaveBandLevels(octave_bands(fraction, low, high, rate).nominal, *(found[..., i] for i in range(3)))


@as_in(_metered)
class LevelMeter:
    """sound_levels() of blocks of any size, with the same bits however a signal is cut.

    Parameters:
        rate: samples a second, 1000 ... 1e7.
        channels: of the blocks.
        ...

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> meter = papilio.signal.LevelMeter(44100, 2)
        >>> for block in papilio.blocks("song.flac", 30000):
        ...     meter.push(block)
        >>> meter.levels().leq.round(1)
        array([-23.4, -23.4])
    """

    def __init__(self, rate: float, channels: int = 1, weighting: Weighting = "A", time: Time = "fast", *,
                 peak_weighting: Weighting = "C", full_scale: float = 0.0) -> None:  # fmt: skip
        channels = integer("LevelMeter", "channels", channels, 0)
        self._meter: Any = _papilio.LevelMeter(channels, rate, weighting, time, peak_weighting, full_scale)

    def push(self, block: ArrayLike) -> None:
        """Takes a block [samples] or [samples, channels], or a Sound."""
        frames = np.asarray(by_frame(block))
        self._meter.push(frames[:, None] if frames.ndim == 1 else frames)

    def levels(self) -> SoundLevels:
        """The levels of all samples so far, each [channels]."""
        return SoundLevels(*self._meter.levels().T.copy())

    def now(self) -> Reals:
        """The time-weighted levels of the last samples, [channels]."""
        return self._meter.now()

    def reset(self) -> None:
        """Begins anew."""
        self._meter.reset()

    @property
    def channels(self) -> int:
        """Channels of a block."""
        return self._meter.channels

    @property
    def samples(self) -> int:
        """Samples so far."""
        return self._meter.samples


public(globals(), {
    "rate_hz": "rate", "low_hz": "low", "high_hz": "high", "full_scale_db": "full_scale", "hz": "frequencies",
    "mid_hz": "mid",
})  # fmt: skip
