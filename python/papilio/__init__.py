"""FFT and spectral analysis of arrays and sound files, by papilio's C++ library.

    >>> sound = papilio.read("song.flac")
    >>> spectra = papilio.signal.stft(sound, axes=True)
    >>> sound.picture().save("song.png")

Modules:
    fft      scipy.fft's transforms
    signal   short-time transforms, densities, mel bands, features, masks, convolutions
    device   an emulated tensor-engine accelerator: what kernels would take there
    nki      kernels of the public NKI language on that accelerator

Sound files and pictures:
    read  info  blocks  write  resample  spectrogram_picture
    Sound  SoundReader  SoundWriter  Resampler  Picture

Plans, whose tables are made once, and streams:
    FftPlan  RfftPlan  StftPlan  IstftPlan  MelFilterbank  StftStream  IstftStream

Tensors:
    einsum  contract_path  cp  tucker  tt  CpModel  TuckerModel  TensorTrain

Others:
    scipy_backend  keep_memory  build_info  DeviceError

`help(papilio.read)` and its like have parameters, results and an example.
"""

from __future__ import annotations

from typing import Any

from . import _papilio, fft, signal
from ._papilio import DeviceError, build_info, keep_memory  # type: ignore[attr-defined, unused-ignore]
from ._plans import FftPlan, RfftPlan
from ._calls import public
from ._sound import (
    Picture,
    Resampler,
    Sound,
    SoundReader,
    SoundWriter,
    blocks,
    info,
    read,
    resample,
    spectrogram_picture,
    write,
)
from ._tensor import CpModel, TensorTrain, TuckerModel, contract_path, cp, einsum, tt, tucker
from .fft import scipy_backend
from .signal import IstftPlan, IstftStream, MelFilterbank, StftPlan, StftStream

__version__ = build_info().split(",")[0].split()[-1]
__all__ = [
    "CpModel", "DeviceError", "FftPlan", "IstftPlan", "IstftStream", "MelFilterbank", "Picture",
    "Resampler", "RfftPlan", "Sound", "SoundReader", "SoundWriter", "StftPlan", "StftStream",
    "TensorTrain", "TuckerModel", "blocks", "build_info", "contract_path", "cp", "einsum", "fft", "info",
    "keep_memory", "read", "resample", "scipy_backend", "signal", "spectrogram_picture", "tt", "tucker",
    "write",
]  # fmt: skip
if hasattr(_papilio, "Device"):
    __all__ += ["device", "nki"]


def __getattr__(name: str) -> Any:
    if name in ("device", "nki"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


public(globals())
