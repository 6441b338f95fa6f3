"""FFT and spectral analysis of arrays and sound files, by papilio's C++ library."""

from . import fft, signal
from ._papilio import DeviceError, build_info, keep_memory
from ._plans import FftPlan, RfftPlan
from ._sound import Picture, Sound, info, read, resample, spectrogram_picture, write
from ._tensor import CpModel, TensorTrain, TuckerModel, contract_path, cp, einsum, tt, tucker
from .fft import scipy_backend
from .signal import IstftPlan, IstftStream, MelFilterbank, StftPlan, StftStream

__version__ = build_info().split(",")[0].split()[-1]
__all__ = [
    "CpModel", "DeviceError", "FftPlan", "IstftPlan", "IstftStream", "MelFilterbank", "Picture", "RfftPlan",
    "Sound", "StftPlan", "StftStream", "TensorTrain", "TuckerModel", "build_info",
    "contract_path", "cp", "einsum", "fft", "info", "keep_memory", "read", "resample", "scipy_backend", "signal",
    "spectrogram_picture", "tt", "tucker", "write",
]  # fmt: skip


def __getattr__(name):
    if name == "device":
        import importlib

        return importlib.import_module(".device", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
