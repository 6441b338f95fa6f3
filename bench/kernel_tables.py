#!/usr/bin/env python3
"""Writes the modelled times of docs/kernels.md anew: bench/kernel_tables.py PAPILIO [FILE].

Tables with a column "`papilio profile ... --dry-run`" are run row by row, the row's settings in
place of the dots. Times, floors, shares and engines are replaced; other columns stay. "range" is
--uncertainty's: the time where what documents leave open is at its bounds; the floor's share is
followed by its shares of these. Tables with a column
"`papilio profile ... --cores N`" are of a group of cores; a row without settings has those of the
row above.
"""
import json
import pathlib
import re
import subprocess
import sys

COMMAND = re.compile(r"`papilio profile (.*?) ?--dry-run`")
GROUP = re.compile(r"`papilio profile \.\.\. --cores N`")
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


def percent_text(fraction, like):
    if re.fullmatch(r"\d+ %", like) and like != "0 %":
        return f"{100 * fraction:.0f} %"
    return "0 %" if fraction == 0 else f"{significant(100 * fraction)} %"


def share_text(run, text, unit):
    """The floor's share of the time, and of the longest and the shortest time of the range."""
    low, high = (text(run["range"][f"{end}_floor_fraction"]) for end in ("low", "high"))
    share = text(run["floor_fraction"]) + unit
    return share if low == high else f"{share} ({low} … {high})"


class Table:
    def __init__(self, program, header):
        self.program = program
        self.names = header
        self.at = next(i for i, name in enumerate(header) if COMMAND.search(name))
        self.prefix = COMMAND.search(header[self.at]).group(1)

    def profile(self, settings):
        words = self.prefix.replace("...", settings).split()
        out = subprocess.run([self.program, "profile", *words, "--dry-run", "--uncertainty",
                              "--json"], capture_output=True, text=True, check=True).stdout
        return json.loads(out)

    def cell(self, name, old, run, settings):
        summary = run["summary"]
        if name == "time":
            return time_text(summary["total_time"])
        if name == "range":
            low, high = (time_text(run["range"][f"{end}_seconds"]) for end in ("low", "high"))
            return f"{low} … {high}"
        if name == "floor":
            return time_text(run["floor_seconds"])
        if name in ("share", "floor's share"):
            return share_text(run, lambda share: f"{100 * share:.1f}", " %")
        if name in ("floor / time", "ratio"):
            return share_text(run, lambda share: f"{share:.3f}", "")
        if name in ENGINES:
            return percent_text(summary.get(ENGINES[name], 0), old)
        if name.startswith("end to end"):
            return time_text(run["dispatch"]["total_seconds"])
        if name == "of fft":
            of = self.profile(re.sub(r"^i?r?fft", "fft", settings))
            return f"{summary['total_time'] / of['summary']['total_time']:.2f}"
        return old

    def row(self, cells):
        settings = re.search(r"`([^`]*)`", cells[self.at])
        if not settings:
            return cells
        run = self.profile(settings.group(1))
        return [self.cell(n, c, run, settings.group(1)) for n, c in zip(self.names, cells)]


class GroupTable:
    def __init__(self, program):
        self.program = program
        self.settings = ""

    def row(self, cells):
        named, cores = cells[0], int(cells[1])
        self.settings = named.strip("`") or self.settings
        out = subprocess.run([self.program, "profile", *self.settings.split(), "--cores",
                              str(max(2, cores)), "--json"],
                             capture_output=True, text=True, check=True).stdout
        run = json.loads(out)
        of = run["one_core" if cores == 1 else "group"]
        efficiency = 1 if cores == 1 else run["device_efficiency"]
        return [named, cells[1], f"{1e6 * of['device_seconds']:.1f}", f"{efficiency:.3f}",
                "0%" if of["link_share"] == 0 else f"{100 * of['link_share']:.1f}%"]


def cells_of(line):
    return [c.strip() for c in line.strip().strip("|").split("|")]


def row_text(cells):
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in cells)


def with_range(cells, at, what):
    return cells[:at] + [what] + cells[at:]


def main():
    program = sys.argv[1]
    path = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "docs/kernels.md")
    lines, table, added = [], None, None
    for line in path.read_text().splitlines():
        if not line.startswith("|"):
            table = None
        elif table is None and COMMAND.search(line):
            names = cells_of(line)
            added = None if "range" in names or "time" not in names else names.index("time") + 1
            if added:
                names = with_range(names, added, "range")
            table = Table(program, names)
            line = row_text(names)
        elif table is None and GROUP.search(line):
            table, added = GroupTable(program), None
        elif table is not None:
            cells = cells_of(line)
            rule = set(cells) <= {"---", "---:"}
            if added:
                cells = with_range(cells, added, "---" if rule else "")
            if not rule:
                cells = table.row(cells)
            if added or not rule:
                line = "|---" * len(cells) + "|" if rule else row_text(cells)
        lines.append(line)
    path.write_text("\n".join(lines) + "\n")


main()
