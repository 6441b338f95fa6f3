"""An emulated tensor-engine accelerator: what kernels of a catalog would take there (modelled).

    Device   a machine and a runtime; its profile() is a dry run of a kernel
    Profile  the numbers of a dry run, which show their verdict
    kernels  the catalog
"""

from __future__ import annotations

import html
from typing import Any

from . import _papilio
from ._calls import no_option, public

__all__ = ["Device", "Profile", "kernels"]

if not hasattr(_papilio, "Device"):
    raise ImportError("this build of papilio has no accelerator (PAPILIO_DEVICE=OFF)")


_UNITS = ("tensor_engine", "vector_engine", "scalar_engine", "gpsimd_engine", "sync_engine", "dma", "cc_op")


class Profile(dict[str, Any]):
    """The numbers of a dry run, modelled: a dict that shows its verdict and a short table.

    "verdict" has what bounds the run in words, "dispatch" its parts in seconds, "summary" the
    profiler's numbers, "design" what was made, "expected_error" the kernel's rounding.

    Example:
        >>> profile = papilio.device.Device("trn1").profile("fft", n=1024, batch=4096)
        >>> print(str(profile).splitlines()[0])
        fft on trainium1
        >>> sorted(profile.active)[:2]
        ['dma', 'scalar_engine']
    """

    @property
    def active(self) -> dict[str, float]:
        """The part of the device's time in which each unit was active, of those that were."""
        shares = {unit: self["summary"].get(f"{unit}_active_time_percent", 0) for unit in _UNITS}
        return {unit: share for unit, share in shares.items() if share}

    def __repr__(self) -> str:
        parts = [f"  {name:<14}{1e6 * seconds:>12.1f} us" for name, seconds in self["dispatch"].items() if seconds]
        shares = [f"  {unit:<14}{share:>12.1%}" for unit, share in self.active.items()]
        return "\n".join([
            f"{self['kernel']} on {self['machine']}", self["verdict"].rstrip("\n"),
            f"one dispatch with {self['runtime']}, operands copied in and out (modelled):", *parts,
            "active:", *shares])  # fmt: skip

    __str__ = __repr__

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{value:.6g}</td></tr>"
            for name, value in self["summary"].items()
            if isinstance(value, (int, float)) and not isinstance(value, bool) and value
        )
        return (f"<pre>{html.escape(repr(self))}</pre><details><summary>All numbers and the design</summary>"
                f"<table>{rows}</table><pre>{html.escape(self['design'])}</pre></details>")  # fmt: skip


class Device:
    """An emulated accelerator.

    Parameters:
        machine: "trainium1", "trainium2", "trn1", "trn2", or a JSON file.
        runtime: "sdk_2_24", "sdk_2_29", "sdk_2_29_trn2", or a JSON file.

    Raises:
        OSError: where there is neither such a name nor such a file.

    Example:
        >>> papilio.device.Device("trn2")
        Device('trn2', 'sdk_2_24')
    """

    def __init__(self, machine: str = "trainium1", runtime: str = "sdk_2_24") -> None:
        self._device = _papilio.Device(machine, runtime)

    @property
    def machine(self) -> str:
        """Name or file of the machine."""
        return self._device.machine

    @property
    def runtime(self) -> str:
        """Name or file of the runtime."""
        return self._device.runtime

    def profile(self, kernel: str, **settings: Any) -> Profile:
        """A dry run of a kernel: what it would take on the machine (modelled), and why.

        Parameters:
            kernel: a name of papilio.device.kernels().
            settings: the kernel's parameters, n=1024 for example.

        Returns:
            A Profile.

        Raises:
            ValueError, TypeError: for kernels and settings that there are not.
            DeviceError: where the machine refuses the kernel.
        """
        known = next((k["parameters"] for k in kernels() if k["name"] == kernel), None)
        names = settings if known is None else [p["name"] for p in known]
        for name in settings:
            if name not in names:
                raise no_option("Device.profile", name, names)
        return Profile(self._device.profile(kernel, [f"{k}={v}" for k, v in settings.items()]))

    def __repr__(self) -> str:
        return f"Device({self.machine!r}, {self.runtime!r})"


def kernels() -> list[dict[str, Any]]:
    """The catalog of kernels.

    Returns:
        A list of dicts: name, summary, and parameters (each with name, preset, help and choices).

    Example:
        >>> {"fft", "gemm", "mp2_energy"} <= {kernel["name"] for kernel in papilio.device.kernels()}
        True
    """
    return _papilio.kernels()


public(globals())
