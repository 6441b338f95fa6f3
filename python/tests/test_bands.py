import pickle

import numpy as np
import pytest
import scipy.signal as reference

import papilio
import papilio.signal as signal
from conftest import relative_error, stored
from papilio.signal import librosa


def test_deltas_are_those_of_librosa_along_any_axis(rng):
    rows, expected = stored("deltas_rows"), stored("deltas").reshape(6, 20, 3)
    cases = [(9, 1, "interp"), (5, 2, "interp"), (7, 3, "mirror"), (9, 1, "nearest"), (9, 2, "constant"),
             (9, 1, "wrap")]  # fmt: skip
    for (width, order, mode), row in zip(cases, expected):
        for x, axis in ((rows, 0), (rows.T, 1), (rows.T[None], -1)):
            got = librosa.delta(x, width=width, order=order, mode=mode, axis=axis)
            assert got.shape == x.shape
            assert relative_error(got.reshape(20, 3) if axis == 0 else got.reshape(3, 20).T, row) < 1e-13
    x = rng.standard_normal((2, 30, 4))
    assert relative_error(signal.delta(x, 7, 2), reference.savgol_filter(x, 7, 2, deriv=2, axis=1)) < 1e-12
    assert librosa.delta(np.arange(20.0)).tolist() == pytest.approx([1] * 20)
    assert signal.delta(x.astype(np.float32)).dtype == np.float32


def test_contrast_and_pcen_are_those_of_librosa():
    x = stored("features_signal").astype(np.float64)
    assert relative_error(librosa.spectral_contrast(y=x), stored("contrast").T) < 1e-11
    options = dict(n_bands=4, fmin=150, quantile=0.1, linear=True)
    assert relative_error(librosa.spectral_contrast(y=x, **options), stored("contrast_linear").T) < 1e-11
    bands, expected = stored("pcen_bands").T, stored("pcen").reshape(5, 13, 20)
    cases = [{}, dict(gain=0.8, bias=0, power=0.3), dict(power=0, time_constant=0.06),
             dict(bias=10, power=0.25, max_size=4), dict(b=0.1, eps=1e-3, max_size=3)]  # fmt: skip
    for options, row in zip(cases, expected):
        assert relative_error(librosa.pcen(bands, **options), row.T) < 1e-12
    both = np.stack([bands.T, 2 * bands.T])
    assert np.array_equal(signal.pcen(both, 22050)[1], signal.pcen(2 * bands.T, 22050))


def test_gammatone_bands_are_those_of_scipy():
    bank = signal.AuditoryFilterbank(16000, 256, bands=6)
    expected = stored("gammatone")
    assert np.abs(bank.dense() - expected[:, :-1]).max() < 1e-12
    assert relative_error(np.array(bank.edges_hz[1:-1]), expected[:, -1]) < 1e-12
    power = np.random.default_rng(1).random((2, 5, 129))
    assert relative_error(bank.apply(power), power @ bank.dense().T) < 1e-13
    again = pickle.loads(pickle.dumps(bank))
    assert np.array_equal(again.dense(), bank.dense())
    assert signal.AuditoryFilterbank(44100, 128, 40, "triangle").empty_bands
    hz = np.array([0, 50, 1000, 22050.0])
    assert signal.erb_number_to_hz(signal.hz_to_erb_number(hz)) == pytest.approx(hz)


@pytest.mark.parametrize("window", ["sine", "kaiser_bessel_derived", "vorbis"])
def test_mdct_reconstructs(rng, window):
    x = rng.standard_normal((2, 1000))
    for norm in (None, "ortho", "forward"):
        frames = signal.mdct(x, 64, window, norm=norm)
        assert frames.shape == (2, 17, 64)
        assert np.abs(signal.imdct(frames, window, norm=norm, length=1000) - x).max() < 1e-14
        forward = signal.MdctStream(64, window, norm=norm, dtype=float)
        back = signal.ImdctStream(64, window, norm=norm, dtype=float)
        parts = [forward.push(block) for block in np.split(x[1], [1, 100, 700])] + [forward.finish()]
        assert np.array_equal(np.concatenate(parts), frames[1])
        samples = np.concatenate([back.push(part) for part in parts])
        assert np.array_equal(samples, signal.imdct(frames[1], window, norm=norm))
    assert np.abs((signal.mdct(x, 64, window, norm="ortho") ** 2).sum() - (x**2).sum()) < 1e-10
    n, k = np.arange(128), np.arange(64)[:, None]
    matrix = signal.mdct_window(window, 64) * np.cos(np.pi / 64 * (n + 32.5) * (k + 0.5))
    assert relative_error(signal.mdct(x, 64, window)[0, 1], matrix @ x[0, :128]) < 1e-13


def test_streams_have_the_bits_of_the_whole(rng):
    rows = rng.random((40, 5))
    deltas, levels = signal.DeltaStream(5, dtype=float), signal.PcenStream(5, 8000, 80, dtype=float)
    for _ in range(2):
        parts = np.split(rows, [1, 2, 13])
        assert np.array_equal(np.concatenate([deltas.push(p) for p in parts] + [deltas.finish()]),
                              signal.delta(rows))  # fmt: skip
        assert np.array_equal(np.concatenate([levels.push(p) for p in parts]), signal.pcen(rows, 8000, 80))
        deltas.reset()
        levels.reset()


@pytest.mark.parametrize("call, words", [
    (lambda: signal.delta(np.ones((8, 2))), "delta: x must be at least the width 9 .* got 8"),
    (lambda: signal.delta(np.ones((20, 2)), 4), "delta: width must be odd, .* got 4"),
    (lambda: signal.delta(np.ones((20, 2)), edges="reflect"), "delta: edges must be one of .* got reflect"),
    (lambda: librosa.delta(np.ones((2, 20)), mode="reflect"), "mode must be one of .*'reflect'"),
    (lambda: signal.delta(np.ones(3)), "delta: x must have at least 2 axes, got 1"),
    (lambda: signal.pcen(np.ones((3, 4)), 0), "pcen: rate must be finite and above 0, got 0"),
    (lambda: signal.pcen(np.ones((3, 4)), 8000, time_constant=0), "pcen: time_constant must .* got 0"),
    (lambda: librosa.pcen(np.ones((3, 4)), eps=0), "pcen: eps must be finite and above 0, got 0"),
    (lambda: signal.spectral_contrast(np.ones((3, 5)), 44100, 8, 6), "spectral_contrast: n_fft must be so large"),
    (lambda: signal.spectral_contrast(np.ones((3, 1025)), 8000, 2048), "spectral_contrast: fmin must be below"),
    (lambda: signal.spectral_contrast(np.ones((3, 5)), 44100, 2048), "spectral_contrast: magnitude must be 3 x 1025"),
    (lambda: signal.AuditoryFilterbank(44100, 1024, shape="mel"), "shape must be one of gammatone, triangle"),
    (lambda: signal.AuditoryFilterbank(80, 1024), "AuditoryFilterbank: fmin must be at least 0 and below"),
    (lambda: signal.mdct(np.ones(100), 7), "mdct: n must be even, .* got 7"),
    (lambda: signal.mdct(np.ones(100), 8, "hann"), "mdct: window must be one of sine"),
    (lambda: signal.imdct(np.ones((3, 8)), length=17), "imdct: length must be at most 16 samples"),
    (lambda: signal.DeltaStream(3, edges="wrap"), "DeltaStream: edges must not be wrap"),
    (lambda: signal.MdctStream(8, dtype=int), "dtype must be float32 or float64"),
])  # fmt: skip
def test_errors_name_the_argument(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_complex_numbers_are_refused():
    for call in (signal.delta, signal.mdct, lambda x: signal.pcen(x, 8000), signal.imdct):
        with pytest.raises(TypeError, match="must be real"):
            call(np.ones((20, 2), complex))
    assert signal.mdct(np.ones(0), 8).shape == (0, 8)
    assert papilio.signal.imdct(np.ones((0, 8))).shape == (0,)
