"""Rows of bench/sound_peers.py: loudness beside pyloudnorm, whose integrated loudness and range it has; in LU."""

import warnings

import numpy as np
import papilio.signal as ps
import pyloudnorm


def apart(ours, theirs):
    return abs(ours - theirs)


def rows(samples, rate):
    x = np.ascontiguousarray(np.tile(samples, 1 + 20 * rate // len(samples)), dtype=np.float64)
    stereo = np.ascontiguousarray(np.stack([x, np.roll(x, 1000)]))
    columns = np.ascontiguousarray(stereo.T)
    # Its filters from another design are 0.04 dB lower at high frequencies; DeMan's are those of BS.1770.
    meter = pyloudnorm.Meter(rate, filter_class="DeMan")

    def integrated(words, signal, frames):
        return {"feature": f"integrated loudness, {words}", "reference": "pyloudnorm.Meter.integrated_loudness",
                "ours": lambda: ps.loudness(signal, rate, true_peak=False).integrated,
                "theirs": lambda: meter.integrated_loudness(frames), "difference": apart}  # fmt: skip

    def their_range():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return meter.loudness_range(columns)

    return [
        integrated("1 channel", x, x),
        integrated("2 channels", stereo, columns),
        integrated("2 channels, interleaved", columns.T, columns),
        {"feature": "range, 2 channels", "reference": "pyloudnorm.Meter.loudness_range",
         "ours": lambda: ps.loudness(stereo, rate, true_peak=False).range, "theirs": their_range,
         "difference": apart},
        {"feature": "all with true peaks, 2 channels", "reference": "pyloudnorm.Meter.integrated_loudness",
         "ours": lambda: ps.loudness(stereo, rate).integrated,
         "theirs": lambda: meter.integrated_loudness(columns), "difference": apart},
    ]  # fmt: skip
