#!/usr/bin/env python3
"""Prints how far papilio's YIN and pYIN are from librosa's on ten recordings.

    apt-get install alsa-utils sound-theme-freedesktop sonic-pi-samples
    PYTHONPATH=build/release/python python3 tests/signal/reference/compare_pitch.py

Needs librosa and soundfile. A line a recording, of its first six seconds at 22050 Hz: the share of
voiced segments; in how many the voicing differs; in how many pYIN's frequency or probability does by
more than 1e-9; the largest relative difference of pYIN's frequencies
where both are voiced, of its probabilities, and of YIN's frequencies. The last line is of all of them, one after the
other with silence between them, at a hop of 128, of which pYIN decides the path in parts. It is not
run by ctest. Exit 1 where a voicing differs or a frequency by more than 1 %.
"""
import sys

import librosa
import numpy as np
import papilio.signal
import soundfile

SONIC_PI = "/usr/share/sonic-pi/samples/"
SOUNDS = [
    *(f"{SONIC_PI}{name}.flac" for name in (
        "guit_e_slide", "guit_em9", "ambi_choir", "ambi_piano", "bass_voxy_c", "misc_crow", "loop_mika",
        "elec_twang")),
    "/usr/share/sounds/alsa/Front_Center.wav",
    "/usr/share/sounds/freedesktop/stereo/phone-incoming-call.oga",
]
RATE, RANGE = 22050, {"fmin": 65.40639132514966, "fmax": 2093.004522404789}


def compare(name, x, hop=512):
    theirs = librosa.pyin(x, sr=RATE, hop_length=hop, **RANGE)
    ours = papilio.signal.pyin(x, RATE, hop=hop, **RANGE)
    yin = papilio.signal.yin(x, RATE, hop=hop, **RANGE) / librosa.yin(x, sr=RATE, hop_length=hop, **RANGE)
    both = ours[1] & theirs[1]
    others = np.count_nonzero((both & (abs(ours[0] / theirs[0] - 1) > 1e-9)) | (abs(ours[2] - theirs[2]) > 1e-9))
    apart = (np.count_nonzero(ours[1] != theirs[1]), abs(ours[0] / theirs[0] - 1)[both].max(initial=0),
             abs(ours[2] - theirs[2]).max(), abs(yin - 1).max())
    print(f"{name:28} {theirs[1].mean():6.2f} {apart[0]:8} {others:6} {apart[1]:9.1e} {apart[2]:12.1e} {apart[3]:9.1e}",
          flush=True)  # fmt: skip
    return apart[0] > 0 or max(apart[1], apart[3]) > 0.01


def main():
    print("recording                    voiced  differs others  pYIN, Hz  probability   YIN, Hz")
    sounds = [librosa.load(path, sr=RATE, duration=6)[0] for path in SOUNDS]
    bad = [compare(path.split("/")[-1], x) for path, x in zip(SOUNDS, sounds)]
    silence = np.zeros(RATE // 2, dtype=np.float32)
    bad.append(compare("all, hop 128", np.concatenate([part for x in sounds for part in (x, silence)]), 128))
    sys.exit(any(bad))


if __name__ == "__main__":
    main()
