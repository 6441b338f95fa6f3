import inspect
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import papilio

MODULES = [papilio, papilio.fft, papilio.signal, papilio.signal.librosa, papilio.signal.scipy]
for part in ("chem", "device", "layers"):
    if part in papilio.__all__:
        MODULES.append(getattr(papilio, part))
PUBLIC = [(m, name) for m in MODULES for name in m.__all__]


def functions_of(thing):
    if not inspect.isclass(thing):
        return [thing]
    own = inspect.getsourcefile(thing)
    return [f for f in vars(thing).values() if inspect.isfunction(f) and f.__code__.co_filename == own]


@pytest.mark.parametrize("module, name", PUBLIC, ids=[f"{m.__name__}.{n}" for m, n in PUBLIC])
def test_what_is_public_is_annotated(module, name):
    thing = getattr(module, name)
    if inspect.ismodule(thing) or not thing.__module__.startswith("papilio"):
        return
    for function in functions_of(thing):
        if hasattr(function, "__nb_signature__"):
            assert all("object" not in words for words, *_ in function.__nb_signature__)
            continue
        signature = inspect.signature(function)
        assert signature.return_annotation is not inspect.Signature.empty
        for parameter in signature.parameters.values():
            assert parameter.name == "self" or parameter.annotation is not inspect.Parameter.empty


def test_what_is_built():
    assert papilio.__version__ in papilio.build_info()
    assert issubclass(papilio.DeviceError, RuntimeError)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        papilio.nothing


@pytest.mark.parametrize("name, part, words", [
    ("einsum", "einsum", "no tensors"), ("chem", "mp2", "no tensors"), ("layers", "complex_linear", "no tensors"),
    ("device", "Device", "no accelerator"), ("plan", "Device", "no accelerator")])  # fmt: skip
def test_a_build_without_a_part_says_so(monkeypatch, name, part, words):
    module = {"einsum": "_tensor", "plan": "device"}.get(name, name)
    monkeypatch.delattr(papilio._papilio, part, raising=False)
    monkeypatch.delitem(sys.modules, f"papilio.{module}", raising=False)
    monkeypatch.delitem(vars(papilio), name, raising=False)
    with pytest.raises(ImportError, match=f"this build of papilio has {words}"):
        getattr(papilio, name)


def test_pictures_find_the_font_of_a_wheel_where_there_is_none(tmp_path):
    package = tmp_path / "papilio"
    if (pathlib.Path(papilio.__file__).parent / "fonts").exists():
        pytest.skip("this is a wheel, whose libraries are found from where it is")
    shutil.copytree(pathlib.Path(papilio.__file__).parent, package, symlinks=True)
    (package / "fonts").mkdir()
    (package / "fonts" / "fonts.conf").write_text("<fontconfig/>")
    code = """if True:
        import os
        exists = os.path.exists
        os.path.exists = lambda path: path != "/etc/fonts/fonts.conf" and exists(path)
        import papilio
        print(os.environ.get("FONTCONFIG_FILE"))"""
    for variables, expected in (({}, str(package / "fonts" / "fonts.conf")), ({"FONTCONFIG_FILE": "mine"}, "mine"),
                                ({"FONTCONFIG_PATH": "mine"}, "None")):  # fmt: skip
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), **variables}
        done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True,
                              text=True, check=True)  # fmt: skip
        assert done.stdout.strip() == expected
