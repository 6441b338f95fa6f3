import numpy as np
import pytest
import scipy.signal as reference

import papilio
import papilio.signal as signal
from conftest import relative_error, stored
from papilio.signal import librosa, scipy


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


MEMORY = [
    ("stft", lambda x: signal.stft(x, 64)), ("welch", lambda x: signal.welch(x, segment_length=50)[1]),
    ("periodogram", lambda x: signal.periodogram(x)[1]), ("czt", lambda x: signal.czt(x, 7)),
    ("mel_spectrogram", lambda x: signal.mel_spectrogram(x, 8000, 64, bands=5)),
    ("mfcc", lambda x: signal.mfcc(x, 8000, n_fft=64, bands=9, coefficients=4)),
    ("to_decibel", signal.to_decibel), ("spectral_centroid", lambda x: signal.spectral_centroid(x, 2.0)),
    ("spectral_flatness", signal.spectral_flatness), ("segment_rms", lambda x: signal.segment_rms(x, 30, 10)),
    ("zero_crossings", lambda x: signal.segment_zero_crossing_rate(x, 30, 10)),
    ("noise_profile", signal.noise_profile), ("fftconvolve", lambda x: signal.fftconvolve(x, x)),
    ("oaconvolve", lambda x: signal.oaconvolve(x, x[..., :3], axes=-1)),
    ("apply_mask", lambda x: signal.apply_mask(x, x)), ("hz_to_mel", signal.hz_to_mel),
    ("scipy.stft", lambda x: scipy.stft(x, nperseg=32)[2]),
    ("scipy.spectrogram", lambda x: scipy.spectrogram(x, nperseg=32)[2]),
    ("librosa.stft", lambda x: librosa.stft(x, n_fft=64)),
]  # fmt: skip


@pytest.mark.parametrize("function", [f for _, f in MEMORY], ids=[name for name, _ in MEMORY])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_memory(rng, function, dtype):
    x = abs(rng.standard_normal((2, 3, 101))).astype(dtype)
    expected = function(x)
    raw = np.zeros(x.nbytes + 1, np.uint8)
    unaligned = np.frombuffer(raw.data, dtype, x.size, 1).reshape(x.shape)
    raw[1:] = np.frombuffer(x.tobytes(), np.uint8)
    read_only = x.copy()
    read_only.flags.writeable = False
    fields = np.zeros(x.shape, [("a", np.int8), ("v", dtype)])
    fields["v"] = x

    class mine(np.ndarray):
        pass

    reversed_x = np.ascontiguousarray(x[:, ::-1, ::-1])[:, ::-1, ::-1]
    for y in (np.asfortranarray(x), np.ascontiguousarray(x.T).T, reversed_x, np.repeat(x, 2, axis=2)[..., ::2],
              np.ascontiguousarray(x.swapaxes(0, 1)).swapaxes(0, 1), x.astype(x.dtype.newbyteorder()),
              unaligned, read_only, fields["v"], x.view(mine)):  # fmt: skip
        got = function(y)
        assert type(got) is np.ndarray and got.dtype == expected.dtype
        assert np.array_equal(got, expected)


def test_tensors_of_other_libraries_are_taken(rng):
    class tensor:
        def __init__(self, x):
            self.__dlpack__, self.__dlpack_device__ = x.__dlpack__, x.__dlpack_device__

    x = rng.standard_normal((2, 500))
    for f in (lambda x: signal.stft(x, 64), lambda x: signal.czt(x, 5), lambda x: signal.periodogram(x)[1],
              lambda x: scipy.stft(x)[2], lambda x: scipy.welch(x)[1], lambda x: librosa.rms(y=x),
              lambda x: signal.oaconvolve(x, x), lambda x: papilio.fft.dctn(x), lambda x: papilio.fft.hfftn(x)):  # fmt: skip
        assert np.array_equal(f(tensor(x)), f(x))


def test_shapes_at_the_edge():
    for empty in (np.zeros((0, 100)), np.zeros((2, 0))):
        assert signal.stft(empty, 64).shape[0] == len(empty)
        assert signal.segment_rms(empty, 30).shape[0] == len(empty)
        assert signal.to_decibel(empty).shape == empty.shape
        assert signal.apply_mask(empty, empty).shape == empty.shape
        assert signal.hz_to_mel(empty).shape == empty.shape
    assert signal.welch(np.zeros((0, 300)))[1].shape == (0, 129)
    assert signal.czt(np.zeros((0, 5)), 3).shape == (0, 3)
    for call in (lambda x: signal.stft(x), lambda x: signal.welch(x), signal.segment_rms,
                 signal.spectral_flatness, lambda x: signal.spectral_gate(x + 0j, x)):  # fmt: skip
        with pytest.raises(ValueError, match="at least [12] ax[ei]s"):
            call(np.float64(1))
    with pytest.raises(ValueError):
        signal.welch(np.zeros((2, 0)))


def test_a_plan_is_used_by_many_threads(rng):
    from concurrent.futures import ThreadPoolExecutor

    plan, x = signal.StftPlan(256, 64), rng.standard_normal((4, 20000))
    one = plan.execute(x)
    with ThreadPoolExecutor(8) as pool:
        assert all(np.array_equal(s, one) for s in pool.map(lambda _: plan.execute(x, workers=2), range(16)))
