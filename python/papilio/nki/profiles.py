"""Profile: what a kernel would take on the modelled machine, and why."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .kernels import Recorded

_ENGINES = ("tensor", "vector", "scalar", "gpsimd", "dma")


class Profile:
    """Modelled times in seconds, the verdict in words, and the profiler's numbers, of papilio.nki.profile.

    Parameters:
        recorded: the kernel's call.
        numbers: of its run.

    Raises:
        KeyError: for numbers of another origin.

    Example:
        >>> import papilio.nki
        >>> with papilio.nki.as_nki():
        ...     import nki.language as nl
        >>> def copy(x):
        ...     y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        ...     nl.store(y, nl.load(x))
        ...     return y
        >>> profile = papilio.nki.profile(copy, np.ones((128, 512), np.float32))
        >>> print(str(profile).split(":")[0], 0 < profile.device_seconds < 1e-4)
        kernel copy on trainium1 True
    """

    def __init__(self, recorded: Recorded, numbers: dict[str, Any]) -> None:
        self._recorded = recorded
        self.kernel: str = recorded.program.kernel
        self.machine: str = recorded.program.machine
        self.verdict: str = numbers["verdict"]
        self.summary: dict[str, float] = json.loads(numbers["summary"])
        self.instructions: int = numbers["instructions"]
        self.device_seconds: float = numbers["device_seconds"]
        self.launch_seconds: float = numbers["launch_seconds"]
        self.upload_seconds: float = numbers["upload_seconds"]
        self.fetch_seconds: float = numbers["fetch_seconds"]
        self.total_seconds: float = numbers["total_seconds"]
        self.repeated_loads: int = numbers["repeated_loads"]
        self.repeated_load_bytes: int = numbers["repeated_load_bytes"]
        self.replay_seconds: float = numbers["replay_seconds"]  # of the host, not modelled

    @property
    def engine_shares(self) -> dict[str, float]:
        """The part of the device's time in which each engine was active."""
        return {e: self.summary.get(f"{e}_engine_active_time_percent",
                                    self.summary.get(f"{e}_active_time_percent", 0.0)) for e in _ENGINES}  # fmt: skip

    @property
    def note(self) -> str:
        """A sentence on loads that repeat what still lies in SBUF; empty where there are none."""
        if not self.repeated_loads:
            return ""
        return (f"{self.repeated_loads} loads ({self.repeated_load_bytes / 1e6:.3g} MB) repeat what still lies in "
                "SBUF; the vendor's compiler may drop them")  # fmt: skip

    def __repr__(self) -> str:
        head = (f"kernel {self.kernel} on {self.machine}: {self.device_seconds * 1e6:.2f} us, "
                f"{self.instructions} instructions")  # fmt: skip
        return "\n".join(line for line in (head, self.verdict.rstrip("\n"), self.note) if line)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{engine}</td><td>{share:.1%}</td><td><div style='background:#4477aa;height:0.8em;"
            f"width:{200 * share:.0f}px'></div></td></tr>"
            for engine, share in self.engine_shares.items()
        )
        return f"<pre>{html.escape(repr(self))}</pre><table>{rows}</table>"

    def to_dict(self) -> dict[str, Any]:
        """All numbers under their names, times in seconds; "summary" has the profiler's fields."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def trace(self, path: str) -> None:
        """Writes the timeline as trace events, for ui.perfetto.dev."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._recorded.run(dry=True, trace=True)["trace"])

    def listing(self) -> str:
        """One line for each instruction: times, engine, operands, and the kernel's line."""
        head, *lines = self._recorded.run(dry=True, trace=True)["listing"].splitlines()
        sources = self._recorded.program.recording.lines()
        at = max((len(f"{file}:{line}") for file, line in sources), default=6)
        return "\n".join([f"{'source':<{at}} {head}"] + [
            f"{f'{file}:{line}':<{at}} {text}" for (file, line), text in zip(sources, lines)
        ]) + "\n"  # fmt: skip
