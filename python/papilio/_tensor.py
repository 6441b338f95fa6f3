"""Contractions and decompositions of arrays."""

from __future__ import annotations

import dataclasses
import string
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from . import _papilio
from ._arrays import ON_DEVICE, Array, Compared, as_array
from ._calls import integer, public

if TYPE_CHECKING:
    from .device import Device

if not hasattr(_papilio, "einsum"):
    raise ImportError("this build of papilio has no tensors (PAPILIO_TENSOR=OFF)")

Progress: TypeAlias = Callable[[int, float], bool | None]
Path: TypeAlias = Sequence[Any]

_ELLIPSIS = -1  # among the library's numbers


def _labels(sublist: Any) -> list[int]:
    if isinstance(sublist, str) or not hasattr(sublist, "__iter__"):
        raise TypeError(f"einsum: a sublist of integers must follow each operand, got {sublist!r}")
    return [_ELLIPSIS if v is Ellipsis else integer("einsum", "a label", v, 0) for v in sublist]


def _expression(subscripts: Any, operands: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Subscripts and operands of einsum("ij,jk", a, b), or of einsum(a, [0, 1], b, [1, 2], [0, 2])."""
    if isinstance(subscripts, str):
        return subscripts, list(operands)
    operands = [subscripts, *operands]
    if len(operands) < 2:
        raise TypeError("einsum: subscripts must be text, or a sublist of integers must follow each operand")
    pairs, output = len(operands) // 2, None
    if len(operands) % 2:
        output = _labels(operands[-1])
    inputs = [_labels(operands[2 * i + 1]) for i in range(pairs)]
    return (inputs, output), operands[: 2 * pairs : 2]


def _pairs(path: Path | None, count: int) -> list[tuple[int, int]] | None:
    """A path as pairs; steps of one, three and more operands as numpy.einsum_path has them."""
    if path is None:
        return None
    if isinstance(path, str) or not hasattr(path, "__iter__"):
        raise TypeError(f"einsum: path must be a list of steps, got {path!r}; search= chooses how one is found")
    steps = list(path)
    if steps and isinstance(steps[0], str) and steps[0] == "einsum_path":
        del steps[0]
    theirs, ours, pairs = list(range(count)), list(range(count)), []
    for step in steps:
        if isinstance(step, str) or not hasattr(step, "__iter__"):
            raise TypeError(f"einsum: a step of path must be a tuple of operands, got {step!r}")
        at = [integer("einsum", "an operand of path", i, 0) for i in step]
        if not at or len(set(at)) != len(at) or max(at) >= len(theirs):
            raise ValueError(f"einsum: step {step!r} of path must name distinct ones of {len(theirs)} operands")
        made, *rest = (theirs[i] for i in at)
        theirs = [v for i, v in enumerate(theirs) if i not in at]
        for other in rest:
            pairs.append((ours.index(made), ours.index(other)))
            ours = [v for v in ours if v not in (made, other)]
            made = count + len(pairs)
            ours.append(made)
        theirs.append(made)
    return pairs


def einsum(subscripts: str | ArrayLike, *operands: Any, path: Path | None = None,
           search: str = "auto", workers: int | None = None,
           on: Device | None = None) -> Array:  # fmt: skip
    """The sum of products that the subscripts say, in the cheapest order found.

    Parameters:
        subscripts: "ij,jk->ik", or numpy's other form, einsum(a, [0, 1], b, [1, 2], [0, 2]).
        operands: arrays; integers and long doubles are summed in double. All of them may be
            DeviceArrays, with subscripts that are text.
        path: operands of each step, as contract_path and numpy.einsum_path give them.
        search: how a path is found, "auto", "optimal", "greedy" or "random_greedy".
        workers: threads; None: those of papilio.fft.set_workers.
        on: a papilio.device.Device to run on, in float; None: the host.

    Returns:
        An array, or a number where no labels are left.

    Raises:
        ValueError: where subscripts and shapes do not fit.

    Example:
        >>> a, b, c = np.ones((2, 3)), np.ones((3, 4)), np.ones((4, 5))
        >>> papilio.einsum("ij,jk,kl->il", a, b, c)[0, 0]
        np.float64(12.0)
    """
    written, arrays = _expression(subscripts, operands)
    result = _papilio.einsum(written, arrays, _pairs(path, len(arrays)), search, workers, on)
    return result if result.ndim else result[()]


def einsum_vjp(subscripts: str, gradient: ArrayLike, *operands: ArrayLike, path: Path | None = None,
               search: str = "auto", workers: int | None = None,
               on: Device | None = None) -> list[Array]:  # fmt: skip
    """The gradients of a real loss by the operands of an einsum, from that by its result.

    The gradient by a complex number is dL/dRe + i dL/dIm, as in torch.autograd; that by a real
    operand is real.

    Parameters:
        subscripts: of the einsum, "ij,jk->ik".
        gradient: dL/dresult, in the result's shape.
        operands: arrays of the einsum. All of them and the gradient may be DeviceArrays.
        path: operands of each step, as in einsum.
        search: how a path is found, as in einsum.
        workers: threads; None: those of papilio.fft.set_workers.
        on: a papilio.device.Device to run on, in float; None: the host.

    Returns:
        A list of arrays, in the shapes of the operands.

    Raises:
        ValueError: where subscripts and shapes do not fit.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> a, b = np.ones((2, 3)), np.full((3, 4), 2.0)
        >>> by_a, by_b = papilio.einsum_vjp("ij,jk->ik", np.ones((2, 4)), a, b)
        >>> float(by_a[0, 0]), float(by_b[0, 0])
        (8.0, 2.0)
    """
    if not isinstance(subscripts, str):
        raise TypeError(f"einsum_vjp: subscripts must be text, got {type(subscripts).__name__}")
    found = _papilio.einsum_vjp(subscripts, gradient, list(operands), _pairs(path, len(operands)), search, workers, on)
    if isinstance(gradient, ON_DEVICE):
        return found
    return [g if np.iscomplexobj(x) else g.real for g, x in zip(found, operands)]


def contract_path(subscripts: str | ArrayLike | tuple[int, ...], *operands: Any,
                  search: str = "auto", seconds: float = 1.0, seed: int = 0,
                  ) -> dict[str, Any]:  # fmt: skip
    """An order of pairwise contractions, and what it costs.

    Parameters:
        subscripts: in the forms of einsum.
        operands: arrays, or their shapes.
        search: "auto", "optimal", "greedy" or "random_greedy".
        seconds: that "random_greedy" may take.
        seed: of "random_greedy".

    Returns:
        A dict of path, flops, largest (elements of the largest intermediate) and others.

    Raises:
        ValueError: where subscripts and shapes do not fit.

    Example:
        >>> papilio.contract_path("ij,jk,kl->il", (2, 300), (300, 300), (300, 5))["path"]
        [(0, 1), (0, 1)]
    """
    written, arrays = _expression(subscripts, operands)
    shapes = [list(x) if isinstance(x, tuple) else list(as_array(x).shape) for x in arrays]
    return _papilio.contract_path(written, shapes, search, seconds, seed)


def _subscripts(order: int) -> str:
    if order > 24:
        raise ValueError(f"an array of {order} axes cannot be put together here, 24 at most")
    return string.ascii_lowercase[:order]


@dataclasses.dataclass(frozen=True, eq=False)
class CpModel(Compared):
    """A CP decomposition: the sum over r of weights[r] factors[0][i, r] factors[1][j, r] ...

    Parameters:
        weights: [rank].
        factors: an array [extent, rank] of each axis.
        relative_error: Euclidean, of what reconstruct() gives.
        history: that error after each sweep.
        converged: whether it changed by less than the tolerance at last.

    Example:
        >>> x = np.einsum("i,j,k->ijk", *np.arange(1.0, 10).reshape(3, 3))
        >>> model = papilio.cp(x, 1)
        >>> bool(np.allclose(model.reconstruct(), x))
        True
    """

    weights: Array
    factors: list[Array]
    relative_error: float
    history: list[float]
    converged: bool

    def reconstruct(self) -> Array:
        """The array that the model stands for."""
        axes = _subscripts(len(self.factors))
        terms = ",".join(f"{a}z" for a in axes)
        return einsum(f"z,{terms}->{axes}", self.weights, *self.factors)


@dataclasses.dataclass(frozen=True, eq=False)
class TuckerModel(Compared):
    """A Tucker decomposition: a core times a matrix along each axis.

    Parameters:
        core: [ranks].
        factors: an array [extent, rank] of each axis.
        relative_error: Euclidean, of what reconstruct() gives.

    Example:
        >>> model = papilio.tucker(np.ones((4, 5, 6)), 1)
        >>> model.core.shape, bool(np.allclose(model.reconstruct(), 1))
        ((1, 1, 1), True)
    """

    core: Array
    factors: list[Array]
    relative_error: float

    def reconstruct(self) -> Array:
        """The array that the model stands for."""
        axes = _subscripts(len(self.factors))
        inner = string.ascii_uppercase[: len(axes)]
        terms = ",".join(f"{a}{b}" for a, b in zip(axes, inner))
        return einsum(f"{inner},{terms}->{axes}", self.core, *self.factors)


@dataclasses.dataclass(frozen=True, eq=False)
class TensorTrain(Compared):
    """A tensor train: cores, whose products are the elements.

    Parameters:
        cores: an array [bond before, extent, bond after] of each axis.
        relative_error: Euclidean, of what reconstruct() gives.

    Example:
        >>> train = papilio.tt(np.ones((4, 5, 6)), tolerance=1e-9)
        >>> train.ranks
        [1, 1, 1, 1]
    """

    cores: list[Array]
    relative_error: float

    @property
    def ranks(self) -> list[int]:
        """Extents of the bonds, 1 at both ends."""
        return [c.shape[0] for c in self.cores] + [1]

    def reconstruct(self) -> Array:
        """The array that the train stands for."""
        axes = _subscripts(len(self.cores))
        bonds = string.ascii_uppercase[: len(axes) + 1]
        terms = ",".join(f"{bonds[i]}{a}{bonds[i + 1]}" for i, a in enumerate(axes))
        return einsum(f"{terms}->{axes}", *self.cores)


def cp(x: ArrayLike, rank: int, *, iterations: int = 100, tolerance: float = 1e-6,
       nonnegative: bool = False, start: str = "random", seed: int = 0,
       mask: ArrayLike | None = None, progress: Progress | None = None,
       workers: int | None = None, on: Device | None = None) -> CpModel:  # fmt: skip
    """The CP decomposition of x by alternating least squares.

    Parameters:
        x: an array of two axes or more.
        rank: terms of the sum.
        iterations: sweeps at most.
        tolerance: change of the relative error that ends them.
        nonnegative: whether weights and factors are 0 or above.
        start: "random" or "svd".
        seed: of "random".
        mask: in the shape of x, False (or 0) where an element is missing; it is not read then.
        progress: called with (iteration, relative error) after each sweep; False ends them.
        workers: threads; None: those of papilio.fft.set_workers.
        on: a papilio.device.Device to run on, in float; None: the host.

    Returns:
        A CpModel.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.cp(np.ones((4, 5, 6)), 1).relative_error < 1e-9
        True
    """
    known = None if mask is None else as_array(mask).astype(bool)
    if known is not None and known.shape != np.shape(x):
        raise ValueError(f"cp: mask must have the shape of x, {np.shape(x)}, got {known.shape}")
    return CpModel(*_papilio.cp(x, integer("cp", "rank", rank, 1), iterations, tolerance, nonnegative,
                                start, seed, known, progress, workers, on))  # fmt: skip


def _ranks(function: str, ranks: int | Sequence[int] | None, count: int) -> list[int]:
    """Ranks, each given or one for all."""
    if ranks is None:
        return []
    if np.ndim(ranks) == 0:
        return [integer(function, "ranks", ranks, 1)] * count
    return [integer(function, "ranks", r, 1) for r in ranks]  # type: ignore[union-attr]


def tucker(x: ArrayLike, ranks: int | Sequence[int] | None = None, *,
           tolerance: float | None = None, iterations: int = 0, progress: Progress | None = None,
           workers: int | None = None, on: Device | None = None) -> TuckerModel:  # fmt: skip
    """The Tucker decomposition of x, by ranks or to a relative error.

    Parameters:
        x: an array of two axes or more.
        ranks: of each axis, or one for all, which shorter axes cut to their extents.
        tolerance: relative error to stay below, instead of ranks.
        iterations: sweeps of HOOI after the first decomposition.
        progress: called with (iteration, relative error) after each sweep; False ends them.
        workers: threads; None: those of papilio.fft.set_workers.
        on: a papilio.device.Device to run on, in float; None: the host.

    Returns:
        A TuckerModel.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.tucker(np.ones((4, 5, 6)), (2, 2, 1)).core.shape
        (2, 2, 1)
    """
    x = as_array(x)
    of_axes = _ranks("tucker", ranks, x.ndim)
    if np.ndim(ranks) == 0:  # type: ignore[arg-type]
        of_axes = [min(rank, extent) for rank, extent in zip(of_axes, x.shape)]
    return TuckerModel(*_papilio.tucker(x, of_axes, tolerance, iterations, progress, workers, on))


def tt(x: ArrayLike, ranks: int | Sequence[int] | None = None, *, tolerance: float | None = None,
       workers: int | None = None, on: Device | None = None) -> TensorTrain:  # fmt: skip
    """The tensor train of x, by the ranks of its bonds or to a relative error.

    Parameters:
        x: an array of two axes or more.
        ranks: of each bond, or one for all.
        tolerance: relative error to stay below, instead of ranks.
        workers: threads; None: those of papilio.fft.set_workers.
        on: a papilio.device.Device to run on, in float; None: the host.

    Returns:
        A TensorTrain.

    Raises:
        ValueError, TypeError: for options out of their range.

    Example:
        >>> papilio.tt(np.ones((4, 5, 6)), 1).relative_error < 1e-9
        True
    """
    return TensorTrain(*_papilio.tt(x, _ranks("tt", ranks, 1), tolerance, workers, on))


public(globals(), {"max_iterations": "iterations", "max_ranks": "ranks"})
