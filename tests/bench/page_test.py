"""bench/page.py and bench/means.py on made results: nothing is timed."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import means  # noqa: E402
import page  # noqa: E402


def median(name, us, **more):
    run = name + "/iterations:1/manual_time"
    return {"name": run + "_median", "run_name": run, "aggregate_name": "median", "real_time": us,
            "cpu_time": us, "time_unit": "us", "repetitions": 9, **more}


def made():
    square, line = "contractions/einsum ij,jk->ik/1024x1024x1024", "transforms/fft 1-D/n=256"
    return {"context": {"date": "2026-01-31T12:00:00+00:00", "num_cpus": 2, "load_avg": [0.75, 0],
                        "version": "1.2.3", "build": "papilio 1.2.3", "processor": "made",
                        "instruction_set": "none", "host_model": "from CPU features",
                        "blas": "OpenBLAS 0.0", "blas_core": "Prescott", "blas_core_asked": "",
                        "machine": "trainium1", "runtime": "sdk_2_24"},
            "benchmarks": [
                median(square + "/host 1", 40e3, cblas=1.25),
                median(square + "/host all", 20e3, cblas=1.5),
                median(square + "/device", 2500, launch_us=500, copies_us=1500, program_us=500,
                       resident_us=1000, cold_us=20e6, error=3e-7, expected_error=4e-7,
                       flop=2147483648, published_device_us=4022, published_host_us=3402,
                       warm_device_wins=500, warm_host_wins=499, resident_device_wins=0,
                       resident_host_wins=4096, label="side of the matrices | "),
                median(line + "/host 1", 1, FFTW=1.5),
                {**median(line + "/host 1", 0.11), "aggregate_name": "cv"},
                {**median(line + "/host 1", 9), "aggregate_name": "mean"},
                median(line + "/host all", 2),
                median(line + "/device", 850, launch_us=600, copies_us=245, program_us=5,
                       resident_us=605, cold_us=30e6, flop=10240, published_device_us=10034.8,
                       published_host_us=10.5, label=" | "),
                median("contractions/tucker_decompose/16^3/device", 3490, launch_us=2500,
                       copies_us=970, program_us=20, cold_us=114e6, published_device_us=859,
                       label=" | the host ran")]}


class Page(unittest.TestCase):
    def test_times(self):
        for us, text in ((None, "-"), (1.234, "1.23 us"), (999.49, "999 us"), (1000, "1.00 ms"),
                         (45.6e3, "45.6 ms"), (27.5e6, "27.5 s")):
            self.assertEqual(page.time_text(us), text)

    def test_rows(self):
        text = page.page(page.medians_of(made()), "made.json")
        for part in (
                "`benchmark_results/made.json`", "kernels of **Prescott**, as papilio or it chose",
                "| library | papilio 1.2.3, 2026-01-31 |",
                "| einsum ij,jk->ik | 1024x1024x1024 | 2.15 G | 2.50 ms | 1.00 ms | 40.0 ms | "
                "20.0 ms | 50.0 ms | 30.0 ms | 8.00 | 20.0 | 4.02 ms | 3.40 ms |\n",
                "| fft 1-D | n=256 | 10.2 k | 850 us | 605 us | 1.00 us ~ | 2.00 us | 1.50 us | - "
                "| 0.0012 | 0.0017 | 10.0 ms | 10.5 us |\n",
                "| tucker_decompose | 16^3 | - | 3.49 ms | - | - | - | - | - | - | - | 859 us * | "
                "- |\n\n\\* tucker_decompose 16^3: the host ran.\n",
                "| einsum ij,jk->ik | 1024x1024x1024 | 500 us | 1.50 ms | 500 us | 20.0 s | "
                "3.0e-07 | 4.0e-07 | 500 | none up to 4096 | side of the matrices |\n"):
            self.assertIn(part, text)

    def test_the_reading_follows_the_numbers(self):
        results = page.medians_of(made())
        text = page.page(results, "made.json")
        for part in ("faster than this host in 1 of 2 rows: einsum ij,jk->ik 1024x1024x1024.\n",
                     "above 90 % in 1 of 2;", "from the host and back from 500 on (0.25 GFLOP)",
                     "with resident operands not up to 4096",
                     "by a factor of 11.81 (geometric mean of 1 rows)",  # 10034.8 / 850
                     "kernels of Prescott, its own choice", "0.8 processes ran or waited"):
            self.assertIn(part, text)
        results["benchmarks"][2]["real_time"] = 30e3
        self.assertIn("in 0 of 2 rows: none.\n", page.page(results, "made.json"))

    def test_the_page_is_what_the_newest_results_make(self):
        self.assertEqual(page.PAGE.read_text(), page.newest(), "bench/run --page makes it anew")


class Means(unittest.TestCase):
    def test_classes_and_floors(self):
        rows = [median("c2c/16", 1, FFTW=2, MKL=0.5), median("c2c/32", 1, FFTW=0.5, MKL=2),
                median("smooth/6", 1, FFTW=1.44), median("planning/65536", 900, first_us=1e9),
                median("planning/131072", 60e3)]
        text, below = means.report({"benchmarks": rows})
        self.assertIn("c2c        2   FFTW 1.00  MKL 1.00  faster 0.50  worst 0.50  least 1.15 "
                      "BELOW\n", text)
        self.assertIn("smooth     1   FFTW 1.44  faster 1.44  worst 1.44  least 1.30\n", text)
        self.assertEqual(below, ["c2c/16: MKL 0.50", "c2c/32: FFTW 0.50",
                                 "planning/131072: 60.0 ms", "class c2c: 0.50"])

    def test_times_that_rise_with_threads(self):
        rows = [median(f"threads/{size}/{threads}", 1, speedup=speedup) for size, threads, speedup in
                [("64x64", 1, 1.01), ("64x64", 2, 0.9), ("4 of 16", 1, 1), ("4 of 16", 2, 1.9),
                 ("4 of 16", 4, 1.82), ("4 of 16", 8, 1.7)]]
        self.assertEqual(means.report({"benchmarks": rows}),
                         ("", ["threads/64x64/2: speed-up 0.90, before 1.01",
                               "threads/4 of 16/8: speed-up 1.70, before 1.82"]))


if __name__ == "__main__":
    unittest.main()
