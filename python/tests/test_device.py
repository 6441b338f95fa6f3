import pytest

import papilio

device = pytest.importorskip("papilio.device")


def test_a_profile_is_a_dict():
    trainium = device.Device("trainium1")
    profile = trainium.profile("fft", n=1024, batch=4096)
    assert 1e-4 < profile["dispatch"]["device"] < 1e-3
    assert profile["summary"]["total_time"] == profile["dispatch"]["device"]
    assert "lines of 1024" in profile["design"] and 0 < profile["expected_error"] < 1e-6
    assert list(profile["dispatch"]) == ["compile", "launch", "copy", "fetch", "device", "total"]
    lines = repr(profile).splitlines()
    assert lines[0] == "fft on trainium1" and lines[1:].index("active:") > 5 and str(profile) == repr(profile)
    assert "\n".join(lines[1:]).startswith(profile["verdict"]) and lines[1].startswith("bound by the ")
    assert f"  device        {1e6 * profile['dispatch']['device']:>12.1f} us" in lines
    assert set(profile.active) <= {line.split()[0] for line in lines} and max(profile.active.values()) > 0.5
    html = profile._repr_html_()
    assert html.startswith("<pre>fft on trainium1\n") and "total_time" in html
    assert device.Device("trainium2").profile("gemm", m=512, k=512, n=512)["dispatch"]["total"] > 0


def test_what_there_is():
    names = [k["name"] for k in papilio.device.kernels()]
    assert {"fft", "rfft", "stft", "gemm", "mp2_energy"} <= set(names)


def test_short_names_of_machines():
    for short, name in (("trn1", "trainium1"), ("trn2", "trainium2"), ("trn3", "trainium3")):
        profile = device.Device(short).profile("gemm", m=256, k=256, n=256)
        assert profile["machine"] == name
        assert profile == device.Device(name).profile("gemm", m=256, k=256, n=256)


def test_bad_requests():
    trainium = device.Device()
    with pytest.raises(ValueError, match="n must be at least 1, got 0"):
        trainium.profile("fft", n=0)
    with pytest.raises(ValueError):
        trainium.profile("fftt")
    with pytest.raises(OSError):
        device.Device("trainium9")
    for call, kind, words in (
        (lambda: trainium.profile("fft", bach=3), TypeError, "^Device.profile: no option 'bach'; did you mean 'batch'\\?$"),
        (lambda: trainium.profile("fftt"), ValueError, "did you mean fft"),
        (lambda: device.Device(machin="trn1"), TypeError, "^Device: no option 'machin'; did you mean 'machine'\\?$"),
        (lambda: trainium.profile(3), TypeError, "^Device.profile: kernel must be str, got 3$"),
    ):  # fmt: skip
        with pytest.raises(kind, match=words):
            call()
