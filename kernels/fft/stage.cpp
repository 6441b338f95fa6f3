#include "kernels/fft/stage.hpp"

#include <algorithm>
#include <complex>

#include "base/roots_of_unity.hpp"

namespace papilio::kernels_detail {
namespace {

// The level whose columns go with a group's points into one matrix: as many as fit.
digit_level shared_level(const digit_layout& columns, std::int64_t most,
                         std::span<const std::int64_t> prefer) {
  digit_level best{.digit = -1};
  bool best_preferred = false;
  for (const digit_level& l : columns) {
    digit_level part = l;
    part.extent = largest_divisor(l.extent, most);
    const bool preferred =
        !prefer.empty() && prefer[std::size_t(l.digit)] * l.weight == 1 && part.extent > 1;
    if (preferred > best_preferred || (preferred == best_preferred && part.extent > best.extent)) {
      best = part;
      best_preferred = preferred;
    }
  }
  return best;
}

}  // namespace

fft_stage plan_stage(std::span<const fft_digit> digits, int stage, const stage_input& in,
                     std::int64_t array_rows, bool apart, std::span<const std::int64_t> prefer,
                     folded_end folded) {
  fft_stage s;
  s.plane_stride = in.plane_stride;
  for (int d = 0; d < int(digits.size()); ++d)
    if (digits[std::size_t(d)].stage == stage) {
      s.digits.push_back(d);
      s.points *= digits[std::size_t(d)].radix;
      for (const digit_level& l : levels_of(in.levels, d)) s.point_levels.push_back(l);
    }
  digit_layout columns;
  for (const digit_level& l : in.levels)
    if (digits[std::size_t(l.digit)].stage != stage && l.extent > 1) columns.push_back(l);
  s.planes_apart = apart || 2 * s.points > array_rows;
  s.folded = folded;
  s.second = folded == folded_end::none ? 0 : array_rows / 2;
  const std::int64_t most = array_rows / (s.planes_apart ? s.points : 2 * s.points);
  s.shared = shared_level(columns, folded == folded_end::none ? most : 1, prefer);
  for (digit_level l : columns) {
    if (s.shared.extent > 1 && l.digit == s.shared.digit && l.weight == s.shared.weight) {
      l.extent /= s.shared.extent;
      l.weight *= s.shared.extent;
      l.stride *= s.shared.extent;
    }
    if (l.extent > 1) s.groups.push_back(l);
  }
  // Slowest first, as the output wants it where it says so.
  std::ranges::stable_sort(s.groups, [&](const digit_level& a, const digit_level& b) {
    if (prefer.empty()) return a.stride > b.stride;
    return prefer[std::size_t(a.digit)] * a.weight > prefer[std::size_t(b.digit)] * b.weight;
  });
  return s;
}

std::vector<engine::pattern_dim> fft_stage::transposed_levels() const {
  std::vector<engine::pattern_dim> levels;
  if (!planes_apart) levels.push_back({2, plane_stride});
  for (const digit_level& l : point_levels) levels.push_back({l.extent, l.stride});
  levels.push_back({shared.extent, shared.stride});
  return merged(levels);
}

folded_numbers::folded_numbers(std::span<const fft_digit> digits, const fft_stage& s) : all(1) {
  for (const fft_digit& d : digits) all *= d.radix;
  const auto weight = [&](int index) {
    const fft_digit& d = digits[std::size_t(index)];
    return s.folded == folded_end::input ? all / (d.before * d.radix) : d.before;
  };
  radix = s.points;
  point = weight(s.digits.front());
  group = s.groups.empty() ? 0 : s.groups.front().weight * weight(s.groups.front().digit);
}

fft_stage::twiddles twiddles_of(std::span<const fft_digit> digits, const fft_stage& stage,
                                std::int64_t group, std::span<const std::int64_t> outer) {
  std::vector<std::int64_t> sums;  // K of each digit's axis, of the first shared column
  const auto adds = [&](int own, int other) {
    const fft_digit &d = digits[std::size_t(own)], &o = digits[std::size_t(other)];
    return o.axis == d.axis && o.before < d.before && o.stage >= 0;
  };
  for (const int d : stage.digits) {
    std::int64_t sum =
        digits[std::size_t(d)].before > 1 ? outer[std::size_t(digits[std::size_t(d)].axis)] : 0;
    std::int64_t left = group;
    for (std::size_t i = stage.groups.size(); i-- > 0;) {
      const digit_level& l = stage.groups[i];
      if (adds(d, l.digit)) sum += left % l.extent * l.weight * digits[std::size_t(l.digit)].before;
      left /= l.extent;
    }
    sums.push_back(sum);
  }
  fft_stage::twiddles result;
  for (std::size_t i = 0; i < stage.digits.size(); ++i)
    for (std::int64_t c = 0; c < stage.shared.extent; ++c) {
      const bool moves = stage.shared.extent > 1 && adds(stage.digits[i], stage.shared.digit);
      result.push_back(
          sums[i] +
          (moves ? c * stage.shared.weight * digits[std::size_t(stage.shared.digit)].before : 0));
    }
  if (!stage.in_index.empty() || !stage.out_index.empty()) result.push_back(group);
  if (stage.folded == folded_end::input)
    result.push_back(folded_numbers(digits, stage).first_half(group));
  return result;
}

void number_variants(std::span<const fft_digit> digits, fft_stage& stage,
                     const std::vector<std::vector<std::int64_t>>& outers) {
  for (const std::vector<std::int64_t>& outer : outers)
    for (std::int64_t g = 0; g < stage.group_count(); ++g)
      stage.variants.emplace(twiddles_of(digits, stage, g, outer),
                             std::int64_t(stage.variants.size()));
}

namespace {

// Factors of a stage's elements.
class indexed_factors {
 public:
  indexed_factors(std::span<const fft_digit> digits, const fft_stage& stage,
                  std::span<const std::int64_t> index, const element_factors& factors)
      : digits_(digits), stage_(stage), index_(index), factors_(factors) {}

  // Of point j of a group's column.
  std::complex<double> operator()(std::int64_t group, std::int64_t column, std::int64_t j) const {
    if (index_.empty()) return 1;
    std::int64_t at = 0;
    for (std::size_t i = stage_.groups.size(); i-- > 0;) {
      const digit_level& l = stage_.groups[i];
      at += group % l.extent * l.weight * index_[std::size_t(l.digit)];
      group /= l.extent;
    }
    if (stage_.shared.extent > 1)
      at += column * stage_.shared.weight * index_[std::size_t(stage_.shared.digit)];
    for (std::size_t i = stage_.digits.size(); i-- > 0;) {
      const std::size_t d = std::size_t(stage_.digits[i]);
      at += j % digits_[d].radix * index_[d];
      j /= digits_[d].radix;
    }
    return at < std::int64_t(factors_.size()) ? factors_[std::size_t(at)] : 0;
  }

 private:
  std::span<const fft_digit> digits_;
  const fft_stage& stage_;
  std::span<const std::int64_t> index_;
  const element_factors& factors_;
};

// Where a point of the folded end is, of a group with `first` points in the first half.
struct folded_place {
  std::int64_t at = 0, plane = 1;
  bool later;

  folded_place(const fft_stage& s, std::int64_t point, std::int64_t first) : later(point >= first) {
    const bool input = s.folded == folded_end::input;
    if (!input) plane = s.second / 2;
    at = (later ? s.second : 0) + (later ? point - first : point) * (input ? 2 : 1);
  }
  std::int64_t of(int part) const { return at + part * plane; }
  /// Imaginary parts of conjugates have the other sign.
  double sign(int part) const { return later && part == 1 ? -1 : 1; }
};

// Part `to` of w times 1 or i.
double coefficient(std::complex<double> w, int from, int to) {
  return from == to ? w.real() : to == 1 ? w.imag() : -w.imag();
}

}  // namespace

void fill_matrices(std::span<const fft_digit> digits, const fft_stage& stage, bool inverse,
                   double scale, const element_factors& in, const element_factors& out_factors,
                   std::span<float> table) {
  std::ranges::fill(table, 0.0f);
  std::map<std::int64_t, base_detail::roots_of_unity<double>> roots;
  for (const int d : stage.digits) {
    const std::int64_t order = digits[std::size_t(d)].before * digits[std::size_t(d)].radix;
    roots.try_emplace(order, std::size_t(order));
  }
  const indexed_factors before(digits, stage, stage.in_index, in),
      behind(digits, stage, stage.out_index, out_factors);
  const std::int64_t count = std::int64_t(stage.variants.size()), p = stage.points,
                     c = stage.shared.extent;
  const std::int64_t row_length = count * stage.matrix_columns();
  const folded_numbers number(digits, stage);
  for (const auto& variant : stage.variants) {
    const auto& sums = variant.first;
    const std::int64_t at_matrix = variant.second * stage.matrix_columns();
    const auto put = [&](std::int64_t row, std::int64_t column, double value) {
      table[std::size_t(row * row_length + at_matrix + column)] = static_cast<float>(value);
    };
    for (std::int64_t column = 0; column < c; ++column)
      for (std::int64_t j = 0; j < p; ++j)
        for (std::int64_t k = 0; k < p; ++k) {
          // The product over the digits of w(R)^(j (K + before k)).
          std::complex<double> w = scale;
          std::int64_t j_left = j, k_left = k;
          for (std::size_t i = stage.digits.size(); i-- > 0;) {
            const fft_digit& d = digits[std::size_t(stage.digits[i])];
            const std::int64_t order = d.before * d.radix, jd = j_left % d.radix,
                               kd = k_left % d.radix;
            j_left /= d.radix;
            k_left /= d.radix;
            const std::int64_t sum = sums[i * std::size_t(c) + std::size_t(column)];
            w *= roots.at(order)(std::size_t(jd * ((sum + d.before * kd) % order) % order));
          }
          if (inverse) w = std::conj(w);
          w *= before(sums.back(), column, j) * behind(sums.back(), column, k);
          const std::int64_t row = j * c + column, out = k * c + column, plane = p * c;
          if (stage.folded != folded_end::none) {
            const bool input = stage.folded == folded_end::input;
            const folded_place at(stage, input ? j : k,
                                  input ? sums.back() : number.first_half_above(sums[0]));
            for (int from = 0; from < 2; ++from)
              for (int to = 0; to < 2; ++to)
                put(input ? at.of(from) : from * p + j, input ? to * p + k : at.of(to),
                    coefficient(w, from, to) * at.sign(input ? from : to));
            continue;
          }
          put(row, out, w.real());
          put(row, plane + out, w.imag());
          if (stage.planes_apart) {
            put(row, stage.reals() + out, -w.imag());
            put(row, stage.reals() + plane + out, w.real());
          } else {
            put(plane + row, out, -w.imag());
            put(plane + row, plane + out, w.real());
          }
        }
  }
}

}  // namespace papilio::kernels_detail
