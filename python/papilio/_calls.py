"""Words for calls that cannot be: one line that names the function, the argument and its value."""

from __future__ import annotations

import functools
import inspect
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ._arrays import Sampled
from ._papilio import DeviceError  # type: ignore[attr-defined, unused-ignore]

# Annotations that nanobind writes, and the values that they take; others take anything.
_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int, np.integer),
    "float": (int, float, np.integer, np.floating),
    "str": (str,),
    "bool": (bool,),
    "None": (type(None),),
}

# Other libraries' names of options, and the names here.
_ELSEWHERE = {
    "hop_length": "hop", "win_length": "window_length", "sr": "rate", "fs": "rate", "n_mels": "bands",
    "n_mfcc": "coefficients", "pad_mode": "padding", "nperseg": "n_fft", "nfft": "n_fft",
    "noverlap": "overlap", "rank": "ranks", "n_iter_max": "iterations", "tol": "tolerance", "optimize": "path",
}  # fmt: skip


def integer(function: str, name: str, value: Any, least: int | None = None) -> int:
    """The value as an int, as sizes and counts are; TypeError for numbers of other kinds, and bool."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{function}: {name} must be an integer, got {_shown(value)}") from None
    if least is not None and number < least:
        raise ValueError(f"{function}: {name} must be at least {least}, got {number}")
    if number >= 2**63:
        raise ValueError(f"{function}: {name} must be below 2^63, got {number}")
    return number


def no_option(function: str, option: str, options: Iterable[str]) -> TypeError:
    """A TypeError that suggests the option that was meant."""
    import difflib

    options = tuple(options)
    near = [o for o in options if o == _ELSEWHERE.get(option)]
    near = near or [o for o in options if o.startswith(option) or option.startswith(f"{o}_")]
    near = near or difflib.get_close_matches(option, options, 1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    error = TypeError(f"{function}: no option {option!r}{meant}")
    vars(error).update(option=option, options=options)
    return error


def _fits(annotation: str, value: Any) -> bool:
    kinds = annotation.split(" | ")
    if any(kind not in _TYPES for kind in kinds):
        return True
    fit = isinstance(value, tuple(t for kind in kinds for t in _TYPES[kind]))
    return fit and ("bool" in kinds or not isinstance(value, bool) or "int" in kinds)


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, (int, float, complex, str, bytes, type(None))) else ""
    return text if 0 < len(text) <= 40 else type(value).__name__


def explained(text: str, positional: Sequence[Any], named: Mapping[str, Any]) -> str:
    """nanobind's message of arguments that do not fit, in one line."""
    function = text[: text.index("(")]
    signature = re.search(r"1\. (?:def )?\w+\((.*)\)(?: -> .*)?$", text, re.MULTILINE)
    parameters = re.findall(r"(\*|\w+)(?:: ((?:[^,=\[]|\[[^\]]*\])+))?(?: = ('[^']*'|\([^)]*\)|[^,]+))?(?:, |$)",
                            signature[1] if signature else "")  # fmt: skip
    if parameters and parameters[0][0] in ("self", "cls"):
        parameters = parameters[1:]
        kind = positional[0] if isinstance(positional[0], type) else type(positional[0])
        function = kind.__name__ if function[:2] == "__" else f"{kind.__name__}.{function}"
        positional = positional[1:]
    names = [name for name, _, _ in parameters]
    free = names.index("*") if "*" in names else len(names)
    if "*" in names:
        del parameters[free], names[free]
    for name in named:
        if name not in names:
            return str(no_option(function, name, names))
    if len(positional) > free:
        return f"{function}: at most {free} arguments come without a name, got {len(positional)}"
    given = dict(zip(names, positional)) | dict(named)
    for name, annotation, default in parameters:
        if name not in given:
            if not default:
                return f"{function}: {name} must be given"
        elif not _fits(annotation.strip(), given[name]) or (
            given[name] is None and annotation.strip() != "object" and "None" not in annotation
        ):
            kind = "an array" if annotation.strip() == "numpy.typing.ArrayLike" else annotation.strip()
            return f"{function}: {name} must be {kind}, got {_shown(given[name])}"
    for name, annotation, _ in parameters:
        if name in given and "int" in annotation.split(" | ") and given[name] is not None:
            if not 0 <= int(given[name]) < 2**31:
                return f"{function}: {name} cannot be {_shown(given[name])}"
    for name, annotation, _ in parameters:
        if annotation.strip() == "object" and name in given and given[name] is None:
            return f"{function}: {name} cannot be None"
    return f"{function}: arguments do not fit: " + ", ".join(map(_shown, positional))


def _in_words_of(function: str, parameters: Mapping[str, inspect.Parameter], arguments: Sequence[Any],
                 options: Mapping[str, Any], error: TypeError) -> TypeError | None:  # fmt: skip
    """The error that names this function's option or argument, where the call does not fit."""
    kinds = inspect.Parameter
    names = [n for n, p in parameters.items()
             if p.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY) and n != "self"]  # fmt: skip
    option: str = getattr(error, "option", "")
    if option in options and option not in names:
        return no_option(function, option, dict.fromkeys([*names, *getattr(error, "options")]))
    if not any(p.kind == kinds.VAR_KEYWORD for p in parameters.values()):
        for name in options:
            if name not in names:
                return no_option(function, name, names)
    entered = error.__traceback__ is not None and error.__traceback__.tb_next is not None
    if entered or any(p.kind == kinds.VAR_POSITIONAL for p in parameters.values()):
        return None
    free = [n for n, p in parameters.items() if p.kind == kinds.POSITIONAL_OR_KEYWORD]
    if len(arguments) > len(free):
        least = len(free) - (free[:1] == ["self"])
        given = len(arguments) - (free[:1] == ["self"])
        return TypeError(f"{function}: at most {least} arguments come without a name, got {given}")
    for name, p in parameters.items():
        if p.default is p.empty and p.kind != kinds.VAR_KEYWORD and name not in (*free[: len(arguments)], *options):
            return TypeError(f"{function}: {name} must be given")
    return None


_PREFIX = re.compile(r"([A-Za-z_]\w*)(?:(?:::|\.)\w+)?: (\w+)")
_RATES = ("rate", "fs", "sr", "orig_sr")  # the parameters that a sound fills


@functools.cache
def described(doc: str | None) -> dict[str, str]:
    """The entries of a docstring's Parameters, by name; an entry of several names is in each."""
    entries: dict[str, str] = {}
    block = inspect.cleandoc(doc or "").partition("Parameters:\n")[2].partition("\n\n")[0]
    for entry in re.split(r"\n(?=    \S)", block) if block else ():
        for name in re.split(r",\s*", entry.partition(":")[0].strip(" *")):
            entries[name] = entry + "\n"
    return entries


def as_in(other: Callable[..., Any], without: Sequence[str] = ()) -> Callable[[Any], Any]:
    """A decorator of functions and classes: parameters are as in another one.

    Its options take the place of **options in the signature, its words that of "..." among the
    docstring's Parameters.
    """
    words = described(other.__doc__)

    def show(thing: Any) -> Any:
        function = thing.__init__ if inspect.isclass(thing) else thing
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind != p.VAR_KEYWORD]
        if len(own) < len(signature.parameters):
            theirs = inspect.signature(other).parameters.values()
            own += [p.replace(kind=p.KEYWORD_ONLY) for p in theirs
                    if p.default is not p.empty and p.name not in (*signature.parameters, *without)]  # fmt: skip
            vars(function)["__signature__"] = signature.replace(parameters=own)
        doc = inspect.cleandoc(thing.__doc__ or "")
        known = described(doc)
        missing = dict.fromkeys(words[p.name] for p in own if p.name in words and p.name not in known)
        thing.__doc__ = doc.replace("    ...\n", "".join(missing))
        return thing

    return show


def _with_rate(name: str, parameters: Sequence[str], arguments: list[Any],
               options: dict[str, Any], owner: Any = None) -> None:  # fmt: skip
    """Fills in the rate of the sounds among a call's arguments; ValueError where it is another one."""
    rates = {x.rate for x in (*arguments, *options.values()) if isinstance(x, Sampled)}
    if len(rates) > 1:
        raise ValueError(f"{name}: sounds must be of one rate, got {' and '.join(map(str, sorted(rates)))}")
    (rate,) = rates
    parameter = next((p for p in parameters if p in _RATES), None)
    if parameter is None:
        given = getattr(owner, "rate", None)
    else:
        at = parameters.index(parameter)
        given = arguments[at] if at < len(arguments) else options.get(parameter)
        if given is None and at < len(arguments):
            arguments[at] = rate
        elif given is None:
            options[parameter] = rate
    if given is not None and given != rate:
        raise ValueError(f"{name}: {parameter or 'rate'} must be that of the sound, {rate}, got {given!r}")


def _explaining(function: Callable[..., Any], name: str, renamed: Mapping[str, str],
                is_method: bool = False, has_rate: bool = True) -> Callable[..., Any]:  # fmt: skip
    parameters_of = functools.cache(lambda: inspect.signature(function).parameters)

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if has_rate:
            for x in (*arguments[is_method:], *options.values()):
                if isinstance(x, Sampled):
                    own, rest = arguments[:is_method], list(arguments[is_method:])
                    _with_rate(name, list(parameters_of())[is_method:], rest, options, *own)
                    arguments = (*own, *rest)
                    break
        try:
            return function(*arguments, **options)
        except (TypeError, ValueError, DeviceError) as e:
            parameters = parameters_of()
            better = _in_words_of(name, parameters, arguments, options, e) if isinstance(e, TypeError) else None
            if better is None:
                # The library's words get this function's name, those of the caller's code do not.
                if len(e.args) == 1 and isinstance(e.args[0], str) and not options.get("progress"):
                    text = e.args[0]
                    found = _PREFIX.match(text)
                    if found and found[1] not in parameters:
                        word = found[2] if found[2] in parameters else renamed.get(found[2], found[2])
                        e.args = (f"{name}: {word}{text[found.end():]}",)
                    elif found is None and " must " in text:
                        word, rest = text.split(" must ", 1)
                        word = renamed.get(word, "padding" if word == "edge padding" else word)
                        if word in parameters:
                            e.args = (f"{name}: {word} must {rest}",)
                raise
        raise better

    return call


def public(module: dict[str, Any], renamed: Mapping[str, str] = {}, methods: bool = True) -> None:
    """Called at a module's end: its public functions and classes speak in their own names.

    An option that is misspelt is one line with a suggestion. Messages of the library name the
    function that was called, and its arguments, which `renamed` has by the library's names. A sound
    among the arguments brings its rate. dir() shows what is public. methods: whether theirs do so too.
    """
    names = module.get("__all__") or [n for n in module if not n.startswith("_")]
    for name in names:
        thing = module.get(name)
        if getattr(thing, "__module__", None) != module["__name__"]:
            continue
        if inspect.isfunction(thing):
            module[name] = _explaining(thing, name, renamed)
        elif inspect.isclass(thing):
            made_of = getattr(getattr(thing.__init__, "__code__", None), "co_varnames", ())
            has_rate = "rate" in made_of or "from_rate" in made_of
            for word, method in {"__init__": thing.__init__, **vars(thing)}.items():
                if inspect.isfunction(method) and (word == "__init__" or methods and word[0] != "_"):
                    known_as = name if word == "__init__" else f"{name}.{word}"
                    setattr(thing, word, _explaining(method, known_as, renamed, True, has_rate))
    if "__all__" in module:
        module["__dir__"] = lambda: sorted(module["__all__"])
