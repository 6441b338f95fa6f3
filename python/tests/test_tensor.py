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


def test_sublists_are_those_of_numpy(rng):
    a, b, c = rng.standard_normal((4, 5)), rng.standard_normal((5, 6)), rng.standard_normal((2, 4, 4))
    for call in [(a, [0, 1], b, [1, 2], [0, 2]), (a, [0, 1], b, [1, 2]), (a, [7, 3], [3, 7]),
                 (c, [Ellipsis, 0, 0], [Ellipsis]), (c, [Ellipsis, 1, 0], a, [0, 2], [Ellipsis, 2, 1]),
                 (a, (0, 1), a, [np.int64(0), 1], [])]:  # fmt: skip
        assert relative_error(papilio.einsum(*call), np.einsum(*call)) < 1e-14
    assert relative_error(papilio.einsum(a, [100, 2], b, [2, 77], [77, 100]), (a @ b).T) < 1e-14
    found = papilio.contract_path(a, [0, 1], b, [1, 2], (6, 3), [2, 3], [0, 3])
    assert found == papilio.contract_path("ab,bc,cd->ad", a, b, (6, 3)) | {"path": found["path"]}
    for call, kind, words in [((a,), TypeError, "subscripts must be text"), ((a, "ij"), TypeError, "sublist"),
                              ((a, [0, 1.5]), TypeError, "a label must be an integer, got 1.5"),
                              ((a, [0, -1]), ValueError, "a label must be at least 0"),
                              ((a, [0, 1], b), TypeError, "a label"), ((a, [0]), ValueError, "einsum"),
                              ((a, [0, 1], [0, 5]), ValueError, "label 5")]:  # fmt: skip
        with pytest.raises(kind, match=words):
            papilio.einsum(*call)


def test_paths_of_numpy(rng):
    names, shapes = "ij,jk,kl,lm,i->m", [(3, 4), (4, 5), (5, 6), (6, 7), (3,)]
    operands = [rng.standard_normal(shape) for shape in shapes]
    expected = np.einsum(names, *operands)
    for path in (np.einsum_path(names, *operands)[0], np.einsum_path(names, *operands, optimize=False)[0],
                 ["einsum_path", (0, 4), (0, 1, 2, 3)], [(0, 1, 4), (2,), (0, 1), (1, 0)],
                 [(3, 1, 0), (2, 0, 1)], papilio.contract_path(names, *operands)["path"]):  # fmt: skip
        assert relative_error(papilio.einsum(names, *operands, path=path), expected) < 1e-13
    one = np.einsum_path("ii->i", operands[0][:, :3])[0]
    assert np.array_equal(papilio.einsum("ii->i", operands[0][:, :3], path=one), operands[0].diagonal())
    for path, kind, words in [("greedy", TypeError, "list of steps"), (3, TypeError, "list of steps"),
                              ([0, 1], TypeError, "tuple of operands"), ([(0, 5)], ValueError, "of 5 operands"),
                              ([(0, 0)], ValueError, "distinct"), ([()], ValueError, "distinct"),
                              ([(0, -1)], ValueError, "at least 0"), ([(0, 1)], ValueError, "4 steps, got 1"),
                              ([(0, 1.0)], TypeError, "integer")]:  # fmt: skip
        with pytest.raises(kind, match=words):
            papilio.einsum(names, *operands, path=path)


def test_a_mask_leaves_elements_out(rng):
    factors = [rng.random((n, 2)) for n in (6, 7, 8)]
    x = np.einsum("ir,jr,kr->ijk", *factors)
    known = rng.random(x.shape) < 0.8
    for dtype, limit in ((np.float64, 1e-4), (np.float32, 1e-3)):
        holes = np.where(known, x, np.nan).astype(dtype)
        for mask in (known, known.astype(np.int8), np.asfortranarray(known), known.astype(float)):
            model = papilio.cp(holes, 2, mask=mask, iterations=1000, tolerance=1e-6)
            assert model.weights.dtype == dtype and relative_error(model.reconstruct(), x) < limit
        assert papilio.cp(holes[::-1, :, ::2], 2, mask=known[::-1, :, ::2]).relative_error < 0.1
    with pytest.raises(ValueError, match="not finite"):
        papilio.cp(holes, 2)
    for mask in (known[0], np.zeros(x.shape)):
        with pytest.raises(ValueError, match="cp: (the )?mask"):
            papilio.cp(x, 2, mask=mask)


def test_one_rank_is_that_of_all_axes(rng):
    x = rng.standard_normal((3, 4, 5))
    for two in (2, np.int64(2), np.array(2)):
        assert papilio.tucker(x, two).core.shape == (2, 2, 2)
        assert papilio.tt(x, two).ranks == [1, 2, 2, 1]
    assert papilio.tucker(x, 4).core.shape == (3, 4, 4)
    assert papilio.tucker(x, np.array([1, 2, 3])) == papilio.tucker(x, (1, 2, 3))
    assert papilio.tucker(x, 2) != papilio.tucker(x, 3) and papilio.tt(x, 2) == papilio.tt(x, [2, 2])
    assert papilio.cp(x, 2) == papilio.cp(x, 2) and papilio.cp(x, 2) != 3
    for bad in (True, 2.0, "2"):
        for function in (papilio.tucker, papilio.tt):
            with pytest.raises(TypeError, match="ranks must be an integer"):
                function(x, bad)


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
