"""FFT and spectral analysis of arrays and sound files, by papilio's C++ library.

    >>> sound = papilio.read("song.flac")
    >>> spectra = papilio.signal.stft(sound, axes=True)
    >>> sound.picture().save("song.png")

Modules:
    fft      scipy.fft's transforms
    signal   short-time transforms, densities, mel bands, features, masks, convolutions
    dask     transforms along the axes of dask's arrays, one function over a folder
    chem     density-fitted MP2 and its integrals
    layers   layers of complex networks and their gradients
    device   an emulated tensor-engine accelerator, which functions take as `on`
    nki      kernels of the public NKI language on that accelerator
    torch    torch's transforms and torchaudio's modules, with gradients

Sound files and pictures:
    read  info  blocks  write  resample  spectrogram_picture
    Sound  SoundReader  SoundWriter  Resampler  Picture

Plans, whose tables are made once, and streams:
    FftPlan  RfftPlan  StftPlan  IstftPlan  MelFilterbank  StftStream  IstftStream

Tensors:
    einsum  einsum_vjp  contract_path  cp  tucker  tt  CpModel  TuckerModel  TensorTrain

Others:
    plan  scipy_backend  keep_memory  build_info  DeviceError

`help(papilio.read)` and its like have parameters, results and an example.
"""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING, Any

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
from .fft import scipy_backend
from .signal import IstftPlan, IstftStream, MelFilterbank, StftPlan, StftStream

if TYPE_CHECKING:
    from ._tensor import CpModel, TensorTrain, TuckerModel, contract_path, cp, einsum, einsum_vjp, tt, tucker
    from .device import plan

# Wheels have a font, for computers that have none: pictures find it where fontconfig is not set up.
_fonts = os.path.join(os.path.dirname(__file__), "fonts", "fonts.conf")
if not os.path.exists("/etc/fonts/fonts.conf") and os.path.exists(_fonts) and "FONTCONFIG_PATH" not in os.environ:
    os.environ.setdefault("FONTCONFIG_FILE", _fonts)

__version__ = build_info().split(",")[0].split()[-1]
_TENSORS = ["CpModel", "TensorTrain", "TuckerModel", "contract_path", "cp", "einsum", "einsum_vjp", "tt", "tucker"]
__all__ = [
    "DeviceError", "FftPlan", "IstftPlan", "IstftStream", "MelFilterbank", "Picture", "Resampler",
    "RfftPlan", "Sound", "SoundReader", "SoundWriter", "StftPlan", "StftStream", "blocks", "build_info", "fft",
    "info", "keep_memory", "read", "resample", "scipy_backend", "signal", "spectrogram_picture", "write",
]  # fmt: skip
__all__ += [name for name in ("dask", "torch") if importlib.util.find_spec(name) is not None]
if hasattr(_papilio, "einsum"):
    __all__ += [*_TENSORS, "chem", "layers"]
if hasattr(_papilio, "Device"):
    __all__ += ["device", "nki", "plan"]


def __getattr__(name: str) -> Any:
    """What is loaded when it is asked for first; ImportError where this build has it not."""
    if name in ("chem", "dask", "device", "layers", "nki", "torch"):
        value = importlib.import_module(f".{name}", __name__)
    elif name == "plan":
        value = importlib.import_module(".device", __name__).plan
    elif name in _TENSORS:
        value = getattr(importlib.import_module("._tensor", __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


public(globals())
