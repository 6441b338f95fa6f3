"""Transforms of one length as objects."""

from __future__ import annotations

from collections.abc import Callable

from numpy.typing import ArrayLike

from . import _papilio
from ._arrays import Array
from ._calls import integer, public


class _Plan:
    def __init__(self, n: int, *, norm: str | None = None, workers: int | None = None) -> None:
        self.n = integer(type(self).__name__, "n", n, 1)
        self.norm = norm
        self.workers = workers
        _papilio.fft([0.0], 1, 0, norm, False, workers)  # refuses what no call would take

    def _run(self, function: Callable[..., Array], x: ArrayLike, axis: int,
             out: Array | None) -> Array:  # fmt: skip
        return function(x, self.n, axis, self.norm, False, self.workers, out=out)


class FftPlan(_Plan):
    """The DFT of n points: execute(x, out=None), and inverse(x, out=None), along an axis."""

    def execute(self, x: ArrayLike, out: Array | None = None, axis: int = -1) -> Array:
        return self._run(_papilio.fft, x, axis, out)

    def inverse(self, x: ArrayLike, out: Array | None = None, axis: int = -1) -> Array:
        return self._run(_papilio.ifft, x, axis, out)


class RfftPlan(_Plan):
    """The n/2 + 1 bins of n real numbers: execute(x, out=None), and back: inverse(x, out=None)."""

    def execute(self, x: ArrayLike, out: Array | None = None, axis: int = -1) -> Array:
        return self._run(_papilio.rfft, x, axis, out)

    def inverse(self, x: ArrayLike, out: Array | None = None, axis: int = -1) -> Array:
        return self._run(_papilio.irfft, x, axis, out)


public(globals())
