"""Rows of bench/sound_peers.py: constant-Q transforms and chroma beside librosa.

A difference is the largest one of magnitudes, or of chroma, over the largest value of librosa's. Of inverse
transforms it is the error of papilio's signal less that of librosa's, each relative to the band of the
signal that the bins hold: below 0 where papilio's is nearer.
"""

import librosa
import numpy as np
import papilio.signal as ps


def apart(ours, theirs):
    """Largest difference of [segments, bins] and librosa's [bins, segments], over librosa's largest."""
    theirs = np.abs(theirs.T)
    return float(np.abs(np.abs(ours) - theirs).max() / max(theirs.max(), 1e-30))


def rows(samples, rate):
    x = np.ascontiguousarray(samples, dtype=np.float32)
    options = {"sr": rate, "hop_length": 512}
    values = librosa.cqt(x, **options)
    chroma = librosa.feature.chroma_cqt(y=x, **options)

    def error(y):
        again = librosa.cqt(np.asarray(y), **options)
        n = min(again.shape[1], values.shape[1])
        return float(np.linalg.norm(again[:, :n] - values[:, :n]) / np.linalg.norm(values))

    def row(feature, reference, ours, theirs, difference=apart):
        return {"feature": feature, "reference": f"librosa.{reference}", "ours": ours, "theirs": theirs,
                "difference": difference}  # fmt: skip

    return [
        row("cqt", "cqt", lambda: ps.cqt(x, rate, workers=1), lambda: librosa.cqt(x, **options)),
        row("cqt, plan made anew", "cqt", lambda: ps.ConstantQPlan(rate).execute(x, workers=1),
            lambda: librosa.cqt(x, **options)),
        row("cqt, 36 bins an octave", "cqt",
            lambda: ps.cqt(x, rate, bins=252, bins_per_octave=36, workers=1),
            lambda: librosa.cqt(x, n_bins=252, bins_per_octave=36, **options)),
        row("cqt, hop 441", "cqt(sparsity=0)", lambda: ps.cqt(x, rate, 441, workers=1),
            lambda: librosa.cqt(x, sr=rate, hop_length=441, sparsity=0)),
        row("vqt", "vqt", lambda: ps.vqt(x, rate, workers=1), lambda: librosa.vqt(x, **options)),
        row("icqt", "icqt",
            lambda: ps.icqt(values.T, rate, length=len(x), workers=1),
            lambda: librosa.icqt(values, length=len(x), **options),
            lambda ours, theirs: error(ours) - error(theirs)),
        row("icqt, 2 iterations", "icqt",
            lambda: ps.icqt(values.T, rate, length=len(x), iterations=2, workers=1),
            lambda: librosa.icqt(values, length=len(x), **options),
            lambda ours, theirs: error(ours) - error(theirs)),
        row("chroma_stft", "feature.chroma_stft", lambda: ps.chroma_stft(x, rate, workers=1),
            lambda: librosa.feature.chroma_stft(y=x, sr=rate)),
        row("chroma_stft, tuning 0", "feature.chroma_stft",
            lambda: ps.chroma_stft(x, rate, tuning=0, workers=1),
            lambda: librosa.feature.chroma_stft(y=x, sr=rate, tuning=0)),
        row("chroma_cqt", "feature.chroma_cqt", lambda: ps.chroma_cqt(x, rate, workers=1),
            lambda: librosa.feature.chroma_cqt(y=x, **options)),
        row("chroma_cens", "feature.chroma_cens", lambda: ps.chroma_cens(x, rate, workers=1),
            lambda: librosa.feature.chroma_cens(y=x, **options)),
        row("cens of chroma", "feature.chroma_cens(C=)",
            lambda: ps.chroma_cens(chroma=chroma.T),
            lambda: librosa.feature.chroma_cens(C=chroma, bins_per_octave=12, n_octaves=1)),
        row("tonnetz", "feature.tonnetz", lambda: ps.tonnetz(x, rate, workers=1),
            lambda: librosa.feature.tonnetz(y=x, **options)),
        row("tonnetz of chroma", "feature.tonnetz(chroma=)", lambda: ps.tonnetz(chroma=chroma.T),
            lambda: librosa.feature.tonnetz(chroma=chroma)),
    ]  # fmt: skip
