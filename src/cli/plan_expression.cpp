#include "cli/plan_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "cli/common.hpp"
#include "papilio/base/checked.hpp"

namespace papilio::cli {

const char* const plan_grammar =
    "EXPR is NAME SIZES, for example \"fft 1024\", \"rfft 128 x 4096\", \"fft2 512x512\":\n"
    "  fft ifft rfft irfft        [LINES x] N\n"
    "  dct idct dst idst          [LINES x] N; of type 2, others as dct-1, idst-4\n"
    "  fft2 ifft2 rfft2 irfft2    [ARRAYS x] ROWS x COLUMNS\n"
    "  fftn ifftn rfftn irfftn    N1 x N2 x ... of one array\n"
    "Sizes are those of the real side for rfft and irfft, and whole numbers or powers: 2^20.";

namespace {

constexpr std::size_t most_sizes = 32;

struct name_entry {
  const char* name;
  fft_kind kind;
  std::size_t axes;  // 0: all sizes
};
constexpr std::array<name_entry, 16> names{{{"fft", fft_kind::complex_forward, 1},
                                            {"ifft", fft_kind::complex_inverse, 1},
                                            {"rfft", fft_kind::real_forward, 1},
                                            {"irfft", fft_kind::real_inverse, 1},
                                            {"fft2", fft_kind::complex_forward, 2},
                                            {"ifft2", fft_kind::complex_inverse, 2},
                                            {"rfft2", fft_kind::real_forward, 2},
                                            {"irfft2", fft_kind::real_inverse, 2},
                                            {"fftn", fft_kind::complex_forward, 0},
                                            {"ifftn", fft_kind::complex_inverse, 0},
                                            {"rfftn", fft_kind::real_forward, 0},
                                            {"irfftn", fft_kind::real_inverse, 0},
                                            {"dct", fft_kind::cosine_forward, 1},
                                            {"idct", fft_kind::cosine_inverse, 1},
                                            {"dst", fft_kind::sine_forward, 1},
                                            {"idst", fft_kind::sine_inverse, 1}}};

bool is_trigonometric(fft_kind kind) { return kind >= fft_kind::cosine_forward; }

bool is_inverse(fft_kind kind) {
  return kind == fft_kind::complex_inverse || kind == fft_kind::real_inverse ||
         kind == fft_kind::cosine_inverse || kind == fft_kind::sine_inverse;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_times(char c) { return c == 'x' || c == 'X' || c == '*'; }

/// Columns that a terminal shows of the text.
std::size_t columns_of(const std::string& shown) {
  return static_cast<std::size_t>(std::ranges::count_if(
      shown, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

class parser {
 public:
  explicit parser(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(const std::string& what, std::size_t at) const {
    const std::string before = printable(std::string(text_.substr(0, at)));
    throw usage_error(fmt::format("EXPR: {}\n  {}\n  {}^\n{}", what, printable(std::string(text_)),
                                  std::string(columns_of(before), ' '), plan_grammar));
  }

  std::size_t position() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }

  void skip_spaces() {
    while (!at_end() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  /// The entry, with the type of a cosine or sine transform.
  const name_entry& name(int& trigonometric_type) {
    const std::size_t first = at_;
    while (!at_end() && is_letter(text_[at_])) ++at_;
    if (!at_end() && text_[at_] == '2' && at_ > first) ++at_;
    const std::string_view word = text_.substr(first, at_ - first);
    const auto* const entry =
        std::ranges::find_if(names, [&](const name_entry& e) { return word == e.name; });
    if (entry == names.end())
      fail(word.empty() ? "the name of a transform is expected" : "there is no such transform",
           first);
    trigonometric_type = is_trigonometric(entry->kind) ? 2 : 0;
    if (trigonometric_type != 0 && !at_end() && text_[at_] == '-') {
      if (++at_ == text_.size() || text_[at_] < '1' || text_[at_] > '4')
        fail("types are 1 to 4", at_);
      trigonometric_type = text_[at_++] - '0';
    }
    if (!at_end() && text_[at_] != ' ' && text_[at_] != '\t')
      fail("a space is expected after the name", at_);
    return *entry;
  }

  std::vector<std::size_t> sizes() {
    std::vector<std::size_t> values;
    for (;;) {
      skip_spaces();
      if (values.size() == most_sizes) fail(fmt::format("more than {} sizes", most_sizes), at_);
      values.push_back(size());
      skip_spaces();
      if (at_end()) return values;
      if (!is_times(text_[at_])) fail("\"x\" and a size, or the end, is expected", at_);
      ++at_;
    }
  }

 private:
  std::size_t digits() {
    if (at_end() || !is_digit(text_[at_])) fail("a whole number is expected", at_);
    const std::size_t first = at_;
    while (!at_end() && is_digit(text_[at_])) ++at_;
    std::size_t value = 0;
    if (std::from_chars(text_.data() + first, text_.data() + at_, value).ec != std::errc())
      fail("the number is too large", first);
    return value;
  }

  std::size_t size() {
    const std::size_t first = at_;
    std::size_t value = digits();
    if (!at_end() && text_[at_] == '^') {
      ++at_;
      const std::size_t base = value, exponent = digits();
      value = 1;
      for (std::size_t i = 0; i < exponent && value > 0; ++i) {
        if (base == 1) break;
        if (__builtin_mul_overflow(value, base, &value)) fail("the number is too large", first);
      }
    }
    if (value == 0) fail("a size must be at least 1", first);
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::size_t bytes_of(real_type type) {
  return type == real_type::single_precision   ? sizeof(float)
         : type == real_type::double_precision ? sizeof(double)
                                               : sizeof(long double);
}

/// Sizes of the arrays, in bytes, on the real side and on that of the spectrum.
void count_bytes(const parser& p, std::size_t at, planned_transform& t) {
  const fft_problem& problem = t.problem;
  const bool is_complex =
      problem.kind == fft_kind::complex_forward || problem.kind == fft_kind::complex_inverse;
  const std::size_t real = bytes_of(problem.type);
  std::size_t points = t.lines, half = t.lines;
  try {
    for (std::size_t i = 0; i < problem.extents.size(); ++i) {
      const std::size_t n = problem.extents[i];
      points = checked_multiply(points, n, "points");
      half = checked_multiply(half, i + 1 == problem.extents.size() ? n / 2 + 1 : n, "bins");
    }
    checked_cast<std::ptrdiff_t>(checked_multiply(std::max(points, half), 2 * real, "bytes"),
                                 "bytes");
  } catch (const resource_error&) {
    p.fail("so many elements have more bytes than there are addresses", at);
  }
  t.bytes_in = static_cast<double>(points) * static_cast<double>(is_complex ? 2 * real : real);
  t.bytes_out = is_complex || is_trigonometric(problem.kind)
                    ? t.bytes_in
                    : static_cast<double>(half) * static_cast<double>(2 * real);
  if (problem.kind == fft_kind::real_inverse) std::swap(t.bytes_in, t.bytes_out);
  const double n = static_cast<double>(points) / static_cast<double>(t.lines);
  t.nominal_flops = (is_complex ? 5 : 2.5) * static_cast<double>(points) * std::log2(n);
}

}  // namespace

planned_transform parse_plan_expression(std::string_view text, real_type type) {
  parser p(text);
  planned_transform t;
  p.skip_spaces();
  const std::size_t name_at = p.position();
  const name_entry& entry = p.name(t.problem.trigonometric_type);
  t.name = text.substr(name_at, p.position() - name_at);
  p.skip_spaces();
  const std::size_t sizes_at = p.position();
  std::vector<std::size_t> sizes = p.sizes();
  const std::size_t axes = entry.axes == 0 ? sizes.size() : entry.axes;
  if (sizes.size() < axes) p.fail(fmt::format("{} takes two sizes", entry.name), p.position());
  if (sizes.size() > axes + 1)
    p.fail(fmt::format("{} takes {} and at most one number of {} before", entry.name,
                       axes == 1 ? "one size" : "two sizes", axes == 1 ? "lines" : "arrays"),
           sizes_at);
  if (sizes.size() == axes + 1) {
    t.lines = sizes.front();
    sizes.erase(sizes.begin());
  }
  if (t.problem.trigonometric_type == 1 && sizes[0] < 2 &&
      (entry.kind == fft_kind::cosine_forward || entry.kind == fft_kind::cosine_inverse))
    p.fail("a cosine transform of type 1 has at least 2 points", sizes_at);
  t.problem.kind = entry.kind;
  t.problem.type = type;
  t.problem.scaling = is_inverse(entry.kind) ? fft_scaling::by_count : fft_scaling::none;
  t.problem.axes.clear();
  for (std::size_t i = 0; i < axes; ++i) t.problem.axes.push_back(i);
  t.problem.extents = std::move(sizes);
  count_bytes(p, sizes_at, t);
  return t;
}

}  // namespace papilio::cli
