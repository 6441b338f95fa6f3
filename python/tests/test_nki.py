import math
import pathlib
import runpy
import subprocess
import sys
import types

import numpy as np
import pytest

import papilio
import papilio.nki as pn

with pn.as_nki():
    import neuronxcc.nki as old_nki
    import nki
    import nki.isa as nisa
    import nki.language as nl

F32 = np.float32


def near(got, expected, tolerance=2e-6):
    """Within a few roundings of fp32 of the largest value."""
    expected = np.asarray(expected)
    assert got.shape == expected.shape
    scale = max(np.abs(expected).max(), 1e-30)
    assert np.abs(got - expected.astype(got.dtype)).max() <= tolerance * scale


def on_tiles(function, *arrays, shape=None, dtype=F32, machine=None):
    """function(tiles) in a kernel that loads arrays and stores its result."""

    @nki.jit
    def kernel(*tensors):
        result = function(*[nl.load(t) for t in tensors])
        out = nl.ndarray(shape or result.shape, dtype=dtype, buffer=nl.shared_hbm)
        nl.store(out, result)
        return out

    return pn.simulate(kernel, machine)(*arrays)


def into(shape, call, *arrays, dtype=F32, machine=None):
    """call(dst, tiles) in a kernel that declares dst, as nki 0.3 has it."""

    def function(*tiles):
        dst = nl.ndarray(shape, dtype, nl.sbuf)
        assert call(dst, *tiles) is None
        return dst

    return on_tiles(function, *arrays, dtype=dtype, machine=machine)


@nki.jit
def product(a, b):
    """neuronxcc's style: calls return tiles, += accumulates."""
    out = nl.ndarray((a.shape[1], b.shape[1]), dtype=a.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range(a.shape[1] // 128):
        acc = nl.zeros((128, b.shape[1]), dtype=nl.float32, buffer=nl.psum)
        for k in nl.affine_range(a.shape[0] // 128):
            rows = nl.ds(k * 128, 128)
            acc += nisa.nc_matmul(nl.load(a[rows, nl.ds(m * 128, 128)]), nl.load(b[rows, :]))
        nl.store(out[nl.ds(m * 128, 128), :], nl.copy(acc))
    return out


@nki.jit
def product_with_dst(a, b):
    """nki 0.3's style: every call has its destination."""
    out = nl.ndarray((a.shape[1], b.shape[1]), dtype=a.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range(a.shape[1] // 128):
        acc = nl.ndarray((128, b.shape[1]), dtype=nl.float32, buffer=nl.psum)
        for k in nl.affine_range(a.shape[0] // 128):
            s, t = nl.ndarray((128, 128), a.dtype, nl.sbuf), nl.ndarray((128, b.shape[1]), a.dtype, nl.sbuf)
            nisa.dma_copy(s, a[k * 128 : k * 128 + 128, m * 128 : m * 128 + 128])
            nisa.dma_copy(dst=t, src=b[k * 128 : k * 128 + 128])
            nisa.nc_matmul(dst=acc, stationary=s, moving=t)
        c = nl.ndarray((128, b.shape[1]), a.dtype, nl.sbuf)
        nisa.tensor_copy(dst=c, src=acc)
        nisa.dma_copy(dst=out[m * 128 : m * 128 + 128, ...], src=c)
    return out


@pytest.fixture
def operands(rng):
    return rng.standard_normal((256, 256), dtype=F32), rng.standard_normal((256, 384), dtype=F32)


@pytest.mark.parametrize("kernel", [product, product_with_dst])
def test_products_of_both_styles(kernel, operands):
    a, b = operands
    near(kernel(a, b), a.T.astype(float) @ b)


def test_styles_with_the_same_instructions_take_the_same_time(operands):
    times = {pn.profile(k, *operands).device_seconds for k in (product, product_with_dst)}
    assert len(times) == 1


def test_a_dry_run_takes_the_time_of_execution(operands):
    from papilio.nki.kernels import Recorded

    executed = Recorded(product, operands, {})
    executed.execute()
    dry = pn.profile(product, *(np.broadcast_to(F32(0), x.shape) for x in operands))
    assert executed.profile.summary == dry.summary


UNARY = {
    "abs": np.abs, "arctan": np.arctan, "copy": lambda x: x, "exp": np.exp, "log": np.log,
    "negative": np.negative, "reciprocal": lambda x: 1 / x, "relu": lambda x: np.maximum(x, 0),
    "rsqrt": lambda x: 1 / np.sqrt(x), "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "sign": np.sign,
    "silu": lambda x: x / (1 + np.exp(-x)), "sin": np.sin, "softplus": lambda x: np.log1p(np.exp(x)),
    "sqrt": np.sqrt, "square": np.square, "tanh": np.tanh, "erf": np.vectorize(math.erf),
    "gelu": lambda x: x * (1 + np.vectorize(math.erf)(x / 2**0.5)) / 2,
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
}  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_tile(name, rng):
    x = rng.uniform(0.1, 1.5, (8, 20)).astype(F32)  # arctan takes no more
    near(on_tiles(getattr(nl, name), x), UNARY[name](x.astype(float)))


BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "maximum": np.maximum, "minimum": np.minimum, "power": np.power, "equal": np.equal,
    "not_equal": np.not_equal, "greater": np.greater, "greater_equal": np.greater_equal, "less": np.less,
    "less_equal": np.less_equal, "logical_and": np.logical_and, "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}  # fmt: skip


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two(name, rng):
    x, y = (rng.integers(1, 4, (8, 20)).astype(F32) for _ in range(2))
    column = y[:, :1].copy()
    call, reference = getattr(nl, name), BINARY[name]
    near(on_tiles(lambda a, b: call(a, b, dtype=F32), x, y), reference(x, y))
    near(on_tiles(lambda a: call(a, 2.0, dtype=F32), x), reference(x, F32(2)))
    near(on_tiles(lambda a: call(2.0, a, dtype=F32), x), reference(F32(2), x))
    near(on_tiles(lambda a, b: call(a, b, dtype=F32), x, column), reference(x, column))
    near(on_tiles(lambda a, b: call(b, a, dtype=F32), x, column), reference(column, x))


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"])
def test_functions_of_bits(name, rng):
    x, y = rng.integers(1, 99, (8, 20)).astype(np.int32), rng.integers(1, 5, (8, 20)).astype(np.int32)
    got = on_tiles(getattr(nl, name), x, y, dtype=np.int32)
    assert np.array_equal(got, getattr(np, name)(x, y))


def test_operators_are_functions(rng):
    x, y = rng.uniform(1, 2, (2, 8, 20)).astype(F32)
    near(on_tiles(lambda a, b: (a + b * 3 - 1) / b - (-a) ** 2, x, y), (x + y * 3 - 1) / y - x**2)

    def in_place(a, b):
        a += b
        a -= 1
        a *= b
        a /= 2
        return a

    near(on_tiles(in_place, x, y), (x + y - 1) * y / 2)


@pytest.mark.parametrize("name", ["sum", "max", "min", "prod", "mean"])
def test_reductions(name, rng):
    x = rng.uniform(0.5, 1.5, (8, 3, 4, 5)).astype(F32)
    call, reference = getattr(nl, name), getattr(np, name)
    for axes in ((3,), (2, 3), (1, 3), (1,), (1, 2, 3)):
        expected = reference(x.astype(float), axis=axes)
        got = on_tiles(lambda t, axes=axes: call(t, axis=list(axes)), x)
        near(got, expected.reshape(8, 1) if expected.ndim == 1 else expected, 4e-6)
    near(on_tiles(lambda t: call(t, axis=[1, 2, 3], keepdims=True), x), reference(x, (1, 2, 3), keepdims=True), 4e-6)


def test_reductions_over_partitions(rng):
    x = rng.standard_normal((64, 10), dtype=F32)
    near(on_tiles(lambda t: nl.max(t, axis=0), x), x.max(0, keepdims=True))
    near(on_tiles(lambda t: nisa.tensor_partition_reduce(np.add, t), x), x.sum(0, keepdims=True), 1e-5)


def test_softmax_where_and_dropout(rng):
    x = rng.standard_normal((16, 40), dtype=F32)
    powers = np.exp(x.astype(float))
    near(on_tiles(lambda t: nl.softmax(t, axis=1), x), powers / powers.sum(1, keepdims=True), 4e-6)
    near(on_tiles(lambda t: nl.where(nl.greater(t, 0.0), t, nl.negative(t)), x), np.abs(x))
    near(on_tiles(lambda t: nl.where(t > 0, t, 2.0), x), np.where(x > 0, x, 2))
    near(on_tiles(lambda t: nl.where(t > 0, 2.0, t), x), np.where(x > 0, 2, x))
    assert np.array_equal(on_tiles(lambda t: nl.dropout(t, 0.0), x), x)
    kept = on_tiles(lambda t: nl.dropout(t, 0.5), x)
    assert np.all((kept == 0) | (kept == x)) and 0.2 < np.mean(kept == 0) < 0.8


# Calls of nki.isa: what returns a tile, what writes to one, and numpy's.
X = np.random.default_rng(1).uniform(0.5, 2, (32, 24)).astype(F32)
Y = np.random.default_rng(2).uniform(0.5, 2, (32, 24)).astype(F32)
COLUMN = Y[:, :1].copy()
ISA = {
    "activation": (
        lambda x, y, c: nisa.activation(op=np.exp, data=x, bias=c, scale=0.5),
        lambda d, x, y, c: nisa.activation(dst=d, op=nl.exp, data=x, bias=c, scale=0.5),
        np.exp(X * 0.5 + COLUMN),
    ),
    "activation with a scale for each partition": (
        lambda x, y, c: nisa.activation(nl.square, x, scale=c, bias=1.0),
        lambda d, x, y, c: nisa.activation(d, nl.square, x, bias=1.0, scale=c),
        (X * COLUMN + 1) ** 2,
    ),
    "tensor_scalar": (
        lambda x, y, c: nisa.tensor_scalar(x, nl.subtract, 2.0, True, op1=np.multiply, operand1=c),
        lambda d, x, y, c: nisa.tensor_scalar(d, x, nl.subtract, 2.0, True, np.multiply, c, engine=nisa.vector_engine),
        (2 - X) * COLUMN,
    ),
    "tensor_tensor": (
        lambda x, y, c: nisa.tensor_tensor(x, y, np.subtract, engine=nisa.engine.gpsimd),
        lambda d, x, y, c: nisa.tensor_tensor(d, x, y, op=nl.subtract),
        X - Y,
    ),
    "tensor_tensor broadcast": (
        lambda x, y, c: nisa.tensor_tensor(x, c, nl.add),
        lambda d, x, y, c: nisa.tensor_tensor(dst=d, data1=x, data2=c, op=nl.add),
        X + COLUMN,
    ),
    "scalar_tensor_tensor": (
        lambda x, y, c: nisa.scalar_tensor_tensor(data=x, op0=nl.add, operand0=1.0, op1=nl.multiply, operand1=y),
        lambda d, x, y, c: nisa.scalar_tensor_tensor(d, x, nl.add, 1.0, nl.multiply, y),
        (X + 1) * Y,
    ),
    "tensor_copy": (
        lambda x, y, c: nisa.tensor_copy(x, engine=nisa.vector_engine),
        lambda d, x, y, c: nisa.tensor_copy(d, x),
        X,
    ),
    "reciprocal": (
        lambda x, y, c: nisa.reciprocal(x), lambda d, x, y, c: nisa.reciprocal(dst=d, data=x), 1 / X,
    ),
    "memset": (
        lambda x, y, c: nisa.memset((32, 24), 3.0, np.float32),
        lambda d, x, y, c: nisa.memset(d, value=3.0, engine=nisa.engine.gpsimd),
        np.full((32, 24), 3.0),
    ),
    "tensor_tensor_scan": (
        lambda x, y, c: nisa.tensor_tensor_scan(x, y, 0, np.multiply, np.add),
        lambda d, x, y, c: nisa.tensor_tensor_scan(d, x, y, 0.0, nl.multiply, nl.add),
        np.stack([np.array([s := 0.0] + [s := x * s + y for x, y in zip(*rows)])[1:] for rows in zip(X, Y)]),
    ),
    "nc_transpose": (
        lambda x, y, c: nl.copy(nisa.nc_transpose(x))[:24, :24],
        lambda d, x, y, c: nisa.nc_transpose(dst=d[:24, :24], data=x[:24, :24], engine=nisa.vector_engine),
        X[:24, :24].T,
    ),
    "iota": (
        lambda x, y, c: nisa.iota(5 + 100 * nl.arange(32)[:, None] + 2 * nl.arange(24)[None, :], np.float32),
        lambda d, x, y, c: nisa.iota(d, [[2, 24]], 5, channel_multiplier=100),
        5 + 100 * np.arange(32)[:, None] + 2 * np.arange(24),
    ),
    "affine_select": (
        lambda x, y, c: nisa.affine_select(nl.arange(32)[:, None] >= nl.arange(24)[None, :], x, -1.0),
        lambda d, x, y, c: nisa.affine_select(d, [[-1, 24]], 0, 1, x, -1.0, cmp_op=nl.greater_equal),
        np.where(np.arange(32)[:, None] >= np.arange(24), X, -1),
    ),
    "max8": (
        lambda x, y, c: nisa.max8(src=x), lambda d, x, y, c: nisa.max8(d[:, :8], x), np.sort(X, 1)[:, :-9:-1],
    ),
    "nc_find_index8": (
        lambda x, y, c: nl.copy(nisa.nc_find_index8(data=x, vals=nisa.max8(src=x)), dtype=np.float32),
        None,
        np.argsort(-X, 1)[:, :8],
    ),
    "nc_match_replace8": (
        lambda x, y, c: nisa.nc_match_replace8(data=x, vals=nisa.max8(src=x), imm=0.0),
        lambda d, x, y, c: nisa.nc_match_replace8(d, x, nisa.max8(src=x), 0.0),
        np.where(X >= np.sort(X, 1)[:, -8:][:, :1], 0, X),
    ),
    "bn_aggr": (
        lambda x, y, c: nisa.bn_aggr(nisa.bn_stats(x)),
        lambda d, x, y, c: nisa.bn_aggr(dst=d[:, :2], data=nisa.bn_stats(x)),
        np.stack([X.mean(1), X.var(1)], 1),
    ),
    "nc_stream_shuffle": (
        None,
        lambda d, x, y, c: nisa.nc_stream_shuffle(dst=d, src=x, shuffle_mask=list(range(31, -1, -1))),
        X[::-1],
    ),
    "dma_copy": (None, lambda d, x, y, c: nisa.dma_copy(dst=d, src=x, dge_mode=nisa.dge_mode.none), X),
}  # fmt: skip


@pytest.mark.parametrize("name", ISA)
def test_instructions_of_both_styles(name):
    returning, writing, expected = ISA[name]
    arrays = (X, Y, COLUMN)
    if returning is not None:
        near(on_tiles(returning, *arrays), expected, 4e-6)
    if writing is not None:
        columns = expected.shape[1]

        def call(d, *tiles):
            assert writing(d, *tiles) is None

        def function(*tiles):
            d = nl.ndarray((32, 24), nl.float32, nl.sbuf)
            call(d, *tiles)
            return d[: expected.shape[0], :columns]

        near(on_tiles(function, *arrays), expected, 4e-6)


def test_reductions_with_a_second_result():
    def activation(d, x):
        wide = nl.ndarray(x.shape, nl.float32, nl.sbuf)
        nisa.activation(dst=wide, op=nl.square, data=x, reduce_op=nl.add, reduce_res=d, reduce_cmd=nisa.reduce_cmd.reset_reduce)

    def activation_reduce(d, x):
        nisa.activation_reduce(nl.square, x, reduce_op=np.add, reduce_res=d)

    def scalar_reduce(d, x):
        nisa.tensor_scalar_reduce(data=x, op0=nl.multiply, operand0=2.0, reduce_op=nl.max, reduce_res=d)

    near(into((32, 1), activation, X), (X**2).sum(1, keepdims=True), 4e-6)
    near(into((32, 1), activation_reduce, X), (X**2).sum(1, keepdims=True), 4e-6)
    near(into((32, 1), scalar_reduce, X), 2 * X.max(1, keepdims=True))
    near(into((32, 1), lambda d, x: nisa.tensor_reduce(d, nl.add, x, 1, negate=True), X), -X.sum(1, keepdims=True), 4e-6)


def rows_in_two(function, *arrays, machine=None):
    """function(result, tiles of the left half, tiles of the right half) in one kernel."""

    def call(d, *tiles):
        half = tiles[0].shape[1] // 2
        function(d, *([t[:, :half], t[:, half:]] for t in tiles))

    return into((arrays[0].shape[0], 1), call, *arrays, machine=machine)


def test_reduce_registers_keep_sums_from_call_to_call():
    reset, more = nisa.reduce_cmd.reset_reduce, nisa.reduce_cmd.reduce

    def squares(d, x):
        a, b = x
        wide = nl.ndarray(a.shape, nl.float32, nl.sbuf)
        nisa.activation(dst=wide, op=nl.square, data=a, reduce_op=nl.add, reduce_cmd=reset)
        nisa.activation(dst=wide, op=nl.square, data=b, reduce_op=nl.add, reduce_res=d, reduce_cmd=more)

    near(rows_in_two(squares, X), (X**2).sum(1, keepdims=True), 4e-6)

    def products(d, x):
        a, b = x
        wide = nl.ndarray(a.shape, nl.float32, nl.sbuf)
        load = nisa.reduce_cmd.load_reduce
        nisa.tensor_scalar_reduce(wide, a, nl.multiply, 2.0, nl.add, reduce_cmd=load, reduce_init=3.0)
        nisa.tensor_scalar_reduce(wide, b, nl.multiply, 2.0, nl.add, d, reduce_cmd=more, reduce_res_negate=True)

    near(rows_in_two(products, X), -(3 + 2 * X.sum(1, keepdims=True)), 4e-6)

    def softmax(d, x):
        a, b = x
        wide = nl.ndarray(a.shape, nl.float32, nl.sbuf)
        nisa.exponential(wide, a, max_value=2.0, reduce_cmd=reset)
        nisa.exponential(dst=wide, src=b, max_value=2.0, reduce_res=d, reduce_cmd=more)

    near(rows_in_two(softmax, X, machine="trn3"), np.exp(X.astype(float) - 2).sum(1, keepdims=True), 4e-6)
    with pytest.raises(papilio.DeviceError, match="machine: must be NeuronCore-v4 or newer"):
        rows_in_two(softmax, X, machine="trn2")

    def unset(d, x):
        nisa.activation(dst=nl.ndarray(x.shape, nl.float32, nl.sbuf), op=nl.square, data=x, reduce_res=d)

    with pytest.raises(papilio.DeviceError, match="command: reads reduce registers of scalar that nobody has set"):
        into((32, 1), unset, X)


def test_running_sums_go_on_in_the_next_tile():
    def running(x):
        out = nl.ndarray(x.shape, nl.float32, nl.sbuf)
        half = x.shape[1] // 2
        nisa.tensor_scalar_cumulative(out[:, :half], x[:, :half], nl.multiply, nl.add, 2.0)
        nisa.tensor_scalar_cumulative(
            dst=out[:, half:], src=x[:, half:], op0=nl.multiply, op1=nl.add, imm0=2.0, reduce_cmd=nisa.reduce_cmd.reduce
        )
        return out

    near(on_tiles(running, X), np.cumsum(2 * X.astype(float), 1), 4e-6)

    def loaded(x, first):
        out = nl.ndarray(x.shape, nl.float32, nl.sbuf)
        nisa.tensor_scalar_cumulative(out, x, nl.add, nl.maximum, 0.0, first, reduce_cmd=nisa.reduce_cmd.load_reduce)
        return out

    near(on_tiles(loaded, X, COLUMN), np.maximum(np.maximum.accumulate(X, 1), COLUMN))


def test_activate2_scales_shifts_and_reduces():
    def call(d, x, c):
        wide = nl.ndarray(x.shape, nl.float32, nl.sbuf)
        nisa.activate2(
            dst=wide, op=nl.abs, data=x, imm0=c, imm1=1.0, op0=nl.multiply, op1=nl.subtract, reverse1=True,
            reduce_op=nl.abs_min, reduce_res=d, reduce_cmd=nisa.reduce_cmd.reset_reduce,
        )  # fmt: skip

    near(into((32, 1), call, X, COLUMN, machine="trn3"), np.abs(1 - X * COLUMN).min(1, keepdims=True), 4e-6)

    def leaky(x):
        out = nl.ndarray(x.shape, nl.float32, nl.sbuf)
        nisa.activate2(out, nl.prelu, x, 0.0, 0.0, nl.bypass, nl.bypass, relu_param=0.25)
        return out

    near(on_tiles(leaky, X - 1, machine="trn3"), np.where(X > 1, X - 1, 0.25 * (X - 1)))


def test_results_do_not_move_past_reduce_registers():
    reset, more = nisa.reduce_cmd.reset_reduce, nisa.reduce_cmd.reduce

    def function(d, x):
        a, b = x
        wide = nl.ndarray(a.shape, nl.float32, nl.sbuf)
        made = nisa.activation(op=nl.square, data=a, reduce_op=nl.add, reduce_cmd=reset)
        nisa.activation(dst=wide, op=nl.square, data=b, reduce_op=nl.add, reduce_res=d, reduce_cmd=more)
        wide[...] = made

    near(rows_in_two(function, X), (X**2).sum(1, keepdims=True), 4e-6)


def test_gathers_within_partitions():
    at = np.random.default_rng(3).integers(0, X.shape[1], (X.shape[0], 40)).astype(np.int32)
    near(on_tiles(lambda x, i: nisa.nc_n_gather(data=x, indices=i), X, at), np.take_along_axis(X, at, 1))
    near(into((32, 40), lambda d, x, i: nisa.nc_n_gather(d, x, i), X, at), np.take_along_axis(X, at, 1))


def test_sums_of_transfers():
    @nki.jit
    def kernel(a, b, c):
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        on_chip = nl.ndarray(a.shape, a.dtype, nl.sbuf)
        nisa.dma_copy(on_chip, a)
        nisa.dma_compute(out, [on_chip, b, c], reduce_op=nl.add)
        return out

    near(pn.simulate(kernel)(X, Y, X), X + Y + X)

    @nki.jit
    def in_place(a, b):
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(out, a)
        nisa.dma_compute(out, [b, b, out], reduce_op=nl.add)
        return out

    near(pn.simulate(in_place)(X, Y), Y + Y + X)

    @nki.jit
    def scaled(a):
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        nisa.dma_compute(out, [a, a], nl.add, scales=[1.0, 2.0])
        return out

    with pytest.raises(pn.KernelError, match="reduce_op must be nl.add and scales 1.0"):
        pn.simulate(scaled)(X)


def test_products_on_tiles_of_the_array(rng):
    a, b = rng.standard_normal((128, 128), dtype=F32), rng.standard_normal((128, 64), dtype=F32)

    def tiled(a, b):
        out = nl.ndarray((128, 64), nl.float32, nl.psum)
        for c in range(2):
            nisa.nc_matmul(
                out[c * 64 : c * 64 + 64], a[:, c * 64 : c * 64 + 64], b, tile_position=(0, c * 64), tile_size=(128, 64)
            )
        copied = nl.ndarray((128, 64), nl.float32, nl.sbuf)
        nisa.tensor_copy(copied, out)
        return copied

    near(on_tiles(tiled, a, b), a.T.astype(float) @ b)

    def rows(a, b):
        out = nl.ndarray((128, 64), nl.float32, nl.psum)
        nisa.nc_matmul(out, a[64:], b[64:], tile_position=(64, 0), tile_size=(64, 128))
        copied = nl.ndarray((128, 64), nl.float32, nl.sbuf)
        nisa.tensor_copy(copied, out)
        return copied

    near(on_tiles(rows, a, b), a[64:].T.astype(float) @ b[64:])
    with pytest.raises(pn.KernelError, match="must have 64 or 128 columns and start at a multiple of them, got 32 at 0"):
        on_tiles(lambda a, b: nisa.nc_matmul(a, b, tile_position=(0, 0), tile_size=(128, 32)), a, b)


def test_selection_by_predicates():
    flags = (X > 1).astype(np.int32)

    def predicated(x, y, p):
        nisa.tensor_copy_predicated(src=x, dst=y, predicate=p)
        return y

    near(on_tiles(predicated, X, Y, flags), np.where(flags, X, Y))
    got = on_tiles(lambda x, p: nisa.select_reduce(predicate=p, on_true=x, on_false=-1.0, reverse_pred=True), X, flags)
    near(got, np.where(flags, -1, X))

    def largest(d, x, p):
        wide = nl.ndarray(x.shape, nl.float32, nl.sbuf)
        nisa.select_reduce(wide, p, x, -9.0, reduce_res=d, reduce_cmd=nisa.reduce_cmd.reset_reduce, reduce_op=nl.maximum)

    near(into((32, 1), largest, X, flags), np.where(flags, X, -9).max(1, keepdims=True))
    low, high = np.full((32, 1), 3, F32), np.full((32, 1), 20, F32)

    def within(x, a, b):
        return nisa.range_select(on_true_tile=x, comp_op0=nl.greater_equal, comp_op1=nl.less, bound0=a, bound1=b)

    index = np.arange(24)
    expected = np.where((index >= 3) & (index < 20), X, np.finfo(F32).min)
    assert np.array_equal(on_tiles(within, X, low, high, machine="trainium2"), expected)


def test_gathers_and_bounds():
    indices = np.zeros((32, 2), np.int32)
    indices[:16] = np.arange(32).reshape(2, 16).T % 24
    indices[16:] = indices[:16][::-1]
    got = on_tiles(lambda x, i: nisa.local_gather(x, i), X, indices)
    for group in range(2):
        rows = slice(16 * group, 16 * group + 16)
        near(got[rows], X[rows][:, indices[rows].T.reshape(-1)])
    segments = np.repeat([[1, 1, 2, 2, 2, 3]], 4, 0).astype(F32)
    bounds = on_tiles(lambda s: nisa.sequence_bounds(segment_ids=s), segments)
    assert bounds[0].tolist() == [0, 0, 2, 2, 2, 5, 2, 2, 5, 5, 5, 6]


def test_transposing_loads(rng):
    x = rng.standard_normal((200, 48), dtype=F32)

    @nki.jit
    def turned(a):
        out = nl.ndarray((48, 200), dtype=a.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.load_transpose2d(a))
        return out

    assert np.array_equal(turned(x), x.T)

    @nki.jit
    def by_dma(a):
        out = nl.ndarray((48, 64), dtype=a.dtype, buffer=nl.shared_hbm)
        nl.store(out, nisa.dma_transpose(a[:64, :], axes=(1, 0)))
        return out

    half = x.astype(np.float16)
    assert np.array_equal(pn.simulate(by_dma, "trainium2")(half), half[:64].T)
    assert np.array_equal(on_tiles(lambda t: nl.transpose(t), x[:48, :40].copy()), x[:48, :40].T)
    near(on_tiles(lambda a, b: nl.copy(nl.matmul(a, b)), x[:40], x[:48, :40].copy()), x[:40].astype(float) @ x[:48, :40])


def test_transposing_products(rng):
    x, identity = rng.standard_normal((64, 32), dtype=F32), np.identity(64, dtype=F32)
    got = on_tiles(lambda a, i: nl.copy(nisa.nc_matmul(a, i, is_moving_onezero=True, is_transpose=True)), x, identity)
    assert np.array_equal(got, x.T)
    near(on_tiles(lambda a, i: nl.copy(nisa.nc_matmul(a, i, is_moving_onezero=True)), x, identity), x.T)


# Engines reach partitions from multiples of 32 on.
VOLUME = np.arange(64 * 4 * 6, dtype=F32).reshape(64, 4, 6)
VIEWS = {
    "slices": (lambda t: t[32:41, 1:3, 1:6:2], VOLUME[32:41, 1:3, 1:6:2]),
    "from the end": (lambda t: t[:, -1, -3:], VOLUME[:, -1, -3:]),
    "one index": (lambda t: t[:, 2], VOLUME[:, 2]),
    "dots": (lambda t: t[..., 3], VOLUME[..., 3]),
    "None": (lambda t: t[:, None, :, 1:2], VOLUME[:, None, :, 1:2]),
    "ds": (lambda t: t[nl.ds(32, 5), :, nl.ds(1, 2)], VOLUME[32:37, :, 1:3]),
    "arange": (
        lambda t: t[nl.arange(8)[:, None, None], 3 - nl.arange(4)[None, None, :], 2 * nl.arange(3)[None, :, None] + 1],
        VOLUME[np.arange(8)[:, None, None], 3 - np.arange(4)[None, None, :], 2 * np.arange(3)[None, :, None] + 1],
    ),
    "arange beside a slice": (lambda t: t[:, 1, nl.arange(1, 4)], VOLUME[:, 1, 1:4]),
    "mgrid": (
        lambda t: (lambda i, j, k: t[i, j, k])(*nl.mgrid[0:4, 1:3, 0:6]), VOLUME[:4, 1:3],
    ),
    "of a view": (lambda t: t[16:60][16:18, 1:][:, ::2, 2:], VOLUME[16:60][16:18, 1:][:, ::2, 2:]),
    "reshape": (lambda t: t.reshape((64, 2, 12)), VOLUME.reshape(64, 2, 12)),
    "reshape with -1": (lambda t: t.reshape((64, -1)), VOLUME.reshape(64, -1)),
    "reshape_dim": (lambda t: t.reshape_dim(2, (3, -1)), VOLUME.reshape(64, 4, 3, 2)),
    "flatten_dims": (lambda t: t.flatten_dims(1, 2), VOLUME.reshape(64, 24)),
    "permute": (lambda t: t.permute((0, 2, 1)), VOLUME.transpose(0, 2, 1)),
    "select": (lambda t: t.select(1, 2), VOLUME[:, 2]),
    "slice": (lambda t: t.slice(2, 1, 6, 2), VOLUME[:, :, 1:6:2]),
    "expand_dim": (lambda t: t.expand_dim(1), VOLUME[:, None]),
    "squeeze_dim": (lambda t: t[:, 1:2].squeeze_dim(1), VOLUME[:, 1]),
    "broadcast": (lambda t: t[:, 1:2].broadcast(1, 3), np.repeat(VOLUME[:, 1:2], 3, 1)),
    "broadcast_to": (lambda t: t[:, :, 2:3].broadcast_to((64, 4, 5)), np.repeat(VOLUME[:, :, 2:3], 5, 2)),
    "broadcast over partitions": (
        lambda t: nl.load(t.source[3:4, 0]).broadcast_to((16, 6)), np.repeat(VOLUME[3:4, 0], 16, 0),
    ),
    "ap": (lambda t: t.ap([[24, 8], [6, 2], [1, 3]], offset=32 * 24 + 7), VOLUME[32:40, 1:3, 1:4]),
    "astype": (lambda t: t[:, 0].astype(nl.int32).astype(nl.float32), VOLUME[:, 0]),
}  # fmt: skip


@pytest.mark.parametrize("name", VIEWS)
def test_views(name):
    view, expected = VIEWS[name]
    got = on_tiles(lambda t: nl.copy(view(t)), VOLUME, shape=expected.shape)
    assert np.array_equal(got, expected)


@pytest.mark.parametrize("name", sorted(set(VIEWS) - {"broadcast over partitions", "ap", "astype", "None"}))
def test_views_of_tensors_in_hbm(name):
    view, expected = VIEWS[name]

    @nki.jit
    def kernel(x):
        out = nl.ndarray(expected.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.load(view(x)))
        return out

    assert np.array_equal(kernel(VOLUME), expected)


def test_block_dimensions(rng):
    x = rng.standard_normal((3, 2, 32, 20), dtype=F32)

    @nki.jit
    def kernel(a):
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        blocks = nl.ndarray((3, 2, nl.par_dim(32), 20), dtype=a.dtype, buffer=nl.sbuf)
        sums = nl.zeros((3, nl.par_dim(32), 20), dtype=a.dtype)
        for i in nl.affine_range(3):
            for j in nl.sequential_range(2):
                blocks[i, j, nl.arange(32)[:, None], nl.arange(20)[None, :]] = nl.load(a[i, j])
                sums[i] += blocks[i, j]
                blocks[i, j, :, :] = nl.multiply(blocks[i, j], 2.0)
                nl.store(out[i, j], blocks[i, j] + sums[i])
        return out

    near(kernel(x), 2 * x + np.cumsum(x, 1))


def test_masks_over_ends_of_axes(rng):
    x = rng.standard_normal((200, 70), dtype=F32)

    @nki.jit
    def kernel(a):
        rows, columns = a.shape
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        for i in nl.affine_range(2):
            for j in nl.affine_range(3):  # the last has nothing
                p, f = 128 * i + nl.arange(128)[:, None], 48 * j + nl.arange(48)[None, :]
                mask = (p < rows) & (f < columns)
                t = nl.load(a[p, f], mask=mask)
                u = nl.ndarray((nl.par_dim(128), 48), dtype=a.dtype, buffer=nl.sbuf)
                u[nl.arange(128)[:, None], nl.arange(48)[None, :]] = nl.multiply(t, 2.0, mask=mask)
                nl.store(out[p, f], u[nl.arange(128)[:, None], nl.arange(48)[None, :]], mask=mask)
        return out

    near(kernel(x), 2 * x)


def test_loop_reductions(rng):
    x = rng.standard_normal((4, 16, 20), dtype=F32)

    @nki.jit
    def kernel(a):
        out = nl.ndarray((16, 20), dtype=a.dtype, buffer=nl.shared_hbm)
        most = nl.ndarray((nl.par_dim(16), 20), dtype=a.dtype, buffer=nl.sbuf)
        for i in nl.affine_range(4):
            t = nl.load(a[i])
            most[...] = nl.loop_reduce(nl.negative(t), op=np.max, loop_indices=[i])
        nl.store(out, most)
        return out

    assert np.array_equal(kernel(x), (-x).max(0))


def test_an_assigned_result_is_one_instruction(rng):
    x = rng.standard_normal((32, 40), dtype=F32)

    @nki.jit
    def kernel(a, twice):
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        v = nl.ndarray((nl.par_dim(32), 40), dtype=nl.float32, buffer=nl.sbuf)
        e = nl.exp(nl.load(a))
        v[...] = e
        if twice:  # the result is needed where it is, so that its assignment is a copy
            v[:, 0:10] = nl.multiply(e[:, 0:10], 2.0)
        nl.store(out, v)
        return out

    assert pn.profile(kernel, x, False).instructions == 3
    assert pn.profile(kernel, x, True).instructions == 5
    expected = np.exp(x.astype(float))
    near(kernel(x, False), expected)
    expected[:, :10] *= 2
    near(kernel(x, True), expected)


def test_an_assignment_converts(rng):
    x = rng.standard_normal((32, 40), dtype=F32)

    def function(t):
        v = nl.ndarray((nl.par_dim(32), 40), dtype=nl.float16, buffer=nl.sbuf)
        v[...] = nl.multiply(t, 2.0)
        i = nl.ndarray((32, 40), dtype=nl.int32, buffer=nl.sbuf)
        i[...] = nl.multiply(v, 100.0, dtype=nl.float32)
        return i

    got = on_tiles(function, x, dtype=np.int32)
    exact = (2 * x).astype(np.float16).astype(float) * 100
    assert np.abs(got - exact).max() <= 0.501


@pytest.mark.parametrize("zeroed", [True, False])
def test_products_accumulate_where_some_were(zeroed, rng):
    a, b = rng.standard_normal((2, 64, 32), dtype=F32)

    def twice(accumulate, times):
        def function(x, y):
            make = nl.zeros if zeroed else nl.ndarray
            acc = make((32, 32), dtype=nl.float32, buffer=nl.psum)
            for _ in range(times):
                nisa.nc_matmul(acc, x, y, accumulate=accumulate)
            return nl.copy(acc)

        return on_tiles(function, a, b)

    once = a.T.astype(float) @ b
    near(twice(None, 3), 3 * once)
    near(twice(False, 3), once)
    if zeroed:
        near(twice(True, 3), 3 * once)
    else:
        with pytest.raises(papilio.DeviceError, match="reads what nobody wrote"):
            twice(True, 1)


def _quantised(x):
    """A tile of (K / 4, 4 N) as MXFP8, with its scales at place 1 of a tile of their own."""
    p, n = x.shape[0], x.shape[1] // 4
    data = nl.ndarray((p, n), dtype=nl.float8_e4m3fn_x4, buffer=nl.sbuf)
    scales = nl.ndarray((p, n), dtype=nl.float8_e8m0fnu, buffer=nl.sbuf)
    nisa.quantize_mx(dst=data, src=x, dst_scale=scales[4:, :])
    return data, scales[4:, :]


def test_products_of_mxfp8(rng):
    p, m, n = 64, 32, 48
    a, b = rng.standard_normal((p, m, 4)).astype(np.float16), rng.standard_normal((p, n, 4)).astype(np.float16)

    def function(x, y):
        (left, left_scale), (right, right_scale) = _quantised(x), _quantised(y)
        acc = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.psum)
        for _ in range(2):
            nisa.nc_matmul_mx(acc, left, right, left_scale, right_scale)
        return nl.copy(acc)

    got = on_tiles(function, a.reshape(p, 4 * m), b.reshape(p, 4 * n), machine="trainium3")
    exact = 2 * np.einsum("pmq,pnq->mn", a.astype(float), b.astype(float))
    assert np.linalg.norm(got - exact) / np.linalg.norm(exact) < 0.05
    with pytest.raises(papilio.DeviceError, match="must be NeuronCore-v4 or newer"):
        on_tiles(function, a.reshape(p, 4 * m), b.reshape(p, 4 * n), machine="trainium2")


def test_products_of_mxfp8_that_are_assigned_overwrite(rng):
    p, m, n = 64, 32, 48
    a, b = rng.standard_normal((p, 4 * m)).astype(np.float16), rng.standard_normal((p, 4 * n)).astype(np.float16)

    def function(turns):
        def call(x, y):
            (left, left_scale), (right, right_scale) = _quantised(x), _quantised(y)
            acc = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.psum)
            for _ in range(turns):
                one = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.psum)
                nisa.nc_matmul_mx(one, left, right, left_scale, right_scale)
                acc[...] = one
            return nl.copy(acc)

        return on_tiles(call, a, b, machine="trainium3")

    np.testing.assert_array_equal(function(2), function(1))


def test_double_rows(rng):
    x, y = rng.integers(-4, 5, (32, 2 * 16)).astype(F32), rng.integers(-4, 5, (32, 2 * 24)).astype(F32)

    def function(a, b):
        tiles = [nl.copy(t, dtype=nl.float8_e5m2).reshape((32, 2, t.shape[1] // 2)) for t in (a, b)]
        return nl.copy(nisa.nc_matmul(*tiles, perf_mode=nisa.matmul_perf_mode.double_row))

    exact = sum(x[:, h * 16 : h * 16 + 16].T @ y[:, h * 24 : h * 24 + 24] for h in (0, 1))
    assert np.array_equal(on_tiles(function, x, y, machine="trainium2"), exact)
    with pytest.raises(papilio.DeviceError, match="double_row: is not had by NeuronCore-v2"):
        on_tiles(function, x, y, machine="trainium1")


def test_places_are_reused_only_when_room_is_needed():
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        for i in nl.affine_range(x.shape[0]):
            nl.store(out[i], nl.exp(nl.load(x[i])))
        return out

    rows = [np.broadcast_to(F32(0), (n, 128, 8192)) for n in (4, 12)]
    peaks = [pn.profile(kernel, x).summary for x in rows]
    # 12 x 2 tiles of 32 KiB do not fit into 192 KiB, and loads still overlap with stores.
    assert peaks[1]["total_time"] < 12 * (pn.profile(kernel, rows[0][:1]).device_seconds)
    x = np.random.default_rng(3).standard_normal((12, 16, 64), dtype=F32)
    near(kernel(x), np.exp(x.astype(float)))


def test_what_does_not_fit_is_refused_with_the_largest_tiles():
    @nki.jit
    def kernel(x):
        out = nl.ndarray((128, 8192), dtype=x.dtype, buffer=nl.shared_hbm)
        tiles = [nl.load(x[i]) for i in range(7)]
        for t in tiles:
            nl.store(out, t)
        return out

    with pytest.raises(papilio.DeviceError) as e:
        pn.profile(kernel, np.broadcast_to(F32(0), (7, 128, 8192)))
    line = kernel.__wrapped__.__code__.co_firstlineno + 3
    for part in ("kernel kernel", f"test_nki.py line {line}", "32768 bytes", f"6 x 32768 bytes (128 x 8192 fp32) of line {line}"):
        assert part in str(e.value)


def test_grids_run_their_instances_on_shared_outputs(rng):
    a, b = rng.standard_normal((2, 256, 96), dtype=F32)

    @nki.jit
    def part(x, y):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        i, j = nl.program_id(0), nl.program_id(axis=1)
        assert (nl.program_ndim(), nl.num_programs(0), nl.num_programs()) == (2, 2, 6)
        where = (nl.ds(128 * i, 128), nl.ds(32 * j, 32))
        nl.store(out[where], nl.load(x[where]) + nl.load(y[where]))
        return out

    def caller(x, y):
        return part[2, 3](x, y)

    assert np.array_equal(part[2, 3](a, b), a + b)
    assert np.array_equal(caller(a, b), a + b)
    assert pn.profile(caller, a, b).summary == {**pn.profile(part[2, 3], a, b).summary}


def test_element_types(rng):
    for dtype in (np.float16, np.int32, np.uint8):
        x = rng.integers(0, 100, (16, 24)).astype(dtype)
        got = on_tiles(lambda t: nl.copy(t), x, dtype=dtype)
        assert got.dtype == dtype and np.array_equal(got, x)
    big = np.array([[2**24 + 1, -(2**31)]], np.int32)  # copies keep integers' bits
    assert np.array_equal(on_tiles(lambda t: nl.copy(t), big, dtype=np.int32), big)
    assert nl.float32 == np.float32 and nl.float32 == np.dtype("float32") and nl.float32 != nl.bfloat16
    assert np.zeros(2, nl.int32).dtype == np.int32


def test_bfloat16_arrays(rng):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = rng.standard_normal((16, 24), dtype=F32).astype(ml_dtypes.bfloat16)
    got = on_tiles(lambda t: nl.multiply(t, 2.0), x, dtype=nl.bfloat16)
    assert got.dtype == x.dtype and np.array_equal(got.astype(F32), 2 * x.astype(F32))


def test_torch_tensors(rng):
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(rng.standard_normal((16, 24), dtype=F32)).to(torch.bfloat16)
    got = on_tiles(lambda t: nl.multiply(t, 2.0), x, dtype=nl.bfloat16)
    assert got.dtype == torch.bfloat16 and torch.equal(got, 2 * x)
    with pytest.raises(pn.KernelError, match="must be on the CPU, is on meta"):
        on_tiles(nl.exp, torch.empty((4, 4), device="meta"))


def test_a_kernel_may_write_to_its_argument(rng):
    x, y = rng.standard_normal((2, 16, 24), dtype=F32)
    expected = x + y

    @nki.jit
    def kernel(a, b):
        nl.store(a, nl.load(a) + nl.load(b))
        return a

    assert np.array_equal(kernel(x, y), expected) and np.array_equal(x, expected)


def test_constants_and_identities():
    @nki.jit
    def kernel():
        out = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.shared_hbm)
        table = nl.load(nl.shared_constant(np.arange(64, dtype=F32).reshape(8, 8)))
        nl.store(out, table + nl.shared_identity_matrix(8, dtype=nl.float32) + nl.full((8, 8), 3.0) + nl.ones((8, 8)))
        return out

    near(kernel(), np.arange(64).reshape(8, 8) + np.identity(8) + 4)


# Names


def test_modules_are_as_before_even_a_real_nki():
    real = {name: types.ModuleType(name) for name in ("nki", "nki.language", "nki.real", "neuronxcc")}
    before = dict(sys.modules)
    sys.modules.update(real)
    try:
        with pn.as_nki():
            import nki as inside
            import nki.language

            assert inside is not real["nki"] and nki.language is not real["nki.language"]
            assert "nki.real" not in sys.modules
            with pytest.raises(ModuleNotFoundError):
                import nki.collectives  # noqa: F401
            with pytest.raises(RuntimeError), pn.as_nki():
                raise RuntimeError
            assert sys.modules["nki"] is inside
        assert {n: sys.modules[n] for n in real} == real
    finally:
        for name in real:
            del sys.modules[name]
    assert {n for n in sys.modules if n.partition(".")[0] in ("nki", "neuronxcc")} == {
        n for n in before if n.partition(".")[0] in ("nki", "neuronxcc")
    }


def test_imports_within_a_kernel_work_where_it_is_called(rng):
    @old_nki.jit(mode="torchxla")
    def kernel(a):
        import neuronxcc.nki.isa as isa
        import nki.isa.constants
        from neuronxcc import nki as again
        from neuronxcc.nki.language import par_dim
        from nki.typing import tensor

        assert again.jit and nki.isa.constants.dge_mode and tensor[3, 4] and isa.get_nc_version() >= 2
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        t = nl.ndarray((par_dim(16), 4), dtype=a.dtype, buffer=again.compiler.sbuf.mod_alloc(base_addr=0))
        t[...] = nl.load(a)
        nl.store(out, t)
        return out

    x = rng.standard_normal((16, 4), dtype=F32)
    assert "nki" not in sys.modules
    assert np.array_equal(kernel(x), x)


def test_unknown_names_suggest_the_nearest():
    with pytest.raises(AttributeError, match="papilio.nki has no nl.atan2; the nearest is nl.arctan"):
        nl.atan2
    with pytest.raises(AttributeError, match="papilio.nki has no nisa.tensor_tensors; the nearest is nisa.tensor_tensor"):
        nisa.tensor_tensors


@pytest.mark.parametrize("module, name", [("nl", "cos"), ("nl", "gelu_apprx_tanh"), ("nisa", "rand2"), ("nisa", "sendrecv")])
def test_unmodelled_names_exist_and_say_so(module, name):
    call = getattr({"nl": nl, "nisa": nisa}[module], name)
    with pytest.raises(pn.KernelError, match=f"test_nki.py line .*{module}.{name} is known but not modelled"):
        on_tiles(lambda t: call(t), X)


def test_programs_run_with_the_modules(tmp_path, monkeypatch):
    script = tmp_path / "program.py"
    script.write_text(
        "import sys, numpy as np, nki, nki.language as nl\n"
        "@nki.jit\n"
        "def twice(x):\n"
        "    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
        "    nl.store(out, nl.load(x) * 2)\n"
        "    return out\n"
        "def test_twice():\n"
        "    assert (nki.simulate(twice)(np.ones((4, 4), np.float32)) == 2).all()\n"
        "if __name__ == '__main__': test_twice(); print('ran', sys.argv[1:])\n"
    )
    run = [sys.executable, "-m", "papilio.nki"]
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(papilio.__file__).parents[1]))
    done = subprocess.run([*run, "--machine=trainium2", script, "a"], capture_output=True, text=True, check=True)
    assert done.stdout == "ran ['a']\n"
    done = subprocess.run([*run, "-m", "pytest", "-q", "-p", "no:cacheprovider", "program.py"], capture_output=True,
                          text=True, cwd=tmp_path)  # fmt: skip
    assert "1 passed" in done.stdout, done.stdout
    done = subprocess.run([*run, "--nonsense"], capture_output=True, text=True)
    assert done.returncode == 2 and "no option '--nonsense'" in done.stderr


EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["nki_matmul", "nki_fused_multiply_add"])
def test_examples(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [name])
    with pn.as_nki():
        assert runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]() == 0
    assert "us, " in capsys.readouterr().out


# Profiles


def test_profiles(operands, tmp_path):
    p = pn.profile(product, *operands, machine="trainium1")
    for part in ("kernel product on trainium1", "bound by", "2 loads (0.393 MB) repeat what still lies in SBUF"):
        assert part in repr(p), repr(p)
    assert p._repr_html_().count("<tr>") == 5 and 0 < p.engine_shares["tensor"] < 1
    assert p.device_seconds == p.summary["total_time"] and p.total_seconds > p.device_seconds
    assert p.to_dict()["summary"]["hbm_write_bytes"] == 256 * 384 * 4
    p.trace(str(tmp_path / "t.json"))
    assert (tmp_path / "t.json").read_text().startswith("{")
    lines = p.listing().splitlines()
    assert len(lines) == 1 + p.instructions
    assert lines[1].startswith(f"test_nki.py:{product.__wrapped__.__code__.co_firstlineno + 8}")


def test_a_benchmark_keeps_the_modelled_time(operands):
    timed = old_nki.benchmark(warmup=2, iters=3)(product)
    near(timed(*operands), operands[0].T.astype(float) @ operands[1])
    latency = timed.benchmark_result.nc_latency.get_latency_percentile(50)
    assert latency == pytest.approx(1e6 * pn.profile(product, *operands).device_seconds)


# What is refused names the kernel and its line.


def bad(function, *arrays):
    @nki.jit
    def kernel(*tensors):
        return function(*tensors)

    return lambda: pn.profile(kernel, *arrays)


HBM = (np.zeros((32, 24), F32),)
BAD = {
    "an unknown keyword": (bad(lambda x: nisa.tensor_copy(nl.load(x), colour=1), *HBM), "nisa.tensor_copy has no argument 'colour'"),
    "an unknown keyword of nl": (bad(lambda x: nl.load(x, masked=1), *HBM), "nl.load has no argument 'masked'"),
    "a missing argument": (bad(lambda x: nisa.tensor_scalar(data=nl.load(x)), *HBM), "tensor_scalar: op0 must be given"),
    "a missing argument of nl": (bad(lambda x: nl.add(nl.load(x)), *HBM), "missing 1 required"),
    "too many arguments": (bad(lambda x: nisa.reciprocal(*[nl.load(x)] * 3), *HBM), "at most 2 arguments"),
    "a mask within an axis": (
        bad(lambda x: nl.load(x[nl.arange(32)[:, None], nl.arange(24)[None, :]], mask=nl.arange(24)[None, :] >= 3), *HBM),
        "no end of an axis",
    ),
    "a mask over two axes": (
        bad(lambda x: nl.load(x, mask=nl.arange(32)[:, None] >= nl.arange(24)[None, :]), *HBM), "no end of an axis"),
    "a view that is not affine": (bad(lambda x: nl.load(x[nl.arange(32) * nl.arange(32)]), *HBM), "not affine"),
    "a quotient of indices": (bad(lambda x: nl.load(x[nl.arange(32) // 2]), *HBM), "not affine"),
    "a step between partitions": (
        bad(lambda x: nl.store(x[0:16], nl.load(x)[0:32:2]), *HBM), "partitions must follow one another"),
    "129 partitions": (bad(lambda x: nl.ndarray((129, 4), nl.float32), *HBM), "1 to 128 partitions, got 129"),
    "a load of 129 partitions": (bad(nl.load, np.zeros((129, 4), F32)), "1 to 128 partitions, got 129"),
    "an index past the end": (bad(lambda x: nl.load(x[0:33]), *HBM), "0:33 of an axis of 32"),
    "too many indices": (bad(lambda x: nl.load(x[0, 0, 0]), *HBM), "3 indices for the 2 axes"),
    "an output on chip": (bad(nl.load, *HBM), "outputs must be tensors in HBM .*, got sbuf"),
    "an output that is no tensor": (bad(lambda x: 3, *HBM), "outputs must be tensors in HBM"),
    "a part of an output": (bad(lambda x: x[0:4], *HBM), "whole tensors"),
    "a reshape that needs a copy": (bad(lambda x: nl.load(x[:, 0:10].reshape((320,)))[0:5], *HBM), "needs a copy"),
    "an unknown type": (bad(lambda x: nl.ndarray((4, 4), "float64"), *HBM), "no float64: convert to float32"),
    "a type without an engine's": (bad(lambda x: nl.ndarray((4, 4), nl.int8), *HBM), "no int8"),
    "an unknown operation": (bad(lambda x: nisa.activation(np.cbrt, nl.load(x)), *HBM), "no operation cbrt"),
    "an operation of the other engine": (bad(lambda x: nisa.activation(nl.add, nl.load(x)), *HBM), "no function of the scalar"),
    "an assigned tensor": (bad(lambda x: nl.zeros((32, 24)).__setitem__(..., x), *HBM), "load it"),
    "assigned in HBM": (bad(lambda x: x.__setitem__(..., nl.load(x)), *HBM), "nl.store"),
    "computed in HBM": (bad(lambda x: nl.exp(x), *HBM), "on chip"),
    "an unknown buffer": (bad(lambda x: nl.ndarray((4, 4), nl.float32, "cache"), *HBM), "buffer must be"),
    "a block that is not there": (
        bad(lambda x: nl.ndarray((2, nl.par_dim(4), 4), nl.float32)[2, :, :], *HBM), r"block \(2,\)"),
    "another shape assigned": (
        bad(lambda x: nl.zeros((32, 20)).__setitem__(..., nl.load(x)), *HBM), "cannot be assigned to"),
    "stochastic accumulation": (
        bad(lambda x: nisa.dma_copy(x, nl.load(x), dst_rmw_op=nl.add), *HBM), "dst_rmw_op"),
    "a tile position": (
        bad(lambda x: nisa.nc_matmul(nl.load(x), nl.load(x), tile_position=(0, 0)), *HBM), "tile_position"),
    "indirect addresses": (bad(lambda x: x[nl.load(x)], *HBM), "indirect"),
    "a broadcast of what was computed": (
        bad(lambda x: nl.exp(nl.load(x[0:1])).broadcast_to((32, 24)), *HBM), "only a tile that a load filled"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused_while_recording(name):
    call, message = BAD[name]
    with pytest.raises((pn.KernelError, papilio.DeviceError), match=message) as e:
        call()
    assert str(e.value).startswith("kernel kernel")
    if "output" not in name:
        assert "test_nki.py line " in str(e.value)


def test_what_the_machine_refuses_names_the_line():
    @nki.jit
    def unwritten(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        t = nl.ndarray((32, 24), x.dtype, nl.sbuf)
        nl.store(out, nl.exp(t))
        return out

    line = unwritten.__wrapped__.__code__.co_firstlineno + 4
    with pytest.raises(papilio.DeviceError, match=f"^kernel unwritten, test_nki.py line {line}: instruction 0"):
        unwritten(*HBM)

    @nki.jit
    def wide(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.copy(nisa.nc_matmul(nl.load(x[:, :32]), nl.load(x))))
        return out

    with pytest.raises(papilio.DeviceError, match="kernel wide, test_nki.py line .*512"):
        wide(np.zeros((32, 600), F32))


def test_arrays_that_no_machine_has():
    for x, words in (
        (np.zeros((4, 4)), "argument 1: the modelled machine has no float64: convert to float32"),
        (np.zeros((4, 4), np.int64), "no int64"),
        (np.zeros((0, 4), F32), "must have axes and elements"),
        (np.array(3, F32), "must have axes and elements"),
    ):
        with pytest.raises(pn.KernelError, match=words):
            on_tiles(nl.copy, x)


def test_arguments_and_outputs_may_be_nested(rng):
    x, y = rng.standard_normal((2, 16, 24), dtype=F32)

    @nki.jit
    def kernel(pair, names):
        outs = [nl.ndarray(t.shape, dtype=t.dtype, buffer=nl.shared_hbm) for t in pair]
        nl.store(outs[0], nl.load(pair[0]) + nl.load(names["b"]))
        nl.store(outs[1], nl.load(pair[1]) * 2)
        return {"sum": outs[0], "rest": (outs[1], None)}

    got = kernel([x, y], {"b": y})
    assert np.array_equal(got["sum"], x + y) and np.array_equal(got["rest"][0], 2 * y) and got["rest"][1] is None
    with pytest.raises(TypeError, match="a kernel is a function, got int"):
        pn.profile(3, x)


def test_kernels_do_not_call_themselves():
    @nki.jit
    def again(x):
        return again(x)

    with pytest.raises(pn.KernelError, match="kernel again, test_nki.py line .*again calls itself"):
        again(*HBM)
    with pytest.raises(pn.KernelError, match="a grid takes integers"):
        again["many"]
    with pytest.raises(pn.KernelError, match="outside of a kernel"):
        nl.zeros((4, 4))
