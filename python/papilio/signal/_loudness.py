"""Loudness and true peaks of programmes: BS.1770, R 128."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from .. import _papilio
from .._arrays import Array, Reals, by_frame
from .._calls import as_in, integer, public

__all__ = [
    "Loudness", "LoudnessMeter", "k_weighting", "loudness", "momentary_loudness", "short_term_loudness", "true_peaks",
]  # fmt: skip


class Loudness(NamedTuple):
    """Loudness that loudness() finds: levels in LUFS, the range in LU, peaks in dBFS and dBTP.

    A level is None where the signal is too short for it, and -inf where it is silent.

    Example:
        >>> papilio.signal.loudness(np.zeros(48000), 48000).integrated
        -inf
    """

    integrated: float | None
    range: float | None
    highest_momentary: float | None
    highest_short_term: float | None
    sample_peak: float
    true_peak: float | None


def _rate(function: str, rate: float | None) -> float:
    if rate is None:
        raise TypeError(f"{function}: rate must be given, unless x is a Sound")
    return rate


def _weights(weights: Sequence[float] | None) -> list[float]:
    return [] if weights is None else [float(w) for w in weights]


def loudness(x: ArrayLike, rate: float | None = None, *, weights: Sequence[float] | None = None,
             true_peak: bool = True) -> Loudness:  # fmt: skip
    """Loudness of a signal: integrated, range, highest momentary and short-term one, peaks.

    Parameters:
        x: real [samples] or [channels, samples], or a Sound.
        rate: samples a second, 4000 ... 4e6; that of a Sound where it is left out.
        weights: of the channels, 1.41 for one at the side, 0 for LFE; None: those of the usual order
            of as many channels, up to 8.
        true_peak: whether true peaks are measured, the larger part of the time.

    Returns:
        Loudness.

    Raises:
        ValueError, TypeError: for options out of their range, and more than 8 channels without weights.

    Example:
        >>> tone = 10 ** (-23 / 20) * np.sin(2 * np.pi * 997 / 48000 * np.arange(480000))
        >>> found = papilio.signal.loudness([tone, tone], 48000)
        >>> round(found.integrated, 1), round(found.range, 1), round(found.true_peak, 1)
        (-23.0, 0.0, -23.0)
    """
    return Loudness(*_papilio.loudness(x, _rate("loudness", rate), _weights(weights), true_peak))


@as_in(loudness)
def momentary_loudness(x: ArrayLike, rate: float | None = None, *,
                       weights: Sequence[float] | None = None) -> Reals:  # fmt: skip
    """Momentary loudness of a signal: of 400 ms, each 100 ms.

    Parameters:
        ...

    Returns:
        float64 [steps - 3] in LUFS: number k is of the 400 ms from k / 10 s on. Empty below 400 ms.

    Raises:
        ValueError, TypeError: for options out of their range, and more than 8 channels without weights.

    Example:
        >>> papilio.signal.momentary_loudness(papilio.read("song.flac")).shape
        (56,)
    """
    return _papilio.loudness_curve(x, _rate("momentary_loudness", rate), _weights(weights), True)


@as_in(loudness)
def short_term_loudness(x: ArrayLike, rate: float | None = None, *,
                        weights: Sequence[float] | None = None) -> Reals:  # fmt: skip
    """Short-term loudness of a signal: of 3 s, each 100 ms.

    Parameters:
        ...

    Returns:
        float64 [steps - 29] in LUFS: number k is of the 3 s from k / 10 s on. Empty below 3 s.

    Raises:
        ValueError, TypeError: for options out of their range, and more than 8 channels without weights.

    Example:
        >>> papilio.signal.short_term_loudness(papilio.read("song.flac")).shape
        (30,)
    """
    return _papilio.loudness_curve(x, _rate("short_term_loudness", rate), _weights(weights), False)


@as_in(loudness)
def true_peaks(x: ArrayLike, rate: float | None = None) -> Reals:
    """Highest magnitude of each channel, between its samples too.

    Parameters:
        ...

    Returns:
        float64 [channels], 1 for full scale.

    Raises:
        ValueError, TypeError: for a rate out of its range.

    Example:
        >>> x = np.sin(np.pi / 2 * np.arange(4800) + np.pi / 4)
        >>> float(max(x).round(2)), papilio.signal.true_peaks(x, 48000).round(1)
        (0.71, array([1.]))
    """
    return _papilio.true_peaks(x, _rate("true_peaks", rate))


def k_weighting(rate: float) -> Reals:
    """The K weighting of BS.1770 as second-order sections, for sosfilt().

    Parameters:
        rate: samples a second, 4000 ... 4e6.

    Returns:
        float64 [2, 6]: b0 b1 b2 1 a1 a2 of the shelf and of the high pass.

    Raises:
        ValueError: for a rate out of its range.

    Example:
        >>> papilio.signal.k_weighting(48000)[0, :3].round(4)
        array([ 1.5351, -2.6917,  1.1984])
    """
    return _papilio.k_weighting(rate)


@as_in(loudness)
class LoudnessMeter:
    """A meter of the loudness of a signal that comes in blocks of any size.

    Parameters:
        rate: samples a second, 4000 ... 4e6.
        channels: of the blocks.
        ...

    Raises:
        ValueError, TypeError: for options out of their range, and more than 8 channels without weights.

    Example:
        >>> meter = papilio.signal.LoudnessMeter(44100, 2)
        >>> for block in papilio.blocks("song.flac", 30000):
        ...     meter.push(block)
        >>> meter.finish()
        >>> meter.summary() == papilio.signal.loudness(papilio.read("song.flac"))
        True
    """

    def __init__(self, rate: float, channels: int = 1, *, weights: Sequence[float] | None = None,
                 true_peak: bool = True) -> None:  # fmt: skip
        integer("LoudnessMeter", "channels", channels, 1)
        self._meter: Any = _papilio.LoudnessMeter(rate, channels, _weights(weights), true_peak)
        self.rate = rate

    def push(self, block: ArrayLike) -> None:
        """Takes the next block [samples] or [samples, channels], or a Sound."""
        self._meter.push(by_frame(block))

    def finish(self) -> None:
        """Ends the signal, which true peaks between its last samples need."""
        self._meter.finish()

    def reset(self) -> None:
        """Begins anew."""
        self._meter.reset()

    def summary(self) -> Loudness:
        """Loudness of all so far."""
        return Loudness(*self._meter.summary())

    @property
    def channels(self) -> int:
        """Channels of a block."""
        return self._meter.channels

    @property
    def received(self) -> int:
        """Samples so far."""
        return self._meter.received

    @property
    def momentary(self) -> float | None:
        """Loudness of the last 400 ms in LUFS, as whole steps of 100 ms have it; None before the first."""
        return self._meter.momentary

    @property
    def short_term(self) -> float | None:
        """Loudness of the last 3 s, so."""
        return self._meter.short_term

    @property
    def integrated(self) -> float | None:
        """Integrated loudness of all so far in LUFS."""
        return self._meter.integrated

    @property
    def range(self) -> float | None:
        """Loudness range of all so far in LU."""
        return self._meter.range

    @property
    def sample_peaks(self) -> Array:
        """Highest magnitude of each channel's samples [channels]."""
        return self._meter.sample_peaks

    @property
    def true_peaks(self) -> Array:
        """Highest magnitude of each channel, between its samples too [channels]; [0] if not measured."""
        return self._meter.true_peaks


public(globals(), {"rate_hz": "rate", "loudness_meter": "loudness", "k_weighting": "loudness"})
