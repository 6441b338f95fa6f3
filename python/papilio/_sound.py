"""Sound files and pictures."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import html
import io
import math
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _papilio
from ._arrays import Array, Compared, NamedWindow, Sampled, as_array
from ._calls import integer, options_of, public

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
        return np.array(x[0] if len(x) == 1 else x, dtype, copy=copy)  # type: ignore[arg-type]

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
        if not len(self):
            return html.escape(repr(self))
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
                f"{html.escape(repr(self))}{part}")  # fmt: skip

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


def read(file: File, *, start: float = 0.0, duration: float | None = None, mono: bool = False,
         rate: int | None = None, dtype: DTypeLike = np.float32, strict: bool = False,
         nan: str = "refuse", raw: str | None = None) -> Sound:  # fmt: skip
    reader = SoundReader(file, start=start, duration=duration, mono=mono, rate=rate, dtype=dtype,
                         strict=strict, nan=nan, raw=raw)  # fmt: skip
    samples = reader.read()
    return Sound(samples, reader.rate, reader.info, reader.warnings)


def info(file: File, *, raw: str | None = None) -> dict[str, Any]:
    with _path_of(file) as path:
        return _papilio.sound_info(path, raw)


@options_of(read)
def blocks(file: File, frames: int, overlap: int = 0, **options: Any) -> Iterator[Sound]:
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
    x = as_array(samples)
    if rate is None:
        raise TypeError("write: rate must be given, unless samples are a Sound")
    if x.ndim not in (1, 2):
        raise ValueError(f"write: samples must be [frames] or [channels, frames], got {x.ndim} axes")
    if hasattr(file, "write"):
        if format is None:
            raise TypeError("write: format must be given for a file object")
        with tempfile.TemporaryDirectory() as folder:
            path, name = os.path.join(folder, f"sound.{format}"), "the file object"
            _write(path, name, x, rate, format, encoding, quality)
            with open(path, "rb") as made:
                shutil.copyfileobj(made, file)
    else:
        path = os.fsdecode(file)
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


class SoundReader:
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


class SoundWriter:
    """A sound file to write block by block, options as of write; encoding None is "s16".

    It appears whole, at commit() or at the end of a `with` block without an error, or not at all.
    frames: how many there will be, where it is known.
    """

    def __init__(self, file: Path, rate: int, channels: int, *, format: str | None = None,
                 encoding: str | None = None, quality: float | None = None,
                 frames: int | None = None) -> None:  # fmt: skip
        self._writer = _papilio.SoundWriter(os.fsdecode(file), rate, channels, format, encoding,
                                            quality, frames)  # fmt: skip
        self._name = os.fsdecode(file)
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
    """resample of a sound that comes in blocks, [frames] or [channels, frames].

    process(block) returns the frames that are done, [channels, frames], finish() the rest.
    """

    def __init__(self, from_rate: int, to_rate: int, channels: int = 1, *,
                 quality: str = "high") -> None:  # fmt: skip
        self._resampler = _papilio.Resampler(from_rate, to_rate, channels, quality)
        self.rate = from_rate

    def process(self, block: ArrayLike) -> Samples:
        return self._resampler.process(block)

    def finish(self) -> Samples:
        return self._resampler.finish()


class Picture(bytes):
    """The bytes of a picture, which notebooks show."""

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
        name = os.fsdecode(file)
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
    """The spectrogram of x [samples] or [channels, samples] as a PNG, SVG or PDF file in memory.

    The picture of the program's `papilio spectrogram`, with its choices and defaults. Every segment
    and every bin falls into a pixel, which shows their maximum (pool="mean": their mean).

    preset: "speech", "music", "birds", "machines" or "hum" (--for), for segments, window, axis and
    range that are not given. n_fft: else the power of two nearest to 46 ms. hop: else it follows the
    width of a column. frequency_axis: "log", "linear", "mel", "bark" or "notes" (log, labelled by
    notes). range_db: levels below the highest that are shown (80), or the lowest and the highest.
    channels: "mixed", or "stacked", each in its own panel. strip: "level" or "waveform" under the
    picture. peaks: strongest partials that are marked. waterfall: time downwards. theme: "light" or
    "dark". dpi: pixels an inch.
    """
    return Picture(_papilio.spectrogram_picture(x, rate, dict(
        preset=preset, n_fft=n_fft, hop=hop, window=window, window_length=window_length,
        padding=padding, frequency_axis=frequency_axis, fmin=fmin, fmax=fmax, range_db=range_db,
        pool=pool, channels=channels, strip=strip, peaks=peaks, waterfall=waterfall, colors=colors,
        theme=theme, dpi=dpi, title=title, width=width, height=height, format=format)))  # fmt: skip


options_of(spectrogram_picture, without="rate")(Sound.picture)
public(globals(), {"rate_hz": "rate", "from_hz": "from_rate", "to_hz": "to_rate"})
