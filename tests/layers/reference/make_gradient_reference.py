#!/usr/bin/env python3
"""Writes the reference vectors of tests/layers/data: gradients as torch.autograd has them.

    pip install torch numpy
    python3 tests/layers/reference/make_gradient_reference.py

The stored files come from torch 2.15.0 in double. Each holds the arrays of one case one after
another, complex numbers as pairs (re, im): the inputs, the gradient by the result, the result, and
the gradients by the inputs.
"""
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)


def complex_normal(*shape):
    return torch.randn(*shape, dtype=torch.complex128)


def flat(x):
    x = x.detach().resolve_conj().contiguous()
    return (torch.view_as_real(x) if x.is_complex() else x).reshape(-1).numpy()


def save(name, function, *inputs):
    leaves = [x.clone().requires_grad_() for x in inputs]
    result = function(*leaves)
    gradient = torch.randn(result.shape, dtype=result.dtype)
    result.backward(gradient)
    arrays = [*inputs, gradient, result, *[x.grad for x in leaves]]
    np.save(DATA / f"{name}.npy", np.concatenate([flat(x) for x in arrays]))


save("fft", lambda x: torch.fft.fft(x, norm="ortho"), complex_normal(7))
save("ifft", torch.fft.ifft, complex_normal(6))
save("rfft", torch.fft.rfft, torch.randn(8))
save("rfft_odd", lambda x: torch.fft.rfft(x, norm="forward"), torch.randn(7))
save("irfft", lambda x: torch.fft.irfft(x, n=8), complex_normal(5))
save("irfft_odd", lambda x: torch.fft.irfft(x, n=7), complex_normal(4))
save("fftn", lambda x: torch.fft.fftn(x, dim=(0, 2)), complex_normal(3, 2, 4))

window = torch.hann_window(16)
save("stft", lambda x: torch.stft(x, 16, 4, window=window, pad_mode="reflect", return_complex=True),
     torch.randn(41))
save("istft", lambda x: torch.istft(x, 16, 4, window=window, length=38), complex_normal(9, 11))
save("magnitude", lambda x: x.abs(), torch.cat([complex_normal(4), torch.zeros(1) + 0j]))
save("mask", lambda x, m: x * m, complex_normal(5), complex_normal(5))
save("gemm", lambda a, b: a @ b, complex_normal(3, 4), complex_normal(4, 2))
save("einsum", lambda a, b, c: torch.einsum("iij,jk,k->i", a, b.conj(), c),
     complex_normal(3, 3, 2), complex_normal(2, 4), complex_normal(4))


def convolution(x, w, b):
    return F.conv1d(x, w, b, stride=2, padding=2, dilation=2, groups=2)


save("linear", lambda x, w, b: x @ w.T + b, complex_normal(3, 4), complex_normal(2, 4),
     complex_normal(2))
save("conv1d", convolution, complex_normal(2, 4, 9), complex_normal(6, 2, 3), complex_normal(6))


def root(v):
    values, vectors = torch.linalg.eigh(v)
    return vectors @ torch.diag_embed(values.rsqrt()) @ vectors.transpose(-1, -2)


def batch_norm(x, gamma, beta):  # [batch, features, length]
    z = torch.view_as_real(x).permute(1, 0, 2, 3).reshape(x.shape[1], -1, 2)
    centred = z - z.mean(1, keepdim=True)
    v = centred.transpose(1, 2) @ centred / z.shape[1] + 1e-5 * torch.eye(2)
    g = torch.stack([gamma[:, 0], gamma[:, 1], gamma[:, 1], gamma[:, 2]], -1).reshape(-1, 2, 2)
    y = centred @ root(v) @ g
    y = torch.view_as_complex(y.contiguous()) + beta[:, None]
    return y.reshape(x.shape[1], x.shape[0], x.shape[2]).permute(1, 0, 2)


save("batch_norm", batch_norm, complex_normal(3, 2, 5) * (1 + 0.5j), torch.rand(2, 3),
     complex_normal(2))


def modrelu(z, b):
    size = z.abs()
    return torch.relu(size + b) * z / size


save("modrelu", modrelu, complex_normal(6, 3), torch.tensor([0.3, -0.7, -0.2]))
save("crelu", lambda z: torch.complex(torch.relu(z.real), torch.relu(z.imag)), complex_normal(12))
