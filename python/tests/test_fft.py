import array
import gc
import itertools
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.fft

import papilio
import papilio.fft as fft
from conftest import bound, relative_error, resident_bytes

NORMS = [None, "backward", "ortho", "forward"]
LINES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
TYPES = [np.float32, np.float64, np.longdouble]


def complex_numbers(rng, shape, dtype=np.float64):
    x = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    return x.astype(np.result_type(dtype, np.complex64))


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("dtype", TYPES)
def test_lines_are_those_of_scipy(rng, name, dtype):
    takes_complex = name in ("fft", "ifft", "irfft", "hfft")
    for n in (1, 2, 5, 16, 60, 101, 1009):
        for norm in NORMS:
            x = complex_numbers(rng, (3, n, 2), dtype)
            if not takes_complex:
                x = x.real.copy()
            for axis in (1, -2):
                for length in (n, n + 7, max(1, n - 3)):
                    got = getattr(fft, name)(x, length, axis, norm)
                    expected = getattr(scipy.fft, name)(x.astype(np.result_type(x, np.float64)),
                                                        length, axis, norm)
                    assert got.dtype == getattr(scipy.fft, name)(x, length, axis, norm).dtype
                    assert relative_error(got, expected) < 2 * bound(dtype, length) + 1e-15


def test_real_input_has_a_whole_spectrum(rng):
    x = rng.standard_normal((4, 15)).astype(np.float32)
    assert relative_error(fft.fft(x), np.fft.fft(x)) < 2 * bound(np.float32, 15)
    assert relative_error(fft.ifft(x, 22), np.fft.ifft(x, 22)) < 2 * bound(np.float32, 22)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "fft2", "ifft2", "rfftn", "irfftn", "rfft2",
                                  "irfft2", "hfftn", "ihfftn", "hfft2", "ihfft2"])
def test_grids_are_those_of_scipy(rng, name):
    real = name in ("rfftn", "rfft2", "ihfftn", "ihfft2")
    x = complex_numbers(rng, (3, 8, 5))
    x = x.real.copy() if real else x
    for norm in NORMS:
        cases = [{}, {"s": (4, 9), "axes": (0, 2)}, {"axes": (2, 1)}]
        if name.endswith("n"):
            cases += [{"s": (6,)}, {"axes": (0,)}, {"axes": (1, 0, 2)}]
        for case in cases:
            got = getattr(fft, name)(x, norm=norm, **case)
            assert relative_error(got, getattr(scipy.fft, name)(x, norm=norm, **case)) < 1e-14


@pytest.mark.parametrize("kind", ["dct", "dst"])
@pytest.mark.parametrize("type", [1, 2, 3, 4])
def test_cosine_and_sine_transforms(rng, kind, type):
    for name in (kind, "i" + kind, kind + "n", "i" + kind + "n"):
        for norm in (None, "ortho", "forward"):
            for orthogonalize in (None, True, False):
                for x in (rng.standard_normal((4, 9)), complex_numbers(rng, (4, 9), np.float32)):
                    args = dict(type=type, norm=norm, orthogonalize=orthogonalize)
                    got = getattr(fft, name)(x, **args)
                    # scipy's own ignores orthogonalize where x is complex.
                    expected = getattr(scipy.fft, name)(x.real, **args)
                    if np.iscomplexobj(x):
                        expected = expected + 1j * getattr(scipy.fft, name)(x.imag, **args)
                    assert got.dtype == expected.dtype
                    limit = 2e-6 if got.dtype == np.complex64 else 1e-14
                    assert relative_error(got, expected) < limit


def test_element_types():
    for given, made in [(np.int8, np.complex128), (np.uint64, np.complex128),
                        (np.bool_, np.complex128), (np.float16, np.complex64),
                        (np.float32, np.complex64), (np.complex64, np.complex64),
                        (np.longdouble, np.clongdouble)]:
        x = np.array([1, 0, 1, 1, 0]).astype(given)
        assert fft.fft(x).dtype == made
        assert relative_error(fft.fft(x), np.fft.fft(np.asarray(x, complex))) < 1e-6
    with pytest.raises(TypeError, match="fft: x must be numbers, got <U1"):
        fft.fft(np.array(["a"]))
    with pytest.raises(TypeError, match="must be real"):
        fft.rfft(np.ones(4, complex))
    with pytest.raises(TypeError):
        fft.fft(np.ones(4), n=3.5)


def test_any_memory(rng):
    x = complex_numbers(rng, (40, 6, 10))
    expected = np.fft.fft(x, axis=1)
    raw = np.zeros(x.nbytes + 1, np.uint8)
    unaligned = np.frombuffer(raw.data, np.complex128, x.size, 1).reshape(x.shape)
    raw[1:] = np.frombuffer(x.tobytes(), np.uint8)
    read_only = x.copy()
    read_only.flags.writeable = False
    fields = np.zeros(x.shape, [("a", np.int8), ("v", np.complex128)])
    fields["v"] = x
    for y in (x, np.asfortranarray(x), x[::-1][::-1], np.repeat(x, 2, axis=0)[::2],
              x.astype(">c16"), unaligned, read_only, fields["v"],
              np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 0, 2)), 2, 0)):
        assert np.array_equal(y, x)
        assert relative_error(fft.fft(y, axis=1), expected) < 1e-15
    assert relative_error(fft.fft(np.broadcast_to(x[:1], x.shape), axis=2)[5],
                          np.fft.fft(x[0], axis=1)) < 1e-15

    class mine(np.ndarray):
        pass

    assert type(fft.fft(x.view(mine))) is np.ndarray
    assert relative_error(fft.rfft(array.array("d", [1, 2, 3, 4])), np.fft.rfft([1, 2, 3, 4])) < 1e-15
    assert relative_error(fft.fft(memoryview(x[0, 0])), np.fft.fft(x[0, 0])) < 1e-15
    assert relative_error(fft.fft([1, 2j, 3]), np.fft.fft([1, 2j, 3])) < 1e-15


def test_tensors_of_other_libraries_are_taken_by_dlpack(rng):
    class tensor:
        def __init__(self, x):
            self.x = x

        def __dlpack__(self, **kwargs):
            return self.x.__dlpack__(**kwargs)

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

    x = rng.standard_normal((3, 8))
    assert relative_error(fft.rfft(tensor(x)), np.fft.rfft(x)) < 1e-15


def test_shapes_at_the_edge():
    assert fft.fft(np.zeros((0, 4))).shape == (0, 4)
    assert fft.fft(np.zeros((3, 0)), 5).tolist() == np.zeros((3, 5)).tolist()
    assert fft.rfftn(np.zeros((0, 4)), axes=(1,)).shape == (0, 3)
    for call in (lambda: fft.fft([]), lambda: fft.fft(np.float64(1)), lambda: fft.fft([1, 2], 0),
                 lambda: fft.fft([1, 2], axis=1), lambda: fft.fft([1, 2], norm="other"),
                 lambda: fft.irfft([1]), lambda: fft.fftn([[1]], axes=(0, 0)),
                 lambda: fft.fftn([1], s=(1, 2)), lambda: fft.fftn([1], s=(1,), axes=(0, 0)),
                 lambda: fft.dct([1], 1), lambda: fft.fft([1], workers=0),
                 lambda: fft.fft([1], workers=-10000)):
        with pytest.raises(ValueError):
            call()


def test_out_and_overwritten_operands(rng):
    x = complex_numbers(rng, (5, 12))
    out = np.empty((5, 12), complex)
    assert fft.fft(x, out=out) is out
    assert relative_error(out, np.fft.fft(x)) < 1e-15
    strided = np.empty((12, 10), complex)[:, ::2].T
    assert fft.fft(x, out=strided) is strided
    assert relative_error(strided, np.fft.fft(x)) < 1e-15
    y = x.copy()
    assert np.shares_memory(fft.fft(y, overwrite_x=True), y)
    assert relative_error(y, np.fft.fft(x)) < 1e-15
    z = x.copy()
    z.flags.writeable = False
    assert not np.shares_memory(fft.fft(z, overwrite_x=True), z)
    # Elements that share memory keep it: the option allows, it does not ask.
    for name, shared in (("fft", np.arange(20.0) + 1j), ("ifftn", np.arange(20.0) + 1j), ("dct", np.arange(20.0))):
        windows = np.lib.stride_tricks.sliding_window_view(shared, 8, writeable=True)
        kept, plain = shared.copy(), getattr(fft, name)(windows.copy())
        assert np.array_equal(getattr(fft, name)(windows, overwrite_x=True), plain)
        assert np.array_equal(shared, kept)
    for bad in (np.empty((5, 11), complex), np.empty((5, 12), np.complex64), [0] * 5, z):
        with pytest.raises((TypeError, ValueError), match="out"):
            fft.fft(x, out=bad)


def test_workers(rng):
    x = complex_numbers(rng, (64, 4096), np.float32)
    one = fft.fft(x)
    for workers in (1, 2, -1):
        assert np.array_equal(fft.fft(x, workers=workers), one)
    assert fft.get_workers() == 1
    with fft.set_workers(2):
        assert fft.get_workers() == 2
        assert np.array_equal(fft.fft(x), one)
    assert fft.get_workers() == 1
    results = [None] * 8

    def work(i):
        results[i] = fft.fft(x)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(np.array_equal(r, one) for r in results)


def test_helpers():
    assert np.array_equal(fft.fftfreq(9, 0.1), np.fft.fftfreq(9, 0.1))
    assert np.array_equal(fft.rfftfreq(9, 0.1), np.fft.rfftfreq(9, 0.1))
    x = np.arange(35).reshape(5, 7)
    assert np.array_equal(fft.fftshift(x, 1), np.fft.fftshift(x, 1))
    assert np.array_equal(fft.ifftshift(fft.fftshift(x)), x)


@pytest.mark.parametrize("name", ["next_fast_len", "prev_fast_len"])
@pytest.mark.parametrize("real", [False, True])
def test_fast_lengths_are_those_of_scipy(rng, name, real):
    large = [10**k + d for k in range(4, 19) for d in (-1, 0, 1, 7)] + [2**59 + 1, np.int64(10**9 + 1)]
    for n in [*range(1, 2000), *rng.integers(1, 10**18, 300).tolist(), *large]:
        assert getattr(fft, name)(n, real) == getattr(scipy.fft, name)(n, real), n
    assert getattr(fft, name)(2**62, real) == 2**62 and type(getattr(fft, name)(np.int64(7))) is int
    for bad in (0, -3, 2**63):
        with pytest.raises(ValueError, match=f"{name}: target must be"):
            getattr(fft, name)(bad)
    with pytest.raises(TypeError, match=f"{name}: target must be an integer, got 7.0"):
        getattr(fft, name)(7.0)


@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst", "dctn", "idstn"])
def test_orthogonal_transforms_of_long_double(rng, name):
    shape = (5, 16) if name.endswith("n") else (16,)
    x = rng.standard_normal(shape).astype(np.longdouble)
    for type, norm, orthogonalize in itertools.product((1, 2, 3, 4), (None, "ortho", "forward"), (True, False)):
        got = getattr(fft, name)(x, type, norm=norm, orthogonalize=orthogonalize)
        expected = getattr(scipy.fft, name)(x, type, norm=norm, orthogonalize=orthogonalize)
        assert got.dtype == np.longdouble
        assert relative_error(got, expected) < 3 * bound(np.longdouble, x.size), (type, norm)


def test_orthogonal_transforms_of_nothing():
    for n in (0, -1):
        with pytest.raises(ValueError, match="dct: invalid number of data points"):
            fft.dct([1.0, 2.0], 3, n=n, orthogonalize=True)
    for x, error, words in (([], ValueError, "data points"), (1.0, ValueError, "axis"),
                            (np.array([1.0], object), TypeError, r"objects \(float\)")):  # fmt: skip
        with pytest.raises(error, match=words):
            fft.dct(x, 3, orthogonalize=True)


def test_scipy_backend(rng):
    x = rng.standard_normal((4, 30))
    with scipy.fft.set_backend(papilio.scipy_backend, only=True):
        assert np.array_equal(scipy.fft.rfft(x, workers=2), fft.rfft(x))
        assert np.array_equal(scipy.fft.dctn(x, 3), fft.dctn(x, 3))
    with scipy.fft.set_backend(papilio.scipy_backend):
        assert scipy.fft.fht(np.ones(8), 0.1, 0.5).shape == (8,)  # scipy's own


def test_plans(rng):
    x = complex_numbers(rng, (3, 100), np.float32)
    plan, out = papilio.FftPlan(100), np.empty((3, 100), np.complex64)
    assert plan.execute(x, out=out) is out
    assert np.array_equal(out, fft.fft(x))
    assert relative_error(plan.inverse(out), x) < 1e-6
    real = papilio.RfftPlan(100)
    assert relative_error(real.inverse(real.execute(x.real)), x.real) < 1e-6
    with pytest.raises(ValueError, match="n must be at least 1"):
        papilio.FftPlan(0)


def test_nothing_leaks(rng):
    x = rng.standard_normal(64)
    out = np.empty(33, complex)

    def calls(count):
        for _ in range(count):
            fft.rfft(x)
            fft.rfft(x, out=out)
            fft.fft(x.astype(np.float32))
            try:
                fft.fft(x, axis=4)
            except ValueError:
                pass

    calls(1000)
    gc.collect()
    before = resident_bytes()
    calls(25000)
    gc.collect()
    assert resident_bytes() - before < 2 << 20


def test_an_array_lives_as_long_as_its_memory_is_used(rng):
    y = papilio.einsum("ij->ji", rng.standard_normal((3, 4)))[1:]
    gc.collect()
    assert y.base is not None and y.shape == (3, 3)


def test_other_interpreters_of_the_process_are_refused():
    if sys.version_info[:2] != (3, 11):
        pytest.skip("the module that makes interpreters has another name in every version")
    code = f"import sys, warnings\nsys.path[:] = {sys.path!r}\nwarnings.simplefilter('ignore')\nimport papilio\n"
    program = f"import _xxsubinterpreters as s\ns.run_string(s.create(), {code!r})\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and "not supported" in done.stderr


def test_forked_processes_transform():
    program = (
        "import multiprocessing, numpy as np, papilio.fft as f\n"
        "x = np.ones((64, 4096)); f.fft(x, workers=2)\n"
        "with multiprocessing.get_context('fork').Pool(2) as p:\n"
        "    assert all(np.array_equal(r, f.fft(x)) for r in p.map(f.fft, [x, x]))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60, env=os.environ)


def test_tensors_of_torch(rng):
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(rng.standard_normal((4, 50)).astype(np.float32))
    for y in (x, x.T, x[:, ::2], x.to(torch.complex64)):
        assert relative_error(fft.fft(y), np.fft.fft(y.numpy())) < 1e-6
    assert relative_error(fft.fft(x, out=x.to(torch.complex64).numpy()), np.fft.fft(x.numpy())) < 1e-6


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_ends_a_long_call(workers):
    def interrupt(*_):
        raise KeyboardInterrupt

    lines = np.broadcast_to(np.ones(10007, np.clongdouble), (300, 10007))
    out = np.full(lines.shape, np.nan, np.clongdouble)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            papilio.fft.fft(lines, out=out, workers=workers)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert np.isnan(out[-1]).all()


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
@pytest.mark.parametrize("n", [None, 6, 7])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_gradients_are_adjoints(name, n, norm):
    rng = np.random.default_rng(3)
    x = rng.standard_normal((3, 6, 2)) + 1j * rng.standard_normal((3, 6, 2))
    x = x.real if name == "rfft" else x
    n = 10 if name == "irfft" and n is None else n
    y = getattr(papilio.fft, name)(x, n, 1, norm)
    g = rng.standard_normal(y.shape) + (1j * rng.standard_normal(y.shape) if np.iscomplexobj(y) else 0)
    back = getattr(papilio.fft, f"{name}_vjp")(g, n or (6 if name == "rfft" else None), 1, norm)
    inner = [np.vdot(a, b).real for a, b in ((y, g), (x, back[:, :6] if back.shape[1] >= 6 else np.pad(
        back, ((0, 0), (0, 6 - back.shape[1]), (0, 0)))))]  # fmt: skip
    assert abs(inner[0] - inner[1]) < 1e-13 * np.linalg.norm(y) * np.linalg.norm(g)


@pytest.mark.parametrize("s", [None, (5, 6), (4, 7)])
def test_gradients_over_several_axes_are_adjoints(s):
    rng = np.random.default_rng(4)
    x = rng.standard_normal((2, *(s or (4, 5))))
    y = papilio.fft.rfftn(x, s, (1, 2))
    g = rng.standard_normal(y.shape) + 1j * rng.standard_normal(y.shape)
    back = papilio.fft.rfftn_vjp(g, s or (4, 5), (1, 2))
    assert abs(np.vdot(y, g).real - np.vdot(x, back)) < 1e-12 * np.linalg.norm(g)
    h = rng.standard_normal(x.shape)
    z = papilio.fft.irfftn(y, x.shape[1:], (1, 2))
    assert abs(np.vdot(z, h) - np.vdot(y, papilio.fft.irfftn_vjp(h, None, (1, 2))).real) < 1e-12 * np.linalg.norm(h)


def test_gradients_name_what_does_not_fit():
    with pytest.raises(ValueError, match="must have 5 bins, those of 8 points, got 4"):
        papilio.fft.rfft_vjp(np.ones(4), 8)
    with pytest.raises(ValueError, match="axis 2 is out of range for 1 axes"):
        papilio.fft.irfft_vjp(np.ones(4), axis=2)
    with pytest.raises(ValueError, match="s and axes must be of one length, got 1 and 2"):
        papilio.fft.rfftn_vjp(np.ones((3, 3)), [4], [0, 1])
    with pytest.raises(ValueError, match="Invalid norm"):
        papilio.fft.fft_vjp(np.ones(4), norm="unit")
