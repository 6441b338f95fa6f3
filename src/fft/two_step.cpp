// Two steps: n = R M in interleaved registers, columns of R that are transposed as they leave
// them, and passes over rows of registers; the identity is in two_step.hpp.
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

// Radices that there is code for, and the instructions of their butterflies.
struct line_radix {
  std::size_t radix;
  double cost;
};
constexpr line_radix line_radices[] = {{2, 2},  {3, 11}, {4, 12},  {5, 18},  {6, 18},   {7, 48},
                                       {8, 32}, {9, 74}, {10, 58}, {12, 70}, {15, 116}, {16, 136}};

bool is_line_radix(std::size_t radix) {
  return std::ranges::find(line_radices, radix, &line_radix::radix) != std::end(line_radices);
}

// Finds for each first radix the others with the least time, in instructions on registers of four
// complex numbers. The weights were fitted to measured times of all recipes of lengths of up to
// 2000: the cheapest takes 2 % (AVX2) and 3 % (AVX-512) more than the fastest in the mean, the
// fastest of the four cheapest 0.4 and 0.1 % (two cores of an AMD Zen 4).
class cheapest_radices {
 public:
  explicit cheapest_radices(std::size_t n) {
    if (is_line_radix(n)) {
      found_ = {{0, {n}}};
      return;
    }
    std::vector<std::size_t> divisors;
    for (std::size_t d = n; d > 0; --d)
      if (n % d == 0) divisors.push_back(d);
    for (const line_radix& r : line_radices) {
      if (n % r.radix != 0) continue;
      const columns of(r, n);
      price_rows(of, divisors);
      if (rest_[1] >= impossible) continue;
      priced p{of.cost + rest_[1], {r.radix}};
      for (std::size_t l = 1; l < of.rows; l *= next_[l]) p.radices.push_back(next_[l]);
      found_.push_back(std::move(p));
    }
    std::ranges::stable_sort(found_, {}, &priced::cost);
  }

  struct priced {
    double cost;
    std::vector<std::size_t> radices;
  };
  /// The cheapest first; none where a prime factor has no code.
  const std::vector<priced>& found() const { return found_; }

 private:
  static constexpr double impossible = 1e30;

  // Cost of the first step, and the number of groups of registers in the passes over rows.
  struct columns {
    columns(const line_radix& r, std::size_t n) : rows(n / r.radix) {
      const std::size_t complexes =
          std::min<std::size_t>(4, std::bit_floor(std::min(r.radix, rows)));
      const auto registers = [&](std::size_t count) {
        return static_cast<double>((count + complexes - 1) / complexes);
      };
      groups = registers(r.radix);
      cost = registers(rows) * (butterfly(r, 6, 1) + 3 * groups * static_cast<double>(complexes));
      // Stores overlap where the radix is no multiple of a register.
      if (r.radix % complexes != 0) cost += 2 * groups * static_cast<double>(rows);
    }

    std::size_t rows;
    double groups, cost;
  };

  static double butterfly(const line_radix& r, double twiddle, double move) {
    const auto points = static_cast<double>(r.radix);
    return r.cost + twiddle * (points - 1) + move * points;
  }

  // Finds the least cost of the passes behind l points of the rows, and the radix of the first of
  // them.
  void price_rows(const columns& of, const std::vector<std::size_t>& divisors) {
    for (const std::size_t l : divisors) {
      if (of.rows % l != 0) continue;
      rest_[l] = l == of.rows ? 0 : impossible;
      for (const line_radix& r : line_radices) {
        if (of.rows / l % r.radix != 0) continue;
        const double lines = static_cast<double>(of.rows / r.radix);
        const double cost =
            rest_[l * r.radix] +
            of.groups * (20 + 5 * static_cast<double>(l) + lines * butterfly(r, l > 1 ? 5 : 0, 4));
        if (cost >= rest_[l]) continue;
        rest_[l] = cost;
        next_[l] = r.radix;
      }
    }
  }

  std::vector<priced> found_;
  double rest_[most_points + 1];       // by the points that the passes before have done
  std::size_t next_[most_points + 1];  // the radix that goes on from there
};

template <class T>
void interleave(const T* re, const T* im, T* line, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    line[2 * j] = re[j];
    line[2 * j + 1] = im[j];
  }
}
template <class T>
void part(const T* line, T* re, T* im, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    re[j] = line[2 * j];
    im[j] = line[2 * j + 1];
  }
}

// A single radix: one butterfly, in registers of one complex number.
template <class T>
class butterfly_alone final : public executable<T> {
 public:
  butterfly_alone(std::size_t n, direction dir, long double scale)
      : executable<T>(0),
        n_(n),
        pass_{1, 1, nullptr, dir == direction::inverse ? T(-1) : T(1), static_cast<T>(scale)},
        run_(find_row_pass<T>(n, true, 1)) {}

  void execute(const T* in, T* out, T*, int) const override { run_(pass_, in, out, 2); }

  void execute_split(const T* in_re, const T* in_im, T* out_re, T* out_im, T*) const override {
    T line[2 * line_radices[std::size(line_radices) - 1].radix];
    interleave(in_re, in_im, line, n_);
    run_(pass_, line, line, 2);
    part(line, out_re, out_im, n_);
  }

 private:
  std::size_t n_;
  row_pass<T> pass_;
  row_pass_function<T> run_;
};

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
    interleave(in_re, in_im, line, n_);
    run(line, line, memory);
    part(line, out_re, out_im, n_);
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
    const auto rows_radices = std::span(r.radices).subspan(1);
    std::size_t size = 4 * complexes_ * registers * (columns_ - 1), l = 1;
    for (const std::size_t radix : rows_radices) {
      if (l > 1) size += 4 * l * (radix - 1);
      l *= radix;
    }
    twiddles_ = array<T, 1>(size, uninitialized);
    T* next = twiddles_.data();
    first_ = {rows, next, sign, static_cast<T>(scale)};
    const roots_of_unity<T> root(n_), row_root(rows);
    for (std::size_t start = 0; start < rows; start += complexes_) {
      const std::size_t c = std::min(start, rows - complexes_);
      for (std::size_t k = 1; k < columns_; ++k, next += 4 * complexes_)
        for (std::size_t i = 0; i < complexes_; ++i)
          put_twiddle(next, complexes_, i, root(k * (c + i)) * first_.scale, dir);
    }
    l = 1;
    for (const std::size_t radix : rows_radices) {
      const row_pass<T> p{l, rows / (l * radix), next, sign};
      steps_.push_back({find_row_pass<T>(radix, l == 1, complexes_), p});
      if (l > 1)
        for (std::size_t k = 0; k < l; ++k)
          for (std::size_t j = 1; j < radix; ++j, next += 4)
            put_twiddle(next, 1, 0, row_root(j * k * p.count), dir);
      l *= radix;
    }
  }

  // Returns the reals of memory for the transposed columns, and for one group of them again.
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
    if (!is_line_radix(radix) || __builtin_mul_overflow(product, radix, &product)) return false;
  return !r.radices.empty() && r.parts.empty() && product == r.n && r.n <= most_points;
}

std::vector<recipe> design_two_steps(std::size_t n, std::size_t most) {
  std::vector<recipe> all;
  if (n > most_points) return all;
  const cheapest_radices cheapest(n);
  for (const auto& p : cheapest.found())
    if (all.size() < most) all.push_back({recipe_kind::two_step, n, p.radices, {}});
  return all;
}

std::optional<recipe> design_two_step(std::size_t n) {
  std::vector<recipe> one = design_two_steps(n, 1);
  if (one.empty()) return std::nullopt;
  return std::move(one.front());
}

// Two steps are put below Stockham passes and direct sums, and above the codelets, which have the
// lengths of powers of two.
double two_step_cost(const recipe& r) { return 8 * static_cast<double>(r.n); }

template <class T>
std::unique_ptr<const executable<T>> build_two_step(const recipe& r, direction dir,
                                                    long double scale) {
  if (r.radices.size() == 1) return std::make_unique<butterfly_alone<T>>(r.n, dir, scale);
  return std::make_unique<two_step<T>>(r, dir, scale);
}

template std::unique_ptr<const executable<float>> build_two_step(const recipe&, direction,
                                                                 long double);
template std::unique_ptr<const executable<double>> build_two_step(const recipe&, direction,
                                                                  long double);

}  // namespace papilio::fft_detail
