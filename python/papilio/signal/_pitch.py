"""Fundamental frequencies: YIN and pYIN."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _papilio
from .._arrays import Array
from .._calls import as_in, integer, public

__all__ = ["pyin", "yin"]

C2, C7 = 65.40639132514966, 2093.004522404789  # Hz

_yin_plan = functools.lru_cache(maxsize=16)(_papilio.YinPlan)
_pyin_plan = functools.lru_cache(maxsize=16)(_papilio.PyinPlan)


def _frames(function: str, rate: float | None, fmin: float, fmax: float, frame: int,
            hop: int | None, center: bool) -> tuple[Any, ...]:  # fmt: skip
    """Options that YIN and pYIN share.

    Parameters:
        x: real [..., samples], or a Sound; each signal has its own pitch.
        rate: samples a second; that of a Sound where it is left out.
        fmin: lowest frequency in Hz, above rate / (frame - 1).
        fmax: highest frequency in Hz, at most rate / 2.
        frame: samples of a segment: two periods of fmin, or more.
        hop: samples from one segment to the next; None: frame // 4.
        center: whether segment s is centred on sample s * hop, else begins there.
        workers: threads; None: those of papilio.fft.set_workers.
    """
    if rate is None:
        raise TypeError(f"{function}: rate must be given, unless x is a Sound")
    frame = integer(function, "frame", frame, 4)
    return rate, fmin, fmax, frame, frame // 4 if hop is None else integer(function, "hop", hop, 1), center


@as_in(_frames)
def yin(x: ArrayLike, rate: float | None = None, fmin: float = C2, fmax: float = C7,
        frame: int = 2048, hop: int | None = None, *, threshold: float = 0.1, center: bool = True,
        workers: int | None = None) -> Array:  # fmt: skip
    """The fundamental frequency of segments, by YIN: each has one, also of silence and noise.

    Parameters:
        threshold: the first period whose normalised difference has a trough below it is taken,
            without any the one of the least difference.
        ...

    Returns:
        Array of doubles [..., segments], in Hz.

    Raises:
        ValueError, TypeError: for options out of their range, samples that are not finite, and signals
            without a segment.

    Example:
        >>> x = np.sin(2 * np.pi * 441 * np.arange(22050) / 22050)
        >>> papilio.signal.yin(x, 22050)[20:23].round(1)
        array([441.5, 441.2, 441.5])
    """
    return _yin_plan(*_frames("yin", rate, fmin, fmax, frame, hop, center), threshold).execute(x, workers)


@as_in(yin)
def pyin(x: ArrayLike, rate: float | None = None, fmin: float = C2, fmax: float = C7,
         frame: int = 2048, hop: int | None = None, *, thresholds: int = 100,
         beta: tuple[float, float] = (2, 18), boltzmann: float = 2, resolution: float = 0.1,
         max_transition_rate: float = 35.92, switch_probability: float = 0.01,
         no_trough_probability: float = 0.01, fill: float | None = np.nan, center: bool = True,
         workers: int | None = None) -> tuple[Array, Array, Array]:  # fmt: skip
    """The fundamental frequency of segments, by pYIN: the most probable path of periods and voicing.

    Parameters:
        thresholds: how many, from 1 / thresholds to 1.
        beta: parameters of the thresholds' prior, a beta distribution.
        boltzmann: how much the shortest of the periods below a threshold is preferred.
        resolution: of the frequencies, in semitones, 0.001 ... 1.
        max_transition_rate: octaves a second that a frequency moves at most.
        switch_probability: that voicing changes from a segment to the next.
        no_trough_probability: of the best period where none is below a threshold.
        fill: frequency of segments that are not voiced; None: that of the path.
        ...

    Returns:
        Three arrays [..., segments]: frequencies in Hz, whether they are voiced, and the probability of
        that.

    Raises:
        ValueError, TypeError: for options out of their range, samples that are not finite, and signals
            without a segment.

    Example:
        >>> x = np.sin(2 * np.pi * 441 * np.arange(44100) / 22050)
        >>> x[:22050] = 0
        >>> f0, voiced, probability = papilio.signal.pyin(x, 22050)
        >>> f0[[10, 60]].round(1), voiced[[10, 60]], probability[[10, 60]].round(1)
        (array([  nan, 442.5]), array([False,  True]), array([0., 1.]))
    """
    frames = _frames("pyin", rate, fmin, fmax, frame, hop, center)
    a, b = beta
    f0, voiced, probability = _pyin_plan(
        *frames, integer("pyin", "thresholds", thresholds, 1), a, b, boltzmann, resolution,
        max_transition_rate, switch_probability, no_trough_probability, fill).execute(x, workers)  # fmt: skip
    return f0, voiced == 1, probability


public(globals(), {"rate_hz": "rate", "fmin_hz": "fmin", "fmax_hz": "fmax", "centre": "center",
                   "trough_threshold": "threshold", "beta_a": "beta", "beta_b": "beta", "signal": "x"})  # fmt: skip
