"""papilio's functions of numpy's arrays as functions of tensors, with their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import torch

from .._arrays import Array

Tensor: TypeAlias = torch.Tensor
Work: TypeAlias = Callable[[Array], Array]

_TYPES = (torch.float32, torch.float64, torch.complex64, torch.complex128)


def array_of(function: str, name: str, x: Any) -> Array:
    """The memory of a tensor, which is not copied unless it is a conjugate that was put off."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{function}: {name} must be a tensor, got {type(x).__name__}")
    if x.device.type != "cpu":
        raise TypeError(f"{function}: {name} must be on the CPU, got {x.device}")
    if x.dtype not in _TYPES:
        raise TypeError(f"{function}: {name} must be of float32, float64 or complex numbers of these, got {x.dtype}")
    return x.detach().resolve_conj().resolve_neg().numpy()


def workers() -> int:
    """torch's own number of threads, which is one in the processes of a DataLoader."""
    return torch.get_num_threads()


class _Linear(torch.autograd.Function):
    """A linear function and its adjoint, each of which is the other's gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, function: str, work: Work, adjoint: Work) -> Tensor:
        ctx.function, ctx.work, ctx.adjoint = function, work, adjoint
        return torch.from_numpy(work(array_of(function, "x", x)))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Any, ...]:
        return _Linear.apply(gradients[0], ctx.function, ctx.adjoint, ctx.work), None, None, None


@torch.compiler.disable
def linear(x: Tensor, function: str, work: Work, adjoint: Work) -> Tensor:
    """work(x); `adjoint` takes the gradient by it, dL/dRe + i dL/dIm, to that by x."""
    array_of(function, "x", x)
    return _Linear.apply(x, function, work, adjoint)  # type: ignore[no-any-return, no-untyped-call]


class _Refusal(torch.autograd.Function):
    """A gradient that has none itself."""

    @staticmethod
    def forward(ctx: Any, result: Tensor, function: str) -> Tensor:
        ctx.function = function
        return result.view_as(result)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Any, ...]:
        raise RuntimeError(
            f"{ctx.function}: there is no second derivative: the spectra of the first are computed in place and not "
            "kept. Take power=None, whose spectra can be differentiated twice, and their abs() by torch"
        )


class _Size(torch.autograd.Function):
    """Magnitudes or powers of an StftPlan, [..., segments, bins].

    No spectra are kept: the gradient computes them once more, which takes less time than to write
    and read them.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, function: str, plan: Any, result: str) -> Tensor:
        ctx.save_for_backward(x)
        ctx.function, ctx.plan, ctx.result = function, plan, result
        return torch.from_numpy(plan.execute(array_of(function, "x", x), result, workers()))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Any, ...]:
        (x,), (gradient,) = ctx.saved_tensors, gradients
        with torch.no_grad():
            spectra = torch.from_numpy(ctx.plan.execute(array_of(ctx.function, "x", x), "complex", workers()))
            if ctx.result == "power":
                factor = 2 * gradient
            else:
                size = spectra.abs()
                factor = torch.where(size > 0, gradient / size, 0)
            torch.view_as_real(spectra).mul_(factor.unsqueeze(-1))
            out = torch.from_numpy(ctx.plan.vjp(spectra.numpy(), x.shape[-1], workers()))
        if torch.is_grad_enabled():
            out = _Refusal.apply(out.requires_grad_(), ctx.function)
        return out, None, None, None


@torch.compiler.disable
def size(x: Tensor, function: str, plan: Any, result: str) -> Tensor:
    """The plan's "magnitude" or "power" of x [..., samples], as [..., segments, bins]."""
    array_of(function, "x", x)
    return _Size.apply(x, function, plan, result)  # type: ignore[no-any-return, no-untyped-call]


def fitted(x: Array, axis: int, n: int) -> Array:
    """The first n elements along an axis, with zeros behind where there are fewer."""
    here = x.shape[axis]
    if n <= here:
        return x[(slice(None),) * (axis % x.ndim) + (slice(n),)]
    pads = [(0, 0)] * x.ndim
    pads[axis % x.ndim] = (0, n - here)
    return np.pad(x, pads)
