"""Parts of files, file objects, and sounds in the place of arrays."""

import gzip
import inspect
import io
import pickle
import tempfile
import wave

import numpy as np
import pytest

import papilio
from papilio import fft, signal
from papilio.signal import librosa, scipy


@pytest.fixture
def sound(sound_file):
    return papilio.read(sound_file)


def tone(channels=2, rate=8000, seconds=2):
    t = np.arange(rate * seconds) / rate
    return papilio.Sound(np.stack([0.5 * np.sin(2 * np.pi * (440 + 110 * c) * t) for c in range(channels)]), rate)


@pytest.mark.parametrize("start, duration", [(0, None), (1, 0.5), (1.23456, None), (0, 0), (5.9, 9), (2, 1e-9)])
def test_a_part_is_that_of_the_whole(sound, sound_file, start, duration):
    part = papilio.read(sound_file, start=start, duration=duration)
    first = round(start * 44100)
    last = None if duration is None else round((start + duration) * 44100)
    assert np.array_equal(part.samples, sound.samples[:, first:last])
    assert part == sound[start : None if duration is None else start + duration]
    assert part.info["frames"] == len(sound)


def test_a_part_of_a_huge_file_is_read_alone(tmp_path):
    file = tmp_path / "x.raw"
    with open(file, "wb") as f:
        f.seek(2 * 44100 * 3600 * 24 * 7)  # a week of silence, whose samples would take 97 GB
        f.write(np.full(44100, 2**14, "<i2").tobytes())
    week = 3600 * 24 * 7
    part = papilio.read(file, raw="s16:44100:1", start=week - 0.5, duration=1)
    assert np.array_equal(part.samples[0], np.repeat(np.float32([0, 0.5]), 22050))
    blocks = papilio.blocks(file, 4410, raw="s16:44100:1", start=week)
    assert [len(b) for b in blocks] == [4410] * 10


def test_channels_rate_and_type_while_reading(sound, sound_file):
    assert np.array_equal(papilio.read(sound_file, mono=True).samples[0], sound.samples.mean(0))
    low = papilio.read(sound_file, start=1, duration=2, mono=True, rate=16000)
    expected = papilio.resample(sound[1:3].mono(), 44100, 16000)
    assert low.rate == 16000 and np.array_equal(low.samples[0], expected)
    assert papilio.read(sound_file, rate=44100) == sound
    words = papilio.read(sound_file, dtype="int16")
    assert words.samples.dtype == np.int16 and np.array_equal(words.samples / 2.0**15, sound.samples)
    assert np.array_equal(words, sound) and np.array_equal(words.mono(), sound.mono())
    assert papilio.read(sound_file, dtype=float).samples.dtype == np.float64


def test_rounding_to_words_counts_what_is_clipped(tmp_path):
    papilio.write(tmp_path / "x.wav", [0.5, 1.0, -1.0, 1.5, -2.0, 0.3 / 2**15], 8000, encoding="f32")
    words = papilio.read(tmp_path / "x.wav", dtype=np.int16)
    assert words.samples.tolist() == [[2**14, 2**15 - 1, -(2**15), 2**15 - 1, -(2**15), 0]]
    assert words.warnings == ("2 samples beyond full scale clipped",)


def test_bytes_and_file_objects_are_read(sound, sound_file):
    content = sound_file.read_bytes()
    zipped = gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(content)))
    with open(sound_file, "rb") as opened, open(sound_file, "rb", buffering=0) as unbuffered, \
            tempfile.NamedTemporaryFile() as temporary:  # fmt: skip
        temporary.write(b"before" + content)
        temporary.seek(6)
        opened.read(0)
        for file in (content, bytearray(content), io.BytesIO(content), zipped, opened, unbuffered, temporary):
            assert papilio.read(file) == sound, file
        assert opened.tell() == 0
        opened.seek(3)
        assert opened.read(1) == content[3:4]
    assert papilio.info(content) == papilio.info(io.BytesIO(content)) == papilio.info(sound_file)
    assert sum(b.samples.shape[1] for b in papilio.blocks(content, 5000)) == len(sound)
    late = io.BytesIO(b"before" + content)
    late.seek(6)
    assert papilio.read(late) == sound


def test_sounds_are_written_to_file_objects(sound):
    to = io.BytesIO()
    papilio.write(to, sound, format="wav")
    with wave.open(io.BytesIO(to.getvalue())) as made:
        assert (made.getframerate(), made.getnchannels(), made.getnframes()) == (44100, 2, len(sound))
    assert papilio.read(to.getvalue()) == sound
    with pytest.raises(TypeError, match="^write: format must be given for a file object$"):
        papilio.write(io.BytesIO(), sound)


@pytest.mark.parametrize("frames, overlap", [(1000, 0), (1000, 250), (100000, 99999), (263356, 5), (10**6, 0)])
def test_blocks_overlap(sound, sound_file, frames, overlap):
    if overlap == 99999:
        frames, overlap = 4, 3
        sound = sound[5.97:]
    blocks = list(papilio.blocks(sound_file, frames, overlap, start=5.97 if frames == 4 else 0))
    firsts = range(0, max(1, len(sound) - overlap), frames - overlap)
    assert len(blocks) == len(firsts) and all(b.rate == 44100 for b in blocks)
    for first, block in zip(firsts, blocks):
        assert np.array_equal(block.samples, sound.samples[:, first : first + frames])


def test_a_reader_of_a_part(sound, sound_file):
    reader = papilio.SoundReader(sound_file, start=1, duration=2)
    assert (reader.frames, reader.rate, reader.position) == (88200, 44100, 0)
    reader.seek(88000)
    assert np.array_equal(reader.read(1000), sound[1:3].samples[:, 88000:])
    assert reader.read(10).shape == (2, 0) and reader.position == 88200
    changed = papilio.SoundReader(sound_file, rate=8000, mono=True)
    parts = list(changed.blocks(1000))
    assert changed.frames == sum(p.shape[1] for p in parts) == -(-len(sound) * 8000 // 44100)
    assert np.array_equal(np.concatenate(parts, 1)[0], papilio.resample(sound.mono(), 44100, 8000))
    for call in (lambda: reader.seek(88201), lambda: changed.seek(0)):
        with pytest.raises(ValueError, match="^SoundReader.seek: "):
            call()


def test_slices_are_of_seconds():
    s = tone()
    for part, first, last in ((s[1.0:1.5], 8000, 12000), (s[1:], 8000, 16000), (s[:0.5], 0, 4000), (s[-0.5:], 12000, 16000),
                              (s[:-1], 0, 8000), (s[-9:9], 0, 16000), (s[1.5:1], 12000, 8000), (s[:], 0, 16000)):  # fmt: skip
        assert np.array_equal(part.samples, s.samples[:, first:last]) and part.rate == 8000
    assert len(s) == 16000 and s[1:1.5].duration == 0.5 and bool(s[5:])


def test_sounds_are_made_of_arrays():
    x = np.linspace(-1, 1, 9)
    assert papilio.Sound(x, 8000) == papilio.Sound(x[None], 8000) == pickle.loads(pickle.dumps(papilio.Sound(x, 8000)))
    assert papilio.Sound(x, 8000).tags == papilio.Sound(x, 8000).info == {}
    assert np.array_equal(papilio.Sound(np.uint8([0, 128, 255]), 8000), np.float32([-1, 0, 127 / 128]))
    assert np.array_equal(np.abs(papilio.Sound(x, 8000)), abs(x))
    for samples, rate, error in ((np.zeros((1, 2, 3)), 8000, ValueError), (x + 1j, 8000, TypeError), (x, 0, ValueError),
                                 (x, 8000.5, TypeError), (np.int64([1]), 8000, TypeError), (["abc"], 8000, TypeError)):  # fmt: skip
        with pytest.raises(error, match="^Sound: (samples|rate) must be "):
            papilio.Sound(samples, rate)


# Calls of a sound, and of its samples and its rate.
TAKEN = [
    (lambda s: signal.stft(s, 256), lambda x, rate: signal.stft(x, 256)),
    (lambda s: signal.stft(s, 256, scaling="psd"), lambda x, rate: signal.stft(x, 256, scaling="psd", rate=rate)),
    (lambda s: signal.welch(s)[0], lambda x, rate: signal.welch(x, rate)[0]),
    (lambda s: signal.welch(s, None)[1], lambda x, rate: signal.welch(x, rate)[1]),
    (lambda s: signal.mel_spectrogram(s, bands=20), lambda x, rate: signal.mel_spectrogram(x, rate, bands=20)),
    (lambda s: signal.mfcc(s), lambda x, rate: signal.mfcc(x, rate)),
    (lambda s: signal.segment_rms(s), lambda x, rate: signal.segment_rms(x)),
    (lambda s: signal.fftconvolve(s, s), lambda x, rate: signal.fftconvolve(x, x)),
    (lambda s: librosa.mfcc(y=s), lambda x, rate: librosa.mfcc(y=x, sr=rate)),
    (lambda s: librosa.resample(s, target_sr=4000), lambda x, rate: librosa.resample(x, orig_sr=rate, target_sr=4000)),
    (lambda s: scipy.stft(s)[1], lambda x, rate: scipy.stft(x, rate)[1]),
    (lambda s: scipy.welch(s, nperseg=64)[0], lambda x, rate: scipy.welch(x, rate, nperseg=64)[0]),
    (lambda s: fft.rfft(s, axis=-1), lambda x, rate: fft.rfft(x, axis=-1)),
    (lambda s: papilio.RfftPlan(16000).execute(s), lambda x, rate: fft.rfft(x)),
    (lambda s: papilio.StftPlan(256).execute(s), lambda x, rate: signal.stft(x, 256)),
    (lambda s: papilio.einsum("...i->...", s), lambda x, rate: papilio.einsum("...i->...", x)),
    (lambda s: papilio.spectrogram_picture(s), lambda x, rate: papilio.spectrogram_picture(x, rate)),
    (lambda s: papilio.resample(s, 4000).samples.squeeze(), lambda x, rate: papilio.resample(x, rate, 4000)),
    (lambda s: papilio.Resampler(8000, 4000, len(s.samples)).process(s),
     lambda x, rate: papilio.Resampler(8000, 4000, 1 if x.ndim == 1 else len(x)).process(x)),
    (lambda s: papilio.StftStream(len(s.samples), n_fft=64).push(s),
     lambda x, rate: papilio.StftStream(1 if x.ndim == 1 else len(x), n_fft=64).push(x.T)),
]  # fmt: skip


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("of_sound, of_array", TAKEN, ids=[inspect.getsource(a).strip()[11:60] for a, _ in TAKEN])
def test_a_sound_is_taken_where_samples_are(of_sound, of_array, channels):
    s = tone(channels)
    x = s.samples[0] if channels == 1 else s.samples
    got, expected = of_sound(s), of_array(x, s.rate)
    assert np.array_equal(got, expected) if isinstance(got, np.ndarray) else got == expected


def test_a_sound_is_written_with_its_rate(tmp_path):
    s = tone()
    papilio.write(tmp_path / "x.wav", s, encoding="f64")
    with papilio.SoundWriter(tmp_path / "y.wav", s.rate, 2, encoding="f64", frames=len(s)) as writer:
        writer.write(s)
    assert (tmp_path / "x.wav").read_bytes() == (tmp_path / "y.wav").read_bytes()
    assert papilio.read(tmp_path / "x.wav").rate == s.rate
    assert papilio.resample(s, 8000, 4000) == papilio.resample(s, to_rate=4000) == papilio.resample(s, 4000)


OTHER = papilio.Sound(np.zeros(100), 44100)
REFUSED = [
    (lambda s: signal.welch(s, 44100), ValueError, "welch: rate must be that of the sound, 8000, got 44100"),
    (lambda s: signal.mfcc(s, rate=1), ValueError, "mfcc: rate must be that of the sound, 8000, got 1"),
    (lambda s: scipy.welch(s, fs=1), ValueError, "welch: fs must be that of the sound, 8000, got 1"),
    (lambda s: librosa.mfcc(y=s, sr=22050), ValueError, "mfcc: sr must be that of the sound, 8000, got 22050"),
    (lambda s: signal.fftconvolve(s, OTHER), ValueError, "fftconvolve: sounds must be of one rate, got 8000 and 44100"),
    (lambda s: papilio.write("x.wav", s, 16000), ValueError, "write: rate must be that of the sound, 8000, got 16000"),
    (lambda s: papilio.resample(s, 44100, 8000), ValueError, "resample: from_rate must be the sound's 8000, got 44100"),
    (lambda s: papilio.Resampler(44100, 8000, 2).process(s), ValueError,
     "Resampler.process: rate must be that of the sound, 8000, got 44100"),
    (lambda s: signal.WelchStream(44100).push(s), ValueError,
     "WelchStream.push: rate must be that of the sound, 8000, got 44100"),
    (lambda s: papilio.write("x.wav", s.samples), TypeError, "write: rate must be given, unless samples are a Sound"),
    (lambda s: signal.mfcc(s.samples), TypeError, "mfcc: rate must be given, unless x is a Sound"),
    (lambda s: papilio.resample(s), TypeError, "resample: from_rate and to_rate must be given; to_rate alone for a Sound"),
    (lambda s: s[3], TypeError, "Sound: the index must be a slice of seconds, as in sound[1.0:2.5]; sound.samples[:, i] is frame i"),
    (lambda s: s[::2], ValueError, "Sound: a slice of seconds has no step; papilio.resample changes the rate"),
    (lambda s: s["a":], TypeError, "Sound: a slice must be of seconds, got 'a'"),
    (lambda s: s[np.nan :], ValueError, "Sound: a slice must be of finite seconds, got nan"),
    (lambda s: papilio.read(3), TypeError, "read: file must be a path, bytes or a file object, got int"),
    (lambda s: papilio.read(io.StringIO("x")), TypeError, "read: file must be opened in binary mode, StringIO reads text"),
    (lambda s: papilio.read(b"hello " * 99), OSError, "bytes: the format is not recognised: this is text"),
    (lambda s: papilio.read(io.BytesIO()), OSError, "BytesIO: the file is empty"),
    (lambda s: papilio.blocks(b"", 8, 8), OSError, "bytes: the file is empty"),
]  # fmt: skip


@pytest.mark.parametrize("call, kind, words", REFUSED, ids=[words for *_, words in REFUSED])
def test_what_is_refused(call, kind, words):
    with pytest.raises(kind) as error:
        call(tone())
    assert str(error.value) == words


FILE = [
    (dict(start=-1), ValueError, "read: start must be finite and at least 0, got -1"),
    (dict(start=9), ValueError, "read: start must be at most 5.97179, the sound's length in seconds, got 9"),
    (dict(duration=float("inf")), ValueError, "read: duration must be finite and at least 0, got inf"),
    (dict(duration="1"), TypeError, "read: duration must be float | None, got '1'"),
    (dict(rate=0), ValueError, "read: rate must be from 1 to 100000000, got 0"),
    (dict(dtype="int32"), ValueError, "read: dtype must be float32, float64 or int16, got int32"),
    (dict(strat=1), TypeError, "read: no option 'strat'; did you mean 'start'?"),
    (dict(sr=8000), TypeError, "read: no option 'sr'; did you mean 'rate'?"),
]  # fmt: skip


@pytest.mark.parametrize("options, kind, words", FILE, ids=[words for *_, words in FILE])
def test_options_of_reading_that_are_refused(sound_file, options, kind, words):
    with pytest.raises(kind) as error:
        papilio.read(sound_file, **options)
    assert str(error.value) == words


def test_a_notebook_plays_a_sound(sound):
    for s, text in ((sound, ""), (papilio.Sound(np.zeros((5, 2**20)), 4000), " (the first 60 s are played)")):
        page = s._repr_html_()
        assert page.startswith('<img src="data:image/png;base64,iVBOR') and page.endswith(repr(s) + text)
        assert '<audio controls src="data:audio/wav;base64,UklGR' in page and len(page) < 10**7
    assert sound[:0]._repr_html_() == repr(sound[:0]) and sound[:0]._repr_png_() is None
