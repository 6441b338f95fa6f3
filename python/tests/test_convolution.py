import numpy as np
import pytest
import scipy.signal as reference

import papilio.signal as signal
from conftest import relative_error
from papilio.signal import scipy

BOTH = ["fftconvolve", "oaconvolve"]


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions_are_those_of_scipy(rng, name, mode):
    pairs = [((30, 20), (7, 5)), ((100,), (31,)), ((31,), (100,)), ((4, 50), (1, 9)), ((5, 6, 7), (2, 6, 3)),
             ((20000,), (65,)), ((2, 3, 4, 5), (2, 1, 3, 2)), ((1,), (1,))]  # fmt: skip
    for left, right in pairs:
        for kinds in ((float, float), (complex, complex), (float, complex)):
            a, b = (rng.standard_normal(n).astype(k) for n, k in zip((left, right), kinds))
            expected = getattr(reference, name)(a, b, mode)
            assert relative_error(getattr(signal, name)(a, b, mode), expected) < 1e-13
            assert relative_error(getattr(scipy, name)(in1=a, in2=b, mode=mode), expected) < 1e-13


@pytest.mark.parametrize("name", BOTH)
def test_axes_of_convolutions(rng, name):
    ours, theirs = getattr(signal, name), getattr(reference, name)
    a, b = rng.standard_normal((5, 4000)), rng.standard_normal((5, 33))
    for axes in (1, -1, [1]):
        assert relative_error(ours(a, b, axes=axes), theirs(a, b, axes=axes)) < 1e-13
    one = rng.standard_normal((1, 33))
    assert relative_error(ours(a, one, "same", 1, workers=2), theirs(a, one, "same", 1)) < 1e-13
    a, b = rng.standard_normal((3, 9, 6)), rng.standard_normal((3, 4, 2))
    for axes in ((1, 2), (2, 1), (-1, 1)):
        assert relative_error(ours(a, b, axes=axes), theirs(a, b, axes=axes)) < 1e-13
    for bad in (dict(axes=3), dict(axes=(1, 1)), dict(axes=()), dict(axes=1), dict(mode="other")):
        with pytest.raises(ValueError):
            ours(a, b[:2], **bad)
    # Messages name the caller's axes, whatever their number is.
    for shapes, bad, words in [(((14, 14, 6), (5, 5, 6)), 2, "along axis 0 must agree or be 1, got 14 and 5"),
                               (((3, 4), (2, 5)), -1, "along axis 0 must agree or be 1, got 3 and 2"),
                               (((2, 2), (2, 2)), (0, -2), "distinct, got 0 twice"),
                               (((4,), (4,)), 1, "in -1 ... 0, got 1")]:  # fmt: skip
        with pytest.raises(ValueError, match=words):
            ours(*map(np.ones, shapes), "same", axes=bad)
    with pytest.raises(ValueError, match="as many axes, got 3 and 1"):
        ours(a, b[0, 0])
    with pytest.raises(ValueError, match="at most 6 axes, got 7"):
        ours(np.ones([1] * 7), np.ones([1] * 7))
    with pytest.raises(ValueError, match="valid"):
        ours(a, np.ones((4, 2, 5)), "valid", (0, 1, 2))
    with pytest.raises(TypeError):
        ours(np.array(["a"]), np.array(["b"]))


@pytest.mark.parametrize("name", BOTH)
def test_element_types_of_convolutions(rng, name):
    for x, y, made in [(np.float32, np.float32, np.float32), (np.float32, np.float64, np.float64),
                       (np.complex64, np.float32, np.complex64), (int, np.int8, np.float64),
                       (np.float16, np.float16, np.float32), (np.complex64, float, complex),
                       (np.longdouble, np.float32, np.longdouble)]:  # fmt: skip
        a, b = (10 * rng.standard_normal(300)).astype(x), (10 * rng.standard_normal(20)).astype(y)
        got = getattr(signal, name)(a, b)
        expected = np.convolve(*(v.astype(np.result_type(v, np.float64)) for v in (a, b)))
        assert got.dtype == made and relative_error(got, expected) < 1e-6
    strided = rng.standard_normal((40, 6))[::-2, ::3]
    expected = reference.fftconvolve(strided, strided)
    assert relative_error(getattr(signal, name)(strided, strided), expected) < 1e-14
    assert getattr(signal, name)([], [1.0]).shape == (0,)
    assert getattr(signal, name)(3.0, 4.0) == 12


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_chirp_z_is_that_of_scipy(rng, dtype):
    x = rng.standard_normal((3, 50, 2)).astype(dtype)
    wide = x.astype(np.result_type(dtype, np.float64))
    limit = 300 * np.finfo(dtype).eps
    w, a = np.exp(-2j * np.pi * 0.01), np.exp(2j * np.pi * 0.1)
    for options in ({}, dict(m=7), dict(m=64), dict(m=30, w=w, a=a), dict(w=w)):
        got = scipy.czt(x, axis=1, workers=2, **options)
        assert got.dtype == np.result_type(dtype, np.complex64)
        assert relative_error(got, reference.czt(wide, axis=1, **options)) < limit
    assert relative_error(signal.czt(x, axis=1), np.fft.fft(wide, axis=1)) < limit
    for fn, options in [(0.3, {}), ((0.2, 0.5), dict(m=40)), ([100, 300], dict(fs=1000, m=99)),
                        ((0.2, 0.5), dict(m=31, endpoint=True))]:  # fmt: skip
        got = scipy.zoom_fft(x, fn, axis=1, **options)
        assert relative_error(got, reference.zoom_fft(wide, fn, axis=1, **options)) < 3 * limit


# A narrow band of a long line, where the rounding of a complex w would count k^2 / 2 times.
def test_narrow_zooms_are_exact(rng):
    n = 10007
    x = rng.standard_normal(n) + 1j * rng.standard_normal(n)
    points, j = np.arange(0, n, n // 5), np.arange(n, dtype=np.longdouble)
    for fn, fs, endpoint in [((0.1, 0.2), 2, False), ((100, 90), 1000, True)]:
        first, last = (np.longdouble(f) / fs for f in fn)
        step = (last - first) / (n - 1 if endpoint else n)
        turns = [first * j + step * j * k for k in points]
        angles = [2 * np.arccos(np.longdouble(-1)) * (t - np.rint(t)) for t in turns]
        expected = np.array([(x * (np.cos(a) - 1j * np.sin(a))).sum() for a in angles])
        got = scipy.zoom_fft(x, fn, fs=fs, endpoint=endpoint)
        assert relative_error(got[points], expected) < 1e-14


def test_bad_chirps():
    assert relative_error(scipy.czt_points(8), reference.czt_points(8)) < 1e-15
    points = reference.czt_points(8, w=0.9 + 0.1j, a=2)
    assert relative_error(scipy.czt_points(8, w=0.9 + 0.1j, a=2), points) < 1e-14
    x = np.ones(5)
    for call in (lambda: signal.czt(x, 0), lambda: signal.czt(x, w=0), lambda: signal.czt(x, a=np.inf),
                 lambda: signal.czt([]), lambda: signal.czt(x, axis=1), lambda: scipy.czt_points(0),
                 lambda: scipy.zoom_fft(x, 1, 0), lambda: scipy.zoom_fft(x, 1, 1, endpoint=True),
                 lambda: scipy.zoom_fft(x, 1, fs=0), lambda: scipy.zoom_fft(x, [1, 2, 3]),
                 lambda: scipy.zoom_fft(x, np.nan), lambda: scipy.zoom_fft(x, 1, fs=np.inf)):  # fmt: skip
        with pytest.raises(ValueError):
            call()
