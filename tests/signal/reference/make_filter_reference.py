"""Writes the references of filters_test.cpp, filter_*.npy. Run with numpy and scipy 1.17.1.

The signal is noise that the script makes: no sample of a recording.
"""

import itertools
import pathlib

import numpy as np
from scipy import signal

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
BANDS = ["lowpass", "highpass", "bandpass", "bandstop"]
EDGES = [[(0.1, 0), (0.003, 0), (0.7, 0)], [(0.02, 0), (0.45, 0)],
         [(0.2, 0.43), (0.01, 0.011), (0.05, 0.9)], [(0.2, 0.43), (0.3, 0.31)]]  # fmt: skip
NORMS = ["phase", "delay", "mag"]


def save(name, values):
    values = np.ascontiguousarray(values, dtype=np.float64)
    assert values.nbytes < 100_000, name
    np.save(DATA / f"{name}.npy", values)


def sections(family, order, band, low, high, ripple, attenuation, norm):
    options = {"btype": BANDS[band], "output": "sos", "fs": 2}
    edges = low if band < 2 else [low, high]
    return [
        lambda: signal.butter(order, edges, **options),
        lambda: signal.cheby1(order, ripple, edges, **options),
        lambda: signal.cheby2(order, attenuation, edges, **options),
        lambda: signal.ellip(order, ripple, attenuation, edges, **options),
        lambda: signal.bessel(order, edges, norm=NORMS[norm], **options),
    ][family]()


def designs():
    """Rows of each design: its 8 options and the number of its sections, then the sections."""
    made, rows = [], []
    cases = [(*case, edges) for case in itertools.product(range(5), [1, 2, 5, 8], range(4))
             for edges in enumerate(EDGES[case[2]])]  # fmt: skip
    cases += [(*case, (0, EDGES[band][0])) for band in range(4) for case in ((3, 12, band), (4, 20, band), (4, 25, band))]
    for family, order, band, (i, edges) in cases:
        ripple, attenuation = [(1, 40), (0.1, 80), (3, 20)][i]
        options = (family, order, band, *edges, ripple, attenuation, (i + order) % 3)
        sos = sections(*options)
        made.append((*options, len(sos)))
        rows.append(sos)
    return np.array(made), np.concatenate(rows)


def fir_taps():
    return np.concatenate([
        signal.firwin(31, 0.3), signal.firwin(32, 0.3, window="hann"),
        signal.firwin(31, 0.3, pass_zero=False), signal.firwin(45, [0.2, 0.43], pass_zero=False),
        signal.firwin(45, [0.2, 0.43], window=("kaiser", 6.0)),
        signal.firwin(20, [0.2, 0.43], pass_zero=False, scale=False)])  # fmt: skip


def smoothed(x, window):
    of = {"window_length": window, "polyorder": 3}
    return np.stack([
        signal.savgol_filter(x, **of), signal.savgol_filter(x, **of, deriv=1, delta=0.5),
        signal.savgol_filter(x, **of, deriv=2, mode="mirror"),
        signal.savgol_filter(x, **of, mode="nearest"), signal.savgol_filter(x, **of, mode="wrap"),
        signal.savgol_filter(x, **of, mode="constant", cval=0.25)])  # fmt: skip


def orders():
    """Rows: family, band, pass and stop edges, ripple, attenuation, then scipy's order and edges."""
    finders = [signal.buttord, signal.cheb1ord, signal.cheb2ord, signal.ellipord]
    cases = [(0, 0.2, 0, 0.3, 0, 1, 40), (1, 0.3, 0, 0.2, 0, 0.5, 80), (2, 0.2, 0.5, 0.1, 0.6, 3, 50),
             (2, 0.2, 0.3, 0.15, 0.5, 0.1, 60), (3, 0.1, 0.6, 0.2, 0.5, 1, 40),
             (3, 0.02, 0.06, 0.03, 0.05, 3, 30)]  # fmt: skip
    rows = []
    for (family, finder), case in itertools.product(enumerate(finders), cases):
        band, p0, p1, s0, s1, ripple, attenuation = case
        edges = ([p0, p1], [s0, s1]) if band > 1 else (p0, s0)
        order, found = finder(*edges, ripple, attenuation)
        rows.append((family, *case, order, *np.resize(np.append(found, 0), 2)))
    return np.array(rows)


if __name__ == "__main__":
    options, rows = designs()
    save("filter_designs", options)
    save("filter_sections", rows)
    save("filter_orders", orders())
    save("filter_fir", fir_taps())
    x = np.random.default_rng(7).standard_normal(300)
    elliptic = signal.ellip(5, 0.5, 60, [0.1, 0.3], btype="bandpass", output="sos")
    odd = signal.butter(3, 0.2, output="sos")
    save("filter_signal", x)
    save("filter_elliptic", elliptic)
    save("filter_odd", odd)
    save("filter_zi", signal.sosfilt_zi(odd))
    save("filter_run", signal.sosfilt(elliptic, x))
    save("filter_both_ways", np.stack([
        signal.sosfiltfilt(odd, x), signal.sosfiltfilt(odd, x, padtype="even", padlen=40),
        signal.sosfiltfilt(odd, x, padtype="constant"), signal.sosfiltfilt(odd, x, padtype=None),
        signal.sosfiltfilt(elliptic, x)]))  # fmt: skip
    save("filter_smoothed", smoothed(x, 11))
    save("filter_smoothed_even", smoothed(x, 12))
    save("filter_savgol_weights", np.concatenate([
        signal.savgol_coeffs(7, 2, use="dot"), signal.savgol_coeffs(7, 2, pos=1, use="dot"),
        signal.savgol_coeffs(9, 4, deriv=2, delta=0.1, use="dot"),
        signal.savgol_coeffs(8, 3, deriv=1, use="dot"),
        signal.savgol_coeffs(8, 3, pos=7, use="dot")]))  # fmt: skip
    save("filter_hilbert", np.stack([
        signal.hilbert(x).imag, np.append(signal.hilbert(x[:299]).imag, 0)]))  # fmt: skip
