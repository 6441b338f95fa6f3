"""Sound files and pictures."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import math
import os
import warnings
from collections.abc import Iterator
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _papilio
from ._arrays import Array, Compared, NamedWindow, Sampled, as_array
from ._calls import as_in, integer, public

Path: TypeAlias = str | os.PathLike[str]
File: TypeAlias = Path | bytes | bytearray | memoryview | BinaryIO
Samples: TypeAlias = Array

_HEARD_SECONDS = 60.0  # that a notebook plays, so that it stays small


def _at_full_scale(samples: Array) -> Array:
    """Samples within +-1 of integers, whose width is full scale; others as they are."""
    dtype = _integer_type(samples)
    if dtype is None:
        return samples
    middle, scale = (128, 128) if dtype == np.uint8 else (0, 2 ** (8 * dtype.itemsize - 1))
    return (samples.astype(np.float64 if dtype.itemsize > 2 else np.float32) - middle) / scale


@dataclasses.dataclass(frozen=True, eq=False)
class Sound(Compared, Sampled):
    """A sound in memory, which functions take in the place of an array, with its rate.

    numpy.asarray(sound) is [frames] of one channel, else [channels, frames], within +-1. A slice is
    one of seconds, whole numbers too: sound[1.0:2.5], sound[-1:]. len(sound) is the number of frames.
    Sounds of the same samples and rate are equal. In a notebook a sound draws and plays itself.

    Parameters:
        samples: [channels, frames] or [frames], floats within +-1 or integers of 8, 16 or 32 bits.
        rate: frames a second.
        info: what papilio.info says of the file it came from.
        warnings: what was odd about that file.

    Raises:
        ValueError, TypeError: for samples of other shapes or types, or a rate below 1.

    Example:
        >>> sound = papilio.Sound(np.zeros((2, 16000)), 8000)
        >>> sound[0.5:1.75]
        Sound(2 x 10000 at 8000 Hz, 1.250 s)
        >>> papilio.signal.stft(sound, 512).shape
        (2, 126, 257)
    """

    samples: Samples
    rate: int
    info: dict[str, Any] = dataclasses.field(compare=False, default_factory=dict)
    warnings: tuple[str, ...] = dataclasses.field(compare=False, default=())

    def __post_init__(self) -> None:
        x = as_array(self.samples)
        if x.ndim not in (1, 2):
            raise ValueError(f"Sound: samples must be [frames] or [channels, frames], got {x.ndim} axes")
        if x.dtype.kind not in "fiu":
            raise TypeError(f"Sound: samples must be real numbers, got {x.dtype}")
        _integer_type(x)
        if x.dtype.kind == "f" and x.dtype not in (np.float32, np.float64):
            x = x.astype(np.float32 if x.dtype == np.float16 else np.float64)
        object.__setattr__(self, "samples", np.atleast_2d(x))
        object.__setattr__(self, "rate", integer("Sound", "rate", self.rate, 1))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        x = _at_full_scale(self.samples)
        x = x[0] if len(x) == 1 else x
        return np.asarray(x, dtype) if copy is None else np.array(x, dtype, copy=copy)

    def __hash__(self) -> int:
        return hash((self.samples.shape, self.rate))

    def __len__(self) -> int:
        return self.samples.shape[1]

    def __bool__(self) -> bool:
        return True

    __iter__ = None

    def __getitem__(self, seconds: slice) -> Sound:
        if not isinstance(seconds, slice):
            raise TypeError("Sound: the index must be a slice of seconds, as in sound[1.0:2.5]; "
                            "sound.samples[:, i] is frame i")  # fmt: skip
        if seconds.step is not None:
            raise ValueError("Sound: a slice of seconds has no step; papilio.resample changes the rate")
        first, last = (end if time is None else self._frame(time)
                       for time, end in ((seconds.start, 0), (seconds.stop, len(self))))  # fmt: skip
        return dataclasses.replace(self, samples=self.samples[:, first:last])

    def _frame(self, time: Any) -> int:
        """The frame nearest to a time, which counts from the end where it is negative."""
        try:
            time = float(time)
        except (TypeError, ValueError):
            raise TypeError(f"Sound: a slice must be of seconds, got {time!r}") from None
        if not math.isfinite(time):
            raise ValueError(f"Sound: a slice must be of finite seconds, got {time}")
        if time < 0:
            time = max(0.0, self.duration + time)
        return min(len(self), _papilio.nearest_frame(time, self.rate))

    @property
    def duration(self) -> float:
        """Length in seconds."""
        return len(self) / self.rate

    @property
    def tags(self) -> dict[str, str]:
        """Title, artist, album, date and others that the file has."""
        return self.info.get("tags", {})

    def mono(self) -> Samples:
        """The mean of the channels, [frames]."""
        return _at_full_scale(self.samples).mean(axis=0)

    def picture(self, **options: Any) -> Picture:
        """Its spectrogram; options as of spectrogram_picture."""
        return spectrogram_picture(self, self.rate, **options)

    def _repr_png_(self) -> bytes | None:
        return bytes(self.picture()) if len(self) else None

    def _repr_html_(self) -> str:
        import base64

        if not len(self):
            return repr(self)
        played = self[:_HEARD_SECONDS]
        if len(played.samples) > 2:
            played = Sound(played.mono(), self.rate)
        if not 8000 <= self.rate <= 96000:  # what browsers play
            played = resample(played, 44100)
        sound = io.BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # clipping is heard
            write(sound, np.nan_to_num(played), played.rate, format="wav")
        part = f" (the first {_HEARD_SECONDS:g} s are played)" if self.duration > _HEARD_SECONDS else ""
        picture, wav = (base64.b64encode(b).decode() for b in (self.picture(), sound.getvalue()))
        return (f'<img src="data:image/png;base64,{picture}" style="max-width: 100%"><br>'
                f'<audio controls src="data:audio/wav;base64,{wav}"></audio> '
                f"{self!r}{part}")  # fmt: skip

    def __repr__(self) -> str:
        channels, frames = self.samples.shape
        return f"Sound({channels} x {frames} at {self.rate} Hz, {self.duration:.3f} s)"


@contextlib.contextmanager
def _path_of(file: File) -> Iterator[str]:
    """A path for the library, also of what bytes and file objects hold from their position on."""
    if isinstance(file, (str, os.PathLike)):
        yield os.fsdecode(file)
        return
    if isinstance(file, (bytes, bytearray, memoryview)):
        name, source = "bytes", io.BytesIO(file)
    elif hasattr(file, "read"):
        name, source = str(getattr(file, "name", type(file).__name__)), file
    else:
        raise TypeError(f"file must be a path, bytes or a file object, got {type(file).__name__}")
    with contextlib.ExitStack() as held:
        if isinstance(getattr(source, "raw", source), io.FileIO):
            descriptor = source.fileno()
            if source.seekable():  # the reader begins where the descriptor is
                before = os.lseek(descriptor, 0, os.SEEK_CUR)
                held.callback(os.lseek, descriptor, before, os.SEEK_SET)
                os.lseek(descriptor, source.tell(), os.SEEK_SET)
        else:
            memory = held.enter_context(os.fdopen(os.memfd_create("papilio"), "w+b"))
            while block := source.read(1 << 20):
                if not isinstance(block, bytes):
                    raise TypeError(f"file must be opened in binary mode, {name} reads text")
                memory.write(block)
            memory.seek(0)
            descriptor = memory.fileno()
        path = f"/dev/fd/{descriptor}"
        try:
            yield path
        except OSError as e:
            raise OSError(str(e).replace(path, name)) from None


def _named(file: Any) -> str:
    """The path of a file to write."""
    if isinstance(file, (str, bytes, os.PathLike)):
        return os.fsdecode(file)
    raise TypeError(f"file must be a path, got {type(file).__name__}")


def read(file: File, *, start: float = 0.0, duration: float | None = None, mono: bool = False,
         rate: int | None = None, dtype: DTypeLike = np.float32, strict: bool = False,
         nan: str = "refuse", raw: str | None = None) -> Sound:  # fmt: skip
    """A sound file, or a part of one: WAV, FLAC, Ogg, Opus, MP3, AIFF and others; videos with ffmpeg.

    Of WAV, FLAC and others that can be entered anywhere, a part is read without what is before it.

    Parameters:
        file: a path, bytes of a file, or a file object that reads bytes, from where it is.
        start: seconds to skip, to the nearest frame.
        duration: seconds to read, less where the sound ends; None: to its end.
        mono: whether the channels are averaged into one.
        rate: frames a second of the result, by resampling; None: those of the file.
        dtype: float32, float64 (of the same values), or int16, rounded, whose full scale is 2^15.
        strict: whether fewer frames than the header states are an error and no warning.
        nan: "refuse", or "zero" to replace samples that are no finite numbers.
        raw: format of a file without a header, "s16:44100:2".

    Returns:
        A Sound; `sound.samples` are [channels, frames].

    Raises:
        OSError: FileNotFoundError and its like; for what is no sound.
        ValueError: for a start behind the end, or options out of their range.

    Example:
        >>> papilio.read("song.flac", start=1, duration=2.5, mono=True, rate=16000)
        Sound(1 x 40000 at 16000 Hz, 2.500 s)
    """
    reader = SoundReader(file, start=start, duration=duration, mono=mono, rate=rate, dtype=dtype,
                         strict=strict, nan=nan, raw=raw)  # fmt: skip
    samples = reader.read()
    return Sound(samples, reader.rate, reader.info, reader.warnings)


def info(file: File, *, raw: str | None = None) -> dict[str, Any]:
    """What a sound file is, without reading its samples where the format allows.

    Parameters:
        file: a path, bytes of a file, or a file object.
        raw: format of a file without a header, "s16:44100:2".

    Returns:
        A dict of frames, channels, rate (Hz), duration (seconds), container, encoding, bits,
        stored_as, tags and decoded_by.

    Raises:
        OSError: where it cannot be read, or is no sound.

    Example:
        >>> about = papilio.info("song.flac")
        >>> about["frames"], about["channels"], about["rate"]
        (263356, 2, 44100)
    """
    with _path_of(file) as path:
        return _papilio.sound_info(path, raw)


@as_in(read)
def blocks(file: File, frames: int, overlap: int = 0, **options: Any) -> Iterator[Sound]:
    """A sound file as sounds of so many frames, one after the other, in memory of a block.

    Parameters:
        frames: of a block; the last one may have fewer.
        overlap: frames at a block's beginning that are the end of the one before.
        ...

    Returns:
        An iterator of Sounds.

    Raises:
        OSError, ValueError: as read.

    Example:
        >>> blocks = papilio.blocks("song.flac", 44100, overlap=4410, mono=True)
        >>> [round(float(np.abs(block).max()), 2) for block in blocks][:3]
        [0.74, 0.37, 0.25]
    """
    reader = SoundReader(file, **options)
    about = reader.info
    return (Sound(block, reader.rate, about) for block in reader.blocks(frames, overlap))


# Encodings that hold integers to the bit; FLAC has s8 for those of 8 bits.
_WIDTHS = {np.dtype(t): e for t, e in (("u1", "u8"), ("i1", "u8"), ("i2", "s16"), ("i4", "s32"))}
_BLOCK = 1 << 18  # samples that are converted at once


def _integer_type(samples: Array) -> np.dtype[Any] | None:
    """The type of samples that are integers, whose width is full scale; None of numbers +-1."""
    if samples.dtype.kind not in "biu":
        return None
    dtype = samples.dtype.newbyteorder("=")
    if dtype not in _WIDTHS:
        raise TypeError(
            f"papilio: samples must be floats within +-1, or uint8, int8, int16 or int32, got {dtype}"
        )
    return dtype


def write(file: Path | BinaryIO, samples: ArrayLike, rate: int | None = None, *,
          format: str | None = None, encoding: str | None = None,
          quality: float | None = None) -> None:  # fmt: skip
    """Writes a sound file, which appears whole or not at all.

    Floats beyond +-1 are stored as the nearest there is, with a RuntimeWarning that counts them.
    Integers of 8, 16 or 32 bits are PCM of their width, which is stored to the bit.

    Parameters:
        file: a path, or a file object to write bytes to.
        samples: [frames] or [channels, frames], floats within +-1 or integers; or a Sound.
        rate: frames a second; that of a Sound where it is left out.
        format: "wav", "flac" or "ogg"; None: by the path's ending.
        encoding: "u8", "s16", "s24", "s32", "f32" or "f64" of WAV, "s8", "s16" or "s24" of FLAC; None:
            the width of integers, "s16" for floats.
        quality: of Ogg Vorbis, 0 to 1.

    Raises:
        OSError: where the file cannot be written.
        ValueError, TypeError: for what the format does not hold.

    Example:
        >>> papilio.write("tone.wav", 0.5 * np.sin(np.arange(8000)), 8000)
        >>> papilio.info("tone.wav")["encoding"]
        'Signed 16 bit PCM'
    """
    x = as_array(samples)
    if rate is None:
        raise TypeError("write: rate must be given, unless samples are a Sound")
    if x.ndim not in (1, 2):
        raise ValueError(f"write: samples must be [frames] or [channels, frames], got {x.ndim} axes")
    if hasattr(file, "write"):
        if format is None:
            raise TypeError("write: format must be given for a file object")
        import shutil
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path, name = os.path.join(folder, f"sound.{format}"), "the file object"
            _write(path, name, x, rate, format, encoding, quality)
            with open(path, "rb") as made:
                shutil.copyfileobj(made, file)
    else:
        path = _named(file)
        _write(path, path, x, rate, format, encoding, quality)


def _write(path: str, name: str, x: Array, rate: int, format: str | None, encoding: str | None,
           quality: float | None) -> None:  # fmt: skip
    dtype = _integer_type(x)
    kind = format or path.lower().rpartition(".")[2]
    if encoding is None and dtype is not None and kind not in ("ogg", "oga"):
        encoding = _WIDTHS[dtype]
        if kind == "flac" and encoding == "s32":
            raise ValueError("write: FLAC holds 24 bits at most, the samples have 32; encoding='s24' rounds")
        if kind == "flac" and encoding == "u8":
            encoding = "s8"
    channels = 1 if x.ndim == 1 else x.shape[0]
    writer = SoundWriter(path, rate, channels, format=format, encoding=encoding, quality=quality,
                         frames=x.shape[-1])  # fmt: skip
    writer._name = name
    writer.write(x)
    writer._commit(5)


def resample(samples: ArrayLike, from_rate: int | None = None, to_rate: int | None = None, *,
             quality: str = "high") -> Any:  # fmt: skip
    """A sound, or samples, at another rate, by libsoxr.

    Parameters:
        samples: real [frames] or [channels, frames]; or a Sound.
        from_rate: frames a second; left out for a Sound.
        to_rate: frames a second of the result. Of a Sound a single rate is this one.
        quality: "low", "medium", "high" or "very_high".

    Returns:
        float32 of ceil(frames to_rate / from_rate) frames; of a Sound a Sound.

    Raises:
        ValueError: for rates out of range, or more than 4096 times apart.

    Example:
        >>> papilio.resample(papilio.read("song.flac"), 16000)
        Sound(2 x 95549 at 16000 Hz, 5.972 s)
        >>> papilio.resample(np.zeros(4410), 44100, 8000).shape
        (800,)
    """
    if isinstance(samples, Sound):
        if to_rate is None:
            from_rate, to_rate = None, from_rate
        from_rate = samples.rate if from_rate is None else from_rate
    if from_rate is None or to_rate is None:
        raise TypeError("resample: from_rate and to_rate must be given; to_rate alone for a Sound")
    if not isinstance(samples, Sound):
        return _papilio.resample(samples, from_rate, to_rate, quality)
    if from_rate != samples.rate:
        raise ValueError(f"resample: from_rate must be the sound's {samples.rate}, got {from_rate}")
    made = _papilio.resample(_at_full_scale(samples.samples), from_rate, to_rate, quality)
    return dataclasses.replace(samples, samples=made, rate=to_rate)


@as_in(read)
class SoundReader:
    """A part of a sound file block by block, in memory that does not depend on its length.

    Parameters:
        ...

    Raises:
        OSError, ValueError: as read.

    Example:
        >>> reader = papilio.SoundReader("song.flac", start=5)
        >>> reader.rate, reader.frames
        (44100, 42856)
        >>> [block.shape for block in reader.blocks(20000)]
        [(2, 20000), (2, 20000), (2, 2856)]
    """

    def __init__(self, file: File, *, start: float = 0.0, duration: float | None = None,
                 mono: bool = False, rate: int | None = None, dtype: DTypeLike = np.float32,
                 strict: bool = False, nan: str = "refuse", raw: str | None = None) -> None:  # fmt: skip
        self._dtype = np.dtype(dtype)
        if self._dtype not in (np.float32, np.float64, np.int16):
            raise ValueError(f"SoundReader: dtype must be float32, float64 or int16, got {self._dtype}")
        self._clipped = 0
        with _path_of(file) as path:
            self._reader = _papilio.SoundReader(path, start, duration, mono, rate, strict, nan, raw)

    def read(self, frames: int | None = None) -> Samples:
        """The next frames, all that are left where None is given: [channels, frames]."""
        most = 2**63 - 1 if frames is None else integer("SoundReader.read", "frames", frames, 0)
        samples = self._reader.read(most)
        if self._dtype != np.int16:
            return samples.astype(self._dtype, copy=False)
        scaled = np.rint(samples * np.float32(2**15))
        self._clipped += int(np.count_nonzero((scaled < -(2**15)) | (samples > 1)))
        return np.clip(scaled, -(2**15), 2**15 - 1).astype(np.int16)

    def blocks(self, frames: int, overlap: int = 0) -> Iterator[Samples]:
        """All that is left in blocks, each beginning with the last `overlap` frames of the one before."""
        integer("SoundReader.blocks", "frames", frames, 1)
        integer("SoundReader.blocks", "overlap", overlap, 0)
        if overlap >= frames:
            raise ValueError(f"SoundReader.blocks: overlap must be below frames, {frames}, got {overlap}")
        return self._blocks(frames, overlap)

    def _blocks(self, frames: int, overlap: int) -> Iterator[Samples]:
        block = self.read(frames)
        while block.shape[1] > 0:
            yield block
            new = self.read(frames - overlap)
            if new.shape[1] == 0:
                return
            kept = block[:, block.shape[1] - overlap :]
            block = np.concatenate([kept, new], axis=1) if overlap else new

    def seek(self, frame: int) -> None:
        """Makes `frame` the next one, counted from `start`; not where the rate is changed."""
        self._reader.seek(frame)

    @property
    def info(self) -> dict[str, Any]:
        """What the file is, as papilio.info says."""
        return self._reader.info

    @property
    def rate(self) -> int:
        """Rate in Hz of the frames that are read."""
        return self._reader.rate

    @property
    def frames(self) -> int:
        """Frames that there are, from `start` to the end."""
        return self._reader.frames

    @property
    def position(self) -> int:
        """The next frame."""
        return self._reader.position

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was odd about the file; complete once its end was read."""
        clipped = (f"{self._clipped} samples beyond full scale clipped",) if self._clipped else ()
        return (*self._reader.warnings, *clipped)


@as_in(write)
class SoundWriter:
    """A sound file to write block by block.

    It appears whole, at commit() or at the end of a `with` block without an error, or not at all.

    Parameters:
        file: a path.
        rate: frames a second.
        channels: of every block.
        encoding: as in papilio.write; None: "s16".
        frames: how many there will be, where that is known.
        ...

    Raises:
        OSError: where the file cannot be written.
        ValueError: for what the format does not hold.

    Example:
        >>> with papilio.SoundWriter("noise.flac", 8000, channels=1) as writer:
        ...     for seed in range(3):
        ...         writer.write(np.random.default_rng(seed).uniform(-1, 1, 8000))
        >>> papilio.info("noise.flac")["duration"]
        3.0
    """

    def __init__(self, file: Path, rate: int, channels: int, *, format: str | None = None,
                 encoding: str | None = None, quality: float | None = None,
                 frames: int | None = None) -> None:  # fmt: skip
        self._name = _named(file)
        self._writer = _papilio.SoundWriter(self._name, rate, channels, format, encoding,
                                            quality, frames)  # fmt: skip
        self.rate = rate

    def write(self, samples: ArrayLike) -> None:
        """Appends samples [frames] or [channels, frames], as papilio.write takes them."""
        x = as_array(samples)
        if x.ndim == 0 or _integer_type(x) is None:
            return self._writer.write(x)
        for first in range(0, x.shape[-1], _BLOCK):
            self._writer.write(_at_full_scale(x[..., first : first + _BLOCK]))

    def commit(self) -> None:
        """Gives the file its name, and warns of samples that were beyond full scale."""
        self._commit(3)

    def _commit(self, stacklevel: int) -> None:
        self._writer.commit()
        if self.clipped:
            samples = "1 sample" if self.clipped == 1 else f"{self.clipped} samples"
            warnings.warn(f"{self._name}: {samples} beyond full scale clipped; a WAV of encoding='f32' "
                          "keeps them", RuntimeWarning, stacklevel=stacklevel)  # fmt: skip

    def __enter__(self) -> SoundWriter:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: Any) -> None:
        if error is None:
            self._commit(3)
        else:
            del self._writer  # and with it what there is of the file

    @property
    def frames(self) -> int:
        """Frames so far."""
        return self._writer.frames

    @property
    def clipped(self) -> int:
        """Samples so far that were beyond full scale, and are stored as the nearest there is."""
        return self._writer.clipped


class Resampler:
    """papilio.resample of a sound that comes in blocks.

    Parameters:
        from_rate: frames a second of the blocks.
        channels: of every block.
        ...

    Raises:
        ValueError: for rates out of range, or more than 4096 times apart.

    Example:
        >>> change = papilio.Resampler(44100, 16000)
        >>> parts = [change.process(np.zeros(44100)) for _ in range(3)] + [change.finish()]
        >>> sum(part.shape[1] for part in parts)
        48000
    """

    def __init__(self, from_rate: int, to_rate: int, channels: int = 1, *,
                 quality: str = "high") -> None:  # fmt: skip
        self._resampler = _papilio.Resampler(from_rate, to_rate, channels, quality)
        self.rate = from_rate

    def process(self, block: ArrayLike) -> Samples:
        """The frames that are done, [channels, frames], after another block [frames] or [channels, frames]."""
        return self._resampler.process(block)

    def finish(self) -> Samples:
        """The frames that are left, [channels, frames]."""
        return self._resampler.finish()


class Picture(bytes):
    """The bytes of a picture, which notebooks show.

    Example:
        >>> picture = papilio.read("song.flac").picture(width=640, height=320)
        >>> picture.format
        'png'
        >>> picture.save("song.png")
    """

    @property
    def format(self) -> str:
        """Kind of file: "png", "svg" or "pdf"."""
        return "png" if self[:4] == b"\x89PNG" else "pdf" if self[:4] == b"%PDF" else "svg"

    def __repr__(self) -> str:
        return f"Picture({self.format.upper()}, {len(self)} bytes)"

    __str__ = __repr__

    def _repr_png_(self) -> bytes | None:
        return bytes(self) if self.format == "png" else None

    def _repr_svg_(self) -> str | None:
        return self.decode() if self.format == "svg" else None

    def save(self, file: Path) -> None:
        """Writes the file, whole or not at all; its name ends in the picture's format."""
        name = _named(file)
        if not name.lower().endswith(f".{self.format}"):
            raise ValueError(
                f"Picture.save: the name must end in .{self.format}, as this picture was made with "
                f"format={self.format!r}, got {name!r}"
            )
        _papilio.write_bytes(name, bytes(self))


def spectrogram_picture(x: ArrayLike, rate: float | None = None, *, preset: str | None = None,
                        n_fft: int | None = None, hop: int | None = None,
                        window: NamedWindow | None = None, window_length: int | None = None,
                        padding: str = "zero", frequency_axis: str | None = None,
                        fmin: float | None = None, fmax: float | None = None,
                        range_db: float | tuple[float, float] | None = None, pool: str = "max",
                        channels: str = "mixed", strip: str | None = None, peaks: int = 0,
                        waterfall: bool = False, colors: str = "magma", theme: str = "light",
                        dpi: float | None = None, title: str = "", width: int = 1280,
                        height: int = 640, format: str = "png") -> Picture:  # fmt: skip
    """The spectrogram of a sound as a PNG, SVG or PDF file in memory.

    It is the picture of the program's `papilio spectrogram`, with its choices and defaults. Every
    segment and every bin falls into a pixel.

    Parameters:
        x: real [samples] or [channels, samples]; or a Sound.
        rate: samples a second; that of a Sound where it is left out.
        preset: "speech", "music", "birds", "machines" or "hum" (the program's --for), for segments,
            window, axis and range that are not given.
        n_fft: points of a transform; None: the power of two nearest to 46 ms.
        hop: samples from one segment to the next; None: by the width of a column.
        window: a name, "kaiser:8.6" or ("kaiser", 8.6); None: "hann".
        window_length: samples of the window; None: n_fft.
        padding: beyond the ends, "zero", "reflect" or "edge".
        frequency_axis: "log", "linear", "mel", "bark" or "notes" (log, labelled by notes).
        fmin, fmax: ends of that axis in Hz.
        range_db: levels below the highest that are shown (80), or the lowest and the highest.
        pool: what a pixel shows of its segments and bins, "max" or "mean".
        channels: "mixed", or "stacked", each in its own panel.
        strip: "level" or "waveform" under the picture.
        peaks: strongest partials that are marked.
        waterfall: whether time runs downwards.
        colors: "magma", "viridis", "inferno", "plasma", "cividis", "turbo", "grey" or "coolwarm".
        theme: "light" or "dark".
        dpi: pixels an inch.
        title: above the picture.
        width, height: of the picture in pixels.
        format: "png", "svg" or "pdf".

    Returns:
        A Picture.

    Raises:
        ValueError: for options out of their range.

    Example:
        >>> sound = papilio.read("song.flac")
        >>> papilio.spectrogram_picture(sound, preset="music", format="svg").save("song.svg")
    """
    if rate is None:
        raise TypeError("spectrogram_picture: rate must be given, unless x is a Sound")
    return Picture(_papilio.spectrogram_picture(x, rate, dict(
        preset=preset, n_fft=n_fft, hop=hop, window=window, window_length=window_length,
        padding=padding, frequency_axis=frequency_axis, fmin=fmin, fmax=fmax, range_db=range_db,
        pool=pool, channels=channels, strip=strip, peaks=peaks, waterfall=waterfall, colors=colors,
        theme=theme, dpi=dpi, title=title, width=width, height=height, format=format)))  # fmt: skip


as_in(spectrogram_picture, without=("rate",))(Sound.picture)
as_in(resample)(Resampler)
public(globals(), {"n": "n_fft", "rate_hz": "rate", "from_hz": "from_rate", "to_hz": "to_rate"})
