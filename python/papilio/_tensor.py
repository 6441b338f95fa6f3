"""Contractions and decompositions of arrays."""

from __future__ import annotations

import dataclasses
import string
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from . import _papilio
from ._arrays import Array, as_array

Progress: TypeAlias = Callable[[int, float], bool | None]


def einsum(subscripts: str, *operands: ArrayLike, path: Sequence[tuple[int, int]] | None = None,
           search: str = "auto", workers: int | None = None) -> Array:  # fmt: skip
    """The sum of products that the subscripts say, in the cheapest order found.

    path: pairs of operands, as contract_path gives them; search: "auto", "optimal", "greedy"
    or "random_greedy". Integers are summed in double.
    """
    result = _papilio.einsum(subscripts, list(operands), path, search, workers)
    return result if result.ndim else result[()]


def contract_path(subscripts: str, *operands: ArrayLike | tuple[int, ...], search: str = "auto",
                  seconds: float = 1.0, seed: int = 0) -> dict[str, Any]:  # fmt: skip
    """An order of pairwise contractions, and what it costs, as a dict.

    Operands are arrays or their shapes.
    """
    shapes = [list(x) if isinstance(x, tuple) else list(as_array(x).shape) for x in operands]
    return _papilio.contract_path(subscripts, shapes, search, seconds, seed)


def _subscripts(order: int) -> str:
    if order > 24:
        raise ValueError(f"an array of {order} axes cannot be put together here, 24 at most")
    return string.ascii_lowercase[:order]


@dataclasses.dataclass(frozen=True)
class CpModel:
    """sum over r of weights[r] factors[0][i, r] factors[1][j, r] ..."""

    weights: Array
    factors: list[Array]
    relative_error: float
    history: list[float]
    converged: bool

    def reconstruct(self) -> Array:
        axes = _subscripts(len(self.factors))
        terms = ",".join(f"{a}z" for a in axes)
        return einsum(f"z,{terms}->{axes}", self.weights, *self.factors)


@dataclasses.dataclass(frozen=True)
class TuckerModel:
    """A core times a matrix along each axis."""

    core: Array
    factors: list[Array]
    relative_error: float

    def reconstruct(self) -> Array:
        axes = _subscripts(len(self.factors))
        inner = string.ascii_uppercase[: len(axes)]
        terms = ",".join(f"{a}{b}" for a, b in zip(axes, inner))
        return einsum(f"{inner},{terms}->{axes}", self.core, *self.factors)


@dataclasses.dataclass(frozen=True)
class TensorTrain:
    """Cores [bond before, extent, bond after], whose products are the elements."""

    cores: list[Array]
    relative_error: float

    @property
    def ranks(self) -> list[int]:
        return [c.shape[0] for c in self.cores] + [1]

    def reconstruct(self) -> Array:
        axes = _subscripts(len(self.cores))
        bonds = string.ascii_uppercase[: len(axes) + 1]
        terms = ",".join(f"{bonds[i]}{a}{bonds[i + 1]}" for i, a in enumerate(axes))
        return einsum(f"{terms}->{axes}", *self.cores)


def cp(x: ArrayLike, rank: int, *, iterations: int = 100, tolerance: float = 1e-6,
       nonnegative: bool = False, start: str = "random", seed: int = 0,
       progress: Progress | None = None, workers: int | None = None) -> CpModel:  # fmt: skip
    """The CP decomposition of x by alternating least squares.

    progress(iteration, relative_error) is called after each sweep; False ends the iteration.
    """
    return CpModel(*_papilio.cp(x, rank, iterations, tolerance, nonnegative, start, seed, progress,
                                workers))  # fmt: skip


def tucker(x: ArrayLike, ranks: Sequence[int] | None = None, *, tolerance: float | None = None,
           iterations: int = 0, progress: Progress | None = None,
           workers: int | None = None) -> TuckerModel:  # fmt: skip
    """The Tucker decomposition, by ranks or to a relative error; iterations of HOOI where above 0."""
    ranks = [] if ranks is None else list(ranks)
    return TuckerModel(*_papilio.tucker(x, ranks, tolerance, iterations, progress, workers))


def tt(x: ArrayLike, ranks: int | Sequence[int] | None = None, *, tolerance: float | None = None,
       workers: int | None = None) -> TensorTrain:  # fmt: skip
    """The tensor train, by the ranks of its bonds (one for all, or each) or to a relative error."""
    ranks = [] if ranks is None else [ranks] if isinstance(ranks, int) else list(ranks)
    return TensorTrain(*_papilio.tt(x, ranks, tolerance, workers))
