"""Two channels against formulas, and against scipy where it is installed."""

import numpy as np
import pytest

import papilio
from papilio.signal import scipy as here

RATE = 8000


def noise(*shape, dtype=np.float64, seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def segments_of(x, length, hop):
    starts = range(0, len(x) - length + 1, hop)
    window = np.sin(np.pi * np.arange(length) / length) ** 2
    return np.array([np.fft.rfft((x[s : s + length] - x[s : s + length].mean()) * window) for s in starts])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_definitions(dtype):
    x, y = noise(2, 3000, dtype=dtype)
    y = y + np.roll(x, 3)
    a, b = segments_of(np.float64(x), 256, 128), segments_of(np.float64(y), 256, 128)
    sxy, sxx, syy = ((u.conj() * v).mean(0) for u, v in ((a, b), (a, a), (b, b)))
    tolerance = 1e-12 if dtype == np.float64 else 1e-5
    frequencies, made = papilio.signal.csd(x, y, RATE)
    scale = np.full(129, 2 / RATE / (256 * 3 / 8))
    scale[[0, -1]] /= 2
    assert made.dtype == np.result_type(dtype, np.complex64)
    np.testing.assert_allclose(made, sxy * scale, atol=tolerance * abs(sxy * scale).max())
    np.testing.assert_allclose(frequencies, np.arange(129) * RATE / 256)
    coherence = papilio.signal.coherence(x, y, RATE)[1]
    assert coherence.dtype == dtype
    np.testing.assert_allclose(coherence, abs(sxy) ** 2 / (sxx * syy).real, atol=tolerance)
    for estimator, expected in (("h1", sxy / sxx), ("h2", syy / sxy.conj())):
        made = papilio.signal.transfer_function(x, y, RATE, estimator=estimator)[1]
        np.testing.assert_allclose(made, expected, rtol=100 * tolerance)


def test_leading_axes_broadcast():
    reference, microphones = noise(2000), noise(2, 3, 2000, seed=2)
    made = papilio.signal.csd(reference, microphones, segment_length=100)[1]
    assert made.shape == (2, 3, 51)
    for i in np.ndindex(2, 3):
        np.testing.assert_array_equal(made[i], papilio.signal.csd(reference, microphones[i], segment_length=100)[1])
    delays = papilio.signal.find_delay(reference, microphones)
    assert delays.samples.shape == (2, 3)


def test_streams_have_the_bits_of_the_whole():
    x, y = noise(2, 5000)
    stream = papilio.signal.CrossSpectrumStream(RATE, segment_length=300)
    for a, b in zip(np.split(x, [1, 2, 700, 3000]), np.split(y, [1, 2, 700, 3000])):
        stream.push(a, b)
    np.testing.assert_array_equal(stream.cross_spectrum(), papilio.signal.csd(x, y, RATE, segment_length=300)[1])
    np.testing.assert_array_equal(stream.coherence(), papilio.signal.coherence(x, y, RATE, segment_length=300)[1])
    stream.reset()
    assert stream.segments == 0
    with pytest.raises(ValueError, match="300 samples, got 0"):
        stream.coherence()


def test_delays_and_group_delay():
    x = noise(4000)
    found = papilio.signal.find_delay(x[77:], -x[:-77])
    assert abs(found.samples - 77) < 0.01 and found.correlation < -0.9
    assert abs(papilio.signal.find_delay(x[:-77], x[77:], "phat").samples + 77) < 0.01
    late = np.exp(-2j * np.pi * np.arange(9) * 100 * 0.002)
    np.testing.assert_allclose(papilio.signal.group_delay([late, late], 100), 0.002)


def test_sweep_is_deconvolved():
    options = dict(samples=8000, rate=RATE, low=20, high=3900)
    sweep = papilio.signal.exponential_sweep(**options, fade_in=200, fade_out=20)
    taps = np.zeros(60)
    taps[[10, 50]] = 0.8, -0.4
    response = papilio.signal.impulse_response(np.convolve(sweep, taps), sweep)
    np.testing.assert_allclose(response.samples[response.origin :][:60], taps, atol=0.08)  # 20 Hz ... 3900 Hz
    both = papilio.signal.fftconvolve(sweep, papilio.signal.inverse_sweep(**options, fade_in=200, fade_out=20))
    assert both.argmax() == 7999
    lead = papilio.signal.harmonic_lead(2, 8000, RATE, 20, 3900)
    assert lead == pytest.approx(8000 * np.log(2) / np.log(3900 / 20))


def test_refusals_name_the_argument():
    x = noise(1000)
    signal = papilio.signal
    for call, words in (
        (lambda: signal.csd(x, x[1:]), "csd: x and y must have equal lengths, got 1000 and 999 samples"),
        (lambda: signal.coherence(x[:100], x[:100]), "256 samples, got 100"),
        (lambda: here.coherence(x, x[1:]), "equal lengths, got 1000 and 999"),
        (lambda: signal.csd(1.0, x), "at least 1 axis"),
        (lambda: signal.transfer_function(x, x, estimator="h3"), "h1, h2 or hv, got h3"),
        (lambda: signal.find_delay(x, 0 * x), "y must be finite and vary"),
        (lambda: signal.find_delay(x, x, "sharp"), "none or phat, got sharp"),
        (lambda: signal.find_delay(x, x, max_delay=2000), "max_delay must be at most"),
        (lambda: signal.exponential_sweep(1), "samples must be 2"),
        (lambda: signal.exponential_sweep(100, RATE, 20, 5000), "high must be above low"),
        (lambda: signal.impulse_response([np.nan], x), "recorded must be finite, got nan"),
        (lambda: signal.group_delay([1], 0), "spacing must be positive"),
        (lambda: signal.CrossSpectrumStream(average="median", segment_length=0), "segment_length must be"),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert words in str(caught.value), str(caught.value)
    with pytest.raises(TypeError, match="real"):
        signal.csd(x + 1j, x)


@pytest.mark.parametrize("options", [
    {}, {"nperseg": 100, "noverlap": 30, "nfft": 128, "detrend": "linear"}, {"average": "median"},
    {"return_onesided": False, "scaling": "spectrum", "window": ("kaiser", 5.0)}, {"nperseg": 5000},
])  # fmt: skip
def test_names_of_scipy(options):
    reference = pytest.importorskip("scipy.signal")
    x, y = noise(2, 2, 3000)
    y = y[..., :2900] + x[..., :2900]
    if "nperseg" in options and options["nperseg"] > 3000:
        with pytest.warns(UserWarning):
            expected = reference.csd(x, y, RATE, **options)
    else:
        expected = reference.csd(x, y, RATE, **options)
    made = here.csd(x, y, RATE, **options)
    np.testing.assert_allclose(made[0], expected[0])
    np.testing.assert_allclose(made[1], expected[1], atol=1e-12 * abs(expected[1]).max())
    made = here.csd(x.T, y.T, RATE, axis=0, **options)
    np.testing.assert_allclose(made[1], expected[1].T, atol=1e-12 * abs(expected[1]).max())
    if set(options) <= {"nperseg", "noverlap", "nfft", "detrend"} and options.get("nperseg", 0) < 3000:
        x = x[..., :2900]
        expected = reference.coherence(x, y, RATE, **options)
        np.testing.assert_allclose(here.coherence(x, y, RATE, **options)[1], expected[1], atol=1e-12)
