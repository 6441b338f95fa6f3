"""Transforms of one length as objects."""

from . import _papilio


class _Plan:
    def __init__(self, n, *, norm=None, workers=None):
        self.n = n
        self.norm = norm
        self.workers = workers
        if n < 1:
            raise ValueError(f"{type(self).__name__}: n must be at least 1, got {n}")

    def _run(self, function, x, axis, out):
        return function(x, self.n, axis, self.norm, False, self.workers, out=out)


class FftPlan(_Plan):
    """The DFT of n points: execute(x, out=None), and inverse(x, out=None), along an axis."""

    def execute(self, x, out=None, axis=-1):
        return self._run(_papilio.fft, x, axis, out)

    def inverse(self, x, out=None, axis=-1):
        return self._run(_papilio.ifft, x, axis, out)


class RfftPlan(_Plan):
    """The n/2 + 1 bins of n real numbers: execute(x, out=None), and back: inverse(x, out=None)."""

    def execute(self, x, out=None, axis=-1):
        return self._run(_papilio.rfft, x, axis, out)

    def inverse(self, x, out=None, axis=-1):
        return self._run(_papilio.irfft, x, axis, out)
