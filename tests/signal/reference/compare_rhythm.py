#!/usr/bin/env python3
"""Prints how far papilio's onsets, tempo and beats are from librosa's on ten recordings.

    apt-get install alsa-utils sound-theme-freedesktop sonic-pi-samples
    PYTHONPATH=build/release/python python3 tests/signal/reference/compare_rhythm.py

Needs librosa and soundfile. A line a recording: the largest difference of the onset strengths of mean
and median in dB, and of the tempogram; the numbers of onsets of both and how many are in the same
frame; the tempo of both; and the beats as the onsets. It is not run by ctest. Exit 1 where a strength
or tempogram is over its bound, or an onset, tempo or beat is another one.
Last run: librosa 0.11.0, all the same.
"""
import sys

import librosa
import numpy as np
import papilio.signal.librosa as pl
import soundfile

SONIC_PI = "/usr/share/sonic-pi/samples/"
SOUNDS = [
    *(f"{SONIC_PI}{name}.flac" for name in (
        "loop_amen_full", "loop_breakbeat", "loop_compus", "loop_garzul", "loop_industrial", "loop_mika",
        "loop_tabla", "guit_em9")),
    "/usr/share/sounds/alsa/Front_Center.wav",
    "/usr/share/sounds/freedesktop/stereo/phone-incoming-call.oga",
]
# Levels of up to 100 dB are floats, which round by 4e-6 dB; a band 80 dB below the loudest one has the
# rounding of a transform in float, 1e-7 of the loudest bin.
STRENGTH_DB, TEMPOGRAM = 0.01, 0.01


def common(ours, theirs):
    return f"{len(ours)}/{len(theirs)}/{len(np.intersect1d(ours, theirs))}"


def main():
    bad = 0
    print("recording                     rate   mean dB  median dB tempogram  onsets      tempo             beats")
    for path in SOUNDS:
        channels, rate = soundfile.read(path, dtype="float32", always_2d=True)
        x = np.ascontiguousarray(channels.mean(axis=1))
        whole = {"y": x, "sr": rate}
        apart = []
        for aggregate in (np.mean, np.median):
            strength = librosa.onset.onset_strength(**whole, aggregate=aggregate)
            apart.append(abs(pl.onset_strength(**whole, aggregate=aggregate) - strength).max())
        apart.append(abs(pl.tempogram(**whole) - librosa.feature.tempogram(**whole)).max())
        onsets = pl.onset_detect(**whole), librosa.onset.onset_detect(**whole)
        tempo, beats = zip(pl.beat_track(**whole), librosa.beat.beat_track(**whole))
        tempo = [float(np.asarray(t).reshape(-1)[0]) for t in tempo]
        print(f"{path.split('/')[-1]:28} {rate:6} {apart[0]:9.1e} {apart[1]:9.1e} {apart[2]:9.1e}  "
              f"{common(*onsets):10}  {tempo[0]:7.2f} {tempo[1]:7.2f}  {common(*beats)}", flush=True)  # fmt: skip
        bad += (max(apart[:2]) > STRENGTH_DB or apart[2] > TEMPOGRAM
                or not np.array_equal(*onsets) or not np.array_equal(*beats) or abs(tempo[0] - tempo[1]) > 1e-6)  # fmt: skip
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
