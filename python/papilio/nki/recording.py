"""The program that a kernel is recorded into, and errors that name the kernel's line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

from .. import _papilio

_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
_file_names: dict[str, str] = {}  # as messages have them; empty for our own files


class KernelError(ValueError):
    """What a kernel may not do: the message names the kernel and its line.

    Example:
        >>> import papilio.nki
        >>> issubclass(papilio.nki.KernelError, ValueError)
        True
    """


class Program:
    """What one call of a kernel recorded."""

    def __init__(self, kernel: str, machine: str) -> None:
        self.kernel = kernel
        self.machine = machine
        self.generation: int = _papilio.core_generation(machine)
        self.recording: Any = _papilio.Recording(kernel)
        self.grid: tuple[int, ...] = ()
        self.instance: tuple[int, ...] = ()
        self.tensors: list[Any] = []  # all in HBM
        self.outputs: list[Any] = []  # tensors in shared HBM, in the order of their declaration
        self.declared = 0  # of them, by this instance of the grid


_running: list[Program] = []


def current() -> Program:
    """The program that is being recorded."""
    if not _running:
        raise KernelError("papilio.nki: outside of a kernel: nki calls belong into a function with @nki.jit")
    return _running[-1]


def running() -> Program | None:
    return _running[-1] if _running else None


@contextmanager
def recorded_into(program: Program) -> Iterator[None]:
    _running.append(program)
    try:
        yield
    finally:
        _running.pop()


def _source() -> tuple[int, str]:
    """The line and the file of the kernel's frame that called us."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        code = frame.f_code.co_filename
        name = _file_names.get(code)
        if name is None:
            ours = os.path.abspath(code).startswith(_FOLDER)
            name = _file_names[code] = "" if ours else os.path.basename(code)
        if name:
            return frame.f_lineno, name
        frame = frame.f_back
    return 0, "(unknown)"


def where() -> str:
    """ "kernel K, FILE line N", of the line that is recorded."""
    line, file = _source()
    return f"kernel {_running[-1].kernel if _running else '(none)'}, {file} line {line}"


def fail(message: str) -> NoReturn:
    raise KernelError(f"{where()}: {message}")


def emit(opcode: str, operands: dict[str, Any], role: str = "") -> None:
    """Appends an instruction: its operands by the names of the engine's fields."""
    line, file = _source()
    try:
        current().recording.issue(opcode, operands, line, file, role)
    except (ValueError, TypeError, OverflowError) as e:
        raise KernelError(f"{where()}: {e}") from None


def new_tile(psum: bool, partitions: int, columns: int, type_name: str) -> int:
    """The number of a new tile, which gets its place when the program runs."""
    if not 1 <= partitions <= 128:
        fail(f"a tile must have 1 to 128 partitions, got {partitions}")
    if columns < 1:
        fail(f"a tile must have at least 1 element in a partition, got {columns}")
    line, file = _source()
    number: int = current().recording.tile(psum, partitions, columns, type_name, line, file)
    return number
