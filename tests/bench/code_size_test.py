"""bench/code_size.py on names of functions as nm prints them: nothing is compiled."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import code_size  # noqa: E402

SPACE = "papilio::fft_detail::N_AVX3::"
VECTOR = "hwy::N_AVX3::Simd<double, 8ul, 0>"
PASS = "(papilio::fft_detail::pass<" + VECTOR + "::T> const&)"
WIDE = f"void {SPACE}wide_loop<{VECTOR}, {SPACE}butterfly<{VECTOR}, 16ul>, ({SPACE}layout)1>{PASS}"
ODD = f"void {SPACE}single<{VECTOR}, {SPACE}odd_butterfly<{VECTOR} >, ({SPACE}layout)1>{PASS}"
LAST = f"void {SPACE}last_untangled<double, {SPACE}fixed_radix<13ul>::type, (form)0>{PASS}"
ROWS = f"void {SPACE}row_step<{VECTOR}, 15ul, true, false, double>(papilio::row_pass<double> const&)"
LINES = f"void {SPACE}cached_lines<{VECTOR}, 16ul, 8ul, 4ul>::rows<false>(papilio::tables const&)"
DIRECT = f"void {SPACE}direct<double>{PASS}"


class Groups(unittest.TestCase):
    def test_by_radix(self):
        groups = [code_size.group_of(name, "radix") for name in (WIDE, ODD, LAST, ROWS, LINES, DIRECT)]
        self.assertEqual(groups, ["radix 16", "any odd radix", "radix 13", "size 15", "size 16 x 8 x 4",
                                  "any"])

    def test_by_kernel(self):
        groups = [code_size.group_of(name, "kernel") for name in (WIDE, ODD, LAST, ROWS, LINES, DIRECT)]
        self.assertEqual(groups, ["wide_loop", "single", "last_untangled", "row_step", "cached_lines",
                                  "direct"])

    def test_by_vector(self):
        self.assertEqual(code_size.group_of(WIDE, "vector"), "8 double")
        self.assertEqual(code_size.group_of(DIRECT, "vector"), "without a type")

    def test_differences_have_what_either_has(self):
        self.assertEqual(code_size.difference({"a": 3, "b": 1}, {"a": 5, "c": 2}),
                         {"a": -2, "b": 1, "c": -2})


if __name__ == "__main__":
    unittest.main()
