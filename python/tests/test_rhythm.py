"""Onsets, tempo and beats: what the module adds to the library."""

import numpy as np
import papilio
import pytest
from papilio import signal
from papilio.signal import librosa

RATE = 22050


def clicks(bpm, seconds=16.0, first=0.5, rate=RATE, dtype=np.float64):
    x = np.zeros(int(seconds * rate), dtype)
    click = np.sin(2 * np.pi * 1000 * np.arange(110) / rate)
    for t in np.arange(first, seconds - 0.01, 60 / bpm):
        x[int(t * rate) :][:110] = click
    return x


@pytest.mark.parametrize("bpm", [60, 90, 120, 174])
def test_click_tracks_are_exact(bpm):
    x = clicks(bpm)
    assert signal.tempo(x, RATE) == pytest.approx(bpm, abs=0.5)
    beats = signal.beat_track(x, RATE)
    assert beats.bpm == pytest.approx(bpm, abs=0.5) and len(beats.times) == len(beats.segments)
    for times in (beats.times, signal.onset_detect(x, RATE)):
        number = (times - 0.5) * bpm / 60
        assert len(number) == np.ceil(15.49 * bpm / 60)
        assert (abs(number - number.round()) * 60 / bpm * RATE / 512 <= 1).all()


def test_elements_and_leading_axes():
    x = np.stack([clicks(90, 6), clicks(120, 6)])
    strength = signal.onset_strength(x, RATE)
    assert strength.dtype == np.float64 and strength.shape == (2, 259)
    assert (strength[1] == signal.onset_strength(x[1], RATE)).all()
    assert (signal.onset_strength(x, RATE, workers=2) == strength).all()
    assert abs(signal.onset_strength(x.astype(np.float32), RATE) - strength).max() < 1e-2
    assert (signal.onset_strength(np.repeat(x, 2, axis=-1)[:, ::2], RATE) == strength).all()
    assert signal.tempo(strength=strength, rate=RATE).shape == (2,)
    in_float = strength.astype(np.float32)[:, ::2]
    assert (signal.tempogram(strength=in_float) == signal.tempogram(strength=in_float.astype(np.float64))).all()
    assert (signal.onset_detect(strength=in_float[0], rate=RATE)
            == signal.onset_detect(strength=in_float[0].astype(np.float64), rate=RATE)).all()  # fmt: skip
    assert (librosa.onset_strength(S=in_float) == librosa.onset_strength(S=in_float.astype(np.float64))).all()
    grams = signal.tempogram(strength=strength, window=100)
    assert grams.shape == (2, 259, 100) and grams.max() == 1
    assert (signal.tempogram(x, RATE, window=100, workers=2) == grams).all()
    median = signal.onset_strength(x, RATE, 1024, 256, bands=40, lag=2, aggregate="median")
    assert median.shape == (2, 517)


def test_a_sound_brings_its_rate():
    sound = papilio.Sound(clicks(120), RATE)
    assert signal.tempo(sound) == pytest.approx(120, abs=0.5)
    assert librosa.tempo(y=sound, max_tempo=None).shape == (1,)
    with pytest.raises(TypeError, match="tempo: rate must be given"):
        signal.tempo(clicks(120))


def test_refined_times_lie_before_segments():
    x = clicks(120)
    plain = signal.beat_track(x, RATE, refine=False)
    assert (plain.times == plain.segments * 512 / RATE).all()
    assert plain.bpm == pytest.approx(117.45, abs=0.01)
    segments = signal.onset_detect(x, RATE, units="segments")
    assert segments.dtype == np.int64
    late = segments * 512 / RATE - signal.onset_detect(x, RATE)
    assert (late >= -0.5 * 512 / RATE).all() and (late <= 1.5 * 512 / RATE).all()
    assert (signal.onset_detect(x, RATE, refine=False) == segments / (RATE / 512)).all()


def test_librosa_arguments():
    x = clicks(120, dtype=np.float32)
    strength = librosa.onset_strength(y=x, sr=RATE, aggregate=np.median)
    assert (strength == signal.onset_strength(x, RATE, aggregate="median")).all()
    levels = librosa.power_to_db(librosa.melspectrogram(y=x, sr=RATE))
    assert abs(librosa.onset_strength(S=levels, aggregate=np.median) - strength).max() < 1e-4
    off = librosa.onset_strength(y=x, center=False)
    assert off.shape == (1 + (len(x) - 2048) // 512,)
    bpm, beats = librosa.beat_track(y=x, sr=RATE)
    assert bpm.shape == (1,) and beats.dtype == np.int64
    bpm, same = librosa.beat_track(onset_envelope=strength, units="time", bpm=float(bpm[0]))
    assert isinstance(bpm, float) and same == pytest.approx(beats * 512 / RATE)
    frames = librosa.onset_detect(y=x)
    assert (librosa.onset_detect(y=x, units="samples") == frames * 512).all()
    few = librosa.onset_detect(y=x, wait=30, pre_max=2, post_max=3, pre_avg=4, post_avg=5, delta=0.1)
    assert 0 < len(few) < len(frames)


def test_silence_and_short_sounds():
    silence = np.zeros(30000)
    assert (signal.onset_strength(silence, RATE) == 0).all()
    assert len(signal.onset_detect(silence, RATE)) == 0 and signal.tempo(silence, RATE) == 0
    bpm, times, segments = signal.beat_track(silence, RATE)
    assert bpm == 0 and len(times) == len(segments) == 0
    assert librosa.beat_track(y=silence)[0] == 0
    assert signal.onset_strength(np.ones(1), RATE).shape == (1,)
    assert signal.onset_strength(np.ones(700), RATE).shape == (2,)


def test_sparse_envelopes_are_as_librosa_says():
    # Numbers of librosa 0.11.
    strength = np.zeros(300)
    strength[5::22] = 1
    assert librosa.tempo(onset_envelope=strength)[0] == pytest.approx(117.45383523)
    assert librosa.beat_track(onset_envelope=strength)[1][:3].tolist() == [5, 27, 49]


@pytest.mark.parametrize("call, message", [
    (lambda: signal.onset_strength(np.full(100, np.nan), RATE), "onset_strength: signal must be finite, got nan at 0"),
    (lambda: signal.onset_strength([], RATE), "onset_strength: signal must have at least 1 sample, got 0"),
    (lambda: signal.onset_strength(clicks(90, 1), -1), "onset_strength: rate must be positive and finite, got -1"),
    (lambda: signal.onset_strength(clicks(90, 1), RATE, aggregate="max"),
     "onset_strength: aggregate must be mean or median, got max"),
    (lambda: signal.onset_strength(clicks(90, 1), RATE, lag=0), "onset_strength: lag must be 1 ... 65536, got 0"),
    (lambda: signal.tempo(np.ones(100), RATE), "tempo: strength must have at least 2 segments, got 1"),
    (lambda: signal.tempo(clicks(90), RATE, max_bpm=3), "tempo: max_bpm must be above 7.5"),
    (lambda: signal.tempo(clicks(90), RATE, hop=0), "tempo: hop must be at least 1, got 0"),
    (lambda: signal.tempogram(clicks(90), RATE, window=1), "tempogram: window must be 2 ... 65536, got 1"),
    (lambda: signal.beat_track(np.zeros((2, 5000)), RATE), "beat_track: strength must have 1 axis, got 2"),
    (lambda: signal.beat_track(clicks(90), RATE, bpm=1e6), "beat_track: bpm must be above 0, at most a beat"),
    (lambda: signal.beat_track(clicks(90), RATE, tightness=0), "beat_track: tightness must be positive"),
    (lambda: signal.onset_detect(clicks(90), RATE, units="frames"), "units must be seconds or segments, got frames"),
    (lambda: signal.onset_detect(clicks(90), RATE, wait=-1), "onset_detect: wait must be 0 ... 1e6, got -1"),
    (lambda: librosa.onset_strength(y=clicks(90), aggregate=np.max), "aggregate must be np.mean or np.median"),
    (lambda: librosa.beat_track(y=clicks(90), units="s"), "units must be frames, samples or time, got s"),
])  # fmt: skip
def test_arguments_that_cannot_be(call, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        call()


def test_what_must_be_given():
    for call in (signal.tempo, signal.beat_track, signal.onset_detect, signal.tempogram):
        with pytest.raises(TypeError, match="x or strength must be given"):
            call(rate=RATE)
    with pytest.raises(TypeError, match="y or onset_envelope must be given"):
        librosa.tempo()
    with pytest.raises(TypeError, match="no option 'max_size'"):
        librosa.onset_strength(y=clicks(90), max_size=3)
