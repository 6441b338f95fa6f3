"""Rows of bench/sound_peers.py: onsets, tempo and beats beside librosa.

A difference is the largest one of values, of tempo in beats a minute, and of onsets and beats in frames; inf where
their numbers differ.
"""

import librosa
import numpy as np
import papilio.signal.librosa as pl


def apart(ours, theirs):
    return float(np.abs(np.asarray(ours) - np.asarray(theirs)).max())


def placed(ours, theirs):
    if len(ours) != len(theirs):
        return float("inf")
    return apart(ours, theirs) if len(ours) else 0.0


def rows(samples, rate):
    x = np.ascontiguousarray(samples, dtype=np.float32)
    strength = librosa.onset.onset_strength(y=x, sr=rate, aggregate=np.median)
    given = {"onset_envelope": strength, "sr": rate}
    whole = {"y": x, "sr": rate}

    def row(feature, reference, ours, theirs, difference=apart):
        return {"feature": feature, "reference": f"librosa.{reference}", "ours": ours, "theirs": theirs,
                "difference": difference}  # fmt: skip

    return [
        row("onset strength, dB", "onset.onset_strength", lambda: pl.onset_strength(**whole, workers=1),
            lambda: librosa.onset.onset_strength(**whole)),
        row("onset strength, median, dB", "onset.onset_strength(aggregate=np.median)",
            lambda: pl.onset_strength(**whole, aggregate=np.median, workers=1),
            lambda: librosa.onset.onset_strength(**whole, aggregate=np.median)),
        row("onsets, frames", "onset.onset_detect", lambda: pl.onset_detect(**whole),
            lambda: librosa.onset.onset_detect(**whole), placed),
        row("tempogram of strengths", "feature.tempogram", lambda: pl.tempogram(**given, workers=1),
            lambda: librosa.feature.tempogram(**given)),
        row("tempo of strengths, BPM", "feature.tempo", lambda: pl.tempo(**given, workers=1),
            lambda: librosa.feature.tempo(**given)),
        row("tempo, BPM", "feature.tempo", lambda: pl.tempo(**whole, workers=1),
            lambda: librosa.feature.tempo(**whole)),
        row("beats of strengths, frames", "beat.beat_track", lambda: pl.beat_track(**given)[1],
            lambda: librosa.beat.beat_track(**given)[1], placed),
        row("beats, frames", "beat.beat_track", lambda: pl.beat_track(**whole)[1],
            lambda: librosa.beat.beat_track(**whole)[1], placed),
    ]  # fmt: skip
