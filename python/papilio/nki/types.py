"""Element types and operations: what nl.float32 and nl.add are."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _papilio
from .recording import fail


class DType:
    """An element type by its name in nki; `engine` is the machine model's name, None without one."""

    __slots__ = ("name", "engine", "itemsize")

    def __init__(self, name: str, engine: str | None, itemsize: int) -> None:
        self.name, self.engine, self.itemsize = name, engine, itemsize

    def __repr__(self) -> str:
        return f"nl.{self.name}"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self.name == other.name
        return _name_of(other) == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def dtype(self) -> np.dtype[Any]:
        """numpy's type, so that numpy takes nl.float32 for one."""
        return self.numpy()

    def numpy(self) -> np.dtype[Any]:
        """Raises ValueError for a type that numpy has only with the package ml_dtypes."""
        if self.name in _OF_NUMPY:
            return np.dtype(_OF_NUMPY[self.name])
        if self.name.endswith("_x4"):
            raise ValueError(f"{self.name} has four numbers an element, which no array of numpy has")
        try:
            import ml_dtypes
        except ImportError:
            raise ValueError(f"{self.name} arrays need the package ml_dtypes, or torch") from None
        return np.dtype(getattr(ml_dtypes, self.name))


_OF_NUMPY = {
    "float32": np.float32, "float16": np.float16, "int32": np.int32, "uint8": np.uint8, "int8": np.int8,
    "int16": np.int16, "uint16": np.uint16, "uint32": np.uint32, "bool_": np.bool_, "tfloat32": np.float32,
}  # fmt: skip

DTYPES = {
    t.name: t
    for t in (
        DType("float32", "fp32", 4), DType("bfloat16", "bf16", 2), DType("float16", "fp16", 2),
        DType("tfloat32", "tf32", 4), DType("int32", "int32", 4), DType("uint8", "uint8", 1),
        DType("bool_", "uint8", 1), DType("float8_e4m3", "fp8_e4m3", 1),
        DType("float8_e5m2", "fp8_e5m2", 1), DType("int8", None, 1), DType("int16", None, 2),
        DType("uint16", None, 2), DType("uint32", None, 4), DType("float8_e4m3fn", "fp8_e4m3fn", 1),
        DType("float8_e8m0fnu", "uint8", 1), DType("float8_e4m3fn_x4", "fp8_e4m3fn_x4", 4),
        DType("float8_e5m2_x4", "fp8_e5m2_x4", 4), DType("float4_e2m1fn_x4", "fp4_e2m1fn_x4", 2),
    )
}  # fmt: skip


def _name_of(given: object) -> str:
    """A type's name: of numpy's types, torch's, a string, or Python's own."""
    if isinstance(given, str):
        name = given
    elif type(given).__module__.split(".")[0] == "torch":
        name = str(given).rpartition(".")[2]
    else:
        try:
            name = np.dtype(given).name  # type: ignore[call-overload]
        except TypeError:
            return "" if given is None else str(given)
    return {"bool": "bool_"}.get(name, name)


def dtype_of(given: object, what: str = "dtype") -> DType:
    """The type that is meant. Fails for one that no tile can have."""
    found = given if isinstance(given, DType) else DTYPES.get(_name_of(given))
    if found is None or found.engine is None:
        usable = ", ".join(t.name for t in DTYPES.values() if t.engine)
        hint = ": convert to float32" if found is None and _name_of(given) == "float64" else ""
        fail(f"{what}: the modelled machine has no {found.name if found else _name_of(given)}{hint}; it has {usable}")
    return found


class Op:
    """An operation of nl: a function when called, and an engine's operation as `op=`."""

    def __init__(self, name: str, alu: str | None, activation: str | None) -> None:
        self.__name__ = name
        self.alu, self.activation = alu, activation
        self.call: Callable[..., Any] | None = None  # nl's function of that name

    def __repr__(self) -> str:
        return f"nl.{self.__name__}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.call is None:
            fail(f"nl.{self.__name__} is known but not modelled")
        return self.call(*args, **kwargs)


def _choices(opcode: str, field: str) -> list[str]:
    """What a field of an engine's instruction may be."""
    fields = json.loads(_papilio.describe_instruction(opcode))["fields"]
    choices: list[str] = next(f["choices"] for f in fields if f["name"] == field)
    return choices


# nl's names, where they are not the engine's.
_RENAMED = {
    "max": "maximum", "min": "minimum", "sum": "add", "prod": "multiply", "abs_max": "absolute_maximum",
    "abs_min": "absolute_minimum", "bypass": "bypass",
    "bitwise_and": "bits_and", "bitwise_or": "bits_or", "bitwise_xor": "bits_xor",
    "left_shift": "shift_left", "right_shift": "shift_right",
}  # fmt: skip
_ENGINES_OWN = ("bypass", "absolute_maximum", "bits_and", "bits_or", "bits_xor", "shift_left", "shift_right")
_ALU = {name: name for name in _choices("tensor_tensor", "op") if name not in _ENGINES_OWN} | _RENAMED
_ACTIVATIONS = _choices("activation", "function")
# They exist, so that sources import, and say so when they are called.
_UNMODELLED = (
    "ceil", "floor", "trunc", "tan", "gelu_apprx_tanh", "gelu_apprx_sigmoid", "gelu_dx", "silu_dx", "erf_dx",
    "gelu_apprx_sigmoid_dx", "rms_norm", "gather_flattened", "mod", "fmod", "invert", "logical_not",
    "negative_log", "cumsum", "prelu",
)  # fmt: skip
OPS = {
    name: Op(name, _ALU.get(name), name if name in _ACTIVATIONS else None)
    for name in (*_ALU, *_ACTIVATIONS, *_UNMODELLED)
}
COMPARISONS = _choices("affine_select", "compare")
_OTHER_NAMES = {"amax": "max", "amin": "min", "absolute": "abs", "true_divide": "divide", "arctan2": ""}


def op_of(given: object) -> Op:
    """nl's operation, or the one that a numpy function of its name is."""
    if isinstance(given, Op):
        return given
    name = getattr(given, "__name__", "")
    op = OPS.get(_OTHER_NAMES.get(name, name))
    if op is None:
        fail(f"op: no operation {name or repr(given)}")
    return op


def alu(given: object) -> str:
    """The vector engines' name of an operation."""
    if given is None:
        return "bypass"
    op = op_of(given)
    if op.alu is None:
        fail(f"op: {op!r} is no operation of the vector engine")
    return op.alu


def activation(given: object) -> str:
    """The scalar engine's name of a function."""
    op = op_of(given) if given is not None else OPS["copy"]
    if op.activation is None:
        fail(f"op: {op!r} is no function of the scalar engine")
    return op.activation
