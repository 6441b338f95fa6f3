"""An emulated tensor-engine accelerator: what kernels of a catalog would take there (modelled)."""

from __future__ import annotations

import html
from typing import Any

from . import _papilio
from ._calls import public

__all__ = ["Device", "Profile", "kernels"]

if not hasattr(_papilio, "Device"):
    raise ImportError("this build of papilio has no accelerator (PAPILIO_DEVICE=OFF)")


class Profile(dict[str, Any]):
    """A dry run's numbers: "summary", "dispatch" (seconds), "design", "expected_error"."""

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(str(name))}</td><td>{html.escape(f'{value:.6g}')}</td></tr>"
            for part in ("dispatch", "summary")
            for name, value in self[part].items()
            if isinstance(value, (int, float)) and not isinstance(value, bool) and value
        )
        return f"<table>{rows}</table><pre>{html.escape(self['design'])}</pre>"


class Device:
    """An accelerator: a machine and a runtime, each by name or as a JSON file."""

    def __init__(self, machine: str = "trainium1", runtime: str = "sdk_2_24") -> None:
        self._device = _papilio.Device(machine, runtime)

    @property
    def machine(self) -> str:
        return self._device.machine

    @property
    def runtime(self) -> str:
        return self._device.runtime

    def profile(self, kernel: str, **settings: Any) -> Profile:
        """A dry run of a kernel: device.profile("fft", n=1024, batch=4096)."""
        return Profile(self._device.profile(kernel, [f"{k}={v}" for k, v in settings.items()]))

    def __repr__(self) -> str:
        return f"Device({self.machine!r}, {self.runtime!r})"


def kernels() -> list[dict[str, Any]]:
    """The catalog: names, summaries and parameters of the kernels."""
    return _papilio.kernels()


public(globals())
