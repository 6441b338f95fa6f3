#!/usr/bin/env python3
"""Prints one table of the sound features beside a reference: largest difference, ratio of CPU times.

    PYTHONPATH=build/release/python python3 bench/sound_peers.py song.flac
    PYTHONPATH=build/release/python python3 bench/sound_peers.py song.flac --only pitch --turns 9

Each module of bench/sound_peers_rows has a function

    def rows(samples, rate): return [dict(feature=..., reference=..., ours=f, theirs=g, difference=d)]

where samples is a float32 array of one channel, rate its samples a second, f and g take nothing, and
d takes the results of f and g and gives a number. The papilio module and the references, of which
librosa is one, must be importable; soundfile reads the file.
"""
import argparse
import importlib.util
import pathlib
import statistics
import sys
import time

import numpy as np
import soundfile

FOLDER = pathlib.Path(__file__).resolve().parent / "sound_peers_rows"


def module_of(path):
    spec = importlib.util.spec_from_file_location(f"sound_peers_rows_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cpu_seconds(run):
    """CPU time of all threads, so that the computer's other load and idle cores do not count."""
    start = time.process_time()
    run()
    return time.process_time() - start


def measured(row, turns):
    """The largest difference, and medians of CPU seconds of both, which run in turns."""
    # The first calls make plans and compile the reference's functions.
    difference = float(row["difference"](row["ours"](), row["theirs"]()))
    ours, theirs = [], []
    for _ in range(turns):
        ours.append(cpu_seconds(row["ours"]))
        theirs.append(cpu_seconds(row["theirs"]))
    return difference, statistics.median(ours), statistics.median(theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sound", help="file whose channels are averaged")
    parser.add_argument("--only", action="append", help="name of a module of rows; several may be given")
    parser.add_argument("--turns", type=int, default=5, help="timed calls of each side [5]")
    args = parser.parse_args()
    if args.turns < 1:
        parser.error(f"--turns: must be at least 1, got {args.turns}")
    paths = {path.stem: path for path in sorted(FOLDER.glob("*.py"))}
    missing = sorted(set(args.only or ()) - set(paths))
    if missing:
        parser.error(f"--only: {missing[0]} is no module of {FOLDER.name}: {', '.join(paths) or 'it has none'}")
    chosen = [paths[name] for name in args.only or paths]
    if not chosen:
        sys.exit(f"sound_peers.py: {FOLDER} has no module of rows")
    channels, rate = soundfile.read(args.sound, dtype="float32", always_2d=True)
    samples = np.ascontiguousarray(channels.mean(axis=1))
    print("| feature | reference | largest difference | CPU ms | reference's CPU ms | ratio |")
    print("|---|---|---|---|---|---|")
    for path in chosen:
        for row in module_of(path).rows(samples, rate):
            difference, ours, theirs = measured(row, args.turns)
            ratio = f"{theirs / ours:.1f}" if ours > 0 else "-"
            print(f"| {row['feature']} | {row['reference']} | {difference:.2g} | {1e3 * ours:.2f} "
                  f"| {1e3 * theirs:.2f} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
