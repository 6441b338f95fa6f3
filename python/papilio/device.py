"""An emulated tensor-engine accelerator: what runs there computes true numbers, in modelled time.

    Device       a machine and a runtime, which functions take as `on`
    DeviceArray  an array in its memory
    Graph        operations that are captured, and run in one dispatch
    Pending      a copy or a graph that is under way
    Run          what ran: launches, bytes, modelled seconds
    plan  Plan   host and accelerator compared
    Profile      the numbers of a dry run of a kernel, which show their verdict
    kernels      the catalog of kernels
"""

from __future__ import annotations

import contextlib
import dataclasses
import html
from collections.abc import Callable, Iterator
from typing import Any

from numpy.typing import ArrayLike

from . import _papilio
from ._calls import integer, no_option, public
from ._papilio import DeviceError  # type: ignore[attr-defined, unused-ignore]

__all__ = ["Device", "DeviceArray", "Graph", "Pending", "Plan", "Profile", "Run", "kernels", "plan"]

if not hasattr(_papilio, "Device"):
    raise ImportError("this build of papilio has no accelerator (PAPILIO_DEVICE=OFF)")

DeviceArray = _papilio.DeviceArray  # type: ignore[attr-defined, unused-ignore]
Graph = _papilio.Graph  # type: ignore[attr-defined, unused-ignore]
Pending = _papilio.Pending  # type: ignore[attr-defined, unused-ignore]


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


@dataclasses.dataclass(frozen=True, repr=False)
class Run:
    """What ran on an accelerator, which shows itself. Seconds are modelled, but for wall_seconds.

    Parameters:
        operation: in words.
        machine: the accelerator's name.
        recipe: how it was done.
        launches: programs that ran.
        uploads, fetches: arrays copied to the accelerator, and back.
        upload_bytes, fetch_bytes: their bytes.
        launch_seconds, upload_seconds, device_seconds, link_seconds: parts of the time; links are
            between the cores of a group.
        fetch_seconds, compile_seconds: the other parts.
        seconds: their sum, which a user of the machine would have waited if nothing overlapped.
        asynchronous: whether the call only began, or waited for one that had.
        asynchronous_seconds: by how much the host's clock moved in such a call, or in waiting.
        wall_seconds: measured time of the emulation.
        steps: (name, recipe, device seconds) of programs that have steps.
        text: the lines that it shows.

    Example:
        >>> device = papilio.device.Device()
        >>> y = papilio.fft.fft(np.ones((128, 1024), np.complex64), on=device)
        >>> run = device.last_run
        >>> run.launches, run.upload_bytes, 1e-5 < run.device_seconds < run.seconds < 1e-2
        (1, 1048576.0, True)
        >>> print(str(run).splitlines()[0])
        fft of 128x1024 in float along axis 1 on device (trainium1)
    """

    operation: str
    machine: str
    recipe: str
    launches: int
    uploads: int
    fetches: int
    upload_bytes: float
    fetch_bytes: float
    launch_seconds: float
    upload_seconds: float
    device_seconds: float
    link_seconds: float
    fetch_seconds: float
    compile_seconds: float
    seconds: float
    asynchronous: bool
    asynchronous_seconds: float
    wall_seconds: float
    steps: tuple[tuple[str, str, float], ...]
    text: str

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    __str__ = __repr__


class Device(_papilio.Device):
    """An emulated accelerator, of one core or of several that share the work.

    It is the argument `on` of transforms, contractions, decompositions, MP2 and layers: their
    numbers are computed by the device's instructions, in float, and its time is modelled; the
    emulation takes longer than the host's own code. In double, and where there is no kernel, they
    raise DeviceError.

    Parameters:
        machine: "trainium1", "trainium2", "trainium3" ("trn1", "trn2", "trn3"), or a JSON file.
        runtime: "sdk_2_24", "sdk_2_29", "sdk_2_29_trn2", "sdk_2_32_trn2", "sdk_2_32_trn3", or a
            JSON file.
        cores: how many share the work, 1 to 4096; device arrays lie on the first.

    Raises:
        OSError: where there is neither such a name nor such a file.
        ValueError, TypeError: for a number of cores that there is not.

    Example:
        >>> device = papilio.device.Device("trn2")
        >>> device
        Device('trn2', 'sdk_2_24')
        >>> papilio.fft.rfft(np.ones(8, np.float32), on=device)[0]
        np.complex64(8+0j)
        >>> device.last_run.launches
        1
    """

    def __init__(self, machine: str = "trainium1", runtime: str = "sdk_2_24", cores: int = 1) -> None:
        super().__init__(machine, runtime, integer("Device", "cores", cores, 1))

    @property
    def last_run(self) -> Run | None:
        """The Run of the last call on it, copies included; None before the first."""
        return _papilio.last_run(self)

    @contextlib.contextmanager
    def overlapped(self) -> Iterator[Device]:
        """A context in which calls on device arrays only begin, and overlap in modelled time.

        Within it `array`, and functions of device arrays, return at once: copies up, runs and copies
        back of several are under way together, as the runtime allows it. `DeviceArray.numpy`,
        and calls with numpy's arrays wait for what they need. At its end everything is waited for.
        `device.asynchronous = True` begins such calls without a context.

        Returns:
            A context manager, whose value is the device.

        Raises:
            DeviceError: where the runtime has no asynchronous calls ("sdk_2_32_trn2" has them); at
                the end, or where its results are read, the error of a call that failed.

        Example:
            >>> device = papilio.device.Device("trn2", "sdk_2_32_trn2")
            >>> with device.overlapped():
            ...     y = papilio.fft.rfft(device.array(np.ones(8, np.float32)))
            >>> y.numpy()[0]
            np.complex64(8+0j)
        """
        before = self.asynchronous
        self.asynchronous = True
        try:
            yield self
        except BaseException:
            with contextlib.suppress(DeviceError):
                self.synchronize()
            with contextlib.suppress(DeviceError):  # a second call that failed
                self.asynchronous = before
            raise
        self.asynchronous = before
        self.synchronize()

    def synchronize(self) -> None:
        """Waits for everything that was begun on it.

        Raises:
            DeviceError: the first error of a call that no wait has raised.
        """
        super().synchronize()

    def array(self, x: ArrayLike) -> DeviceArray:
        """Copies an array to the accelerator's memory.

        Parameters:
            x: array of float32 or complex64, of one axis or more.

        Returns:
            A DeviceArray.

        Raises:
            TypeError: for other elements: an accelerator computes in float.
            DeviceError: where its memory does not suffice.
        """
        return _papilio.array(self, x)

    def capture(self, body: Callable[[], Any]) -> Graph:
        """Captures what a function does with device arrays into a graph; it does not run yet.

        Within the function `array` only notes a numpy.ndarray, which is read when the graph is
        submitted, and `numpy` returns one that is written then: the graph keeps both. Other calls
        on the accelerator wait, and operands of the host are refused.

        Parameters:
            body: called once, without arguments.

        Returns:
            A Graph, whose result is what `body` returned.

        Raises:
            ValueError: for operands of the host, within another capture, and where nothing ran.
        """
        return _papilio.capture(self, body)

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
        return Profile(_papilio.profile(self, kernel, [f"{k}={v}" for k, v in settings.items()]))

    def __repr__(self) -> str:
        cores = f", cores={self.cores}" if self.cores > 1 else ""
        return f"Device({self.machine!r}, {self.runtime!r}{cores})"


@dataclasses.dataclass(frozen=True, repr=False)
class Plan:
    """Host and accelerator compared, which shows the report of `papilio plan`.

    Parameters:
        expression: what was asked for.
        operation: the same in the library's words.
        choice: the faster side with operands on the host, "host" or "device".
        host: refusal (empty: it can), backend, recipe, seconds, flops and others, as the program's
            --json has them.
        device: refusal, recipe, launches, seconds and their parts likewise, modelled.
        situations: seconds of both sides, warm and cold, with operands on the host and the device.
        crossover: sizes from which on the device is faster, in the same situations.
        text: the lines that it shows.

    Example:
        >>> plan = papilio.plan("fft 4096 x 1024")
        >>> plan.choice, plan.device["launches"]
        ('host', 1)
        >>> plan.device_seconds > plan.device["floor_seconds"]
        True
    """

    expression: str
    operation: str
    choice: str
    host: dict[str, Any]
    device: dict[str, Any]
    situations: list[dict[str, Any]]
    crossover: dict[str, Any]
    text: str

    @property
    def host_seconds(self) -> float | None:
        """Estimate for the host; None where it cannot."""
        return self.host["seconds"]

    @property
    def device_seconds(self) -> float | None:
        """Modelled seconds of the device, warm, with copies of operands; None where it cannot."""
        return self.device["seconds"]

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    __str__ = __repr__


def plan(expression: str, machine: str = "trainium1", runtime: str = "sdk_2_24", *, cores: int = 1,
         type: str = "float32", workers: int | None = None) -> Plan:  # fmt: skip
    """How long an operation would take on the host and on an accelerator. Nothing of it runs.

    Parameters:
        expression: as `papilio plan` takes it: "fft 4096 x 1024", "gemm 2048x2048x2048",
            "stft 26460000 n_fft=2048 hop=512", "layer 4096 x 64 function=modrelu",
            "einsum ij,jk->ik i=64 j=8 k=64", "trsm m=1024 n=512", "cp 64x64x64 rank=16".
        machine, runtime, cores: the accelerator, as in Device.
        type: "float32", "float64" or "longdouble".
        workers: threads of the host; None: those of papilio.fft.set_workers.

    Returns:
        A Plan.

    Raises:
        ValueError: for expressions and types that there are not.
        OSError: where there is neither such a machine or runtime nor such a file.

    Example:
        >>> print(str(papilio.plan("fft 128 x 1024")).splitlines()[0])
        fft of 128x1024 in float along axis 1: 6.55 Mflop by convention
    """
    if not hasattr(_papilio, "plan"):
        raise ImportError("papilio.plan: this build of papilio has no tensors (PAPILIO_TENSOR=OFF)")
    device = Device(machine, runtime, cores)
    return Plan(**_papilio.plan(expression, type, workers, device))


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
