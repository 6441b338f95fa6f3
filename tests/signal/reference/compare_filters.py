#!/usr/bin/env python3
"""Prints how far papilio's recursive filters are from scipy's, of many designs.

    PYTHONPATH=build/release/python python3 tests/signal/reference/compare_filters.py

Needs scipy. A line a family: designs of orders 1 to 12, and of higher ones, in all bands, and the largest
difference of a numerator or denominator over its largest coefficient. Elliptic filters of higher
orders, whose coefficients depend on roundings, are left out. It is not run by ctest. Exit 1 where a
difference is above 1e-12.
"""
import itertools
import sys

import numpy as np
import papilio.signal.scipy as ours
import scipy.signal as theirs

EDGES = {
    "lowpass": (0.1, 0.003, 0.7), "highpass": (0.02, 0.45),
    "bandpass": ((0.2, 0.43), (0.01, 0.011), (0.05, 0.9)), "bandstop": ((0.2, 0.43), (0.3, 0.31)),
}  # fmt: skip
RIPPLES = ((1, 40), (0.1, 80))
LOW, HIGH = (1, 2, 3, 4, 5, 7, 8, 10, 12), (14, 16, 18, 20, 22, 24, 25)


def variants(family):
    if family == "bessel":
        return [((), {"norm": norm}) for norm in ("phase", "delay", "mag")]
    if family == "butter":
        return [((), {})]
    return [({"cheby1": (rp,), "cheby2": (rs,), "ellip": (rp, rs)}[family], {}) for rp, rs in RIPPLES]


def difference(family, order, btype, edge, before, named):
    try:
        made = getattr(ours, family)(order, *before, edge, btype, output="sos", **named)
    except ValueError:  # the poles do not stay inside the unit circle
        return None
    wanted = getattr(theirs, family)(order, *before, edge, btype, output="sos", **named)
    if made.shape != wanted.shape:
        return np.inf
    parts = wanted.reshape(-1, 2, 3)
    return (abs(made.reshape(-1, 2, 3) - parts) / abs(parts).max(axis=2, keepdims=True)).max()


def main():
    bad = False
    print("family     orders  designs  refused  largest difference")
    for family, orders in itertools.product(("butter", "cheby1", "cheby2", "ellip", "bessel"), (LOW, HIGH)):
        if family == "ellip" and orders == HIGH:
            continue
        all_of = [difference(family, order, btype, edge, *variant)
                  for order in orders for btype, edges in EDGES.items() for edge in edges
                  for variant in variants(family)]  # fmt: skip
        known = [d for d in all_of if d is not None]
        bad |= max(known) > 1e-12
        print(f"{family:8} {orders[0]:3} ... {orders[-1]:2} {len(all_of):8} {len(all_of) - len(known):8}"
              f"  {max(known):.1e}")  # fmt: skip
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
