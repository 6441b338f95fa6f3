import numpy as np
import pytest

import papilio
from conftest import relative_error


def test_a_file_is_read(sound_file):
    s = papilio.read(sound_file)
    assert (s.rate, s.samples.shape, s.samples.dtype) == (44100, (2, 263356), np.float32)
    assert s.info["encoding"] == "Signed 16 bit PCM" and s.warnings == ()
    assert papilio.info(sound_file)["frames"] == 263356
    assert abs(s.duration - 263356 / 44100) < 1e-12
    assert np.array_equal(s.mono(), s.samples.mean(0))


@pytest.mark.parametrize("name, encoding, step", [("x.wav", "s16", 2**-15), ("x.wav", "f32", 0),
                                                  ("x.flac", "s24", 2**-23), ("x.wav", "u8", 2**-7)])
def test_what_is_written_is_read_back(rng, tmp_path, name, encoding, step):
    x = rng.uniform(-0.9, 0.9, (3, 1000)).astype(np.float32)
    papilio.write(tmp_path / name, x, 8000, encoding=encoding)
    y = papilio.read(tmp_path / name)
    assert y.rate == 8000 and y.samples.shape == x.shape
    assert np.abs(y.samples - x).max() <= step / 2
    papilio.write(str(tmp_path / name), x[0], 8000)
    assert papilio.read(tmp_path / name).samples.shape == (1, 1000)


def test_resampling_keeps_a_tone(rng):
    t = np.arange(44100) / 44100
    x = np.sin(2 * np.pi * 1000 * t).astype(np.float32)
    y = papilio.resample(x, 44100, 16000)
    assert y.shape == (16000,)
    expected = np.sin(2 * np.pi * 1000 * np.arange(16000) / 16000)
    assert relative_error(y[500:-500], expected[500:-500]) < 1e-4
    assert papilio.resample(np.stack([x, x]), 44100, 8000).shape == (2, 8000)


def test_pictures(sound_file, rng, tmp_path):
    s = papilio.read(sound_file)
    picture = s.picture(title="guitar", width=640, height=320)
    assert isinstance(picture, papilio.Picture) and picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(picture[16:20], "big") == 640
    assert picture._repr_png_() == bytes(picture) == papilio.Picture(picture)
    picture.save(tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes() == picture
    svg = papilio.spectrogram_picture(rng.standard_normal(4000), 8000, format="svg",
                                      frequency_axis="mel", colors="viridis")
    assert svg._repr_png_() is None and svg._repr_svg_().lstrip().startswith("<")
    for options in (dict(width=10), dict(colors="none"), dict(frequency_axis="bark"),
                    dict(range_db=0), dict(format="gif"), dict(n_fft=0), dict(fmin=5000)):
        with pytest.raises(ValueError):
            papilio.spectrogram_picture(np.zeros(4000), 8000, **options)


def test_bad_files(tmp_path, sound_file):
    text = tmp_path / "text.wav"
    text.write_text("no sound")
    empty = tmp_path / "empty.wav"
    empty.write_bytes(b"")
    for path, reason in [(tmp_path / "none.wav", "No such file"), (text, "not recognised"),
                         (empty, "empty"), (tmp_path, "directory")]:
        with pytest.raises(OSError, match=reason):
            papilio.read(path)
    with pytest.raises(ValueError, match="must end in one of"):
        papilio.write(tmp_path / "x.xyz", np.zeros(3), 8000)
    with pytest.raises(ValueError, match="rate"):
        papilio.write(tmp_path / "x.wav", np.zeros(3), 0)
    with pytest.raises(ValueError, match="axes"):
        papilio.write(tmp_path / "x.wav", np.zeros((1, 2, 3)), 8000)
    with pytest.raises(OSError):
        papilio.write(tmp_path / "no" / "x.wav", np.zeros(3), 8000)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty.wav", "text.wav"]
