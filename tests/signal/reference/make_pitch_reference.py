"""Writes the references of pitch_test.cpp, pitch_*.npy. Run with numpy, scipy, soundfile and librosa 0.11.0.

    python3 make_pitch_reference.py /usr/share/sonic-pi/samples

The sounds are excerpts, at a quarter of their rate, of samples of Sonic Pi that are in the public domain
(CC0 1.0; Debian package sonic-pi-samples).
"""
import pathlib
import sys

import librosa
import numpy as np
import scipy.signal
import soundfile

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
RATE = 11025
SOUNDS = {"slide": ("guit_e_slide", 0.2), "choir": ("ambi_choir", 0.0), "voice": ("bass_voxy_c", 0.0)}
OPTIONS = {"sr": RATE, "fmin": 60, "fmax": 1500, "frame_length": 1024, "hop_length": 256}
OTHERS = {"sr": RATE, "fmin": 50.5, "fmax": 2000, "frame_length": 801, "hop_length": 130, "center": False}


def save(name, values, dtype=np.float64):
    values = np.ascontiguousarray(values, dtype=dtype)
    assert values.nbytes < 100_000, name
    np.save(DATA / f"{name}.npy", values)


def excerpt(folder, name, second):
    x, rate = soundfile.read(folder / f"{name}.flac", always_2d=True)
    assert rate == 4 * RATE, (name, rate)
    x = scipy.signal.resample_poly(x.mean(axis=1), 1, 4)
    return x[int(second * RATE):][:12000].astype(np.float32)


def track(x, **options):
    """Rows f0, 0 where unvoiced; voiced; its probability."""
    f0, voiced, probability = librosa.pyin(x, fill_na=None, **options)
    return np.stack([np.where(voiced, f0, 0), voiced, probability])


if __name__ == "__main__":
    for name, (sample, second) in SOUNDS.items():
        samples = excerpt(pathlib.Path(sys.argv[1]), sample, second)
        save(f"pitch_{name}", samples, np.float32)
        x = samples.astype(np.float64)
        save(f"pitch_{name}_yin", librosa.yin(x, **OPTIONS))
        save(f"pitch_{name}_yin_others", librosa.yin(x, trough_threshold=0.3, **OTHERS))
        save(f"pitch_{name}_pyin", track(x, **OPTIONS))
        save(f"pitch_{name}_pyin_others", track(
            x, n_thresholds=50, beta_parameters=(3, 9), boltzmann_parameter=1, resolution=0.25,
            max_transition_rate=20, switch_prob=0.05, no_trough_prob=0.1, **OTHERS))
