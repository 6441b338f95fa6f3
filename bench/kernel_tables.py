#!/usr/bin/env python3
"""Writes the times of docs/kernels.md, or of docs/accelerator.md, anew: bench/kernel_tables.py PAPILIO [FILE].

A table is made by the command in its header's first cell; columns of other names stay.

- `papilio profile ... --dry-run`: the row's settings stand in place of the dots. "range" is
  --uncertainty's: the time where what documents leave open is at its bounds; "share" is the floor's
  share of the time, followed by its shares of these. "busiest" has the two engines that are active
  longest, and "error" is the expected one.
- `papilio profile ... --dry-run --machine M`: columns named by machines have the time there, and the
  floor's share of it, or say that the machine refuses the kernel.
- `papilio profile fft batch=64 n=N ...`: errors of precisions, measured and expected, and their time
  beside native's.
- `papilio profile ... --cores N`: columns named by a number of cores have the time on so many, the
  efficiency, and the links' share.
- `papilio published`: a row's name is operation and shape; "modelled" and "published" are times of
  the call, or of the device for kernels that were measured alone, and "device" is the model's. A
  row without a name stays.
"""
import json
import pathlib
import re
import subprocess
import sys

PROFILE = re.compile(r"`papilio profile (.*?) ?--dry-run`")
MACHINES = "`papilio profile ... --dry-run --machine M`"
GROUP = "`papilio profile ... --cores N`"
PRECISION = "`papilio profile fft batch=64 n=N ...`"
PUBLISHED = "`papilio published`"
ENGINES = {name: f"{name}_engine_active_time_percent" for name in
           ("tensor", "vector", "scalar", "gpsimd")} | {"DMA": "dma_active_time_percent"}


def significant(value, digits=4):
    """Four digits without an exponent: 269.6, 0.03015."""
    text = f"{value:.{digits}g}"
    if "e" in text:
        return f"{value:.0f}"
    whole = len(text.split(".")[0])
    return f"{value:.{max(0, digits - whole)}f}" if value >= 1 else text


def time_text(seconds):
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 0.99995:
            return f"{significant(seconds * factor)} {unit}"
    return f"{significant(seconds * 1e9)} ns"


def percent_text(share):
    return f"{100 * share:.1f}"


def share_text(run):
    """The floor's share of the time, and of the longest and the shortest time of the range."""
    low, high = (percent_text(run["range"][f"{end}_floor_fraction"]) for end in ("low", "high"))
    share = percent_text(run["floor_fraction"]) + " %"
    return share if low == high else f"{share} ({low} … {high})"


def busiest_text(summary):
    shares = sorted(((summary.get(field, 0), name) for name, field in ENGINES.items()),
                    reverse=True)
    return ", ".join(f"{name} {100 * share:.0f} %" for share, name in shares[:2])


def error_text(error):
    return f"{error:.2e}".replace("e-0", "e-") if error else ""


class ProfileTable:
    def __init__(self, program, header):
        self.program = program
        self.names = header
        self.prefix = PROFILE.search(header[0]).group(1)

    @staticmethod
    def cell(name, old, run):
        summary = run["summary"]
        if name == "time":
            return time_text(summary["total_time"])
        if name == "range":
            low, high = (time_text(run["range"][f"{end}_seconds"]) for end in ("low", "high"))
            return f"{low} … {high}"
        if name == "floor":
            return time_text(run["floor_seconds"])
        if name == "share":
            return share_text(run)
        if name == "busiest":
            return busiest_text(summary)
        if name == "error":
            return error_text(run["expected_error"])
        return old

    def row(self, cells):
        words = self.prefix.replace("...", cells[0].strip("`")).split()
        run = output_of(self.program, "profile", *words, "--dry-run", "--uncertainty")
        return [self.cell(n, c, run) for n, c in zip(self.names, cells)]


class MachineTable:
    def __init__(self, program, header):
        self.program = program
        self.machines = header[1:]

    def row(self, cells):
        words = cells[0].strip("`").split()
        return [cells[0]] + [self.cell(words, machine) for machine in self.machines]

    def cell(self, words, machine):
        try:
            run = output_of(self.program, "profile", *words, "--dry-run", "--machine", machine)
        except subprocess.CalledProcessError:
            return "refused"
        return f"{time_text(run['summary']['total_time'])}, {100 * run['floor_fraction']:.0f} %"


class GroupTable:
    def __init__(self, program, header):
        self.program = program
        self.cores = [int(name) for name in header[1:]]

    def row(self, cells):
        runs = {n: output_of(self.program, "profile", *cells[0].strip("`").split(), "--cores",
                             str(n)) for n in self.cores if n > 1}
        alone = next(iter(runs.values()))["one_core"]
        return [cells[0]] + [self.cell(runs[n]) if n > 1 else time_text(alone["device_seconds"])
                             for n in self.cores]

    @staticmethod
    def cell(run):
        time = time_text(run["group"]["device_seconds"])
        links = f"{100 * run['group']['link_share']:.0f} %"
        return f"{time}, {run['device_efficiency']:.3f}, {links}"


class PublishedTable:
    def __init__(self, program, header):
        self.names = header
        made = output_of(program, "published")
        self.rows = {}
        for row in made["rows"] + made["kernel_rows"]:
            if row["modelled_us"] is not None:
                self.rows.setdefault(f"{row['op']} {row['shape']}", row)

    def row(self, cells):
        if not cells[0]:
            return cells
        row = self.rows[cells[0].strip("`")]
        times = {"modelled": row["modelled_us"], "published": row["published_us"],
                 "device": row.get("parts", {}).get("device_us", row["modelled_us"])}
        return [time_text(times[n] / 1e6) if n in times else c
                for n, c in zip(self.names, cells)]


class PrecisionTable:
    """Errors that are measured, and expected, of 64 lines; times of 4096 lines of 1024 points."""

    def __init__(self, program, header):
        self.program = program
        self.names = header
        self.native = self.seconds("precision=native")

    def profile(self, *words):
        return output_of(self.program, "profile", "fft", *words)

    def seconds(self, settings):
        return self.profile("n=1024", "batch=4096", *settings.split(),
                            "--dry-run")["summary"]["total_time"]

    def error(self, n, settings):
        # Native, which runs where nothing is asked for, is measured where a target chooses it.
        asked = settings.replace("precision=native", "target_error=1e-6")
        run = self.profile(f"n={n}", "batch=64", *asked.split())
        mode = re.search(r"precision=(\w+)", settings).group(1)
        assert run["explanation"].startswith(f"precision: {mode}"), (settings, run["explanation"])
        texts = (f"{e:.2e}".replace("e-0", "e-")
                 for e in (run["achieved_error"]["error"], run["expected_error"]))
        return "{} ({})".format(*texts)

    def cell(self, name, old, settings):
        if name.startswith("n = "):
            return self.error(int(name[4:]), settings)
        if name == "time / native":
            return f"{self.seconds(settings) / self.native:.2f}"
        return old

    def row(self, cells):
        settings = cells[0].strip("`")
        return [self.cell(n, c, settings) for n, c in zip(self.names, cells)]


def output_of(program, *words):
    out = subprocess.run([program, *words, "--json"], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def table_of(program, header):
    if header[0] == MACHINES:
        return MachineTable(program, header)
    if PROFILE.search(header[0]):
        return ProfileTable(program, header)
    if header[0] == PRECISION:
        return PrecisionTable(program, header)
    if header[0] == GROUP:
        return GroupTable(program, header)
    return PublishedTable(program, header) if header[0] == PUBLISHED else None


def cells_of(line):
    return [c.strip() for c in line.strip().strip("|").split("|")]


def row_text(cells):
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in cells)


def main():
    program = sys.argv[1]
    path = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "docs/kernels.md")
    lines, table, is_inside = [], None, False
    for line in path.read_text().splitlines():
        if not line.startswith("|"):
            table, is_inside = None, False
        elif not is_inside:
            table, is_inside = table_of(program, cells_of(line)), True
        elif table is not None and not set(cells_of(line)) <= {"---", "---:"}:
            line = row_text(table.row(cells_of(line)))
        lines.append(line)
    path.write_text("\n".join(lines) + "\n")


main()
