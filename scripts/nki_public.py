#!/usr/bin/env python3
"""Runs public NKI kernels, unmodified, on papilio's modelled machine, and prints what comes out.

usage: scripts/nki_public.py [--trnfft DIR] [--samples DIR] [--nkibench DIR] [--dry] [NAME ...]

DIR are checkouts of trnsci/trnfft, aws-neuron/nki-samples and zhang677/AccelOpt; none of their code is
here. For each kernel: the largest error over the largest value of a reference in numpy, the modelled
device time beside the published one, and bytes read from HBM, modelled and published. --dry computes no
values. NAMEs select kernels. Exits 1 if a kernel failed or its numbers are wrong.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.util
import pathlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import papilio.nki as nki

# Kernel-only times of the sources' authors on one core of trn1, in us, and bytes that were read from HBM:
# AccelOpt's profile_results.csv, and the text of the mamba tutorial.
PUBLISHED = {
    "rmsnorm_matmul": (1055.76, 39387136), "rope_single_freq_apply": (4333.01, 268435456),
    "bmm": (4610.889, 67436544), "transpose_matmul": (9610.311, 392167424), "silu": (1333.232, 117440512),
    "add_rmsnorm_matmul": (1221.911, 42012672), "mamba_v1": (172.93, None),
}  # fmt: skip
# Kernels that the vendor's compiler spilled: papilio refuses them. lora and adamw take hours of Python.
REFUSED = {"swiglu", "gqa_full", "bmm_softmax"}
TOO_LARGE = {"lora", "matmul"}

rng = np.random.default_rng(20)


def numbers(*shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def module_at(path: pathlib.Path, name: str) -> types.ModuleType:
    with nki.as_nki():
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


class Case:
    """A kernel, its arguments, and what numpy says of them; `timed`: other arguments for the time."""

    def __init__(self, name: str, kernel: Any, args: tuple, reference: Callable[..., Any],
                 timed: tuple | None = None, tolerance: float = 1e-5) -> None:  # fmt: skip
        self.name, self.kernel, self.args, self.reference = name, kernel, args, reference
        self.timed = args if timed is None else timed
        self.tolerance = tolerance


def parts(*complexes: np.ndarray) -> tuple[np.ndarray, ...]:
    return tuple(np.ascontiguousarray(p, dtype=np.float32) for z in complexes for p in (z.real, z.imag))


def joined(result: Any) -> np.ndarray:
    return result[0] + 1j * result[1] if isinstance(result, tuple) else result


def trnfft_cases(root: pathlib.Path) -> Iterator[Case]:
    """Kernels by their files alone: the package itself imports torch."""
    folder = root / "trnfft" / "nki"
    package, dispatch = types.ModuleType("trnfft_kernels"), types.ModuleType("trnfft_kernels.dispatch")
    package.__path__ = []
    dispatch.HAS_NKI = True
    sys.modules.update({"trnfft_kernels": package, "trnfft_kernels.dispatch": dispatch})
    stockham = module_at(folder / "stockham.py", "trnfft_kernels.stockham")
    butterfly = module_at(folder / "butterfly.py", "trnfft_kernels.butterfly")
    # The kernels of dispatch.py stand under "if HAS_NKI".
    source = (folder / "dispatch.py").read_text()
    block = next(n for n in ast.parse(source).body if isinstance(n, ast.If)
                 and any(isinstance(f, ast.FunctionDef) and f.name.startswith("_complex") for f in n.body))  # fmt: skip
    with nki.as_nki():
        imports = ast.parse("import nki, nki.isa as nisa, nki.language as nl").body
        calls: dict[str, Any] = {"PMAX": 128, "HAS_NKI": True}
        exec(compile(ast.Module([*imports, block], []), str(folder / "dispatch.py"), "exec"), calls)

    def complex_numbers(*shape: int) -> np.ndarray:
        return numbers(*shape) + 1j * numbers(*shape)

    x, t = complex_numbers(1024, 4), np.exp(1j * numbers(1024, 4))
    yield Case("stockham_radix4_stage", stockham.stockham_radix4_stage_kernel, parts(x, t),
               lambda: np.fft.fft(x * t, axis=1))  # fmt: skip
    x8, w8 = complex_numbers(1024, 8), np.exp(-2j * np.pi / 8 * np.outer(np.arange(8), np.arange(8)))
    yield Case("stockham_radix8_w8", stockham.stockham_radix8_w8_kernel, parts(x8, w8),
               lambda: np.fft.fft(x8, axis=1))  # fmt: skip
    n, stage = 64, 3
    z, m, half = complex_numbers(8, n), 16, 8
    w = np.broadcast_to(np.exp(-2j * np.pi * np.arange(half) / m), (8 * n // m, half))
    groups = z.reshape(-1, m)
    expected = np.concatenate([groups[:, :half] + w * groups[:, half:], groups[:, :half] - w * groups[:, half:]], 1)
    for kernel in (butterfly.butterfly_stage_kernel, butterfly.butterfly_stage_kernel_kahan):
        yield Case(kernel.__name__, kernel, (*parts(z, w), n, stage), lambda: expected.reshape(8, n))
    a, b, c = complex_numbers(256, 256), complex_numbers(256, 512), complex_numbers(256, 512)
    yield Case("_complex_mul", calls["_complex_mul_kernel"], parts(b, c), lambda: b * c)
    yield Case("_complex_gemm", calls["_complex_gemm_kernel"], parts(a, b), lambda: a @ b)
    yield Case("_complex_gemm_bf16", calls["_complex_gemm_kernel_bf16"], parts(a, b), lambda: a @ b)
    weights = complex_numbers(512, 256)
    yield Case("_complex_linear", calls["_complex_linear_kernel"], parts(a, weights), lambda: a @ weights.T)


def mamba(delta: Any, u: Any, a: Any, b: Any, c: Any) -> np.ndarray:
    state = np.zeros((delta.shape[1], a.shape[1]))
    out = np.zeros(delta.shape[1:])
    for i in range(delta.shape[2]):
        d = delta[0, :, i, None].astype(float)
        state = np.exp(d * a) * state + d * u[0, :, i, None] * b[0, :, i]
        out[:, i] = state @ c[0, :, i]
    return out[None]


def attention(q: Any, k: Any, v: Any) -> np.ndarray:
    scores = q.T.astype(float) @ k
    powers = np.exp(scores - scores.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True) @ v.T


def samples_cases(root: pathlib.Path) -> Iterator[Case]:
    folder = root / "src" / "nki_samples" / "tutorials"

    def tutorial(path: str) -> types.ModuleType:
        return module_at(folder / path, pathlib.Path(path).stem)

    a, b = (rng.random((256, 1024)).astype(np.float16) for _ in range(2))
    for path, name in (
        ("tensor_addition/tensor_addition_nki_kernels.py", "nki_tensor_add"),
        ("tensor_addition/spmd_tensor_addition_nki_kernels.py", "nki_tensor_add"),
    ):
        kernel = getattr(tutorial(path), name)
        yield Case(pathlib.Path(path).stem.removesuffix("_nki_kernels"), kernel, (a, b), lambda: a + b)
    products = tutorial("matrix_multiplication/matrix_multiplication_nki_kernels.py")
    left, right = numbers(1024, 2048), numbers(1024, 1024)
    small_left, small_right = numbers(128, 64), numbers(128, 512)
    yield Case("nki_matmul_basic_", products.nki_matmul_basic_, (small_left, small_right),
               lambda: small_left.T @ small_right)  # fmt: skip
    square = np.zeros((2048, 2048), np.float32)
    for name in ("tiled", "hoist_load", "block_free_dimension", "fully_optimized"):
        yield Case(f"nki_matmul_{name}_", getattr(products, f"nki_matmul_{name}_"), (left, right),
                   lambda: left.T @ right, timed=(square, square))  # fmt: skip
    plane = numbers(128, 12)
    yield Case("tensor_transpose2D", tutorial("transpose2d/transpose2d_nki_kernels.py").tensor_transpose2D_kernel_,
               (plane, (3, 4)), lambda: plane.reshape(128, 3, 4).transpose(0, 2, 1).reshape(128, 12))  # fmt: skip
    picture = numbers(16, 12, 18)
    yield Case("tensor_avgpool", tutorial("average_pool2d/average_pool2d_nki_kernels.py").tensor_avgpool_kernel,
               (picture, 3), lambda: picture.reshape(16, 4, 3, 6, 3).mean((2, 4)))  # fmt: skip
    fused = tutorial("fused_mamba/mamba_nki_kernels.py")
    shape = (1, 256, 512)
    scan = (np.abs(numbers(*shape)) * 0.1, numbers(*shape), -np.abs(numbers(256, 16)), numbers(1, 16, 512),
            numbers(1, 16, 512))  # fmt: skip
    for version in ("mamba_v1", "mamba_v2", "mamba_v3"):
        yield Case(version, getattr(fused, version), scan, lambda: mamba(*scan))
    heads = tutorial("attention_fwd_performance/attention_kernels.py")
    one, long = [numbers(128, 128) for _ in range(3)], [numbers(128, 512) for _ in range(3)]
    for version in ("v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8"):
        kernel = getattr(heads, f"attn_fwd_{version}", None)
        if kernel is None:
            continue
        args = tuple(one if version in ("v1", "v2") else long)
        tolerance = 2e-2 if version in ("v7", "v8") else 1e-5  # bf16 within
        yield Case(f"attn_fwd_{version}", kernel, args, lambda args=args: attention(*args), tolerance=tolerance)


def nkibench_cases(root: pathlib.Path) -> Iterator[Case]:
    folder = root / "NKIBench" if (root / "NKIBench").is_dir() else root
    for path in sorted((folder / "kernels").glob("*.py")):
        stem = path.stem.rpartition("_")[0]
        name = stem[: next(i for i, c in enumerate(stem) if c == "_" and stem[i + 1].isupper() and
                           stem[i + 2 : i + 3].isdigit() or stem[i : i + 3] == "_QH")]  # fmt: skip
        if name in TOO_LARGE and name not in selected:
            continue
        host = module_at(next((folder / "reference").glob(f"{stem}_numpy_*.py")), "reference")
        np.random.seed(42)
        inputs = host.get_inputs()

        def reference(host: Any = host, inputs: Any = inputs) -> Any:
            return host.forward(*inputs)

        yield Case(name, module_at(path, stem).kernel, tuple(host.transform_to_nki_inputs(inputs)), reference,
                   tolerance=1e-4)  # fmt: skip


selected: set[str] = set()


def measured_error(case: Case) -> float:
    """The largest error over the largest value."""
    got, expected = joined(case.kernel(*case.args)), case.reference()
    expected = expected[0] if isinstance(expected, tuple) else expected
    got = np.asarray(got).reshape(expected.shape)
    return float(np.abs(got - expected).max() / np.abs(expected).max())


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][7:])
    parser.add_argument("--trnfft", type=pathlib.Path)
    parser.add_argument("--samples", type=pathlib.Path)
    parser.add_argument("--nkibench", type=pathlib.Path)
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    selected.update(options.names)
    print(f"{'kernel':32} {'error':>8} {'modelled us':>12} {'published':>10} {'off':>7} {'read MB':>10} {'published':>10}")
    failures = 0
    for folder, cases in ((options.trnfft, trnfft_cases), (options.samples, samples_cases),
                          (options.nkibench, nkibench_cases)):  # fmt: skip
        for case in cases(folder) if folder else ():
            if selected and case.name not in selected:
                continue
            with contextlib.redirect_stdout(sys.stderr):
                try:
                    error = None if options.dry else measured_error(case)
                    profile = nki.profile(case.kernel, *case.timed)
                except Exception as e:
                    refused = case.name in REFUSED
                    failures += not refused
                    text = f"{case.name:32} {'refused' if refused else 'FAILED'}: {type(e).__name__}: {e}"
                    print(text, file=sys.__stdout__, flush=True)
                    continue
            wrong = error is not None and not error <= case.tolerance
            failures += wrong
            us, read = profile.device_seconds * 1e6, profile.summary["hbm_read_bytes"]
            there_us, there_read = PUBLISHED.get(case.name, (None, None))
            print(f"{case.name:32} {'-' if error is None else f'{error:.1e}':>8} {us:12.2f}",
                  f"{there_us:10.1f} {100 * (us / there_us - 1):+6.1f}%" if there_us else f"{'':18}",
                  f"{read / 1e6:10.3f}", f"{there_read / 1e6:10.3f}" if there_read else "",
                  "WRONG" if wrong else "", flush=True)  # fmt: skip
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
