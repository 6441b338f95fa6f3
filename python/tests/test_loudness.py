"""Loudness against formulas and between its own forms; the numbers are tests/signal/loudness_test.cpp's."""

import numpy as np
import pytest

import papilio
from papilio import signal

RATE = 48000


def tone(db, seconds, channels=2):
    one = 10 ** (db / 20) * np.sin(2 * np.pi * 997 / RATE * np.arange(round(seconds * RATE)))
    return np.stack([one] * channels)


def noise(channels, samples, seed=1):
    return 0.1 * np.random.default_rng(seed).standard_normal((channels, samples))


def test_levels_of_tones():
    found = signal.loudness(np.concatenate([tone(-36, 2), tone(-23, 30), tone(-72, 2)], axis=-1), RATE)
    assert abs(found.integrated + 23) < 0.1 and abs(found.highest_short_term + 23) < 0.1
    assert abs(found.sample_peak + 23) < 1e-3 and abs(found.true_peak + 23) < 0.1
    assert found == signal.Loudness(*found)


def test_curves_are_means_of_weighted_powers():
    x = noise(6, 4 * RATE)
    weights = np.array([1, 1, 1, 0, 1.41, 1.41])
    y = signal.sosfilt(signal.k_weighting(RATE), x)
    steps = (y.reshape(6, -1, RATE // 10) ** 2).mean(axis=-1)
    for count, curve in ((4, signal.momentary_loudness), (30, signal.short_term_loudness)):
        means = np.stack([w.mean(axis=-1) for w in np.lib.stride_tricks.sliding_window_view(steps, count, axis=-1)])
        made = curve(x, RATE)
        np.testing.assert_allclose(made, -0.691 + 10 * np.log10(weights @ means), rtol=0, atol=1e-10)
        np.testing.assert_array_equal(made, curve(x, RATE, weights=weights))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_have_the_bits_of_the_whole(dtype):
    x = noise(2, 4 * RATE + 77).astype(dtype)
    meter = signal.LoudnessMeter(RATE, 2)
    for _ in range(2):
        for first in range(0, x.shape[1], 1009):
            meter.push(x.T[first : first + 1009])
        assert meter.received == x.shape[1] and meter.channels == 2
        assert meter.momentary == signal.momentary_loudness(x, RATE)[-1]
        assert meter.short_term == signal.short_term_loudness(x, RATE)[-1]
        meter.finish()
        assert meter.summary() == signal.loudness(x, RATE)
        assert (meter.integrated, meter.range) == meter.summary()[:2]
        np.testing.assert_array_equal(meter.true_peaks, signal.true_peaks(x, RATE))
        np.testing.assert_array_equal(meter.sample_peaks, abs(x).max(axis=-1))
        meter.reset()


def test_short_and_silent_signals():
    for n in (0, 1, RATE // 5):
        found = signal.loudness(np.zeros(n), RATE)
        assert found == (None, None, None, None, -np.inf, -np.inf)
        assert signal.momentary_loudness(np.zeros(n), RATE).size == 0
    assert signal.loudness(np.zeros(4 * RATE), RATE, true_peak=False) == (-np.inf, None, -np.inf, -np.inf, -np.inf, None)
    assert signal.LoudnessMeter(RATE).integrated is None
    assert signal.LoudnessMeter(RATE, true_peak=False).true_peaks.size == 0
    assert np.isnan(signal.loudness([np.nan] * RATE, RATE).integrated)


@pytest.mark.parametrize("call, says", [
    (lambda: signal.loudness(np.zeros(9), 3000), "loudness: rate must be 4000 ... 4e6, got 3000"),
    (lambda: signal.k_weighting(1), "k_weighting: rate must be 4000 ... 4e6, got 1"),
    (lambda: signal.loudness(np.zeros((9, 5)), RATE), "channels must be 1 ... 8 unless weights are given, got 9"),
    (lambda: signal.loudness(np.zeros((2, 5)), RATE, weights=[1]), "loudness: weights must be 2, a channel one, got 1"),
    (lambda: signal.true_peaks(np.zeros((1, 2, 5)), RATE), "true_peaks: x must have 1 or 2 axes, got 3"),
    (lambda: signal.LoudnessMeter(RATE, 2).push(np.zeros(4)), "LoudnessMeter.push: block must be samples x 2"),
])  # fmt: skip
def test_errors_name_the_argument(call, says):
    with pytest.raises(ValueError) as error:
        call()
    assert says in str(error.value)


def test_a_sound_brings_its_rate(sound_file):
    sound = papilio.read(sound_file)
    assert signal.loudness(sound) == signal.loudness(np.asarray(sound), sound.rate)
    with pytest.raises(TypeError, match="rate must be given, unless x is a Sound"):
        signal.loudness(np.zeros(RATE))
    with pytest.raises(ValueError, match="rate must be that of the sound"):
        signal.LoudnessMeter(8000, 2).push(sound)
