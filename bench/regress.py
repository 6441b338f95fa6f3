#!/usr/bin/env python3
"""This build of papilio beside another, in turns.

CPU seconds of each call of bench/hot_calls.cpp (transforms, STFT, contractions, decompositions, MP2,
the emulator dry and executed; one thread), of the program's start-up, of ten minutes of stereo sound
to a PNG and of 166 files in a batch; peak memory of the last two. Medians, and the median of the
ratios of the turns, this over other: above 1 is slower.

OTHER is a build folder with papilio_bench_hot_calls and papilio_cli, or a prefix where papilio is
installed, for which the calls are compiled (c++ and pkg-config).
"""
import argparse
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from processes import Calls, in_turns, median_ratio, usage, write_wav

WORST_RATIO, RUNS_TO_FAIL = 1.05, 3
HOT_CALLS = pathlib.Path(__file__).resolve().parent / "hot_calls.cpp"


class Build:
    def __init__(self, calls, program, libraries):
        self.calls, self.program, self.libraries = calls, program, libraries

    @property
    def environment(self):
        """With its own library, even where its folder is the copy of another."""
        return {"LD_LIBRARY_PATH": str(self.libraries), "OPENBLAS_NUM_THREADS": "1"}

    def copied(self, to):
        """The same files, written alike: how many pages of a file come into memory at once, and so
        the peak memory, depends on how it was written."""
        to.mkdir()
        for library in self.libraries.glob("libpapilio*"):
            if library.exists():
                shutil.copy(library, to)
        return Build(shutil.copy(self.calls, to), shutil.copy(self.program, to), to)


def build_of(folder, workplace):
    if (folder / "bench/papilio_bench_hot_calls").exists():
        return Build(folder / "bench/papilio_bench_hot_calls", folder / "src/cli/papilio",
                     folder / "src")
    package = next(folder.glob("lib/**/papilio.pc"), None)
    if package is None:
        sys.exit(f"bench/regress: {folder} has neither bench/papilio_bench_hot_calls nor "
                 "lib/.../papilio.pc")
    print(f"compiling {HOT_CALLS} against {folder}", flush=True)
    calls = workplace / "papilio_bench_hot_calls"
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "papilio", "openblas"], text=True,
                           env={**os.environ, "PKG_CONFIG_PATH": str(package.parent)}, check=True,
                           capture_output=True).stdout.split()
    subprocess.run(["c++", "-std=c++20", "-O3", "-DNDEBUG", "-o", calls, HOT_CALLS, *flags],
                   check=True)
    return Build(calls, folder / "bin/papilio", package.parent.parent)


def program_turns(builds, arguments, most, least, seconds):
    """CPU seconds and peak MiB of the program of each build."""
    def run(build):
        used = usage([build.program, *arguments(build)], build.environment)
        return used or sys.exit(f"bench/regress: {build.program} failed")
    return in_turns([lambda b=b: run(b)[1:] for b in builds], most, least, seconds)


def measurements(builds, calls, workplace, is_quick):
    """Pairs of a name and a function that gives the figures of both builds, by what the name is
    followed by and the unit."""
    def of_call(name):
        most, least, seconds = (7, 3, 0.5) if is_quick else (31, 7, 2)
        return {("", "s"): in_turns([lambda c=c: c.seconds(name) for c in calls], most, least,
                                    seconds)}

    def of_program(arguments, *turns, has_memory=True):
        used = program_turns(builds, arguments, *turns)
        figures = {("", "s"): [[u[0] for u in side] for side in used]}
        if has_memory:
            figures[", peak memory", "MiB"] = [[u[1] for u in side] for side in used]
        return figures

    def picture():
        wav = workplace / "ten_minutes.wav"
        if not wav.exists():
            write_wav(wav, 600)
        return of_program(lambda b: ["spectrogram", wav, "--n-fft", "2048", "--hop", "512",
                                     "--width", "2000", "--height", "1100", "--out",
                                     workplace / "out.png"], 7, 3, 20)

    def batch():
        sounds, pictures = workplace / "sounds", workplace / "pictures"
        if not sounds.exists():
            sounds.mkdir()
            for i in range(166):
                if i == 0:
                    write_wav(sounds / "1000.wav", 2)
                else:
                    shutil.copy(sounds / "1000.wav", sounds / f"{1000 + i}.wav")

        def arguments(_):
            shutil.rmtree(pictures, ignore_errors=True)
            return ["batch", sounds, "--jobs", "1", "--out", pictures, "--what", "spectrogram"]
        return of_program(arguments, 7, 3, 30)

    known = set(calls[1].names)
    for name in calls[0].names:
        if name in known:
            yield name, lambda name=name: of_call(name)
        else:
            print(f"{name:<40} only here")
    yield "start of the program", lambda: of_program(lambda _: ["--version"], 41, 11, 3,
                                                     has_memory=False)
    if not is_quick:
        yield "10 minutes of stereo to PNG", picture
        yield "batch of 166 files", batch


def text_of(value, unit):
    if unit == "MiB":
        return f"{value:.1f} MiB"
    return f"{value * 1e6:.3f} us" if value < 1e-3 else f"{value * 1e3:.3f} ms"


def compare(what):
    """Prints a line for each figure; their ratios."""
    name, measure = what
    ratios = []
    for (suffix, unit), (ours, others) in measure().items():
        ratios.append(median_ratio(ours, others))
        print(f"{name + suffix:<40} {text_of(statistics.median(ours), unit):>14} "
              f"{text_of(statistics.median(others), unit):>14} {ratios[-1]:7.3f}"
              f"{'' if ratios[-1] <= WORST_RATIO else '  above'}", flush=True)
    return ratios


def main():
    parser = argparse.ArgumentParser(prog="bench/regress", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calls", help=argparse.SUPPRESS)
    parser.add_argument("other", metavar="OTHER", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true",
                        help="fewer turns, and neither picture nor batch")
    parser.add_argument("--check", action="store_true",
                        help="what is above 1.05 is run again, twice; exit 1 if it is above in all "
                        "three runs")
    parser.add_argument("--only", metavar="TEXT", default="", help="only what has TEXT in its name")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="papilio-regress-") as folder:
        workplace = pathlib.Path(folder)
        here = pathlib.Path(o.calls).resolve().parent.parent
        builds = [build_of(here, workplace).copied(workplace / "this"),
                  build_of(o.other.resolve(), workplace).copied(workplace / "other")]
        calls = [Calls(b.calls, b.environment) for b in builds]
        left = [m for m in measurements(builds, calls, workplace, o.quick) if o.only in m[0]]
        if not left:
            sys.exit(f"bench/regress: --only {o.only}: nothing has that in its name")
        print(f"{'':<40} {'this':>14} {'other':>14} {'ratio':>7}")
        for run in range(1, RUNS_TO_FAIL + 1):
            found = [(m, compare(m)) for m in left]
            left = [m for m, ratios in found if max(ratios) > WORST_RATIO]
            mean = math.exp(statistics.fmean(math.log(r) for _, ratios in found for r in ratios))
            print(f"geometric mean {mean:.3f}; {len(left)} above {WORST_RATIO:.2f}")
            if not left or not o.check:
                break
            if run < RUNS_TO_FAIL:
                print(f"\nonce more what is above, run {run + 1} of {RUNS_TO_FAIL}")
        for c in calls:
            c.close()
    if o.check:
        for name, _ in left:
            print(f"FAILED: {name} is above {WORST_RATIO:.2f} in {RUNS_TO_FAIL} runs")
    return 1 if o.check and left else 0


if __name__ == "__main__":
    sys.exit(main())
