"""Filters against formulas, and against scipy where it is installed."""

import numpy as np
import pytest

import papilio
from papilio.signal import _filters
from papilio.signal import scipy as here

SECTIONS = papilio.signal.ellip(5, 0.5, 60, [100, 1000], 8000, "bandpass")


def noise(*shape, dtype=np.float64, seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def recursion(sections, x):
    """Sample by sample, in direct form II transposed."""
    y = np.array(x, dtype=np.float64)
    for b0, b1, b2, _, a1, a2 in np.asarray(sections):
        z0 = z1 = 0.0
        for n, value in enumerate(y.copy()):
            y[n] = b0 * value + z0
            z0 = b1 * value - a1 * y[n] + z1
            z1 = b2 * value - a2 * y[n]
    return y


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_leading_axes_and_elements(dtype):
    x = noise(2, 3, 200, dtype=dtype)
    y = papilio.signal.sosfilt(SECTIONS, x)
    assert y.shape == x.shape and y.dtype == dtype
    for i in np.ndindex(2, 3):
        np.testing.assert_array_equal(y[i], recursion(SECTIONS, x[i]).astype(dtype))
    np.testing.assert_array_equal(papilio.signal.sosfilt(SECTIONS, x[:, ::2, ::-1]),
                                  papilio.signal.sosfilt(SECTIONS, x[:, ::2, ::-1].copy()))  # fmt: skip


def test_blocks_have_the_bits_of_the_whole():
    x = noise(2, 500)
    state = np.zeros((len(SECTIONS), 2, 2))
    blocks = []
    for part in np.split(x, [1, 2, 9, 300], axis=-1):
        y, state = papilio.signal.sosfilt(SECTIONS, part, state)
        blocks.append(y)
    np.testing.assert_array_equal(np.concatenate(blocks, axis=-1), papilio.signal.sosfilt(SECTIONS, x))


def test_settled_states_are_given_once_for_all_lines():
    low = papilio.signal.butter(3, 500, 8000)
    y, _ = papilio.signal.sosfilt(low, np.ones((2, 50)), papilio.signal.sosfilt_zi(low))
    np.testing.assert_allclose(y, 1, rtol=1e-13)
    np.testing.assert_allclose(papilio.signal.sosfiltfilt(low, np.ones((2, 50))), 1, rtol=1e-12)


def test_short_signals_and_nan():
    low = papilio.signal.butter(3, 500, 8000)
    assert papilio.signal.sosfilt(low, np.zeros((2, 0))).shape == (2, 0)
    assert papilio.signal.sosfilt(low, [1.0]) == low[0, 0] * low[1, 0]
    assert papilio.signal.hilbert(np.zeros(0)).size == 0
    y = papilio.signal.sosfilt(low, np.array([[1.0, np.nan, 1.0], [1.0, 1.0, 1.0]]))
    assert np.isnan(y).tolist() == [[False, True, True], [False, False, False]]


def test_a_sound_is_taken(sound_file):
    sound = papilio.read(sound_file)
    y = papilio.signal.sosfilt(papilio.signal.butter(4, 80, sound.rate, "highpass"), sound)
    assert y.shape == sound.samples.shape


@pytest.mark.parametrize("call, message", [
    (lambda: papilio.signal.butter(4, 5000, 8000),
     "butter: edges must be above 0 and below half the rate, 4000 Hz, got 5000"),
    (lambda: papilio.signal.butter(0, 500, 8000), "butter: order must be 1 ... 64, got 0"),
    (lambda: papilio.signal.butter(4, [500, 600], 8000), "butter: edges must be 1 for a lowpass, got 2"),
    (lambda: papilio.signal.cheby1(4, -1, 500, 8000), "cheby1: ripple must be positive and finite, got -1"),
    (lambda: papilio.signal.butter(4, 500, 8000, "low"),
     "butter: band must be one of lowpass, highpass, bandpass, bandstop, got low"),
    (lambda: papilio.signal.firwin(32, 500, 8000, "highpass"),
     "firwin: taps must be odd where half the rate is passed, since its response is 0 there, got 32"),
    (lambda: papilio.signal.savgol_filter(noise(9), 0, 2),
     "savgol_filter: window must be 1 ... 65535, got 0"),
    (lambda: papilio.signal.sosfiltfilt(SECTIONS, noise(9)),
     "sosfiltfilt: signal must be longer than the padding of 33 samples, got 9"),
    (lambda: papilio.signal.sosfilt([[1, 0, 0, 2, 0, 0]], noise(9)),
     "sosfilt: sections must have a0 of 1, got 2 in section 0"),
    (lambda: here.butter(4, 2.0), "butter: Wn must be above 0 and below half the rate, 1 Hz, got 2"),
    (lambda: here.savgol_filter(noise(9), 5, 5), "savgol_filter: polyorder must be below window, 5, got 5"),
    (lambda: here.firwin(33, [0.3, 0.2]),
     "firwin: cutoff must ascend between 0 and half the rate, 1, got [0.3, 0.2]"),
])  # fmt: skip
def test_arguments_that_cannot_be(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message


def test_public_names_are_all():
    assert set(_filters.__all__) <= set(papilio.signal.__all__)


class TestScipy:
    """scipy's results by scipy's names."""

    @pytest.fixture(autouse=True)
    def theirs(self):
        self.theirs = pytest.importorskip("scipy.signal")

    @pytest.mark.parametrize("name, arguments", [
        ("butter", (5, 0.3)), ("cheby1", (4, 0.5, [0.2, 0.4], "band")), ("cheby2", (6, 60, 0.4, "high")),
        ("ellip", (5, 0.5, 60, [0.2, 0.4], "bandstop")), ("bessel", (4, 0.3)),
    ])  # fmt: skip
    @pytest.mark.parametrize("output", ["ba", "sos", "zpk"])
    def test_designs(self, name, arguments, output):
        made = getattr(here, name)(*arguments, output=output)
        expected = getattr(self.theirs, name)(*arguments, output=output)
        if output == "sos":
            np.testing.assert_allclose(made, expected, rtol=1e-11, atol=1e-13)
            return
        if output == "zpk":
            assert made[2] == pytest.approx(expected[2], rel=1e-12)
            for ours, other in zip(made[:2], expected[:2]):
                assert len(ours) == len(other)
                assert np.abs(np.subtract.outer(ours, other)).min(axis=0).max() < 1e-12
            return
        for ours, other in zip(made, expected):
            np.testing.assert_allclose(ours, other, rtol=1e-9, atol=1e-12)

    @pytest.mark.parametrize("name", ["buttord", "cheb1ord", "cheb2ord", "ellipord"])
    @pytest.mark.parametrize("passed, stopped", [(200, 300), (300, 200), ([200, 300], [150, 500]), ([100, 600], [200, 500])])
    def test_lowest_orders(self, name, passed, stopped):
        order, edges = getattr(here, name)(passed, stopped, 1, 50, fs=2000)
        expected, at = getattr(self.theirs, name)(passed, stopped, 1, 50, fs=2000)
        assert order == expected
        np.testing.assert_allclose(edges, at, atol=0.02)

    def test_axes_and_states(self):
        sos, x = self.theirs.butter(5, 0.2, output="sos"), noise(60, 3)
        zi = np.repeat(self.theirs.sosfilt_zi(sos)[:, :, None], 3, axis=2)
        np.testing.assert_allclose(here.sosfilt_zi(sos), zi[:, :, 0], rtol=1e-12)
        for ours, other in zip(here.sosfilt(sos, x, 0, zi), self.theirs.sosfilt(sos, x, 0, zi)):
            np.testing.assert_allclose(ours, other, rtol=1e-13, atol=1e-15)
        for options in ({}, {"padtype": "even", "padlen": 7}, {"padtype": None}):
            np.testing.assert_allclose(here.sosfiltfilt(sos, x, axis=0, **options),
                                       self.theirs.sosfiltfilt(sos, x, axis=0, **options), atol=1e-13)  # fmt: skip

    def test_taps_smoothing_and_hilbert(self):
        x = noise(60, 3)
        for arguments, options in [((31, 0.3), {}), ((31, [0.2, 0.4]), {"pass_zero": False}),
                                   ((31, 0.3), {"width": 0.1}), ((31, 100), {"fs": 800, "pass_zero": "highpass"}),
                                   ((32, 0.3), {"window": ("kaiser", 4.0), "scale": False})]:  # fmt: skip
            np.testing.assert_allclose(here.firwin(*arguments, **options),
                                       self.theirs.firwin(*arguments, **options), atol=1e-15)  # fmt: skip
        for mode in ("interp", "mirror", "nearest", "wrap", "constant"):
            options = {"deriv": 1, "delta": 0.5, "axis": 0, "mode": mode, "cval": 2.0}
            for window in (7, 8):
                np.testing.assert_allclose(here.savgol_filter(x, window, 3, **options),
                                           self.theirs.savgol_filter(x, window, 3, **options), atol=1e-13)  # fmt: skip
        np.testing.assert_allclose(here.savgol_coeffs(7, 3, pos=1), self.theirs.savgol_coeffs(7, 3, pos=1), atol=1e-13)
        for n in (None, 40, 71):
            np.testing.assert_allclose(here.hilbert(x, n, axis=0), self.theirs.hilbert(x, n, axis=0), atol=1e-14)
