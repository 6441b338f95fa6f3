"""Kernels: a function with @nki.jit, which records itself when it is called, and then runs."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from . import names
from .language import hbm_tensor
from .profiles import Profile
from .recording import KernelError, Program, fail, recorded_into, running
from .types import dtype_of
from .views import View


class Kernel:
    """What @nki.jit makes of a function; `kernel[grid]` runs its instances one after another.

    Parameters:
        function: of tensors, written in NKI.
        grid: extents of the instances; (): one.

    Raises:
        TypeError: for what is no function.
        KernelError: when it is called, where the machine refuses it, with the kernel's line.

    Example:
        >>> import papilio.nki
        >>> with papilio.nki.as_nki():
        ...     import nki, nki.language as nl, nki.isa as nisa
        >>> @nki.jit
        ... def double(x):
        ...     tile = nl.load(x)
        ...     y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        ...     nl.store(y, tile + tile)
        ...     return y
        >>> double(np.ones((2, 3), np.float32))
        array([[2., 2., 2.],
               [2., 2., 2.]], dtype=float32)
    """

    def __init__(self, function: Callable[..., Any], grid: tuple[int, ...] = ()) -> None:
        if not callable(function):
            raise TypeError(f"a kernel is a function, got {type(function).__name__}")
        self.function = function.function if isinstance(function, Kernel) else function
        self.grid = grid
        self.machine: str | None = None  # None: that of as_nki
        functools.update_wrapper(self, self.function)

    def __getitem__(self, grid: Any) -> Kernel:
        try:
            extents = tuple(int(e) for e in (grid if isinstance(grid, tuple) else (grid,)))
        except (TypeError, ValueError):
            extents = (0,)
        if min(extents) < 1:
            raise KernelError(f"kernel {self.__name__}: a grid takes integers of at least 1, got {grid!r}")
        return Kernel(self.function, extents)

    def __call__(self, *args: Any, **named: Any) -> Any:
        program = running()
        if program is None:
            return Recorded(self, args, named).execute()
        return self.recorded_into(program, args, named)

    def recorded_into(self, program: Program, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Calls the function, once for each instance of the grid. A kernel within another is part of it."""
        if self.function in _entered:
            fail(f"{self.__name__} calls itself")
        outer, declared = (program.grid, program.instance), program.declared
        _entered.append(self.function)
        try:
            for instance in np.ndindex(*self.grid):
                program.grid, program.instance, program.declared = self.grid, instance, declared
                result = self.function(*args, **named)
            return result
        finally:
            _entered.pop()
            program.grid, program.instance = outer


_entered: list[Callable[..., Any]] = []


def _mapped(function: Callable[[Any], Any], nest: Any) -> Any:
    """A list, tuple or dict with the function's result for each element."""
    if isinstance(nest, dict):
        return {name: function(element) for name, element in nest.items()}
    return type(nest)(function(element) for element in nest)


class Recorded:
    """One call of a kernel, recorded: its tensors, its results, and how it runs."""

    def __init__(self, kernel: Kernel, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        machine = kernel.machine or names.machine()
        self.program = Program(kernel.__name__, machine)
        self._torch: Any = None  # where an argument was one of its tensors
        self._inputs: list[View] = []
        args = tuple(self._argument(x, f"argument {i + 1}") for i, x in enumerate(args))
        named = {name: self._argument(x, name) for name, x in named.items()}
        with recorded_into(self.program), names.as_nki(machine):
            result = kernel.recorded_into(self.program, args, named)
        self.results = self._outputs(result)
        self.program.recording.settle()
        stored = set(self.program.recording.stored_tensors())
        for tensor in self._inputs:
            if tensor.memory.number in stored:
                self._give_role(tensor, "updated")

    def _fail(self, message: str) -> KernelError:
        return KernelError(f"kernel {self.program.kernel}: {message}")

    def _give_role(self, tensor: View, role: str) -> None:
        tensor.memory.role = role
        self.program.recording.set_role(tensor.memory.number, role)

    def _argument(self, x: Any, what: str) -> Any:
        if type(x) in (list, tuple, dict):
            return _mapped(lambda e: self._argument(e, what), x)
        is_torch = type(x).__module__.partition(".")[0] == "torch" and hasattr(x, "detach")
        if not isinstance(x, np.ndarray) and not is_torch:
            return x
        if is_torch:
            self._torch = sys.modules["torch"]
            if x.device.type != "cpu":
                raise self._fail(f"{what}: a torch tensor must be on the CPU, is on {x.device}")
        if x.ndim < 1 or 0 in x.shape:
            raise self._fail(f"{what}: an array must have axes and elements, got shape {tuple(x.shape)}")
        try:
            type_ = dtype_of(x.dtype, what)
        except KernelError as e:
            raise self._fail(str(e)[str(e).index(what) :]) from None
        tensor = hbm_tensor(self.program, tuple(x.shape), type_, "input")
        tensor.memory.array = x
        self._inputs.append(tensor)
        return tensor

    def _outputs(self, result: Any) -> Any:
        if type(result) in (list, tuple, dict):
            return _mapped(self._outputs, result)
        if result is None:
            return None
        if not isinstance(result, View) or not result.is_hbm or result.memory.program is not self.program:
            kind = result.buffer if isinstance(result, View) else type(result).__name__
            raise self._fail(f"outputs must be tensors in HBM (buffer=nl.shared_hbm), got {kind}")
        if np.prod(result.shape) != np.prod(result.memory.shape):
            raise self._fail("outputs must be whole tensors in HBM, got a part of one")
        if result.memory.role == "scratch":
            self._give_role(result, "output")
        return result

    def run(self, dry: bool, trace: bool = False, arrays: dict[int, Any] | None = None) -> dict[str, Any]:
        numbers: dict[str, Any] = self.program.recording.run(
            self.program.machine, "sdk_2_24", dry, trace, 0, arrays or {}
        )
        return numbers

    def execute(self) -> Any:
        """Runs it with its arrays; returns arrays like them, with what was computed."""
        arrays: dict[int, Any] = {}
        for tensor in self.program.tensors:
            memory = tensor.memory
            if memory.role == "output":
                arrays[memory.number] = np.empty(int(np.prod(memory.shape)) * tensor.dtype.itemsize, np.uint8)
            elif memory.role != "scratch":
                arrays[memory.number] = self._bytes_of(memory.array, copies=memory.role == "updated")
        self.profile = Profile(self, self.run(False, arrays=arrays))
        for tensor in self._inputs:
            if tensor.memory.role == "updated":
                self._write_back(tensor.memory.array, self._array(tensor, arrays))
        return self._arrays(self.results, arrays)

    def _bytes_of(self, x: Any, copies: bool) -> Any:
        if isinstance(x, np.ndarray):
            flat = np.ascontiguousarray(x).reshape(-1).view(np.uint8)
        else:
            flat = x.detach().contiguous().flatten().view(self._torch.uint8).numpy()
        return flat.copy() if copies else flat

    def _write_back(self, to: Any, values: Any) -> None:
        if isinstance(to, np.ndarray):
            to[...] = np.asarray(values).view(to.dtype).reshape(to.shape)
        else:
            to.detach().copy_(values)

    def _arrays(self, result: Any, arrays: dict[int, Any]) -> Any:
        if isinstance(result, (list, tuple, dict)):
            return _mapped(lambda r: self._arrays(r, arrays), result)
        return None if result is None else self._array(result, arrays)

    def _array(self, tensor: View, arrays: dict[int, Any]) -> Any:
        values = arrays[tensor.memory.number]
        if self._torch is None:
            return values.view(tensor.dtype.numpy()).reshape(tensor.shape)
        name = "bool" if tensor.dtype.name == "bool_" else tensor.dtype.name
        return self._torch.from_numpy(values).view(getattr(self._torch, name)).reshape(tensor.shape)


def jit(function: Any = None, **hints: Any) -> Any:
    """@nki.jit, with or without arguments (mode, platform_target …), which change nothing here."""
    return (lambda f: Kernel(f)) if function is None else Kernel(function)


def simulate(kernel: Any, machine: str | None = None) -> Kernel:
    """A kernel that runs on a machine of its own: simulate(kernel)(arrays) has its results.

    Parameters:
        kernel: a function or a Kernel.
        machine: "trainium1", "trainium2", "trainium3" ("trn1", "trn2", "trn3"), or a JSON file; None:
            that of as_nki.

    Returns:
        A Kernel.

    Raises:
        TypeError: for what is no function.

    Example:
        >>> import papilio.nki
        >>> with papilio.nki.as_nki():
        ...     import nki.language as nl
        >>> def copy(x):
        ...     y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        ...     nl.store(y, nl.load(x))
        ...     return y
        >>> papilio.nki.simulate(copy, "trn2")(np.ones((1, 3), np.float32))
        array([[1., 1., 1.]], dtype=float32)
    """
    found = Kernel(kernel, kernel.grid if isinstance(kernel, Kernel) else ())
    found.machine = machine
    return found


def simulate_kernel(kernel: Any, *args: Any, **named: Any) -> Any:
    return simulate(kernel)(*args, **named)


def profile(kernel: Any, *args: Any, machine: str | None = None, **named: Any) -> Profile:
    """What a kernel would take (modelled): a dry run, which reads no contents of its arrays.

    Parameters:
        kernel: a function or a Kernel.
        args, named: its arguments.
        machine: "trainium1", "trainium2", "trainium3" ("trn1", "trn2", "trn3"), or a JSON file; None:
            that of as_nki.

    Returns:
        A Profile, which prints the time, what bounds it, and why.

    Raises:
        KernelError: where the machine refuses it, with the kernel's line.

    Example:
        >>> import papilio.nki
        >>> with papilio.nki.as_nki():
        ...     import nki.language as nl
        >>> def copy(x):
        ...     y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        ...     nl.store(y, nl.load(x))
        ...     return y
        >>> papilio.nki.profile(copy, np.ones((128, 512), np.float32)).instructions
        2
    """
    recorded = Recorded(simulate(kernel, machine), args, named)
    return Profile(recorded, recorded.run(dry=True))


class _Latency:
    def __init__(self, seconds: float) -> None:
        self._microseconds = seconds * 1e6

    def get_latency_percentile(self, percentile: float) -> float:
        """The modelled device time in microseconds, for each percentile the same."""
        return self._microseconds


class Benchmark(Kernel):
    """nki.benchmark: a kernel that keeps its modelled time."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        recorded = Recorded(self, args, named)
        result = recorded.execute()
        self.profile = recorded.profile
        self.benchmark_result = type("BenchmarkResult", (), {})()
        self.benchmark_result.nc_latency = _Latency(recorded.profile.device_seconds)
        return result


def benchmark(kernel: Any = None, **hints: Any) -> Any:
    return (lambda f: Benchmark(f)) if kernel is None else Benchmark(kernel)
