#!/usr/bin/env python3
"""Prints how far papilio's loudness is from ffmpeg's filter ebur128 on twenty recordings.

    apt-get install alsa-utils sound-theme-freedesktop sonic-pi-samples ffmpeg
    PYTHONPATH=build/release/python python3 tests/signal/reference/compare_loudness.py

A line a recording: integrated loudness of both in LUFS, range in LU, sample and true peak in dB.
ffmpeg prints a decimal, so that equal numbers are up to 0.05 apart: 0.1 is the bound. It takes the
percentiles of a range at other ranks than Tech 3342 (the first column), which matters where a sound
dies away within seconds; the second column has papilio's short-term loudness at ffmpeg's ranks. It
resamples to 192 kHz for true peaks by a filter that is less steep: a tone near half the rate is up to
0.1 dB lower than by papilio's, which is 0.05 dB lower than by a transform of the whole. A range below
3 s is 0 there, where papilio has none. It is not run by ctest. Exit 1 where a number is over its bound.
Last run: ffmpeg 5.1, largest differences 0.051 LUFS, 0.050 LU, 0.046 and 0.125 dB.
"""
import re
import subprocess
import sys

import numpy as np
import papilio

SONIC_PI = "/usr/share/sonic-pi/samples/"
SOUNDS = [
    *(f"{SONIC_PI}{name}.flac" for name in (
        "ambi_choir", "ambi_drone", "ambi_haunted_hum", "ambi_lunar_land", "ambi_piano", "bass_trance_c", "drum_roll",
        "glitch_robot1", "guit_em9", "guit_e_slide", "loop_amen_full", "loop_breakbeat", "loop_compus", "loop_garzul",
        "loop_industrial", "loop_mika", "loop_tabla")),
    "/usr/share/sounds/alsa/Front_Center.wav",
    "/usr/share/sounds/alsa/Noise.wav",
    "/usr/share/sounds/freedesktop/stereo/phone-incoming-call.oga",
]
# Half of a printed decimal, and as much for what both round; of true peaks what the filters differ by.
BOUNDS = (0.1, 0.1, 0.1, 0.15)


def theirs(path):
    command = ["ffmpeg", "-nostats", "-hide_banner", "-i", path, "-af", "ebur128=peak=sample+true", "-f", "null", "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stderr.split("Summary:")[1]
    loudness, span = re.search(r"\bI:\s+(\S+) LUFS", text)[1], re.search(r"LRA:\s+(\S+) LU", text)[1]
    return [float(word) for word in (loudness, span, *re.findall(r"Peak:\s+(\S+) dBFS", text))]


def range_at_their_ranks(sound):
    """The range of papilio's short-term loudness from rank n / 10 to n - (0.95 n - 1), halves rounded up."""
    levels = papilio.signal.short_term_loudness(sound)
    levels = levels[levels >= -70]
    if levels.size == 0:
        return 0.0
    levels = np.sort(levels[levels >= 10 * np.log10(np.mean(10 ** (levels / 10))) - 20])
    n = levels.size
    return levels[int(0.95 * n + 0.5) - 1] - levels[max(int(0.1 * n + 0.5), 1) - 1]


def main():
    largest = [0.0] * 4
    print("recording                      integrated             range             sample peak      true peak")
    for path in SOUNDS:
        sound, ffmpeg = papilio.read(path), theirs(path)
        found = papilio.signal.loudness(sound)
        ours = [found.integrated, range_at_their_ranks(sound), found.sample_peak, found.true_peak]
        apart = [abs(a - b) for a, b in zip(ours, ffmpeg, strict=True)]
        largest = [max(a, b) for a, b in zip(largest, apart, strict=True)]
        words = [f"{a:8.3f} {b:7.1f}" for a, b in zip(ours, ffmpeg, strict=True)]
        words.insert(1, f"{found.range or 0:7.3f}")
        print(f"{path.split('/')[-1]:28} {' '.join(words)}", flush=True)
    print("largest difference           " + " ".join(f"{d:16.3f}" for d in largest))
    sys.exit(any(d > bound for d, bound in zip(largest, BOUNDS, strict=True)))


if __name__ == "__main__":
    main()
