"""Rows of bench/sound_peers.py: fundamental frequencies beside librosa.

A difference is the largest one of frequencies, relative, in frames that both find voiced (YIN: all frames
that librosa.pyin finds voiced); "voicing" is the share of frames of which one finds the other.
"""

import librosa
import numpy as np
import papilio.signal as ps

RANGE = {"fmin": 65.40639132514966, "fmax": 2093.004522404789}


def rows(samples, rate):
    x = np.ascontiguousarray(samples, dtype=np.float32)
    voiced = librosa.pyin(x, sr=rate, **RANGE)[1]

    def apart(ours, theirs, where):
        return float((np.abs(ours - theirs) / theirs)[where].max(initial=0))

    def row(feature, ours, theirs, difference):
        return {"feature": feature, "reference": f"librosa.{feature.split()[0].rstrip(',')}", "ours": ours,
                "theirs": theirs, "difference": difference}  # fmt: skip

    def yin():
        return ps.yin(x, rate, workers=1)

    def pyin():
        return ps.pyin(x, rate, workers=1)

    def their_pyin():
        return librosa.pyin(x, sr=rate, **RANGE)

    return [
        row("yin", yin, lambda: librosa.yin(x, sr=rate, **RANGE),
            lambda ours, theirs: apart(ours, theirs, voiced)),
        row("pyin", pyin, their_pyin,
            lambda ours, theirs: apart(ours[0], theirs[0], ours[1] & theirs[1])),
        row("pyin, voicing", pyin, their_pyin, lambda ours, theirs: float((ours[1] != theirs[1]).mean())),
        row("pyin, voiced probability", pyin, their_pyin,
            lambda ours, theirs: float(np.abs(ours[2] - theirs[2]).max())),
    ]  # fmt: skip
