"""Rows of bench/sound_peers.py: sound levels beside scipy.signal and PyOctaveBand; differences are in dB."""

import numpy as np
import papilio.signal as ps
import pyoctaveband
from scipy import signal


def apart(ours, theirs):
    return float(np.abs(np.asarray(ours) - np.asarray(theirs)).max())


def averaged(x, rate, constant=0.125):
    """Leq, Lmax and Lmin, the lowest after five time constants."""
    keep = np.exp(-1 / (rate * constant))
    mean = signal.lfilter([1 - keep], [1, -keep], x * x)
    return 10 * np.log10(2 * np.array([np.mean(x * x), mean.max(), mean[int(np.ceil(5 * constant * rate)):].min()]))


def rows(samples, rate):
    x = np.ascontiguousarray(samples[: 30 * rate], dtype=np.float64)
    eight = np.ascontiguousarray(np.stack([np.roll(x[: 10 * rate], 100 * c) for c in range(8)]))
    weighting = ps.weighting_sections("A", rate)
    bands = ps.octave_bands(3, 20, 20000, rate)
    sections = [ps.octave_band_sections(mid, rate) for mid in bands.mid]

    def ours_of(of):
        levels = ps.sound_levels(of, rate, peak_weighting="A", workers=1)
        return np.stack([levels.leq, levels.maximum, levels.minimum], axis=-1)

    def theirs_of(lines):
        weighted = signal.sosfilt(weighting, lines)
        np.abs(weighted).max(axis=-1)
        return np.stack([averaged(line, rate) for line in weighted])

    # Slopes of filters differ, and levels of noise less by them than those of tones.
    noise = 0.1 * np.random.default_rng(1).standard_normal(10 * rate)

    def bands_of(line):
        levels = ps.octave_band_levels(line, rate, workers=1)
        return np.stack([levels.leq, levels.maximum, levels.minimum], axis=-1)

    def peers_bands():
        """Leq, by decimation and filters of the same order; its levels are of pressure in Pa."""
        limits = [float(bands.nominal[0]), float(bands.nominal[-1])]
        found, _ = pyoctaveband.octavefilter(noise, rate, fraction=3, order=3, limits=limits, detrend=False)
        return found + 20 * np.log10(20e-6 * np.sqrt(2))

    return [
        {"feature": "A-weighted levels, 1 channel", "reference": "scipy sosfilt, lfilter",
         "ours": lambda: ours_of(x), "theirs": lambda: theirs_of(x[None])[0], "difference": apart},
        {"feature": "A-weighted levels, 8 channels", "reference": "scipy sosfilt, lfilter",
         "ours": lambda: ours_of(eight), "theirs": lambda: theirs_of(eight), "difference": apart},
        {"feature": f"{len(sections)} third-octave bands", "reference": "scipy sosfilt, lfilter",
         "ours": lambda: bands_of(x), "theirs": lambda: np.stack([averaged(signal.sosfilt(s, x), rate) for s in sections]),
         "difference": apart},
        {"feature": f"{len(sections)} third-octave bands of noise", "reference": "PyOctaveBand, Leq alone",
         "ours": lambda: bands_of(noise)[:, 0], "theirs": peers_bands, "difference": apart},
    ]  # fmt: skip
