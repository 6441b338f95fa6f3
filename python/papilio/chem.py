"""Density-fitted MP2: correlation energies, their gradients, and the integrals that they take.

    mp2  mp2_vjp         the energy of a closed or an open shell, and its gradients
    ao_to_mo             integrals over molecular orbitals from those over atomic ones
    inverse_square_root  of a metric
    Mp2Energies  Mp2Gradients

Float32 is computed in float, all else in double; energies are sums in double. Units are those of
the orbital energies: hartree, where these and the integrals are in atomic units.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from numpy.typing import ArrayLike

from . import _papilio
from ._arrays import Array, Reals
from ._calls import integer, public

if TYPE_CHECKING:
    from .device import Device

if not hasattr(_papilio, "mp2"):
    raise ImportError("this build of papilio has no tensors (PAPILIO_TENSOR=OFF)")

__all__ = ["Mp2Energies", "Mp2Gradients", "ao_to_mo", "inverse_square_root", "mp2", "mp2_vjp"]

Orbitals: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike]


class Mp2Energies(NamedTuple):
    """The MP2 correlation energy by pairs of spins, each negative, or 0 without pairs.

    alpha_alpha and beta_beta are of pairs of one spin, for a closed shell half of the sum same_spin
    each; correlation is opposite_spin + same_spin, scs the spin-component scaled
    6/5 opposite_spin + 1/3 same_spin, and sos the scaled opposite-spin 1.3 opposite_spin.

    Example:
        >>> b = np.full((1, 1, 1), 0.3)
        >>> papilio.chem.mp2(b, [-1.0], [0.5]).same_spin
        0.0
    """

    opposite_spin: float
    alpha_alpha: float
    beta_beta: float
    same_spin: float
    correlation: float
    scs: float
    sos: float


class Mp2Gradients(NamedTuple):
    """The gradients of a real loss by what mp2 takes of one spin, in the shapes of these.

    b is by the integrals [nocc, nvir, naux], eps_occupied [nocc] and eps_virtual [nvir] by the orbital
    energies, in double.

    Example:
        >>> b = np.full((1, 1, 1), 0.3)
        >>> papilio.chem.mp2_vjp(b, [-1.0], [0.5]).b.shape
        (1, 1, 1)
    """

    b: Array
    eps_occupied: Reals
    eps_virtual: Reals


def _spins(function: str, alpha: Orbitals, beta: Orbitals | None) -> list[Orbitals]:
    if beta is None:
        return [alpha]
    if not isinstance(beta, (tuple, list)) or len(beta) != 3:
        raise TypeError(f"{function}: beta must be (b, eps_occupied, eps_virtual) of the other spin")
    return [alpha, (beta[0], beta[1], beta[2])]


def mp2(b: ArrayLike, eps_occupied: ArrayLike, eps_virtual: ArrayLike, *,
        beta: Orbitals | None = None, frozen_core: int = 0, memory_bytes: int | None = None,
        workers: int | None = None, on: Device | None = None) -> Mp2Energies:  # fmt: skip
    """The second-order Møller-Plesset energy from density-fitted integrals of canonical orbitals.

    With (ia|jb) = sum_Q b[i, a, Q] b[j, b, Q] and D = eps_a + eps_b - eps_i - eps_j, a closed shell
    has the opposite-spin energy -sum (ia|jb)^2 / D and the same-spin one
    -sum (ia|jb) [(ia|jb) - (ib|ja)] / D; an open shell has those of its spin orbitals, without
    single excitations. O(nocc^2 nvir^2 naux) operations.

    Parameters:
        b: integrals [nocc, nvir, naux], as ao_to_mo returns them, or a DeviceArray of them; of the
            alpha spin of an open shell.
        eps_occupied: energies of the occupied orbitals, [nocc], all below the virtual ones.
        eps_virtual: energies of the virtual orbitals, [nvir].
        beta: (b, eps_occupied, eps_virtual) of the other spin; None: a closed shell.
        frozen_core: occupied orbitals of each spin, the first ones, that are left out.
        memory_bytes: bound on work memory; None: none.
        workers: threads; None: those of papilio.fft.set_workers.
        on: a papilio.device.Device to run on, in float; None: the host.

    Returns:
        Mp2Energies.

    Raises:
        ValueError: where shapes do not fit, numbers are not finite, or the gap is not positive.
        MemoryError: where memory_bytes is less than one block.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> b = np.random.default_rng(1).standard_normal((3, 5, 20)) / 10
        >>> e = papilio.chem.mp2(b, [-2.0, -1.0, -0.5], [0.2, 0.4, 0.7, 1.1, 1.5], frozen_core=1)
        >>> e.correlation == e.opposite_spin + e.same_spin
        True
    """
    spins = _spins("mp2", (b, eps_occupied, eps_virtual), beta)
    bound = None if memory_bytes is None else integer("mp2", "memory_bytes", memory_bytes, 0)
    core = integer("mp2", "frozen_core", frozen_core, 0)
    return Mp2Energies(*_papilio.mp2(spins, core, bound, workers, on))


def mp2_vjp(b: ArrayLike, eps_occupied: ArrayLike, eps_virtual: ArrayLike,
            gradient: Sequence[float] = (1.0, 1.0, 1.0), *, beta: Orbitals | None = None,
            frozen_core: int = 0, workers: int | None = None,
            on: Device | None = None) -> Mp2Gradients | tuple[Mp2Gradients, Mp2Gradients]:  # fmt: skip
    """The gradients of a real loss by integrals and orbital energies, from those by the energies.

    Parameters:
        b: integrals [nocc, nvir, naux], as in mp2.
        eps_occupied: energies of the occupied orbitals, [nocc].
        eps_virtual: energies of the virtual orbitals, [nvir].
        gradient: by opposite_spin, alpha_alpha and beta_beta; (1, 1, 1) for the correlation energy,
            (1.2, 1 / 3, 1 / 3) for the spin-component scaled one.
        beta: (b, eps_occupied, eps_virtual) of the other spin; None: a closed shell.
        frozen_core: as in mp2; frozen orbitals have gradients of 0.
        workers: threads; None: those of papilio.fft.set_workers.
        on: a papilio.device.Device to run on, in float; None: the host.

    Returns:
        Mp2Gradients; with beta a tuple of those of both spins.

    Raises:
        ValueError: as mp2.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> b = np.full((1, 1, 1), 0.3)
        >>> g = papilio.chem.mp2_vjp(b, [-1.0], [0.5])
        >>> bool(np.isclose(g.b[0, 0, 0], -4 * 0.3**3 / 3))
        True
    """
    spins = _spins("mp2_vjp", (b, eps_occupied, eps_virtual), beta)
    if len(gradient) != 3:
        raise ValueError(f"mp2_vjp: gradient must be 3 numbers, got {len(gradient)}")
    core = integer("mp2_vjp", "frozen_core", frozen_core, 0)
    by: tuple[Any, ...] = tuple(float(g) for g in gradient)
    found = [Mp2Gradients(*g) for g in _papilio.mp2_vjp(spins, by, core, workers, on)]
    return found[0] if beta is None else (found[0], found[1])


def ao_to_mo(eri: ArrayLike, c_occ: ArrayLike, c_vir: ArrayLike, *, metric: ArrayLike | None = None,
             memory_bytes: int | None = None, workers: int | None = None,
             on: Device | None = None) -> Array:  # fmt: skip
    """Density-fitted integrals over molecular orbitals from those over atomic orbitals.

    B[i, a, Q] = sum over m, n, P of c_occ[m, i] c_vir[n, a] (mn|P) (P|Q)^(-1/2).

    Parameters:
        eri: (mn|P) as [nbf, nbf, naux], or the rows m >= n of a symmetric one,
            [nbf (nbf + 1) / 2, naux].
        c_occ: coefficients of the occupied orbitals, [nbf, nocc].
        c_vir: coefficients of the virtual orbitals, [nbf, nvir].
        metric: (P|Q) [naux, naux], symmetric and positive definite; None: the identity.
        memory_bytes: bound on work memory; None: none.
        workers: threads; None: those of papilio.fft.set_workers.
        on: a papilio.device.Device to run on, in float; None: the host.

    Returns:
        Array [nocc, nvir, naux].

    Raises:
        ValueError: where shapes do not fit, numbers are not finite, or the metric is not positive.
        MemoryError: where memory_bytes is less than one block.
        DeviceError: where `on` cannot do it, as in double.

    Example:
        >>> c = np.linalg.qr(np.arange(9.0).reshape(3, 3) + np.eye(3))[0]
        >>> papilio.chem.ao_to_mo(np.ones((3, 3, 4)), c[:, :1], c[:, 1:], metric=np.eye(4)).shape
        (1, 2, 4)
    """
    bound = None if memory_bytes is None else integer("ao_to_mo", "memory_bytes", memory_bytes, 0)
    return _papilio.ao_to_mo(eri, c_occ, c_vir, metric, bound, workers, on)


def inverse_square_root(v: ArrayLike) -> Reals:
    """The symmetric V^(-1/2) of a symmetric positive definite matrix, in double.

    Parameters:
        v: [n, n].

    Returns:
        Array [n, n].

    Raises:
        ValueError: where v is not square, not symmetric or not positive definite.

    Example:
        >>> papilio.chem.inverse_square_root([[4.0, 0.0], [0.0, 1.0]]).round(12)
        array([[0.5, 0. ],
               [0. , 1. ]])
    """
    return _papilio.inverse_square_root(v)


public(globals())
