"""Kernels in the public NKI language, unmodified, on papilio's modelled machine: numbers and time.

    import papilio.nki
    with papilio.nki.as_nki():
        from my_kernels import matmul
    c = matmul(a, b)
    print(papilio.nki.profile(matmul, a, b))

    as_nki       within it, `import nki` finds papilio's
    profile      what a kernel would take: a Profile
    simulate     a kernel on a machine of its own: a Kernel
    KernelError  what a kernel may not do

docs/nki.md lists the calls of nki.language and nki.isa.
"""

from __future__ import annotations

from .. import _papilio

if not hasattr(_papilio, "Recording"):
    raise ImportError("this build of papilio has no accelerator (PAPILIO_DEVICE=OFF)")

from .kernels import Kernel, profile, simulate
from .names import as_nki
from .profiles import Profile
from .recording import KernelError

__all__ = ["Kernel", "KernelError", "Profile", "as_nki", "profile", "simulate"]
