import errno
import pathlib
import pickle
import re
import signal
import threading
import warnings

import numpy as np
import pytest

import papilio
from conftest import relative_error
from papilio.signal import librosa


def test_a_file_is_read(sound_file):
    s = papilio.read(sound_file)
    assert (s.rate, s.samples.shape, s.samples.dtype) == (44100, (2, 263356), np.float32)
    assert s.info["encoding"] == "Signed 16 bit PCM" and s.warnings == ()
    assert papilio.info(sound_file)["frames"] == 263356
    assert abs(s.duration - 263356 / 44100) < 1e-12
    assert np.array_equal(s.mono(), s.samples.mean(0))


def test_the_page_on_sound_arrays(tmp_path, monkeypatch):
    page = (pathlib.Path(__file__).parents[2] / "docs" / "sound_arrays.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], names)
    shapes = {name: names[name].shape for name in ("right", "spectra", "density", "filtered")}
    assert shapes == {"right": (48000,), "spectra": (2, 188, 513), "density": (2, 2049), "filtered": (2, 48000)}
    assert papilio.read("filtered.wav").samples.shape == (2, 48000)


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


# Integers of a width, the name and encoding of the file, and what its frames are made of (little-endian).
INTEGERS = [("u1", "x.wav", None, "u8"), ("i1", "x.wav", None, "u8"), ("i2", "x.wav", None, "s16"),
            (">i2", "x.wav", None, "s16"), ("i4", "x.wav", None, "s32"), ("i2", "x.wav", "s32", "s32"),
            ("i2", "x.flac", None, "s16"), ("u1", "x.flac", None, "s8"), ("i2", "x.wav", "f32", "f32"),
            ("i4", "x.wav", "f64", "f64")]  # fmt: skip


@pytest.mark.parametrize("dtype, name, encoding, stored_as", INTEGERS)
def test_integers_are_pcm_of_their_width(rng, tmp_path, dtype, name, encoding, stored_as):
    limits = np.iinfo(dtype)
    x = rng.integers(limits.min, limits.max, (2, 700000 if dtype == "i2" and not encoding else 999),
                     endpoint=True, dtype=np.dtype(dtype).newbyteorder("="))  # fmt: skip
    x[:, :2] = limits.min, limits.max
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        papilio.write(tmp_path / name, x.astype(dtype), 8000, encoding=encoding)
        with papilio.SoundWriter(tmp_path / f"blocks_{name}", 8000, 2, encoding=stored_as) as writer:
            for block in np.array_split(x, 3, axis=1):
                writer.write(block.astype(dtype))
    read = papilio.read(tmp_path / name)
    assert read.info["stored_as"] == stored_as and read == papilio.read(tmp_path / f"blocks_{name}")
    wide = x.astype(np.int64) - (128 if dtype == "u1" else 0)
    full_scale = 2.0 ** (limits.bits - 1)
    if name == "x.wav":
        words = {"u8": "u1", "s16": "<i2", "s32": "<i4", "f32": "<f4", "f64": "<f8"}[stored_as]
        frames = np.frombuffer((tmp_path / name).read_bytes()[-2 * x.shape[1] * np.dtype(words).itemsize:], words)
        values = frames.reshape(-1, 2).T.astype(np.float64) - (128 if stored_as == "u8" else 0)
        scale = 1.0 if words[1] == "f" else 2.0 ** (8 * np.dtype(words).itemsize - 1)
        assert np.array_equal(values / scale, wide / full_scale)
    else:
        assert np.array_equal(read.samples, (wide / full_scale).astype(np.float32))


def test_what_is_no_sample_is_not_written(tmp_path):
    for x in ([1, 2], [True], np.ones(3, np.uint16), np.ones(3, np.uint32), np.ones(3, np.int64)):
        with pytest.raises(TypeError, match="write: samples must be floats within .*, got"):
            papilio.write(tmp_path / "x.wav", x, 8000)
    with pytest.raises(ValueError, match="FLAC holds 24 bits at most"):
        papilio.write(tmp_path / "x.flac", np.ones(3, np.int32), 8000)
    assert list(tmp_path.iterdir()) == []


def test_doubles_are_stored_as_they_are(rng, tmp_path):
    x = rng.standard_normal(300)
    papilio.write(tmp_path / "x.wav", x, 8000, encoding="f64")
    assert np.array_equal(np.frombuffer((tmp_path / "x.wav").read_bytes()[-2400:], "<f8"), x)


def test_clipping_warns_with_its_count(tmp_path):
    x = np.array([0.5, 1.0, -1.0, 1.5, -3.0])
    with pytest.warns(RuntimeWarning, match="x.wav: 2 samples beyond full scale clipped") as warned:
        papilio.write(tmp_path / "x.wav", x, 8000)
    assert len(warned) == 1 and warned[0].filename == __file__
    with pytest.warns(RuntimeWarning, match="y.wav: 1 sample beyond") as warned:
        with papilio.SoundWriter(tmp_path / "y.wav", 8000, 1) as writer:
            writer.write(x[:4])
    assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        papilio.write(tmp_path / "x.wav", x, 8000, encoding="f32")
        papilio.write(tmp_path / "x.wav", x[:3], 8000)


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
                                      frequency_axis="mel", colors="viridis", window=("kaiser", 9))
    assert svg._repr_png_() is None and svg._repr_svg_().lstrip().startswith("<")
    for options in (dict(width=10), dict(colors="none"), dict(frequency_axis="erb"),
                    dict(range_db=0), dict(format="gif"), dict(n_fft=0), dict(fmin=5000)):
        with pytest.raises(ValueError):
            papilio.spectrogram_picture(np.zeros(4000), 8000, **options)


def test_a_picture_is_saved_under_its_ending_or_not_at_all(rng, tmp_path):
    x = rng.standard_normal(4000)
    for format in ("png", "svg", "pdf"):
        picture = papilio.spectrogram_picture(x, 8000, format=format, width=320, height=240)
        assert picture.format == format
        assert repr(picture) == str(picture) == f"{picture}" == f"Picture({format.upper()}, {len(picture)} bytes)"
        for name in (f"a.{format}", f"A.{format.upper()}"):
            picture.save(tmp_path / name)
            assert (tmp_path / name).read_bytes() == bytes(picture)
        before = sorted(tmp_path.iterdir())
        for name in {"a.png", "a.svg", "a.pdf", "a.jpg", "a"} - {f"a.{format}"}:
            with pytest.raises(ValueError, match=f"Picture.save: the name must end in .{format}"):
                picture.save(tmp_path / "new" / name)
        with pytest.raises(FileNotFoundError):
            picture.save(tmp_path / "no" / f"a.{format}")
        assert sorted(tmp_path.iterdir()) == before


def test_sounds_are_compared(sound_file, tmp_path):
    s = papilio.read(sound_file)
    papilio.write(tmp_path / "x.wav", s.samples, s.rate)
    assert s == papilio.read(tmp_path / "x.wav") and hash(s) == hash(papilio.read(tmp_path / "x.wav"))
    papilio.write(tmp_path / "x.wav", -s.samples[:, 1:], s.rate)
    papilio.write(tmp_path / "y.wav", s.samples, 8000)
    for other in (papilio.read(tmp_path / "x.wav"), papilio.read(tmp_path / "y.wav"), 3, None, s.samples):
        assert (s == other) is False and s != other
    assert pickle.loads(pickle.dumps(s)) == s


def chunk(png, name):
    at = png.index(name)
    return png[at + 4: at + 4 + int.from_bytes(png[at - 4: at], "big")]


def test_pictures_have_the_choices_of_the_program(rng):
    x = 0.1 * rng.standard_normal((2, 20000))
    x += 0.5 * np.sin(2 * np.pi * 1000 / 8000 * np.arange(20000))
    plain = papilio.spectrogram_picture(x, 8000)
    for options in (dict(preset="speech"), dict(pool="mean"), dict(channels="stacked"),
                    dict(strip="level"), dict(strip="waveform"), dict(peaks=2),
                    dict(waterfall=True), dict(theme="dark"), dict(dpi=192), dict(range_db=40),
                    dict(range_db=(-90, -10)), dict(window="blackman"), dict(window_length=200),
                    dict(padding="reflect"), dict(hop=10)):
        assert papilio.spectrogram_picture(x, 8000, **options) != plain, options
    # The light page is white, the dark one is not; the file states its pixels a metre.
    assert chunk(plain, b"PLTE")[3 * 224: 3 * 224 + 3] == b"\xff\xff\xff"
    dark = papilio.spectrogram_picture(x, 8000, theme="dark", dpi=200)
    assert max(chunk(dark, b"PLTE")[3 * 224: 3 * 224 + 3]) < 64
    assert int.from_bytes(chunk(dark, b"pHYs")[:4], "big") == round(200 / 0.0254)
    # The defaults, a preset and what is given beside one.
    hum = dict(n_fft=16384, window_length=8000, hop=500, fmax=500, window="blackman_harris",
               range_db=100, frequency_axis="linear")
    for options, same in ((dict(), dict(n_fft=512, hop=32)), (dict(preset="hum"), hum),
                          (dict(preset="music", fmin=50, range_db=60),
                           dict(n_fft=2048, window_length=744, hop=47, fmin=50, range_db=60))):
        assert (papilio.spectrogram_picture(x, 8000, **options)
                == papilio.spectrogram_picture(x, 8000, **same)), options
    for options in (dict(preset="none"), dict(pool="min"), dict(channels="1"), dict(strip="none"),
                    dict(theme="blue"), dict(dpi=10), dict(range_db=(1, 1)), dict(padding="none"),
                    dict(waterfall=True, strip="level"), dict(window_length=4000)):
        with pytest.raises(ValueError):
            papilio.spectrogram_picture(x, 8000, **options)


def test_bad_files(tmp_path, sound_file):
    text = tmp_path / "text.wav"
    text.write_text("no sound")
    empty = tmp_path / "empty.wav"
    empty.write_bytes(b"")
    for path, reason in [(tmp_path / "none.wav", "No such file"), (text, "not recognised"),
                         (empty, "empty"), (tmp_path, "directory")]:
        for function in (papilio.read, papilio.info, papilio.SoundReader):
            with pytest.raises(OSError, match=reason):
                function(path)
    for call in (papilio.read, papilio.info, papilio.SoundReader):
        with pytest.raises(FileNotFoundError) as error:
            call(tmp_path / "none.wav")
        assert error.value.errno == errno.ENOENT and error.value.filename == str(tmp_path / "none.wav")
    with pytest.raises(NotADirectoryError):
        papilio.read(text / "x.wav")
    with pytest.raises(IsADirectoryError):
        papilio.read(tmp_path)
    with pytest.raises(FileNotFoundError):
        papilio.write(tmp_path / "no" / "x.wav", np.zeros(3), 8000)
    with pytest.raises(ValueError, match="must end in one of"):
        papilio.write(tmp_path / "x.xyz", np.zeros(3), 8000)
    with pytest.raises(ValueError, match="rate"):
        papilio.write(tmp_path / "x.wav", np.zeros(3), 0)
    with pytest.raises(ValueError, match="axes"):
        papilio.write(tmp_path / "x.wav", np.zeros((1, 2, 3)), 8000)
    with pytest.raises(OSError):
        papilio.write(tmp_path / "no" / "x.wav", np.zeros(3), 8000)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty.wav", "text.wav"]


def test_a_file_is_read_block_by_block(sound_file):
    whole = papilio.read(sound_file)
    reader = papilio.SoundReader(sound_file)
    assert reader.rate == 44100 and reader.info["channels"] == 2 and reader.position == 0
    blocks = list(reader.blocks(100000))
    assert [b.shape for b in blocks] == [(2, 100000), (2, 100000), (2, 63356)]
    assert np.array_equal(np.concatenate(blocks, 1), whole.samples) and reader.warnings == ()
    reader.seek(5000)
    assert np.array_equal(reader.read(7), whole.samples[:, 5000:5007]) and reader.position == 5007
    for call in (lambda: reader.seek(10**9), lambda: next(reader.blocks(0)),
                 lambda: papilio.SoundReader(sound_file, nan="keep")):  # fmt: skip
        with pytest.raises(ValueError):
            call()
    with pytest.raises(OSError):
        papilio.SoundReader("none.wav")


def test_a_file_is_written_block_by_block(rng, tmp_path):
    x = rng.uniform(-1, 1, (2, 3000)).astype(np.float32)
    with papilio.SoundWriter(tmp_path / "x.wav", 8000, 2, encoding="f32") as writer:
        for block in np.array_split(x, 5, axis=1):
            writer.write(block)
        assert writer.frames == 3000 and writer.clipped == 0
    assert np.array_equal(papilio.read(tmp_path / "x.wav").samples, x)
    with pytest.raises(ZeroDivisionError):
        with papilio.SoundWriter(tmp_path / "y.flac", 8000, 1) as writer:
            writer.write(2 * np.ones(4))
            assert writer.clipped == 4
            1 / 0
    assert [p.name for p in tmp_path.iterdir()] == ["x.wav"]
    writer = papilio.SoundWriter(tmp_path / "z.wav", 8000, 2, frames=10)
    for call in (lambda: writer.write(x), lambda: writer.write(x[0]), writer.commit,
                 lambda: papilio.SoundWriter(tmp_path / "z.wav", 8000, 0)):  # fmt: skip
        with pytest.raises(ValueError):
            call()


def test_resampling_in_blocks(rng):
    x = rng.uniform(-1, 1, (2, 30000)).astype(np.float32)
    for quality in ("low", "medium", "high", "very_high"):
        change = papilio.Resampler(44100, 16000, 2, quality=quality)
        parts = [change.process(block) for block in np.array_split(x, 7, axis=1)] + [change.finish()]
        expected = papilio.resample(x, 44100, 16000, quality=quality)
        assert np.array_equal(np.concatenate(parts, 1), expected)
        interleaved = np.ascontiguousarray(x.T).T
        assert np.array_equal(papilio.resample(interleaved, 44100, 16000, quality=quality), expected)
    got = librosa.resample(x.T, orig_sr=44100, target_sr=16000, axis=0)
    assert np.array_equal(got, papilio.resample(x, 44100, 16000).T)
    scaled = librosa.resample(x, orig_sr=44100, target_sr=16000, res_type="soxr_vhq", scale=True)
    assert relative_error(scaled, expected * np.sqrt(44100 / 16000)) < 1e-6
    for call in (lambda: papilio.Resampler(44100, 0), lambda: papilio.Resampler(8000, 8000, quality="best"),
                 lambda: change.process(x[:1]), lambda: librosa.resample(x, orig_sr=8000, target_sr=4000, res_type="fft")):  # fmt: skip
        with pytest.raises(ValueError):
            call()


def test_ctrl_c_ends_a_picture():
    endless = np.broadcast_to(np.float32(0.1), 10**11)
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        papilio.spectrogram_picture(endless, 8000)
    timer.join()
