"""Rows of bench/sound_peers.py: two channels beside scipy.signal, of double samples; differences are relative."""

import numpy as np
import papilio.signal as p
import papilio.signal.scipy as ps
from scipy import signal


def apart(ours, theirs):
    ours, theirs = (np.asarray(values[1] if isinstance(values, tuple) else values) for values in (ours, theirs))
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def lag(x, y):
    correlation = signal.correlate(y, x)
    return signal.correlation_lags(len(y), len(x))[np.argmax(np.abs(correlation))]


def rows(samples, rate):
    x = np.ascontiguousarray(samples, dtype=np.float64)
    y = np.roll(x, 40) + 0.1 * np.random.default_rng(1).standard_normal(len(x)) * x.std()
    short, late = x[: 20 * rate] - x[: 20 * rate].mean(), y[: 20 * rate] - y[: 20 * rate].mean()

    def row(feature, reference, ours, theirs):
        return {"feature": feature, "reference": f"scipy.signal.{reference}", "ours": ours, "theirs": theirs,
                "difference": apart}  # fmt: skip

    def pair(name, n, **options):
        ours, theirs = getattr(ps, name), getattr(signal, name)
        words = ", ".join(f"{key} {value}" for key, value in options.items())
        return row(f"{name} of {n}{', ' if words else ''}{words}", name,
                   lambda: ours(x, y, rate, nperseg=n, workers=1, **options),
                   lambda: theirs(x, y, rate, nperseg=n, **options))  # fmt: skip

    return [
        *(pair("csd", n) for n in (256, 4096, 65536)),
        pair("csd", 4096, average="median"),
        *(pair("coherence", n) for n in (256, 4096, 65536)),
        row("delay of 20 s", "correlate", lambda: round(p.find_delay(short, late, workers=1).samples),
            lambda: lag(short, late)),
    ]  # fmt: skip
