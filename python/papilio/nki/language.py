"""nki.language: tensors, loops, loads and stores, and functions that become one instruction each."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import isa
from .recording import Program, current, emit, fail
from .types import COMPARISONS, DTYPES, OPS, DType, Op, alu, dtype_of
from .views import (

    Blocks,
    Index,
    LoopReduction,
    Memory,
    Nothing,
    View,
    contiguous,
    copy_view,
    fresh,
    masked,
)

CALLS: dict[str, Callable[..., Any]] = {}
_WITHOUT_EFFECT = isa._WITHOUT_EFFECT | {"address"}


def function(f: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a function of nl words for keywords that it does not have."""
    parameters = inspect.signature(f).parameters

    @functools.wraps(f)
    def call(*args: Any, **named: Any) -> Any:
        for n in [n for n in named if n not in parameters]:
            if n not in _WITHOUT_EFFECT:
                fail(f"nl.{f.__name__} has no argument {n!r}; it has {', '.join(parameters)}")
            del named[n]
        try:
            return f(*args, **named)
        except TypeError as e:
            if e.__traceback__ is not None and e.__traceback__.tb_next is None:
                fail(f"nl.{e}")
            raise

    CALLS[f.__name__] = call
    return call


class Space:
    """A memory: nl.sbuf, nl.psum, and those in HBM."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"nl.{self.name}"


SPACES = {n: Space(n) for n in ("sbuf", "psum", "hbm", "shared_hbm", "private_hbm")}


class Partitions(int):
    """nl.par_dim(n): the axis of the partitions."""


class LoopIndex(int):
    """An index of a loop, which knows whether it is the loop's first."""

    first = False


def _integers(shape: Any) -> list[Any]:
    try:
        return [e if isinstance(e, Partitions) else operator.index(e) for e in shape]
    except TypeError:
        fail(f"shape must be integers, got {shape!r}")


def hbm_tensor(program: Program, shape: Sequence[int], dtype: DType, role: str) -> View:
    memory = Memory(program.recording.tensor(list(shape), str(dtype.engine), role))
    memory.shape, memory.role, memory.program = tuple(shape), role, program
    tensor = View(memory, 0, 0, contiguous(shape), dtype)
    program.tensors.append(tensor)
    return tensor


def _declared(shape: Any, dtype: Any, buffer: Any, value: float | None) -> View | Blocks:
    extents = _integers(shape)
    type_ = dtype_of(dtype)
    name = getattr(buffer, "name", buffer) or "sbuf"
    if name not in SPACES:
        fail(f"buffer must be nl.sbuf, nl.psum, nl.shared_hbm or nl.private_hbm, got {buffer!r}")
    if not extents or min(extents) < 1:
        fail(f"shape must have extents of at least 1, got {tuple(extents)}")
    if name.endswith("hbm"):
        if value is not None:
            fail("a tensor in HBM has no contents until it is written")
        return _hbm(extents, type_, name)
    psum = name == "psum"

    def make(rest: Sequence[int]) -> View:
        tile = fresh(rest, type_, psum)
        if value is not None:
            emit("memset", {"out": tile, "value": value})
        return tile

    block = next((i for i, e in enumerate(extents) if isinstance(e, Partitions)), 0)
    return Blocks(extents, block, make, type_) if block else make([int(e) for e in extents])


def _hbm(extents: list[int], dtype: DType, space: str) -> View:
    """Instances of a grid share what they declare in shared HBM."""
    program = current()
    if space == "private_hbm":
        return hbm_tensor(program, extents, dtype, "scratch")
    at = program.declared
    program.declared += 1
    if at == len(program.outputs):
        program.outputs.append(hbm_tensor(program, extents, dtype, "scratch"))
    shared: View = program.outputs[at]
    if shared.shape != tuple(extents) or shared.dtype != dtype:
        fail(f"instances of a grid must declare the same tensors: {list(extents)} {dtype.name} after {shared!r}")
    return shared


@function
def ndarray(shape: Any, dtype: Any = "float32", buffer: Any = None) -> Any:
    return _declared(shape, dtype, buffer, None)


@function
def zeros(shape: Any, dtype: Any = "float32", buffer: Any = None) -> Any:
    return _declared(shape, dtype, buffer, 0.0)


@function
def ones(shape: Any, dtype: Any = "float32", buffer: Any = None) -> Any:
    return _declared(shape, dtype, buffer, 1.0)


@function
def full(shape: Any, fill_value: Any, dtype: Any = "float32", buffer: Any = None) -> Any:
    return _declared(shape, dtype, buffer, float(fill_value))


@function
def zeros_like(x: Any, dtype: Any = None, buffer: Any = None) -> Any:
    return _declared(x.shape, x.dtype if dtype is None else dtype, buffer, 0.0)


@function
def empty_like(x: Any, dtype: Any = None, buffer: Any = None) -> Any:
    return _declared(x.shape, x.dtype if dtype is None else dtype, buffer, None)


@function
def shared_constant(constant: Any, dtype: Any = None) -> View:
    array = np.ascontiguousarray(constant)
    type_ = dtype_of(array.dtype if dtype is None else dtype, "shared_constant")
    tensor = hbm_tensor(current(), array.shape, type_, "input")
    tensor.memory.array = array.astype(type_.numpy(), copy=False)
    return tensor


@function
def shared_identity_matrix(n: int, dtype: Any = "uint8") -> View:
    return load(shared_constant(np.identity(n, dtype_of(dtype).numpy())))


@functools.lru_cache(1024)
def arange(start: int, stop: int | None = None) -> Index:
    first, end = (0, start) if stop is None else (start, stop)
    if end <= first:
        fail(f"nl.arange({first}, {end}) has no elements")
    return Index(int(first), (1,), (int(end - first),))


class _Grid:
    """nl.mgrid[a:b, c:d]: an index expression for each axis."""

    def __getitem__(self, key: Any) -> tuple[Index, ...]:
        key = key if isinstance(key, tuple) else (key,)
        extents = tuple(operator.index(k.stop) - (k.start or 0) for k in key)
        return tuple(
            Index(k.start or 0, tuple(int(j == i) for j in range(len(key))),
                  tuple(e if j == i else 1 for j, e in enumerate(extents)))
            for i, k in enumerate(key)
        )  # fmt: skip


def ds(start: int, size: int) -> slice:
    return slice(start, start + size)


def par_dim(n: int) -> Partitions:
    return Partitions(n)


def _loop(*bounds: Any) -> Iterator[LoopIndex]:
    for at, i in enumerate(range(*[int(b) for b in bounds])):
        index = LoopIndex(i)
        index.first = at == 0
        yield index


def affine_range(*bounds: Any, **hints: Any) -> Iterator[LoopIndex]:
    return _loop(*bounds)


@function
def program_id(axis: int = 0) -> int:
    instance = current().instance
    return instance[axis] if instance else 0


@function
def num_programs(axes: Any = None) -> Any:
    grid = current().grid or (1,)
    if axes is None:
        return int(np.prod(grid))
    return grid[axes] if isinstance(axes, int) else tuple(grid[a] for a in axes)


@function
def program_ndim() -> int:
    return len(current().grid)


def _loaded(src: View, dtype: Any) -> View:
    if not src.is_hbm:
        fail("nl.load takes a tensor in HBM, got a tile")
    return fresh(src.shape or (1,), isa.typed(dtype, src))


@function
def load(src: Any, mask: Any = None, dtype: Any = None) -> Any:
    some = masked(mask, isa.tensor(src, "src"))
    if some is None:
        return Nothing()
    out = _loaded(src, dtype).clip(some[0])
    emit("dma_copy", {"out": out, "in": some[1][0]})
    out.source = some[1][0]
    return out


@function
def store(dst: Any, value: Any, mask: Any = None) -> None:
    if isinstance(value, Nothing):
        return
    tile = isa.tile(value, "value")
    if not isa.tensor(dst, "dst").is_hbm:
        fail("nl.store writes to a tensor in HBM, got a tile")
    some = masked(mask, dst, tile)
    if some is None:
        return
    to, tile = some[1]
    to = to.clip(tile.clipped)
    if tile.memory.psum:
        tile = isa.tensor_copy(tile)
    emit("dma_copy", {"out": to, "in": tile})


@function
def load_transpose2d(src: Any, mask: Any = None, dtype: Any = None) -> Any:
    """Rows are loaded, transposed on the tensor engine in blocks of 128, and copied to SBUF."""
    some = masked(mask, isa.tensor(src, "src"))
    if some is None:
        return Nothing()
    of = some[1][0]
    if of.ndim != 2:
        fail(f"nl.load_transpose2d takes two axes, got {of.shape}")
    rows, columns = of.shape
    out = fresh((columns, rows), isa.typed(dtype, src))
    for first in range(0, rows, 128):
        end = min(rows, first + 128)
        copy_view(out[:, first:end], isa.nc_transpose(load(of[first:end, :])))
    return out


@function
def copy(src: Any, mask: Any = None, dtype: Any = None) -> Any:
    return isa.tensor_copy(src, mask=mask, dtype=dtype)


@function
def cast(x: Any, dtype: Any, mask: Any = None) -> Any:
    return isa.tensor_copy(x, mask=mask, dtype=dtype)


def static_cast(x: Any, dtype: Any) -> Any:
    return x.astype(dtype)


@function
def transpose(x: Any, mask: Any = None, dtype: Any = None) -> Any:
    turned = isa.nc_transpose(x, mask=mask)
    return isa.tensor_copy(turned, dtype=x.dtype if dtype is None else dtype)


@function
def matmul(x: Any, y: Any, transpose_x: bool = False, mask: Any = None) -> Any:
    return isa.nc_matmul(x if transpose_x else transpose(x), y, mask=mask)


@function
def broadcast_to(src: Any, shape: Any) -> Any:
    return src.broadcast_to(shape)


@function
def expand_dims(data: Any, axis: int) -> Any:
    return data.expand_dim(axis)


@function
def where(condition: Any, x: Any, y: Any, mask: Any = None, dtype: Any = None) -> Any:
    some = masked(mask, isa.tile(condition, "condition"), x, y)
    if some is None:
        return Nothing()
    left, (predicate, on_true, on_false) = some
    if not isinstance(on_true, View):
        if not isinstance(on_false, View):
            fail("nl.where: x or y must be a tile")
        operands = {"predicate": predicate, "on_true": on_false, "on_false": isa.scalar(on_true, "x"),
                    "reverse": True, "command": "idle"}  # fmt: skip
        return isa.write("select_reduce", operands, None, y, isa.typed(dtype, y), left)
    if not isinstance(on_false, View):
        operands = {"predicate": predicate, "on_true": on_true, "on_false": isa.scalar(on_false, "y"),
                    "command": "idle"}  # fmt: skip
        return isa.write("select_reduce", operands, None, x, isa.typed(dtype, x), left)
    operands = {"predicate": predicate, "on_true": on_true, "on_false": on_false}
    return isa.write("select", operands, None, x, isa.typed(dtype, x), left)


@function
def loop_reduce(x: Any, op: Any, loop_indices: Any, mask: Any = None, dtype: Any = None) -> Any:
    indices: Iterable[Any] = loop_indices if isinstance(loop_indices, (list, tuple)) else [loop_indices]
    some = masked(mask, isa.tile(x, "x"))
    if some is None:
        return Nothing()
    return LoopReduction(some[1][0], alu(op), all(getattr(i, "first", i == 0) for i in indices))


@function
def mean(x: Any, axis: Any, mask: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    over = (axis,) if isinstance(axis, int) else axis
    count = float(np.prod([x.shape[a] for a in over]))
    total = isa.tensor_reduce(OPS["add"], x, axis, mask=mask, keepdims=keepdims)
    return isa.tensor_scalar(total, OPS["multiply"], 1 / count, dtype=dtype)


@function
def negative(x: Any, mask: Any = None, dtype: Any = None) -> Any:
    return isa.tensor_scalar(x, OPS["multiply"], -1.0, mask=mask, dtype=dtype)


@function
def softmax(x: Any, axis: Any, mask: Any = None, dtype: Any = None) -> Any:
    """Six instructions: the largest, times -1, exponentials, their sum, its reciprocal, the product."""
    least = isa.tensor_reduce(OPS["max"], x, axis, negate=True, mask=mask, dtype="float32")
    if least.free != 1:
        fail("nl.softmax: axis must be all axes but the partition")
    powers = isa.activation(OPS["exp"], x, bias=least, mask=mask, dtype="float32")
    total = isa.tensor_reduce(OPS["add"], powers, axis, mask=mask)
    return isa.tensor_scalar(powers, OPS["multiply"], isa.reciprocal(total), mask=mask, dtype=isa.typed(dtype, x))


@function
def dropout(x: Any, rate: Any, mask: Any = None, dtype: Any = None) -> Any:
    return isa.dropout(x, rate, mask=mask, dtype=dtype)


def _unary(op: Op) -> Callable[..., Any]:
    def call(x: Any, mask: Any = None, dtype: Any = None) -> Any:
        if op is OPS["reciprocal"]:
            return isa.reciprocal(x, mask=mask, dtype=dtype)
        return isa.activation(op, x, mask=mask, dtype=dtype)

    return call


def _reduction(op: Op) -> Callable[..., Any]:
    def call(x: Any, axis: Any, mask: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        return isa.tensor_reduce(op, x, axis, mask=mask, dtype=dtype, keepdims=keepdims)

    return call


def _elementwise(op: Op) -> Callable[..., Any]:
    """A tile with a number or a column is tensor_scalar, with another tile tensor_tensor."""

    def call(x: Any, y: Any, mask: Any = None, dtype: Any = None) -> Any:
        if isinstance(x, Nothing) or isinstance(y, Nothing):
            return Nothing()
        if dtype is None and op.__name__ in COMPARISONS:
            dtype = "uint8"
        if not isinstance(y, View):
            return isa.tensor_scalar(isa.tile(x, "x"), op, y, mask=mask, dtype=dtype)
        if not isinstance(x, View):
            return isa.tensor_scalar(y, op, x, True, mask=mask, dtype=dtype)
        a, b = x.free, y.free
        if b == 1 < a and x.partitions == y.partitions:
            return isa.tensor_scalar(x, op, y, mask=mask, dtype=dtype)
        if a == 1 < b and x.partitions == y.partitions:
            return isa.tensor_scalar(y, op, x, True, mask=mask, dtype=dtype)
        return isa.tensor_tensor(x, y, op, mask=mask, dtype=dtype)

    return call


def _named(call: Callable[..., Any], name: str) -> Callable[..., Any]:
    call.__name__ = name
    return function(call)


for _name, _op in OPS.items():
    if _name == "copy":
        _op.call = copy
    elif _name in ("max", "min", "sum", "prod"):
        _op.call = _named(_reduction(_op), _name)
    elif _op.alu is not None:
        _op.call = _named(_elementwise(_op), _name)
    elif _op.activation is not None:
        _op.call = _named(_unary(_op), _name)

# Known calls that the model or this module does not have: they say so when they are called.
UNMODELLED = (
    "all", "any", "all_reduce", "atomic_rmw", "cos", "device_print", "dynamic_range", "gather", "nc", "rand",
    "random_seed", "shared_random", "spmd_dim", "var",
)  # fmt: skip

tile_size = SimpleNamespace(
    pmax=128, psum_fmax=512, gemm_stationary_fmax=128, gemm_moving_fmax=512, bn_stats_fmax=512,
    psum_min_align=4, sbuf_min_align=1, total_available_sbuf_size=192 * 1024,
)  # fmt: skip
mgrid = _Grid()
fp32 = SimpleNamespace(min=float(np.finfo(np.float32).min), max=float(np.finfo(np.float32).max))
