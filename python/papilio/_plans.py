"""Transforms of one length as objects."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from . import _papilio
from ._arrays import Array
from ._calls import integer, no_option, public


def _strict(method: Any) -> Any:
    """A method whose **misspelt is no part of its signature: short lines have no time for a wrapper."""
    signature = inspect.signature(method)
    method.__signature__ = signature.replace(parameters=list(signature.parameters.values())[:-1])
    return method


class _Plan:
    def __init__(self, n: int, *, norm: str | None = None, workers: int | None = None) -> None:
        self.n = integer(type(self).__name__, "n", n, 1)
        self.norm = norm
        self.workers = workers
        _papilio.fft([0.0], 1, 0, norm, False, workers)  # refuses what no call would take

    def _run(self, function: Callable[..., Array], x: ArrayLike, axis: int, out: Array | None,
             misspelt: dict[str, Any]) -> Array:  # fmt: skip
        if misspelt:
            raise no_option(type(self).__name__, next(iter(misspelt)), ("x", "out", "axis"))
        return function(x, self.n, axis, self.norm, False, self.workers, out=out)


class FftPlan(_Plan):
    """The DFT of n points.

    Parameters:
        n: points.
        norm: None or "backward", "ortho" or "forward", as in numpy.fft.
        workers: threads of a call; None: those of papilio.fft.set_workers.

    Raises:
        ValueError, TypeError: for what no call would take.

    Example:
        >>> plan = papilio.FftPlan(1024)
        >>> spectra = plan.execute(np.ones((8, 1024)))
        >>> bool(np.allclose(plan.inverse(spectra), 1))
        True
    """

    @_strict
    def execute(self, x: ArrayLike, out: Array | None = None, axis: int = -1,
                **misspelt: Any) -> Array:  # fmt: skip
        """The DFT of x along an axis, into `out` where it is given."""
        return self._run(_papilio.fft, x, axis, out, misspelt)

    @_strict
    def inverse(self, x: ArrayLike, out: Array | None = None, axis: int = -1,
                **misspelt: Any) -> Array:  # fmt: skip
        """The inverse DFT of x along an axis, into `out` where it is given."""
        return self._run(_papilio.ifft, x, axis, out, misspelt)


class RfftPlan(_Plan):
    """The DFT of n real numbers, of n/2 + 1 bins.

    Parameters:
        n: points.
        norm: None or "backward", "ortho" or "forward", as in numpy.fft.
        workers: threads of a call; None: those of papilio.fft.set_workers.

    Raises:
        ValueError, TypeError: for what no call would take.

    Example:
        >>> plan = papilio.RfftPlan(1024)
        >>> plan.execute(np.ones((8, 1024))).shape
        (8, 513)
    """

    @_strict
    def execute(self, x: ArrayLike, out: Array | None = None, axis: int = -1,
                **misspelt: Any) -> Array:  # fmt: skip
        """The n/2 + 1 bins of real x along an axis, into `out` where it is given."""
        return self._run(_papilio.rfft, x, axis, out, misspelt)

    @_strict
    def inverse(self, x: ArrayLike, out: Array | None = None, axis: int = -1,
                **misspelt: Any) -> Array:  # fmt: skip
        """The n real numbers of n/2 + 1 bins along an axis, into `out` where it is given."""
        return self._run(_papilio.irfft, x, axis, out, misspelt)


public(globals(), methods=False)
