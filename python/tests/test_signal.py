import pathlib

import numpy as np
import pytest
import scipy.signal as reference

import papilio
import papilio.signal as signal
from conftest import relative_error
from papilio.signal import librosa, scipy

# Vectors that librosa, scipy and torch made (tests/signal/reference).
DATA = pathlib.Path(__file__).parents[2] / "tests" / "signal" / "data"


def stored(name):
    values = np.load(DATA / f"{name}.npy")
    is_complex = values.ndim == 3 and values.shape[-1] == 2
    return values[..., 0] + 1j * values[..., 1] if is_complex else values


@pytest.fixture
def x():
    return stored("stft_signal")


def test_stft_is_that_of_librosa(x):
    small = dict(n_fft=64, hop_length=16)
    for name, options in [("default", {}), ("small", small),
                          ("reflect", dict(small, pad_mode="reflect")),
                          ("edge", dict(small, pad_mode="edge")),
                          ("uncentred", dict(n_fft=64, hop_length=24, center=False)),
                          ("short_window", dict(small, win_length=41)),
                          ("odd", dict(n_fft=63, hop_length=20, window="blackmanharris"))]:
        part = x if name == "default" else x[:300]
        assert relative_error(librosa.stft(part, **options), stored(f"stft_librosa_{name}")) < 1e-14
    spectra = stored("stft_librosa_masked")
    assert relative_error(librosa.istft(spectra, n_fft=64, hop_length=16),
                          stored("stft_librosa_istft")) < 1e-13
    assert relative_error(librosa.istft(spectra, n_fft=64, hop_length=16, length=300),
                          stored("stft_librosa_istft_length")) < 1e-13


def test_stft_is_that_of_torch(x):
    for name, options in [("default", dict(n_fft=256, window="boxcar")),
                          ("hann", dict(n_fft=64, hop=16)),
                          ("short_window", dict(n_fft=64, hop=16, window_length=40)),
                          ("uncentred", dict(n_fft=64, hop=20, center=False)),
                          ("two_sided", dict(n_fft=64, hop=16, sides="two"))]:
        got = signal.stft(x if name == "default" else x[:300], padding="reflect", **options)
        assert relative_error(got.T, stored(f"stft_torch_{name}")) < 1e-14
    got = signal.stft(x[:300], 64, 16, padding="reflect", scaling="orthonormal")
    assert relative_error(got.T, stored("stft_torchaudio_window")) < 1e-14
    spectra = stored("stft_torch_masked").T
    assert relative_error(signal.istft(spectra, hop=16, length=300), stored("stft_torch_istft")) < 1e-13


def test_stft_is_that_of_scipy(rng):
    x = rng.standard_normal((2, 1000, 3))
    for options in ({}, dict(nperseg=100, noverlap=30), dict(boundary="even"),
                    dict(boundary=None, padded=False), dict(nperseg=64, scaling="psd", fs=8000),
                    dict(window=("kaiser", 8.6), nperseg=45), dict(return_onesided=False)):
        for axis in (1, -2):
            expected = reference.stft(x, axis=axis, **options)
            for got, wanted in zip(scipy.stft(x, axis=axis, **options), expected):
                assert relative_error(got, wanted) < 1e-14
    f, t, z = reference.stft(x[0, :, 0], 8000)
    for got, wanted in zip(scipy.istft(z, 8000), reference.istft(z, 8000)):
        assert relative_error(got, wanted) < 1e-13


def test_densities_are_those_of_scipy(rng):
    x = rng.standard_normal((2, 2000))
    for options in ({}, dict(nperseg=200, noverlap=50, nfft=512), dict(detrend="linear"),
                    dict(detrend=False), dict(average="median"), dict(scaling="spectrum"),
                    dict(return_onesided=False), dict(fs=44100.0, window="flattop")):
        for got, wanted in zip(scipy.welch(x, **options), reference.welch(x, **options)):
            assert relative_error(got, wanted) < 1e-13
    for got, wanted in zip(scipy.periodogram(x, 8000), reference.periodogram(x, 8000)):
        assert relative_error(got, wanted) < 1e-13
    f, p = signal.welch(x.astype(np.float32), 8000, segment_length=128)
    assert p.dtype == np.float32 and p.shape == (2, 65) and f[-1] == 4000


def test_the_inverse_gives_the_signal_back(rng):
    x = rng.standard_normal((2, 3, 3000)).astype(np.float32)
    spectra = signal.stft(x, 512, 128)
    assert spectra.shape == (2, 3, 24, 257) and spectra.dtype == np.complex64
    y = signal.istft(spectra, hop=128, length=2944)
    assert y.dtype == np.float32 and relative_error(y, x[..., :2944]) < 1e-6


def test_results_of_a_plan(rng):
    x = rng.standard_normal((2, 2000))[:, ::2]
    plan = signal.StftPlan(256, 64, ("kaiser", 5.0), padding="edge")
    spectra = plan.execute(x, workers=2)
    assert spectra.shape == (2, plan.segments(1000), plan.bins)
    assert relative_error(plan.execute(x, "magnitude"), abs(spectra)) < 1e-14
    assert relative_error(plan.execute(x, "power"), abs(spectra) ** 2) < 1e-14
    assert relative_error(plan.window, reference.get_window(("kaiser", 5.0), 256)) < 1e-14
    weights = rng.random(200)
    assert relative_error(signal.stft(x, 256, window=weights),
                          signal.StftPlan(256, window=weights).execute(x)) == 0
    assert signal.stft(x[:, :0]).shape == (2, 0, 1025)
    for call in (lambda: signal.stft(x, 0), lambda: signal.stft(x, 64, 0),
                 lambda: signal.stft(x, window="unknown"), lambda: plan.execute(x, "phase"),
                 lambda: signal.stft(x, padding="mirror"), lambda: signal.stft(1.0)):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        plan.execute(x + 1j)
    with pytest.raises(TypeError):
        signal.stft(x, no_such_option=1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_stream_gives_what_the_plan_gives(rng, dtype):
    x = rng.standard_normal((5000, 2)).astype(dtype)
    stream = papilio.StftStream(2, dtype, n_fft=400, hop=100, padding="reflect")
    parts = [stream.push(block) for block in np.array_split(x, 13)] + [stream.finish()]
    whole = signal.stft(x.T, 400, 100, padding="reflect")
    assert np.array_equal(np.concatenate(parts), np.moveaxis(whole, 0, 1))
    assert stream.segments == whole.shape[1]
    with pytest.raises(ValueError):
        stream.push(x)
    stream.reset()
    with pytest.raises(ValueError):
        stream.push(x[:, :1])


def test_features_are_those_of_librosa():
    x = stored("features_signal").astype(np.float64)
    assert relative_error(librosa.melspectrogram(y=x).T, stored("mel_spectrogram")) < 1e-6
    assert relative_error(librosa.mfcc(y=x).T, stored("mfcc_librosa")) < 1e-6
    assert relative_error(librosa.mfcc(y=x, n_mfcc=13, lifter=22).T, stored("mfcc_lifter")) < 1e-6


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_streams_there_and_back(rng, dtype):
    x = rng.standard_normal((3000, 2)).astype(dtype)
    there = papilio.StftStream(2, dtype, n_fft=256, hop=64)
    back = papilio.IstftStream(2, dtype, n_fft=256, hop=64)
    parts = [back.push(there.push(block)) for block in np.array_split(x, 9)]
    parts += [back.push(there.finish()), back.finish(2990)]
    assert relative_error(np.concatenate(parts), x[:2990]) < 4 * np.finfo(dtype).eps
    assert back.position == 2990
    back.reset()
    with pytest.raises(ValueError, match="float32 or float64"):
        papilio.StftStream(dtype=np.int16)
    with pytest.raises(ValueError, match="segments, channels, bins"):
        back.push(np.zeros((2, 129), complex))


def test_mel_bands_and_cepstra(rng):
    assert relative_error(librosa.mel(sr=22050, n_fft=2048), signal.MelFilterbank(22050, 2048).dense()
                          .astype(np.float32)) == 0
    x = rng.standard_normal(22050)
    power = signal.stft(x, 2048, 512, result="power")
    bank = signal.MelFilterbank(22050, 2048, bands=40, scale="htk", norm=None)
    assert bank.bands == 40 and len(bank.edges_hz) == 42
    assert relative_error(bank.apply(power), power @ bank.dense().T) < 1e-13
    got = librosa.melspectrogram(y=x, sr=22050, n_mels=40, htk=True, norm=None)
    assert relative_error(got, bank.apply(power).T) < 1e-13
    mel = librosa.melspectrogram(y=x)
    levels = librosa.power_to_db(mel)
    expected = reference_dct(levels)[:20]
    assert relative_error(librosa.mfcc(y=x), expected) < 1e-12
    assert relative_error(librosa.mfcc(S=levels), expected) < 1e-12
    assert relative_error(signal.mfcc(x, 22050, n_fft=2048, hop=512).T, expected) < 1e-12


def reference_dct(x):
    import scipy.fft

    return scipy.fft.dct(x, axis=0, norm="ortho")


def test_levels():
    values = stored("decibel_values")
    assert relative_error(librosa.power_to_db(values), stored("decibel_power")) < 1e-14
    assert relative_error(librosa.power_to_db(values, ref=np.max, top_db=30),
                          stored("decibel_power_to_largest")) < 1e-14
    got = librosa.amplitude_to_db(values, ref=0.5, amin=1e-2, top_db=None)
    assert relative_error(got, stored("decibel_amplitude")) < 1e-14


def test_features(rng):
    x = rng.standard_normal(8000)
    s = signal.stft(x, 512, 128, result="magnitude")
    f = np.arange(257) * 8000 / 512
    centroid = (s * f).sum(-1) / s.sum(-1)
    assert relative_error(signal.spectral_centroid(s, 8000 / 512), centroid) < 1e-13
    width = np.sqrt((s * (f - centroid[:, None]) ** 2).sum(-1) / s.sum(-1))
    assert relative_error(signal.spectral_bandwidth(s, 8000 / 512), width) < 1e-13
    reached = np.cumsum(s, -1) >= 0.85 * s.sum(-1, keepdims=True)
    assert relative_error(signal.spectral_rolloff(s, 8000 / 512), f[reached.argmax(-1)]) == 0
    flat = np.exp(np.log(s**2).mean(-1)) / (s**2).mean(-1)
    assert relative_error(signal.spectral_flatness(s), flat) < 1e-12
    got = librosa.spectral_centroid(y=x, sr=8000, n_fft=512, hop_length=128)
    assert relative_error(got[0], centroid) < 1e-13


def test_convolutions_are_those_of_scipy(rng):
    pairs = [((30, 20), (7, 5)), ((100,), (31,)), ((4, 50), (1, 9)), ((5, 6, 7), (2, 6, 3))]
    for left, right in pairs:
        for kind in (float, complex):
            a = rng.standard_normal(left).astype(kind)
            b = rng.standard_normal(right).astype(kind)
            for mode in ("full", "same", "valid"):
                expected = reference.fftconvolve(a, b, mode)
                assert relative_error(signal.fftconvolve(a, b, mode), expected) < 1e-13
    with pytest.raises(ValueError):
        signal.fftconvolve(a, b, "other")


def test_noise_goes(rng):
    noise = rng.standard_normal(40000) * 0.01
    tone = np.sin(np.arange(40000) * 0.3)
    spectra = signal.stft(noise + tone, 512, 128)
    power = signal.noise_profile(signal.stft(noise, 512, 128))
    cleaned = signal.istft(signal.spectral_gate(spectra, power), hop=128, length=39936)
    before = np.linalg.norm(noise[:39936])
    assert np.linalg.norm(cleaned - tone[:39936]) < 0.5 * before
    assert power.shape == (257,) and signal.noise_profile(spectra, 0.2).shape == (257,)


def test_windows_and_peaks():
    for name in ("hann", "hamming", "blackman", "nuttall", "flattop", "boxcar"):
        for symmetric in (False, True):
            expected = reference.get_window(name, 37, not symmetric)
            assert relative_error(signal.window(name, 37, symmetric), expected) < 1e-14
    assert relative_error(signal.window("tukey:0.3", 20), reference.get_window(("tukey", 0.3), 20)) < 1e-14
    x = np.sin(np.arange(4096) * 2 * np.pi * 440.25 / 8000)
    power = signal.stft(x, 4096, center=False, scaling="dbfs", result="power")[0]
    [(hz, level)] = signal.find_peaks(power, 8000, 4096, count=1)
    assert abs(hz - 440.25) < 0.01 and abs(level - 1) < 0.01
