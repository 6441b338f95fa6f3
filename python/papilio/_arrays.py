"""Types that the annotations name, and operands that are no arrays of numpy yet."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _papilio

Array: TypeAlias = NDArray[Any]
Reals: TypeAlias = NDArray[np.float64]
NamedWindow: TypeAlias = str | tuple[str, float]
Window: TypeAlias = NamedWindow | ArrayLike


class Sampled:
    """Samples that know their rate, which every function takes in the place of an array."""

    samples: Array
    rate: int


ON_DEVICE: tuple[type, ...] = (_papilio.DeviceArray,) if hasattr(_papilio, "DeviceArray") else ()
NOT_HERE = (
    "must be an array in memory, got dask's: papilio.dask.fft_along transforms it chunk by chunk, "
    "x.map_blocks runs any function there, x.compute() brings it here"
)


def as_array(x: Any) -> Array:
    """np.asarray, and numpy's view of tensors that are exchanged by DLPack alone.

    Arrays of dask and of accelerators are refused: to fetch them is for the caller to say.
    """
    if hasattr(x, "__dask_graph__") and x.__dask_graph__() is not None:
        raise TypeError(f"x {NOT_HERE}")
    if isinstance(x, ON_DEVICE):
        raise TypeError("x must be an array of the host here, got a DeviceArray; its numpy() copies it there")
    if not hasattr(x, "__array__") and hasattr(x, "__dlpack__"):
        return np.from_dlpack(x)
    return np.asarray(x)


def last(x: ArrayLike, axis: int) -> Array:
    """x with that axis as the last one."""
    array = as_array(x)
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"papilio: axis {axis} is out of range for {array.ndim} axes")
    return np.moveaxis(array, axis, -1)


def swapped(x: ArrayLike) -> Array:
    """[..., bins, frames] as [..., frames, bins], and back."""
    array = as_array(x)
    if array.ndim < 2:
        raise ValueError(f"papilio: spectra must have at least 2 axes, got {array.ndim}")
    return np.swapaxes(array, -1, -2)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    return np.array_equal(a, b) if isinstance(a, np.ndarray) else bool(a == b)


class Compared:
    """A dataclass with arrays among its fields: equal where all are that it compares."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return False  # and not what numpy makes of an array beside it
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields if f.compare)


def by_frame(x: ArrayLike) -> ArrayLike:
    """A block [samples] or [samples, channels], which a sound's samples are when transposed."""
    return np.asarray(x).T if isinstance(x, Sampled) else x
