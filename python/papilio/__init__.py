"""FFT and spectral analysis of arrays and sound files, by papilio's C++ library."""

from . import fft, signal
from ._papilio import DeviceError, build_info
from .fft import scipy_backend

__version__ = build_info().split(",")[0].split()[-1]
__all__ = ["DeviceError", "build_info", "fft", "scipy_backend", "signal"]
