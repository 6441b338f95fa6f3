"""Sound levels against formulas, and against a recursion sample by sample."""

import numpy as np
import pytest

import papilio
from papilio import signal
from papilio.signal import _levels

RATE = 8000


def noise(*shape, dtype=np.float64, seed=3):
    return (0.2 * np.random.default_rng(seed).standard_normal(shape)).astype(dtype)


def level(mean):
    return 10 * np.log10(2 * mean)


def metered(x, rate, constant):
    """Leq, Lmax, Lmin of one line."""
    mean, means = 0.0, []
    for value in np.asarray(x, dtype=np.float64):
        mean += (1 - np.exp(-1 / (rate * constant))) * (value * value - mean)
        means.append(mean)
    settled = int(np.ceil(5 * constant * rate))
    return level(np.mean(np.square(x, dtype=np.float64))), level(max(means)), level(min(means[settled:]))


def response(sections, hz, rate):
    z = np.exp(-2j * np.pi * hz / rate)
    s = np.asarray(sections)
    return np.prod((s[:, 0] + z * (s[:, 1] + z * s[:, 2])) / (1 + z * (s[:, 4] + z * s[:, 5])))


# Rounded to 0.1 dB in IEC 61672-1.
def test_weightings_are_those_of_the_standard():
    hz = 10.0 ** np.arange(1.5, 4.1, 0.5)
    np.testing.assert_allclose(signal.weighting_gain(hz), [-39.4, -19.1, -6.6, 0, 1.2, -2.5], atol=0.051)
    np.testing.assert_allclose(signal.weighting_gain(hz, "C"), [-3, -0.3, 0, 0, -0.5, -4.4], atol=0.051)
    assert signal.weighting_gain(1000, "Z").shape == ()
    assert not signal.weighting_gain(np.ones((2, 3)), "Z").any()
    for weighting in ("A", "C"):
        sections = signal.weighting_sections(weighting, 44100)
        for f in (31.5, 1000, 8000, 16000, 19800):
            made = 20 * np.log10(abs(response(sections, f, 44100)))
            assert made == pytest.approx(signal.weighting_gain(f, weighting), abs=0.3)


def test_bands_have_half_the_power_at_their_edges():
    bands = signal.octave_bands(3, rate=44100)
    assert bands.nominal[0] == 20 and bands.nominal[-1] == 16000 and len(bands.mid) == 30
    np.testing.assert_allclose(bands.high / bands.low, 10**0.1, rtol=1e-12)
    for mid, low, high in zip(bands.mid, bands.low, bands.high):
        sections = signal.octave_band_sections(mid, 44100, 3)
        for hz in (low, high):
            assert abs(response(sections, hz, 44100)) ** 2 == pytest.approx(0.5, rel=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("time, constant", [("fast", 0.125), ("slow", 1.0)])
def test_levels_of_lines(dtype, time, constant):
    x = noise(2, 6 * RATE, dtype=dtype)
    made = signal.sound_levels(x, RATE, "Z", time, full_scale=100)
    assert made.leq.shape == (2,)
    for i in range(2):
        found = [made.leq[i], made.maximum[i], made.minimum[i]]
        np.testing.assert_allclose(found, np.add(metered(x[i], RATE, constant), 100), atol=1e-9)
    np.testing.assert_allclose(made.exposure, made.leq + 10 * np.log10(6), atol=1e-9)
    assert np.all(made.maximum >= made.l10) and np.all(made.l10 >= made.l50) and np.all(made.l50 >= made.l90)
    weighted = signal.sosfilt(signal.weighting_sections("C", RATE), np.asarray(x, dtype=np.float64))
    np.testing.assert_allclose(made.peak, level(np.abs(weighted).max(axis=-1) ** 2) + 100, atol=1e-9)
    np.testing.assert_array_equal(signal.sound_levels(x[:, ::2], RATE).leq, signal.sound_levels(x[:, ::2].copy(), RATE).leq)


# Sections of bands have another order of operations here than in sosfilt: some roundings.
def test_levels_of_bands():
    x = noise(2, 3, 2 * RATE)
    made = signal.octave_band_levels(x, RATE, 3, 100, 3150, weighting="A")
    bands = signal.octave_bands(3, 100, 3150, RATE)
    np.testing.assert_array_equal(made.nominal, bands.nominal)
    assert made.leq.shape == made.minimum.shape == (2, 3, len(bands.mid))
    weighted = signal.sosfilt(signal.weighting_sections("A", RATE), x[1, 2])
    for i in (0, 7, len(bands.mid) - 1):
        expected = metered(signal.sosfilt(signal.octave_band_sections(bands.mid[i], RATE), weighted), RATE, 0.125)
        found = [made.leq[1, 2, i], made.maximum[1, 2, i], made.minimum[1, 2, i]]
        np.testing.assert_allclose(found, expected, atol=1e-7)


def test_blocks_have_the_bits_of_the_whole():
    x = noise(9001, 2)
    meter = signal.LevelMeter(RATE, 2, time="slow")
    for block in np.split(x, [1, 2, 9, 300, 5000]):
        meter.push(block)
    assert meter.samples == 9001 and meter.channels == 2
    for found, expected in zip(meter.levels(), signal.sound_levels(x.T, RATE, time="slow")):
        np.testing.assert_array_equal(found, expected)
    assert meter.now().shape == (2,)
    meter.reset()
    assert meter.samples == 0
    one = signal.LevelMeter(RATE)
    one.push(x[:, 0])
    np.testing.assert_array_equal(one.levels().leq[0], signal.sound_levels(x[:, 0], RATE).leq)


def test_silence_nan_and_short_signals():
    x = np.zeros((2, 8000))
    x[1, 17] = np.nan
    made = signal.sound_levels(x, RATE)
    assert made.leq[0] == made.minimum[0] == made.peak[0] == made.l90[0] == -np.inf
    assert all(np.isnan(values[1]) for values in made)
    short = signal.sound_levels([1.0], RATE, "Z")
    assert short.leq == pytest.approx(10 * np.log10(2)) and np.isnan(short.minimum) and np.isnan(short.l50)
    assert signal.sound_levels(np.zeros((0, 5)), RATE).leq.shape == (0,)


def test_a_sound_brings_its_rate(sound_file):
    sound = papilio.read(sound_file)
    np.testing.assert_array_equal(signal.sound_levels(sound).leq, signal.sound_levels(sound.samples, sound.rate).leq)
    assert signal.octave_band_levels(sound, fraction=1).leq.shape == (2, 9)


@pytest.mark.parametrize("call, message", [
    (lambda: signal.weighting_gain(-1), "weighting_gain: frequencies must be finite and at least 0, got -1"),
    (lambda: signal.weighting_sections("B", 8000), "weighting_sections: weighting must be one of A, C, Z, got B"),
    (lambda: signal.weighting_sections("A", 10), "weighting_sections: rate must be 1000 ... 1e7, got 10"),
    (lambda: signal.octave_bands(0), "octave_bands: fraction must be 1 ... 48, got 0"),
    (lambda: signal.octave_bands(3, 200, 100), "octave_bands: high must be at least low_hz and at most 1e9, got 100"),
    (lambda: signal.octave_band_sections(5000, 8000), "octave_band_sections: high must be below half the rate, 4000 Hz, got 5610.09"),
    (lambda: signal.sound_levels(np.zeros(0), 8000), "sound_levels: samples must be at least 1, got 0"),
    (lambda: signal.sound_levels(noise(9), 8000, time="impulse"), "sound_levels: time must be one of fast, slow, got impulse"),
    (lambda: signal.sound_levels(noise(9), 8000, full_scale=np.nan), "sound_levels: full_scale must be finite, got nan"),
    (lambda: signal.octave_band_levels(noise(9), 8000, 3, 9000), "octave_band_levels: bands must be at least 1, got 0"),
    (lambda: signal.LevelMeter(8000, 0), "LevelMeter: channels must be at least 1, got 0"),
])  # fmt: skip
def test_arguments_that_cannot_be(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message


def test_public_names_are_all():
    assert set(_levels.__all__) <= set(signal.__all__)
