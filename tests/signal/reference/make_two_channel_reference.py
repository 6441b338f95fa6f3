"""Writes the references of two_channel_test.cpp, two_channel_*.npy. Run with numpy and scipy 1.17.1.

The signals are noise that the script makes: no sample of a recording.
"""

import pathlib

import numpy as np
from scipy import signal

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
RATE = 8000.0
# window, segment, overlap, n_fft, detrend, scaling, average, one-sided; as numbers in the file
CASES = [
    ("hann", 64, 32, 64, "constant", "density", "mean", True),
    ("hann", 64, 32, 64, "constant", "density", "median", True),
    ("hamming", 50, 13, 81, "linear", "spectrum", "mean", True),
    ("hamming", 50, 13, 81, "linear", "spectrum", "median", False),
    ("boxcar", 33, 0, 64, False, "density", "mean", False),
    ("blackman", 200, 150, 256, "constant", "density", "mean", True),
    ("hann", 500, 0, 500, "constant", "density", "mean", True),
    ("boxcar", 1, 0, 1, False, "density", "mean", True),
]
DETRENDS = [False, "constant", "linear"]
WINDOWS = ["boxcar", "hann", "hamming", "blackman"]


def save(name, values):
    values = np.ascontiguousarray(values)
    if np.iscomplexobj(values):
        values = np.stack([values.real, values.imag], -1)
    values = values.astype(np.float64)
    assert values.nbytes < 100_000, name
    np.save(DATA / f"two_channel_{name}.npy", values)


def numbers(case):
    window, segment, overlap, n_fft, detrend, scaling, average, one_sided = case
    return [WINDOWS.index(window), segment, overlap, n_fft, DETRENDS.index(detrend), scaling == "spectrum",
            average == "median", one_sided]  # fmt: skip


random = np.random.default_rng(68)
x = random.standard_normal(500) + 0.3
y = signal.lfilter([0.5, -0.2, 0.7], [1, -0.4], x) + 0.2 * random.standard_normal(500) + np.arange(500) / 900
save("signals", np.stack([x, y]))
save("cases", [numbers(case) for case in CASES])

spectra, coherences, transfers = [], [], []
for window, segment, overlap, n_fft, detrend, scaling, average, one_sided in CASES:
    common = {"fs": RATE, "window": window, "nperseg": segment, "noverlap": overlap, "nfft": n_fft,
              "detrend": detrend}  # fmt: skip
    options = {**common, "return_onesided": one_sided, "scaling": scaling}
    spectra.append(signal.csd(x, y, average=average, **options)[1])
    if average == "mean" and one_sided:
        coherences.append(signal.coherence(x, y, **common)[1])
        powers = [signal.welch(v, **options)[1] for v in (x, y)]
        transfers.append(spectra[-1] / powers[0])
        transfers.append(powers[1] / np.conj(spectra[-1]))
save("csd", np.concatenate(spectra))
save("coherence", np.concatenate(coherences))
save("transfer", np.concatenate(transfers))

response = transfers[0]
save("phase", np.stack([np.angle(response), np.unwrap(np.angle(response))]))
late = response * np.exp(-2j * np.pi * np.arange(len(response)) * 20.3 / 64)
save("group_delay", -np.gradient(np.unwrap(np.angle(late)), 2 * np.pi * RATE / 64))

t = np.arange(400) / RATE
save("sweep", signal.chirp(t, 50, 400 / RATE, 3500, method="logarithmic", phi=-90))

correlation = signal.correlate(y - y.mean(), x - x.mean())
lag = signal.correlation_lags(500, 500)[np.argmax(np.abs(correlation))]
save("lag", [lag, correlation.max() / np.sqrt(np.sum((x - x.mean()) ** 2) * np.sum((y - y.mean()) ** 2))])
