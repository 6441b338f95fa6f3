#!/usr/bin/env python3
"""Features of a folder of recordings, to Parquet, on the workers of Dask.

usage: python3 examples/dask_folder.py FOLDER OUT [SCHEDULER]

FOLDER is a path or an address of fsspec (s3://bucket/calls), SCHEDULER the address of one that runs;
without it the threads of this computer do the work. OUT is a folder of Parquet files, a row for each recording, which
goes on where it was stopped. Needs dask[distributed] and pyarrow.
"""

import sys

import numpy as np

import papilio.dask
from papilio.signal import librosa


def features(file):
    sound = papilio.read(file)
    x = sound.mono()
    return {
        "seconds": sound.duration,
        "rms_dbfs": float(10 * np.log10(max(np.mean(x.astype(float) ** 2), 1e-20))),
        "centroid_hz": float(np.mean(librosa.spectral_centroid(y=x, sr=sound.rate))),
        "mfcc": librosa.mfcc(y=x, sr=sound.rate, n_mfcc=13).mean(axis=-1).tolist(),
    }


def main(folder, out, *scheduler):
    if scheduler:
        from distributed import Client

        Client(*scheduler)
    mapped = papilio.dask.map_files(folder, features, out)
    print(mapped)
    return 1 if mapped.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) in (3, 4) else __doc__)
