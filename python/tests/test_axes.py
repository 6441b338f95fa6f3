"""Results that know their times and frequencies, beside scipy's and librosa's."""

import numpy as np
import pytest
import scipy.signal

import papilio
from papilio import signal

RATE = 8000
X = np.random.default_rng(3).standard_normal((2, 5000)).astype(np.float32)


def mel_frequencies(count, high):
    """Centres of `count` bands on Slaney's scale: linear to 1 kHz, then 27 steps to a factor of 6.4."""
    def hz(mel):
        return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))

    top = high * 3 / 200 if high < 1000 else 15 + np.log(high / 1000) / np.log(6.4) * 27
    return hz(np.linspace(0, top, count + 2))[1:-1]


def test_axes_of_stft_are_those_of_scipy_and_librosa():
    for options, times in ((dict(n_fft=256, hop=64), np.arange(79) * 64 / RATE),
                           (dict(n_fft=256, hop=100, center=False), (np.arange(48) * 100 + 128) / RATE)):  # fmt: skip
        got = signal.stft(X, rate=RATE, axes=True, **options)
        assert np.array_equal(got.values, signal.stft(X, **options))
        assert got.unit == "amplitude" and np.allclose(got.times, times, rtol=1e-15, atol=0)
        f, t, _ = scipy.signal.spectrogram(X, RATE, "hann", 256, 256 - options["hop"])
        assert np.allclose(got.frequencies, f, rtol=1e-15)
        if not options.get("center", True):
            assert np.allclose(got.times, t, rtol=1e-15)
    sides = signal.stft(X, 256, sides="two", axes=True)
    assert np.array_equal(sides.frequencies, np.fft.fftfreq(256)) and sides.times[1] == 64


def test_axes_of_bands_cepstra_and_densities():
    mel = signal.mel_spectrogram(X, RATE, 512, 128, bands=40, axes=True)
    assert np.array_equal(mel.values, signal.mel_spectrogram(X, RATE, 512, 128, bands=40))
    assert np.allclose(mel.frequencies, mel_frequencies(40, RATE / 2), rtol=1e-12)
    assert np.allclose(mel.times, np.arange(40) * 128 / RATE) and mel.unit == "power"
    mfcc = signal.mfcc(X, RATE, n_fft=512, coefficients=13, axes=True)
    assert np.array_equal(mfcc.values, signal.mfcc(X, RATE, n_fft=512, coefficients=13))
    assert mfcc.frequencies.tolist() == list(range(13)) and np.array_equal(mfcc.times, mel.times)
    for function, theirs in ((signal.welch, scipy.signal.welch), (signal.periodogram, scipy.signal.periodogram)):
        got = function(X.astype(float), RATE, axes=True)
        f, density = theirs(X.astype(float), RATE)
        assert got.times is None and got.unit == "power / Hz"
        assert np.allclose(got.frequencies, f) and np.allclose(got.values, density, rtol=1e-9, atol=1e-18)


def test_the_rate_is_that_of_a_sound():
    sound = papilio.Sound(X, RATE)
    assert signal.spectrogram(sound, 256, axes=True) == signal.spectrogram(X, 256, rate=RATE, axes=True)
    assert signal.mfcc(sound, axes=True) == signal.mfcc(X, RATE, axes=True)


def test_unpacking_is_what_pcolormesh_and_plot_take():
    times, frequencies, values = signal.spectrogram(X, 256, rate=RATE, axes=True)
    assert values.shape == (2, len(frequencies), len(times))
    assert np.array_equal(values[1].T, signal.spectrogram(X[1], 256))
    frequencies, density = signal.welch(X, RATE, axes=True)
    assert np.array_equal(density, signal.welch(X, RATE)[1]) and density.shape[-1] == len(frequencies)


def test_levels():
    for result, factor in (("power", 10), ("magnitude", 20), ("complex", 20)):
        got = signal.stft(X, 256, result=result, axes=True).decibel(None)
        levels = factor * np.log10(abs(signal.stft(X, 256, result=result)))
        assert got.unit == "dB" and np.allclose(got.values, np.maximum(levels - levels.max(), -80), atol=1e-3)
    assert signal.welch(X, axes=True).decibel().unit == "dB / Hz"
    assert signal.stft(X, scaling="dbfs", axes=True).decibel().unit == "dB re full scale"
    with pytest.raises(ValueError, match="^Spectra.decibel: values must be powers or amplitudes, they are in dB$"):
        got.decibel()


@pytest.mark.parametrize("made", [
    lambda x: signal.stft(x, 256, axes=True), lambda x: signal.stft(x, 256, sides="two", axes=True),
    lambda x: signal.mel_spectrogram(x, RATE, axes=True), lambda x: signal.mfcc(x, RATE, axes=True),
    lambda x: signal.welch(x, RATE, axes=True), lambda x: signal.spectrogram(x[..., :10], 8, center=False, axes=True)],
    ids=["stft", "two-sided", "mel", "mfcc", "welch", "one segment"])  # fmt: skip
def test_results_draw_themselves(made):
    for x in (X, X[0]):
        result = made(x)
        assert result._repr_png_()[:4] == b"\x89PNG" and repr(result).startswith("Spectra(")
        picture = result.picture(title="t", width=400, height=300, format="svg")
        assert isinstance(picture, papilio.Picture) and picture.format == "svg"
    louder = made(X * np.linspace(1, 2, X.shape[-1], dtype=np.float32))
    assert louder._repr_png_() != made(X)._repr_png_()


def test_a_tone_is_drawn_at_its_frequency():
    tone = np.sin(2 * np.pi * 1000 / RATE * np.arange(RATE))
    levels = signal.spectrogram(tone, 256, rate=RATE, axes=True).decibel(None)
    low, scale, rows = signal._axes._rows(levels.frequencies)
    shown = signal._axes._pooled(levels.values.T, rows).mean(axis=1)
    row = np.log(1000 / low) / np.log(RATE / 2 / low) * len(rows)
    assert scale == "log" and abs(np.flatnonzero(shown == shown.max()).mean() - row) < 10
