"""Every public name says its parameters, and shows an example that runs."""

import ast
import doctest
import inspect
import shutil

import numpy as np
import pytest

import papilio
from papilio._calls import described

MODULES = [papilio, papilio.fft, papilio.signal, papilio.signal.librosa, papilio.signal.scipy]
if "device" in papilio.__all__:
    MODULES += [papilio.device, papilio.nki]
if "chem" in papilio.__all__:
    MODULES += [papilio.chem, papilio.layers]
MODULES += [getattr(papilio, name) for name in ("dask", "torch") if name in papilio.__all__]
THINGS = {id(thing): (f"{module.__name__}.{name}", thing) for module in MODULES for name in module.__all__
          for thing in [getattr(module, name)]
          if not inspect.ismodule(thing) and thing.__module__.startswith("papilio")}  # fmt: skip
NAMED = pytest.mark.parametrize("name, thing", THINGS.values(), ids=[name for name, _ in THINGS.values()])


def parameters_of(thing):
    """Names of the parameters; none of classes that take what their bases take."""
    if inspect.isclass(thing) and type(thing.__init__) is type(object.__init__):
        return []
    function = thing.__init__ if inspect.isclass(thing) else thing
    if not hasattr(function, "__nb_signature__"):
        return [name for name in inspect.signature(function).parameters if name != "self"]
    words = function.__nb_signature__[0][0].replace("\\", "default_")
    arguments = ast.parse(f"{words}: ...").body[0].args
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs) if a.arg != "self"]


@NAMED
def test_examples_run(name, thing, sound_file, tmp_path, monkeypatch):
    shutil.copy(sound_file, tmp_path / "song.flac")
    monkeypatch.chdir(tmp_path)
    names = {"np": np, "papilio": papilio}
    if "torch" in papilio.__all__:
        names["torch"] = __import__("torch")
    examples = doctest.DocTestParser().get_doctest(inspect.getdoc(thing), names, name, None, 0)
    assert examples.examples, "an Example is missing"
    said = []
    doctest.DocTestRunner().run(examples, out=said.append)
    assert not said, "".join(said)


@NAMED
def test_parameters_results_and_errors_are_described(name, thing):
    doc = inspect.getdoc(thing)
    parameters, entries = parameters_of(thing), described(doc)
    assert list(entries) == [] if not parameters else set(entries) == set(parameters)
    assert "    ..." not in doc.replace("    >>>", "").split("Example:")[0]
    assert all(len(line) <= 100 for line in doc.splitlines() if not line.startswith(f"{name.split('.')[-1]}("))
    if not inspect.isclass(thing):
        assert "Returns:" in doc or thing in (papilio.write, papilio.fft.set_workers), "the result is not described"
    if parameters and thing.__module__ != "papilio._tensor" and not name.endswith((".Spectra", ".Run", ".Plan")):
        assert "Raises:" in doc


@NAMED
def test_methods_are_described(name, thing):
    for word, member in vars(thing).items() if inspect.isclass(thing) else ():
        if word[0] != "_" and (inspect.isfunction(member) or isinstance(member, property)):
            assert inspect.getdoc(member), word


def test_signatures_name_their_options():
    for name, thing in THINGS.values():
        function = thing.__init__ if inspect.isclass(thing) else thing
        if inspect.isfunction(function) and not name.startswith("papilio.nki."):
            kinds = {p.kind for p in inspect.signature(function).parameters.values()}
            assert inspect.Parameter.VAR_KEYWORD not in kinds, name


def test_help_is_a_contents_page():
    for module in MODULES:
        missing = [name for name in module.__all__ if name not in module.__doc__.replace(".", " ").split()]
        assert not missing, module.__name__
