"""Memory of large results, which is kept for the next ones: bounded, and never that of an array in use."""

import numpy as np
import pytest

import papilio

LINES = np.random.default_rng(3).standard_normal((512, 1024)).astype(np.float32)  # results of 2 MiB


@pytest.fixture(autouse=True)
def limit():
    before = papilio.keep_memory(0)
    papilio.keep_memory(before)
    yield
    papilio.keep_memory(before)


def address(x):
    return x.__array_interface__["data"][0]


def test_freed_memory_is_that_of_the_next_result():
    first = papilio.fft.rfft(LINES)
    place, expected = address(first), first.copy()
    del first
    again = papilio.fft.rfft(LINES)
    assert address(again) == place
    np.testing.assert_array_equal(again, expected)


def test_memory_in_use_is_no_result_of_another_call():
    kept = [papilio.fft.rfft(LINES * k) for k in range(4)]
    view = kept[1][3:5]
    kept[1] = None  # its memory is the view's
    later = [papilio.fft.rfft(LINES) for _ in range(4)]
    assert len({address(x) for x in kept + later if x is not None}) == 7
    np.testing.assert_allclose(view, np.fft.rfft(LINES[3:5]), rtol=0, atol=1e-3)


def test_nothing_is_kept_beyond_the_limit():
    papilio.keep_memory(3 << 20)
    results = [papilio.fft.rfft(LINES) for _ in range(3)]
    places = [address(x) for x in results]
    while results:
        del results[0]
    again = papilio.fft.rfft(LINES)
    assert address(again) == places[-1]  # one of 2 MiB fits the limit, the last freed
    assert papilio.keep_memory(0) == 3 << 20


def test_a_result_can_be_resized():
    x = papilio.fft.rfft(LINES)
    expected = x.copy()
    x.resize((1024, 513), refcheck=False)
    np.testing.assert_array_equal(x[:512], expected)
    assert not x[512:].any()
    x.resize((256, 513), refcheck=False)
    np.testing.assert_array_equal(x, expected[:256])


def test_limit_is_a_number_of_bytes():
    with pytest.raises(TypeError):
        papilio.keep_memory(-1)
    with pytest.raises(TypeError):
        papilio.keep_memory("1 GB")
