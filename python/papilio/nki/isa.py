"""nki.isa: each call is one instruction.

Every function takes both styles: with `dst` (nki 0.3 on) it writes there and returns nothing, without
(neuronxcc.nki) it returns a new tile. Functions here have the arguments of the first.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from . import types
from .recording import current, emit, fail
from .types import DTYPES, DType, alu, dtype_of
from .views import Axis, Blocks, Index, Mask, Nothing, View, copy_view, fresh, fresh_like, masked

# Keywords that every call takes and that change neither numbers nor modelled time.
_WITHOUT_EFFECT = frozenset({"name", "dge_mode", "unique_indices", "priority", "lazy_initialization"})
CALLS: dict[str, Callable[..., Any]] = {}


def instruction(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a function of `dst` both styles of arguments, and words for those that do not fit."""
    name = function.__name__.removeprefix("_").removesuffix("_to")
    parameters = inspect.signature(function).parameters
    new = [p for p in parameters if p not in ("mask", "dtype")]
    old = new[1:]
    required = [n for n, p in parameters.items() if p.default is p.empty and n != "dst"]
    needed = set(required)
    first = old[0] if parameters[old[0]].annotation == "View" else ""

    def has_dst(args: tuple[Any, ...], named: dict[str, Any]) -> bool:
        if not isinstance(args[0], View) or not needed <= {*new[1 : len(args)], *named}:
            return False
        return not first or isinstance(args[1] if len(args) > 1 else named[first], View)

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if args:
            names = old if "dst" in named or not has_dst(args, named) else new
            if len(args) > len(names):
                fail(f"nisa.{name} takes at most {len(names)} arguments without a name, got {len(args)}")
            for n, value in zip(names, args):
                if n in named:
                    fail(f"nisa.{name}: {n} is given twice")
                named[n] = value
        for n in list(named):
            if n not in parameters:
                if n not in _WITHOUT_EFFECT:
                    fail(f"nisa.{name} has no argument {n!r}; it has {', '.join(parameters)}")
                del named[n]
        for n in required:
            if n not in named:
                fail(f"nisa.{name}: {n} must be given")
        named.setdefault("dst", None)
        return function(**named)

    if name == function.__name__:
        CALLS[name] = call
    return call


def _reduction(reduce_cmd: Any, reduce_res: Any, otherwise: str) -> dict[str, Any]:
    """The command to the reduce registers, and where they go afterwards."""
    command = getattr(reduce_cmd, "name", reduce_cmd)
    found = {"command": otherwise if command is None else str(command)}
    return found if reduce_res is None else found | {"reduced": tile(reduce_res, "reduce_res")}


def tensor(value: Any, name: str) -> View:
    """A tile, or a tensor in HBM."""
    if not isinstance(value, View):
        if isinstance(value, Nothing):
            fail(f"{name}: the mask of the call that made it left nothing")
        if isinstance(value, Blocks):
            fail(f"{name}: a tensor with block axes is one tile only at integers of those")
        fail(f"{name} must be a tile, got {type(value).__name__}")
    return value


def tile(value: Any, name: str) -> View:
    if tensor(value, name).memory.number < 0:
        fail(f"{name} must be on chip, is a tensor in HBM: load it")
    return value  # type: ignore[no-any-return]


def scalar(value: Any, name: str) -> Any:
    """A number, or a tile with one element in each partition."""
    if isinstance(value, View):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        fail(f"{name} must be a number or a tile of one column, got {type(value).__name__}")


def typed(dtype: Any, like: View) -> DType:
    return like.dtype if dtype is None else dtype_of(dtype)


def unit(engine: Any, otherwise: str) -> str:
    """The engine that a call names, or the one that takes it where it is left open."""
    name = getattr(engine, "name", engine)
    if name is None or name == "unknown":
        return otherwise
    if name not in ("vector", "scalar", "gpsimd", "tensor"):
        fail(f"engine must be one of nki.isa.engine, got {engine!r}")
    return str(name)


def write(opcode: str, operands: dict[str, Any], dst: View | None, like: View, dtype: DType,
          left: dict[int, int], psum: bool = False) -> View | None:  # fmt: skip
    """Emits an instruction whose result has the axes of `like`."""
    out = tile(dst, "dst") if dst is not None else fresh_like(like, dtype, psum)
    operands["out"] = out.clip(left)
    emit(opcode, operands)
    return None if dst is not None else operands["out"]


@instruction
def tensor_copy(dst: Any, src: View, engine: Any = None, mask: Any = None, dtype: Any = None) -> Any:
    some = masked(mask, tile(src, "src"))
    if some is None:
        return Nothing()
    out = tile(dst, "dst") if dst is not None else fresh_like(src, typed(dtype, src))
    out = out.clip(some[0])
    copy_view(out, some[1][0], unit(engine, ""))
    return None if dst is not None else out


@instruction
def dma_copy(dst: Any, src: View, dst_rmw_op: Any = None, oob_mode: Any = None, mask: Any = None) -> Any:
    if dst_rmw_op is not None:
        fail("nisa.dma_copy: dst_rmw_op, a transfer that adds, is not modelled")
    if getattr(oob_mode, "name", oob_mode) not in (None, "error"):
        fail("nisa.dma_copy: oob_mode: only errors are modelled")
    some = masked(mask, tensor(dst, "dst"), tensor(src, "src"))
    if some is not None:
        emit("dma_copy", {"out": some[1][0], "in": some[1][1]})


@instruction
def dma_compute(dst: Any, srcs: Any, reduce_op: Any, scales: Any = None, oob_mode: Any = None) -> Any:
    if alu(reduce_op) != "add" or any(float(s) != 1 for s in scales or ()):
        fail("nisa.dma_compute: reduce_op must be nl.add and scales 1.0")
    if getattr(oob_mode, "name", oob_mode) not in (None, "error"):
        fail("nisa.dma_compute: oob_mode: only errors are modelled")
    out, sources = tensor(dst, "dst"), [tensor(s, f"srcs[{i}]") for i, s in enumerate(srcs)]
    if not 2 <= len(sources) <= 16:
        fail(f"nisa.dma_compute: srcs must be 2 to 16, got {len(sources)}")
    if len(sources) > 2 and out.dtype.name != "float32":
        fail(f"nisa.dma_compute: more than 2 srcs add up in dst, which must be float32, is {out.dtype.name}")
    # Sums are made in dst, so that it must not hold a source that is still to be read.
    sources.sort(key=lambda s: s.memory is not out.memory)
    if any(s.memory is out.memory for s in sources[2:]):
        fail("nisa.dma_compute: at most two of more than 2 srcs may lie in dst's memory")
    left = sources[0]
    for right in sources[1:]:
        emit("dma_compute", {"out": out, "left": left, "right": right})
        left = out


@instruction
def dma_transpose(dst: Any, src: View, axes: Any = None, mask: Any = None, dtype: Any = None) -> Any:
    if tensor(src, "src").ndim != 2 or (axes is not None and tuple(axes) != (1, 0)):
        fail("nisa.dma_transpose: only axes (1, 0) of two are modelled")
    (rows, *_), (columns, *_) = src.axes
    out = tile(dst, "dst") if dst is not None else fresh((columns, rows), typed(dtype, src))
    rows_of = src._with(src.partition, src.offset, src.axes)
    rows_of.tail = 1
    emit("dma_transpose", {"out": out, "in": rows_of})
    return None if dst is not None else out


def memset(*args: Any, **named: Any) -> Any:
    """memset(dst, value, engine), or memset(shape, value, dtype), which returns a tile."""
    by_dst = "dst" in named or (args and isinstance(args[0], View))
    return (_memset if by_dst else _new_set)(*args, **named)


@instruction
def _memset(dst: Any, value: Any, engine: Any = None, mask: Any = None) -> Any:
    some = masked(mask, tile(dst, "dst"))
    if some is not None:
        emit("memset", {"out": some[1][0], "value": scalar(value, "value"), "on": unit(engine, "vector")})


def _new_set(shape: Any, value: Any, dtype: Any = "float32", mask: Any = None, engine: Any = None) -> Any:
    out = fresh(list(shape), dtype_of(dtype))
    _memset(out, value, engine, mask=mask)
    return out


CALLS["memset"] = memset


def _column(value: Any, name: str, like: View) -> View:
    """A tile of one column: a number gets one of its own."""
    if isinstance(value, View):
        return value
    out = fresh((like.partitions, 1), DTYPES["float32"])
    emit("memset", {"out": out, "value": scalar(value, name)})
    return out


@instruction
def activation(dst: Any, op: Any, data: View, bias: Any = None, scale: Any = 1.0, reduce_op: Any = None,
               reduce_res: Any = None, reduce_cmd: Any = None, mask: Any = None, dtype: Any = None) -> Any:  # fmt: skip
    if isinstance(bias, (int, float)) and bias == 0:
        bias = None
    some = masked(mask, tile(data, "data"), bias, scale)
    if some is None:
        return Nothing()
    left, (of, bias, scale) = some
    operands = {"in": of, "function": types.activation(op)}
    if bias is not None:
        operands["bias"] = _column(bias, "bias", of)
    if isinstance(scale, View):
        operands["scale_tile"] = scale
    else:
        operands["scale"] = scalar(scale, "scale")
    if reduce_op is not None and alu(reduce_op) != "add":
        fail("nisa.activation: reduce_op must be nl.add")
    operands |= _reduction(reduce_cmd, reduce_res, "idle")
    return write("activation", operands, dst, data, typed(dtype, data), left)


@instruction
def activate2(dst: Any, op: Any, data: View, imm0: Any, imm1: Any, op0: Any, op1: Any, relu_param: Any = 0.0,
              reverse0: bool = False, reverse1: bool = False, reduce_op: Any = None, reduce_res: Any = None,
              reduce_cmd: Any = None, mask: Any = None, dtype: Any = None) -> Any:  # fmt: skip
    some = masked(mask, tile(data, "data"), imm0, imm1, relu_param)
    if some is None:
        return Nothing()
    left, (of, imm0, imm1, relu_param) = some
    is_prelu = types.op_of(op) is types.OPS["prelu"]
    if not is_prelu and (isinstance(relu_param, View) or relu_param != 0):
        fail("nisa.activate2: relu_param is the slope of nl.prelu")
    operands = {
        "in": of, "function": "relu" if is_prelu else types.activation(op),
        "op0": alu(op0), "operand0": scalar(imm0, "imm0"), "reverse0": bool(reverse0),
        "op1": alu(op1), "operand1": scalar(imm1, "imm1"), "reverse1": bool(reverse1),
        "slope": scalar(relu_param, "relu_param"), "reduce_op": alu(reduce_op) if reduce_op is not None else "add",
    }  # fmt: skip
    operands |= _reduction(reduce_cmd, reduce_res, "idle")
    return write("activate2", operands, dst, data, typed(dtype, data), left)


@instruction
def exponential(dst: Any, src: View, max_value: Any = 0.0, reduce_res: Any = None, reduce_cmd: Any = None,
                reduce_init: Any = 0.0, mask: Any = None, dtype: Any = None) -> Any:  # fmt: skip
    some = masked(mask, tile(src, "src"), max_value)
    if some is None:
        return Nothing()
    left, (of, max_value) = some
    operands = {"in": of, "max_value": scalar(max_value, "max_value"), "initial": scalar(reduce_init, "reduce_init")}
    operands |= _reduction(reduce_cmd, reduce_res, "idle")
    return write("exponential", operands, dst, src, typed(dtype, src), left)


@instruction
def activation_reduce(dst: Any, op: Any, data: View, reduce_op: Any, reduce_res: Any, bias: Any = None,
                      scale: Any = 1.0, mask: Any = None, dtype: Any = None) -> Any:  # fmt: skip
    named = {} if dst is None else {"dst": dst}
    return activation(op=op, data=data, bias=bias, scale=scale, reduce_op=reduce_op, reduce_res=reduce_res,
                      reduce_cmd="reset_reduce", mask=mask, dtype=dtype, **named)  # fmt: skip


def _scalar_unit(engine: Any, data: View, op0: str, op1: str) -> str:
    """Where tensor_scalar is left open: the scalar engine, if it has the operations."""
    bits = {op0, op1} & {"bits_and", "bits_or", "bits_xor", "shift_left", "shift_right"}
    sums = (op0, op1) in (("multiply", "bypass"), ("add", "bypass"), ("multiply", "add"))
    is_scalars = not bits and (current().generation < 3 or sums)
    return unit(engine, "scalar" if is_scalars else "vector")


@instruction
def tensor_scalar(dst: Any, data: View, op0: Any, operand0: Any, reverse0: bool = False, op1: Any = None,
                  operand1: Any = None, reverse1: bool = False, engine: Any = None, mask: Any = None,
                  dtype: Any = None) -> Any:  # fmt: skip
    some = masked(mask, tile(data, "data"), operand0, operand1)
    if some is None:
        return Nothing()
    left, (of, operand0, operand1) = some
    first, second = alu(op0), alu(op1)
    operands = {
        "in": of, "op0": first, "operand0": scalar(operand0, "operand0"), "reverse0": bool(reverse0),
        "on": _scalar_unit(engine, of, first, second),
    }  # fmt: skip
    if op1 is not None:
        operands |= {"op1": second, "operand1": scalar(operand1, "operand1"), "reverse1": bool(reverse1)}
    return write("tensor_scalar", operands, dst, data, typed(dtype, data), left)


@instruction
def tensor_scalar_cumulative(dst: Any, src: View, op0: Any, op1: Any, imm0: Any, imm1: Any = None,
                             reduce_cmd: Any = None, mask: Any = None, dtype: Any = None) -> Any:  # fmt: skip
    some = masked(mask, tile(src, "src"), imm0)
    if some is None:
        return Nothing()
    left, (of, imm0) = some
    operands = {"in": of, "op0": alu(op0), "operand0": scalar(imm0, "imm0"), "op1": alu(op1)}
    operands |= _reduction(reduce_cmd, None, "reset_reduce")
    if imm1 is not None and operands["command"] == "load_reduce":
        operands["initial"] = scalar(imm1, "imm1")
    return write("tensor_scalar_cumulative", operands, dst, src, typed(dtype, src), left)


@instruction
def tensor_scalar_reduce(dst: Any, data: View, op0: Any, operand0: Any, reduce_op: Any, reduce_res: Any = None,
                         reverse0: bool = False, reduce_cmd: Any = None, reduce_init: Any = None,
                         reduce_res_negate: bool = False, mask: Any = None, dtype: Any = None) -> Any:  # fmt: skip
    some = masked(mask, tile(data, "data"), operand0)
    if some is None:
        return Nothing()
    left, (of, operand0) = some
    operands = {
        "in": of, "op": alu(op0), "operand": scalar(operand0, "operand0"), "reverse": bool(reverse0),
        "reduce_op": alu(reduce_op), "negate": bool(reduce_res_negate),
    }  # fmt: skip
    if reduce_init is not None:
        operands["initial"] = scalar(reduce_init, "reduce_init")
    operands |= _reduction(reduce_cmd, reduce_res, "reset_reduce")
    return write("tensor_scalar_reduce", operands, dst, data, typed(dtype, data), left)


def _like(a: View, b: View) -> tuple[View, View]:
    """Both with the same elements: one that has fewer is broadcast."""
    if a.free == b.free and a.partitions == b.partitions:
        return a, b
    n = max(a.ndim, b.ndim)
    shapes = [(x.shape[:1] + (1,) * (n - x.ndim) + x.shape[1:]) for x in (a, b)]
    shape = [max(p, q) for p, q in zip(*shapes)]
    return (a if a.shape == tuple(shape) else a.broadcast_to(shape),
            b if b.shape == tuple(shape) else b.broadcast_to(shape))  # fmt: skip


@instruction
def tensor_tensor(dst: Any, data1: View, data2: View, op: Any, engine: Any = None, mask: Any = None,
                  dtype: Any = None) -> Any:  # fmt: skip
    whole = _like(tile(data1, "data1"), tile(data2, "data2"))
    some = masked(mask, *whole)
    if some is None:
        return Nothing()
    left, (a, b) = some
    operands = {"left": a, "right": b, "op": alu(op), "on": unit(engine, "vector")}
    return write("tensor_tensor", operands, dst, whole[0], typed(dtype, data1), left)


@instruction
def scalar_tensor_tensor(dst: Any, data: View, op0: Any, operand0: Any, op1: Any, operand1: Any,
                         reverse0: bool = False, reverse1: bool = False, mask: Any = None,
                         dtype: Any = None) -> Any:  # fmt: skip
    some = masked(mask, tile(data, "data"), operand0, tile(operand1, "operand1"))
    if some is None:
        return Nothing()
    left, (of, operand0, right) = some
    operands = {
        "in": of, "op0": alu(op0), "operand0": scalar(operand0, "operand0"), "reverse0": bool(reverse0),
        "right": right, "op1": alu(op1), "reverse1": bool(reverse1),
    }  # fmt: skip
    return write("scalar_tensor_tensor", operands, dst, data, typed(dtype, data), left)


@instruction
def tensor_tensor_scan(dst: Any, data0: View, data1: View, initial: Any, op0: Any, op1: Any,
                       reverse0: bool = False, reverse1: bool = False, mask: Any = None,
                       dtype: Any = None) -> Any:  # fmt: skip
    some = masked(mask, tile(data0, "data0"), tile(data1, "data1"))
    if some is None:
        return Nothing()
    left, (a, b) = some
    operands = {
        "left": a, "right": b, "initial": scalar(initial, "initial"), "op0": alu(op0), "op1": alu(op1),
        "reverse0": bool(reverse0), "reverse1": bool(reverse1),
    }  # fmt: skip
    return write("tensor_tensor_scan", operands, dst, data0, typed(dtype, data0), left)


@instruction
def reciprocal(dst: Any, data: View, mask: Any = None, dtype: Any = None) -> Any:
    some = masked(mask, tile(data, "data"))
    if some is None:
        return Nothing()
    return write("reciprocal", {"in": some[1][0]}, dst, data, typed(dtype, data), some[0])


def _levels(axes: list[Axis]) -> int:
    """Levels of a pattern over these axes."""
    strides = [(extent * stride, stride) for extent, _, stride in axes if extent > 1]
    return max(1, len(strides) - sum(a[1] == b[0] for a, b in zip(strides, strides[1:])))


@instruction
def tensor_reduce(dst: Any, op: Any, data: View, axis: Any, negate: bool = False, keepdims: bool = False,
                  mask: Any = None, dtype: Any = None) -> Any:  # fmt: skip
    rank = tile(data, "data").ndim
    over = sorted({data._axis(a) for a in ((axis,) if isinstance(axis, int) else axis)})
    if any(data.axes[a][1] for a in over):
        if over != [0] or negate:
            fail("tensor_reduce: the partition axis is reduced alone, as nisa.tensor_partition_reduce does")
        return tensor_partition_reduce(dst=dst, op=op, data=data, mask=mask, dtype=dtype)
    some = masked(mask, data)
    if some is None:
        return Nothing()
    of = some[1][0]
    kept = [a for a in range(rank) if a not in over]
    ordered = of._with(of.partition, of.offset, [of.axes[a] for a in (*kept, *over)])
    ordered.tail = len(over)
    whole = data._with(data.partition, data.offset, [data.axes[a] for a in kept])
    left = {i - len(kept): of.axes[a][0] for i, a in enumerate(kept) if of.axes[a][0] != data.axes[a][0]}
    operands = {"in": ordered, "op": alu(op), "negate": bool(negate),
                "levels": _levels([of.axes[a] for a in over])}  # fmt: skip
    out = write("tensor_reduce", operands, dst, whole, typed(dtype, data), left)
    if out is None:
        return None
    if keepdims:
        for a in over:
            out = out.expand_dim(a)
    elif out.ndim == 1:
        out = out.expand_dim(1)
    return out


@instruction
def tensor_partition_reduce(dst: Any, op: Any, data: View, mask: Any = None, dtype: Any = None) -> Any:
    some = masked(mask, tile(data, "data"))
    if some is None:
        return Nothing()
    of = some[1][0]
    row = data._with(data.partition, data.offset, [(1, 1, 0) if step else (e, step, s) for e, step, s in data.axes])
    return write("partition_reduce", {"in": of, "op": alu(op)}, dst, row, typed(dtype, data), some[0])


def _array_tiles(position: Any, size: Any, stationary: View, dst: Any) -> dict[str, bool]:
    """Which tiles of the array a product has: those of the partitions where its operands lie."""
    if not position and not size:
        return {}
    if len(position) != 2 or len(size) != 2:
        fail("nisa.nc_matmul: tile_position and tile_size must both be given, (row, column) each")
    side = 64 if current().generation < 3 else 32
    for name, start, extent in zip(("row", "column"), position, size):
        if extent not in (side, 128) or start % extent or not 0 <= start < 128:
            fail(f"nisa.nc_matmul: a tile of the array must have {side} or 128 {name}s and start at a multiple "
                 f"of them, got {extent} at {start}")  # fmt: skip
    found = {"row_tiled": size[0] < 128, "column_tiled": size[1] < 128}
    if found["row_tiled"] and stationary.partition != position[0]:
        fail(f"nisa.nc_matmul: stationary must lie on the tile's partitions, from {position[0]} on, "
             f"lies from {stationary.partition} on")  # fmt: skip
    if found["column_tiled"] and getattr(dst, "partition", 0) != position[1]:
        fail(f"nisa.nc_matmul: dst must lie on the tile's partitions, from {position[1]} on")
    return found


@instruction
def nc_matmul(dst: Any, stationary: View, moving: View, is_stationary_onezero: bool = False,
              is_moving_onezero: bool = False, is_transpose: bool = False, accumulate: bool | None = None,
              tile_position: Any = (), tile_size: Any = (), perf_mode: Any = None, mask: Any = None) -> Any:  # fmt: skip
    mode = getattr(perf_mode, "name", perf_mode)
    if mode not in (None, "none", "double_row"):
        fail(f"nisa.nc_matmul: perf_mode {mode} is not modelled: none and double_row are")
    halves = 2 if mode == "double_row" else 1
    if halves == 2 and (is_transpose or [v.ndim for v in (stationary, moving)] != [3, 3]):
        fail("nisa.nc_matmul: double_row takes tiles of (K / 2, 2, M) and (K / 2, 2, N), and does not transpose")
    if is_transpose and (tile_position or tile_size):
        fail("nisa.nc_matmul: tile_position and tile_size of a transpose are not modelled")
    if is_transpose:
        return nc_transpose(dst=dst, data=stationary, mask=mask)
    some = masked(mask, tile(moving, "moving"))
    if some is None:
        return Nothing()
    operands = {"stationary": tile(stationary, "stationary"), "moving": some[1][0],
                "onezero": bool(is_stationary_onezero or is_moving_onezero)}  # fmt: skip
    operands |= _array_tiles(tile_position, tile_size, operands["stationary"], dst)
    if halves == 2:
        operands["double_row"] = True
        for name in ("stationary", "moving"):
            operands[name] = operands[name][...]
            operands[name].tail = 1  # the two halves are a level of their own
    role = ""
    if accumulate:
        operands["accumulate"] = True
    elif accumulate is None and dst is not None:
        role = "accumulates"
    if dst is not None:
        operands["out"] = tile(dst, "dst").clip(some[0])
        emit("matmul", operands, role)
        return None
    rest = [(e, 0, 0) for e, step, _ in moving.axes if not step][halves - 1 :]
    like = View(moving.memory, 0, 0, [(stationary.free // halves, 1, 0), *rest], moving.dtype)
    return write("matmul", operands, None, like, DTYPES["float32"], some[0], psum=True)


def _scales_of(packed: View, given: Any, name: str) -> View:
    """The scales of a packed tile: 4 partitions of each of its quadrants, from the view's first on."""
    scales = tile(given, name)
    span = (packed.partitions // 32 - 1) * 32 + 4
    if scales.partitions < span:
        fail(f"{name}: scales of {packed.partitions} partitions span {span}, got {scales.partitions}")
    return scales[:span]


@instruction
def quantize_mx(dst: Any, src: View, dst_scale: View) -> Any:
    if dst is None:
        fail("nisa.quantize_mx: dst must be given")
    out = tile(dst, "dst")
    emit("quantize_mx", {"out": out, "scales": _scales_of(out, dst_scale, "dst_scale"), "in": tile(src, "src")})


@instruction
def nc_matmul_mx(dst: Any, stationary: View, moving: View, stationary_scale: View, moving_scale: View,
                 tile_position: Any = None, tile_size: Any = None, accumulate: bool | None = None) -> Any:  # fmt: skip
    if tile_position or tile_size:
        fail("nisa.nc_matmul_mx: tile_position and tile_size are not modelled")
    if dst is None:
        fail("nisa.nc_matmul_mx: dst must be given")
    s, m = tile(stationary, "stationary"), tile(moving, "moving")
    operands = {"out": tile(dst, "dst"), "stationary": s, "moving": m,
                "stationary_scales": _scales_of(s, stationary_scale, "stationary_scale"),
                "moving_scales": _scales_of(m, moving_scale, "moving_scale"),
                "accumulate": bool(accumulate)}  # fmt: skip
    emit("matmul_mx", operands, "accumulates" if accumulate is None else "")


@instruction
def nc_transpose(dst: Any, data: View, engine: Any = None, mask: Any = None, dtype: Any = None) -> Any:
    some = masked(mask, tile(data, "data"))
    if some is None:
        return Nothing()
    of = some[1][0]
    on = unit(engine, "tensor")
    like = View(data.memory, 0, 0, [(of.free, 1, 0), (of.partitions, 0, 0)], data.dtype)
    keeps = on == "vector" or current().generation >= 3
    return write("transpose", {"in": of, "on": on}, dst, like, data.dtype if keeps else DTYPES["float32"], {},
                 psum=on == "tensor")  # fmt: skip


def _pattern_of(expression: Index, partitions: int) -> tuple[int, int, list[tuple[int, int]]]:
    """base, step of the partition and levels of an index expression whose first axis is the partition."""
    if len(expression.shape) < 2 or (expression.shape[0] not in (1, partitions)):
        fail(f"an index expression over {expression.shape} has no partition axis in front")
    levels = [(e, c) for c, e in zip(expression.coefficients[1:], expression.shape[1:])]
    return expression.base, expression.coefficients[0], levels


def _given_pattern(pattern: Any, offset: Any, channel_multiplier: Any) -> tuple[int, int, list[tuple[int, int]]]:
    return int(offset), int(channel_multiplier), [(int(n), int(step)) for step, n in pattern]


def iota(*args: Any, **named: Any) -> Any:
    """iota(dst, pattern, offset, channel_multiplier), or iota(expression, dtype)."""
    by_dst = "dst" in named or (args and isinstance(args[0], View))
    return (_iota_to if by_dst else _iota)(*args, **named)


@instruction
def _iota_to(dst: Any, pattern: Any, offset: Any = 0, channel_multiplier: Any = 0) -> Any:
    emit("iota", {"out": tile(dst, "dst"), "pattern": _given_pattern(pattern, offset, channel_multiplier)})


def _iota(expr: Any, dtype: Any, mask: Any = None) -> Any:
    if not isinstance(expr, Index):
        fail(f"nisa.iota takes an index expression, got {type(expr).__name__}")
    out = fresh(expr.shape, dtype_of(dtype))
    some = masked(mask, out)
    if some is None:
        return Nothing()
    base, step, levels = _pattern_of(expr, expr.shape[0])
    levels = [(kept, c) for kept, (_, c) in zip(some[1][0].shape[1:], levels)]
    emit("iota", {"out": some[1][0], "pattern": (base, step, levels)})
    return some[1][0]


CALLS["iota"] = iota


def affine_select(*args: Any, **named: Any) -> Any:
    """affine_select(dst, pattern, …), or affine_select(pred, on_true_tile, on_false_value)."""
    by_dst = "dst" in named or (args and isinstance(args[0], View))
    return (_affine_select_to if by_dst else _affine_select)(*args, **named)


@instruction
def _affine_select_to(dst: Any, pattern: Any, offset: Any, channel_multiplier: Any, on_true_tile: View,
                      on_false_value: Any, cmp_op: Any = types.OPS["equal"]) -> Any:  # fmt: skip
    emit("affine_select", {
        "out": tile(dst, "dst"), "in": tile(on_true_tile, "on_true_tile"),
        "pattern": _given_pattern(pattern, offset, channel_multiplier), "compare": alu(cmp_op),
        "otherwise": scalar(on_false_value, "on_false_value"),
    })  # fmt: skip


def _affine_select(pred: Any, on_true_tile: Any, on_false_value: Any, mask: Any = None, dtype: Any = None) -> Any:
    if not isinstance(pred, Mask) or len(pred.parts) != 1:
        fail("nisa.affine_select: pred must be one comparison of index expressions")
    data = tile(on_true_tile, "on_true_tile")
    pattern = _pattern_of(pred.parts[0]._padded(data.ndim), data.partitions)
    levels = [(e, c) for (_, c), e in zip(pattern[2], data.shape[1:])]
    some = masked(mask, data)
    if some is None:
        return Nothing()
    levels = [(e, c) for (_, c), e in zip(levels, some[1][0].shape[1:])]
    operands = {"in": some[1][0], "pattern": (pattern[0], pattern[1], levels), "compare": "greater_equal",
                "otherwise": scalar(on_false_value, "on_false_value")}  # fmt: skip
    return write("affine_select", operands, None, data, typed(dtype, data), some[0])


CALLS["affine_select"] = affine_select


@instruction
def range_select(dst: Any, on_true_tile: View, comp_op0: Any, comp_op1: Any, bound0: Any, bound1: Any,
                 reduce_cmd: Any = None, reduce_res: Any = None, reduce_op: Any = None, range_start: Any = 0,
                 on_false_value: Any = None, mask: Any = None, dtype: Any = None) -> Any:  # fmt: skip
    if reduce_op is not None and alu(reduce_op) != "maximum":
        fail("nisa.range_select: reduce_op must be nl.maximum")
    some = masked(mask, tile(on_true_tile, "on_true_tile"))
    if some is None:
        return Nothing()
    operands = {
        "in": some[1][0], "op0": alu(comp_op0), "bound0": scalar(bound0, "bound0"), "op1": alu(comp_op1),
        "bound1": scalar(bound1, "bound1"), "start": scalar(range_start, "range_start"),
    }  # fmt: skip
    if on_false_value is not None and on_false_value is not Ellipsis:
        operands["on_false"] = scalar(on_false_value, "on_false_value")
    operands |= _reduction(reduce_cmd, reduce_res, "reset_reduce")
    return write("range_select", operands, dst, on_true_tile, typed(dtype, on_true_tile), some[0])


@instruction
def select_reduce(dst: Any, predicate: View, on_true: View, on_false: Any, reduce_res: Any = None,
                  reduce_cmd: Any = None, reduce_op: Any = None, reverse_pred: bool = False,
                  mask: Any = None, dtype: Any = None) -> Any:  # fmt: skip
    some = masked(mask, tile(predicate, "predicate"), tile(on_true, "on_true"))
    if some is None:
        return Nothing()
    operands = {"predicate": some[1][0], "on_true": some[1][1], "on_false": scalar(on_false, "on_false"),
                "reverse": bool(reverse_pred),
                "reduce_op": alu(reduce_op) if reduce_op is not None else "maximum"}  # fmt: skip
    operands |= _reduction(reduce_cmd, reduce_res, "idle")
    return write("select_reduce", operands, dst, on_true, typed(dtype, on_true), some[0])


@instruction
def tensor_copy_predicated(dst: Any, src: View, predicate: View, reverse_pred: bool = False, mask: Any = None,
                           dtype: Any = None) -> Any:  # fmt: skip
    some = masked(mask, tile(dst, "dst"), tile(src, "src"), tile(predicate, "predicate"))
    if some is not None:
        out, of, where = some[1]
        emit("tensor_copy_predicated", {"out": out, "in": of, "predicate": where, "reverse": bool(reverse_pred)})


@instruction
def dropout(dst: Any, data: View, prob: Any, mask: Any = None, dtype: Any = None) -> Any:
    some = masked(mask, tile(data, "data"))
    if some is None:
        return Nothing()
    operands = {"in": some[1][0], "probability": scalar(prob, "prob"), "seed": len(current().recording)}
    return write("dropout", operands, dst, data, typed(dtype, data), some[0])


def _columns(data: View, columns: int) -> View:
    """The axes of a result of as many partitions as data, and so many columns."""
    return View(data.memory, 0, 0, [(data.partitions, 1, 0), (columns, 0, 1)], data.dtype)


@instruction
def bn_stats(dst: Any, data: View, mask: Any = None, dtype: Any = None) -> Any:
    some = masked(mask, tile(data, "data"))
    if some is None:
        return Nothing()
    of = some[1][0]
    return write("bn_stats", {"in": of}, dst, _columns(of, 6), typed(dtype, data), {})


@instruction
def bn_aggr(dst: Any, data: View, mask: Any = None, dtype: Any = None) -> Any:
    some = masked(mask, tile(data, "data"))
    if some is None:
        return Nothing()
    of = some[1][0]
    return write("bn_aggr", {"in": of}, dst, _columns(of, 2), typed(dtype, data), {})


@instruction
def max8(dst: Any, src: View, mask: Any = None, dtype: Any = None) -> Any:
    some = masked(mask, tile(src, "src"))
    if some is None:
        return Nothing()
    of = some[1][0]
    return write("max8", {"in": of}, dst, _columns(of, 8), typed(dtype, src), {})


@instruction
def nc_find_index8(dst: Any, data: View, vals: View, mask: Any = None, dtype: Any = None) -> Any:
    some = masked(mask, tile(data, "data"))
    if some is None:
        return Nothing()
    of = some[1][0]
    operands = {"in": of, "values": tile(vals, "vals")}
    return write("find_index8", operands, dst, _columns(of, 8), DTYPES["int32"], {})


@instruction
def nc_match_replace8(dst: Any, data: View, vals: View, imm: Any, dst_idx: Any = None, mask: Any = None,
                      dtype: Any = None) -> Any:  # fmt: skip
    some = masked(mask, tile(data, "data"))
    if some is None:
        return Nothing()
    operands = {"in": some[1][0], "values": tile(vals, "vals"), "replacement": scalar(imm, "imm")}
    if dst_idx is not None:
        operands["places"] = tile(dst_idx, "dst_idx")
    return write("match_replace8", operands, dst, data, typed(dtype, data), some[0])


@instruction
def nc_stream_shuffle(dst: Any, src: View, shuffle_mask: Any, mask: Any = None, dtype: Any = None) -> Any:
    emit("stream_shuffle", {"out": tile(dst, "dst"), "in": tile(src, "src"),
                            "mask": [int(i) for i in shuffle_mask]})  # fmt: skip


@instruction
def local_gather(dst: Any, src_buffer: View, index: View, num_elem_per_idx: int = 1,
                 num_valid_indices: Any = None, mask: Any = None) -> Any:  # fmt: skip
    src, indices = tile(src_buffer, "src_buffer"), tile(index, "index")
    valid = 16 * indices.free if num_valid_indices is None else int(num_valid_indices)
    operands = {"in": src, "indices": indices, "elements_per_index": int(num_elem_per_idx)}
    return write("local_gather", operands, dst, _columns(src, valid * int(num_elem_per_idx)), src.dtype, {})


@instruction
def nc_n_gather(dst: Any, data: View, indices: View, mask: Any = None) -> Any:
    some = masked(mask, tile(indices, "indices"))
    if some is None:
        return Nothing()
    of = tile(data, "data")
    return write("n_gather", {"in": of, "indices": some[1][0]}, dst, indices, of.dtype, some[0])


@instruction
def sequence_bounds(dst: Any, segment_ids: View, dtype: Any = None) -> Any:
    of = tile(segment_ids, "segment_ids")
    return write("sequence_bounds", {"in": of}, dst, _columns(of, 2 * of.free), typed(dtype, of), {})


# Known calls that the model or this module does not have: they say so when they are called.
UNMODELLED = (
    "core_barrier", "nonzero_with_count", "rand2", "rand_get_state", "rand_set_state", "register_alloc",
    "register_load", "register_move", "register_store", "rng", "sendrecv", "set_rng_seed", "tensor_copy_dynamic_dst",
    "tensor_copy_dynamic_src",
)  # fmt: skip
