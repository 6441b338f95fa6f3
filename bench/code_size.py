#!/usr/bin/env python3
"""What the units of papilio::fft cost: code, and CPU seconds of compiling.

usage: bench/code_size.py [--compile] [--by radix|kernel|vector] [--json FILE] [BUILD [OTHER]]

Reads the objects of the build folder BUILD (the newest in build/* if none is given). Prints the bytes
of code of every unit, then of every group of kernels, a column an instruction set: by radix or size
(if nothing is said), by kernel (the function's name) or by vector (the lanes of its registers).
--compile compiles each unit once more, to no file and without a cache, and prints its CPU seconds, in
all and divided among the groups by their bytes, which is an estimate.
--json FILE adds what papilio_bench_fft --benchmark_out wrote: the radices and sizes in the recipes of
its rows are counted, so that a group that no recipe has shows.
With OTHER, another build's folder, the differences are printed in place of the values: what a change
costs. What it buys is bench/regress's to say.
"""

import argparse
import collections
import json
import pathlib
import re
import resource
import shlex
import subprocess
import sys

TARGET = re.compile(r"papilio::fft_detail::N_(\w+)::")
KERNEL = re.compile(r"N_\w+::(?:\(anonymous namespace\)::)?(\w+)[<(]")
LANES = re.compile(r"Simd<(\w+), (\d+)ul")


def radix_of(kernel):
    """The radix, or the size as factors, that a function's template arguments name."""
    if "odd_butterfly" in kernel:
        return "any odd radix"
    if found := re.search(r"(?:^|\W)butterfly<[^<>]*(?:<[^<>]*>)?[^<>]*?, (\d+)ul>", kernel):
        return f"radix {found[1]}"
    if found := re.search(r"fixed_radix<(\d+)ul", kernel):
        return f"radix {found[1]}"
    # Other sizes, of codelets and of two steps, are numbers outside the vectors' types.
    plain = re.sub(r"hwy::N_\w+::Simd<[^<>]*>", "", kernel.split("(papilio")[0])
    if factors := re.findall(r"(\d+)ul", plain):
        return "size " + " x ".join(factors)
    return "any"


def group_of(name, by):
    if by == "radix":
        return radix_of(name)
    if by == "kernel":
        found = KERNEL.search(name)
        return found[1] if found else "other"
    found = LANES.search(name.split("(papilio")[0])
    return f"{found[2]} {found[1]}" if found else "without a type"


def functions_of(unit):
    """Demangled names and bytes of the unit's functions."""
    out = subprocess.run(["nm", "-S", "-C", "--defined-only", unit], check=True, capture_output=True,
                         text=True).stdout
    for line in out.splitlines():
        fields = line.split(" ", 3)
        if len(fields) == 4 and fields[2] in "tTwW":
            yield fields[3], int(fields[1], 16)


def seconds_of(build, unit):
    """CPU seconds of compiling a unit by the command that the build has for it."""
    commands = subprocess.run(["ninja", "-C", build, "-t", "commands", "-s", unit.relative_to(build)],
                              check=True, capture_output=True, text=True).stdout
    words = shlex.split(commands.splitlines()[-1])
    first = next(i for i, word in enumerate(words) if pathlib.Path(word).name != "ccache")
    words = words[first:]
    words[words.index("-o") + 1] = "/dev/null"
    for option in ("-MD", "-MF", "-MT"):
        if option in words:
            at = words.index(option)
            del words[at:at + (1 if option == "-MD" else 2)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, cwd=build)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def costs(build, by, is_compiled):
    """Bytes of units, bytes of groups by instruction set, seconds of both."""
    folder = build / "src/CMakeFiles/papilio_fft.dir"
    units = sorted(folder.rglob("*.o"))
    if not units:
        sys.exit(f"code_size.py: {folder} has no objects: build papilio_fft there")
    sizes, groups = {}, collections.defaultdict(collections.Counter)
    seconds, shares = {}, collections.Counter()
    for unit in units:
        name = str(unit.relative_to(folder))
        here = collections.Counter()
        for function, size in functions_of(unit):
            sizes[name] = sizes.get(name, 0) + size
            if found := TARGET.search(function):
                group = group_of(function, by)
                groups[group][found[1]] += size
                here[group] += size
        if is_compiled:
            seconds[name] = seconds_of(build, unit)
            for group, size in here.items():
                shares[group] += seconds[name] * size / sizes[name]
    return sizes, groups, seconds, shares


def uses(path):
    """How many rows of a benchmark have each number in their recipes."""
    counted = collections.Counter()
    for row in json.load(open(path))["benchmarks"]:
        if row.get("aggregate_name", "median") == "median":
            counted.update(set(re.findall(r"\d+", row.get("label", ""))))
    return counted


def difference(new, old):
    return {key: new.get(key, 0) - old.get(key, 0) for key in {*new, *old}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", nargs="?", type=pathlib.Path)
    parser.add_argument("other", nargs="?", type=pathlib.Path)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--by", choices=("radix", "kernel", "vector"), default="radix")
    parser.add_argument("--json")
    options = parser.parse_args()
    build = options.build
    if build is None:
        root = pathlib.Path(__file__).resolve().parent.parent / "build"
        found = [p.parents[2] for p in root.glob("*/src/CMakeFiles/papilio_fft.dir")]
        if not found:
            sys.exit("code_size.py: no build is in build/: name one")
        build = max(found, key=lambda p: p.stat().st_mtime)
    build = build.resolve()
    sizes, groups, seconds, shares = costs(build, options.by, options.compile)
    if options.other is not None:
        old = costs(options.other.resolve(), options.by, options.compile)
        sizes, seconds, shares = (difference(new, was) for new, was in
                                  zip((sizes, seconds, shares), (old[0], old[2], old[3])))
        groups = {g: difference(groups.get(g, {}), old[1].get(g, {})) for g in {*groups, *old[1]}}
    used = uses(options.json) if options.json else None

    def cost(table, name):
        return f"{table[name]:9.1f}" if options.compile else ""

    last = "  CPU s" if options.compile else ""
    print(f"{build}\n{'unit':<44} {'bytes':>10}  {last}")
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        print(f"{name:<44} {size:>10}{cost(seconds, name) if name in seconds else ''}")
    print(f"{'all':<44} {sum(sizes.values()):>10}"
          + (f"{sum(seconds.values()):9.1f}" if options.compile else ""))
    targets = sorted({target for sets in groups.values() for target in sets})
    print(f"\n{'group':<24}" + "".join(f"{t:>10}" for t in targets) + f"{'all':>10}{last}"
          + ("  rows" if used is not None else ""))
    for group, sets in sorted(groups.items(), key=lambda item: -sum(item[1].values())):
        line = f"{group:<24}" + "".join(f"{sets.get(t, 0):>10}" for t in targets)
        line += f"{sum(sets.values()):>10}{cost(shares, group)}"
        if used is not None:
            numbers = re.findall(r"\d+", group)
            line += f"{used[numbers[0]]:>6}" if len(numbers) == 1 else f"{'':>6}"
        print(line)


if __name__ == "__main__":
    main()
