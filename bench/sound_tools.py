#!/usr/bin/env python3
"""Whole processes in turns: papilio beside sox, ffmpeg and a libsndfile + FFTW loop
(magnitudes_peer.cpp). Median wall seconds, CPU seconds and peak memory, and papilio's CPU over the
peer's: the median of the turns. usage: bench/sound_tools [RUNS [TASK...]]

Tasks: picture (10 min stereo to PNG, in much the same size), default-picture (as each draws it if
nothing is said), magnitudes (10 min stereo to 424 MB), folder-magnitudes and folder-pictures (200
files of 5 s).
"""
import pathlib
import shutil
import statistics
import sys
import tempfile

from processes import in_turns, median_ratio, usage, write_wav


def tasks(papilio, loop, folder):
    """By name a title and the tools, ours first: lists of commands that are one run."""
    wav, png, raw = folder / "ten_minutes.wav", folder / "out.png", folder / "out.f32"
    sounds = [folder / f"folder/{1000 + i}.wav" for i in range(200)]
    batch = [papilio, "batch", folder / "folder", "--jobs", "1", "--out", folder / "results",
             "--n-fft", "2048", "--hop", "512", "--what"]

    def spectrogram(*size):
        return [[papilio, "spectrogram", wav, *size, "--out", png]]

    def sox(sound, *size, out=png):
        return ["sox", sound, "-n", "spectrogram", *size, "-o", out]
    return {
        "picture": ("10 min stereo to PNG", {
            "papilio spectrogram": spectrogram("--width", "2000", "--height", "1100"),
            # Of 2048 points and half of that from one to the next, too.
            "sox spectrogram": [sox(wav, "-x", "2000", "-y", "1025")],
            "ffmpeg showspectrumpic": [["ffmpeg", "-y", "-v", "error", "-i", wav, "-lavfi",
                                        "showspectrumpic=s=2000x1024", png]]}),
        "default-picture": ("10 min stereo to PNG, defaults", {
            "papilio spectrogram": spectrogram(), "sox spectrogram": [sox(wav)]}),
        "magnitudes": ("10 min stereo to magnitudes", {
            "papilio stft": [[papilio, "stft", wav, "--n-fft", "2048", "--hop", "512", "--form",
                              "magnitude", "--out", folder / "out.npy"]],
            "libsndfile + FFTW loop": [[loop, raw, wav]]}),
        "folder-magnitudes": ("200 files of 5 s to magnitudes", {
            "papilio batch": [[*batch, "stft", "--form", "magnitude"]],
            "libsndfile + FFTW loop": [[loop, raw, *sounds]]}),
        "folder-pictures": ("200 files of 5 s to PNG", {
            "papilio batch": [[*batch, "spectrogram", "--width", "944", "--height", "592"]],
            # Beside the folder: a picture in it would be a file that the next run cannot read.
            "sox, a process a file": [sox(s, "-x", "800", "-y", "513",
                                          out=folder / (s.stem + ".png")) for s in sounds]})}


def used_by(commands):
    """The sums of the seconds and the highest peak; None where one failed."""
    used = [usage(c) for c in commands]
    if None in used:
        return None
    return (sum(u[0] for u in used), sum(u[1] for u in used), max(u[2] for u in used))


def main(loop, runs="5", *names):
    papilio = pathlib.Path(loop).resolve().parent.parent / "src/cli/papilio"
    good = True
    with tempfile.TemporaryDirectory(prefix="papilio-bench-") as name:
        folder = pathlib.Path(name)
        write_wav(folder / "ten_minutes.wav", 600)
        (folder / "folder").mkdir()
        write_wav(folder / "folder/1000.wav", 5)
        for i in range(1, 200):
            shutil.copy(folder / "folder/1000.wav", folder / f"folder/{1000 + i}.wav")
        known = tasks(papilio, loop, folder)
        for task in names or known:
            if task not in known:
                sys.exit(f"bench/sound_tools: no such task: {task}; there are {', '.join(known)}")
            title, tools = known[task]
            found = in_turns([lambda c=c: used_by(c) for c in tools.values()], int(runs), int(runs),
                             0)
            print(f"{title:<34} {'wall s':>8} {'CPU s':>8} {'peak MiB':>9} {'papilio / it':>13}")
            for tool, used in zip(tools, found):
                if None in used or None in found[0]:
                    print(f"  {tool:<32} did not run")
                    good = good and tool != next(iter(tools))
                    continue
                ratio = median_ratio(*([u[1] for u in side] for side in (found[0], used)))
                wall, cpu, peak = (statistics.median(u[i] for u in used) for i in range(3))
                print(f"  {tool:<32} {wall:8.2f} {cpu:8.2f} {peak:9.1f} {ratio:13.2f}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
