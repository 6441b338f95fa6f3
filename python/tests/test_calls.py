"""Calls that cannot be, in the words of the function that was called; plans; what dir() shows."""

import copy
import pickle

import numpy as np
import pytest

import papilio
from papilio import fft, signal
from papilio.signal import librosa, scipy

X = np.sin(np.arange(3000.0))
CUBE = X.reshape(10, 30, 10)

MISSPELT = [
    (lambda: signal.stft(X, 256, cetner=False), "stft: no option 'cetner'; did you mean 'center'?"),
    (lambda: signal.stft(X, 256, hop_length=8), "stft: no option 'hop_length'; did you mean 'hop'?"),
    (lambda: signal.stft(X, 256, zzz=8), "stft: no option 'zzz'"),
    (lambda: signal.mfcc(X, 8000, n_ftt=8), "mfcc: no option 'n_ftt'; did you mean 'n_fft'?"),
    (lambda: signal.StftPlan(8, pading="zero"), "StftPlan: no option 'pading'; did you mean 'padding'?"),
    (lambda: signal.StftStream(n_ftt=8), "StftStream: no option 'n_ftt'; did you mean 'n_fft'?"),
    (lambda: signal.WelchStream(windw="hann"), "WelchStream: no option 'windw'; did you mean 'window'?"),
    (lambda: signal.MelFilterbank(8000, 64, band=3), "MelFilterbank: no option 'band'; did you mean 'bands'?"),
    (lambda: librosa.mfcc(y=X, hop=8), "mfcc: no option 'hop'; did you mean 'hop_length'?"),
    (lambda: scipy.welch(X, nprseg=8), "welch: no option 'nprseg'; did you mean 'nperseg'?"),
    (lambda: fft.fft(X, nrom="ortho"), "fft: no option 'nrom'; did you mean 'norm'?"),
    (lambda: fft.dct(X, tpye=2), "dct: no option 'tpye'; did you mean 'type'?"),
    (lambda: papilio.FftPlan(8, nrom="ortho"), "FftPlan: no option 'nrom'; did you mean 'norm'?"),
    (lambda: papilio.write("x.wav", X, 8000, encodng="s16"), "write: no option 'encodng'; did you mean 'encoding'?"),
    (lambda: papilio.spectrogram_picture(X, 8000, colours="magma"),
     "spectrogram_picture: no option 'colours'; did you mean 'colors'?"),
    (lambda: papilio.tucker(CUBE, rank=2), "tucker: no option 'rank'; did you mean 'ranks'?"),
    (lambda: papilio.einsum("i", X, pth=[]), "einsum: no option 'pth'; did you mean 'path'?"),
]  # fmt: skip

REFUSED = [
    (lambda: fft.fft(X, 16.0), TypeError, "fft: n must be int | None, got 16.0"),
    (lambda: fft.fft(), TypeError, "fft: x must be given"),
    (lambda: fft.fft(X, 8, 0, None, False, None, X), TypeError,
     "fft: at most 6 arguments come without a name, got 7"),
    (lambda: signal.StftPlan(16).execute(X, workers="all"), TypeError,
     "StftPlan.execute: workers must be int | None, got 'all'"),
    (lambda: librosa.stft(X, n_fft=64, hop_length=0), ValueError, "stft: hop_length must be at least 1, got 0"),
    (lambda: librosa.stft(X, n_fft=64, win_length=65), ValueError, "stft: win_length must be at most n_fft, got 65"),
    (lambda: librosa.mfcc(y=X, n_mfcc=500), ValueError, "mfcc: n_mfcc must be 1 ... 128 bands, got 500"),
    (lambda: librosa.istft(X), ValueError, "istft: spectra must have at least 2 axes, got 1"),
    (lambda: scipy.stft(X, fs=0), ValueError, "stft: fs must be positive and finite, got 0"),
    (lambda: scipy.stft(X, axis=3), ValueError, "stft: axis 3 is out of range for 1 axes"),
    (lambda: scipy.spectrogram(X, fs=0), ValueError, "spectrogram: fs must be positive and finite, got 0"),
    (lambda: scipy.zoom_fft(X, 1, fs=0), ValueError, "zoom_fft: fs must be finite and not 0, got 0"),
    (lambda: scipy.zoom_fft(X, [1, 2, 3]), ValueError, "zoom_fft: fn must be one finite number or two, got [1, 2, 3]"),
    (lambda: signal.wiener_mask(X, X[:3]), ValueError,
     "wiener_mask: operands of shapes (3,) and (3000,) do not fit"),
    (lambda: scipy.stft(X, nperseg=8, noverlap=2.5), TypeError, "stft: noverlap must be an integer, got 2.5"),
    (lambda: signal.welch(X, window=3), TypeError, "welch: window must be a name or (name, parameter), got 3"),
    (lambda: fft.fft2(X, None, (0, 1), 3), TypeError, "fft2: norm must be str | None, got 3"),
    (lambda: papilio.spectrogram_picture(X, "a"), TypeError, "spectrogram_picture: rate must be float, got 'a'"),
    (lambda: papilio.cp(CUBE, 2.0), TypeError, "cp: rank must be an integer, got 2.0"),
    (lambda: papilio.cp(CUBE, 2, iterations=0), ValueError, "cp: iterations must be at least 1, got 0"),
    (lambda: papilio.tt(CUBE, True), TypeError, "tt: ranks must be an integer, got True"),
    (lambda: papilio.tucker(CUBE, (2, 2.5, 1)), TypeError, "tucker: ranks must be an integer, got 2.5"),
    (lambda: papilio.resample(X, 0, 8000), ValueError, "resample: from_rate must be from 1 to 100000000, got 0"),
    (lambda: papilio.write("x.wav", X, 8000.5), TypeError, "write: rate must be int, got 8000.5"),
    (lambda: papilio.FftPlan(16.0), TypeError, "FftPlan: n must be an integer, got 16.0"),
    (lambda: papilio.FftPlan(float("nan")), TypeError, "FftPlan: n must be an integer, got nan"),
    (lambda: papilio.RfftPlan(0), ValueError, "RfftPlan: n must be at least 1, got 0"),
    (lambda: papilio.FftPlan(2**70), ValueError, f"FftPlan: n must be below 2^63, got {2**70}"),
    (lambda: papilio.FftPlan(16, norm="no"), ValueError,
     'Invalid norm value "no"; should be "backward", "ortho" or "forward".'),
    (lambda: papilio.FftPlan(16, workers=0.5), TypeError, "FftPlan: workers must be int | None, got 0.5"),
    (lambda: papilio.StftPlan(16.0), TypeError, "StftPlan: n_fft must be an integer, got 16.0"),
    (lambda: papilio.IstftPlan(float("nan")), TypeError, "IstftPlan: n_fft must be an integer, got nan"),
    (lambda: papilio.StftPlan(-5), ValueError, "StftPlan: n_fft must be at least 1, got -5"),
    (lambda: papilio.StftPlan(16, 2.5), TypeError, "StftPlan: hop must be an integer, got 2.5"),
    (lambda: papilio.StftPlan(16, window=None), TypeError, "StftPlan: window cannot be None"),
    (lambda: fft.fft(None), TypeError, "fft: x must be an array, got None"),
    (lambda: fft.fft([[1, 2], [3]]), ValueError, "fft: x must be an array, got rows of different lengths"),
    (lambda: fft.fft(X, out=np.zeros(3000)), TypeError,
     "fft: out must be writable, aligned, and of complex128, got float64"),
    (lambda: fft.fft(X, out=np.zeros(3, complex)), ValueError,
     "fft: out must have the shape of the result, (3000,), got (3,)"),
    (lambda: signal.stft(X + 1j), TypeError, "stft: x must be real, got complex numbers"),
    (lambda: librosa.stft("abc"), TypeError, "stft: y must be numbers, got <U3"),
    (lambda: signal.istft(X), ValueError, "istft: spectra must have at least 2 axes, got 1"),
    (lambda: signal.stft(X, window=["a"]), TypeError, "stft: window must be numbers, got <U1"),
    (lambda: signal.stft(X, padding="none"), ValueError,
     'stft: padding must be one of zero, reflect, edge; got "none"'),
    (lambda: signal.noise_profile(CUBE, quantile=2), ValueError,
     "noise_profile: quantile must be above 0 and below 1, got 2"),
    (lambda: signal.MelFilterbank(8000, 512).apply(CUBE), ValueError,
     "MelFilterbank.apply: power must be [..., 257 bins], got 10 bins"),
    (lambda: signal.apply_mask(CUBE, "a"), TypeError, "apply_mask: mask must be numbers, got <U1"),
    (lambda: signal.fftconvolve(X, "a"), TypeError, "fftconvolve: y must be numbers, got <U1"),
    (lambda: signal.spectral_centroid(CUBE + 1j, 2), TypeError,
     "spectral_centroid: magnitude must be real, got complex numbers"),
    (lambda: librosa.mfcc(X), TypeError, "mfcc: at most 0 arguments come without a name, got 1"),
    (lambda: librosa.melspectrogram(sr=8000), TypeError, "melspectrogram: y or S must be given"),
    (lambda: signal.StftStream().push(), TypeError, "StftStream.push: block must be given"),
    (lambda: signal.StftStream(2).push(block=X, blok=X), TypeError,
     "StftStream.push: no option 'blok'; did you mean 'block'?"),
    (lambda: papilio.Sound(X), TypeError, "Sound: rate must be given"),
    (lambda: papilio.Sound(X, 8000).picture(colour="magma"), TypeError,
     "Sound.picture: no option 'colour'; did you mean 'colors'?"),
    (lambda: papilio.Sound(X, 8000).picture(n_fft=0), ValueError, "Sound.picture: n_fft must be at least 1, got 0"),
    (lambda: papilio.spectrogram_picture(X, 8000, theme="blue"), ValueError,
     "spectrogram_picture: theme must be light or dark, not 'blue'"),
    (lambda: papilio.cp(CUBE, 2, mask=X), ValueError, "cp: mask must have the shape of x, (10, 30, 10), got (3000,)"),
    (lambda: papilio.write(3, X, 8000), TypeError, "write: file must be a path, got int"),
    (lambda: papilio.FftPlan(8).execute(X, axs=1), TypeError,
     "FftPlan: no option 'axs'; did you mean 'axis'?"),
    (lambda: papilio.MelFilterbank(8000, 512, fmim=3), TypeError,
     "MelFilterbank: no option 'fmim'; did you mean 'fmin'?"),
    (lambda: papilio.MelFilterbank(8000, 512.5), TypeError, "MelFilterbank: n_fft must be int, got 512.5"),
]  # fmt: skip


@pytest.mark.parametrize("call, words", MISSPELT, ids=[words.split(";")[0] for _, words in MISSPELT])
def test_a_misspelt_option_is_one_line(call, words):
    with pytest.raises(TypeError) as error:
        call()
    assert str(error.value) == words


@pytest.mark.parametrize("call, kind, words", REFUSED, ids=[words for *_, words in REFUSED])
def test_what_is_refused_names_function_argument_and_value(call, kind, words):
    with pytest.raises(kind) as error:
        call()
    assert str(error.value) == words


def test_what_a_callback_raises_is_its_own():
    def fails(iteration, error):
        raise ValueError("tucker_hooi: mine")

    with pytest.raises(ValueError, match="^tucker_hooi: mine$"):
        papilio.cp(CUBE, 2, progress=fails)


@pytest.mark.parametrize("call", [
    lambda x: fft.fft(x), lambda x: fft.rfftn(x), lambda x: signal.stft(x, 4), lambda x: signal.welch(x),
    lambda x: signal.fftconvolve(x, x), lambda x: papilio.einsum("i->", x), lambda x: papilio.cp(x, 1),
    lambda x: librosa.power_to_db(x), lambda x: papilio.resample(x, 1, 2),
    lambda x: papilio.write("x.wav", x, 8000)])  # fmt: skip
def test_arrays_of_objects_are_refused_with_what_they_hold(call):
    with pytest.raises(TypeError, match=r": (x|samples|values|S|an operand) must be numbers, got an array of objects \(int\); .*astype"):
        call(np.array([1, 2, 3, 4], object))


@pytest.mark.parametrize("plan, x", [
    (papilio.FftPlan(10, norm="ortho"), X[:10]), (papilio.RfftPlan(11, workers=2), X[:11]),
    (papilio.StftPlan(65, 16, ("kaiser", 8.6), center=False), X),
    (papilio.StftPlan(64, window=np.hanning(64), scaling="psd", rate=8000), X),
    (papilio.IstftPlan(64, 16, sides="two"), np.ones((9, 64), complex))],
    ids=["FftPlan", "RfftPlan", "StftPlan", "StftPlan of weights", "IstftPlan"])  # fmt: skip
def test_plans_are_pickled_and_copied(plan, x):
    for other in (pickle.loads(pickle.dumps(plan)), copy.copy(plan), copy.deepcopy(plan)):
        assert type(other) is type(plan)
        assert np.array_equal(other.execute(x), plan.execute(x))
    assert np.array_equal(pickle.loads(pickle.dumps(plan.execute))(x), plan.execute(x))


def test_mel_filterbanks_are_pickled():
    for made in (papilio.MelFilterbank(8000, 511, 20), papilio.MelFilterbank(16000, 512, 7, "htk", None, 50, 4000)):
        for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
            assert np.array_equal(other.dense(), made.dense())
        assert pickle.loads(pickle.dumps(made.apply))(np.ones(made.bins)).shape == (made.bands,)


def test_dir_shows_what_is_public():
    for module in (papilio, fft, signal, librosa, scipy):
        assert dir(module) == sorted(module.__all__)
        assert all(hasattr(module, name) for name in dir(module))
    if "device" in papilio.__all__:
        assert "nki" in dir(papilio) and papilio.nki.profile
        assert dir(papilio.device) == sorted(papilio.device.__all__)
