"""The accelerator from Python: `on`, device arrays, graphs, plans."""

import dataclasses
import threading

import numpy as np
import pytest

import papilio
from conftest import relative_error

device = pytest.importorskip("papilio.device")
tensors = pytest.mark.skipif("einsum" not in papilio.__all__, reason="this build has no tensors")

# An accelerator's float: error models say some 2e-7 of transforms; sums of products have sqrt(k) eps.
CLOSE = 2e-6


@pytest.fixture(scope="module")
def trainium():
    return device.Device()


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(66).standard_normal((6, 48)).astype(np.float32)


def spectra(x):
    return papilio.fft.fft(x)[:, :25]


CALLS = {
    "fft": lambda x, on: papilio.fft.fft(x * (1 + 1j).real, 40, on=on),
    "fft of complex": lambda x, on: papilio.fft.fft(x.astype(np.complex64), axis=0, on=on),
    "ifft": lambda x, on: papilio.fft.ifft(spectra(x), norm="ortho", on=on),
    "rfft": lambda x, on: papilio.fft.rfft(x, on=on),
    "irfft": lambda x, on: papilio.fft.irfft(spectra(x), on=on),
    "hfft": lambda x, on: papilio.fft.hfft(spectra(x), 48, on=on),
    "ihfft": lambda x, on: papilio.fft.ihfft(x, on=on),
    "fft2": lambda x, on: papilio.fft.fft2(x.astype(np.complex64), on=on),
    "fftn": lambda x, on: papilio.fft.fftn(x.astype(np.complex64).reshape(2, 3, 48), axes=(0, 2), on=on),
    "fftn in several steps": lambda x, on: papilio.fft.fftn(
        x.astype(np.complex64).reshape(2, 3, 2, 2, 4, 3), axes=(0, 1, 4, 5), on=on),
    "rfftn in several steps": lambda x, on: papilio.fft.rfftn(x.reshape(2, 3, 2, 2, 4, 3), axes=(1, 0, 4), on=on),
    "rfftn": lambda x, on: papilio.fft.rfftn(x, on=on),
    "irfft2": lambda x, on: papilio.fft.irfft2(spectra(x), on=on),
    "hfftn": lambda x, on: papilio.fft.hfftn(spectra(x), on=on),
    "ihfft2": lambda x, on: papilio.fft.ihfft2(x, on=on),
    "dct": lambda x, on: papilio.fft.dct(x, on=on),
    "idst of type 3": lambda x, on: papilio.fft.idst(x, 3, norm="ortho", on=on),
    "dctn": lambda x, on: papilio.fft.dctn(x, on=on),
    "stft": lambda x, on: papilio.signal.stft(x, 16, on=on),
    "spectrogram": lambda x, on: papilio.signal.spectrogram(x, 16, on=on),
    "istft": lambda x, on: papilio.signal.istft(papilio.signal.stft(x, 16), length=48, on=on),
}
TENSORS = {
    "einsum": lambda x, on: papilio.einsum("ij,kj->ik", x, x, on=on),
    "einsum of three": lambda x, on: papilio.einsum("ij,kj,kl->il", x, x, x, on=on),
    "einsum_vjp": lambda x, on: papilio.einsum_vjp("ij,kj->ik", x[:, :6], x, x, on=on)[1],
    "cp": lambda x, on: papilio.cp(x.reshape(6, 8, 6), 2, iterations=3, start="svd", on=on).reconstruct(),
    "tucker": lambda x, on: papilio.tucker(x.reshape(6, 8, 6), 3, on=on).reconstruct(),
    "tt": lambda x, on: papilio.tt(x.reshape(6, 8, 6), 3, on=on).reconstruct(),
    "complex_linear": lambda x, on: papilio.layers.complex_linear(x, x[:2], x[0, :2], on=on),
    "complex_conv1d": lambda x, on: papilio.layers.complex_conv1d(
        x[None], x[None, :, :3] * 1j, padding="same", on=on),
    "complex_batch_norm": lambda x, on: papilio.layers.complex_batch_norm_training(
        papilio.fft.fft(x), np.eye(48, 3, dtype=np.float32), x[0], on=on),
    "complex_modrelu": lambda x, on: papilio.layers.complex_modrelu(spectra(x), -x[0, :25], on=on),
    "complex_relu": lambda x, on: papilio.layers.complex_relu(spectra(x), "zrelu", on=on),
    "complex_relu_vjp": lambda x, on: papilio.layers.complex_relu_vjp(spectra(x), spectra(x), on=on),
}  # fmt: skip


@pytest.mark.parametrize("call", [*CALLS, *(pytest.param(name, marks=tensors) for name in TENSORS)])
def test_what_runs_there_is_what_the_host_computes(trainium, x, call):
    function = (CALLS | TENSORS)[call]
    here, there = function(x, None), function(x, trainium)
    assert there.dtype == here.dtype
    assert relative_error(there, here) < (1e-4 if call in ("cp", "tucker", "tt") else CLOSE)
    run = trainium.last_run
    assert run.launches >= 1 and run.machine == "trainium1"
    assert 0 < run.device_seconds < run.seconds < 1


def test_a_run_shows_itself(x):
    trainium = device.Device("trn2")
    assert trainium.last_run is None
    papilio.fft.rfft(x, on=trainium)
    run = trainium.last_run
    assert (run.launches, run.uploads, run.fetches) == (1, 1, 1)
    assert (run.upload_bytes, run.fetch_bytes) == (x.nbytes, 6 * 25 * 8)
    parts = [getattr(run, f"{p}_seconds") for p in ("launch", "upload", "device", "link", "fetch", "compile")]
    assert run.seconds == pytest.approx(sum(parts), rel=1e-12)
    assert str(run) == repr(run) == run.text.rstrip("\n")
    assert run.recipe in run.text and "modelled" in run.text and run.text.startswith(run.operation)
    papilio.fft.rfft(x)
    assert trainium.last_run == run
    papilio.fft.rfft(x[:3], on=trainium)
    assert trainium.last_run != run
    with pytest.raises(dataclasses.FrozenInstanceError):
        run.launches = 3


def test_several_dispatches_of_a_call_are_one_run(trainium, x):
    apart = np.moveaxis(np.stack([x, x, x]).reshape(3, 2, 3, 48)[:, :, ::2], 0, 1)  # leading axes that do not join
    got = papilio.signal.stft(apart, 16, on=trainium)
    assert relative_error(got, papilio.signal.stft(apart, 16)) < CLOSE
    assert trainium.last_run.uploads == trainium.last_run.fetches > 1


@tensors
def test_cores_of_a_group_share_the_work():
    group = device.Device(cores=2)
    assert group.cores == 2 and repr(group) == "Device('trainium1', 'sdk_2_24', cores=2)"
    a = np.random.default_rng(3).standard_normal((256, 256)).astype(np.float32)
    assert relative_error(papilio.einsum("ij,jk->ik", a, a, on=group), a @ a) < CLOSE
    assert group.last_run.machine == "trainium1, 2 cores"
    assert group.profile("gemm", m=64, k=64, n=64)["machine"] == "trainium1"
    for cores, kind, words in ((0, ValueError, "cores must be at least 1, got 0"),
                               (1.5, TypeError, "cores must be an integer"), (5000, ValueError, "4096")):  # fmt: skip
        with pytest.raises(kind, match=words):
            device.Device(cores=cores)


REFUSED = [
    (lambda d, x: papilio.fft.fft(x, on="trn1"), TypeError, "^fft: on must be a papilio.device.Device, got str$"),
    (lambda d, x: papilio.signal.stft(x, 16, on=3), TypeError, "^stft: on must be a papilio.device.Device, got int$"),
    (lambda d, x: papilio.fft.rfftn(x, on=device), TypeError, "^rfftn: on must be a papilio.device.Device, got module$"),
    (lambda d, x: papilio.fft.fft(x.astype(np.float64), on=d), papilio.DeviceError, "^fft: the accelerator .* double"),
    (lambda d, x: papilio.signal.stft(x.astype(float), 16, on=d), papilio.DeviceError, "^stft: the accelerator .* double"),
    (lambda d, x: papilio.signal.stft(x, 16, sides="two", on=d), papilio.DeviceError, "stft"),
    (lambda d, x: papilio.signal.welch(x, on=d), TypeError, "^welch: no option 'on'"),
    (lambda d, x: papilio.signal.welch(d.array(x)), TypeError,
     "^welch: x must be an array of the host here, got a DeviceArray"),
    (lambda d, x: papilio.fft.dct(d.array(x), orthogonalize=True), TypeError,
     "^dct: orthogonalize must be None for a device array"),
    (lambda d, x: papilio.fft.dctn(d.array(x)), TypeError, "^dctn: x must be an array of the host here"),
    (lambda d, x: papilio.fft.fft(d.array(x), out=np.zeros((6, 48), np.complex64)), TypeError,
     "^fft: out must be None for a device array$"),
    (lambda d, x: papilio.fft.rfft(papilio.fft.fft(d.array(x))), TypeError,
     "^rfft: x must be real, got complex numbers$"),
    (lambda d, x: papilio.fft.fft(d.array(x), on=device.Device()), ValueError,
     "^fft: the operand lies on the accelerator trainium1, .* names another"),
    (lambda d, x: papilio.fft.fft(d.array(x), 0), ValueError, "^fft: "),
    (lambda d, x: papilio.signal.stft(d.array(x[None, None]), 16), ValueError, "^stft: a device array must be \\[samples\\]"),
    (lambda d, x: d.array(x.astype(np.float64)), TypeError, "^Device.array: x must be an array of float32 or complex64"),
    (lambda d, x: d.array(np.float32(3)), ValueError, "^Device.array: x must have at least 1 axis, got 0$"),
    (lambda d, x: np.asarray(d.array(x), copy=False), ValueError, "is a copy"),
]  # fmt: skip
REFUSED_TENSORS = [
    (lambda d, x: papilio.einsum("ij,kj", x, x, on=1), TypeError, "^einsum: on must be a papilio.device.Device, got int$"),
    (lambda d, x: papilio.einsum("ij,kj", x * 1.0, np.ones((2, 48)), on=d), papilio.DeviceError, "^einsum: .* double"),
    (lambda d, x: papilio.cp(x.astype(float), 2, on=d), papilio.DeviceError, "^cp: the accelerator .* double"),
    (lambda d, x: papilio.einsum("ij,kj", d.array(x), x), TypeError, "^einsum: operands must be device arrays all, or none"),
    (lambda d, x: papilio.einsum(d.array(x), [0, 1], [1, 0]), TypeError,
     "^einsum: the subscripts of device arrays must be text$"),
    (lambda d, x: papilio.layers.complex_linear(d.array(x), d.array(x)), TypeError,
     "^complex_linear: weight must be complex as a device array"),
    (lambda d, x: papilio.einsum_vjp("i->", d.array(x[0, :1] * 1j), d.array(x[0])), TypeError,
     "^einsum_vjp: device arrays must be real all, or complex all$"),
    (lambda d, x: papilio.layers.batch_statistics(d.array(x)), TypeError, "must be an array of the host"),
]  # fmt: skip


@pytest.mark.parametrize("call, kind, words", [*REFUSED, *(pytest.param(*r, marks=tensors) for r in REFUSED_TENSORS)])
def test_what_cannot_run_there_says_so(trainium, x, call, kind, words):
    with pytest.raises(kind, match=words):
        call(trainium, x)


def test_device_arrays(trainium, x):
    there = trainium.array(x)
    assert (there.shape, there.dtype, there.ndim, there.size, len(there)) == ((6, 48), np.float32, 2, 288, 6)
    assert there.device is trainium and repr(there) == "DeviceArray(float32 [6, 48], trainium1)"
    assert np.array_equal(there.numpy(), x) and np.array_equal(np.asarray(there), x)
    assert np.asarray(there, np.float64).dtype == np.float64
    assert np.array_equal(trainium.array(x[::-1, ::3]).numpy(), x[::-1, ::3])
    assert trainium.array(x * 1j).dtype == np.complex64
    for function in (papilio.fft.fft, papilio.fft.rfft, papilio.fft.ihfft, papilio.fft.rfftn, papilio.fft.fft2,
                     lambda x: papilio.fft.ifftn(papilio.fft.fft(x)),
                     lambda x: papilio.fft.irfft(papilio.fft.rfft(x, 47), 47),
                     lambda x: papilio.fft.hfft(papilio.fft.rfft(x)), lambda x: papilio.fft.irfft2(papilio.fft.rfft2(x)),
                     lambda x: papilio.fft.fft(x, 64, 0, "ortho"), papilio.fft.dct,
                     lambda x: papilio.fft.idst(x, 3, 50), lambda x: papilio.signal.stft(x, 16),
                     lambda x: papilio.signal.spectrogram(x, 16),
                     lambda x: papilio.signal.istft(papilio.signal.stft(x, 16), length=40)):  # fmt: skip
        got = function(there)
        assert isinstance(got, device.DeviceArray) and got.device is trainium
        assert relative_error(got.numpy(), function(x)) < CLOSE
    run = papilio.fft.rfft(there) and trainium.last_run
    assert (run.uploads, run.fetches, run.launches) == (0, 0, 1)
    assert relative_error(papilio.signal.stft(trainium.array(x[0]), 16).numpy(), papilio.signal.stft(x[0], 16)) < CLOSE
    del there
    kept = device.Device().array(x)  # its device lives as long as it
    assert np.array_equal(kept.numpy(), x)


@tensors
def test_tensors_and_layers_of_device_arrays(trainium, x):
    c = papilio.fft.fft(x)
    put = trainium.array
    assert relative_error(papilio.einsum("ij,kj->ik", put(x), put(x)).numpy(), x @ x.T) < CLOSE
    got = papilio.einsum("ij,kj,kl->il", put(x), put(x), put(x), path=[(0, 1), (0, 1)])
    assert relative_error(got.numpy(), x @ x.T @ x) < CLOSE
    by = papilio.einsum_vjp("ij,kj->ik", put(x[:, :6]), put(x), put(x))
    for got, host in zip(by, papilio.einsum_vjp("ij,kj->ik", x[:, :6], x, x)):
        assert relative_error(got.numpy(), host) < CLOSE
    layers = papilio.layers
    for function, arrays in (
        (layers.complex_linear, (c, c[:2], c[0, :2])),
        (layers.complex_linear, (c, c[:2])),
        (layers.complex_modrelu, (c, -x[0])),
        (layers.complex_relu, (c,)),
        (layers.complex_relu_vjp, (c, c)),
        (layers.complex_conv1d, (c[None], c[None, :, :3])),
        (layers.complex_batch_norm_training, (c, np.eye(48, 3, dtype=np.float32), c[0])),
    ):
        assert relative_error(function(*map(put, arrays)).numpy(), function(*arrays)) < 10 * CLOSE
    by = layers.complex_linear_vjp(put(c), put(c[:2]), None, put(c[:, :2]))
    expected = layers.complex_linear_vjp(c, c[:2], None, c[:, :2])
    assert by[2] is None and expected[2] is None
    for got, host in zip(by[:2], expected[:2]):
        assert relative_error(got.numpy(), host) < CLOSE


def test_a_graph_is_one_dispatch(trainium, x):
    x = x.copy()

    @trainium.capture
    def graph():
        bins = papilio.fft.rfft(trainium.array(x))
        return papilio.fft.irfft(bins).numpy(), bins.numpy()

    back, bins = graph.result
    assert graph.operations == 2
    run = graph.submit()
    assert run == trainium.last_run and run.uploads == 1 and run.operation == "graph of 2 operations"
    assert relative_error(back, x) < CLOSE and relative_error(bins, np.fft.rfft(x)) < CLOSE
    x *= 3
    graph.submit()
    assert relative_error(bins, np.fft.rfft(x)) < CLOSE
    for body, kind, words in ((lambda: papilio.fft.rfft(x, on=trainium), ValueError, "must be device arrays"),
                              (lambda: None, ValueError, "captur"),
                              (lambda: trainium.capture(lambda: None), ValueError, "captur"),
                              (lambda: trainium.array(x.tolist()), TypeError, "must be a numpy.ndarray within capture"),
                              (lambda: 1 / 0, ZeroDivisionError, "zero")):  # fmt: skip
        with pytest.raises(kind, match=words):
            trainium.capture(body)
    assert np.array_equal(trainium.array(x).numpy(), x)


def test_calls_that_overlap_have_the_same_values(x):
    waiting, overlapping = device.Device("trn2", "sdk_2_32_trn2"), device.Device("trn2", "sdk_2_32_trn2")
    blocks = [x * np.float32(k) for k in range(1, 5)]
    papilio.fft.rfft(overlapping.array(x))  # tables of the program are copied once
    assert overlapping.asynchronous is False
    with overlapping.overlapped() as same:
        assert same is overlapping and overlapping.asynchronous is True
        under_way, moved = [], 0.0
        for block in blocks:
            there = overlapping.array(block)
            assert overlapping.last_run.asynchronous and overlapping.last_run.asynchronous_seconds == 0
            spectra = papilio.fft.rfft(there)
            run = overlapping.last_run
            assert run.asynchronous_seconds == pytest.approx(437e-6, rel=1e-9) and run.launch_seconds == 437e-6
            moved += run.asynchronous_seconds
            under_way.append(spectra.numpy_async())
        assert not under_way[-1].done
        run = under_way[-1].wait()
        assert (run.operation, run.fetches, run.fetch_bytes) == ("to_host_async", 1, 6 * 25 * 8)
        assert under_way[0].done and run == overlapping.last_run
        # The host submits four runs one after the other, and then waits for the last run and its copy back.
        assert run.fetch_seconds < run.asynchronous_seconds < 437e-6
        assert moved == pytest.approx(4 * 437e-6, rel=1e-9)
        assert under_way[-1].wait().asynchronous_seconds == run.asynchronous_seconds
    assert overlapping.asynchronous is False and under_way[0].done
    for block, pending in zip(blocks, under_way):
        got = papilio.fft.rfft(waiting.array(block)).numpy()
        assert np.array_equal(pending.result, got) and pending.result is pending.result
    assert waiting.last_run.asynchronous is False and waiting.last_run.asynchronous_seconds == 0
    overlapping.asynchronous = True
    y = papilio.fft.rfft(overlapping.array(x))
    assert np.array_equal(y.numpy(), papilio.fft.rfft(waiting.array(x)).numpy())
    overlapping.synchronize()


def test_graphs_are_submitted_without_waiting(x):
    on, x = device.Device("trn2", "sdk_2_32_trn2"), x.copy()
    graph = on.capture(lambda: papilio.fft.rfft(on.array(x)).numpy())
    once = graph.submit()
    expected = graph.result.copy()
    graph.result[...] = 0
    with graph.submit_async() as first:
        second = graph.submit_async()
        assert not second.done
    assert first.done and np.array_equal(graph.result, expected) and first.result is graph.result
    run = second.wait()
    assert run.operation == once.operation and run.device_seconds == once.device_seconds
    assert run.asynchronous and not once.asynchronous
    del graph
    assert np.array_equal(second.result, expected)


def test_calls_that_overlap_fail_where_they_are_waited_for(trainium, x, tmp_path):
    small = tmp_path / "small.json"
    small.write_text('{"based_on": "trainium2", "name": "small", "hbm": {"usable_bytes_per_core": 40000000}}')
    on = device.Device(str(small), "sdk_2_32_trn2")
    line = np.ones(1 << 20, np.complex64)
    there = on.array(line)
    held = [on.array(line) for _ in range(2)]  # with this a long line has no room for what it keeps between
    with pytest.raises(papilio.DeviceError, match="bytes"), on.overlapped():
        papilio.fft.fft(there)
    assert on.asynchronous is False
    with pytest.raises(ZeroDivisionError), on.overlapped():
        1 / 0  # noqa: B018
    assert np.array_equal(held[0].numpy(), line)
    none = "the runtime sdk_2_24 has no asynchronous calls"
    for call in (lambda: trainium.array(x).numpy_async(), lambda: trainium.overlapped().__enter__(),
                 lambda: setattr(trainium, "asynchronous", True),
                 lambda: trainium.capture(lambda: papilio.fft.rfft(trainium.array(x)).numpy()).submit_async()):  # fmt: skip
        with pytest.raises(papilio.DeviceError, match=none):
            call()
    with pytest.raises(ValueError, match="inside capture\\(\\) nothing begins: to_host"):
        trainium.capture(lambda: papilio.fft.rfft(trainium.array(x)).numpy_async())


def test_threads_share_a_device(trainium, x):
    failed = []

    def work(scale):
        try:
            y = papilio.fft.rfft(trainium.array(x * np.float32(scale)), on=trainium)
            assert relative_error(y.numpy(), np.fft.rfft(scale * x)) < CLOSE
        except Exception as e:
            failed.append(e)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed


def test_plans_compare_host_and_device():
    plan = papilio.plan("fft 128 x 1024")
    assert plan.choice == "host" and plan.host["refusal"] == plan.device["refusal"] == ""
    assert 0 < plan.host_seconds < plan.device_seconds < 1
    assert plan.device["floor_seconds"] < plan.device["device_seconds"]
    parts = [plan.device[f"{p}_seconds"] for p in ("upload", "launch", "device", "link", "fetch")]
    assert plan.device_seconds == pytest.approx(sum(parts))
    assert plan.situations[0]["faster"] == "host"
    assert len(plan.situations) == len(plan.crossover["turns"]) == 4
    assert plan.crossover["parameter"] == "lines of 1024 points" and plan.crossover["size"] == 128
    lines = str(plan).splitlines()
    assert plan.operation == "fft of 128x1024 in float along axis 1" and lines[0].startswith(f"{plan.operation}:")
    assert any("verdict" in line for line in lines)
    assert plan.device["recipe"].splitlines()[0] in str(plan) and "modelled" in str(plan)
    assert papilio.plan("gemm 256x256x256", "trn2", cores=2).device["machine"] == "trainium2, 2 cores"
    double = papilio.plan("fft 64", type="float64")
    assert double.device_seconds is None and double.device["refusal"] and double.choice == "host"
    for arguments, kind, words in ((("fftt 3",), ValueError, "^plan: there is no such operation\n  fftt 3\n  \\^"),
                                   (("fft",), ValueError, "^plan: a whole number is expected"),
                                   (("stft 1000", "trn1", "sdk_2_24"), None, ""),
                                   (("fft 8", "trn9"), OSError, "trn9")):  # fmt: skip
        if kind is None:
            assert papilio.plan(*arguments).device_seconds > 0
        else:
            with pytest.raises(kind, match=words):
                papilio.plan(*arguments)
    with pytest.raises(ValueError, match="^plan: type must be float32, float64 or longdouble, got half$"):
        papilio.plan("fft 8", type="half")
    with pytest.raises(ValueError, match="^plan: stft is compared in float$"):
        papilio.plan("stft 1000", type="float64")
