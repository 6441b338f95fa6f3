"""Onsets, tempo and beats."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _papilio
from .._arrays import Array, Reals
from .._calls import as_in, public

__all__ = ["Beats", "beat_track", "onset_detect", "onset_strength", "tempo", "tempogram"]


class Beats(NamedTuple):
    """Beats that beat_track finds: beats a minute, their times in seconds, and their segments.

    Example:
        >>> clicks = np.zeros(22050 * 8)
        >>> clicks[11025 :: 11025] = 1
        >>> bpm, times, segments = papilio.signal.beat_track(clicks, 22050)
        >>> round(bpm), times[:4].round(1)
        (120, array([0.5, 1. , 1.5, 2. ]))
    """

    bpm: float
    times: Reals
    segments: Array


def _strength(function: str, x: ArrayLike | None, rate: float | None, hop: int,
              strength: ArrayLike | None, aggregate: str = "mean",
              workers: int | None = None) -> tuple[ArrayLike, float]:  # fmt: skip
    """The strengths that are given, or those of x, and how many a second has.

    Parameters:
        x: real [..., samples], or a Sound, of which onset_strength is taken.
        rate: samples a second; that of a Sound where it is left out.
        hop: samples from one segment to the next.
        strength: [..., segments] in the place of x.
        start_bpm: centre of the prior in beats a minute.
        octaves: its standard deviation in octaves.
        window_seconds: of the tempogram.
        max_bpm: tempos must be below it; None: any.
        refine: whether lags and times lie between segments; librosa's are whole segments.
        workers: threads; None: those of papilio.fft.set_workers.
    """
    if rate is None:
        raise TypeError(f"{function}: rate must be given, unless x is a Sound")
    if hop < 1:
        raise ValueError(f"{function}: hop must be at least 1, got {hop}")
    if strength is None:
        if x is None:
            raise TypeError(f"{function}: x or strength must be given")
        strength = onset_strength(x, rate, hop=hop, aggregate=aggregate, workers=workers)
    return strength, rate / hop


@as_in(_strength)
def onset_strength(x: ArrayLike, rate: float | None = None, n_fft: int = 2048, hop: int = 512, *,
                   bands: int = 128, lag: int = 1, aggregate: str = "mean",
                   workers: int | None = None) -> Reals:  # fmt: skip
    """How much the levels of mel bands rise, in dB: high where something begins.

    Parameters:
        x: real [..., samples], or a Sound.
        n_fft: points of a segment.
        bands: mel bands, from 0 Hz to half the rate.
        lag: segments over which a rise is measured.
        aggregate: "mean" or "median" of the bands.
        ...

    Returns:
        float64 array [..., segments].

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> papilio.signal.onset_strength(papilio.read("song.flac")).shape
        (2, 515)
    """
    if rate is None:
        raise TypeError("onset_strength: rate must be given, unless x is a Sound")
    return _papilio.onset_strength(x, rate, n_fft, hop, bands, lag, aggregate, workers)


@as_in(_strength)
def onset_detect(x: ArrayLike | None = None, rate: float | None = None, hop: int = 512, *,
                 strength: ArrayLike | None = None, before_maximum: float = 0.03,
                 after_maximum: float = 0.0, before_mean: float = 0.1, after_mean: float = 0.1,
                 wait: float = 0.03, delta: float = 0.07, refine: bool = True,
                 units: str = "seconds") -> Array:  # fmt: skip
    """Onsets of one signal: peaks of the onset strength.

    Parameters:
        before_maximum, after_maximum: seconds of which a peak is the largest.
        before_mean, after_mean: seconds above whose mean it is.
        wait: least seconds behind the last peak.
        delta: by how much it is above the mean, of the span of the strengths.
        refine: whether seconds lie between segments; librosa's are those of segments.
        units: "seconds", or "segments", which are whole.
        ...

    Returns:
        Array of seconds or of segments, ascending.

    Raises:
        ValueError, TypeError: for options out of their range, and more than one signal.

    Example:
        >>> clicks = np.zeros(22050 * 4)
        >>> clicks[11025 :: 22050] = 1
        >>> papilio.signal.onset_detect(clicks, 22050).round(1)
        array([0.5, 1.5, 2.5, 3.5])
    """
    if units not in ("seconds", "segments"):
        raise ValueError(f"onset_detect: units must be seconds or segments, got {units}")
    of, frame_rate = _strength("onset_detect", x, rate, hop, strength)
    found = _papilio.onset_detect(of, frame_rate, before_maximum, after_maximum, before_mean,
                                  after_mean, wait, delta)  # fmt: skip
    if units == "segments":
        return np.array(found, dtype=np.int64)
    return _seconds(of, frame_rate, found, refine)


def _seconds(strength: Any, frame_rate: float, segments: list[int], refine: bool) -> Reals:
    if refine:
        return np.array(_papilio.onset_seconds(strength, frame_rate, segments, 1), dtype=np.float64)
    return np.array(segments, dtype=np.float64) / frame_rate


@as_in(_strength)
def tempogram(x: ArrayLike | None = None, rate: float | None = None, hop: int = 512,
              window: int = 384, *, strength: ArrayLike | None = None,
              workers: int | None = None) -> Reals:  # fmt: skip
    """Autocorrelation of the onset strength about each segment: high at lags of a beat.

    Parameters:
        window: segments of a Hann window, and lags.
        ...

    Returns:
        float64 array [..., segments, window], each segment divided by its largest value. Lag k is
        60 rate / (hop k) beats a minute.

    Raises:
        ValueError, TypeError: for options out of their range, and samples that are not finite.

    Example:
        >>> papilio.signal.tempogram(papilio.read("song.flac")).shape
        (2, 515, 384)
    """
    of = _strength("tempogram", x, rate if strength is None else 1, hop, strength, "mean", workers)[0]
    return _papilio.tempogram(of, window, workers)


@as_in(_strength)
def tempo(x: ArrayLike | None = None, rate: float | None = None, hop: int = 512, *,
          strength: ArrayLike | None = None, start_bpm: float = 120.0, octaves: float = 1.0,
          window_seconds: float = 8.0, max_bpm: float | None = 320.0, refine: bool = True,
          workers: int | None = None) -> Any:  # fmt: skip
    """The tempo in beats a minute; 0 of silence.

    Parameters:
        ...

    Returns:
        A float, or an array [...] of several signals.

    Raises:
        ValueError, TypeError: for options out of their range, and fewer than 2 segments.

    Example:
        >>> clicks = np.zeros(22050 * 8)
        >>> clicks[:: 22050 * 60 // 90] = 1
        >>> round(papilio.signal.tempo(clicks, 22050))
        90
    """
    of, frame_rate = _strength("tempo", x, rate, hop, strength, "mean", workers)
    made = _papilio.tempo(of, frame_rate, start_bpm, octaves, window_seconds, max_bpm, refine, workers)
    return made if np.ndim(made) else float(made)


@as_in(tempo)
def beat_track(x: ArrayLike | None = None, rate: float | None = None, hop: int = 512, *,
               strength: ArrayLike | None = None, bpm: float | None = None,
               start_bpm: float = 120.0, octaves: float = 1.0, window_seconds: float = 8.0,
               max_bpm: float | None = 320.0, tightness: float = 100.0, trim: bool = True,
               refine: bool = True) -> Beats:  # fmt: skip
    """The tempo and the beats of one signal, by dynamic programming.

    Parameters:
        x: real [samples], or a Sound of one channel, of which onset_strength is taken, the median.
        bpm: beats a minute; None: tempo of the strengths.
        tightness: how much a beat that is early or late costs.
        trim: whether weak beats at the two ends are left out.
        refine: whether the tempo and times lie between segments, the last beat lies where it would
            if the signal went on, and beats at the ends are weak at half the usual strength; False:
            as librosa.
        ...

    Returns:
        Beats: bpm, times in seconds and segments; none of silence, whose bpm is 0.

    Raises:
        ValueError, TypeError: for options out of their range, fewer than 2 segments, and more than
            one signal.

    Example:
        >>> clicks = np.zeros(22050 * 8)
        >>> clicks[:: 22050 * 60 // 90] = 1
        >>> round(papilio.signal.beat_track(clicks, 22050).bpm)
        90
    """
    of, frame_rate = _strength("beat_track", x, rate, hop, strength, "median")
    found, segments = _papilio.beat_track(of, frame_rate, start_bpm, octaves, window_seconds, max_bpm,
                                          refine, bpm, tightness, trim, 0.5 if refine else 1.0, refine)  # fmt: skip
    return Beats(found, _seconds(of, frame_rate, segments, refine),
                 np.array(segments, dtype=np.int64))  # fmt: skip


public(globals(), {"rate_hz": "rate"})
