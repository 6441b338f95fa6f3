"""MP2 of molecules that psi4 computed (tests/chem/data), and against sums in numpy."""

import json
import pathlib

import numpy as np
import pytest

import papilio
from conftest import relative_error

DATA = pathlib.Path(__file__).parents[2] / "tests" / "chem" / "data"


def molecule(name):
    arrays = {f.stem: np.load(f) for f in (DATA / name).glob("*.npy")}
    return arrays, json.loads((DATA / name / "manifest.json").read_text())


def closed(name):
    arrays, m = molecule(name)
    return arrays["B_iaQ"], arrays["eps"][: m["nocc"]], arrays["eps"][m["nocc"] :], m


def open_shell():
    arrays, m = molecule("oh_ccpvdz_uhf")
    spins = [(arrays[f"B{s}_iaQ"], arrays[f"eps_{s}"][: m[f"nocc_{s}"]], arrays[f"eps_{s}"][m[f"nocc_{s}"] :])
             for s in "ab"]  # fmt: skip
    return *spins, m


@pytest.mark.parametrize("name", ["h2o_sto3g", "h2o_ccpvdz", "nh3_ccpvdz"])
def test_energies_are_those_of_psi4(name):
    b, occupied, virtual, m = closed(name)
    e = papilio.chem.mp2(b, occupied, virtual)
    expected = m["energies_hartree"]
    # psi4's integrals and ours agree to 1e-12.
    assert e.opposite_spin == pytest.approx(expected["E_corr_opposite_spin"], abs=1e-9)
    assert e.same_spin == pytest.approx(expected["E_corr_same_spin"], abs=1e-9)
    assert e.scs == pytest.approx(m["scs_mp2_corr"], abs=1e-9)
    assert e.sos == pytest.approx(m["sos_mp2_corr"], abs=1e-9)
    assert e.alpha_alpha == e.beta_beta and e.correlation == e.opposite_spin + e.same_spin
    frozen = papilio.chem.mp2(b, occupied, virtual, frozen_core=m["n_core_orbitals_if_frozen"])
    assert frozen.correlation == pytest.approx(m["E_corr_frozen_core_numpy"], abs=1e-9)
    assert papilio.chem.mp2(b, occupied, virtual, workers=2, memory_bytes=1 << 24) == e


def test_an_open_shell_is_that_of_psi4():
    alpha, beta, m = open_shell()
    e = papilio.chem.mp2(*alpha, beta=beta)
    expected = m["energies_hartree"]
    assert e.opposite_spin == pytest.approx(expected["E_corr_opposite_spin"], abs=1e-9)
    assert e.alpha_alpha == pytest.approx(expected["E_aa"], abs=1e-9)
    assert e.beta_beta == pytest.approx(expected["E_bb"], abs=1e-9)


def test_integrals_of_molecular_orbitals():
    arrays, m = molecule("h2o_sto3g")
    occ, vir = arrays["C"][:, : m["nocc"]], arrays["C"][:, m["nocc"] :]
    eri, metric = arrays["AO_mnQ"], arrays["metric_PQ"]
    b = papilio.chem.ao_to_mo(eri, occ, vir, metric=metric)
    values, vectors = np.linalg.eigh(metric)
    root = vectors / np.sqrt(values) @ vectors.T
    expected = np.einsum("mi,na,mnP,PQ->iaQ", occ, vir, eri, root, optimize=True)
    # The root has the condition number's root, 500, times double's errors.
    assert relative_error(b, expected) < 1e-10
    assert relative_error(papilio.chem.inverse_square_root(metric), root) < 1e-9
    rows = eri[np.tril_indices(7)]
    assert relative_error(papilio.chem.ao_to_mo(rows, occ, vir, metric=metric), b) < 1e-12
    e = papilio.chem.mp2(b, arrays["eps"][:5], arrays["eps"][5:])
    assert e.correlation == pytest.approx(m["energies_hartree"]["E_corr"], abs=1e-9)


@pytest.mark.parametrize("frozen_core", [0, 1])
def test_gradients_are_differences_of_energies(rng, frozen_core):
    step = 1e-5  # of central differences: errors of step^2 and eps / step
    b, occupied, virtual, _ = closed("h2o_sto3g")
    way = tuple(rng.standard_normal(v.shape) for v in (b, occupied, virtual))
    by = papilio.chem.mp2_vjp(b, occupied, virtual, (1.2, 1 / 3, 1 / 3), frozen_core=frozen_core)
    ends = [papilio.chem.mp2(*(v + s * d for v, d in zip((b, occupied, virtual), way)), frozen_core=frozen_core).scs
            for s in (-step, step)]  # fmt: skip
    assert sum(np.vdot(g, d) for g, d in zip(by, way)) == pytest.approx((ends[1] - ends[0]) / (2 * step), rel=1e-6)
    assert not by.b[:frozen_core].any() and not by.eps_occupied[:frozen_core].any()
    alpha, beta, _ = open_shell()
    by = papilio.chem.mp2_vjp(*alpha, beta=beta, frozen_core=frozen_core)
    ways = [tuple(rng.standard_normal(v.shape) for v in spin) for spin in (alpha, beta)]
    moved = [[tuple(v + s * d for v, d in zip(spin, way)) for spin, way in zip((alpha, beta), ways)] for s in (-step, step)]
    ends = [papilio.chem.mp2(*a, beta=b, frozen_core=frozen_core).correlation for a, b in moved]
    slope = sum(np.vdot(g, d) for gradients, way in zip(by, ways) for g, d in zip(gradients, way))
    assert slope == pytest.approx((ends[1] - ends[0]) / (2 * step), rel=1e-6)


def test_energies_of_an_accelerator():
    trainium = pytest.importorskip("papilio.device").Device()
    b, occupied, virtual, m = closed("h2o_sto3g")
    single = b.astype(np.float32)
    expected = m["energies_hartree"]["E_corr"]
    # Float's rounding of integrals and of their sums.
    assert papilio.chem.mp2(single, occupied, virtual, on=trainium).correlation == pytest.approx(expected, rel=1e-5)
    assert trainium.last_run.launches == 1 and trainium.last_run.fetch_bytes < 100
    there = papilio.chem.mp2(trainium.array(single), occupied, virtual)
    assert there.correlation == pytest.approx(expected, rel=1e-5)
    alpha, beta, m = open_shell()
    spins = [(s[0].astype(np.float32), *s[1:]) for s in (alpha, beta)]
    expected = m["energies_hartree"]["E_corr"]
    assert papilio.chem.mp2(*spins[0], beta=spins[1], on=trainium).correlation == pytest.approx(expected, rel=1e-5)
    spins = [(trainium.array(s[0]), *s[1:]) for s in spins]
    assert papilio.chem.mp2(*spins[0], beta=spins[1]).correlation == pytest.approx(expected, rel=1e-5)
    host = papilio.chem.mp2_vjp(b, occupied, virtual)
    for got, exact in zip(papilio.chem.mp2_vjp(single, occupied, virtual, on=trainium), host):
        assert relative_error(got, exact) < 1e-5
    arrays, m = molecule("h2o_sto3g")
    c = arrays["C"].astype(np.float32)
    operands = (arrays["AO_mnQ"].astype(np.float32), c[:, :5], c[:, 5:])
    got = papilio.chem.ao_to_mo(*operands, on=trainium)
    assert got.dtype == np.float32 and relative_error(got, papilio.chem.ao_to_mo(*operands)) < 1e-5
    for call, kind, words in ((lambda: papilio.chem.mp2(b, occupied, virtual, on=trainium), papilio.DeviceError, "mp2|double"),
                              (lambda: papilio.chem.mp2(single, occupied, virtual, on="trn1"), TypeError,
                               "^mp2: on must be a papilio.device.Device, got str$"),
                              (lambda: papilio.chem.mp2_vjp(trainium.array(single), occupied, virtual), TypeError,
                               "must be an array of the host here")):  # fmt: skip
        with pytest.raises(kind, match=words):
            call()


REFUSED = [
    (lambda b, o, v: papilio.chem.mp2(b, o[1:], v), ValueError,
     "^mp2: b is 5 x 2 x 84, so eps_occupied must have 5 energies, got 4$"),
    (lambda b, o, v: papilio.chem.mp2(b[0], o, v), ValueError, "^mp2: b must have 3 axes, got 2$"),
    (lambda b, o, v: papilio.chem.mp2(b, o, v - 30), ValueError, "gap"),
    (lambda b, o, v: papilio.chem.mp2(b, o, v, frozen_core=9), ValueError, "frozen_core"),
    (lambda b, o, v: papilio.chem.mp2(b, o, v, frozen_core=-1), ValueError, "^mp2: frozen_core must be at least 0, got -1$"),
    (lambda b, o, v: papilio.chem.mp2(b, o, v, memory_bytes=1), MemoryError, "memory"),
    (lambda b, o, v: papilio.chem.mp2(b * np.nan, o, v), ValueError, "finite"),
    (lambda b, o, v: papilio.chem.mp2(b, o, v, beta=b), TypeError, "^mp2: beta must be "),
    (lambda b, o, v: papilio.chem.mp2(b, o, v, frozen=1), TypeError, "^mp2: no option 'frozen'; did you mean 'frozen_core'\\?$"),
    (lambda b, o, v: papilio.chem.mp2_vjp(b, o, v, (1, 1)), ValueError, "^mp2_vjp: gradient must be 3 numbers, got 2$"),
    (lambda b, o, v: papilio.chem.mp2(b * 1j, o, v), TypeError, "^mp2: b must be real, got complex numbers$"),
    (lambda b, o, v: papilio.chem.ao_to_mo(b, o, v), ValueError, "^ao_to_mo: c_occ must have 2 axes, got 1$"),
    (lambda b, o, v: papilio.chem.inverse_square_root([[1.0, 2.0], [2.0, 1.0]]), ValueError, "inverse_square_root"),
]  # fmt: skip


@pytest.mark.parametrize("call, kind, words", REFUSED)
def test_what_is_refused(call, kind, words):
    with pytest.raises(kind, match=words):
        call(*closed("h2o_sto3g")[:3])
