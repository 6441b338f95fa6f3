// Two steps: n = R M in interleaved registers, columns of R that are transposed as they leave
// them, and
// passes over rows of registers; the identity is in two_step.hpp.
#include "fft/two_step.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "base/roots_of_unity.hpp"
#include "fft/codelet.hpp"
#include "papilio/base/array.hpp"

namespace papilio::fft_detail {

using base_detail::roots_of_unity;
namespace {

// Two buffers of so many points, and the line, are to stay near the first cache.
constexpr std::size_t most_points = 2048;

// As few radices as possible, those of powers of two as equal as possible; nothing where a prime
// factor has no code.
std::optional<std::vector<std::size_t>> factors_of(std::size_t m) {
  std::vector<std::size_t> radices;
  for (; m % 9 == 0; m /= 9) radices.push_back(9);
  for (const std::size_t odd : {3, 5, 7})
    for (; m % odd == 0; m /= odd) radices.push_back(odd);
  if (!std::has_single_bit(m)) return std::nullopt;
  const auto bits = static_cast<std::size_t>(std::countr_zero(m)), passes = (bits + 3) / 4;
  for (std::size_t i = 0; i < passes; ++i)
    radices.push_back(std::size_t{1} << (bits * (i + 1) / passes - bits * i / passes));
  return radices;
}

// Instructions of a butterfly; 0 where there is no code for it.
double line_cost(std::size_t radix) {
  switch (radix) {
    case 2:
      return 2;
    case 3:
      return 8;
    case 4:
      return 12;
    case 5:
      return 24;
    case 7:
      return 48;
    case 8:
      return 36;
    case 9:
      return 64;
    case 16:
      return 136;
    default:
      return 0;
  }
}

// Instructions, in registers of four complex numbers. Stores that no register divides overlap.
double instructions(const recipe& r) {
  const std::size_t columns = r.radices[0], rows = r.n / columns;
  const std::size_t complexes = std::min<std::size_t>(4, std::bit_floor(std::min(columns, rows)));
  const auto registers = [&](std::size_t count) {
    return static_cast<double>((count + complexes - 1) / complexes);
  };
  const auto cost = [](std::size_t radix, double twiddle, double move) {
    const auto points = static_cast<double>(radix);
    return line_cost(radix) + twiddle * (points - 1) + move * points;
  };
  const double groups = registers(columns), transposed = groups * static_cast<double>(complexes);
  double sum = registers(rows) * (cost(columns, 5, 1) + 3 * transposed);
  std::size_t l = 1;
  for (const std::size_t radix : std::span(r.radices).subspan(1)) {
    const auto lines = static_cast<double>(rows / radix);
    sum += groups * (20 + 6 * static_cast<double>(l) + lines * cost(radix, l > 1 ? 5 : 0, 3));
    l *= radix;
  }
  if (columns % complexes != 0) sum += 2 * groups * static_cast<double>(rows);
  return sum;
}

template <class T>
class two_step final : public executable<T> {
 public:
  two_step(const recipe& r, direction dir, long double scale)
      : two_step(r, dir, scale, two_step_complexes<T>(r.radices[0], r.n / r.radices[0])) {}

  void execute(const T* in, T* out, T* scratch, int) const override {
    run(in, out, aligned(scratch));
  }

  void execute_split(const T* in_re, const T* in_im, T* out_re, T* out_im,
                     T* scratch) const override {
    T* const memory = aligned(scratch);
    T* const line = memory + (groups_ + 1) * group_reals_;
    for (std::size_t j = 0; j < n_; ++j) {
      line[2 * j] = in_re[j];
      line[2 * j + 1] = in_im[j];
    }
    run(line, line, memory);
    for (std::size_t j = 0; j < n_; ++j) {
      out_re[j] = line[2 * j];
      out_im[j] = line[2 * j + 1];
    }
  }

 private:
  struct step {
    row_pass_function<T> run;
    row_pass<T> pass;
  };

  two_step(const recipe& r, direction dir, long double scale, std::size_t complexes)
      : executable<T>(aligned_reals<T>(work_reals(r, complexes) + 2 * r.n)),
        n_(r.n),
        columns_(r.radices[0]),
        complexes_(complexes),
        groups_((columns_ + complexes - 1) / complexes),
        group_reals_(2 * complexes * (n_ / columns_)),
        run_first_(find_first_step<T>(columns_, complexes)) {
    const std::size_t rows = n_ / columns_;
    const T sign = dir == direction::inverse ? T(-1) : T(1);
    const std::size_t registers = (rows + complexes_ - 1) / complexes_;
    std::size_t size = 4 * complexes_ * registers * (columns_ - 1), l = 1;
    for (const std::size_t radix : std::span(r.radices).subspan(1)) {
      if (l > 1) size += 4 * l * (radix - 1);
      l *= radix;
    }
    twiddles_ = array<T, 1>(size);
    T* next = twiddles_.data();
    first_ = {rows, next, sign};
    const roots_of_unity<T> root(n_), row_root(rows);
    for (std::size_t start = 0; start < rows; start += complexes_) {
      const std::size_t c = std::min(start, rows - complexes_);
      for (std::size_t k = 1; k < columns_; ++k, next += 4 * complexes_)
        for (std::size_t i = 0; i < complexes_; ++i)
          put_twiddle(next, complexes_, i, root(k * (c + i)), dir);
    }
    l = 1;
    for (const std::size_t radix : std::span(r.radices).subspan(1)) {
      const row_pass<T> p{l, rows / (l * radix), next, sign, static_cast<T>(scale)};
      const bool is_scaled = l * radix == rows && scale != 1;
      steps_.push_back({find_row_pass<T>(radix, l == 1, is_scaled, complexes_), p});
      if (l > 1)
        for (std::size_t k = 0; k < l; ++k)
          for (std::size_t j = 1; j < radix; ++j, next += 4)
            put_twiddle(next, 1, 0, row_root(j * k * p.count), dir);
      l *= radix;
    }
  }

  // The transposed columns, and one group of them again.
  static std::size_t work_reals(const recipe& r, std::size_t complexes) {
    const std::size_t columns = r.radices[0];
    return 2 * complexes * (r.n / columns) * ((columns + complexes - 1) / complexes + 1);
  }

  void run(const T* in, T* out, T* memory) const {
    run_first_(first_, in, memory);
    const auto row = static_cast<std::ptrdiff_t>(2 * complexes_);
    for (std::size_t g = 0; g < groups_; ++g) {
      T *from = memory + g * group_reals_, *to = memory + groups_ * group_reals_;
      const step *s = steps_.data(), *const last = s + steps_.size() - 1;
      for (; s != last; ++s, std::swap(from, to)) s->run(s->pass, from, to, row);
      last->run(last->pass, from, out + 2 * std::min(g * complexes_, columns_ - complexes_),
                static_cast<std::ptrdiff_t>(2 * columns_));
    }
  }

  std::size_t n_, columns_, complexes_, groups_, group_reals_;
  first_step_function<T> run_first_;
  first_step_tables<T> first_;
  std::vector<step> steps_;
  array<T, 1> twiddles_;
};

}  // namespace

bool has_two_step(const recipe& r) {
  std::size_t product = 1;
  for (const std::size_t radix : r.radices)
    if (line_cost(radix) == 0 || __builtin_mul_overflow(product, radix, &product)) return false;
  return r.radices.size() > 1 && r.parts.empty() && product == r.n && r.n <= most_points;
}

std::optional<recipe> design_two_step(std::size_t n) {
  if (n > most_points) return std::nullopt;
  std::optional<recipe> best;
  for (const std::size_t columns : {2, 3, 4, 5, 7, 8, 9, 16}) {
    if (n % columns != 0 || n == columns) continue;
    const auto rows = factors_of(n / columns);
    if (!rows) return std::nullopt;
    recipe r{recipe_kind::two_step, n, {columns}, {}};
    r.radices.insert(r.radices.end(), rows->begin(), rows->end());
    if (!best || instructions(r) < instructions(*best)) best = std::move(r);
  }
  return best;
}

// Below Stockham passes and direct sums, above the codelets, which have the lengths of powers of
// two.
double two_step_cost(const recipe& r) { return 8 * static_cast<double>(r.n); }

template <class T>
std::unique_ptr<const executable<T>> build_two_step(const recipe& r, direction dir,
                                                    long double scale) {
  return std::make_unique<two_step<T>>(r, dir, scale);
}

template std::unique_ptr<const executable<float>> build_two_step(const recipe&, direction,
                                                                 long double);
template std::unique_ptr<const executable<double>> build_two_step(const recipe&, direction,
                                                                  long double);

}  // namespace papilio::fft_detail
