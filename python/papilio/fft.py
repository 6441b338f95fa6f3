"""Fourier transforms with the names and rules of scipy.fft, and of numpy.fft where they agree.

float32 and complex64 stay so, long double too; integers become double. `workers` threads share a
call, as in scipy.fft: None takes those of `set_workers`, -1 all. `out` is an array to write into,
`overwrite_x` lets the result take the place of x.
"""

from __future__ import annotations

import contextlib
import copyreg
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.fft import fftfreq, fftshift, ifftshift, rfftfreq
from numpy.typing import ArrayLike

from ._papilio import (
    exchange_workers,
    fft,
    fft2,
    fftn,
    get_workers,
    hfft,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)
from . import _papilio
from ._arrays import Array, as_array
from ._calls import integer, public

__all__ = [
    "dct", "dctn", "dst", "dstn", "fft", "fft2", "fftfreq", "fftn", "fftshift", "get_workers",
    "hfft", "hfft2", "hfftn", "idct", "idctn", "idst", "idstn", "ifft", "ifft2", "ifftn",
    "ifftshift", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "next_fast_len",
    "prev_fast_len", "rfft", "rfft2", "rfftfreq", "rfftn", "scipy_backend", "set_workers",
]  # fmt: skip

Axes: TypeAlias = int | Sequence[int]
Lengths: TypeAlias = int | Sequence[int | None]

# Functions of the module travel by name, to processes of a pool for example.
copyreg.pickle(type(fft), lambda function: function.__name__)


@contextlib.contextmanager
def set_workers(workers: int) -> Iterator[None]:
    """Within `with set_workers(n)`, calls of this thread that name no workers take n."""
    before = exchange_workers(operator.index(workers))
    try:
        yield
    finally:
        exchange_workers(before)


def _swapped(norm: str | None) -> str:
    swapped = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}
    if norm not in swapped:
        raise ValueError(
            f'Invalid norm value "{norm}"; should be "backward", "ortho" or "forward".'
        )
    return swapped[norm]


def hfftn(x: ArrayLike, s: Lengths | None = None, axes: Axes | None = None,
          norm: str | None = None, overwrite_x: bool = False, workers: int | None = None, *,
          plan: None = None) -> Array:  # fmt: skip
    """The real spectrum of a signal that is Hermitian along the last of `axes`."""
    return irfftn(np.conj(as_array(x)), s, axes, _swapped(norm), overwrite_x, workers, plan=plan)


def hfft2(x: ArrayLike, s: Lengths | None = None, axes: Axes = (-2, -1),
          norm: str | None = None, overwrite_x: bool = False, workers: int | None = None, *,
          plan: None = None) -> Array:  # fmt: skip
    """hfftn over two axes."""
    return hfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def ihfftn(x: ArrayLike, s: Lengths | None = None, axes: Axes | None = None,
           norm: str | None = None, overwrite_x: bool = False, workers: int | None = None, *,
           plan: None = None) -> Array:  # fmt: skip
    """The inverse of hfftn."""
    spectrum = rfftn(x, s, axes, _swapped(norm), overwrite_x, workers, plan=plan)
    return np.conjugate(spectrum, out=spectrum)


def ihfft2(x: ArrayLike, s: Lengths | None = None, axes: Axes = (-2, -1),
           norm: str | None = None, overwrite_x: bool = False, workers: int | None = None, *,
           plan: None = None) -> Array:  # fmt: skip
    """The inverse of hfft2."""
    return ihfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


_INVERSE_TYPE = {1: 1, 2: 3, 3: 2, 4: 4}


def _orthogonal_ends(kind: str, type: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The elements that an orthogonal matrix scales by sqrt 2 before, and by 1/sqrt 2 after."""
    if kind == "dct":
        return {1: ((0, -1), (0, -1)), 2: ((), (0,)), 3: ((0,), ()), 4: ((), ())}[type]
    return {1: ((), ()), 2: ((), (-1,)), 3: ((-1,), ()), 4: ((), ())}[type]


def _trigonometric(name: str, x: ArrayLike, type: int, n: int | None, axis: int, norm: str | None,
                   overwrite_x: bool, workers: int | None,
                   orthogonalize: bool | None) -> Array:  # fmt: skip
    transform: Callable[..., Array] = getattr(_papilio, name)
    ortho = norm == "ortho"
    if orthogonalize is None or bool(orthogonalize) == ortho or type not in _INVERSE_TYPE:
        return transform(x, type, n, axis, norm, overwrite_x, workers)
    inverse = name[0] == "i"
    kind = name[-3:]
    if ortho:
        y = transform(x, type, n, axis, "forward" if inverse else "backward", overwrite_x, workers)
        points = y.shape[axis] + (0 if type != 1 else -1 if kind == "dct" else 1)
        y *= 1 / np.sqrt(y.real.dtype.type(2 * points))
        return y
    before, after = _orthogonal_ends(kind, _INVERSE_TYPE[type] if inverse else type)
    if before:
        x = as_array(x)
        n = None if n is None else integer(name, "n", n)
        has_line = -x.ndim <= axis < x.ndim and x.shape[axis] > 0 and (n is None or n > 0)
        if not has_line or x.dtype.kind not in "biufc":
            return transform(x, type, n, axis, norm, overwrite_x, workers)  # which says what is wrong
        inexact = np.issubdtype(x.dtype, np.inexact)
        small = np.float32 if x.dtype == np.float16 else x.dtype
        x = x.astype(small if inexact else np.float64)
        if n is not None and n < x.shape[axis]:
            x = np.take(x, range(n), axis)
        for end in before:
            if n is None or end == 0 or n == x.shape[axis]:
                np.moveaxis(x, axis, 0)[end] *= np.sqrt(x.real.dtype.type(2))
    y = transform(x, type, n, axis, norm, overwrite_x, workers)
    for end in after:
        np.moveaxis(y, axis, 0)[end] *= np.sqrt(y.real.dtype.type(0.5))
    return y


def dct(x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1,
        norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
        orthogonalize: bool | None = None) -> Array:  # fmt: skip
    """Cosine transform of type 1 to 4 along one axis."""
    return _trigonometric("dct", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


def idct(x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1,
         norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
         orthogonalize: bool | None = None) -> Array:  # fmt: skip
    """Inverse of dct."""
    return _trigonometric("idct", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


def dst(x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1,
        norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
        orthogonalize: bool | None = None) -> Array:  # fmt: skip
    """Sine transform of type 1 to 4 along one axis."""
    return _trigonometric("dst", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


def idst(x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1,
         norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
         orthogonalize: bool | None = None) -> Array:  # fmt: skip
    """Inverse of dst."""
    return _trigonometric("idst", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


def _indices(values: Any, name: str) -> list[Any]:
    try:
        return [operator.index(values)]
    except TypeError:
        pass
    try:
        return [None if v is None else operator.index(v) for v in values]
    except TypeError:
        raise ValueError(f"{name} must be an integer or a sequence of integers") from None


def _along_axes(transform: Callable[..., Array], x: ArrayLike, type: int, s: Lengths | None,
                axes: Axes | None, norm: str | None, overwrite_x: bool, workers: int | None,
                orthogonalize: bool | None) -> Array:  # fmt: skip
    x = as_array(x)
    lengths = None if s is None else _indices(s, "s")
    if axes is not None:
        axes = [a + x.ndim if a < 0 else a for a in _indices(axes, "axes")]
        if any(not 0 <= a < x.ndim for a in axes):
            raise ValueError("axes exceeds dimensionality of input")
        if len(set(axes)) != len(axes):
            raise ValueError("all axes must be unique")
        if lengths is not None and len(lengths) != len(axes):
            raise ValueError("when given, axes and shape arguments have to be of the same length")
    elif lengths is not None:
        if len(lengths) > x.ndim:
            raise ValueError("shape requires more axes than are present")
        axes = list(range(x.ndim - len(lengths), x.ndim))
    else:
        axes = list(range(x.ndim))
    if not axes:
        return x.copy()
    for a, n in zip(axes, lengths or [None] * len(axes)):
        n = None if n == -1 else n
        x = transform(x, type, n, a, norm, overwrite_x, workers, orthogonalize)
        overwrite_x = True
    return x


def dctn(x: ArrayLike, type: int = 2, s: Lengths | None = None, axes: Axes | None = None,
         norm: str | None = None, overwrite_x: bool = False, workers: int | None = None, *,
         orthogonalize: bool | None = None) -> Array:  # fmt: skip
    """dct along several axes; all where none are given."""
    return _along_axes(dct, x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


def idctn(x: ArrayLike, type: int = 2, s: Lengths | None = None, axes: Axes | None = None,
          norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
          orthogonalize: bool | None = None) -> Array:  # fmt: skip
    """Inverse of dctn."""
    return _along_axes(idct, x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


def dstn(x: ArrayLike, type: int = 2, s: Lengths | None = None, axes: Axes | None = None,
         norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
         orthogonalize: bool | None = None) -> Array:  # fmt: skip
    """dst along several axes; all where none are given."""
    return _along_axes(dst, x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


def idstn(x: ArrayLike, type: int = 2, s: Lengths | None = None, axes: Axes | None = None,
          norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
          orthogonalize: bool | None = None) -> Array:  # fmt: skip
    """Inverse of dstn."""
    return _along_axes(idst, x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


def next_fast_len(target: int, real: bool = False) -> int:
    """The next length from `target` on without prime factors beyond 11; beyond 5 for real data."""
    return _papilio.next_smooth(integer("next_fast_len", "target", target, 1), 5 if real else 11)


def prev_fast_len(target: int, real: bool = False) -> int:
    """The last such length up to `target`."""
    return _papilio.prev_smooth(integer("prev_fast_len", "target", target, 1), 5 if real else 11)


class scipy_backend:
    """For scipy.fft.set_backend and its like: papilio computes what scipy.fft is asked for."""

    __ua_domain__ = "numpy.scipy.fft"

    @staticmethod
    def __ua_function__(method: Callable[..., Any], args: Sequence[Any],
                        kwargs: Mapping[str, Any]) -> Any:  # fmt: skip
        function = globals().get(method.__name__)
        return NotImplemented if function is None else function(*args, **kwargs)


public(globals())
