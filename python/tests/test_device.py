import pytest

import papilio

device = pytest.importorskip("papilio.device")


def test_a_profile_is_a_dict():
    trainium = device.Device("trainium1")
    profile = trainium.profile("fft", n=1024, batch=4096)
    assert 1e-4 < profile["dispatch"]["device"] < 1e-3
    assert profile["summary"]["total_time"] == profile["dispatch"]["device"]
    assert "lines of 1024" in profile["design"] and 0 < profile["expected_error"] < 1e-6
    html = profile._repr_html_()
    assert html.startswith("<table>") and "total_time" in html
    assert device.Device("trainium2").profile("gemm", m=512, k=512, n=512)["dispatch"]["total"] > 0


def test_what_there_is():
    names = [k["name"] for k in papilio.device.kernels()]
    assert {"fft", "rfft", "stft", "gemm", "mp2_energy"} <= set(names)


def test_bad_requests():
    trainium = device.Device()
    with pytest.raises(ValueError, match="n must be at least 1, got 0"):
        trainium.profile("fft", n=0)
    with pytest.raises(ValueError):
        trainium.profile("fftt")
    with pytest.raises(OSError):
        device.Device("trainium9")
