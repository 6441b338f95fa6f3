#!/usr/bin/env python3
"""The published tables: docs/benchmarks.md from Google Benchmark's JSON.

usage: bench/run [--page | --check-page | --json FILE [OPTION...]]

Runs papilio_bench_published, and writes the medians to docs/benchmark_results/v<version>-<date>.json
and docs/benchmarks.md.

  --page        only the page, from the newest file there
  --check-page  only looks whether the page is what that file makes; exit 1 if not
  --json FILE   the medians to FILE, and no page; options and words are the program's
"""
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS, PAGE = ROOT / "docs/benchmark_results", ROOT / "docs/benchmarks.md"
DISTURBED = 0.1  # coefficient of variation of a row's turns

SECTIONS = {
    "contractions": ("Contractions of tensors", "Peer: plain calls of OpenBLAS (cblas)."),
    "transforms": ("Transforms and complex products",
                   "Peer: FFTW planned with MEASURE, on one thread; of products, plain calls of "
                   "OpenBLAS (cblas)."),
    "residency": ("Operands that stay on the device",
                  "Two matrices go up once, five products are launched, one result comes back."),
    "energy": ("MP2 energies",
               "Energies of pairs of electrons from fitted integrals: integrals and orbital "
               "energies go up, one launch, two energies come\nback. FLOPs are those of the "
               "products of pairs i <= j. No peer is timed here: `papilio_bench_products mp2` has "
               "one."),
}
TIMES = ("operation", "shape", "FLOPs", "device", "resident", "host, 1 thread", "host, all",
         "peer, 1", "peer, all", "host / device", "host / resident", "published device",
         "published host")
PARTS = ("operation", "shape", "launch", "copies", "program", "cold", "error", "expected",
         "device wins from", "resident", "grows by")


def medians_of(results):
    """Google Benchmark's JSON with the medians alone, and which rows were disturbed."""
    kept = {}
    for b in results["benchmarks"]:
        if b.get("aggregate_name") == "median":
            kept[b["run_name"]] = {k: v for k, v in b.items()
                                   if not k.startswith(("family", "per_family", "repetitions"))}
    for b in results["benchmarks"]:
        if b.get("aggregate_name") == "cv" and b["real_time"] > DISTURBED and b["run_name"] in kept:
            kept[b["run_name"]]["disturbed"] = 1
    return {"context": results["context"], "benchmarks": list(kept.values())}


def text_of(results):
    """A line for each row."""
    rows = ",\n".join(json.dumps(b) for b in results["benchmarks"])
    context = json.dumps(results["context"], indent=1)
    return f'{{"context": {context},\n"benchmarks": [\n{rows}\n]}}\n'


class Row:
    """All of an operation and shape; times in microseconds, None of what there is not."""

    def __init__(self, table, op, shape):
        self.table, self.op, self.shape = table, op, shape
        self.device, self.host = {}, {}
        self.note = self.grows_by = ""

    def add(self, kind, b):
        if kind == "device":
            self.device = b
            self.grows_by, _, self.note = (s.strip() for s in b["label"].partition("|"))
            return
        self.host[kind] = b["real_time"]
        for peer in ("cblas", "FFTW"):
            if peer in b:
                self.host["peer " + kind.removeprefix("host ")] = b["real_time"] * b[peer]
        if "disturbed" in b:
            self.host["disturbed"] = True

    @property
    def label(self):
        return f"{self.op} {self.shape}"

    @property
    def warm(self):
        return self.device.get("real_time")

    @property
    def best(self):
        return min((self.host[k] for k in ("host 1", "host all") if k in self.host), default=None)


def rows_of(results):
    rows = {}
    for b in results["benchmarks"]:
        table, op, shape, kind = b["run_name"].split("/")[:4]
        rows.setdefault((op, shape), Row(table, op, shape)).add(kind, b)
    return list(rows.values())


def three(value):
    """Three digits without an exponent."""
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}"


def time_text(us):
    if us is None:
        return "-"
    if us < 999.5:
        return three(us) + " us"
    return three(us * 1e-3) + " ms" if us < 999.5e3 else three(us * 1e-6) + " s"


def flops_text(flops):
    if not flops:
        return "-"
    for unit, name in ((1e6, "k"), (1e9, "M"), (1e12, "G")):
        if flops < unit:
            return f"{three(flops * 1e3 / unit)} {name}"
    return three(flops * 1e-12) + " T"


def ratio_text(over, under):
    if over is None or not under:
        return "-"
    return f"{over / under:.2g}" if over / under < 0.0995 else three(over / under)


def turn_text(device, name):
    wins, until = device.get(name + "_device_wins"), device.get(name + "_host_wins")
    if wins is None:
        return "-"
    if wins == 0:
        return f"none up to {until:.0f}"
    return f"{wins:.0f}" if until else "any size"


def error_text(error):
    return "-" if error is None else f"{error:.1e}"


def table(names, lines, first_right, last_right):
    rules = ["---:" if first_right <= i <= last_right else "---" for i in range(len(names))]
    return "".join(["| " + " | ".join(names) + " |\n", "|" + "|".join(rules) + "|\n"] +
                   ["| " + " | ".join(line) + " |\n" for line in lines])


def times_line(r):
    d, h = r.device, r.host
    return (r.op, r.shape, flops_text(d.get("flop")), time_text(r.warm),
            time_text(d.get("resident_us")),
            time_text(h.get("host 1")) + (" ~" if h.get("disturbed") else ""),
            time_text(h.get("host all")), time_text(h.get("peer 1")), time_text(h.get("peer all")),
            ratio_text(r.best, r.warm), ratio_text(r.best, d.get("resident_us")),
            time_text(d.get("published_device_us")) + (" *" if r.note else ""),
            time_text(d.get("published_host_us")))


def parts_line(r):
    d = r.device
    return (r.op, r.shape, *(time_text(d.get(k + "_us")) for k in
                             ("launch", "copies", "program", "cold")),
            error_text(d.get("error")), error_text(d.get("expected_error")), turn_text(d, "warm"),
            turn_text(d, "resident"), r.grows_by or "-")


def section(name, rows):
    title, text = SECTIONS[name]
    rows = [r for r in rows if r.table == name]
    if not rows:
        return ""
    notes = "".join(f"\n\\* {r.label}: {r.note}.\n" for r in rows if r.note)
    return (f"\n## {title}\n\n{text}\n\n{table(TIMES, map(times_line, rows), 2, 12)}{notes}"
            "\nWhere the device's time goes:\n\n" +
            table(PARTS, (parts_line(r) for r in rows if r.device), 2, 9))


def winners(rows, key, situation):
    compared = [r for r in rows if r.best is not None and key(r) is not None]
    names = [r.label for r in compared if key(r) < r.best]
    if not compared:
        return ""
    return (f"- {situation} the device is modelled faster than this host in {len(names)} of "
            f"{len(compared)} rows: {'; '.join(names) or 'none'}.\n")


def what_dominates(rows):
    rows = [r for r in rows if r.warm and r.best is not None]
    shares = [1 - r.device["program_us"] / r.warm for r in rows]
    if not rows:
        return ""
    launch = statistics.median_high(r.device["launch_us"] for r in rows)
    return (f"- Launch and copies are {100 * statistics.median_high(shares):.0f} % of the device's "
            f"time in the median row and above 90 % in {sum(s > 0.9 for s in shares)} of "
            f"{len(shares)}; a launch alone is {time_text(launch)}, so that whatever the host does "
            "in less stays there.\n")


def square_products(rows, host_model):
    device = next((r.device for r in rows if r.label == "einsum ij,jk->ik 1024x1024x1024"), {})
    if "warm_device_wins" not in device:
        return ""

    def side(name):
        wins = device[name + "_device_wins"]
        if wins == 0:
            return f"not up to {device[name + '_host_wins']:.0f}"
        return f"from {wins:.0f} on ({2 * wins**3 * 1e-9:.2g} GFLOP)"
    return (f"- Square products of float matrices: against the modelled host ({host_model}) the "
            f"device wins from the host and back {side('warm')}; with resident operands "
            f"{side('resident')}. The published system's gates are 2 and 0.9 thousand million "
            "multiplications, 4 and 1.8 GFLOP in this page's count.\n")


def published_speedup(rows, name, what):
    logs = [math.log(r.device["published_device_us"] / r.warm) for r in rows
            if r.table == name and not r.note and r.warm and "published_device_us" in r.device]
    if not logs:
        return ""
    return (f"- {what}: modelled times of this library's kernels are shorter than the published "
            f"ones by a factor of {math.exp(statistics.fmean(logs)):.2f} (geometric mean of "
            f"{len(logs)} rows).\n")


def residency(rows):
    once = next((r.warm for r in rows if r.label == "einsum ij,jk->ik 2048x2048x2048"), None)
    stays = next((r.warm for r in rows if r.table == "residency"), None)
    if not once or not stays:
        return ""
    return ("- Five products of 2048 x 2048 matrices that stay on the device take "
            f"{time_text(stays)}, five calls from the host {time_text(5 * once)}: "
            f"{5 * once / stays:.1f} times as long.\n")


def reading(rows, context):
    asked = ", asked for by OPENBLAS_CORETYPE" if context["blas_core_asked"] else ", its own choice"
    load = (context.get("load_avg") or [0])[0]
    busy = "" if load < 0.5 else (
        f"- The host was not idle: {load:.1f} processes ran or waited for its "
        f"{context['num_cpus']} cores when the run began. Times of one thread are CPU times and "
        "suffer little; those of all threads are wall times and hold for such a computer only.\n")
    return (winners(rows, lambda r: r.warm, "From the host and back") +
            winners(rows, lambda r: r.device.get("resident_us"),
                    "With operands and results on the device") +
            what_dominates(rows) + square_products(rows, context["host_model"]) +
            published_speedup(rows, "transforms", "Transforms and complex products") +
            published_speedup(rows, "contractions", "Real products") + residency(rows) +
            f"- Rows of products depend on OpenBLAS, which ran its kernels of "
            f"{context['blas_core']}{asked}. Where it does not know a processor it takes kernels "
            'of a much older one ("Prescott" has vectors of four floats) and such rows are several '
            "times as slow: set OPENBLAS_CORETYPE, and compare only what names the same.\n" + busy +
            "- What the published times consist of, and which of them the model does not explain "
            "(fused MP2, for which no factor is given: model stands against model there): "
            "[published.md](published.md).\n")


def page(results, name):
    c, rows = results["context"], rows_of(results)
    asked = "as OPENBLAS_CORETYPE asked" if c["blas_core_asked"] else "as papilio or it chose"
    return f"""# Benchmarks

The rows that others published of such an accelerator, here: this library on the emulated device, **modelled**,
and on the host, **measured**. Made by `bench/run --page` from `benchmark_results/{name}`;
do not edit. `bench/run` measures anew, `bench/compare A.json B.json` compares two such files.

| | |
|---|---|
| library | {c["build"]}, {c["date"][:10]} |
| host | {c["processor"]}, {c["num_cpus"]} cores, {c["instruction_set"]} |
| model of the host (crossovers) | {c["host_model"]} |
| OpenBLAS | {c["blas"]}, kernels of **{c["blas_core"]}**, {asked} |
| device | {c["machine"]}, runtime {c["runtime"]} |

*device* is a call from the host and back with the program compiled: launch, copies, program; *resident* leaves out the
copies; *cold* includes compilation. *host* is the public API, medians of interleaved blocks, CPU time of one thread and
wall time of all (~: the computer was not quiet enough). *host / device* is the faster host time over the modelled one:
above 1 the device wins. *published* is what others measured on trn1.2xlarge, with their kernels and on its host.
A multiplication and an addition are two FLOPs; the published pages count them as one for products of matrices.
*error* is against the same in double, by one run on the emulated device; *expected* is what the kernel states.
*device wins from* is the size at which the verdict turns against the modelled host, with operands there (resident) or not;
it takes all of its cores, and measured rows may disagree with the model.
All times are of the version in this table, host's and device's, and of no later one: `papilio profile` prints what the
model says today, [model_changes.md](model_changes.md) what has changed in it since 0.1.0, and [speed.md](speed.md) has
newer times of the host.
{"".join(section(name, rows) for name in SECTIONS)}
## The reading of it

{reading(rows, c)}"""


def newest(folder=RESULTS):
    files = {path: json.loads(path.read_text()) for path in folder.glob("*.json")}
    if not files:
        sys.exit(f"bench/run: {folder}: there are no results; bench/run makes some")
    path = max(files, key=lambda p: (files[p]["context"]["date"], p))
    return page(files[path], path.name)


def measured(program, options):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "all.json"
        if subprocess.run([program, f"--benchmark_out={out}", *options]).returncode != 0:
            sys.exit(f"bench/run: {program} failed")
        return medians_of(json.loads(out.read_text()))


def main(program, *words):
    if words in (("--help",), ("-h",)):
        print(__doc__)
    elif words == ("--check-page",):
        if PAGE.read_text() != newest():
            sys.exit(f"bench/run: {PAGE} is not what the newest results make; bench/run --page")
    elif words[:1] == ("--json",) and len(words) > 1:
        pathlib.Path(words[1]).write_text(text_of(measured(program, words[2:])))
    elif words in ((), ("--page",)):
        if not words:
            results = measured(program, ())
            name = f"v{results['context']['version']}-{results['context']['date'][:10]}.json"
            (RESULTS / name).write_text(text_of(results))
        PAGE.write_text(newest())
    else:
        sys.exit("bench/run: a file of some rows makes no page: --json FILE first")


if __name__ == "__main__":
    main(*sys.argv[1:])
