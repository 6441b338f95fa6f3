"""papilio.torch beside torch and torchaudio, and its gradients beside differences."""

import copy
import io
import itertools
import pickle
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: papilio.torch is not tested")

torch.set_num_threads(1)

import papilio  # noqa: E402
import papilio.torch as pt  # noqa: E402

torchaudio = None
try:
    import torchaudio
    import torchaudio.compliance.kaldi as kaldi
except ImportError:
    pass
needs_torchaudio = pytest.mark.skipif(torchaudio is None, reason="torchaudio is not installed")


def noise(*shape, dtype=torch.float32, seed=0):
    values = np.random.default_rng(seed).standard_normal(shape)
    if dtype.is_complex:
        values = values + 1j * np.random.default_rng(seed + 1).standard_normal(shape)
    return torch.from_numpy(values).to(dtype)


def agree(ours, theirs, tolerance=1e-5):
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    assert (ours - theirs).abs().max() <= tolerance * theirs.abs().max()


def same_gradients(ours, theirs, x, tolerance=1e-5):
    """Values and gradients of two functions at x."""
    a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
    y, z = ours(a), theirs(b)
    agree(y, z, tolerance)
    by = noise(*z.shape, dtype=z.dtype, seed=7)
    y.backward(by)
    z.backward(by)
    agree(a.grad, b.grad, tolerance)


FOURIER = [
    ("fft", torch.complex128), ("fft", torch.float64), ("ifft", torch.complex128), ("rfft", torch.float64),
    ("irfft", torch.complex128), ("fftn", torch.complex128), ("ifftn", torch.complex128), ("rfftn", torch.float64),
    ("irfftn", torch.complex128),
]  # fmt: skip


@pytest.mark.parametrize(("name", "dtype"), FOURIER)
def test_transforms_are_torchs(name, dtype):
    ours, theirs = getattr(pt, name), getattr(torch.fft, name)
    x = noise(3, 5, 6, dtype=dtype)
    axes = [{"dim": d} for d in (-1, 1)] if name[-1] != "n" else [{}, {"dim": (1, 2)}, {"dim": (2, 0)}]
    lengths = [{}, {"n": 4}, {"n": 9}] if name[-1] != "n" else [{}, {"s": (4, 7)}]
    for axis, length, norm in itertools.product(axes, lengths, (None, "ortho", "forward")):
        if "s" in length and "dim" not in axis:
            continue
        same_gradients(lambda v: ours(v, norm=norm, **axis, **length), lambda v: theirs(v, norm=norm, **axis, **length),
                       x, 1e-13)  # fmt: skip


@pytest.mark.parametrize(("name", "dtype"), FOURIER)
def test_transforms_have_both_derivatives(name, dtype):
    x = noise(3, 4, dtype=dtype).requires_grad_()
    assert torch.autograd.gradcheck(getattr(pt, name), (x,), fast_mode=True)
    assert torch.autograd.gradgradcheck(getattr(pt, name), (x,), fast_mode=True)


@pytest.mark.parametrize("n_fft", [16, 15])
@pytest.mark.parametrize("pad_mode", ["reflect", "constant", "replicate", "circular"])
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("onesided", [True, False])
def test_stft_is_torchs(n_fft, pad_mode, center, onesided):
    options = {
        "n_fft": n_fft, "hop_length": 5, "win_length": 12, "window": torch.hann_window(12, dtype=torch.float64),
        "center": center, "pad_mode": pad_mode, "normalized": True, "onesided": onesided,
    }  # fmt: skip
    x = noise(2, 61, dtype=torch.float64)
    same_gradients(lambda v: pt.stft(v, **options), lambda v: torch.stft(v, return_complex=True, **options), x, 1e-13)
    assert torch.autograd.gradgradcheck(lambda v: pt.stft(v, **options), (x[:, :40].clone().requires_grad_(),), fast_mode=True)


@pytest.mark.filterwarnings("ignore:The length of signal is shorter")
@pytest.mark.parametrize("length", [None, 50, 61, 70])
def test_istft_is_torchs(length):
    options = {"n_fft": 16, "hop_length": 4, "window": torch.hann_window(16, dtype=torch.float64)}
    x = torch.stft(noise(2, 61, dtype=torch.float64), return_complex=True, **options)
    with_length = options | {"length": length, "normalized": True}
    same_gradients(lambda v: pt.istft(v, **with_length), lambda v: torch.istft(v, **with_length), x, 1e-12)
    assert torch.autograd.gradcheck(lambda v: pt.istft(v, **with_length), (x[:1].clone().requires_grad_(),), fast_mode=True)


MODULES = {
    "Spectrogram": [
        {}, {"n_fft": 512, "hop_length": 100}, {"n_fft": 64, "win_length": 50, "pad": 7, "power": 1.0},
        {"n_fft": 64, "power": None}, {"n_fft": 64, "power": 3.0, "normalized": True},
        {"n_fft": 64, "normalized": "frame_length", "onesided": False}, {"n_fft": 63, "center": False},
        {"n_fft": 64, "window_fn": torch.kaiser_window, "wkwargs": {"periodic": True, "beta": 5.0}, "pad_mode": "constant"},
    ],
    "MelSpectrogram": [
        {"n_fft": 512, "n_mels": 40}, {"sample_rate": 22050, "norm": "slaney", "mel_scale": "slaney", "n_mels": 32},
        {"sample_rate": 11025, "n_mels": 20, "f_min": 100.0, "power": 1.0}, {"n_fft": 401, "n_mels": 30},
    ],
    "MFCC": [{"melkwargs": {"n_mels": 40, "n_fft": 512}}, {"n_mfcc": 13, "norm": None, "log_mels": True,
                                                           "melkwargs": {"n_mels": 40}}],
    "LFCC": [{}, {"n_filter": 40, "n_lfcc": 13, "f_min": 50.0, "f_max": 6000.0, "log_lf": True,
                  "speckwargs": {"n_fft": 512, "hop_length": 128}}],
    "Resample": [
        {"orig_freq": 16000, "new_freq": 8000}, {"orig_freq": 44100, "new_freq": 16000},
        {"orig_freq": 3, "new_freq": 7, "resampling_method": "sinc_interp_kaiser", "rolloff": 0.9}, {},
        {"orig_freq": 8, "new_freq": 5, "lowpass_filter_width": 16, "beta": 6.0,
         "resampling_method": "sinc_interp_kaiser"},
    ],
}  # fmt: skip


@needs_torchaudio
@pytest.mark.parametrize(("name", "options"), [(n, o) for n, all_of in MODULES.items() for o in all_of])
@pytest.mark.parametrize("shape", [(2000,), (2, 3, 2000)])
@pytest.mark.filterwarnings("ignore:At least one mel filterbank")
def test_modules_are_torchaudios(name, options, shape):
    ours, theirs = getattr(pt, name)(**options), getattr(torchaudio.transforms, name)(**options)
    same_gradients(ours, theirs, noise(*shape))
    ours.load_state_dict(theirs.state_dict())
    agree(ours(noise(*shape)), theirs(noise(*shape)))


@needs_torchaudio
@pytest.mark.parametrize("options", [{}, {"n_fft": 64, "win_length": 40, "normalized": True}, {"pad": 30},
                                     {"normalized": "frame_length", "onesided": False}])  # fmt: skip
@pytest.mark.parametrize("length", [None, 1999])
def test_inverse_spectrogram_is_torchaudios(options, length):
    x = torchaudio.transforms.Spectrogram(power=None, **options)(noise(2, 2000))
    ours = pt.InverseSpectrogram(**options)
    theirs = torchaudio.transforms.InverseSpectrogram(**options)
    same_gradients(lambda v: ours(v, length), lambda v: theirs(v, length), x)


@needs_torchaudio
@pytest.mark.parametrize("stype", ["power", "magnitude"])
@pytest.mark.parametrize("top_db", [None, 80.0, 20.0])
@pytest.mark.parametrize("shape", [(5, 7), (2, 5, 7), (3, 2, 5, 7)])
def test_decibels_are_torchaudios(stype, top_db, shape):
    same_gradients(pt.AmplitudeToDB(stype, top_db), torchaudio.transforms.AmplitudeToDB(stype, top_db),
                   noise(*shape).square(), 1e-6)  # fmt: skip


FBANKS = [
    {}, {"num_mel_bins": 80, "window_type": "hanning"}, {"snip_edges": False, "use_energy": True},
    {"use_energy": True, "raw_energy": False, "htk_compat": True, "energy_floor": 0.0},
    {"use_power": False, "use_log_fbank": False, "subtract_mean": True, "window_type": "blackman"},
    {"sample_frequency": 8000.0, "round_to_power_of_two": False, "window_type": "hamming", "low_freq": 0.0},
    {"vtln_warp": 1.1, "high_freq": -200.0}, {"vtln_warp": 0.9, "preemphasis_coefficient": 0.0},
    {"remove_dc_offset": False, "window_type": "rectangular", "min_duration": 10.0},
]  # fmt: skip


@needs_torchaudio
@pytest.mark.parametrize("options", FBANKS)
def test_fbank_is_kaldis(options):
    x = noise(1, 4000) * 100
    theirs = kaldi.fbank(x, **options)
    ours = pt.Fbank(**options)(x)
    assert ours.shape == (1, *theirs.shape) or theirs.numel() == 0
    assert theirs.numel() == 0 or (ours[0] - theirs).abs().max() <= 2e-5 * max(1, theirs.abs().max())
    small = (noise(1, 700, dtype=torch.float64)).requires_grad_()
    if theirs.numel():
        module = pt.Fbank(**options).double()
        by = torch.autograd.functional.jvp(module, small, torch.ones_like(small))[1]
        there, back = module(small + 1e-6), module(small - 1e-6)
        assert torch.allclose(by, (there - back) / 2e-6, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("options", [{"power": 2.0}, {"power": 1.0}, {"power": 1.5}, {"power": None},
                                     {"power": 2.0, "normalized": True, "pad": 3}])  # fmt: skip
def test_gradients_of_spectrograms(options):
    module = pt.Spectrogram(16, 12, 5, **options).double()
    assert torch.autograd.gradcheck(module, (noise(2, 40, dtype=torch.float64).requires_grad_(),), fast_mode=True)
    mel = pt.MelSpectrogram(800, 32, n_mels=4, **{k: v for k, v in options.items() if k != "power"}).double()
    assert torch.autograd.gradcheck(mel, (noise(2, 80, dtype=torch.float64).requires_grad_(),), fast_mode=True)


def test_magnitude_of_silence_has_no_gradient():
    x = torch.zeros(800, requires_grad=True)
    pt.Spectrogram(power=1.0)(x).sum().backward()
    assert (x.grad == 0).all()


def test_second_derivatives_are_refused_with_a_reason():
    x = noise(2000).requires_grad_()
    (first,) = torch.autograd.grad(pt.Spectrogram()(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="Spectrogram: there is no second derivative.*power=None"):
        first.square().sum().backward()


def test_nothing_is_copied():
    x = noise(4, 1000)
    y = pt.Spectrogram(64, power=None)(x)
    assert y.transpose(-1, -2).is_contiguous()
    got = []
    class Plan:  # noqa: E301
        def execute(self, a, result, workers):
            got.append(a.__array_interface__["data"][0])
            return a
    pt._autograd.size(x[:, ::2], "f", Plan(), "power")  # noqa: E305
    assert got == [x.data_ptr()]


def test_modules_travel():
    x = noise(1000)
    for module in (pt.MFCC(melkwargs={"n_mels": 40}), pt.InverseSpectrogram(64), pt.Fbank(), pt.LFCC()):
        for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
            argument = pt.Spectrogram(64, power=None)(x) if isinstance(module, pt.InverseSpectrogram) else x
            assert torch.equal(module(argument), other(argument))
        file = io.BytesIO()
        torch.save(module.state_dict(), file)
        file.seek(0)
        module.load_state_dict(torch.load(file))
    sequence = torch.nn.Sequential(pt.MelSpectrogram(n_mels=40), pt.AmplitudeToDB())
    assert sequence(x).shape == (40, 6)


def test_weights_that_were_loaded_are_used():
    mel = pt.MelScale(10, n_stft=33)
    mel.load_state_dict({"fb": torch.ones(33, 10)})
    assert torch.equal(mel(torch.ones(33, 2)), torch.full((10, 2), 33.0))
    module = pt.Spectrogram(64)
    module.load_state_dict({"window": torch.ones(64)})
    agree(module(noise(500)), pt.Spectrogram(64, window_fn=torch.ones)(noise(500)))


def test_training_goes_down():
    target = pt.MelSpectrogram(n_mels=20, n_fft=128)(torch.sin(torch.arange(2000) * 0.3))
    x = (0.01 * noise(2000)).requires_grad_()
    optimizer = torch.optim.Adam([x], 0.02)
    losses = []
    for _ in range(30):
        loss = (pt.MelSpectrogram(n_mels=20, n_fft=128)(x) - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]


def test_threads_are_torchs():
    x, before = noise(3, 20000), torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        one = pt.MelSpectrogram()(x)
        torch.set_num_threads(3)
        assert torch.equal(one, pt.MelSpectrogram()(x))
    finally:
        torch.set_num_threads(before)


BAD = [
    (lambda: pt.fft(np.ones(4)), TypeError, "fft: input must be a tensor, got ndarray"),
    (lambda: pt.fft(torch.ones(4, dtype=torch.int64)), TypeError, "input must be of float32, float64"),
    (lambda: pt.fft(torch.ones(4, device="meta")), TypeError, "must be on the CPU, got meta"),
    (lambda: pt.fft(torch.ones(4), dim=1), ValueError, r"dim must be in \[-1, 1\), got 1"),
    (lambda: pt.fft(torch.ones(4), norm="unit"), ValueError, "norm must be backward, ortho or forward, got 'unit'"),
    (lambda: pt.fftn(torch.ones(4, 4), dim=(0, -2)), ValueError, "names an axis twice"),
    (lambda: pt.rfft(torch.ones(4, dtype=torch.complex64)), TypeError, "input must be real, got torch.complex64"),
    (lambda: pt.stft(torch.ones(40), 16, window=torch.ones(8)), ValueError, "window must be 16 real weights"),
    (lambda: pt.stft(torch.ones(40), 16, pad_mode="wrap"), ValueError, "pad_mode must be reflect, constant"),
    (lambda: pt.stft(torch.ones(40), 16, win_length=20), ValueError, "win_length must be at most n_fft, 16, got 20"),
    (lambda: pt.Spectrogram(power=-1.0), ValueError, "power must be above 0, got -1.0"),
    (lambda: pt.Spectrogram(normalized="no"), ValueError, "normalized must be True, False"),
    (lambda: pt.Spectrogram(pad=-1), ValueError, "pad must be at least 0, got -1"),
    (lambda: pt.Spectrogram()(torch.ones(900, dtype=torch.complex64)), TypeError, "waveform must be real"),
    (lambda: pt.MelSpectrogram(power=None), ValueError, "power must be a number, got None"),
    (lambda: pt.MFCC(n_mfcc=200), ValueError, r"coefficients must be in \[1, 128\], got 200"),
    (lambda: pt.MFCC(dct_type=3), ValueError, "dct_type must be 2, got 3"),
    (lambda: pt.AmplitudeToDB("db"), ValueError, "stype must be power or magnitude, got 'db'"),
    (lambda: pt.Resample(16000.5, 8000), ValueError, "rates must be whole numbers"),
    (lambda: pt.Resample(2, 3, "linear"), ValueError, "resampling_method must be sinc_interp_hann"),
    (lambda: pt.Fbank(window_type="hann"), ValueError, "window_type must be one of hanning"),
    (lambda: pt.Fbank(low_freq=9000.0), ValueError, "low_freq and high_freq must be ascending"),
]


@pytest.mark.parametrize(("call", "error", "text"), BAD)
def test_what_does_not_fit_is_said(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_papilio_needs_no_torch():
    code = "import sys; import papilio; assert 'torch' not in sys.modules; papilio.signal.stft([0.0] * 4000)"
    subprocess.run([sys.executable, "-c", code], check=True)
    blocked = (
        "import sys; sys.modules['torch'] = None\nimport papilio\n"
        "try: papilio.torch\nexcept ImportError as e: assert 'pip install torch' in str(e), e\nelse: raise SystemExit(1)"
    )
    subprocess.run([sys.executable, "-c", blocked], check=True)
    assert papilio.torch is pt
