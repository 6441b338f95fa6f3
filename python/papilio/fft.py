"""Fourier transforms with the names and rules of scipy.fft, and of numpy.fft where they agree.

float32 and complex64 stay so, long double too; integers become double. `workers` threads share a
call, as in scipy.fft: None takes those of `set_workers`, -1 all. `out` is an array to write into,
`overwrite_x` lets the result take the place of x. `on` is a papilio.device.Device to run on, in
float32 and complex64.

Along one axis:     fft ifft  rfft irfft  hfft ihfft
Along two:          fft2 ifft2  rfft2 irfft2  hfft2 ihfft2
Along several:      fftn ifftn  rfftn irfftn  hfftn ihfftn
Cosines and sines:  dct idct dst idst  dctn idctn dstn idstn
Gradients:          fft_vjp ifft_vjp  rfft_vjp irfft_vjp  rfftn_vjp irfftn_vjp
Helpers:            fftfreq rfftfreq fftshift ifftshift  next_fast_len prev_fast_len
Threads, backend:   set_workers get_workers  scipy_backend
"""

from __future__ import annotations

import contextlib
import copyreg
import functools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

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
from ._arrays import ON_DEVICE, Array, as_array
from ._calls import as_in, integer, public

if TYPE_CHECKING:
    from .device import Device

__all__ = [
    "dct", "dctn", "dst", "dstn", "fft", "fft2", "fft_vjp", "fftfreq", "fftn", "fftshift", "get_workers",
    "hfft", "hfft2", "hfftn", "idct", "idctn", "idst", "idstn", "ifft", "ifft2", "ifft_vjp", "ifftn",
    "ifftshift", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfft_vjp", "irfftn", "irfftn_vjp",
    "next_fast_len", "prev_fast_len", "rfft", "rfft2", "rfft_vjp", "rfftfreq", "rfftn", "rfftn_vjp",
    "scipy_backend", "set_workers",
]  # fmt: skip

Axes: TypeAlias = int | Sequence[int]
Lengths: TypeAlias = int | Sequence[int | None]

# Functions of the module travel by name, to processes of a pool for example.
copyreg.pickle(type(fft), lambda function: function.__name__)


@contextlib.contextmanager
def set_workers(workers: int) -> Iterator[None]:
    """Within `with set_workers(n)`, calls of this thread that name no workers take n.

    Parameters:
        workers: threads, counted back from the processors where negative; -1: all.

    Raises:
        ValueError, TypeError: for 0, or what is no integer.

    Example:
        >>> with papilio.fft.set_workers(2):
        ...     papilio.fft.get_workers()
        2
    """
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


@as_in(fftn)
def hfftn(x: ArrayLike, s: Lengths | None = None, axes: Axes | None = None,
          norm: str | None = None, overwrite_x: bool = False, workers: int | None = None, *,
          plan: None = None, on: Device | None = None) -> Array:  # fmt: skip
    """The real spectrum of a signal that is Hermitian along the last of `axes`.

    Parameters:
        x: the half of the signal, [...].
        ...

    Returns:
        Real array.

    Raises:
        ValueError, TypeError: as irfftn.

    Example:
        >>> x = np.fft.ihfft(np.arange(8.0))
        >>> papilio.fft.hfftn(x).round(9) + 0
        array([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    return irfftn(np.conj(as_array(x)), s, axes, _swapped(norm), overwrite_x, workers, plan=plan, on=on)


@as_in(fft2)
def hfft2(x: ArrayLike, s: Lengths | None = None, axes: Axes = (-2, -1),
          norm: str | None = None, overwrite_x: bool = False, workers: int | None = None, *,
          plan: None = None, on: Device | None = None) -> Array:  # fmt: skip
    """hfftn over two axes.

    Parameters:
        x: the half of the signal, [..., n, n/2 + 1].
        ...

    Returns:
        Real array.

    Raises:
        ValueError, TypeError: as irfft2.

    Example:
        >>> papilio.fft.hfft2(np.ones((4, 3))).shape
        (4, 4)
    """
    return hfftn(x, s, axes, norm, overwrite_x, workers, plan=plan, on=on)


@as_in(fftn)
def ihfftn(x: ArrayLike, s: Lengths | None = None, axes: Axes | None = None,
           norm: str | None = None, overwrite_x: bool = False, workers: int | None = None, *,
           plan: None = None, on: Device | None = None) -> Array:  # fmt: skip
    """The inverse of hfftn.

    Parameters:
        x: real array.
        ...

    Returns:
        Complex array with n/2 + 1 points along the last of `axes`.

    Raises:
        ValueError, TypeError: as rfftn.

    Example:
        >>> papilio.fft.ihfftn(np.ones((4, 4))).shape
        (4, 3)
    """
    spectrum = rfftn(as_array(x), s, axes, _swapped(norm), overwrite_x, workers, plan=plan, on=on)
    return np.conjugate(spectrum, out=spectrum)


@as_in(fft2)
def ihfft2(x: ArrayLike, s: Lengths | None = None, axes: Axes = (-2, -1),
           norm: str | None = None, overwrite_x: bool = False, workers: int | None = None, *,
           plan: None = None, on: Device | None = None) -> Array:  # fmt: skip
    """The inverse of hfft2.

    Parameters:
        x: real array.
        ...

    Returns:
        Complex array with n/2 + 1 points along the last of `axes`.

    Raises:
        ValueError, TypeError: as rfft2.

    Example:
        >>> papilio.fft.ihfft2(np.ones((4, 4))).shape
        (4, 3)
    """
    return ihfftn(x, s, axes, norm, overwrite_x, workers, plan=plan, on=on)


def _lines(function: str, gradient: ArrayLike, axis: int) -> tuple[Array, int]:
    """A gradient of the host and its axis, counted from the first."""
    g = as_array(gradient)
    if not -g.ndim <= axis < g.ndim:
        raise ValueError(f"{function}: axis {axis} is out of range for {g.ndim} axes")
    return g, axis % g.ndim


def _of_bins(g: Array, axis: int, n: int, factor: float) -> Array:
    """The bins that stand for two of a spectrum of n points times a factor, in a copy."""
    weighted = np.array(g, dtype=np.result_type(g, np.float32) if g.dtype.kind in "fc" else np.float64)
    weighted[(slice(None),) * axis + (slice(1, (n + 1) // 2),)] *= factor
    return weighted


def fft_vjp(gradient: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None,
            workers: int | None = None, *, on: Device | None = None) -> Array:  # fmt: skip
    """Gradient of a real loss by x from that by fft(x, n, axis, norm): the adjoint.

    Parameters:
        gradient: dL/dRe + i dL/dIm by the result, as in torch.autograd.
        n: points; None: those of the gradient.
        axis: that of the call.
        norm: that of the call.
        workers: threads; None: those of set_workers, -1: all.
        on: a papilio.device.Device to run on; None: the host.

    Returns:
        Complex array of n points along the axis; an x that was cut or filled up is this, filled up
        or cut.

    Raises:
        ValueError, TypeError: as fft.

    Example:
        >>> papilio.fft.fft_vjp([1.0, 0.0, 0.0, 0.0]).real
        array([1., 1., 1., 1.])
    """
    return ifft(gradient, n, axis, _swapped(norm), workers=workers, on=on)


@as_in(fft_vjp)
def ifft_vjp(gradient: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None,
             workers: int | None = None, *, on: Device | None = None) -> Array:  # fmt: skip
    """Gradient of a real loss by x from that by ifft(x, n, axis, norm), as fft_vjp.

    Parameters:
        ...

    Returns:
        Complex array of n points along the axis.

    Raises:
        ValueError, TypeError: as ifft.

    Example:
        >>> papilio.fft.ifft_vjp([1.0, 0.0, 0.0, 0.0]).real
        array([0.25, 0.25, 0.25, 0.25])
    """
    return fft(gradient, n, axis, _swapped(norm), workers=workers, on=on)


@as_in(fft_vjp)
def rfft_vjp(gradient: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None,
             workers: int | None = None, *, on: Device | None = None) -> Array:  # fmt: skip
    """Gradient of a real loss by x from that by rfft(x, n, axis, norm), as fft_vjp: each bin once.

    Parameters:
        gradient: of n // 2 + 1 bins.
        n: points of x; None: twice the bins but one.
        ...

    Returns:
        Real array of n points along the axis.

    Raises:
        ValueError, TypeError: as irfft, and for other bins than those of n points.

    Example:
        >>> papilio.fft.rfft_vjp([1.0, 0.0, 0.0])
        array([1., 1., 1., 1.])
    """
    return rfftn_vjp(gradient, None if n is None else [n], [axis], norm, workers, on=on)


@as_in(fft_vjp)
def irfft_vjp(gradient: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None,
              workers: int | None = None, *, on: Device | None = None) -> Array:  # fmt: skip
    """Gradient of a real loss by x from that by irfft(x, n, axis, norm), as fft_vjp.

    Parameters:
        gradient: real.
        n: points; None: those of the gradient.
        ...

    Returns:
        Complex array of n // 2 + 1 bins along the axis.

    Raises:
        ValueError, TypeError: as rfft.

    Example:
        >>> papilio.fft.irfft_vjp([4.0, 0.0, 0.0, 0.0]).real
        array([1., 2., 1.])
    """
    return irfftn_vjp(gradient, None if n is None else [n], [axis], norm, workers, on=on)


def _axes_of(function: str, g: Array, s: Lengths | None, axes: Axes | None) -> tuple[list[int], list[int | None]]:
    lengths = None if s is None else [s] if isinstance(s, int) else list(s)
    if axes is None:
        axes = range(g.ndim) if lengths is None else range(-len(lengths), 0)
    chosen = [_lines(function, g, a)[1] for a in ([axes] if isinstance(axes, int) else axes)]
    if not chosen or len(set(chosen)) != len(chosen):
        raise ValueError(f"{function}: axes must be one or more, each once, got {list(axes)}")  # type: ignore[arg-type]
    if lengths is not None and len(lengths) != len(chosen):
        raise ValueError(f"{function}: s and axes must be of one length, got {len(lengths)} and {len(chosen)}")
    return chosen, lengths or [None] * len(chosen)


def rfftn_vjp(gradient: ArrayLike, s: Lengths | None = None, axes: Axes | None = None,
              norm: str | None = None, workers: int | None = None, *,
              on: Device | None = None) -> Array:  # fmt: skip
    """Gradient of a real loss by x from that by rfftn(x, s, axes, norm), as rfft_vjp.

    Parameters:
        gradient: n // 2 + 1 bins along the last of the axes.
        s: points of x along the axes; None: those of the gradient, along the last axis twice its
            bins but one.
        axes: those of the call; None: all, or as many last ones as s has.
        norm: that of the call.
        workers: threads; None: those of set_workers, -1: all.
        on: a papilio.device.Device to run on; None: the host.

    Returns:
        Real array.

    Raises:
        ValueError, TypeError: as irfftn, and for other bins than those of s.

    Example:
        >>> papilio.fft.rfftn_vjp(np.ones((2, 2))).shape
        (2, 2)
    """
    g = as_array(gradient)
    chosen, lengths = _axes_of("rfftn_vjp", g, s, axes)
    last, bins = chosen[-1], g.shape[chosen[-1]]
    n = 2 * (bins - 1) if lengths[-1] is None else integer("rfftn_vjp", "s", lengths[-1], 1)
    if n // 2 + 1 != bins:
        raise ValueError(f"rfftn_vjp: the gradient must have {n // 2 + 1} bins, those of {n} points, got {bins}")
    points = [g.shape[a] if m is None else m for a, m in zip(chosen[:-1], lengths)]
    return irfftn(_of_bins(g, last, n, 0.5), [*points, n], chosen, _swapped(norm), workers=workers, on=on)


@as_in(rfftn_vjp)
def irfftn_vjp(gradient: ArrayLike, s: Lengths | None = None, axes: Axes | None = None,
               norm: str | None = None, workers: int | None = None, *,
               on: Device | None = None) -> Array:  # fmt: skip
    """Gradient of a real loss by x from that by irfftn(x, s, axes, norm), as irfft_vjp.

    Parameters:
        gradient: real.
        s: points along the axes; None: those of the gradient.
        ...

    Returns:
        Complex array.

    Raises:
        ValueError, TypeError: as rfftn.

    Example:
        >>> papilio.fft.irfftn_vjp(np.ones((2, 4))).shape
        (2, 3)
    """
    g = as_array(gradient)
    chosen, lengths = _axes_of("irfftn_vjp", g, s, axes)
    points = [g.shape[a] if m is None else m for a, m in zip(chosen, lengths)]
    return _of_bins(rfftn(g, points, chosen, _swapped(norm), workers=workers, on=on), chosen[-1], int(points[-1]), 2)


_INVERSE_TYPE = {1: 1, 2: 3, 3: 2, 4: 4}


def _orthogonal_ends(kind: str, type: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The elements that an orthogonal matrix scales by sqrt 2 before, and by 1/sqrt 2 after."""
    if kind == "dct":
        return {1: ((0, -1), (0, -1)), 2: ((), (0,)), 3: ((0,), ()), 4: ((), ())}[type]
    return {1: ((), ()), 2: ((), (-1,)), 3: ((-1,), ()), 4: ((), ())}[type]


def _trigonometric(name: str, x: ArrayLike, type: int, n: int | None, axis: int, norm: str | None,
                   overwrite_x: bool, workers: int | None,
                   orthogonalize: bool | None, on: Device | None) -> Array:  # fmt: skip
    """Cosine and sine transforms of type 1 to 4, scipy's.

    Parameters:
        x: array of real or complex numbers.
        type: 1 to 4.
        n: points, to which x is cut or filled with zeros; None: those of x.
        axis: to transform along.
        norm: None or "backward", "ortho" or "forward".
        overwrite_x: whether the result may take the place of x.
        workers: threads; None: those of set_workers, -1: all.
        orthogonalize: whether the matrix is orthogonal; None: with norm="ortho".
        on: a papilio.device.Device to run on; None: the host.
        s: points along each of the axes; None: those of x.
        axes: to transform along; None: all, or as many last ones as s has.
    """
    transform: Callable[..., Array] = functools.partial(getattr(_papilio, name), on=on)
    ortho = norm == "ortho"
    if orthogonalize is None or bool(orthogonalize) == ortho or type not in _INVERSE_TYPE:
        return transform(x, type, n, axis, norm, overwrite_x, workers)
    if isinstance(x, ON_DEVICE):
        raise TypeError(f"{name}: orthogonalize must be None for a device array, got {orthogonalize}")
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


@as_in(_trigonometric)
def dct(x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1,
        norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
        orthogonalize: bool | None = None, *, on: Device | None = None) -> Array:  # fmt: skip
    """The cosine transform along one axis.

    Parameters:
        ...

    Returns:
        Array, real where x is.

    Raises:
        ValueError, TypeError: for types, lengths and axes that there are not.

    Example:
        >>> papilio.fft.dct([1.0, 1.0, 1.0, 1.0]).round(12) + 0
        array([8., 0., 0., 0.])
    """
    return _trigonometric("dct", x, type, n, axis, norm, overwrite_x, workers, orthogonalize, on)


@as_in(_trigonometric)
def idct(x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1,
         norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
         orthogonalize: bool | None = None, *, on: Device | None = None) -> Array:  # fmt: skip
    """The inverse of dct.

    Parameters:
        ...

    Returns:
        Array, real where x is.

    Raises:
        ValueError, TypeError: for types, lengths and axes that there are not.

    Example:
        >>> papilio.fft.idct([8.0, 0.0, 0.0, 0.0]).round(12)
        array([1., 1., 1., 1.])
    """
    return _trigonometric("idct", x, type, n, axis, norm, overwrite_x, workers, orthogonalize, on)


@as_in(_trigonometric)
def dst(x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1,
        norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
        orthogonalize: bool | None = None, *, on: Device | None = None) -> Array:  # fmt: skip
    """The sine transform along one axis.

    Parameters:
        ...

    Returns:
        Array, real where x is.

    Raises:
        ValueError, TypeError: for types, lengths and axes that there are not.

    Example:
        >>> papilio.fft.dst([1.0], type=1)
        array([2.])
    """
    return _trigonometric("dst", x, type, n, axis, norm, overwrite_x, workers, orthogonalize, on)


@as_in(_trigonometric)
def idst(x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1,
         norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
         orthogonalize: bool | None = None, *, on: Device | None = None) -> Array:  # fmt: skip
    """The inverse of dst.

    Parameters:
        ...

    Returns:
        Array, real where x is.

    Raises:
        ValueError, TypeError: for types, lengths and axes that there are not.

    Example:
        >>> papilio.fft.idst(papilio.fft.dst([1.0, 2.0, 3.0])).round(12)
        array([1., 2., 3.])
    """
    return _trigonometric("idst", x, type, n, axis, norm, overwrite_x, workers, orthogonalize, on)


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
                orthogonalize: bool | None, on: Device | None) -> Array:  # fmt: skip
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
        x = transform(x, type, n, a, norm, overwrite_x, workers, orthogonalize, on=on)
        overwrite_x = True
    return x


@as_in(_trigonometric)
def dctn(x: ArrayLike, type: int = 2, s: Lengths | None = None, axes: Axes | None = None,
         norm: str | None = None, overwrite_x: bool = False, workers: int | None = None, *,
         orthogonalize: bool | None = None, on: Device | None = None) -> Array:  # fmt: skip
    """dct along several axes.

    Parameters:
        ...

    Returns:
        Array, real where x is.

    Raises:
        ValueError, TypeError: for types, lengths and axes that there are not.

    Example:
        >>> papilio.fft.dctn(np.ones((2, 2))).round(12) + 0
        array([[16.,  0.],
               [ 0.,  0.]])
    """
    return _along_axes(dct, x, type, s, axes, norm, overwrite_x, workers, orthogonalize, on)


@as_in(_trigonometric)
def idctn(x: ArrayLike, type: int = 2, s: Lengths | None = None, axes: Axes | None = None,
          norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
          orthogonalize: bool | None = None, *, on: Device | None = None) -> Array:  # fmt: skip
    """The inverse of dctn.

    Parameters:
        ...

    Returns:
        Array, real where x is.

    Raises:
        ValueError, TypeError: for types, lengths and axes that there are not.

    Example:
        >>> papilio.fft.idctn(papilio.fft.dctn(np.eye(2))).round(12) + 0
        array([[1., 0.],
               [0., 1.]])
    """
    return _along_axes(idct, x, type, s, axes, norm, overwrite_x, workers, orthogonalize, on)


@as_in(_trigonometric)
def dstn(x: ArrayLike, type: int = 2, s: Lengths | None = None, axes: Axes | None = None,
         norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
         orthogonalize: bool | None = None, *, on: Device | None = None) -> Array:  # fmt: skip
    """dst along several axes.

    Parameters:
        ...

    Returns:
        Array, real where x is.

    Raises:
        ValueError, TypeError: for types, lengths and axes that there are not.

    Example:
        >>> papilio.fft.dstn(np.ones((3, 5)), axes=1).shape
        (3, 5)
    """
    return _along_axes(dst, x, type, s, axes, norm, overwrite_x, workers, orthogonalize, on)


@as_in(_trigonometric)
def idstn(x: ArrayLike, type: int = 2, s: Lengths | None = None, axes: Axes | None = None,
          norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
          orthogonalize: bool | None = None, *, on: Device | None = None) -> Array:  # fmt: skip
    """The inverse of dstn.

    Parameters:
        ...

    Returns:
        Array, real where x is.

    Raises:
        ValueError, TypeError: for types, lengths and axes that there are not.

    Example:
        >>> papilio.fft.idstn(papilio.fft.dstn(np.eye(2))).round(12) + 0
        array([[1., 0.],
               [0., 1.]])
    """
    return _along_axes(idst, x, type, s, axes, norm, overwrite_x, workers, orthogonalize, on)


def next_fast_len(target: int, real: bool = False) -> int:
    """The next length that is transformed fast: without prime factors beyond 11, or 5 of real data.

    Parameters:
        target: points, at least 1.
        real: whether the data are real.

    Returns:
        An int from `target` on.

    Raises:
        ValueError, TypeError: for what is no integer from 1 on.

    Example:
        >>> papilio.fft.next_fast_len(1021)
        1024
    """
    return _papilio.next_smooth(integer("next_fast_len", "target", target, 1), 5 if real else 11)


def prev_fast_len(target: int, real: bool = False) -> int:
    """The last length up to `target` that is transformed fast, as next_fast_len has them.

    Parameters:
        target: points, at least 1.
        real: whether the data are real.

    Returns:
        An int up to `target`.

    Raises:
        ValueError, TypeError: for what is no integer from 1 on.

    Example:
        >>> papilio.fft.prev_fast_len(1021)
        1008
    """
    return _papilio.prev_smooth(integer("prev_fast_len", "target", target, 1), 5 if real else 11)


class scipy_backend:
    """A backend for scipy.fft: papilio computes what scipy.fft is asked for.

    Example:
        >>> import scipy.fft
        >>> with scipy.fft.set_backend(papilio.scipy_backend):
        ...     scipy.fft.rfft(np.ones(4)).real
        array([4., 0., 0.])
    """

    __ua_domain__ = "numpy.scipy.fft"

    @staticmethod
    def __ua_function__(method: Callable[..., Any], args: Sequence[Any],
                        kwargs: Mapping[str, Any]) -> Any:  # fmt: skip
        function = globals().get(method.__name__)
        return NotImplemented if function is None else function(*args, **kwargs)


public(globals())
