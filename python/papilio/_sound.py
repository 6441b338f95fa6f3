"""Sound files and pictures."""

from __future__ import annotations

import dataclasses
import os
import warnings
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _papilio
from ._arrays import Array, Compared, NamedWindow, as_array
from ._calls import public

Path: TypeAlias = str | os.PathLike[str]
Samples: TypeAlias = NDArray[np.float32]


@dataclasses.dataclass(frozen=True, eq=False)
class Sound(Compared):
    """A sound in memory: samples [channels, frames] in float32, full scale +-1.

    Sounds of the same samples and rate are equal.
    """

    samples: Samples
    rate: int
    info: dict[str, Any] = dataclasses.field(compare=False)
    warnings: tuple[str, ...] = dataclasses.field(compare=False)

    def __hash__(self) -> int:
        return hash((self.samples.shape, self.rate))

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.samples.shape[1] / self.rate

    def mono(self) -> Samples:
        """The mean of the channels, [frames]."""
        return self.samples.mean(axis=0)

    def picture(self, **options: Any) -> Picture:
        """Its spectrogram; options as of spectrogram_picture."""
        return spectrogram_picture(self.samples, self.rate, **options)

    def _repr_png_(self) -> bytes:
        return bytes(self.picture())

    def __repr__(self) -> str:
        channels, frames = self.samples.shape
        return f"Sound({channels} x {frames} at {self.rate} Hz, {self.duration:.3f} s)"


def read(file: Path, *, strict: bool = False, nan: str = "refuse",
         raw: str | None = None) -> Sound:  # fmt: skip
    """A sound file: WAV, FLAC, Ogg, Opus, MP3, AIFF and others; with ffmpeg on the path, videos too.

    strict: fewer frames than the header states are an error. nan: "refuse", or "zero" to replace
    such samples. raw: the format of a file without a header, "s16:44100:2".
    """
    samples, info, warnings = _papilio.read(os.fsdecode(file), strict, nan, raw)
    return Sound(samples, info["rate"], info, tuple(warnings))


def info(file: Path, *, raw: str | None = None) -> dict[str, Any]:
    """What a sound file is, as a dict, without reading its samples where the format allows."""
    return _papilio.sound_info(os.fsdecode(file), raw)


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


def _in_full_scale(samples: Array) -> Iterator[Array]:
    """Samples within +-1, integers in blocks."""
    dtype = _integer_type(samples)
    if dtype is None:
        yield samples
        return
    middle, scale = (128, 128) if dtype == np.uint8 else (0, 2 ** (8 * dtype.itemsize - 1))
    real = np.float64 if dtype.itemsize > 2 else np.float32
    for first in range(0, samples.shape[-1], _BLOCK):
        block: Array = samples[..., first : first + _BLOCK].astype(real)
        yield (block - middle) / scale


def write(file: Path, samples: ArrayLike, rate: int, *, format: str | None = None,
          encoding: str | None = None, quality: float | None = None) -> None:  # fmt: skip
    """Writes samples [frames] or [channels, frames]; the file appears whole or not at all.

    Floats are within +-1; those beyond are stored as the nearest there is, with a warning that
    counts them. Integers of 8, 16 or 32 bits are PCM of their width, which is stored to the bit.

    format: "wav", "flac" or "ogg"; by the extension where it is None. encoding: "u8", "s16", "s24",
    "s32", "f32", "f64"; where it is None the width of integers, "s16" for floats. quality: of Ogg
    Vorbis, 0 to 1.
    """
    x = as_array(samples)
    if x.ndim not in (1, 2):
        raise ValueError(f"write: samples must be [frames] or [channels, frames], got {x.ndim} axes")
    dtype = _integer_type(x)
    kind = format or os.fsdecode(file).lower().rpartition(".")[2]
    if encoding is None and dtype is not None and kind not in ("ogg", "oga"):
        encoding = _WIDTHS[dtype]
        if kind == "flac" and encoding == "s32":
            raise ValueError("write: FLAC holds 24 bits at most, the samples have 32; encoding='s24' rounds")
        if kind == "flac" and encoding == "u8":
            encoding = "s8"
    channels = 1 if x.ndim == 1 else x.shape[0]
    writer = SoundWriter(file, rate, channels, format=format, encoding=encoding, quality=quality,
                         frames=x.shape[-1])  # fmt: skip
    writer.write(x)
    writer._commit(4)


def resample(samples: ArrayLike, from_rate: int, to_rate: int, *,
             quality: str = "high") -> Samples:  # fmt: skip
    """Samples [frames] or [channels, frames] at another rate, by libsoxr."""
    return _papilio.resample(samples, from_rate, to_rate, quality)


class SoundReader:
    """A sound file block by block, in memory that does not depend on its length.

    read(frames) gives the next ones, [channels, frames], fewer only at the end; blocks(frames) all
    that are left, one block after the other. Options as of read.
    """

    def __init__(self, file: Path, *, strict: bool = False, nan: str = "refuse",
                 raw: str | None = None) -> None:  # fmt: skip
        self._reader = _papilio.SoundReader(os.fsdecode(file), strict, nan, raw)

    def read(self, frames: int) -> Samples:
        return self._reader.read(frames)

    def blocks(self, frames: int) -> Iterator[Samples]:
        if frames < 1:
            raise ValueError(f"SoundReader.blocks: frames must be at least 1, got {frames}")
        while (block := self.read(frames)).shape[1] > 0:
            yield block

    def seek(self, frame: int) -> None:
        self._reader.seek(frame)

    @property
    def info(self) -> dict[str, Any]:
        return self._reader.info

    @property
    def rate(self) -> int:
        return self._reader.info["rate"]

    @property
    def position(self) -> int:
        """The next frame."""
        return self._reader.position

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was odd about the file; complete once its end was read."""
        return tuple(self._reader.warnings)


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

    def write(self, samples: ArrayLike) -> None:
        """Appends samples [frames] or [channels, frames], as write takes them."""
        for block in _in_full_scale(as_array(samples)):
            self._writer.write(block)

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


def spectrogram_picture(x: ArrayLike, rate: float, *, preset: str | None = None,
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


public(globals(), {"rate_hz": "rate", "from_hz": "from_rate", "to_hz": "to_rate"})
