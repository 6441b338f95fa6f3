"""Sound files and pictures."""

import dataclasses
import os

import numpy as np

from . import _papilio


@dataclasses.dataclass(frozen=True)
class Sound:
    """A sound in memory: samples [channels, frames] in float32, full scale +-1."""

    samples: np.ndarray
    rate: int
    info: dict
    warnings: tuple

    @property
    def duration(self):
        """Seconds."""
        return self.samples.shape[1] / self.rate

    def mono(self):
        """The mean of the channels, [frames]."""
        return self.samples.mean(axis=0)

    def picture(self, **options):
        """Its spectrogram; options as of spectrogram_picture."""
        return spectrogram_picture(self.samples, self.rate, **options)

    def _repr_png_(self):
        return bytes(self.picture())

    def __repr__(self):
        channels, frames = self.samples.shape
        return f"Sound({channels} x {frames} at {self.rate} Hz, {self.duration:.3f} s)"


def read(file, *, strict=False, nan="refuse", raw=None):
    """A sound file: WAV, FLAC, Ogg, Opus, MP3, AIFF and others; with ffmpeg on the path, videos too.

    strict: fewer frames than the header states are an error. nan: "refuse", or "zero" to replace
    such samples. raw: the format of a file without a header, "s16:44100:2".
    """
    samples, info, warnings = _papilio.read(os.fspath(file), strict, nan, raw)
    return Sound(samples, info["rate"], info, tuple(warnings))


def info(file, *, raw=None):
    """What a sound file is, as a dict, without reading its samples where the format allows."""
    return _papilio.sound_info(os.fspath(file), raw)


def write(file, samples, rate, *, format=None, encoding=None, quality=None):
    """Writes samples [frames] or [channels, frames]; the file appears whole or not at all.

    format: "wav", "flac" or "ogg"; by the extension where it is None. encoding: "u8", "s16", "s24",
    "s32", "f32", "f64". quality: of Ogg Vorbis, 0 to 1.
    """
    _papilio.write(os.fspath(file), samples, rate, format, encoding, quality)


def resample(samples, from_rate, to_rate, *, quality="high"):
    """Samples [frames] or [channels, frames] at another rate, by libsoxr."""
    return _papilio.resample(samples, from_rate, to_rate, quality)


class Picture(bytes):
    """The bytes of a picture, which notebooks show."""

    def _repr_png_(self):
        return bytes(self) if self[:4] == b"\x89PNG" else None

    def _repr_svg_(self):
        return self.decode() if self[:1] == b"<" else None

    def save(self, file):
        with open(file, "wb") as f:
            f.write(self)


def spectrogram_picture(x, rate, *, n_fft=2048, hop=None, window="hann", frequency_axis="log",
                        fmin=None, fmax=None, range_db=80.0, colors="magma", title="", width=1280,
                        height=640, format="png"):  # fmt: skip
    """The spectrogram of x [samples] or [channels, samples] as a PNG, SVG or PDF file in memory.

    Every segment and every bin falls into a pixel. frequency_axis: "log", "linear" or "mel".
    range_db: levels below the highest that are shown.
    """
    return Picture(_papilio.spectrogram_picture(x, rate, n_fft, hop, window, frequency_axis, fmin,
                                                fmax, range_db, colors, title, width, height,
                                                format))  # fmt: skip
