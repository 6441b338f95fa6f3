"""Spectra of torch's tensors, with gradients, and torchaudio's modules.

Tensors of the CPU, float32 or float64, are read where they are, and results are tensors over the
memory that papilio wrote: nothing is copied. Threads are those of torch.set_num_threads.

Functions, with torch's arguments and names:
    fft  ifft  rfft  irfft  fftn  ifftn  rfftn  irfftn  stft  istft

Modules, with torchaudio's arguments and values, and the names of its tables in state_dict():
    Spectrogram  InverseSpectrogram  MelScale  MelSpectrogram  AmplitudeToDB  MFCC  LFCC  Resample 
    Fbank
"""

from __future__ import annotations

try:
    import torch  # noqa: F401
except ImportError as error:
    raise ImportError("papilio.torch needs torch: pip install torch") from error

from ._fbank import Fbank
from ._fourier import fft, fftn, ifft, ifftn, irfft, irfftn, istft, rfft, rfftn, stft
from ._transforms import (
    LFCC,
    MFCC,
    AmplitudeToDB,
    InverseSpectrogram,
    MelScale,
    MelSpectrogram,
    Resample,
    Spectrogram,
)

__all__ = [
    "LFCC", "MFCC", "AmplitudeToDB", "Fbank", "InverseSpectrogram", "MelScale", "MelSpectrogram", "Resample",
    "Spectrogram", "fft", "fftn", "ifft", "ifftn", "irfft", "irfftn", "istft", "rfft", "rfftn", "stft",
]  # fmt: skip
