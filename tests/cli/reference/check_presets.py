#!/usr/bin/env python3
"""Compares what papilio computes under --preset with librosa, torch, torchaudio and scipy.

    apt-get install alsa-utils sound-theme-freedesktop sonic-pi-samples ffmpeg
    python3 -m venv venv && venv/bin/pip install librosa scipy soundfile torch torchaudio
    venv/bin/python tests/cli/reference/check_presets.py build/release/src/cli/papilio [FILE...]

Without FILEs, twelve sounds of those Debian packages and one that is shorter than a segment of
scipy's, half of them in other formats by ffmpeg. A line a quantity: the largest |difference| over
all files and segments, over the largest |value| of the peer in that file; of the peer run in float,
as librosa.load and torchaudio give samples, and in double, which leaves out the peer's rounding.
Exit 1 where the second is over 1e-5. It is not run by ctest; a peer that is not installed is left
out.
Last run: librosa 0.11.0, scipy 1.17.1, torch 2.11.0, torchaudio 2.11.0.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import soundfile

try:
    import librosa
except ImportError:
    librosa = None
try:
    import scipy.signal
except ImportError:
    scipy = None
try:
    import torch
    import torchaudio
except ImportError:
    torch = None

BOUND = 1e-5
ALSA = "/usr/share/sounds/alsa/"
FREEDESKTOP = "/usr/share/sounds/freedesktop/stereo/"
SONIC_PI = "/usr/share/sonic-pi/samples/"
# Name of the copy, source, what ffmpeg does to it; none: as it is packaged.
SOUNDS = [
    ("s16.wav", ALSA + "Front_Center.wav", None),
    ("noise.wav", ALSA + "Noise.wav", None),
    ("u8.wav", ALSA + "Rear_Left.wav", ["-c:a", "pcm_u8"]),
    ("adpcm.wav", ALSA + "Side_Right.wav", ["-c:a", "adpcm_ms"]),
    ("float_11025.wav", ALSA + "Front_Left.wav", ["-c:a", "pcm_f32le", "-ar", "11025"]),
    ("16.flac", SONIC_PI + "guit_e_fifths.flac", None),
    ("24.flac", SONIC_PI + "misc_burp.flac", None),
    ("s24.aiff", SONIC_PI + "loop_amen.flac", ["-c:a", "pcm_s24be"]),
    ("8000.oga", FREEDESKTOP + "phone-outgoing-busy.oga", None),
    ("96000.oga", FREEDESKTOP + "camera-shutter.oga", None),
    ("vbr.mp3", SONIC_PI + "bass_woodsy_c.flac", ["-c:a", "libmp3lame", "-q:a", "2"]),
    ("48000.opus", SONIC_PI + "loop_garzul.flac", ["-c:a", "libopus"]),
    ("short.wav", ALSA + "Front_Center.wav", ["-af", "atrim=start_sample=20000:end_sample=20221"]),
]

worst = {}


def make_sounds(folder):
    for name, source, arguments in SOUNDS:
        if arguments is None:
            yield pathlib.Path(source)
            continue
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", source, *arguments, folder / name],
                       check=True)
        yield folder / name


class Papilio:
    """Runs the program on the first channel of one file."""

    def __init__(self, program, file, folder):
        self.program, self.file, self.npy = program, file, folder / "out.npy"

    def info(self):
        report = subprocess.run([self.program, "info", "--json", self.file], check=True,
                                capture_output=True)
        return json.loads(report.stdout)[0]

    def __call__(self, verb, *flags):
        subprocess.run([self.program, verb, self.file, "--channel", "1", "--out", self.npy, *flags],
                       check=True, capture_output=True)
        return np.load(self.npy).T

    def feature(self, name, *flags):
        return self("features", "--no-time", "--" + name, *flags)


def compare(what, got, peer):
    """peer(type) is the peer's result for samples of that type."""
    differences = []
    for dtype in (np.float32, np.float64):
        expected = np.atleast_2d(np.asarray(peer(dtype)))
        if got.shape != expected.shape:
            raise SystemExit(f"{what}: papilio has {got.shape}, the peer {expected.shape}")
        differences.append(np.max(np.abs(got - expected)) / max(np.max(np.abs(expected)), 1e-300))
    worst[what] = np.maximum(worst.get(what, (0, 0)), differences)


def samples_of(papilio):
    """The samples that papilio reads (transforms of one point), so that what follows is of numbers
    and not of decoders. They are compared with libsndfile's, or with ffmpeg's where that has
    another length of the file."""
    info = papilio.info()
    bins = papilio("stft", "--n-fft", "1", "--hop", "1", "--window", "rectangular")
    x = bins[0].real.astype(np.float32)
    peer = soundfile.read(papilio.file, dtype="float32", always_2d=True)[0]
    if peer.shape[0] != x.size:
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", papilio.file, "-f", "f32le", "-"],
                             check=True, capture_output=True).stdout
        peer = np.frombuffer(raw, np.float32).reshape(-1, info["channels"])
    compare("samples, decoded", x[np.newaxis], lambda t: peer[:, 0].astype(t))
    return x, info["rate_hz"]


def check_librosa(papilio, x, rate):
    f = librosa.feature
    to = x.astype
    compare("librosa.stft", papilio("stft"), lambda t: librosa.stft(to(t)))
    for name, feature in {
            "rms": lambda t: f.rms(y=to(t), dtype=t),
            "centroid": lambda t: f.spectral_centroid(y=to(t), sr=rate),
            "bandwidth": lambda t: f.spectral_bandwidth(y=to(t), sr=rate),
            "rolloff": lambda t: f.spectral_rolloff(y=to(t), sr=rate),
            "flatness": lambda t: f.spectral_flatness(y=to(t)),
            "zero-crossings": lambda t: f.zero_crossing_rate(to(t)),
            "mel": lambda t: f.melspectrogram(y=to(t), sr=rate, dtype=t),
            "mfcc": lambda t: f.mfcc(y=to(t), sr=rate, dtype=t)}.items():
        compare("librosa " + name, papilio.feature(name), feature)
    compare("librosa power_to_db of mel", papilio.feature("mel", "--mel-db"),
            lambda t: librosa.power_to_db(f.melspectrogram(y=to(t), sr=rate, dtype=t)))
    compare("librosa mfcc, 13, n_fft 1024, hop 300, htk, lifter",
            papilio.feature("mfcc", "--coefficients", "13", "--n-fft", "1024", "--hop", "300",
                            "--mel-scale", "htk", "--lifter", "22"),
            lambda t: f.mfcc(y=to(t), sr=rate, n_mfcc=13, n_fft=1024, hop_length=300, htk=True,
                             lifter=22, dtype=t))


def check_torch(papilio, x, rate):
    transforms = torchaudio.transforms

    def run(make, t):
        # Windows and filters are made in the default type.
        torch.set_default_dtype(torch.float32 if t == np.float32 else torch.float64)
        return make()(torch.from_numpy(x.astype(t))).numpy()

    if x.size > 1024:  # torch refuses shorter ones
        compare("torch.stft", papilio("stft", "--preset", "torch"),
                lambda t: run(lambda: lambda y: torch.stft(
                    y, 2048, window=torch.ones(2048), return_complex=True), t))
    if x.size <= 200:
        return
    features = lambda name, *flags: papilio.feature(name, "--preset", "torch", *flags)
    mel = lambda: transforms.MelSpectrogram(rate)
    compare("torchaudio MelSpectrogram", features("mel"), lambda t: run(mel, t))
    compare("torchaudio AmplitudeToDB of it", features("mel", "--mel-db"),
            lambda t: run(lambda: torch.nn.Sequential(mel(), transforms.AmplitudeToDB()), t))
    compare("torchaudio MFCC", features("mfcc"), lambda t: run(lambda: transforms.MFCC(rate), t))
    compare("torchaudio SpectralCentroid", features("centroid"),
            lambda t: np.nan_to_num(run(lambda: transforms.SpectralCentroid(rate), t)))


def check_scipy(papilio, x, rate):
    compare("scipy.signal.stft", papilio("stft", "--preset", "scipy"),
            lambda t: scipy.signal.stft(x.astype(t), rate)[2])
    compare("scipy.signal.stft, nperseg 1000",
            papilio("stft", "--preset", "scipy", "--n-fft", "1000"),
            lambda t: scipy.signal.stft(x.astype(t), rate, nperseg=1000)[2])
    compare("scipy.signal.welch", np.atleast_2d(papilio("psd", "--preset", "scipy")),
            lambda t: scipy.signal.welch(x.astype(np.float64), rate)[1])
    compare("scipy.signal.welch, nperseg 1000",
            np.atleast_2d(papilio("psd", "--preset", "scipy", "--segment-length", "1000")),
            lambda t: scipy.signal.welch(x.astype(np.float64), rate, nperseg=1000)[1])


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in [pathlib.Path(f) for f in sys.argv[2:]] or make_sounds(folder):
            papilio = Papilio(program, file, folder)
            x, rate = samples_of(papilio)
            print(f"{file.name:<28}{rate:>7} Hz {x.size:>8} samples", flush=True)
            checks = ((librosa, check_librosa), (torch, check_torch), (scipy, check_scipy))
            for peer, check in checks:
                if peer is not None:
                    check(papilio, x, rate)
    print(f"\n{'quantity':<52}{'float':>10}{'double':>10}")
    for what, (single, double) in worst.items():
        over = "  over the bound" if double > BOUND else ""
        print(f"{what:<52}{single:>10.1e}{double:>10.1e}{over}")
    sys.exit(any(double > BOUND for _, double in worst.values()))


if __name__ == "__main__":
    main()
