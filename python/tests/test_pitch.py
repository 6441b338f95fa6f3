"""Fundamental frequencies: what the module adds to the library."""

import numpy as np
import papilio
import pytest
from papilio import signal
from papilio.signal import librosa

RATE = 22050


def tone(hz, seconds=1.0, dtype=np.float64):
    return np.sin(2 * np.pi * hz * np.arange(int(seconds * RATE)) / RATE).astype(dtype)


def same(ours, others):
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(ours, others))


def test_elements_and_leading_axes_are_kept():
    x = np.stack([tone(440), tone(220)])
    f0 = signal.yin(x, RATE)
    assert f0.dtype == np.float64 and f0.shape == (2, 44)
    assert (f0[1] == signal.yin(x[1], RATE)).all() and (f0 == signal.yin(x, RATE, workers=2)).all()
    track = signal.pyin(x, RATE)
    assert [part.dtype for part in track] == [np.float64, np.bool_, np.float64]
    assert all(part.shape == (2, 44) for part in track)
    assert same([part[1] for part in track], signal.pyin(x[1], RATE))
    assert same(track, signal.pyin(x, RATE, workers=2))
    assert np.allclose(signal.yin(x.astype(np.float32), RATE), f0, rtol=1e-4)
    every_other = np.repeat(x, 2, axis=-1)[:, ::2]
    assert (signal.yin(every_other, RATE) == f0).all()


def test_a_sound_brings_its_rate(sound_file):
    sound = papilio.read(sound_file)
    f0, voiced, _ = signal.pyin(sound)
    assert same((f0, voiced), signal.pyin(np.asarray(sound), sound.rate)[:2])
    assert (signal.yin(sound) == librosa.yin(sound, fmin=65.40639132514966, fmax=2093.004522404789)).all()
    with pytest.raises(TypeError, match="pyin: rate must be given"):
        signal.pyin(tone(440))


def test_librosa_has_its_names_of_the_same():
    x = tone(330)
    assert (librosa.yin(x, fmin=100, fmax=900, frame_length=1000, trough_threshold=0.2, center=False)
            == signal.yin(x, RATE, 100, 900, 1000, 250, threshold=0.2, center=False)).all()  # fmt: skip
    assert same(
        librosa.pyin(x, fmin=100, fmax=900, hop_length=300, n_thresholds=50, beta_parameters=(3, 9),
                     boltzmann_parameter=1, resolution=0.25, max_transition_rate=20, switch_prob=0.05,
                     no_trough_prob=0.1, fill_na=None),
        signal.pyin(x, RATE, 100, 900, hop=300, thresholds=50, beta=(3, 9), boltzmann=1, resolution=0.25,
                    max_transition_rate=20, switch_probability=0.05, no_trough_probability=0.1,
                    fill=None))  # fmt: skip
    for mode in ("reflect", "edge"):
        padded = np.pad(x, 1024, mode=mode)
        assert (librosa.yin(x, fmin=100, fmax=900, pad_mode=mode)
                == signal.yin(padded, RATE, 100, 900, center=False)).all()  # fmt: skip


def test_segments_without_a_voice_are_filled():
    x = np.zeros(RATE)
    f0, voiced, probability = signal.pyin(x, RATE)
    assert np.isnan(f0).all() and not voiced.any() and (probability == 0).all()
    assert (signal.pyin(x, RATE, fill=-1)[0] == -1).all()
    assert (signal.pyin(x, RATE, fill=None)[0] >= 65).all()


@pytest.mark.parametrize("call, message", [
    (lambda: signal.yin(tone(440), RATE, fmax=20000), "yin: fmax must be at most half of rate_hz, got 20000"),
    (lambda: signal.yin(tone(440), RATE, frame=2), "yin: frame must be at least 4, got 2"),
    (lambda: signal.yin(tone(440), RATE, hop=0), "yin: hop must be at least 1, got 0"),
    (lambda: signal.yin(tone(440), RATE, threshold=-1), "yin: threshold must be positive and finite, got -1"),
    (lambda: signal.yin([], RATE), "yin: x must have at least 1 samples, got 0"),
    (lambda: signal.yin(tone(440)[:9], RATE, center=False), "yin: x must have at least 2048 samples, got 9"),
    (lambda: signal.pyin([np.nan] * 9, RATE), "pyin: samples must be finite, got nan"),
    (lambda: signal.pyin(tone(440), RATE, resolution=3), "pyin: resolution must be 0.001 ... 1, got 3"),
    (lambda: signal.pyin(tone(440), RATE, beta=(0, 1)), "pyin: beta must be positive and finite, got 0"),
    (lambda: librosa.yin(tone(440), fmin=50, fmax=900, pad_mode="wrap"),
     "yin: pad_mode must be one of constant, zeros, reflect, edge, got wrap"),
    (lambda: librosa.pyin(tone(440), fmin=5, fmax=900),
     "pyin: fmin must be above 10.7719 for a frame of 2048 samples at 22050 Hz, got 5"),
])  # fmt: skip
def test_messages(call, message):
    with pytest.raises((ValueError, TypeError)) as e:
        call()
    assert str(e.value) == message
