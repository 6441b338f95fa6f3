#!/usr/bin/env python3
"""Features of a folder of recordings, to Parquet, on the workers of Dask.

usage: python3 examples/dask_folder.py FOLDER OUT [--workers N] [--scheduler ADDRESS] [--pattern GLOB]

FOLDER is a path or an address of fsspec (s3://bucket/calls). OUT is a folder of Parquet files, a row
for each recording: name, duration, rate, level, spectral centroid, mean MFCCs, or the error that it
gave. What OUT has already is not done again, so that a run that was stopped goes on where it was;
recordings that failed are tried again. One that kills its worker is a row with an error too, after
it has killed one alone. Needs dask[distributed], pyarrow and fsspec.
"""

import argparse
import pathlib
import sys
import tempfile
import uuid

import fsspec
import numpy as np
import pyarrow
import pyarrow.parquet
from distributed import Client, KilledWorker, LocalCluster, as_completed

import papilio
from papilio.signal import librosa

COEFFICIENTS = 13
SCHEMA = pyarrow.schema(
    [("file", pyarrow.string()), ("error", pyarrow.string()), ("seconds", pyarrow.float64()),
     ("rate", pyarrow.int64()), ("rms_dbfs", pyarrow.float64()), ("centroid_hz", pyarrow.float64()),
     ("mfcc", pyarrow.list_(pyarrow.float64()))]
)  # fmt: skip


def row_of(address, error=None):
    return dict.fromkeys(SCHEMA.names) | {"file": address, "error": error}


def features(address):
    """A row of the table; a recording that cannot be read has its error in it."""
    row = row_of(address)
    local = ""
    try:
        with tempfile.TemporaryDirectory() as folder:
            local = pathlib.Path(folder) / pathlib.PurePosixPath(address).name
            with fsspec.open(address, "rb") as source:
                local.write_bytes(source.read())
            sound = papilio.read(local)
        x = sound.mono()
        row["seconds"], row["rate"] = sound.duration, sound.rate
        row["rms_dbfs"] = float(10 * np.log10(max(np.mean(x.astype(float) ** 2), 1e-20)))
        row["centroid_hz"] = float(np.mean(librosa.spectral_centroid(y=x, sr=sound.rate)))
        mfcc = librosa.mfcc(y=x, sr=sound.rate, n_mfcc=COEFFICIENTS)
        row["mfcc"] = [float(v) for v in mfcc.mean(axis=-1)]
    except Exception as e:
        # The copy that was read is gone: the error is the recording's.
        text = str(e) or type(e).__name__
        for copy in filter(None, (str(local), repr(str(local))[1:-1])):
            text = text.replace(copy, address)
        return row_of(address, text)
    return row


def done_in(out):
    """Recordings that the tables of a folder have, without those that failed."""
    done = set()
    for file in out.glob("*.parquet"):
        table = pyarrow.parquet.read_table(file, columns=["file", "error"]).to_pylist()
        done.update(row["file"] for row in table if row["error"] is None)
    return done


def write_rows(rows, out):
    """A table of its own, which appears whole or not at all."""
    part = out / f"{uuid.uuid4().hex}.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, SCHEMA), part.with_suffix(".part"))
    part.with_suffix(".part").rename(part)


def remove_failures(out):
    """Rows of recordings that failed, which this run tries again."""
    for file in out.glob("*.parquet"):
        rows = pyarrow.parquet.read_table(file).to_pylist()
        kept = [row for row in rows if row["error"] is None]
        if len(kept) == len(rows):
            continue
        if kept:
            write_rows(kept, out)
        file.unlink()


def rows_from(client, addresses):
    """A row for each recording, as they come.

    Dask gives up recordings whose workers died several times, also those that waited beside the one
    that kills: each of them is tried once more when nothing else runs.
    """
    waiting = client.map(features, addresses, pure=False, retries=3)
    names = {future.key: address for future, address in zip(waiting, addresses)}
    suspects = []
    for future in as_completed(waiting):
        try:
            yield future.result()
        except KilledWorker:
            suspects.append(names[future.key])
        future.release()
    for address in suspects:
        try:
            yield client.submit(features, address, pure=False).result()
        except KilledWorker as e:
            deaths = e.allowed_failures + 1
            yield row_of(address, f"{address}: its worker died, {deaths} times in a row")


def run(client, folder, out, pattern="**/*.*", rows_of_a_table=64, progress=None):
    """Does what is not done; returns how many recordings were done, and the rows that failed."""
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for stale in out.glob("*.part"):
        stale.unlink()
    remove_failures(out)
    files, base = fsspec.core.url_to_fs(folder)
    found = [files.unstrip_protocol(name) for name in files.glob(f"{base.rstrip('/')}/{pattern}")
             if files.isfile(name)]  # fmt: skip
    todo = sorted(set(found) - done_in(out))
    rows, failed, count = [], [], 0
    try:
        for row in rows_from(client, todo):
            rows.append(row)
            count += 1
            if row["error"] is not None:
                failed.append(row)
            if progress is not None:
                progress(count, len(todo))
            if len(rows) >= rows_of_a_table:
                write_rows(rows, out)
                rows = []
    finally:
        if rows:
            write_rows(rows, out)
    return count, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("out")
    parser.add_argument("--workers", type=int, default=None, help="processes of this computer")
    parser.add_argument("--scheduler", default=None, help="address of a scheduler that runs")
    parser.add_argument("--pattern", default="**/*.*", help="of names in the folder")
    options = parser.parse_args()
    if options.scheduler is None:
        cluster = LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=None)
    else:
        cluster = options.scheduler
    with Client(cluster) as client:
        count, failed = run(
            client, options.folder, options.out, options.pattern,
            progress=lambda n, all: print(f"\r{n} of {all}", end="", file=sys.stderr, flush=True),
        )  # fmt: skip
    print(f"\n{count - len(failed)} recordings into {options.out}, {len(failed)} failed", file=sys.stderr)
    for row in failed:
        print(f"{row['file']}: {row['error']}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
