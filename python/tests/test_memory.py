"""What calls take of memory beyond their operands and results: an operand that is copied shows."""

import numpy as np
import pytest

import papilio
import papilio.fft as fft
import papilio.signal as signal

OPERAND = 64 << 20  # bytes


def peak_of(call):
    """Bytes by which the memory in use rises at most during the call."""
    try:
        with open("/proc/self/clear_refs", "w") as f:
            f.write("5")  # forget the highest so far
    except OSError:
        pytest.skip("the highest use of memory cannot be reset here")
    before = status("VmRSS")
    call()
    return status("VmHWM") - before


def status(name):
    with open("/proc/self/status") as f:
        [line] = [line for line in f if line.startswith(name + ":")]
    return 1024 * int(line.split()[1])


def filled(shape, dtype):
    x = np.empty(shape, dtype)
    x.fill(0.5)
    return x


def layouts(dtype, n=1024):
    """Arrays [lines, n] of OPERAND bytes, from views that step through memory in every way."""
    lines = OPERAND // (n * np.dtype(dtype).itemsize)
    yield "rows", filled((lines, n), dtype)
    yield "backwards", filled((lines, n), dtype)[::-1, ::-1]
    yield "every second", filled((lines, 2 * n), dtype)[:, ::2]
    yield "transposed", filled((n, lines), dtype).T
    read_only = filled((lines, n), dtype)
    read_only.flags.writeable = False
    yield "read-only", read_only
    yield "dlpack", tensor(filled((lines, n), dtype))


class tensor:
    """What exchanges its memory by DLPack alone."""

    def __init__(self, x):
        self.x = x
        self.__dlpack__, self.__dlpack_device__ = x.__dlpack__, x.__dlpack_device__

    @property
    def shape(self):
        return self.x.shape


LAYOUTS = ["rows", "backwards", "every second", "transposed", "read-only", "dlpack"]
ENOUGH = OPERAND // 8


def test_a_copy_is_seen():
    [x] = [x for name, x in layouts(np.complex64) if name == "rows"]
    out = filled(x.shape, np.complex64)
    assert peak_of(lambda: fft.fft(x.copy(), out=out)) > 0.9 * OPERAND


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name, dtype", [("fft", np.complex64), ("ifft", np.complex128),
                                         ("rfft", np.float32), ("irfft", np.complex64)])  # fmt: skip
def test_transforms_read_where_it_is(layout, name, dtype):
    [x] = [x for given, x in layouts(dtype) if given == layout]
    transform = getattr(fft, name)
    small = transform(np.zeros(x.shape[1], dtype))
    out = filled((x.shape[0], small.size), small.dtype)
    assert peak_of(lambda: transform(x, out=out)) < ENOUGH
    columns = filled((small.size, x.shape[0]), small.dtype).T
    assert peak_of(lambda: transform(x, out=columns)) < ENOUGH


@pytest.mark.parametrize("layout", LAYOUTS)
def test_signals_are_read_where_they_are(layout):
    [x] = [x for given, x in layouts(np.float32, 1 << 16) if given == layout]
    result = x.shape[0] * (1 << 16) // 1024 * 9 * 8  # of the short-time transforms
    plan = signal.StftPlan(16, 1024)
    for call, size in [
        (lambda: plan.execute(x), result), (lambda: plan.execute(x, "power"), result // 2),
        (lambda: signal.welch(x), 0), (lambda: signal.segment_rms(x), 0),
        (lambda: signal.spectral_centroid(x, 1.0), 0), (lambda: signal.spectral_flatness(x), 0),
    ]:  # fmt: skip
        assert peak_of(call) < size + ENOUGH


def test_axes_that_are_not_one_step_apart():
    x = filled((16, 1 << 16, 16), np.float32).swapaxes(1, 2)  # [16, 16, samples]
    assert peak_of(lambda: signal.welch(x)) < ENOUGH
    assert peak_of(lambda: signal.scipy.welch(x.swapaxes(1, 2), axis=1)) < ENOUGH


def test_masks_and_bands():
    spectra = filled((1 << 13, 1024), np.complex64)
    for mask in (np.ones(1024), np.float32(2), np.ones((1 << 13, 1))):
        assert peak_of(lambda: signal.apply_mask(spectra[::-1, ::-1], mask, spectra[::-1, ::-1])) < ENOUGH
    power = filled((1 << 14, 1025), np.float32)
    bank = signal.MelFilterbank(22050, 2048, 8)
    for view in (power, power[::-1]):
        assert peak_of(lambda: bank.apply(view)) < ENOUGH


def test_files_are_written_and_drawn_from_where_samples_are(tmp_path):
    x = filled((2, OPERAND // 8), np.float32)
    for view in (x, x[:, ::-1], np.ascontiguousarray(x.T).T):
        assert peak_of(lambda: papilio.write(tmp_path / "x.wav", view, 8000)) < ENOUGH
    assert peak_of(lambda: papilio.spectrogram_picture(x, 8000)) < 2 * ENOUGH


def test_tensors_are_read_where_they_are():
    matrix, few = filled((4096, 4096), np.float32), filled((4096, 8), np.float32)
    for view in (matrix, matrix.T, matrix[::-1, ::-1]):
        assert peak_of(lambda: papilio.einsum("ij,jk->ik", view, few)) < ENOUGH
    block = filled((64, 64, 64, 64), np.float32)
    for call in (lambda: papilio.cp(block, 2, iterations=2), lambda: papilio.tucker(block, (2,) * 4),
                 lambda: papilio.tt(block, 2)):  # fmt: skip
        assert peak_of(call) < 2 * ENOUGH
