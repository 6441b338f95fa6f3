"""Writes the references of rhythm_test.cpp and tempo_test.cpp, rhythm_*.npy. Run with numpy, soundfile and librosa 0.11.0.

The signal is noise and tones that begin at uneven times: no sample of a recording. Those of a recording are numbers of
the first channel of examples/data/guit_e_fifths.flac.
"""
import pathlib

import librosa
import numpy as np
import soundfile

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
RECORDING = pathlib.Path(__file__).resolve().parents[3] / "examples/data/guit_e_fifths.flac"
RATE = 22050


def save(name, values):
    values = np.ascontiguousarray(values, dtype=np.float64)
    assert values.nbytes < 100_000, name
    np.save(DATA / f"{name}.npy", values)


def envelope():
    """Onsets about 97 beats a minute, early or late by up to a segment, of uneven strength."""
    noise = np.random.default_rng(5)
    values = 0.2 * noise.random(600)
    for beat in np.arange(8, 590, RATE / 512 * 60 / 97):
        values[int(beat + noise.integers(-1, 2))] += 1 + noise.random()
    values[0] = 0
    return values


if __name__ == "__main__":
    signal = np.load(DATA / "features_signal.npy").astype(np.float64)
    strength = librosa.onset.onset_strength
    save("rhythm_strength", strength(y=signal, sr=RATE, hop_length=128))
    save("rhythm_strength_median", strength(
        y=signal, sr=RATE, n_fft=512, hop_length=100, lag=3, n_mels=40, aggregate=np.median))
    values = envelope()
    of = {"onset_envelope": values, "sr": RATE}
    save("rhythm_envelope", values)
    save("rhythm_onsets", librosa.onset.onset_detect(**of))
    save("rhythm_tempogram", librosa.feature.tempogram(**of, win_length=65).T[::8])
    save("rhythm_tempo", np.concatenate([
        librosa.feature.tempo(**of), librosa.feature.tempo(**of, start_bpm=60, std_bpm=0.5)]))
    save("rhythm_beats", librosa.beat.beat_track(**of)[1])
    save("rhythm_beats_untrimmed", librosa.beat.beat_track(**of, trim=False, bpm=150)[1])
    channels, rate = soundfile.read(RECORDING, dtype="float32", always_2d=True)
    of = {"y": np.ascontiguousarray(channels[:, 0]), "sr": rate}
    save("rhythm_recording_strength", strength(**of))
    save("rhythm_recording_onsets", librosa.onset.onset_detect(**of, units="time"))
    tempo, beats = librosa.beat.beat_track(**of, units="time")
    save("rhythm_recording_beats", np.concatenate([tempo, beats]))
