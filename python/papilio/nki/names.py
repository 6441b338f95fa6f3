"""The modules nki and neuronxcc.nki, as kernels import them."""

from __future__ import annotations

import contextlib
import difflib
import importlib.machinery
import sys
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

from .recording import current, fail

DEFAULT_MACHINE = "trainium1"
_machines: list[str] = []  # of the contexts that are entered


def machine() -> str:
    """The machine of the innermost as_nki."""
    return _machines[-1] if _machines else DEFAULT_MACHINE


def _unmodelled(name: str) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Any:
        fail(f"{name} is known but not modelled")

    vars(call)["unmodelled"] = True
    return call


def _is_unmodelled(value: Any) -> bool:
    return getattr(value, "call", True) is None or getattr(value, "unmodelled", False)


def _getattr_of(short: str, module: ModuleType) -> Callable[[str], Any]:
    def missing(name: str) -> Any:
        known = [n for n, value in vars(module).items() if n[0] != "_" and not _is_unmodelled(value)]
        near = difflib.get_close_matches(name, known, 1, 0.5)
        hint = f"; the nearest is {short}.{near[0]}" if near and not name.startswith("_") else ""
        raise AttributeError(f"papilio.nki has no {short}.{name}{hint}")

    return missing


def _module(name: str, short: str, contents: dict[str, Any], is_package: bool = False) -> ModuleType:
    module = ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=is_package)
    if is_package:
        module.__path__ = []
    vars(module).update(contents)
    vars(module)["__getattr__"] = _getattr_of(short, module)
    return module


class _Tensor:
    """nt.tensor, which annotations index with a shape."""

    def __class_getitem__(cls, shape: Any) -> type[_Tensor]:
        return cls


def _named(kind: str, *names: str) -> SimpleNamespace:
    return SimpleNamespace(**{n: SimpleNamespace(name=n, kind=kind) for n in names})


def _language() -> dict[str, Any]:
    from . import language, types

    return {
        **{n: _unmodelled(f"nl.{n}") for n in language.UNMODELLED},
        **types.DTYPES, **language.SPACES, **language.CALLS, **types.OPS,
        "par_dim": language.par_dim, "arange": language.arange, "ds": language.ds, "static_cast": language.static_cast, "mgrid": language.mgrid,
        "affine_range": language.affine_range, "sequential_range": language.affine_range,
        "static_range": language.affine_range, "tile_size": language.tile_size, "fp32": language.fp32,
        "tensor": _Tensor, "NkiTensor": _Tensor, "NKIObject": object,
    }  # fmt: skip


def _isa() -> dict[str, Any]:
    from . import isa

    engine = _named("engine", "unknown", "vector", "scalar", "gpsimd", "tensor", "dma")
    versions = SimpleNamespace(gen2=2, gen3=3, gen4=4)
    constants = {
        "engine": engine, "nc_version": versions, "oob_mode": _named("oob_mode", "error", "skip"),
        "reduce_cmd": _named("reduce_cmd", "idle", "reset", "reduce", "reset_reduce", "load_reduce"),
        "dge_mode": _named("dge_mode", "none", "swdge", "hwdge", "unknown"),
        "matmul_perf_mode": _named("matmul_perf_mode", "none", "double_row", "double_column"),
    }  # fmt: skip
    return {
        **{n: _unmodelled(f"nisa.{n}") for n in isa.UNMODELLED}, **isa.CALLS, **constants,
        **{f"{n}_engine": e for n, e in vars(engine).items()},
        "get_nc_version": lambda: current().generation,
        "constants": _module("nki.isa.constants", "nki.isa.constants", constants),
    }  # fmt: skip


def _compiler() -> dict[str, Any]:
    """Directives of where and in which order: places and order are the recording's."""
    from . import language

    def same(kernel: Any = None, **hints: Any) -> Any:
        return kernel if kernel is not None else (lambda f: f)

    def memory(name: str) -> SimpleNamespace:
        space = language.SPACES[name]
        return SimpleNamespace(**{n: lambda *a, **k: space for n in ("alloc", "mod_alloc", "auto_alloc")})

    return {
        "skip_middle_end_transformations": same, "enable_stack_allocator": same, "force_auto_alloc": same,
        "no_reorder": contextlib.nullcontext, "sbuf": memory("sbuf"), "psum": memory("psum"),
    }  # fmt: skip


_made: dict[str, ModuleType] = {}


def _modules() -> dict[str, ModuleType]:
    if _made:
        return _made
    from . import kernels, types

    parts = {
        "language": _module("nki.language", "nl", _language()),
        "isa": _module("nki.isa", "nisa", _isa(), is_package=True),
        "typing": _module("nki.typing", "nki.typing", {"tensor": _Tensor, "mutable_tensor": _Tensor}),
        "compiler": _module("nki.compiler", "nki.compiler", _compiler(), is_package=True),
    }
    calls = {
        "jit": kernels.jit, "trace": kernels.jit, "baremetal": kernels.jit, "simulate": kernels.simulate,
        "simulate_kernel": kernels.simulate_kernel, "benchmark": kernels.benchmark, "profile": kernels.benchmark,
        "tensor": _Tensor, "dtype": types.DType, "__version__": "0.3",
    }  # fmt: skip
    _made["neuronxcc"] = _module("neuronxcc", "neuronxcc", {}, is_package=True)
    for root in ("nki", "neuronxcc.nki"):
        _made[root] = _module(root, "nki", {**calls, **parts}, is_package=True)
        for name, part in parts.items():
            _made[f"{root}.{name}"] = part
        _made[f"{root}.isa.constants"] = parts["isa"].constants
    vars(_made["neuronxcc"])["nki"] = _made["neuronxcc.nki"]
    return _made


def _is_nki(name: str) -> bool:
    return name.partition(".")[0] in ("nki", "neuronxcc")


@contextlib.contextmanager
def as_nki(machine: str | None = None) -> Iterator[None]:
    """Within it, `import nki` and `import neuronxcc.nki` find papilio's, and kernels run on `machine`.

    Parameters:
        machine: "trainium1", "trainium2", "trainium3" ("trn1", "trn2", "trn3"), or a JSON file; None:
            the one outside.

    Returns:
        A context.

    Raises:
        OSError: where there is neither such a name nor such a file, when a kernel runs.

    Example:
        >>> import papilio.nki
        >>> with papilio.nki.as_nki("trn2"):
        ...     import nki.language as nl
        >>> nl.tile_size.pmax
        128
    """
    modules = _modules()
    hidden = {name: module for name, module in sys.modules.items() if _is_nki(name)}
    for name in hidden:
        del sys.modules[name]
    sys.modules.update(modules)
    _machines.append(machine or globals()["machine"]())
    try:
        yield
    finally:
        _machines.pop()
        for name in [n for n in sys.modules if _is_nki(n)]:
            del sys.modules[name]
        sys.modules.update(hidden)


def known(module: str) -> Sequence[str]:
    """The public names of nki.language or nki.isa."""
    return sorted(n for n in vars(_modules()[f"nki.{module}"]) if not n.startswith("_"))
