import signal
import threading

import numpy as np
import pytest

import papilio
from conftest import relative_error


@pytest.mark.parametrize("subscripts", ["ij,jk->ik", "ij,jk,kl", "bij,bjk->bik", "ii->i", "ij->",
                                        "ij,ij->", "i,j->ij", "...i,i->...", "ijk->kij"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_einsum_is_that_of_numpy(rng, subscripts, dtype):
    inputs = subscripts.split("->")[0].split(",")
    sizes = dict(zip("ijklb", (4, 4, 5, 6, 3)))
    if "ii" not in subscripts:
        sizes["i"] = 7
    operands = []
    for labels in inputs:
        shape = [sizes[c] for c in labels.replace("...", "kl")] if "..." in labels else [
            sizes[c] for c in labels]
        operands.append(rng.standard_normal(shape).astype(dtype))
    got = papilio.einsum(subscripts, *operands)
    assert got.dtype == dtype
    wide = [x.astype(np.result_type(x, np.float64)) for x in operands]
    assert relative_error(got, np.einsum(subscripts, *wide)) < 40 * np.finfo(dtype).eps


def test_operands_of_einsum(rng):
    a, b = rng.standard_normal((6, 8)), rng.standard_normal((8, 4))
    expected = a @ b
    assert relative_error(papilio.einsum("ij,jk->ik", a.T.copy().T, b[::-1][::-1]), expected) < 1e-14
    mixed = papilio.einsum("ij,jk->ik", a.astype(np.float32), b + 1j)
    assert mixed.dtype == np.complex128
    assert papilio.einsum("i,i->", [1, 2], [3, 4]) == 11
    path = papilio.contract_path("ij,jk,kl->il", a, b, (4, 9))
    assert len(path["path"]) == 2 and path["flops"] > 0
    c = rng.standard_normal((4, 9))
    assert relative_error(papilio.einsum("ij,jk,kl->il", a, b, c, path=path["path"]), a @ b @ c) < 1e-14
    for call in (lambda: papilio.einsum("ij,jk->ik", a, a), lambda: papilio.einsum("i!", a),
                 lambda: papilio.einsum("ij"), lambda: papilio.einsum("ij", a, search="best")):
        with pytest.raises(ValueError):
            call()


def test_decompositions(rng):
    factors = [rng.random((n, 3)) for n in (10, 11, 12)]
    x = np.einsum("ir,jr,kr->ijk", *factors)
    cp = papilio.cp(x, 3, iterations=2000, tolerance=1e-10)
    assert cp.relative_error < 1e-3 and relative_error(cp.reconstruct(), x) < 1e-3
    assert all(np.all(f >= 0) for f in papilio.cp(x, 3, nonnegative=True).factors)
    tucker = papilio.tucker(x, (3, 3, 3), iterations=3)
    assert tucker.core.shape == (3, 3, 3) and relative_error(tucker.reconstruct(), x) < 1e-12
    train = papilio.tt(x, tolerance=1e-9)
    assert train.ranks == [1, 3, 3, 1] and relative_error(train.reconstruct(), x) < 1e-8
    assert papilio.tucker(x.astype(np.float32), tolerance=1e-3).core.dtype == np.float32
    for call in (lambda: papilio.cp(x, 0), lambda: papilio.tucker(x), lambda: papilio.tt(x[0, 0]),
                 lambda: papilio.cp(x, 2, start="good"), lambda: papilio.tucker(x, (3, 3))):
        with pytest.raises(ValueError):
            call()


def test_an_iteration_is_watched_and_ended(rng):
    x = rng.random((8, 9, 10))
    seen = []
    model = papilio.cp(x, 4, tolerance=0, progress=lambda i, e: (seen.append(i), i < 3)[1])
    assert seen == [1, 2, 3] and len(model.history) == 3
    with pytest.raises(ZeroDivisionError):
        papilio.cp(x, 4, progress=lambda i, e: 1 / 0)


def test_ctrl_c_ends_an_iteration(rng):
    x = rng.random((40, 40, 40))
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        papilio.cp(x, 20, iterations=10**7, tolerance=0)
    timer.join()
