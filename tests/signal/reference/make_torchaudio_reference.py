#!/usr/bin/env python3
"""Writes the reference vectors of tests/signal/data that torchaudio itself gives.

    apt-get install python3-torchaudio
    /usr/bin/python3 tests/signal/reference/make_torchaudio_reference.py

The stored files come from torch 1.13.0 and torchaudio 0.13.1 (Debian bookworm). Signals are in
double; torchaudio keeps its filterbank in float. Run make_reference.py first: it makes the signal.
Those at 11025 Hz come from torch 2.11.0 and torchaudio 2.11.0 (PyPI), filterbanks in double.
"""
import pathlib

import numpy as np
import torch
import torchaudio

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"


def save(name, values):
    np.save(DATA / f"{name}.npy", np.ascontiguousarray(values.numpy().astype(np.float64)))


signal = torch.from_numpy(np.load(DATA / "features_signal.npy").astype(np.float64))
save("mfcc_torchaudio_run", torchaudio.transforms.MFCC(16000).double()(signal).T)
save("mel_torchaudio_run", torchaudio.functional.melscale_fbanks(
    129, 0.0, 8000.0, 20, 16000, norm="slaney", mel_scale="slaney").T)
torch.set_default_dtype(torch.float64)
save("mfcc_torchaudio_11025", torchaudio.transforms.MFCC(11025, n_mfcc=13)(signal).T)
save("centroid_torchaudio_11025", torchaudio.transforms.SpectralCentroid(11025)(signal))
