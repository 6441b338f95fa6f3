"""Views of tiles and tensors. All are affine: a first element, and axes with a stride each."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from .recording import current, emit, fail, new_tile
from .types import OPS, DType, dtype_of

Axis = tuple[int, int, int]  # extent, step of the partition, stride in elements


class Index:
    """An index expression: base + the sum of a coefficient times the index of each axis."""

    __slots__ = ("base", "coefficients", "shape", "_cut")

    def __init__(self, base: int, coefficients: tuple[int, ...], shape: tuple[int, ...]) -> None:
        self.base, self.coefficients, self.shape = base, coefficients, shape
        self._cut: dict[tuple[bool, ...], Index] = {}

    def __getitem__(self, key: Any) -> Index:
        key = key if isinstance(key, tuple) else (key,)
        pattern = tuple([k is None for k in key])
        cut = self._cut.get(pattern)
        if cut is None:
            if len(pattern) - sum(pattern) != len(self.shape) or any(
                k is not None and k != slice(None) for k in key
            ):
                fail(f"an index expression of {len(self.shape)} axes takes None and : only, got {key}")
            old = iter(zip(self.coefficients, self.shape))
            axes = [(0, 1) if new else next(old) for new in pattern]
            cut = Index(self.base, tuple(a[0] for a in axes), tuple(a[1] for a in axes))
            self._cut[pattern] = cut
        return cut

    def __add__(self, other: Any) -> Index:
        if isinstance(other, Index):
            n = max(len(self.shape), len(other.shape))
            a, b = self._padded(n), other._padded(n)
            return Index(
                a.base + b.base,
                tuple([x + y for x, y in zip(a.coefficients, b.coefficients)]),
                tuple([max(x, y) for x, y in zip(a.shape, b.shape)]),
            )
        return Index(self.base + operator.index(other), self.coefficients, self.shape)

    def _padded(self, n: int) -> Index:
        missing = n - len(self.shape)
        if missing == 0:
            return self
        return Index(self.base, (0,) * missing + self.coefficients, (1,) * missing + self.shape)

    def __mul__(self, other: Any) -> Index:
        if isinstance(other, Index):
            self._not_affine(other)
        factor = operator.index(other)
        return Index(self.base * factor, tuple([c * factor for c in self.coefficients]), self.shape)

    def __sub__(self, other: Any) -> Index:
        return self + other * -1

    def __rsub__(self, other: Any) -> Index:
        return self * -1 + other

    def __neg__(self) -> Index:
        return self * -1

    __radd__ = __add__
    __rmul__ = __mul__

    def _not_affine(self, other: Any) -> NoReturn:
        fail("a view that is not affine: index expressions are sums of integers times nl.arange")

    __floordiv__ = __mod__ = __pow__ = __truediv__ = __rfloordiv__ = __rmod__ = _not_affine

    def __ge__(self, other: Any) -> Mask:
        return Mask([self - other])

    def __gt__(self, other: Any) -> Mask:
        return Mask([self - other - 1])

    def __le__(self, other: Any) -> Mask:
        return Mask([other - self])

    def __lt__(self, other: Any) -> Mask:
        return Mask([other - self - 1])


class Mask:
    """Index expressions that are all at least 0 where the mask is true."""

    def __init__(self, parts: list[Index]) -> None:
        self.parts = parts

    def __and__(self, other: Any) -> Mask:
        if isinstance(other, Mask):
            return Mask(self.parts + other.parts)
        return self if other else Mask([Index(-1, (), ())])

    __rand__ = __and__

    def __or__(self, other: Any) -> NoReturn:
        fail("a mask that is no end of an axis: | joins two")

    def extents(self) -> dict[int, int] | None:
        """What is left of axes, which are counted from the last, -1; None where nothing is."""
        left: dict[int, int] = {}
        for part in self.parts:
            axes = [a for a, c in enumerate(part.coefficients) if c and part.shape[a] > 1]
            if not axes:
                if part.base < 0:
                    return None
                continue
            axis = axes[0]
            slope, extent = part.coefficients[axis], part.shape[axis]
            if len(axes) > 1 or (slope > 0 and part.base < 0):
                fail("a mask that is no end of an axis: it must be true for the first elements of one")
            if slope < 0:
                extent = min(extent, part.base // -slope + 1)
            if extent < 1:
                return None
            if extent < part.shape[axis]:
                key = axis - len(part.shape)
                left[key] = min(extent, left.get(key, extent))
        return left


def masked(mask: Any, *operands: Any) -> tuple[dict[int, int], list[Any]] | None:
    """The operands without what a mask leaves out; None where nothing is left."""
    if mask is None or mask is True:
        return {}, list(operands)
    if not isinstance(mask, Mask):
        fail(f"mask must compare index expressions, got {type(mask).__name__}")
    left = mask.extents()
    if left is None:
        return None
    if not left:
        return left, list(operands)
    return left, [x.clip(left) if isinstance(x, View) else x for x in operands]


class Memory:
    """A tile, or a tensor in HBM, which has a negative number."""

    __slots__ = ("number", "psum", "columns", "shape", "array", "role", "program")

    def __init__(self, number: int, psum: bool = False, columns: int = 0) -> None:
        self.number, self.psum, self.columns = number, psum, columns
        self.shape: tuple[int, ...] = ()
        self.array: Any = None
        self.role = ""
        self.program: Any = None

    @property
    def is_hbm(self) -> bool:
        return self.number < 0


class Nothing:
    """The result of a call whose mask leaves nothing."""


def contiguous(extents: Sequence[int]) -> list[Axis]:
    axes: list[Axis] = []
    stride = 1
    for e in reversed(extents):
        axes.append((e, 0, stride))
        stride *= e
    return axes[::-1]


def _all(key: Any, rank: int, shape: Sequence[int]) -> tuple[Any, ...]:
    """The key with a part for each axis, and None for new ones."""
    if Ellipsis in key:
        at = key.index(Ellipsis)
        given = sum(k is not None for k in key) - 1
        key = (*key[:at], *(slice(None),) * (rank - given), *key[at + 1 :])
    given = sum(k is not None for k in key)
    if given > rank:
        fail(f"{given} indices for the {rank} axes of {tuple(shape)}")
    return (*key, *(slice(None),) * (rank - given))


class View:
    """Elements of one memory, from `partition` and `offset` on."""

    __slots__ = ("memory", "partition", "offset", "axes", "dtype", "tail", "clipped", "source")

    def __init__(self, memory: Memory, partition: int, offset: int, axes: list[Axis], dtype: DType) -> None:
        self.memory, self.partition, self.offset, self.axes, self.dtype = memory, partition, offset, axes, dtype
        self.tail = 0  # last axes that are levels of their own, as reductions have them
        self.clipped: dict[int, int] = {}  # what a mask left of the axes
        self.source: View | None = None  # of a load: what it loaded

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple([a[0] for a in self.axes])

    @property
    def ndim(self) -> int:
        return len(self.axes)

    @property
    def is_hbm(self) -> bool:
        return self.memory.number < 0

    @property
    def buffer(self) -> str:
        return "hbm" if self.is_hbm else "psum" if self.memory.psum else "sbuf"

    @property
    def partitions(self) -> int:
        for extent, step, _ in self.axes:
            if step:
                return extent
        return 1

    @property
    def free(self) -> int:
        """Elements of a partition."""
        count = 1
        for e, step, _ in self.axes:
            if not step:
                count *= e
        return count

    def __repr__(self) -> str:
        return f"{self.buffer} {list(self.shape)} {self.dtype.name}"

    def _with(self, partition: int, offset: int, axes: list[Axis]) -> View:
        return View(self.memory, partition, offset, axes, self.dtype)

    def __getitem__(self, key: Any) -> View:
        if key.__class__ is not tuple:
            key = (key,)
        if len(key) != len(self.axes) or Ellipsis in key or None in key:
            key = _all(key, len(self.axes), self.shape)
        partition, offset, out = self.partition, self.offset, []
        old = iter(self.axes)
        for k in key:
            kind = k.__class__
            if kind is Index:
                return self._indexed(key)
            if k is None:
                out.append((1, 0, 0))
                continue
            extent, step, stride = next(old)
            if kind is slice:
                first, count, every = _range(k, extent, self)
                out.append((count, step * every, stride * every))
            else:
                first = k if kind is int and 0 <= k < extent else _one(k, extent, self)
                if step:
                    out.append((1, step, 0))
            partition += first * step
            offset += first * stride
        return View(self.memory, partition, offset, out, self.dtype)

    def _indexed(self, key: tuple[Any, ...]) -> View:
        """Indices of nl.arange together are the axes of the result, in the first one's place."""
        rank = max([len(k.shape) for k in key if k.__class__ is Index])
        partition, offset = self.partition, self.offset
        extents, steps, strides = [1] * rank, [0] * rank, [0] * rank
        sides: tuple[list[Axis], list[Axis]] = ([], [])
        behind = False
        old = iter(self.axes)
        for k in key:
            if k is None:
                sides[behind].append((1, 0, 0))
                continue
            extent, step, stride = next(old)
            kind = k.__class__
            if kind is Index:
                behind, first = True, k.base
                a = rank - len(k.shape)
                for c, e in zip(k.coefficients, k.shape):
                    if e > 1:
                        if extents[a] not in (1, e):
                            fail(f"index expressions of {extents[a]} and {e} elements on one axis")
                        extents[a] = e
                        steps[a] += c * step
                        strides[a] += c * stride
                    a += 1
            elif kind is slice:
                first, count, every = _range(k, extent, self)
                sides[behind].append((count, step * every, stride * every))
            else:
                first = _one(k, extent, self)
            partition += first * step
            offset += first * stride
        axes = [*sides[0], *zip(extents, steps, strides), *sides[1]]
        return View(self.memory, partition, offset, axes, self.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        assign(self[key], value)

    def clip(self, left: dict[int, int]) -> View:
        """The first elements of axes, which are counted from the last."""
        if not left:
            return self
        axes = list(self.axes)
        for axis, extent in left.items():
            if -axis <= len(axes) and axes[axis][0] > extent:
                axes[axis] = (extent, *axes[axis][1:])
        view = self._with(self.partition, self.offset, axes)
        view.clipped = left
        return view

    # Views of the same elements, as nki's tensors have them.

    def reshape(self, *shape: Any) -> View:
        extents = list(shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape)
        kept: list[Axis] = []
        axes = self.axes
        if not self.is_hbm and axes and axes[0][1]:
            if not extents or extents[0] not in (axes[0][0], -1):
                fail(f"reshape: the first axis of {self.shape}, the partition, must be kept, got {tuple(extents)}")
            kept, axes, extents = [axes[0]], axes[1:], extents[1:]
        return self._with(self.partition, self.offset, kept + _regrouped(axes, extents, self))

    def reshape_dim(self, dim: int, shape: Sequence[int]) -> View:
        dim = self._axis(dim)
        if self.axes[dim][1]:
            fail("reshape_dim: the partition axis cannot be cut")
        cut = _regrouped([self.axes[dim]], list(shape), self)
        return self._with(self.partition, self.offset, self.axes[:dim] + cut + self.axes[dim + 1 :])

    def flatten_dims(self, start_dim: int, end_dim: int) -> View:
        first, last = self._axis(start_dim), self._axis(end_dim)
        merged = _regrouped(self.axes[first : last + 1], [-1], self)
        return self._with(self.partition, self.offset, self.axes[:first] + merged + self.axes[last + 1 :])

    def expand_dim(self, dim: int) -> View:
        dim = dim if dim >= 0 else dim + self.ndim + 1
        return self._with(self.partition, self.offset, [*self.axes[:dim], (1, 0, 0), *self.axes[dim:]])

    def squeeze_dim(self, dim: int) -> View:
        dim = self._axis(dim)
        if self.axes[dim][0] != 1:
            fail(f"squeeze_dim: axis {dim} of {self.shape} has more than one element")
        return self._with(self.partition, self.offset, self.axes[:dim] + self.axes[dim + 1 :])

    def permute(self, dims: Sequence[int]) -> View:
        order = [self._axis(d) for d in dims]
        if sorted(order) != list(range(self.ndim)):
            fail(f"permute: {tuple(dims)} does not name each of the {self.ndim} axes once")
        return self._with(self.partition, self.offset, [self.axes[d] for d in order])

    def select(self, dim: int, index: int) -> View:
        dim = self._axis(dim)
        return self[(slice(None),) * dim + (index,)]

    def slice(self, dim: int, start: int, end: int, step: int = 1) -> View:
        dim = self._axis(dim)
        return self[(slice(None),) * dim + (slice(start, end, step),)]

    def broadcast(self, dim: int, size: int) -> View:
        dim = self._axis(dim)
        return self.broadcast_to([size if i == dim else e for i, e in enumerate(self.shape)])

    def broadcast_to(self, *shape: Any) -> View:
        extents = list(shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape)
        axes = list(self.axes)
        if len(extents) > len(axes):  # new axes are behind the partition
            at = 0 if self.is_hbm else 1
            axes[at:at] = [(1, 0, 0)] * (len(extents) - len(axes))
        if len(axes) != len(extents):
            fail(f"broadcast_to: {self.shape} has more axes than {tuple(extents)}")
        out: list[Axis] = []
        for wanted, (extent, step, stride) in zip(extents, axes):
            if extent not in (1, wanted):
                fail(f"broadcast_to: {self.shape} does not broadcast to {tuple(extents)}")
            out.append((wanted, step, stride) if extent == wanted else (wanted, 0, 0))
        if not self.is_hbm and extents[0] > 1 and axes[0][0] == 1:
            return self._over_partitions(extents[0], out)
        return self._with(self.partition, self.offset, out)

    def _over_partitions(self, partitions: int, axes: list[Axis]) -> View:
        """One row on every partition: its load once more, with a step of 0 between the rows."""
        if self.source is None:
            fail("broadcast_to: only a tile that a load filled can be broadcast over partitions")
        rows = self.source
        extents = [e for e, *_ in rows.axes[1:]]
        tile = fresh([partitions, *extents], self.dtype)
        emit("dma_copy", {"out": tile, "in": rows._with(0, rows.offset, [(partitions, 0, 0), *rows.axes[1:]])})
        return tile._with(0, 0, [(partitions, 1, 0), *axes[1:]])

    def ap(self, pattern: Sequence[Sequence[int]], offset: int = 0, dtype: Any = None, **others: Any) -> View:
        """Any access pattern of (step, count) from the memory's first element, in elements."""
        for name, value in others.items():
            if name not in ("scalar_offset", "vector_offset", "indirect_dim") or value not in (None, 0):
                fail(f"ap: {name} is not modelled")
        if dtype is not None and dtype_of(dtype) != self.dtype:
            fail("ap: a view as another type is not modelled")
        pairs = [(operator.index(s), operator.index(n)) for s, n in pattern]
        if self.is_hbm:
            return View(self.memory, 0, offset, [(n, 0, s) for s, n in pairs], self.dtype)
        columns = self.memory.columns
        step, count = pairs[0]
        if step % columns and count > 1:
            fail(f"ap: the first step must be a multiple of the {columns} elements of a partition, got {step}")
        axes = [(count, step // columns if count > 1 else 1, 0), *((n, 0, s) for s, n in pairs[1:])]
        return View(self.memory, offset // columns, offset % columns, axes, self.dtype)

    def get_pattern(self) -> list[list[int]]:
        columns = self.memory.columns
        return [[step * columns + stride, extent] for extent, step, stride in self.axes]

    def view(self, dtype: Any) -> View:
        if dtype_of(dtype) != self.dtype:
            fail("view: a view as another type is not modelled")
        return self

    def astype(self, dtype: Any) -> Any:
        return OPS["copy"](self, dtype=dtype)

    def _axis(self, dim: int) -> int:
        if not -self.ndim <= dim < self.ndim:
            fail(f"axis {dim} of the {self.ndim} axes of {self.shape}")
        return dim % self.ndim

    # Arithmetic is nl's.

    def __iadd__(self, other: Any) -> View:
        if isinstance(other, Nothing):
            return self
        if isinstance(other, View) and other.free == self.clip(other.clipped).free and not self.is_hbm:
            place = self.clip(other.clipped)
            emit("tensor_tensor", {"out": place, "left": place, "right": other, "op": "add"}, "adds")
            return self
        return self._in_place("add", other)

    def _in_place(self, op: str, other: Any) -> View:
        if self.is_hbm:
            fail("a tensor in HBM cannot be computed with: load it")
        assign(self, OPS[op](self, other))
        return self

    def __isub__(self, other: Any) -> View:
        return self._in_place("subtract", other)

    def __imul__(self, other: Any) -> View:
        return self._in_place("multiply", other)

    def __itruediv__(self, other: Any) -> View:
        return self._in_place("divide", other)

    def __neg__(self) -> Any:
        return OPS["multiply"](self, -1.0)


def _binary(op: str, swapped: bool = False) -> Callable[[View, Any], Any]:
    if swapped:
        return lambda self, other: OPS[op](other, self)
    return lambda self, other: OPS[op](self, other)


for _symbol, _op in (
    ("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide"), ("pow", "power"),
):  # fmt: skip
    setattr(View, f"__{_symbol}__", _binary(_op))
    setattr(View, f"__r{_symbol}__", _binary(_op, swapped=True))
for _symbol, _op in (
    ("lt", "less"), ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal"), ("and", "logical_and"),
    ("or", "logical_or"),
):  # fmt: skip
    setattr(View, f"__{_symbol}__", _binary(_op))


def _range(k: slice, extent: int, of: View) -> tuple[int, int, int]:
    """First, count and step of a slice; one that leaves the axis is refused, as nki does."""
    start, stop, step = k.start, k.stop, k.step
    if step is None:
        if start is None and stop is None:
            return 0, extent, 1
        if start.__class__ is int and stop.__class__ is int and 0 <= start < stop <= extent:
            return start, stop - start, 1
    try:
        every = 1 if step is None else operator.index(step)
        first = 0 if start is None else operator.index(start)
        end = extent if stop is None else operator.index(stop)
    except TypeError:
        fail(f"a slice takes integers, got {k}")
    if every < 1:
        fail(f"a slice must step forwards, got a step of {every}")
    if first < 0:
        first += extent
    if end < 0:
        end += extent
    count = (end - first + every - 1) // every
    if first < 0 or end > extent or count < 1:
        fail(f"elements {first}:{end} of an axis of {extent} of {of.shape}")
    return first, count, every


def _one(k: Any, extent: int, of: View) -> int:
    try:
        first = operator.index(k)
    except TypeError:
        if isinstance(k, View):
            fail("an index that is a tile: indirect addresses are not modelled")
        fail(f"an index must be an integer, a slice or of nl.arange, got {type(k).__name__}")
    if first < 0:
        first += extent
    if not 0 <= first < extent:
        fail(f"element {first} of an axis of {extent} of {of.shape}")
    return first


def _regrouped(axes: Sequence[Axis], extents: list[int], of: View) -> list[Axis]:
    """The axes under other extents; refused where they need a copy."""
    total = 1
    for e, *_ in axes:
        total *= e
    if extents.count(-1) == 1:
        known = 1
        for e in extents:
            known *= e if e != -1 else 1
        extents = [total // known if e == -1 else e for e in extents]
    product = 1
    for e in extents:
        product *= e
    if product != total:
        fail(f"reshape: {of.shape} has not the elements of {tuple(extents)}")
    merged: list[tuple[int, int]] = []
    for e, step, stride in axes:
        if e == 1:
            continue
        if step:
            fail("reshape: the partition axis cannot be cut or merged")
        if merged and merged[-1][1] == stride * e:
            merged[-1] = (merged[-1][0] * e, stride)
        else:
            merged.append((e, stride))
    out: list[Axis] = []
    left = iter(merged)
    size, stride = 1, 1
    for e in extents:
        if e == 1:
            out.append((1, 0, 0))
            continue
        if size == 1:
            size, stride = next(left)
        if size % e:
            fail(f"reshape: {of.shape} to {tuple(extents)} needs a copy")
        size //= e
        out.append((e, 0, stride * size))
    return out


def fresh(shape: Sequence[int], dtype: DType, psum: bool = False) -> View:
    """A new tile: the first extent is the partition."""
    axes = contiguous(shape)
    columns = axes[0][2]
    number = new_tile(psum, shape[0], columns, str(dtype.engine))
    axes[0] = (shape[0], 1, 0)
    return View(Memory(number, psum, columns), 0, 0, axes, dtype)


def fresh_like(view: View, dtype: DType, psum: bool = False) -> View:
    """A new tile with a view's axes, without gaps."""
    axes: list[Axis] = []
    stride, partitions = 1, 1
    for extent, step, _ in reversed(view.axes):
        if step:
            axes.append((extent, 1, 0))
            partitions = extent
        else:
            axes.append((extent, 0, stride))
            stride *= extent
    number = new_tile(psum, partitions, stride, str(dtype.engine))
    return View(Memory(number, psum, stride), 0, 0, axes[::-1], dtype)


class Blocks:
    """A tensor on chip with block axes before the partition: each of their indices is a tile."""

    def __init__(self, shape: Sequence[int], block: int, make: Callable[[Sequence[int]], View], dtype: DType) -> None:
        self.shape, self.dtype = tuple([int(e) for e in shape]), dtype
        self._block, self._make = block, make
        self._tiles: dict[tuple[int, ...], View] = {}

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __getitem__(self, key: Any) -> View:
        if key.__class__ is not tuple:
            key = (key,)
        if len(key) < self._block or Ellipsis in key[: self._block]:
            fail(f"a tensor with {self._block} block axes needs an integer for each of them, got {key}")
        try:
            block = tuple([operator.index(k) for k in key[: self._block]])
        except TypeError:
            fail(f"block axes take integers, got {key[:self._block]}")
        tile = self._tiles.get(block)
        if tile is None:
            for index, extent in zip(block, self.shape):
                if not 0 <= index < extent:
                    fail(f"block {block} of {self.shape}")
            tile = self._tiles[block] = self._make(self.shape[self._block :])
        rest = key[self._block :]
        return tile[rest] if rest else tile

    def __setitem__(self, key: Any, value: Any) -> None:
        assign(self[key], value)


def copy_view(out: View, src: View, on: str = "", role: str = "") -> None:
    """A copy on the engine that is named, else on the scalar engine, which has only activations before
    NeuronCore-v3; of integers on the vector engine, which keeps their bits."""
    if not on:
        integers = src.dtype.engine in ("int32", "uint8") and out.dtype.engine in ("int32", "uint8")
        on = "vector" if integers else "scalar"
    if on == "scalar" and current().generation < 3:
        emit("activation", {"out": out, "in": src}, role)
    else:
        emit("tensor_copy", {"out": out, "in": src, "on": on}, role)


class LoopReduction:
    """What nl.loop_reduce gives: the first turn of its loops copies, others combine."""

    def __init__(self, value: View, op: str, first: bool) -> None:
        self.value, self.op, self.first = value, op, first


def assign(place: View, value: Any) -> None:
    """place[...] = value: the instruction that made the value writes to the place, where it can."""
    if isinstance(value, Nothing):
        return
    if place.is_hbm:
        fail("a tensor in HBM is written with nl.store or nisa.dma_copy")
    if isinstance(value, LoopReduction):
        if not value.first:
            emit("tensor_tensor", {"out": place, "left": place, "right": value.value, "op": value.op})
            return
        value = value.value
    if isinstance(value, View):
        if value.is_hbm:
            fail("a tile cannot be assigned a tensor in HBM: load it")
        if value.memory is place.memory and value.partition == place.partition and (
            value.offset == place.offset and value.axes == place.axes
        ):
            return
        if value.clipped:
            place = place.clip(value.clipped)
        if (place.partitions, place.free) != (value.partitions, value.free):
            fail(f"{value.shape} cannot be assigned to {place.shape}")
        copy_view(place, value, "", "assigns")
        return
    if isinstance(value, (int, float)) or hasattr(value, "__float__"):
        emit("memset", {"out": place, "value": float(value)})
        return
    fail(f"a tile cannot be assigned {type(value).__name__}")
