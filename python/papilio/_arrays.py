"""Types that the annotations name, and operands that are no arrays of numpy yet."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[Any]
Reals: TypeAlias = NDArray[np.float64]
NamedWindow: TypeAlias = str | tuple[str, float]
Window: TypeAlias = NamedWindow | ArrayLike


def as_array(x: Any) -> Array:
    """np.asarray, and numpy's view of tensors that are exchanged by DLPack alone."""
    if not hasattr(x, "__array__") and hasattr(x, "__dlpack__"):
        return np.from_dlpack(x)
    return np.asarray(x)
