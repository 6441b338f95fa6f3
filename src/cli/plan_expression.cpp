#include "cli/plan_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "cli/expression_parser.hpp"
#include "papilio/base/error.hpp"

namespace papilio::cli {

const char* const plan_grammar =
    "EXPR is NAME SIZES, for example \"fft 1024\", \"rfft 128 x 4096\", \"gemm 2048x2048x2048\":\n"
    "  fft ifft rfft irfft        [LINES x] N\n"
    "  dct idct dst idst          [LINES x] N; of type 2, others as dct-1, idst-4\n"
    "  fft2 ifft2 rfft2 irfft2    [ARRAYS x] ROWS x COLUMNS\n"
    "  fftn ifftn rfftn irfftn    N1 x N2 x ... of one array\n"
    "  stft istft                 SAMPLES [n_fft=2048] [hop=512] [channels=1]; of stft\n"
    "                             [result=complex|magnitude|power]; Hann windows, centred\n"
    "  gemm                       [BATCH x] M x K x N [elements=real|complex]\n"
    "  product                    N: complex numbers times complex numbers; mask is the same\n"
    "Sizes are those of the real side for rfft and irfft, and whole numbers or powers: 2^20.";

namespace {

struct name_entry {
  const char* name;
  fft_kind kind;
  direction dir;
  std::size_t axes;  // 0: all sizes
};
constexpr std::array<name_entry, 16> operation_names{
    {{"fft", fft_kind::complex, direction::forward, 1},
     {"ifft", fft_kind::complex, direction::inverse, 1},
     {"rfft", fft_kind::real, direction::forward, 1},
     {"irfft", fft_kind::real, direction::inverse, 1},
     {"fft2", fft_kind::complex, direction::forward, 2},
     {"ifft2", fft_kind::complex, direction::inverse, 2},
     {"rfft2", fft_kind::real, direction::forward, 2},
     {"irfft2", fft_kind::real, direction::inverse, 2},
     {"fftn", fft_kind::complex, direction::forward, 0},
     {"ifftn", fft_kind::complex, direction::inverse, 0},
     {"rfftn", fft_kind::real, direction::forward, 0},
     {"irfftn", fft_kind::real, direction::inverse, 0},
     {"dct", fft_kind::cosine, direction::forward, 1},
     {"idct", fft_kind::cosine, direction::inverse, 1},
     {"dst", fft_kind::sine, direction::forward, 1},
     {"idst", fft_kind::sine, direction::inverse, 1}}};

/// The entry, with the type of a cosine or sine transform.
const name_entry& name_of(expression_parser& p, int& trigonometric_type) {
  const std::size_t first = p.position();
  p.letters();
  if (p.next() == '2' && p.position() > first) p.skip();
  const std::string_view word = p.from(first);
  const auto* const entry =
      std::ranges::find_if(operation_names, [&](const name_entry& e) { return word == e.name; });
  if (entry == operation_names.end())
    p.fail(!word.empty()                        ? "there is no such operation"
           : p.next() >= 'A' && p.next() <= 'Z' ? "names of operations are in lower case"
                                                : "the name of an operation is expected",
           first);
  trigonometric_type = (entry->kind == fft_kind::cosine || entry->kind == fft_kind::sine) ? 2 : 0;
  if (trigonometric_type != 0 && p.next() == '-') {
    p.skip();
    if (p.next() < '1' || p.next() > '4') p.fail("types are 1 to 4", p.position());
    trigonometric_type = p.next() - '0';
    p.skip();
  }
  p.require_space_after_name();
  return *entry;
}

/// Sizes of the arrays, in bytes, and work.
void count(const expression_parser& p, std::size_t at, planned_transform& t) {
  const auto bytes_of = [&](const operand_shape& array) {
    const std::size_t elements = checked_multiply(t.lines, array.count(), "elements");
    const std::size_t bytes =
        checked_multiply(elements, size_of(t.problem.type) * (array.is_complex ? 2 : 1), "bytes");
    checked_cast<std::ptrdiff_t>(bytes, "bytes");
    return static_cast<double>(bytes);
  };
  try {
    const operand_shapes arrays = t.problem.shapes();
    t.bytes_in = bytes_of(arrays.in[0]);
    t.bytes_out = bytes_of(arrays.out[0]);
  } catch (const resource_error&) {
    p.fail("so many elements have more bytes than there are addresses", at);
  }
  t.nominal_flops = static_cast<double>(t.lines) * t.problem.nominal_flops();
}

}  // namespace

planned_transform parse_plan_expression(std::string_view text, real_type type) {
  expression_parser p(text);
  planned_transform t;
  p.skip_spaces();
  const std::size_t name_at = p.position();
  const name_entry& entry = name_of(p, t.problem.trigonometric_type);
  t.name = text.substr(name_at, p.position() - name_at);
  p.skip_spaces();
  const std::size_t sizes_at = p.position();
  std::vector<placed_size> sizes = p.sizes();
  if (!p.at_end())
    p.fail(fmt::format("the end is expected: {} has no settings", t.name), p.position());
  const std::size_t axes = entry.axes == 0 ? sizes.size() : entry.axes;
  if (sizes.size() < axes)
    p.fail(fmt::format("\"x\" and a second size are expected: {} takes two sizes", t.name),
           p.position());
  if (sizes.size() > axes + 1)
    p.fail(fmt::format("one size too many: {} takes {} and at most one number of {} before", t.name,
                       axes == 1 ? "one size" : "two sizes", axes == 1 ? "lines" : "arrays"),
           sizes[axes + 1].at);
  if (sizes.size() == axes + 1) {
    t.lines = sizes.front().value;
    sizes.erase(sizes.begin());
  }
  if (t.problem.trigonometric_type == 1 && sizes[0].value < 2 && entry.kind == fft_kind::cosine)
    p.fail("a cosine transform of type 1 has at least 2 points", sizes[0].at);
  t.problem.kind = entry.kind;
  t.problem.type = type;
  t.problem.dir = entry.dir;
  t.problem.axes.clear();
  for (std::size_t i = 0; i < axes; ++i) t.problem.axes.push_back(i);
  t.problem.extents.clear();
  for (const placed_size& s : sizes) t.problem.extents.push_back(s.value);
  count(p, sizes_at, t);
  return t;
}

}  // namespace papilio::cli
