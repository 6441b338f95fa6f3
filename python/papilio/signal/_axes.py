"""Results that know their axes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from .. import _papilio
from .._arrays import Array, Compared, Reals
from .._calls import public
from .._sound import Picture

__all__ = ["Spectra"]

Result: TypeAlias = Any  # an Array, and with axes=True Spectra of it

_ROWS = 512  # of a picture


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Spectra(Compared):
    """Values with their axes: what functions return with axes=True.

    It unpacks into times, frequencies and values [..., bins, segments], as plt.pcolormesh(*result)
    takes them of one channel; densities into frequencies and values, as plt.plot does. In a notebook it
    draws itself.

    Parameters:
        values: array [..., segments, bins], as the function returns it; of densities [..., bins].
        times: seconds [segments] of the segments' middles; None of densities.
        frequencies: Hz [bins]; of mfcc the numbers of the coefficients, of chroma those of the classes.
        unit: of the values, "power" for example.
        quantity: of the frequencies, "Frequency", "Coefficient" or "Class".

    Example:
        >>> sound = papilio.read("song.flac", mono=True)
        >>> result = papilio.signal.mel_spectrogram(sound, axes=True).decibel()
        >>> result
        Spectra(float32 [515, 128], dB)
        >>> times, frequencies, levels = result
        >>> times.shape, frequencies.shape, levels.shape
        ((515,), (128,), (128, 515))
    """

    values: Array
    times: Reals | None
    frequencies: Reals
    unit: str
    quantity: str = "Frequency"

    def __iter__(self) -> Iterator[Array]:
        if self.times is None:
            return iter((self.frequencies, self.values))
        return iter((self.times, self.frequencies, np.swapaxes(self.values, -1, -2)))

    def decibel(self, reference: float | None = 1.0, top_db: float | None = 80.0) -> Spectra:
        """The same with levels in dB, as to_decibel makes them; reference None: the largest value."""
        if self.unit.startswith("dB"):
            raise ValueError(f"Spectra.decibel: values must be powers or amplitudes, they are in {self.unit}")
        kind = "amplitude" if self.unit.startswith("amplitude") else "power"
        values = _papilio.to_decibel(np.abs(self.values), kind, reference, None, top_db)
        return dataclasses.replace(self, values=values, unit=self.unit.replace(kind, "dB"))

    def picture(self, *, title: str = "", width: int = 1280, height: int = 640,
                format: str = "png") -> Picture:  # fmt: skip
        """The values as a picture: levels in dB, with leading axes averaged, or curves."""
        page = (title, width, height, format)
        if self.quantity != "Frequency":
            curves = _lines(self.values)[-self.values.shape[-2] :].T  # the last signal's
            names = [f"{self.quantity.lower()} {k:g}" for k in self.frequencies]
            return Picture(_papilio.picture_of_curves(
                self.times, curves, names, ("Time", "s"), (self.quantity, self.unit), *page))  # fmt: skip
        up = np.flatnonzero(self.frequencies >= 0)  # of two sides the one that ascends
        half = dataclasses.replace(self, values=self.values[..., up], frequencies=self.frequencies[up])
        shown = half if self.unit.startswith("dB") else half.decibel(None)
        if self.times is None:
            names = [f"channel {i + 1}" for i in range(len(_lines(shown.values)))]
            return Picture(_papilio.picture_of_curves(
                half.frequencies, _lines(shown.values), names, ("Frequency", "Hz"),
                ("Level", shown.unit), *page))  # fmt: skip
        levels = shown.values.reshape(-1, *shown.values.shape[-2:]).mean(axis=0).T
        low, scale, rows = _rows(half.frequencies)
        ends = float(levels.min()), float(max(levels.max(), levels.min() + 1))
        step = self.times[1] - self.times[0] if len(self.times) > 1 else 1.0
        return Picture(_papilio.picture_of_levels(
            _pooled(levels, rows), float(self.times[0] - step / 2), float(step * len(self.times)),
            (low, float(half.frequencies[-1])), scale, ends, shown.unit, *page))  # fmt: skip

    def _repr_png_(self) -> bytes | None:
        return bytes(self.picture()) if self.values.size else None

    def __repr__(self) -> str:
        return f"Spectra({self.values.dtype} {list(self.values.shape)}, {self.unit})"


def _lines(values: Array) -> Array:
    return values.reshape(-1, values.shape[-1])


def _rows(frequencies: Reals) -> tuple[float, str, list[Any]]:
    """The lower end and the scale of a picture's axis, and the slice of bins that each row shows."""
    step = np.diff(frequencies)
    if np.allclose(step, step[:1]):
        low = float(frequencies[min(2, len(frequencies) - 1)]) / 2
        scale, edges = "log", np.geomspace(low, frequencies[-1], _ROWS + 1)
    elif frequencies[0] > 0 and np.allclose(np.diff(np.log(frequencies), 2), 0, atol=1e-9):
        low, scale = float(frequencies[0]), "notes"
        edges = np.geomspace(low, frequencies[-1], _ROWS + 1)
    else:
        low, scale = float(frequencies[0]), "mel"
        ends = _papilio.hz_to_mel(np.array([low, frequencies[-1]]), "slaney")
        edges = _papilio.mel_to_hz(np.linspace(*ends, _ROWS + 1), "slaney")
    at = np.clip(np.searchsorted(frequencies, edges), 0, len(frequencies) - 1)
    middles = (edges[1:] + edges[:-1]) / 2
    nearest = np.rint(np.interp(middles, frequencies, np.arange(len(frequencies)))).astype(int)
    return low, scale, [slice(a, b) if b > a + 1 else k for a, b, k in zip(at, at[1:], nearest)]


def _pooled(levels: Array, rows: list[Any]) -> Array:
    """Levels [rows, segments] of levels [bins, segments]; of several bins the highest."""
    return np.stack([levels[r].max(axis=0) if isinstance(r, slice) else levels[r] for r in rows])


public(globals())
