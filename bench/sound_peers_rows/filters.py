"""Rows of bench/sound_peers.py: filters beside scipy.signal, of double samples; differences are the largest ones."""

import numpy as np
import papilio.signal.scipy as ps
from scipy import signal


def apart(ours, theirs):
    return float(np.abs(np.asarray(ours) - np.asarray(theirs)).max())


def rows(samples, rate):
    x = np.ascontiguousarray(samples, dtype=np.float64)
    eight = np.ascontiguousarray(np.stack([np.roll(x[: 20 * rate], 100 * c) for c in range(8)]))
    columns = np.ascontiguousarray(eight.T)

    def row(feature, reference, ours, theirs):
        return {"feature": feature, "reference": f"scipy.signal.{reference}", "ours": ours, "theirs": theirs,
                "difference": apart}  # fmt: skip

    def filtered(order, of, words, **options):
        sos = signal.butter(order, 0.2, output="sos")
        return row(f"{len(sos)} sections, {words}", "sosfilt", lambda: ps.sosfilt(sos, of, **options),
                   lambda: signal.sosfilt(sos, of, **options))  # fmt: skip

    sos = signal.butter(4, 0.2, output="sos")
    return [
        *(filtered(order, x, "1 channel") for order in (2, 4, 6, 8, 16)),
        filtered(4, eight, "8 channels"),
        filtered(4, columns, "8 channels, interleaved", axis=0),
        filtered(16, eight, "8 channels"),
        row("forward and backward", "sosfiltfilt", lambda: ps.sosfiltfilt(sos, x, workers=1),
            lambda: signal.sosfiltfilt(sos, x)),
        row("Savitzky-Golay of 31", "savgol_filter", lambda: ps.savgol_filter(x, 31, 3, workers=1),
            lambda: signal.savgol_filter(x, 31, 3)),
        row("analytic signal", "hilbert", lambda: ps.hilbert(x, workers=1), lambda: signal.hilbert(x)),
        row("elliptic design of order 8", "ellip",
            lambda: [ps.ellip(8, 0.5, 60, 0.3, output="sos") for _ in range(100)],
            lambda: [signal.ellip(8, 0.5, 60, 0.3, output="sos") for _ in range(100)]),
    ]  # fmt: skip
