"""Writes the references of levels_test.cpp, levels_*.npy. Run with numpy and scipy 1.17.1.

The signal is noise of a linear congruential generator, which the test makes too. Weightings are fitted
here by least squares over the squared magnitudes at the three points, bands are scipy's.
"""

import pathlib

import numpy as np
from scipy import signal

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
G = 10**0.3
RATE = 8000


def save(name, values):
    values = np.ascontiguousarray(values, dtype=np.float64)
    assert values.nbytes < 20_000, name
    np.save(DATA / f"{name}.npy", values)


def noise(samples):
    """x[n] = s / 2^30 - 1 with s = (1103515245 s + 12345) mod 2^31, louder and softer every second."""
    state, out = 1, np.empty(samples)
    for n in range(samples):
        state = (1103515245 * state + 12345) % 2**31
        out[n] = state / 2**30 - 1
    return out * (0.01 + 0.4 * (np.arange(samples) // RATE % 2))


def analog(weighting):
    half, low, high = np.sqrt(0.5), 1e3, 10**7.8
    b = (1e6 + low * high / 1e6 - half * (low + high)) / (1 - half)
    last, first = np.sqrt(np.roots([1, b, low * high])[np.argsort(np.roots([1, b, low * high]))[::-1]])
    middle = 10**2.45 * (3 + np.array([-1, 1]) * np.sqrt(5)) / 2
    passes = [first, first, *(middle if weighting == "A" else [])]
    angle = 2 * np.pi
    zpk = [0] * len(passes), [-angle * f for f in (*passes, last, last)], 1.0
    gain = abs(signal.freqs_zpk(*zpk, [angle * 1000])[1][0])
    return passes, last, (*zpk[:2], 1 / gain)


def weighting(name, rate):
    passes, last, zpk = analog(name)
    poles = np.exp(-2 * np.pi * np.array(passes) / rate)
    low = [[1, -2, 1, 1, -p - q, p * q] for p, q in zip(poles[::2], poles[1::2])]
    p = np.exp(-2 * np.pi * last / rate)
    base = np.array([*low, [1, 0, 0, 1, -2 * p, p * p]])
    points = np.array([1e-4, 0.3, 0.45]) * rate
    wanted = np.abs(signal.freqs_zpk(*zpk, 2 * np.pi * points)[1]) ** 2
    wanted /= np.abs(signal.freqz_sos(base, points, fs=rate)[1]) ** 2
    s = np.sin(np.pi * points / rate) ** 2
    n0, n1, n2 = np.linalg.solve(np.stack([1 - s, s, 4 * s * (1 - s)], axis=1), wanted)
    # |b0 + b1 / z + b2 / z^2|^2 by its roots: those inside the unit circle.
    roots = np.roots([-4 * n2, n1 - n0 + 4 * n2, n0])  # in s
    inside = []
    for root in roots.astype(complex):
        pair = np.roots([1, -(2 - 4 * root), 1])  # s = (2 - z - 1 / z) / 4
        inside.append(pair[np.argmin(np.abs(pair))])
    b = np.real(np.poly(inside))
    b *= np.sqrt(n0) / abs(b.sum())
    base[-1, :3] = b
    return base


def order(mid):
    """That with which the lower slope of a third-octave band is an analog one of order 3."""
    half = G ** (1 / 6)
    point = 1 + (half - 1) / (G**0.5 - 1) * (G - 1)
    low, high, at = np.tan(np.pi * mid * np.array([1 / half, half, 1 / point]) / RATE)
    wanted = 3 * np.log((point - 1 / point) / (half - 1 / half)) / np.log((low * high - at * at) / (at * (high - low)))
    return max(3, int(np.ceil(wanted - 0.05)))


def levels(x, time):
    constant = time * RATE
    keep, take = np.exp(-1 / constant), -np.expm1(-1 / constant)
    mean = signal.lfilter([take], [1, -keep], x * x)
    settled = int(np.ceil(5 * constant))
    at = mean[79::80]
    at = at[np.arange(80, len(x) + 1, 80) > settled]
    def level(m):
        return 10 * np.log10(2 * m)
    exceeded = [np.quantile(level(at), 1 - q) for q in (0.1, 0.5, 0.9)]
    return [level(np.mean(x * x)), level(mean.max()), level(mean[settled:].min()),
            level(np.mean(x * x)) + 10 * np.log10(len(x) / RATE), *exceeded]  # fmt: skip


if __name__ == "__main__":
    save("levels_weightings", np.concatenate([weighting("A", 48000), weighting("C", 44100)]))
    x = noise(9 * RATE + 37)
    a, c = signal.sosfilt(weighting("A", RATE), x), signal.sosfilt(weighting("C", RATE), x)
    peak = 20 * np.log10(np.abs(c).max()) + 10 * np.log10(2)
    save("levels_of_noise", [[*levels(a, 0.125), peak], [*levels(a, 1.0), peak]])
    bands = []
    for k in range(-17, 5):
        mid = 1000 * G ** (k / 3)
        sos = signal.butter(order(mid), mid * G ** (np.array([-1, 1]) / 6), "bandpass", fs=RATE, output="sos")
        bands.append(levels(signal.sosfilt(sos, x), 0.125)[:3])
    save("levels_of_bands", bands)
