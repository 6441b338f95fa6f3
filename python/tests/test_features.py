import gc

import numpy as np
import pytest
import scipy.signal as reference

import papilio
import papilio.signal as signal
from conftest import relative_error, resident_bytes, stored
from papilio.signal import librosa, scipy


def test_features_of_segments_are_those_of_librosa():
    x = stored("features_signal")
    small = dict(frame_length=1001, hop_length=700, center=False)
    centred, uncentred = stored("features_segments"), stored("features_uncentred")
    spectrum = librosa.stft(x.astype(np.float64), hop_length=512)
    for got, row in [
        (librosa.rms(S=abs(spectrum), dtype=np.float64), centred[6]),
        (librosa.rms(y=x, dtype=np.float64), centred[7]),
        (librosa.zero_crossing_rate(x), centred[8]),
        (librosa.rms(y=x, dtype=np.float64, **small), uncentred[0]),
        (librosa.zero_crossing_rate(x, **small), uncentred[1]),
    ]:
        assert got.shape == (1, len(row)) and relative_error(got[0], row) < 2e-7
    assert librosa.rms(y=x.astype(float)).dtype == np.float32
    for row, name, options in [(0, "centroid", {}), (1, "bandwidth", {}), (2, "bandwidth", dict(p=3)),
                               (3, "rolloff", {}), (4, "rolloff", dict(roll_percent=0.1)),
                               (5, "flatness", {})]:  # fmt: skip
        got = getattr(librosa, f"spectral_{name}")(y=x.astype(np.float64), **options)
        assert relative_error(got[0], centred[row]) < 1e-5
    for call in (lambda: librosa.rms(y=x, pad_mode="edge"), lambda: librosa.zero_crossing_rate(x, hop_length=0),
                 lambda: librosa.zero_crossing_rate(x, threshold=-1)):  # fmt: skip
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError, match="y or S"):
        librosa.rms()


def test_an_odd_n_fft_is_not_guessed():
    x = stored("features_signal").astype(np.float64)
    odd = dict(n_fft=1023, hop_length=512)
    magnitude = abs(librosa.stft(x, **odd))
    got = [librosa.spectral_centroid(y=x, **odd), librosa.spectral_bandwidth(y=x, **odd),
           librosa.spectral_rolloff(y=x, **odd), librosa.spectral_centroid(S=magnitude),
           librosa.spectral_centroid(S=magnitude, n_fft=1023), librosa.spectral_flatness(y=x, **odd),
           librosa.rms(S=magnitude, frame_length=1023, dtype=np.float64),
           librosa.melspectrogram(y=x, n_mels=20, **odd),
           librosa.melspectrogram(S=magnitude**2, n_fft=1023, n_mels=20),
           librosa.mfcc(y=x, n_mfcc=13, **odd)]  # fmt: skip
    expected = np.split(stored("features_odd"), np.cumsum([len(part) for part in got])[:-1])
    for ours, theirs in zip(got, expected):
        assert relative_error(ours, theirs) < 1e-6
    part = librosa.stft(x[:1500], n_fft=255, hop_length=64)
    part *= np.linspace(0, 1, part.shape[0])[:, None]
    whole = librosa.istft(part, n_fft=255, hop_length=64)
    assert relative_error(whole, stored("istft_odd")) < 1e-12
    longer = librosa.istft(part, n_fft=255, hop_length=64, length=1700)
    assert relative_error(longer, stored("istft_odd_longer")) < 1e-12


@pytest.mark.parametrize("nperseg, noverlap", [(255, None), (33, 7), (7, 6), (3, 1)])
def test_odd_segments_are_those_of_scipy(rng, nperseg, noverlap):
    x = rng.standard_normal(1000)
    for options in (dict(), dict(return_onesided=False), dict(boundary="even"), dict(padded=False),
                    dict(boundary=None, window="boxcar"), dict(scaling="psd", fs=8000.0)):  # fmt: skip
        options |= dict(nperseg=nperseg, noverlap=noverlap)
        expected = reference.stft(x, **options)
        for ours, theirs in zip(scipy.stft(x, **options), expected):
            assert relative_error(ours, theirs) < 1e-13
        options["boundary"] = options.get("boundary", "zeros") is not None
        options["input_onesided"] = options.pop("return_onesided", True)
        options.pop("padded", None)
        for ours, theirs in zip(scipy.istft(expected[2], **options), reference.istft(expected[2], **options)):
            assert relative_error(ours, theirs) < 1e-12


def test_features_of_many_signals(rng):
    x = rng.standard_normal((2, 3000, 3)).swapaxes(1, 2)
    for f in (signal.segment_rms, signal.segment_zero_crossing_rate):
        each = f(x, 500, 200, workers=2)
        assert each.shape == (2, 3, 16)
        assert np.array_equal(each[1, 2], f(x[1, 2].copy(), 500, 200))
        assert f(x.astype(np.float32)).dtype == np.float32
        with pytest.raises(TypeError, match="must be real"):
            f(x + 1j)
    s = signal.stft(x, 512, 128, result="magnitude")
    windowed = np.lib.stride_tricks.sliding_window_view(np.pad(x, [(0, 0), (0, 0), (256, 256)]), 512, -1)
    windowed = windowed[:, :, ::128] * reference.get_window("hann", 512)
    assert relative_error(signal.spectral_rms(s, 512), np.sqrt((windowed**2).mean(-1))) < 1e-13


def test_mel_scales():
    hz = np.array([[0.0, 440.0], [999.0, 16000.0]])
    for htk, expected in [
        (False, np.where(hz < 1000, 3 * hz / 200, 15 + 27 * np.log(np.maximum(hz, 1) / 1000) / np.log(6.4))),
        (True, 2595 * np.log10(1 + hz / 700)),
    ]:
        mel = librosa.hz_to_mel(hz, htk=htk)
        assert relative_error(mel, expected) < 1e-14
        assert relative_error(librosa.mel_to_hz(mel, htk=htk), hz) < 1e-14
        assert relative_error(librosa.hz_to_mel(hz.T[::-1], htk=htk), expected.T[::-1]) < 1e-14
    assert signal.hz_to_mel(1000.0) == 15 and signal.mel_to_hz(15) == 1000
    with pytest.raises(ValueError, match="slaney or htk, got bark"):
        signal.hz_to_mel(1, "bark")
    assert signal.MelFilterbank(8000, 64, 40).empty_bands and signal.MelFilterbank(8000, 64, 4).bins == 33


def test_masks(rng):
    spectra = rng.standard_normal((2, 3, 4, 5)) + 1j * rng.standard_normal((2, 3, 4, 5))
    for mask in (rng.random((2, 3, 4, 5)), rng.random(5), rng.random((4, 1)), 0.5,
                 spectra[::-1, :, ::-1], rng.random((3, 5, 4)).swapaxes(1, 2)):  # fmt: skip
        for rank in (4, 3, 2, 1):
            part = spectra[(0,) * (4 - rank)]
            if np.ndim(mask) > rank:
                continue
            assert relative_error(signal.apply_mask(part, mask, workers=2), part * mask) < 1e-15
    single = spectra.astype(np.complex64)
    assert signal.apply_mask(single, np.ones(5)).dtype == np.complex64
    out = single.copy()
    assert signal.apply_mask(out, 0.5, out) is out
    assert np.array_equal(out, single * np.float32(0.5))
    with pytest.raises(ValueError):
        signal.apply_mask(spectra, np.ones(4))
    with pytest.raises(TypeError, match="out"):
        signal.apply_mask(spectra, 1.0, single)
    with pytest.raises(ValueError):
        signal.apply_mask(spectra[0, 0, 1:], 1.0, spectra[0, 0, :-1])


def test_ratio_masks(rng):
    for dtype, limit in ((np.float32, 1e-6), (np.float64, 1e-14)):
        s, n = rng.random((2, 2, 6, 5)).astype(dtype), rng.random((6, 5)).astype(dtype)
        s[0, 0, 0, 0] = n[0, 0] = 0
        share = s / np.where(s + n > 0, s + n, 1)
        for got, expected in [
            (signal.wiener_mask(s, n), share), (signal.ratio_mask(s, n, workers=2), np.sqrt(share)),
            (signal.ratio_mask(s[:, :, ::-1].swapaxes(2, 3), n[::-1].T, 2.0), share[:, :, ::-1].swapaxes(2, 3) ** 2),
        ]:  # fmt: skip
            assert got.dtype == dtype and relative_error(got, expected) < limit
        out = np.empty_like(s)
        assert signal.wiener_mask(s, n, out) is out and relative_error(out, share) < limit
        target, mixture = s[0] - 1j * s[1], s[1] + 1j * n
        mask = signal.complex_ratio_mask(target, mixture)
        assert relative_error(signal.apply_mask(mixture, mask), target) < 3 * limit
    for call in (lambda: signal.wiener_mask(target, n), lambda: signal.ratio_mask(s, mixture)):
        with pytest.raises(TypeError, match="must be real"):
            call()
    with pytest.raises(ValueError):
        signal.wiener_mask(s, n[:, :2])
    with pytest.raises(ValueError):
        signal.ratio_mask(s, n, -1.0)


def test_measures_of_windows():
    hann = signal.window("hann", 1024)
    assert relative_error(hann, scipy.get_window("hann", 1024)) == 0
    assert abs(signal.window_sum(hann) - 512) < 1e-9 and abs(signal.coherent_gain(hann) - 0.5) < 1e-12
    assert abs(signal.equivalent_noise_bandwidth(hann) - 1.5) < 1e-12
    assert abs(signal.scalloping_loss_db(hann) - 1.4236) < 1e-3
    assert abs(signal.scalloping_loss_db(hann[::-1]) - 1.4236) < 1e-3
    for name, fftbins in [("hann", True), (("kaiser", 5.0), False), (8.6, True), ("dpss:3", True)]:
        theirs = ("dpss", 3) if name == "dpss:3" else name
        expected = reference.get_window(theirs, 65, fftbins)
        assert relative_error(scipy.get_window(name, 65, fftbins), expected) < 1e-13
    with pytest.raises(ValueError):
        signal.coherent_gain([])
    with pytest.raises(ValueError, match="1 axis, got 2"):
        signal.window_sum([[1.0]])
    for bad in (3.5, ("hann",), None):
        with pytest.raises(TypeError, match="window must be"):
            signal.window(bad, 8)


def test_spectrogram_is_that_of_scipy(rng):
    x = rng.standard_normal((2, 1000, 3))
    for options in ({}, dict(nperseg=100, noverlap=30, nfft=128), dict(detrend="linear", fs=8000.0),
                    dict(detrend=False, mode="complex"), dict(detrend=False, mode="magnitude"),
                    dict(detrend=False, mode="complex", scaling="spectrum", window="hann"),
                    dict(return_onesided=False, nperseg=64), dict(scaling="spectrum"),
                    dict(nperseg=2000)):  # fmt: skip
        for axis in (1, -2):
            if options.get("nperseg") == 2000:
                theirs = dict(options, nperseg=1000)
            else:
                theirs = options
            expected = reference.spectrogram(x, axis=axis, **theirs)
            for got, wanted in zip(scipy.spectrogram(x, axis=axis, **options), expected):
                assert relative_error(got, wanted) < 1e-13
    z = reference.spectrogram(x[0, :, 0], detrend=False, mode="complex")[2]
    angle = scipy.spectrogram(x[0, :, 0], detrend=False, mode="angle")[2]
    assert relative_error(np.exp(1j * angle), z / abs(z)) < 1e-10
    phase = scipy.spectrogram(x[0, :, 0], detrend=False, mode="phase")[2]
    assert relative_error(phase, np.unwrap(angle, axis=-1)) == 0
    for bad in (dict(mode="power"), dict(mode="complex"), dict(noverlap=256), dict(scaling="none"),
                dict(mode="complex", detrend=False, nfft=512)):  # fmt: skip
        with pytest.raises(ValueError):
            scipy.spectrogram(x[0, :, 0], **bad)


def test_spectrogram_and_periodogram_of_this_module(rng):
    x = rng.standard_normal((2, 900))
    assert relative_error(signal.spectrogram(x, 128, 32), abs(signal.stft(x, 128, 32)) ** 2) < 1e-14
    f, p = signal.periodogram(x, 100)
    for got, wanted in zip((f, p), reference.periodogram(x, 100)):
        assert relative_error(got, wanted) < 1e-13
    bands = signal.mel_spectrogram(x, 8000, 256, 64, bands=20)
    expected = signal.spectrogram(x, 256, 64) @ signal.MelFilterbank(8000, 256, 20).dense().T
    assert relative_error(bands, expected) < 1e-13
    with pytest.raises(TypeError, match="x and rate, or mel"):
        signal.mfcc()
    with pytest.raises(TypeError, match="beside mel"):
        signal.mfcc(x, 8000, mel=bands)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_stream_of_welch_gives_what_the_whole_gives(rng, dtype):
    x = rng.standard_normal(5000).astype(dtype)
    for options in ({}, dict(overlap=10, n_fft=512, detrend="linear"), dict(average="median", one_sided=False)):
        stream = signal.WelchStream(8000, "hann", 200, dtype=dtype, **options)
        for block in np.array_split(x, 7):
            stream.push(block)
        f, p = signal.welch(x, 8000, "hann", 200, **options)
        assert np.array_equal(stream.frequencies, f) and np.array_equal(stream.result(), p)
        assert stream.result().dtype == dtype and stream.segments > 20
        stream.reset()
        stream.push(np.repeat(x, 2)[::2])
        assert np.array_equal(stream.result(), p)
    stream.reset()
    with pytest.raises(ValueError):
        stream.result()
    with pytest.raises(ValueError, match="1 axis, got 2"):
        stream.push(x[None])
    with pytest.raises(ValueError):
        signal.WelchStream(detrend="cubic")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gates_and_profiles_in_blocks(rng, dtype):
    made = np.result_type(dtype, np.complex64)
    spectra = (rng.standard_normal((60, 33)) + 1j * rng.standard_normal((60, 33))).astype(made)
    profile = signal.NoiseProfile(33, dtype)
    for block in np.array_split(spectra, 4):
        profile.add(block)
    assert profile.segments == 60
    power = (abs(spectra.astype(complex)) ** 2).mean(0)
    assert relative_error(profile.mean(), power) < 1e-6 and profile.mean().dtype == dtype
    assert np.array_equal(profile.mean(), signal.noise_profile(spectra))
    assert np.array_equal(profile.from_quantile(0.3), signal.noise_profile(spectra, 0.3))
    assert np.array_equal(signal.noise_profile(spectra.reshape(4, 15, 33)), profile.mean())
    noise = profile.mean()
    gate = signal.SpectralGate(noise, smoothing_segments=3, dtype=dtype)
    parts = [gate.push(block) for block in np.array_split(spectra, 7)] + [gate.finish()]
    whole = signal.spectral_gate(spectra, noise, smoothing_segments=3)
    assert gate.latency == 3 and np.array_equal(np.concatenate(parts), whole)
    many = np.stack([spectra, spectra[::-1]])
    both = signal.spectral_gate(many[:, :, ::-1][:, :, ::-1], noise, smoothing_segments=3)
    assert np.array_equal(both[0], whole) and both.shape == many.shape
    for call in (lambda: gate.push(spectra[0]), lambda: gate.push(spectra[:, 1:]),
                 lambda: profile.add(spectra[:, 1:]), lambda: signal.NoiseProfile(0),
                 lambda: signal.SpectralGate(-noise), lambda: signal.noise_profile(1.0),
                 lambda: signal.spectral_gate(spectra, noise[1:]), lambda: signal.spectral_gate(spectra[0], noise)):  # fmt: skip
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        signal.spectral_gate(abs(spectra), noise)


def test_a_pooled_spectrogram(rng):
    rate, t = 8000, np.arange(40000) / 8000
    x = np.stack([np.sin(2 * np.pi * 1000 * t), np.zeros(40000)], 1).astype(np.float32)
    options = dict(rows=65, columns=20, n_fft=128, hop=64)
    made = signal.PooledSpectrogram(40000, rate, 2, **options)
    for block in np.array_split(x, 9):
        made.push(block)
    made.finish()
    assert made.levels.shape == (65, 20) and made.levels.dtype == np.float32
    assert (made.levels[:, 5:15].argmax(0) == 16).all() and abs(made.levels[16, 10] - 0.5) < 1e-4
    [(hz, power)] = signal.find_peaks(made.mean_power, rate, 128, count=1)
    assert abs(hz - 1000) < 0.1 and abs(power - 0.5) < 1e-3
    mean = signal.PooledSpectrogram(40000, rate, pool="mean", frequency_axis="mel", fmin=100, fmax=3000, **options)
    mean.push(x[:, 0])
    mean.finish()
    assert mean.levels.max() <= 1.0001
    for bad in (dict(pool="median"), dict(fmin=10), dict(frequency_axis="log", fmax=5000), dict(rows=0),
                dict(scaling="psd"), dict(frequency_axis="erb"), dict(window=np.ones(128))):  # fmt: skip
        with pytest.raises(ValueError):
            signal.PooledSpectrogram(40000, rate, **{**options, **bad})
    with pytest.raises(ValueError):
        made.push(x)


def test_columns_lie_at_the_centres_of_segments():
    def times(samples, **options):
        made = signal.PooledSpectrogram(samples, 100, rows=4, n_fft=64, **options)
        made.push(np.ones(samples, np.float32))
        made.finish()
        assert made.levels.shape[1] == len(made.times)
        return made.times

    np.testing.assert_allclose(times(1000, hop=100), np.arange(11.0))
    np.testing.assert_allclose(times(1000, hop=100, center=False), np.arange(10.0) + 0.32)
    np.testing.assert_allclose(times(1000, hop=1, columns=20), np.arange(20) / 2 + 0.25)


@pytest.mark.parametrize("scale", [2.0**-125, 2.0**-70, 1, 2.0**70, 2.0**120])
def test_levels_are_right_at_every_scale(rng, scale):
    x = rng.standard_normal(4096)
    small = (x * scale).astype(np.float32)
    for average in ("mean", "median"):
        for whole in (signal.welch, lambda x, **options: signal.scipy.welch(x, nperseg=256, **options)):
            wanted = whole(x, average=average)[1]
            got = whole(small, average=average)[1]
            assert got.dtype == (np.float32 if scale == 1 else np.float64)
            np.testing.assert_allclose(got.astype(float) / scale**2, wanted, rtol=1e-4, atol=1e-6 * wanted.max())

    def levels(x):
        made = signal.PooledSpectrogram(4096, 8000, n_fft=256, hop=256)
        made.push(x)
        made.finish()
        return made.levels.astype(float)

    wanted = levels(x)
    np.testing.assert_allclose(levels(small) / scale**2, wanted, rtol=1e-4, atol=1e-6 * wanted.max())
    assert len(papilio.spectrogram_picture(small, 8000)) > 1000


def test_streams_are_used_by_one_thread_at_a_time(rng):
    from concurrent.futures import ThreadPoolExecutor

    stream = papilio.StftStream(1, n_fft=64, hop=16)
    block = rng.standard_normal(1600).astype(np.float32)
    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(lambda _: stream.push(block), range(200)))
    parts.append(stream.finish())
    assert sum(len(p) for p in parts) == stream.segments == 1 + 200 * 1600 // 16
    assert stream.received == 200 * 1600


def test_parts_of_an_inverse(rng):
    x = rng.standard_normal(3000)
    spectra = signal.stft(x, 256, 64)
    plan = papilio.IstftPlan(256, 64)
    whole = plan.execute(spectra)
    assert len(whole) == plan.samples(len(spectra)) and plan.bins == 129 and plan.hop == 64
    assert np.array_equal(plan.execute(spectra, 100, first=700), whole[700:800])
    assert np.array_equal(plan.execute(spectra, first=2900), whole[2900:])
    with pytest.raises(ValueError, match="first must be at most"):
        plan.execute(spectra, first=3001)
    stream = papilio.IstftStream(n_fft=256, hop=64, dtype=np.float64, first=500)
    parts = [stream.push(spectra[:, None]), stream.finish(2900)]
    assert np.array_equal(np.concatenate(parts)[:, 0], signal.istft(spectra, hop=64, length=2900)[500:])
    assert stream.segments == len(spectra) and stream.channels == 1


def test_nothing_leaks(rng):
    x, plan = rng.standard_normal(256), signal.StftPlan(64)

    def calls(count):
        for _ in range(count):
            spectra = plan.execute(x)
            signal.apply_mask(spectra, x[:33], spectra)
            signal.oaconvolve(x, x[:5])
            signal.czt(x, 3)
            signal.window("hann", 50)
            signal.segment_rms(x, 20, 10)
            signal.spectral_centroid(x, 1.0)
            stream = papilio.StftStream(n_fft=64)
            stream.push(x)
            with pytest.raises(ValueError):
                signal.fftconvolve(x, spectra)

    calls(200)
    gc.collect()
    before = resident_bytes()
    calls(5000)
    gc.collect()
    assert resident_bytes() - before < 2 << 20
