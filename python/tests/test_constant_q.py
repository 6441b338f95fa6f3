"""Constant-Q transforms and chroma: what the module adds to the library."""

import pickle

import numpy as np
import papilio
import pytest
from papilio import signal
from papilio.signal import librosa

RATE = 22050


def tone(hz, seconds=1.0, dtype=np.float64):
    return np.sin(2 * np.pi * hz * np.arange(int(seconds * RATE)) / RATE).astype(dtype)


def test_elements_and_leading_axes_are_kept():
    x = np.stack([tone(440), tone(220)])
    values = signal.cqt(x, RATE)
    assert values.dtype == np.complex128 and values.shape == (2, 44, 84)
    assert (values[1] == signal.cqt(x[1], RATE)).all()
    assert signal.cqt(x.astype(np.float32), RATE).dtype == np.complex64
    magnitudes = signal.cqt(x[:, ::2], RATE / 2, bins=60, result="magnitude")
    assert np.allclose(magnitudes, abs(signal.cqt(x[:, ::2], RATE / 2, bins=60)))
    assert (signal.cqt(x, RATE, workers=2) == values).all()


def test_a_sound_brings_its_rate(sound_file):
    sound = papilio.read(sound_file)
    values = signal.cqt(sound, bins=96, axes=True)
    assert values.values.shape[-1] == 96 and values.frequencies[12] == pytest.approx(2 * signal._constant_q.C1)
    assert values.times[1] == 512 / sound.rate
    assert len(bytes(values.picture())) > 1000
    with pytest.raises(TypeError, match="cqt: rate must be given"):
        signal.cqt(tone(440))


def test_tuning_moves_the_bins():
    x = tone(440 * 2 ** (0.3 / 12))
    assert signal.estimate_tuning(x, RATE) == pytest.approx(0.3, abs=0.02)
    tuned = signal.cqt(x, RATE, tuning=None, result="magnitude")[20]
    assert tuned.argmax() == 45 and tuned[45] > signal.cqt(x, RATE, result="magnitude")[20].max()


def test_chroma_of_notes():
    for chroma in (signal.chroma_stft(tone(440), RATE, tuning=0), signal.chroma_cqt(tone(440), RATE, tuning=0),
                   signal.chroma_cens(tone(440), RATE, tuning=0)):  # fmt: skip
        assert chroma.shape == (44, 12) and (chroma[10:30].argmax(axis=-1) == 9).all()
    quiet = signal.chroma_cqt(tone(440), RATE, tuning=0, norm=1, threshold=1e9)
    assert (quiet == 0).all()
    with_axes = signal.chroma_cqt(tone(440), RATE, axes=True)
    assert with_axes.quantity == "Class" and list(with_axes.frequencies) == list(range(12))


def test_the_inverse_has_the_length_asked_for():
    x = tone(440)
    values = signal.cqt(x, RATE, 64)
    y = signal.icqt(values, RATE, 64, length=len(x), iterations=8)
    assert y.shape == x.shape and abs(y - x)[8000:14000].max() < 0.01
    assert signal.icqt(values, RATE, 64).shape == (344 * 64,)
    with pytest.raises(ValueError, match="icqt: length must be below 22080, of 345 segments, got 30000"):
        signal.icqt(values, RATE, 64, length=30000)


def test_plans_can_be_pickled():
    plan = pickle.loads(pickle.dumps(signal.ConstantQPlan(RATE, bins=24, window=("kaiser", 8.0))))
    assert plan.bins == 24 and plan.rate == RATE and len(plan.lengths) == 24


@pytest.mark.parametrize("call, message", [
    (lambda: signal.cqt(np.full(100, np.nan), RATE), "cqt: signal must be finite, got nan at sample 0"),
    (lambda: signal.cqt(tone(440), RATE, bins=200), "cqt: the highest bin, 200 of 12 an octave"),
    (lambda: signal.cqt(tone(440), RATE, norm=3), "cqt: norm must be 1, 2 or inf, got 3"),
    (lambda: signal.cqt(tone(440), RATE, result="power"), "cqt: result must be complex or magnitude, got power"),
    (lambda: signal.chroma_cqt(tone(440), RATE, bins_per_octave=10), "classes must be 1 ... 1024 and divide"),
    (lambda: signal.icqt(np.zeros(5, complex), RATE), "icqt: values must have at least 2 axes, got 1"),
    (lambda: librosa.cqt(tone(440), pad_mode="reflect"), "cqt: pad_mode must be constant, got reflect"),
    (lambda: librosa.vqt(tone(440), intervals="ji5"), "vqt: intervals must be equal, got ji5"),
])  # fmt: skip
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert message in str(error.value)


def test_no_samples_and_one():
    assert signal.cqt(np.zeros(0), RATE).shape == (0, 84)
    assert signal.cqt(np.ones(1), RATE).shape == (1, 84)


def test_librosas_names_have_its_layouts():
    x = tone(440)
    assert (librosa.cqt(x, sr=RATE) == signal.cqt(x, RATE).T).all()
    assert (librosa.vqt(x, sr=RATE, gamma=5.0) == signal.vqt(x, RATE, gamma=5.0).T).all()
    assert librosa.icqt(librosa.cqt(x, hop_length=64), hop_length=64, length=22050).shape == (22050,)
    assert (librosa.chroma_stft(y=x) == signal.chroma_stft(x, RATE).T).all()
    assert (librosa.chroma_cqt(y=x) == signal.chroma_cqt(x, RATE).T).all()
    chroma = librosa.chroma_cens(y=x)
    assert (chroma == signal.chroma_cens(x, RATE).T).all()
    assert np.allclose(librosa.tonnetz(chroma=chroma), signal.tonnetz(chroma=chroma.T).T)
