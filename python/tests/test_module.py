import inspect

import pytest

import papilio

MODULES = [papilio, papilio.fft, papilio.signal, papilio.signal.librosa, papilio.signal.scipy]
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
