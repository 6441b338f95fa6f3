"""Kaldi's filter banks."""

from __future__ import annotations

import math

import torch

from .._calls import public
from . import _fourier
from ._autograd import Tensor, array_of

__all__ = ["Fbank"]

_LEAST = torch.finfo(torch.float32).eps


def _mel(hz: Tensor) -> Tensor:
    return 1127 * torch.log(1 + hz / 700)


def _window(kind: str, n: int, blackman_coeff: float) -> Tensor:
    turns = torch.arange(n, dtype=torch.float64) * (2 * math.pi / max(1, n - 1))
    hann = 0.5 - 0.5 * torch.cos(turns)
    windows = {
        "hanning": hann,
        "hamming": 0.54 - 0.46 * torch.cos(turns),
        "povey": hann**0.85,
        "rectangular": torch.ones(n, dtype=torch.float64),
        "blackman": blackman_coeff - 0.5 * torch.cos(turns) + (0.5 - blackman_coeff) * torch.cos(2 * turns),
    }
    if kind not in windows:
        raise ValueError(f"Fbank: window_type must be one of {', '.join(windows)}, got {kind!r}")
    return windows[kind]


class Fbank(torch.nn.Module):
    """Kaldi's mel bands of frames: torchaudio.compliance.kaldi.fbank, of every channel.

    Parameters:
        blackman_coeff: of the window "blackman".
        dither: standard deviation of noise that is added to frames.
        energy_floor: least energy, of use_energy.
        frame_length, frame_shift: milliseconds.
        high_freq, low_freq: ends in Hz; high_freq of at most 0 counts from half of the rate.
        htk_compat: the energy comes last.
        min_duration: seconds; shorter signals have no frames.
        num_mel_bins: bands.
        preemphasis_coefficient: a frame's sample less so much of the one before.
        raw_energy: the energy is that before pre-emphasis and window.
        remove_dc_offset: each frame less its mean.
        round_to_power_of_two: points of the transform.
        sample_frequency: samples a second.
        snip_edges: only frames that lie within the signal, which is else mirrored.
        subtract_mean: bands less their means over the frames.
        use_energy: one more column, the logarithm of the frame's energy.
        use_log_fbank: logarithms.
        use_power: of powers, else of magnitudes.
        vtln_high, vtln_low, vtln_warp: warping of frequencies; vtln_high below 0 counts from half
            of the rate.
        window_type: "hanning", "hamming", "povey", "rectangular" or "blackman".

    Called with samples [..., time], it returns [..., frames, bands], with gradients. Kaldi's
    samples are those of 16 bits: audio in -1 ... 1 has bands 20.8 lower, in logarithms of powers,
    than the same times 32768.

    Raises:
        TypeError, ValueError: for arguments that do not fit.

    Example:
        >>> papilio.torch.Fbank(num_mel_bins=80)(torch.ones(16000)).shape
        torch.Size([98, 80])
    """

    window: Tensor
    bands: Tensor

    def __init__(self, blackman_coeff: float = 0.42, dither: float = 0.0, energy_floor: float = 1.0,
                 frame_length: float = 25.0, frame_shift: float = 10.0, high_freq: float = 0.0,
                 htk_compat: bool = False, low_freq: float = 20.0, min_duration: float = 0.0,
                 num_mel_bins: int = 23, preemphasis_coefficient: float = 0.97, raw_energy: bool = True,
                 remove_dc_offset: bool = True, round_to_power_of_two: bool = True,
                 sample_frequency: float = 16000.0, snip_edges: bool = True, subtract_mean: bool = False,
                 use_energy: bool = False, use_log_fbank: bool = True, use_power: bool = True,
                 vtln_high: float = -500.0, vtln_low: float = 100.0, vtln_warp: float = 1.0,
                 window_type: str = "povey") -> None:  # fmt: skip
        super().__init__()
        function = "Fbank"
        nyquist = sample_frequency / 2
        self._length = int(sample_frequency * frame_length * 0.001)
        self._shift = int(sample_frequency * frame_shift * 0.001)
        high = high_freq + nyquist if high_freq <= 0 else high_freq
        if self._length < 2 or self._shift < 1:
            raise ValueError(f"{function}: frames must be at least 2 samples long and 1 apart, got {self._length} and "
                             f"{self._shift}")  # fmt: skip
        if not 0 <= preemphasis_coefficient <= 1:
            raise ValueError(f"{function}: preemphasis_coefficient must be in [0, 1], got {preemphasis_coefficient}")
        if not 0 <= low_freq < high <= nyquist:
            raise ValueError(f"{function}: low_freq and high_freq must be ascending in [0, {nyquist:g}], got "
                             f"{low_freq:g} and {high:g}")  # fmt: skip
        if num_mel_bins < 4:
            raise ValueError(f"{function}: num_mel_bins must be at least 4, got {num_mel_bins}")
        self.n_fft = 1 << (self._length - 1).bit_length() if round_to_power_of_two else self._length
        if self.n_fft % 2:
            raise ValueError(f"{function}: a frame must have an even number of samples, got {self.n_fft}")
        self.dither, self.energy_floor, self.htk_compat = dither, energy_floor, htk_compat
        self._least_samples = min_duration * sample_frequency
        self.preemphasis_coefficient, self.raw_energy, self.remove_dc_offset = (
            preemphasis_coefficient, raw_energy, remove_dc_offset)  # fmt: skip
        self.snip_edges, self.subtract_mean, self.use_energy = snip_edges, subtract_mean, use_energy
        self.use_log_fbank, self.use_power = use_log_fbank, use_power
        self.register_buffer("window", _window(window_type, self._length, blackman_coeff).float(), persistent=False)

        low_mel, high_mel = _mel(torch.tensor([low_freq, high], dtype=torch.float64))
        edges = torch.linspace(float(low_mel), float(high_mel), num_mel_bins + 2, dtype=torch.float64)
        if vtln_warp != 1:
            top = vtln_high + nyquist if vtln_high < 0 else vtln_high
            if not low_freq < vtln_low < high or not 0 < top < high or vtln_low >= top:
                raise ValueError(f"{function}: vtln_low and vtln_high must be ascending between low_freq and high_freq, "
                                 f"got {vtln_low:g} and {top:g}")  # fmt: skip
            edges = self._warped(edges, vtln_low, top, low_freq, high, vtln_warp)
        at = _mel(torch.arange(self.n_fft // 2, dtype=torch.float64) * sample_frequency / self.n_fft)
        left, centre, right = edges[:-2, None], edges[1:-1, None], edges[2:, None]
        bands = torch.minimum((at - left) / (centre - left), (right - at) / (right - centre)).clamp(min=0)
        self.register_buffer("bands", torch.nn.functional.pad(bands, (0, 1)).T.contiguous().float(), persistent=False)

    @staticmethod
    def _warped(mel: Tensor, low: float, high: float, least: float, most: float, warp: float) -> Tensor:
        """Piecewise linear in Hz: by 1 / warp between the cutoffs, to the ends of the range beside them."""
        hz = 700 * (torch.exp(mel / 1127) - 1)
        lower, upper = low * max(1.0, warp), high * min(1.0, warp)
        below = least + (lower / warp - least) / (lower - least) * (hz - least)
        above = most + (most - upper / warp) / (most - upper) * (hz - most)
        inside = torch.where(hz < lower, below, torch.where(hz < upper, hz / warp, above))
        return _mel(torch.where((hz < least) | (hz > most), hz, inside))

    def _frames(self, x: Tensor) -> Tensor:
        if self.snip_edges:
            return x.unfold(-1, self._length, self._shift)
        count = (x.shape[-1] + self._shift // 2) // self._shift
        left = self._length // 2 - self._shift // 2
        mirrored = x.flip(-1)
        x = torch.cat([mirrored[..., -left:], x, mirrored], -1) if left > 0 else torch.cat([x[..., -left:], mirrored], -1)
        return x.unfold(-1, self._length, self._shift)[..., :count, :]

    def _energy(self, frames: Tensor) -> Tensor:
        energy = frames.square().sum(-1, keepdim=True).clamp(min=_LEAST).log()
        return energy.clamp(min=math.log(self.energy_floor)) if self.energy_floor > 0 else energy

    def forward(self, waveform: Tensor) -> Tensor:
        """[..., frames, bands] of samples [..., time]."""
        if array_of("Fbank", "waveform", waveform).dtype.kind == "c":
            raise TypeError(f"Fbank: waveform must be real, got {waveform.dtype}")
        columns, samples = self.bands.shape[1] + self.use_energy, waveform.shape[-1]
        if samples < self._least_samples or samples < (self._length if self.snip_edges else 1):
            return waveform.new_empty(*waveform.shape[:-1], 0, columns)
        frames = self._frames(waveform)
        if self.dither:
            frames = frames + self.dither * torch.randn_like(frames)
        if self.remove_dc_offset:
            frames = frames - frames.mean(-1, keepdim=True)
        energy = self._energy(frames) if self.use_energy and self.raw_energy else None
        if self.preemphasis_coefficient:
            steps = frames.clone()  # the first sample has itself before it
            steps[..., 1:].sub_(frames[..., :-1], alpha=self.preemphasis_coefficient)
            steps[..., 0].mul_(1 - self.preemphasis_coefficient)
            frames = steps
        frames = frames * self.window.to(frames.dtype)
        if self.use_energy and energy is None:
            energy = self._energy(frames)
        spectra = _fourier.rfft(frames, self.n_fft)
        sizes = spectra.real.square() + spectra.imag.square() if self.use_power else spectra.abs()
        out = sizes @ self.bands.to(frames.dtype)
        if self.use_log_fbank:
            out = out.clamp(min=_LEAST).log()
        if energy is not None:
            out = torch.cat([out, energy] if self.htk_compat else [energy, out], -1)
        return out - out.mean(-2, keepdim=True) if self.subtract_mean else out


public(globals(), methods=False)
