"""torchaudio.transforms' modules by papilio: its arguments, its values, gradients."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch

from .. import _papilio
from .._calls import public
from ..signal import IstftPlan, StftPlan
from . import _fourier
from ._autograd import Tensor, array_of, linear, size, workers

__all__ = [
    "LFCC", "MFCC", "AmplitudeToDB", "InverseSpectrogram", "MelScale", "MelSpectrogram", "Resample", "Spectrogram",
]  # fmt: skip

WindowFunction = Callable[..., Tensor]


def _tables_loaded(module: Any, keys: Any) -> None:
    module._make()


class _Segments(torch.nn.Module):
    """What spectrograms and their inverses share: the window, and how it divides."""

    window: Tensor

    def __init__(self, n_fft: int, win_length: int | None, hop_length: int | None, pad: int,
                 window_fn: WindowFunction, wkwargs: Mapping[str, Any] | None, normalized: bool | str) -> None:  # fmt: skip
        super().__init__()
        self._name = type(self).__name__
        if normalized not in (False, True, "window", "frame_length"):
            raise ValueError(
                f"{self._name}: normalized must be True, False, 'window' or 'frame_length', got {normalized!r}"
            )
        if pad < 0:
            raise ValueError(f"{self._name}: pad must be at least 0, got {pad}")
        self.n_fft, self.pad, self.normalized = n_fft, pad, normalized
        self.win_length = n_fft if win_length is None else win_length
        self.hop_length = self.win_length // 2 if hop_length is None else hop_length
        self.register_buffer("window", window_fn(self.win_length, **(wkwargs or {})))
        self.register_load_state_dict_post_hook(_tables_loaded)

    def _make(self) -> None:
        self._weights = _fourier.weights(self._name, self.window, self.win_length, self.n_fft)
        sums = {False: 1.0, "frame_length": float(self.n_fft)}
        self._divisor = math.sqrt(sums.get(self.normalized) or float(self.window.double().square().sum()))


class Spectrogram(_Segments):
    """Spectra of signals, their magnitudes or powers: torchaudio.transforms.Spectrogram.

    Parameters:
        n_fft, win_length, hop_length: points, samples of the window (None: n_fft) and from one to
            the next (None: half of the window).
        pad: zeros added at both ends first.
        window_fn, wkwargs: makes the window of win_length weights.
        power: 2 powers, 1 magnitudes, None complex spectra, or another exponent of magnitudes.
        normalized: True or "window": divided by sqrt(sum window^2); "frame_length": by
            sqrt(n_fft).
        center, pad_mode: segments are centred on their samples; "reflect", "constant",
            "replicate", "circular".
        onesided: bins 0 ... n_fft // 2, else all.

    Called with samples [..., time], float32 or float64 on the CPU, it returns [..., bins,
    segments], with gradients: of complex spectra of any order, of powers and magnitudes the first.

    Raises:
        TypeError, ValueError: for arguments that do not fit.

    Example:
        >>> papilio.torch.Spectrogram(n_fft=512)(torch.ones(2, 16000)).shape
        torch.Size([2, 257, 63])
    """

    def __init__(self, n_fft: int = 400, win_length: int | None = None, hop_length: int | None = None, pad: int = 0,
                 window_fn: WindowFunction = torch.hann_window, power: float | None = 2.0,
                 normalized: bool | str = False, wkwargs: Mapping[str, Any] | None = None, center: bool = True,
                 pad_mode: str = "reflect", onesided: bool = True) -> None:  # fmt: skip
        super().__init__(n_fft, win_length, hop_length, pad, window_fn, wkwargs, normalized)
        if power is not None and power <= 0:
            raise ValueError(f"{self._name}: power must be above 0, got {power}")
        self.power, self.center, self.pad_mode, self.onesided = power, center, pad_mode, onesided
        self._make()

    def segments(self, waveform: Tensor) -> Tensor:
        """Before the axes change places, [..., segments, bins]."""
        if array_of(self._name, "waveform", waveform).dtype.kind == "c":
            raise TypeError(f"{self._name}: waveform must be real, got {waveform.dtype}")
        x = torch.nn.functional.pad(waveform, (self.pad, self.pad)) if self.pad else waveform
        x, centred, padding = _fourier.padded(self._name, x, self.n_fft, self.center, self.pad_mode)
        plan = _fourier.plan_of(StftPlan, self.n_fft, self.hop_length, self._weights, centred, padding, self.onesided)
        if self.power is None:
            out, scale = _fourier.spectra(self._name, x, plan), 1 / self._divisor
        else:
            kind = "power" if self.power == 2 else "magnitude"
            out, scale = size(x, self._name, plan, kind), self._divisor**-self.power
            if self.power not in (1, 2):
                out = out.pow(self.power)
        return out if scale == 1 else out * scale

    def forward(self, waveform: Tensor) -> Tensor:
        """[..., bins, segments] of samples [..., time]."""
        return self.segments(waveform).transpose(-1, -2)


class InverseSpectrogram(_Segments):
    """Signals of complex spectra, by least squares: torchaudio.transforms.InverseSpectrogram.

    Parameters:
        n_fft, win_length, hop_length, pad, window_fn, normalized, wkwargs, center, onesided: those
            of the Spectrogram.
        pad_mode: that of the Spectrogram, on which the inverse does not depend.

    Called with spectra [..., bins, segments] and a length (None: as long as the segments say), it
    returns samples [..., time], with gradients of any order.

    Raises:
        TypeError, ValueError: for arguments that do not fit, and where the windows leave gaps.

    Example:
        >>> x = torch.randn(16000)
        >>> spectra = papilio.torch.Spectrogram(power=None)(x)
        >>> bool(torch.allclose(papilio.torch.InverseSpectrogram()(spectra, 16000), x, atol=1e-5))
        True
    """

    def __init__(self, n_fft: int = 400, win_length: int | None = None, hop_length: int | None = None, pad: int = 0,
                 window_fn: WindowFunction = torch.hann_window, normalized: bool | str = False,
                 wkwargs: Mapping[str, Any] | None = None, center: bool = True, pad_mode: str = "reflect",
                 onesided: bool = True) -> None:  # fmt: skip
        super().__init__(n_fft, win_length, hop_length, pad, window_fn, wkwargs, normalized)
        if pad_mode not in (*_fourier.PADDINGS, "circular"):
            raise ValueError(f"{self._name}: pad_mode must be reflect, constant, replicate or circular, got {pad_mode!r}")
        self.center, self.pad_mode, self.onesided = center, pad_mode, onesided
        self._make()

    def forward(self, spectrogram: Tensor, length: int | None = None) -> Tensor:
        """Samples [..., time] of spectra [..., bins, segments]."""
        array_of(self._name, "spectrogram", spectrogram)
        plan = _fourier.plan_of(IstftPlan, self.n_fft, self.hop_length, self._weights, self.center, "zero", True)
        x = _fourier.one_side(spectrogram, self.n_fft, self.onesided)
        out = _fourier.signals(self._name, x * self._divisor if self._divisor != 1 else x, plan, self.center,
                               None if length is None else length + 2 * self.pad)  # fmt: skip
        if length is not None and self.pad:
            return out[..., self.pad : self.pad + length]
        return out


class MelScale(torch.nn.Module):
    """Bands even in mel of powers: torchaudio.transforms.MelScale.

    Parameters:
        n_mels, sample_rate: how many bands; samples a second.
        f_min, f_max: ends in Hz; f_max None: sample_rate // 2.
        n_stft: bins.
        norm: None, bands of height 1, or "slaney", of area 1.
        mel_scale: "htk" or "slaney".

    Called with [..., bins, segments], it returns [..., bands, segments], with gradients of any
    order.

    Raises:
        TypeError, ValueError: for arguments that do not fit.

    Example:
        >>> papilio.torch.MelScale(40)(torch.ones(201, 7)).shape
        torch.Size([40, 7])
    """

    fb: Tensor

    def __init__(self, n_mels: int = 128, sample_rate: int = 16000, f_min: float = 0.0, f_max: float | None = None,
                 n_stft: int = 201, norm: str | None = None, mel_scale: str = "htk") -> None:  # fmt: skip
        super().__init__()
        self.n_mels, self.sample_rate, self.f_min = n_mels, sample_rate, f_min
        self.f_max = float(sample_rate // 2) if f_max is None else f_max
        # torchaudio's bins end at sample_rate // 2.
        self._bank = _papilio.MelFilterbank(2.0 * (sample_rate // 2), 2 * (n_stft - 1), n_mels, mel_scale, norm,
                                            float(f_min), self.f_max)  # fmt: skip
        self.register_buffer("fb", torch.from_numpy(self._bank.dense().T.copy()).float())
        self.register_load_state_dict_post_hook(_tables_loaded)
        self._make()

    def _make(self) -> None:
        weights = torch.from_numpy(self._bank.dense().T).to(self.fb.dtype)
        self._is_bank = bool(torch.allclose(self.fb, weights, rtol=0, atol=1e-6))

    def bands(self, power: Tensor) -> Tensor:
        """Of powers [..., segments, bins], [..., segments, bands]."""
        if not self._is_bank:  # weights that were loaded
            return power @ self.fb.to(power.dtype)
        bank = self._bank
        return linear(power, "MelScale", lambda a: bank.apply(a, workers()),
                      lambda g: bank.vjp(g, workers()))  # fmt: skip

    def forward(self, specgram: Tensor) -> Tensor:
        """[..., bands, segments] of [..., bins, segments]."""
        return self.bands(specgram.transpose(-1, -2)).transpose(-1, -2)


class MelSpectrogram(torch.nn.Module):
    """A Spectrogram's mel bands: torchaudio.transforms.MelSpectrogram.

    Parameters:
        sample_rate, f_min, f_max, n_mels, norm, mel_scale: as of MelScale.
        n_fft, win_length, hop_length, pad, window_fn, power, normalized, wkwargs, center,
            pad_mode: as of Spectrogram.

    Called with samples [..., time], it returns [..., bands, segments], with gradients.

    Raises:
        TypeError, ValueError: for arguments that do not fit.

    Example:
        >>> papilio.torch.MelSpectrogram(16000, n_mels=40)(torch.ones(16000)).shape
        torch.Size([40, 81])
    """

    def __init__(self, sample_rate: int = 16000, n_fft: int = 400, win_length: int | None = None,
                 hop_length: int | None = None, f_min: float = 0.0, f_max: float | None = None, pad: int = 0,
                 n_mels: int = 128, window_fn: WindowFunction = torch.hann_window, power: float = 2.0,
                 normalized: bool | str = False, wkwargs: Mapping[str, Any] | None = None, center: bool = True,
                 pad_mode: str = "reflect", norm: str | None = None, mel_scale: str = "htk") -> None:  # fmt: skip
        super().__init__()
        if power is None:
            raise ValueError("MelSpectrogram: power must be a number, got None")
        self.sample_rate, self.n_mels = sample_rate, n_mels
        self.spectrogram = Spectrogram(n_fft, win_length, hop_length, pad, window_fn, power, normalized, wkwargs,
                                       center, pad_mode)  # fmt: skip
        self.mel_scale = MelScale(n_mels, sample_rate, f_min, f_max, n_fft // 2 + 1, norm, mel_scale)

    def forward(self, waveform: Tensor) -> Tensor:
        """[..., bands, segments] of samples [..., time]."""
        return self.mel_scale.bands(self.spectrogram.segments(waveform)).transpose(-1, -2)


class AmplitudeToDB(torch.nn.Module):
    """Decibel of powers or magnitudes, re 1: torchaudio.transforms.AmplitudeToDB.

    Parameters:
        stype: "power" or "magnitude".
        top_db: decibel below each item's largest value under which there is nothing; None: none.

    Called with [..., bands, segments], it returns as many; a batch's items are [channel, bands,
    segments] each.

    Raises:
        ValueError: for other words, and top_db below 0.

    Example:
        >>> papilio.torch.AmplitudeToDB()(torch.tensor([[1.0, 100.0]]))
        tensor([[ 0., 20.]])
    """

    def __init__(self, stype: str = "power", top_db: float | None = None) -> None:
        super().__init__()
        if stype not in ("power", "magnitude"):
            raise ValueError(f"AmplitudeToDB: stype must be power or magnitude, got {stype!r}")
        if top_db is not None and top_db < 0:
            raise ValueError(f"AmplitudeToDB: top_db must be at least 0, got {top_db}")
        self.stype, self.top_db = stype, top_db

    def forward(self, x: Tensor) -> Tensor:
        """Decibel of [..., bands, segments]."""
        level = (10 if self.stype == "power" else 20) * x.clamp(min=1e-10).log10()
        if self.top_db is None:
            return level
        channels = x.shape[-3] if x.dim() > 2 else 1
        items = level.reshape(-1, channels, *x.shape[-2:])
        least = items.amax(dim=(-3, -2, -1), keepdim=True) - self.top_db
        return torch.maximum(items, least).reshape(x.shape)


def _cosines(function: str, count: int, bands: int, norm: str | None) -> Tensor:
    """DCT of type 2 of so many bands, [bands, count]."""
    if norm not in (None, "ortho"):
        raise ValueError(f"{function}: norm must be ortho or None, got {norm!r}")
    if not 1 <= count <= bands:
        raise ValueError(f"{function}: coefficients must be in [1, {bands}], got {count}")
    at = torch.arange(bands, dtype=torch.float64)
    table = 2 * torch.cos(math.pi / bands * (at[:, None] + 0.5) * torch.arange(count, dtype=torch.float64))
    if norm == "ortho":
        table *= math.sqrt(0.5 / bands)
        table[:, 0] *= math.sqrt(0.5)
    return table.float()


class _Cepstra(torch.nn.Module):
    """Cosine transform of logarithms, or decibels, of bands."""

    dct_mat: Tensor

    def __init__(self, count: int, bands: int, dct_type: int, norm: str | None, log: bool) -> None:
        super().__init__()
        function = type(self).__name__
        if dct_type != 2:
            raise ValueError(f"{function}: dct_type must be 2, got {dct_type}")
        self.log, self.decibel = log, AmplitudeToDB("power", 80.0)
        self.register_buffer("dct_mat", _cosines(function, count, bands, norm))

    def cepstra(self, bands: Tensor) -> Tensor:
        level = torch.log(bands + 1e-6) if self.log else self.decibel(bands)
        return (level.transpose(-1, -2) @ self.dct_mat.to(level.dtype)).transpose(-1, -2)


class MFCC(_Cepstra):
    """Mel cepstral coefficients: torchaudio.transforms.MFCC.

    Parameters:
        sample_rate: samples a second.
        n_mfcc: coefficients.
        dct_type: 2.
        norm: "ortho" or None.
        log_mels: logarithms of the bands instead of decibels at most 80 below the largest.
        melkwargs: options of MelSpectrogram.

    Called with samples [..., time], it returns [..., coefficients, segments], with gradients.

    Raises:
        TypeError, ValueError: for arguments that do not fit.

    Example:
        >>> papilio.torch.MFCC(16000, 13)(torch.ones(16000)).shape
        torch.Size([13, 81])
    """

    def __init__(self, sample_rate: int = 16000, n_mfcc: int = 40, dct_type: int = 2, norm: str | None = "ortho",
                 log_mels: bool = False, melkwargs: Mapping[str, Any] | None = None) -> None:  # fmt: skip
        mel = MelSpectrogram(sample_rate, **(melkwargs or {}))
        super().__init__(n_mfcc, mel.n_mels, dct_type, norm, log_mels)
        self.MelSpectrogram = mel

    def forward(self, waveform: Tensor) -> Tensor:
        """[..., coefficients, segments] of samples [..., time]."""
        return self.cepstra(self.MelSpectrogram(waveform))


class LFCC(_Cepstra):
    """Cepstral coefficients of bands of equal widths in Hz: torchaudio.transforms.LFCC.

    Parameters:
        sample_rate: samples a second.
        n_filter, f_min, f_max: bands and their ends in Hz; f_max None: sample_rate // 2.
        n_lfcc: coefficients.
        dct_type, norm, log_lf: as of MFCC.
        speckwargs: options of Spectrogram.

    Called with samples [..., time], it returns [..., coefficients, segments], with gradients.

    Raises:
        TypeError, ValueError: for arguments that do not fit.

    Example:
        >>> papilio.torch.LFCC(16000, n_lfcc=20)(torch.ones(16000)).shape
        torch.Size([20, 81])
    """

    filter_mat: Tensor

    def __init__(self, sample_rate: int = 16000, n_filter: int = 128, f_min: float = 0.0, f_max: float | None = None,
                 n_lfcc: int = 40, dct_type: int = 2, norm: str | None = "ortho", log_lf: bool = False,
                 speckwargs: Mapping[str, Any] | None = None) -> None:  # fmt: skip
        super().__init__(n_lfcc, n_filter, dct_type, norm, log_lf)
        self.Spectrogram = Spectrogram(**(speckwargs or {}))
        top = float(sample_rate // 2)
        bins = torch.linspace(0, top, self.Spectrogram.n_fft // 2 + 1, dtype=torch.float64)
        edges = torch.linspace(f_min, top if f_max is None else f_max, n_filter + 2, dtype=torch.float64)
        rising = (bins[:, None] - edges[:-2]) / edges.diff()[:-1]
        falling = (edges[2:] - bins[:, None]) / edges.diff()[1:]
        self.register_buffer("filter_mat", torch.minimum(rising, falling).clamp(min=0).float())

    def forward(self, waveform: Tensor) -> Tensor:
        """[..., coefficients, segments] of samples [..., time]."""
        power = self.Spectrogram.segments(waveform)
        return self.cepstra((power @ self.filter_mat.to(power.dtype)).transpose(-1, -2))


class Resample(torch.nn.Module):
    """Another sampling rate by a windowed sinc: torchaudio.transforms.Resample.

    Its filter is torchaudio's; papilio.resample has a better one, and no gradient.

    Parameters:
        orig_freq, new_freq: whole numbers.
        resampling_method: "sinc_interp_hann" or "sinc_interp_kaiser".
        lowpass_filter_width: zero crossings on each side.
        rolloff: end of the passed band, of the lower of both Nyquist frequencies.
        beta: of the Kaiser window; None: 14.769656459379492.
        dtype: in which the filter is computed; None: float64.

    Called with samples [..., time], it returns ceil(time * new_freq / orig_freq) of them, with
    gradients.

    Raises:
        TypeError, ValueError: for arguments that do not fit.

    Example:
        >>> papilio.torch.Resample(16000, 8000)(torch.ones(2, 16000)).shape
        torch.Size([2, 8000])
    """

    kernel: Tensor

    def __init__(self, orig_freq: int = 16000, new_freq: int = 16000, resampling_method: str = "sinc_interp_hann",
                 lowpass_filter_width: int = 6, rolloff: float = 0.99, beta: float | None = None,
                 dtype: torch.dtype | None = None) -> None:  # fmt: skip
        super().__init__()
        function = "Resample"
        if int(orig_freq) != orig_freq or int(new_freq) != new_freq or min(orig_freq, new_freq) < 1:
            raise ValueError(f"{function}: rates must be whole numbers of at least 1, got {orig_freq} and {new_freq}")
        if resampling_method not in ("sinc_interp_hann", "sinc_interp_kaiser"):
            raise ValueError(
                f"{function}: resampling_method must be sinc_interp_hann or sinc_interp_kaiser, got "
                f"{resampling_method!r}"
            )
        if lowpass_filter_width < 1 or not 0 < rolloff <= 1:
            raise ValueError(
                f"{function}: lowpass_filter_width must be at least 1 and rolloff in (0, 1], got "
                f"{lowpass_filter_width} and {rolloff}"
            )
        self.orig_freq, self.new_freq = int(orig_freq), int(new_freq)
        common = math.gcd(self.orig_freq, self.new_freq)
        self._step, self._phases = self.orig_freq // common, self.new_freq // common
        base = min(self._step, self._phases) * rolloff
        self._width = math.ceil(lowpass_filter_width * self._step / base)
        if self._step == self._phases:
            return
        kind = dtype or torch.float64
        at = torch.arange(-self._width, self._width + self._step, dtype=kind) / self._step
        phase = torch.arange(self._phases, dtype=kind)[:, None] / self._phases
        t = ((at - phase) * base).clamp(-lowpass_filter_width, lowpass_filter_width)
        if resampling_method == "sinc_interp_hann":
            window = torch.cos(t * math.pi / lowpass_filter_width / 2) ** 2
        else:
            shape = torch.tensor(14.769656459379492 if beta is None else float(beta), dtype=kind)
            window = torch.i0(shape * (1 - (t / lowpass_filter_width) ** 2).sqrt()) / torch.i0(shape)
        kernel = torch.sinc(t) * window * base / self._step
        self.register_buffer("kernel", kernel[:, None].to(dtype or torch.float32))

    def forward(self, waveform: Tensor) -> Tensor:
        """Samples [..., time] at the other rate."""
        if not waveform.is_floating_point():
            raise TypeError(f"Resample: waveform must be of floating-point numbers, got {waveform.dtype}")
        if self._step == self._phases:
            return waveform
        samples = waveform.shape[-1]
        x = torch.nn.functional.pad(waveform.reshape(-1, 1, samples), (self._width, self._width + self._step))
        y = torch.nn.functional.conv1d(x, self.kernel.to(x.dtype), stride=self._step)
        count = -(-samples * self._phases // self._step)
        return y.transpose(1, 2).reshape(*waveform.shape[:-1], -1)[..., :count]


public(globals(), methods=False)
