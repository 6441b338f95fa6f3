"""Layers of complex networks against sums in numpy, and their gradients against differences."""

import numpy as np
import pytest

import papilio
from conftest import relative_error

layers = pytest.importorskip("papilio.layers")


def numbers(rng, *shape):
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def test_values_are_those_of_the_formulas(rng):
    x, w, b = numbers(rng, 3, 4, 5), numbers(rng, 6, 5), numbers(rng, 6)
    assert relative_error(layers.complex_linear(x, w, b), x @ w.T + b) < 1e-14
    assert relative_error(layers.complex_linear(x, w), x @ w.T) < 1e-14
    single = layers.complex_linear(x.astype(np.complex64), w.astype(np.complex64), b.astype(np.complex64))
    assert single.dtype == np.complex64 and layers.complex_linear(x.astype(np.complex64), w).dtype == np.complex128
    bias = rng.standard_normal(5)
    size = np.abs(x)
    assert relative_error(layers.complex_modrelu(x, bias), np.maximum(size + bias, 0) * x / size) < 1e-14
    swapped = layers.complex_modrelu(x.swapaxes(0, 2), bias, axis=0)
    assert np.array_equal(swapped, layers.complex_modrelu(x, bias).swapaxes(0, 2))
    assert np.array_equal(layers.complex_relu(x), np.maximum(x.real, 0) + 1j * np.maximum(x.imag, 0))
    assert np.array_equal(layers.complex_relu(x, "zrelu"), np.where((x.real >= 0) & (x.imag >= 0), x, 0))


def convolved(x, w, b, stride, before, after, dilation, groups):
    x = np.pad(x, ((0, 0), (0, 0), (before, after)))
    out, part, kernel = w.shape
    length = (x.shape[-1] - (kernel - 1) * dilation - 1) // stride + 1
    y = np.empty((x.shape[0], out, length), complex)
    for o in range(out):
        first = o // (out // groups) * part
        for at in range(length):
            window = x[:, first : first + part, at * stride : at * stride + (kernel - 1) * dilation + 1 : dilation]
            y[:, o, at] = (window * w[o]).sum(axis=(1, 2)) + b[o]
    return y


@pytest.mark.parametrize("stride, padding, dilation, groups", [(1, 0, 1, 1), (2, (1, 3), 1, 2), (3, 2, 2, 1), (1, "same", 2, 2)])
def test_convolutions(rng, stride, padding, dilation, groups):
    x, w, b = numbers(rng, 2, 4, 11), numbers(rng, 6, 4 // groups, 3), numbers(rng, 6)
    options = dict(stride=stride, padding=padding, dilation=dilation, groups=groups)
    before, after = (2, 2) if padding == "same" else (padding, padding) if isinstance(padding, int) else padding
    y = layers.complex_conv1d(x, w, b, **options)
    assert relative_error(y, convolved(x, w, b, stride, before, after, dilation, groups)) < 1e-14
    check(rng, lambda *a: layers.complex_conv1d(*a, **options),
          lambda *a: layers.complex_conv1d_vjp(*a, **options), (x, w, b))  # fmt: skip


def check(rng, layer, vjp, arguments):
    """<gradient, change of y along a change> is the change of the loss, by central differences."""
    y = layer(*arguments)
    by_y = numbers(rng, *y.shape)
    found = vjp(*arguments, by_y)
    found = found if isinstance(found, tuple) else (found,)
    step = 1e-6
    for i, g in enumerate(found):
        v = np.asarray(arguments[i])
        assert g.shape == v.shape and np.iscomplexobj(g) == np.iscomplexobj(v)
        way = numbers(rng, *v.shape) if np.iscomplexobj(v) else rng.standard_normal(v.shape)
        ends = [layer(*arguments[:i], v + s * way, *arguments[i + 1 :]) for s in (-step, step)]
        slope = np.vdot(by_y, (ends[1] - ends[0]) / (2 * step)).real
        assert np.vdot(g, way).real == pytest.approx(slope, rel=1e-6, abs=1e-7)


def test_gradients_are_differences(rng):
    x, gamma, beta = numbers(rng, 7, 3, 2), rng.standard_normal((3, 3)), numbers(rng, 3)
    check(rng, layers.complex_linear, layers.complex_linear_vjp, (x, numbers(rng, 4, 2), numbers(rng, 4)))
    check(rng, layers.complex_modrelu, layers.complex_modrelu_vjp, (x, rng.standard_normal(2)))
    for kind in ("crelu", "zrelu"):
        check(rng, lambda x: layers.complex_relu(x, kind), lambda x, g: layers.complex_relu_vjp(x, g, kind), (x,))
    check(rng, layers.complex_batch_norm_training, layers.complex_batch_norm_training_vjp, (x, gamma, beta))
    mean, covariance = layers.batch_statistics(x)

    def by_given(x, gamma, beta):
        return layers.complex_batch_norm(x, gamma, beta, mean, covariance)

    check(rng, by_given, lambda x, gamma, beta, g: layers.complex_batch_norm_vjp(x, gamma, beta, mean, covariance, g),
          (x, gamma, beta))  # fmt: skip
    assert relative_error(by_given(x, gamma, beta), layers.complex_batch_norm_training(x, gamma, beta)) < 1e-12


def test_batch_norm_whitens(rng):
    x = numbers(rng, 50, 3) @ np.diag([1, 2, 3]) + 1j * rng.standard_normal((50, 3))
    mean, covariance = layers.batch_statistics(x)
    assert relative_error(mean, x.mean(0)) < 1e-14
    d = x - x.mean(0)
    expected = np.stack([(d.real**2).mean(0), (d.real * d.imag).mean(0), (d.imag**2).mean(0)], -1)
    assert relative_error(covariance, expected) < 1e-13
    y = layers.complex_batch_norm_training(x, np.tile([1.0, 0, 1], (3, 1)), np.zeros(3), epsilon=1e-12)
    of_y = layers.batch_statistics(y)
    assert abs(of_y[0]).max() < 1e-14 and relative_error(of_y[1], np.tile([1.0, 0, 1], (3, 1))) < 1e-9


@pytest.mark.parametrize("subscripts, shapes", [("ij,jk->ik", ((3, 4), (4, 5))), ("ij,jk,kl->il", ((3, 4), (4, 5), (5, 2))),
                                                ("ii->i", ((4, 4),)), ("bij,bjk->ik", ((2, 3, 4), (2, 4, 5)))])  # fmt: skip
def test_gradients_of_einsum_are_differences(rng, subscripts, shapes):
    operands = tuple(numbers(rng, *s) for s in shapes)
    check(rng, lambda *a: papilio.einsum(subscripts, *a),
          lambda *a: tuple(papilio.einsum_vjp(subscripts, a[-1], *a[:-1])), operands)  # fmt: skip
    real = operands[0].real
    y = papilio.einsum(subscripts, real, *operands[1:])
    by = papilio.einsum_vjp(subscripts, np.ones_like(y), real, *operands[1:])
    assert by[0].dtype == np.float64


@pytest.mark.parametrize("call, kind, words", [
    (lambda z: layers.complex_linear(z, z[:, :2]), ValueError, "complex_linear"),
    (lambda z: layers.complex_linear(z, z[0]), ValueError, "^complex_linear: weight must have 2 axes, got 1$"),
    (lambda z: layers.complex_conv1d(z[None], z[None], stride=0), ValueError, "^complex_conv1d: stride must be at least 1, got 0$"),
    (lambda z: layers.complex_conv1d(z[None], z[None], padding="full"), ValueError, "^complex_conv1d: padding must be "),
    (lambda z: layers.complex_conv1d(z[None], z[None], padding="same", stride=2), ValueError, "^complex_conv1d: stride must be 1 "),
    (lambda z: layers.complex_relu(z, "relu"), ValueError, "^complex_relu: kind must be crelu or zrelu, got relu$"),
    (lambda z: layers.complex_modrelu(z, [1.0]), ValueError, "complex_modrelu"),
    (lambda z: layers.complex_modrelu(z, [1j, 1, 1]), TypeError, "^complex_modrelu: bias must be real, got complex numbers$"),
    (lambda z: layers.complex_batch_norm_training(z, np.ones((3, 3)), [0] * 3, epsilon=0), ValueError, "epsilon"),
    (lambda z: layers.complex_linear(z, z, bais=z[0]), TypeError, "^complex_linear: no option 'bais'; did you mean 'bias'\\?$"),
    (lambda z: papilio.einsum_vjp("ij->i", z, z), ValueError, "einsum_vjp|gradient"),
    (lambda z: papilio.einsum_vjp(z, z, z), TypeError, "^einsum_vjp: subscripts must be text, got ndarray$"),
])  # fmt: skip
def test_what_is_refused(call, kind, words):
    with pytest.raises(kind, match=words):
        call(np.ones((2, 3), complex))
