"""Layers of complex networks as functions of their input and parameters, and their gradients.

    complex_linear       complex_linear_vjp
    complex_conv1d       complex_conv1d_vjp
    complex_batch_norm   complex_batch_norm_vjp  batch_statistics
    complex_batch_norm_training  complex_batch_norm_training_vjp
    complex_modrelu      complex_modrelu_vjp
    complex_relu         complex_relu_vjp

Where all operands are of float32 and complex64 they are computed in float, all else in double. All
operands may be DeviceArrays, and so are the results then. A layer's vjp takes the gradient of a
real loss L by its result, and returns those by its input and parameters, as a tuple; that of a
complex number is dL/dRe + i dL/dIm, as in torch.autograd, that of a real one is real.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from . import _papilio
from ._arrays import Array
from ._calls import as_in, integer, public

if TYPE_CHECKING:
    from .device import Device

if not hasattr(_papilio, "complex_linear"):
    raise ImportError("this build of papilio has no tensors (PAPILIO_TENSOR=OFF)")

__all__ = [
    "batch_statistics", "complex_batch_norm", "complex_batch_norm_training",
    "complex_batch_norm_training_vjp", "complex_batch_norm_vjp", "complex_conv1d",
    "complex_conv1d_vjp", "complex_linear", "complex_linear_vjp", "complex_modrelu",
    "complex_modrelu_vjp", "complex_relu", "complex_relu_vjp",
]  # fmt: skip


def complex_linear(x: ArrayLike, weight: ArrayLike, bias: ArrayLike | None = None, *,
                   workers: int | None = None, on: Device | None = None) -> Array:  # fmt: skip
    """y = x W^T + b along the last axis.

    Parameters:
        x: complex [..., inputs].
        weight: complex [outputs, inputs].
        bias: complex [outputs], or None.
        workers: threads; None: those of papilio.fft.set_workers.
        on: a papilio.device.Device to run on, in float; None: the host.

    Returns:
        Complex array [..., outputs].

    Raises:
        ValueError, TypeError: where shapes do not fit.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> papilio.layers.complex_linear([1, 2j], [[1, 1], [1j, 0]], [0, 1])
        array([1.+2.j, 1.+1.j])
    """
    return _papilio.complex_linear(x, weight, bias, workers, on)


@as_in(complex_linear)
def complex_linear_vjp(x: ArrayLike, weight: ArrayLike, bias: ArrayLike | None, gradient: ArrayLike, *,
                       workers: int | None = None,
                       on: Device | None = None) -> tuple[Array, Array, Array | None]:  # fmt: skip
    """The gradients of complex_linear.

    Parameters:
        gradient: dL/dy, complex [..., outputs].
        ...

    Returns:
        Gradients by x, weight and bias, in their shapes; None where there is no bias.

    Raises:
        ValueError, TypeError: where shapes do not fit.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> by_x, by_weight, by_bias = papilio.layers.complex_linear_vjp([2j], [[3]], [0], [1])
        >>> by_weight
        array([[0.-2.j]])
    """
    return _papilio.complex_linear_vjp(x, weight, bias, gradient, workers, on)


def _conv1d(function: str, weight: Any, stride: int, dilation: int, groups: int,
            padding: int | tuple[int, int] | str) -> Any:  # fmt: skip
    dilation = integer(function, "dilation", dilation, 1)
    stride = integer(function, "stride", stride, 1)
    if padding == "same":
        if stride != 1:
            raise ValueError(f"{function}: stride must be 1 for padding 'same', got {stride}")
        before, after = _papilio.same_padding(np.shape(weight)[-1], dilation)
    elif isinstance(padding, str):
        raise ValueError(f"{function}: padding must be zeros at the ends or 'same', got {padding!r}")
    else:
        both = padding if isinstance(padding, (tuple, list)) else (padding, padding)
        before, after = (integer(function, "padding", p, 0) for p in both)
    return _papilio.Conv1dOptions(stride, dilation, integer(function, "groups", groups, 1), before, after)


def complex_conv1d(x: ArrayLike, weight: ArrayLike, bias: ArrayLike | None = None, *,
                   stride: int = 1, padding: int | tuple[int, int] | str = 0, dilation: int = 1,
                   groups: int = 1, workers: int | None = None,
                   on: Device | None = None) -> Array:  # fmt: skip
    """The sums of torch.nn.functional.conv1d, of complex numbers.

    y[b, o, l] = bias[o] + sum over c, k of weight[o, c, k] x[b, group(o) + c, l stride + k dilation
    - padding].

    Parameters:
        x: complex [batch, in channels, length].
        weight: complex [out channels, in channels / groups, kernel].
        bias: complex [out channels], or None.
        stride: samples from one result to the next.
        padding: zeros at both ends, (before, after), or "same", which keeps the length.
        dilation: samples from one weight to the next.
        groups: divides the channels of input and output.
        workers: threads; None: those of papilio.fft.set_workers.
        on: a papilio.device.Device to run on, in float; None: the host.

    Returns:
        Complex array [batch, out channels, (length + padding - (kernel - 1) dilation - 1) / stride
        + 1].

    Raises:
        ValueError, TypeError: where shapes do not fit, and for options out of their range.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> papilio.layers.complex_conv1d(np.ones((1, 1, 5)), [[[1, 1j]]]).shape
        (1, 1, 4)
    """
    options = _conv1d("complex_conv1d", weight, stride, dilation, groups, padding)
    return _papilio.complex_conv1d(x, weight, bias, options, workers, on)


@as_in(complex_conv1d)
def complex_conv1d_vjp(x: ArrayLike, weight: ArrayLike, bias: ArrayLike | None, gradient: ArrayLike, *,
                       stride: int = 1, padding: int | tuple[int, int] | str = 0, dilation: int = 1,
                       groups: int = 1, workers: int | None = None,
                       on: Device | None = None) -> tuple[Array, Array, Array | None]:  # fmt: skip
    """The gradients of complex_conv1d.

    Parameters:
        gradient: dL/dy, in the shape of y.
        ...

    Returns:
        Gradients by x, weight and bias, in their shapes; None where there is no bias.

    Raises:
        ValueError, TypeError: where shapes do not fit, and for options out of their range.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> x, weight = np.ones((1, 1, 5)), np.ones((1, 1, 2))
        >>> papilio.layers.complex_conv1d_vjp(x, weight, None, np.ones((1, 1, 4)))[1].real
        array([[[4., 4.]]])
    """
    options = _conv1d("complex_conv1d_vjp", weight, stride, dilation, groups, padding)
    return _papilio.complex_conv1d_vjp(x, weight, bias, gradient, options, workers, on)


def batch_statistics(x: ArrayLike) -> tuple[Array, Array]:
    """Mean and covariance of every feature over all other axes.

    Parameters:
        x: complex [batch, features, ...].

    Returns:
        The mean, complex [features], and the covariance, real [features, 3]: of real parts, of real
        and imaginary parts, and of imaginary parts; sums divided by the count.

    Raises:
        ValueError: for fewer than two axes, or where a feature has no number.

    Example:
        >>> mean, covariance = papilio.layers.batch_statistics([[1 + 1j], [3 + 1j]])
        >>> mean, covariance
        (array([2.+1.j]), array([[1., 0., 0.]]))
    """
    return _papilio.batch_statistics(x)


def complex_batch_norm(x: ArrayLike, gamma: ArrayLike, beta: ArrayLike, mean: ArrayLike,
                       covariance: ArrayLike, *, epsilon: float = 1e-5, workers: int | None = None,
                       on: Device | None = None) -> Array:  # fmt: skip
    """Complex batch normalisation by given statistics, as in inference.

    y = gamma V^(-1/2) (x - mean) + beta with complex numbers as vectors (re, im), and V the
    covariance plus epsilon on the diagonal (Trabelsi et al., Deep complex networks, 2018).

    Parameters:
        x: complex [batch, features, ...].
        gamma: real [features, 3], entries rr, ri and ii of a symmetric matrix.
        beta: complex [features].
        mean: complex [features], as batch_statistics returns it, or a running one.
        covariance: real [features, 3], likewise.
        epsilon: above 0.
        workers: threads; None: those of papilio.fft.set_workers.
        on: a papilio.device.Device to run on, in float; None: the host.

    Returns:
        Complex array in the shape of x.

    Raises:
        ValueError, TypeError: where shapes do not fit or the covariance is not positive definite.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> x = np.array([[1 + 1j], [3 - 1j], [2 + 2j]])
        >>> statistics = papilio.layers.batch_statistics(x)
        >>> y = papilio.layers.complex_batch_norm(x, [[1, 0, 1]], [0], *statistics)
        >>> bool(abs(y.mean()) < 1e-12)
        True
    """
    return _papilio.complex_batch_norm(x, gamma, beta, mean, covariance, epsilon, workers, on)


@as_in(complex_batch_norm)
def complex_batch_norm_vjp(x: ArrayLike, gamma: ArrayLike, beta: ArrayLike, mean: ArrayLike,
                           covariance: ArrayLike, gradient: ArrayLike, *, epsilon: float = 1e-5,
                           workers: int | None = None,
                           on: Device | None = None) -> tuple[Array, Array, Array]:  # fmt: skip
    """The gradients of complex_batch_norm, with the statistics fixed.

    Parameters:
        gradient: dL/dy, in the shape of x.
        ...

    Returns:
        Gradients by x, gamma and beta, in their shapes.

    Raises:
        ValueError, TypeError: where shapes do not fit or the covariance is not positive definite.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> x = np.array([[1 + 1j], [3 - 1j], [2 + 2j]])
        >>> statistics = papilio.layers.batch_statistics(x)
        >>> papilio.layers.complex_batch_norm_vjp(x, [[1, 0, 1]], [0], *statistics, np.ones((3, 1)))[2]
        array([3.+0.j])
    """
    return _papilio.complex_batch_norm_vjp(x, gamma, beta, mean, covariance, gradient, epsilon, workers, on)


@as_in(complex_batch_norm)
def complex_batch_norm_training(x: ArrayLike, gamma: ArrayLike, beta: ArrayLike, *,
                                epsilon: float = 1e-5, workers: int | None = None,
                                on: Device | None = None) -> Array:  # fmt: skip
    """Complex batch normalisation by the statistics of x itself, as in training.

    Parameters:
        ...

    Returns:
        Complex array in the shape of x.

    Raises:
        ValueError, TypeError: where shapes do not fit.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> x = np.array([[1 + 1j], [3 - 1j], [2 + 2j]])
        >>> y = papilio.layers.complex_batch_norm_training(x, [[1, 0, 1]], [5])
        >>> complex(y.mean().round(12))
        (5+0j)
    """
    return _papilio.complex_batch_norm_training(x, gamma, beta, epsilon, workers, on)


@as_in(complex_batch_norm_vjp)
def complex_batch_norm_training_vjp(x: ArrayLike, gamma: ArrayLike, beta: ArrayLike, gradient: ArrayLike, *,
                                    epsilon: float = 1e-5, workers: int | None = None,
                                    on: Device | None = None) -> tuple[Array, Array, Array]:  # fmt: skip
    """The gradients of complex_batch_norm_training; that by x goes through mean and covariance too.

    Parameters:
        ...

    Returns:
        Gradients by x, gamma and beta, in their shapes.

    Raises:
        ValueError, TypeError: where shapes do not fit.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> x = np.array([[1 + 1j], [3 - 1j], [2 + 2j]])
        >>> g = papilio.layers.complex_batch_norm_training_vjp(x, [[1, 0, 1]], [0], np.ones((3, 1)))
        >>> bool(abs(g[0]).max() < 1e-9)
        True
    """
    return _papilio.complex_batch_norm_training_vjp(x, gamma, beta, gradient, epsilon, workers, on)


def complex_modrelu(x: ArrayLike, bias: ArrayLike, axis: int = -1, *, workers: int | None = None,
                    on: Device | None = None) -> Array:  # fmt: skip
    """modReLU, max(|z| + b, 0) z / |z|: phases stay, magnitudes of at most -b become 0.

    Parameters:
        x: complex array.
        bias: real, one b for each feature along the axis.
        axis: of the features.
        workers: threads; None: those of papilio.fft.set_workers.
        on: a papilio.device.Device to run on, in float; None: the host.

    Returns:
        Complex array in the shape of x.

    Raises:
        ValueError, TypeError: where bias has another extent than the axis.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> papilio.layers.complex_modrelu([3 + 4j, 0.5j], [-1.0, -1.0])
        array([2.4+3.2j, 0. +0.j ])
    """
    return _papilio.complex_modrelu(x, bias, integer("complex_modrelu", "axis", axis), workers, on)


@as_in(complex_modrelu)
def complex_modrelu_vjp(x: ArrayLike, bias: ArrayLike, gradient: ArrayLike, axis: int = -1, *,
                        workers: int | None = None,
                        on: Device | None = None) -> tuple[Array, Array]:  # fmt: skip
    """The gradients of complex_modrelu; 0 where x is 0, and where |z| + b is 0.

    Parameters:
        gradient: dL/dy, in the shape of x.
        ...

    Returns:
        Gradients by x and bias, in their shapes.

    Raises:
        ValueError, TypeError: where shapes do not fit.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> papilio.layers.complex_modrelu_vjp([3 + 4j], [-1.0], [1])[1]
        array([0.6])
    """
    axis = integer("complex_modrelu_vjp", "axis", axis)
    return _papilio.complex_modrelu_vjp(x, bias, gradient, axis, workers, on)


def complex_relu(x: ArrayLike, kind: str = "crelu", *, workers: int | None = None,
                 on: Device | None = None) -> Array:  # fmt: skip
    """A rectifier of every element.

    Parameters:
        x: complex array.
        kind: "crelu", max(re, 0) + i max(im, 0), or "zrelu", z where neither part is negative,
            else 0.
        workers: threads; None: those of papilio.fft.set_workers.
        on: a papilio.device.Device to run on, in float; None: the host.

    Returns:
        Complex array in the shape of x.

    Raises:
        ValueError, TypeError: for kinds that there are not.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> papilio.layers.complex_relu([1 - 1j, 2 + 1j])
        array([1.+0.j, 2.+1.j])
    """
    return _papilio.complex_relu(x, kind, workers, on)


@as_in(complex_relu)
def complex_relu_vjp(x: ArrayLike, gradient: ArrayLike, kind: str = "crelu", *,
                     workers: int | None = None, on: Device | None = None) -> Array:  # fmt: skip
    """The gradient of complex_relu by x; derivatives at 0 are 0, as of torch.relu.

    Parameters:
        gradient: dL/dy, in the shape of x.
        ...

    Returns:
        Complex array in the shape of x.

    Raises:
        ValueError, TypeError: for kinds that there are not, and another shape.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> papilio.layers.complex_relu_vjp([1 - 1j, 2 + 1j], [1 + 1j, 1 + 1j])
        array([1.+0.j, 1.+1.j])
    """
    return _papilio.complex_relu_vjp(x, gradient, kind, workers, on)


public(globals())
