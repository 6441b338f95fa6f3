#!/usr/bin/env python3
"""papilio.torch beside torch's stft and torchaudio's modules, forward, and forward and backward.

usage: PYTHONPATH=build/release/python python3 bench/torch_peers.py [--seconds N] [--repeats N]

Signals are so many seconds of noise at 16 kHz, eight at once, in float32. Each row is timed in turns in one process on
one thread, in CPU time; times are medians, ratios the peer's over papilio's. Exits 1 where stft is below 1.5, or another
row below 1.
"""

import argparse
import statistics
import sys
import time

import torch
import torchaudio
import torchaudio.compliance.kaldi as kaldi

import papilio.torch as ours

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--seconds", type=float, default=10)
parser.add_argument("--repeats", type=int, default=11)
options = parser.parse_args()
torch.set_num_threads(1)
theirs = torchaudio.transforms

signals = torch.randn(8, int(options.seconds * 16000))
window = torch.hann_window(1024)
spectra = torch.stft(signals, 1024, 256, window=window, return_complex=True)
inverse = {"n_fft": 1024, "hop_length": 256}
mel = {"sample_rate": 16000, "n_fft": 1024, "hop_length": 256, "n_mels": 80}
ROWS = [
    ("stft 1024 / 256", lambda x: ours.stft(x, 1024, 256, window=window),
     lambda x: torch.stft(x, 1024, 256, window=window, return_complex=True), signals),
    ("istft 1024 / 256", lambda x: ours.istft(x, 1024, 256, window=window),
     lambda x: torch.istft(x, 1024, 256, window=window), spectra),
    ("rfft of 512 points", lambda x: ours.rfft(x.view(-1, 512)), lambda x: torch.fft.rfft(x.view(-1, 512)), signals),
    ("Spectrogram, power", ours.Spectrogram(1024), theirs.Spectrogram(1024), signals),
    ("Spectrogram, magnitude", ours.Spectrogram(1024, power=1.0), theirs.Spectrogram(1024, power=1.0), signals),
    ("InverseSpectrogram", ours.InverseSpectrogram(**inverse), theirs.InverseSpectrogram(**inverse), spectra),
    ("MelSpectrogram", ours.MelSpectrogram(**mel), theirs.MelSpectrogram(**mel), signals),
    ("MFCC", ours.MFCC(16000, melkwargs={"n_fft": 1024, "n_mels": 80}),
     theirs.MFCC(16000, melkwargs={"n_fft": 1024, "n_mels": 80}), signals),
    ("LFCC", ours.LFCC(speckwargs={"n_fft": 1024}), theirs.LFCC(speckwargs={"n_fft": 1024}), signals),
    ("Resample 44100 to 16000", ours.Resample(44100, 16000), theirs.Resample(44100, 16000), signals),
    ("Fbank, 80 bands", ours.Fbank(num_mel_bins=80), lambda x: kaldi.fbank(x, num_mel_bins=80), signals[:1]),
]  # fmt: skip


def medians(functions):
    times = {name: [] for name in functions}
    for turn in range(options.repeats + 1):
        for name, f in functions.items():
            start = time.process_time()
            f()
            if turn:
                times[name].append(time.process_time() - start)
    return {name: statistics.median(t) for name, t in times.items()}


def both(f, x):
    x = x.clone().requires_grad_()
    y = f(x)
    (torch.view_as_real(y) if y.is_complex() else y).square().sum().backward()
    return x.grad


below = False
for name, papilio_s, peer_s, x in ROWS:
    scale = peer_s(x).abs().max()
    if (papilio_s(x) - peer_s(x)).abs().max() > 1e-3 * scale:  # a logarithm of what is nearly nothing
        sys.exit(f"{name}: another result than the peer's")
    forward = medians({"papilio": lambda: papilio_s(x), "peer": lambda: peer_s(x)})
    backward = medians({"papilio": lambda: both(papilio_s, x), "peer": lambda: both(peer_s, x)})
    ratios = [t["peer"] / t["papilio"] for t in (forward, backward)]
    print(f"{name:<24} forward {1e3 * forward['papilio']:8.2f} ms, peer {ratios[0]:5.2f} x;"
          f"  and backward {1e3 * backward['papilio']:8.2f} ms, peer {ratios[1]:5.2f} x")  # fmt: skip
    below = below or ratios[0] < (1.5 if name.startswith("stft") else 1) or ratios[1] < 1
sys.exit(1 if below else 0)
