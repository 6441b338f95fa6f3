"""Row of the short-time transform; its difference is relative to the largest magnitude."""
import librosa
import numpy as np
import papilio


def rows(samples, rate):
    def largest(ours, theirs):
        return np.max(np.abs(ours - theirs.T)) / np.max(np.abs(theirs))

    return [
        {"feature": "STFT", "reference": "librosa.stft",
         "ours": lambda: papilio.signal.stft(samples, 2048),
         "theirs": lambda: librosa.stft(samples), "difference": largest},
    ]
