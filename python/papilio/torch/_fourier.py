"""torch.fft's transforms, and torch.stft's, by papilio."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from .. import fft as host
from .._arrays import Array
from .._calls import public
from ..signal import IstftPlan, StftPlan
from ._autograd import Tensor, array_of, fitted, linear, workers

__all__ = ["fft", "fftn", "ifft", "ifftn", "irfft", "irfftn", "istft", "rfft", "rfftn", "stft"]

_OTHER = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def _norm(function: str, norm: str | None) -> str:
    if norm is None:
        return "backward"
    if norm not in _OTHER:
        raise ValueError(f"{function}: norm must be backward, ortho or forward, got {norm!r}")
    return norm


def _axes(function: str, x: Tensor, s: Sequence[int] | None, dim: int | Sequence[int] | None) -> tuple[
        list[int], list[int]]:  # fmt: skip
    """Axes, and the lengths that x is to have along them."""
    rank = x.dim()
    if dim is None:
        axes = list(range(rank - len(s), rank)) if s is not None else list(range(rank))
    else:
        axes = [dim] if isinstance(dim, int) else list(dim)
    for axis in axes:
        if not -rank <= axis < rank:
            raise ValueError(f"{function}: dim must be in [{-rank}, {rank}), got {axis}")
    axes = [axis % rank for axis in axes]
    if len(set(axes)) != len(axes):
        raise ValueError(f"{function}: dim names an axis twice, got {dim}")
    if not axes:
        raise ValueError(f"{function}: there is no axis to transform")
    lengths = [x.shape[a] for a in axes] if s is None else [int(n) for n in s]
    if len(lengths) != len(axes):
        raise ValueError(f"{function}: s and dim must be of one length, got {len(lengths)} and {len(axes)}")
    return axes, [x.shape[a] if n == -1 else n for a, n in zip(axes, lengths)]


def _to_shape(x: Array, axes: Sequence[int], shape: Sequence[int]) -> Array:
    for axis in axes:
        x = fitted(x, axis, shape[axis])
    return x


def _complex(function: str, x: Tensor, s: Sequence[int] | None, dim: int | Sequence[int] | None,
             norm: str | None, inverse: bool) -> Tensor:  # fmt: skip
    array_of(function, "input", x)
    scale, (axes, lengths) = _norm(function, norm), _axes(function, x, s, dim)
    shape, there, back = tuple(x.shape), host.fftn, host.ifftn
    if inverse:
        there, back = back, there

    def work(a: Array) -> Array:
        return there(a, lengths, axes, scale, workers=workers())

    def adjoint(g: Array) -> Array:
        return _to_shape(back(g, lengths, axes, _OTHER[scale], workers=workers()), axes, shape)

    return linear(x if x.is_complex() else torch.complex(x, torch.zeros_like(x)), function, work, adjoint)


def _of_real(function: str, x: Tensor, s: Sequence[int] | None, dim: int | Sequence[int] | None,
             norm: str | None) -> Tensor:  # fmt: skip
    if array_of(function, "input", x).dtype.kind == "c":
        raise TypeError(f"{function}: input must be real, got {x.dtype}")
    scale, (axes, lengths) = _norm(function, norm), _axes(function, x, s, dim)
    shape = tuple(x.shape)

    def work(a: Array) -> Array:
        return host.rfftn(a, lengths, axes, scale, workers=workers())

    def adjoint(g: Array) -> Array:
        return _to_shape(host.rfftn_vjp(g, lengths, axes, scale, workers()), axes, shape)

    return linear(x, function, work, adjoint)


def _to_real(function: str, x: Tensor, s: Sequence[int] | None, dim: int | Sequence[int] | None,
             norm: str | None) -> Tensor:  # fmt: skip
    array_of(function, "input", x)
    scale, (axes, lengths) = _norm(function, norm), _axes(function, x, s, dim)
    shape = tuple(x.shape)
    if s is None or s[-1] == -1:
        lengths[-1] = 2 * (shape[axes[-1]] - 1)

    def work(a: Array) -> Array:
        return host.irfftn(a, lengths, axes, scale, workers=workers())

    def adjoint(g: Array) -> Array:
        return _to_shape(host.irfftn_vjp(g, lengths, axes, scale, workers()), axes, shape)

    return linear(x if x.is_complex() else torch.complex(x, torch.zeros_like(x)), function, work, adjoint)


def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Discrete Fourier transform along one axis, torch.fft.fft.

    Parameters:
        input: a tensor, real or complex.
        n: length; None: the input's.
        dim: axis.
        norm: "backward" (None), "ortho" or "forward".

    Returns:
        A complex tensor; gradients of any order.

    Raises:
        TypeError, ValueError: for arguments that do not fit.

    Example:
        >>> papilio.torch.fft(torch.ones(4)).real
        tensor([4., 0., 0., 0.])
    """
    return _complex("fft", input, None if n is None else [n], dim, norm, False)


def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of fft, torch.fft.ifft.

    Parameters:
        input, n, dim, norm: as of fft.

    Returns:
        A complex tensor.

    Raises:
        TypeError, ValueError: as fft.

    Example:
        >>> papilio.torch.ifft(papilio.torch.fft(torch.arange(3.0))).real.round()
        tensor([0., 1., 2.])
    """
    return _complex("ifft", input, None if n is None else [n], dim, norm, True)


def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Discrete Fourier transform of real numbers, the bins 0 ... n // 2: torch.fft.rfft.

    Parameters:
        input: a real tensor.
        n, dim, norm: as of fft.

    Returns:
        A complex tensor.

    Raises:
        TypeError, ValueError: as fft, and for complex numbers.

    Example:
        >>> papilio.torch.rfft(torch.ones(2, 6)).shape
        torch.Size([2, 4])
    """
    return _of_real("rfft", input, None if n is None else [n], dim, norm)


def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of rfft, torch.fft.irfft.

    Parameters:
        input: bins.
        n: length of the result; None: twice the bins but one.
        dim, norm: as of fft.

    Returns:
        A real tensor.

    Raises:
        TypeError, ValueError: as fft.

    Example:
        >>> papilio.torch.irfft(torch.ones(3, dtype=torch.complex64))
        tensor([1., 0., 0., 0.])
    """
    return _to_real("irfft", input, None if n is None else [n], dim, norm)


def fftn(input: Tensor, s: Sequence[int] | None = None, dim: Sequence[int] | None = None,
         norm: str | None = None) -> Tensor:  # fmt: skip
    """Discrete Fourier transform along several axes, torch.fft.fftn.

    Parameters:
        input: a tensor, real or complex.
        s: lengths along the axes; None: the input's; -1: that axis's own.
        dim: axes; None: all, or the last ones of `s`.
        norm: as of fft.

    Returns:
        A complex tensor.

    Raises:
        TypeError, ValueError: as fft.

    Example:
        >>> papilio.torch.fftn(torch.ones(2, 2)).real
        tensor([[4., 0.],
                [0., 0.]])
    """
    return _complex("fftn", input, s, dim, norm, False)


def ifftn(input: Tensor, s: Sequence[int] | None = None, dim: Sequence[int] | None = None,
          norm: str | None = None) -> Tensor:  # fmt: skip
    """The inverse of fftn, torch.fft.ifftn.

    Parameters:
        input, s, dim, norm: as of fftn.

    Returns:
        A complex tensor.

    Raises:
        TypeError, ValueError: as fft.

    Example:
        >>> papilio.torch.ifftn(torch.ones(2, 2)).real
        tensor([[1., 0.],
                [0., 0.]])
    """
    return _complex("ifftn", input, s, dim, norm, True)


def rfftn(input: Tensor, s: Sequence[int] | None = None, dim: Sequence[int] | None = None,
          norm: str | None = None) -> Tensor:  # fmt: skip
    """Discrete Fourier transform of real numbers along several axes, torch.fft.rfftn.

    Parameters:
        input: a real tensor.
        s, dim, norm: as of fftn; along the last of the axes the bins 0 ... n // 2.

    Returns:
        A complex tensor.

    Raises:
        TypeError, ValueError: as rfft.

    Example:
        >>> papilio.torch.rfftn(torch.ones(4, 4)).shape
        torch.Size([4, 3])
    """
    return _of_real("rfftn", input, s, dim, norm)


def irfftn(input: Tensor, s: Sequence[int] | None = None, dim: Sequence[int] | None = None,
           norm: str | None = None) -> Tensor:  # fmt: skip
    """The inverse of rfftn, torch.fft.irfftn.

    Parameters:
        input: bins.
        s, dim, norm: as of fftn; `s` are the result's lengths.

    Returns:
        A real tensor.

    Raises:
        TypeError, ValueError: as fft.

    Example:
        >>> papilio.torch.irfftn(papilio.torch.rfftn(torch.ones(4, 4))).sum()
        tensor(16.)
    """
    return _to_real("irfftn", input, s, dim, norm)


# What torch pads with, and its names here.
PADDINGS = {"reflect": "reflect", "constant": "zero", "replicate": "edge"}


def weights(function: str, window: Tensor | None, length: int, n_fft: int) -> bytes:
    """A window of so many weights as bytes of doubles; None: of ones."""
    if window is None:
        window = torch.ones(length)
    values = array_of(function, "window", window)
    if values.shape != (length,) or values.dtype.kind == "c":
        raise ValueError(
            f"{function}: window must be {length} real weights, got {list(values.shape)} of {window.dtype}"
        )
    if length > n_fft:
        raise ValueError(f"{function}: win_length must be at most n_fft, {n_fft}, got {length}")
    return values.astype(np.float64).tobytes()


@functools.lru_cache(maxsize=64)
def plan_of(kind: type[Any], n_fft: int, hop: int, window: bytes, center: bool, padding: str, onesided: bool) -> Any:
    """An StftPlan or IstftPlan, of which the last few are kept."""
    return kind(n_fft, hop, np.frombuffer(window), center=center, padding=padding, sides="one" if onesided else "two")


def padded(function: str, x: Tensor, n_fft: int, center: bool, pad_mode: str) -> tuple[Tensor, bool, str]:
    """x with what no plan pads with, and whether and how the plan pads."""
    if pad_mode in PADDINGS:
        return x, center, PADDINGS[pad_mode]
    if pad_mode != "circular":
        raise ValueError(f"{function}: pad_mode must be {', '.join(PADDINGS)} or circular, got {pad_mode!r}")
    if center:
        side = n_fft // 2
        rows = x.reshape(1, -1, x.shape[-1])
        x = torch.nn.functional.pad(rows, (side, side), "circular").reshape(*x.shape[:-1], -1)
    return x, False, "zero"


def spectra(function: str, x: Tensor, plan: Any) -> Tensor:
    """Spectra [..., segments, bins] of x [..., samples]."""
    samples = x.shape[-1]
    return linear(x, function, lambda a: plan.execute(a, "complex", workers()),
                  lambda g: plan.vjp(g, samples, workers()))  # fmt: skip


def one_side(x: Tensor, n_fft: int, onesided: bool) -> Tensor:
    """[..., segments, bins] of [..., bins, segments], of whose bins torch reads one side."""
    return (x if onesided else x[..., : n_fft // 2 + 1, :]).transpose(-1, -2)


def signals(function: str, x: Tensor, plan: Any, center: bool, length: int | None) -> Tensor:
    """`length` samples, or all, of spectra [..., segments, bins]; zeros beyond the last segment's end."""
    segments = x.shape[-2]
    most = (segments - 1) * plan.hop + plan.n_fft - (plan.n_fft // 2 if center else 0)
    kept = None if length is None else min(length, most)
    out = linear(x, function, lambda a: plan.execute(a, kept, workers()),
                 lambda g: plan.vjp(g, segments, workers()))  # fmt: skip
    return out if length is None or length <= most else torch.nn.functional.pad(out, (0, length - most))


def stft(input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
         window: Tensor | None = None, center: bool = True, pad_mode: str = "reflect",
         normalized: bool = False, onesided: bool = True) -> Tensor:  # fmt: skip
    """Short-time Fourier transform, torch.stft with return_complex=True.

    Parameters:
        input: real samples [..., samples].
        n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided: as of
            torch.stft; hop_length None: n_fft // 4, win_length None: n_fft, window None: ones.

    Returns:
        A complex tensor [..., bins, segments]; gradients of any order.

    Raises:
        TypeError, ValueError: for arguments that do not fit.

    Example:
        >>> papilio.torch.stft(torch.ones(2, 8000), 512, window=torch.hann_window(512)).shape
        torch.Size([2, 257, 63])
    """
    function = "stft"
    if array_of(function, "input", input).dtype.kind == "c":
        raise TypeError(f"{function}: input must be real, got {input.dtype}")
    values = weights(function, window, win_length or n_fft, n_fft)
    x, centred, padding = padded(function, input, n_fft, center, pad_mode)
    plan = plan_of(StftPlan, n_fft, hop_length or n_fft // 4, values, centred, padding, onesided)
    out = spectra(function, x, plan).transpose(-1, -2)
    return out / n_fft**0.5 if normalized else out


def istft(input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
          window: Tensor | None = None, center: bool = True, normalized: bool = False,
          onesided: bool = True, length: int | None = None) -> Tensor:  # fmt: skip
    """The inverse of stft by least squares, torch.istft.

    Parameters:
        input: spectra [..., bins, segments].
        n_fft, hop_length, win_length, window, center, normalized, onesided, length: as of
            torch.istft.

    Returns:
        A real tensor [..., samples]; gradients of any order.

    Raises:
        TypeError, ValueError: for arguments that do not fit, and where the windows leave gaps.

    Example:
        >>> window = torch.hann_window(512)
        >>> x = torch.randn(8000)
        >>> spectra = papilio.torch.stft(x, 512, window=window)
        >>> y = papilio.torch.istft(spectra, 512, window=window, length=8000)
        >>> bool(torch.allclose(x, y, atol=1e-5))
        True
    """
    function = "istft"
    array_of(function, "input", input)
    values = weights(function, window, win_length or n_fft, n_fft)
    plan = plan_of(IstftPlan, n_fft, hop_length or n_fft // 4, values, center, "zero", True)
    x = one_side(input, n_fft, onesided)
    return signals(function, x * n_fft**0.5 if normalized else x, plan, center, length)


public(globals())
