#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "kernels/stft/stft_banks.hpp"
#include "kernels/stft/stft_design.hpp"
#include "kernels/table.hpp"
#include "papilio/kernels/stft.hpp"

namespace papilio::kernels_detail {

/// The result in stretches of `hops` times hop samples. Stretch h sums, for b = first ... first +
/// count - 1, samples b hop + rest + i of segment quotient + h hops - b, where they are within it:
/// the centre's n_fft / 2 = quotient hop + rest.
struct overlap {
  std::int64_t hop = 1, quotient = 0, rest = 0, hops = 1, first = 0, count = 1;

  auto fields() const { return std::tie(hop, quotient, rest, hops, first, count); }
  std::int64_t stretch() const { return hops * hop; }
  /// Segments that so many stretches have parts of.
  std::int64_t segments(std::int64_t stretches) const { return hops * (stretches - 1) + count; }
  /// The first of them, of stretches from h on.
  std::int64_t first_segment(std::int64_t h) const { return quotient + h * hops - last(); }
  std::int64_t last() const { return first + count - 1; }
  /// Samples i of part b: those of [0, n) of the segment.
  bool within(std::int64_t b, std::int64_t i, std::int64_t n) const {
    const std::int64_t j = b * hop + rest + i;
    return j >= 0 && j < n;
  }
};

struct istft_design {
  stft_factors factors = {};
  array_operands operands = {};
  overlap parts = {};
  std::int64_t channels = 1, samples = 1;
  std::int64_t given = 1;     // segments of the input
  std::int64_t begin = 0;     // of them, the first that the result can need
  std::int64_t segments = 1;  // and how many from there
  std::int64_t lanes = 1;     // stretches summed at a time
  std::int64_t columns = 1;   // segments that they need
  int depth = 2;              // of the pools; 0: few tiles for all, in turn
  /// Of a chunk's groups of points, those that the vector engine transposes.
  std::int64_t by_vector = 0;
  bool resident = true;   // the direct matrix
  bool streamed = false;  // a segment does not fit: see istft_streamed
  bool adjoint = false;   // of the forward transform: weights 1, every bin once

  auto fields() const {
    return std::tie(factors, operands, parts, channels, samples, given, begin, segments, lanes,
                    columns, depth, by_vector, resident, streamed, adjoint);
  }
  std::string describe() const;
  istft_design without_batch() const;
  /// At depth 0: fp32 tiles in turn; operands of another type have their own.
  int shared_tiles() const { return operands.is_fp32() ? 2 : 1; }
  double expected_error(std::int64_t side) const {
    return factors.expected_error(side, operands, parts.count + 1 - parts.hops);
  }
  /// Of bins whose mirror images are not among the input, and of every sample.
  double mirrored() const { return adjoint ? 1 : 2; }
  double scale() const { return adjoint ? 1 : 1 / static_cast<double>(factors.n); }

  std::int64_t whole_stretches() const { return samples / parts.stretch(); }
  /// The stretches whose segments are all there have one sum of squares.
  bool interior(std::int64_t h) const {
    return parts.first_segment(h) >= 0 && parts.first_segment(h) + parts.count <= segments;
  }
  /// One after the last of them: they follow each other.
  std::int64_t interior_end() const {
    const std::int64_t left = segments - parts.count - parts.first_segment(0);
    return left < 0 ? 0 : left / parts.hops + 1;
  }
  /// Columns of a group's results in the last product: (sample / r2, j2 of the group).
  std::int64_t part_columns() const { return parts.stretch() / factors.r2 * factors.side_by_side; }
  /// Segments on partitions at once, of which a group of stretches has several where a stretch is
  /// several hops.
  std::int64_t chunks(std::int64_t side) const { return (columns + side - 1) / side; }
  /// Segments of a group of stretches.
  kernels::repetition repeats(std::int64_t) const {
    return {.unit = "segments", .count = channels * segments, .least = lanes * parts.hops};
  }
  bool pipelined(std::int64_t side) const { return depth > 0 && chunks(side) <= parts.hops; }
};

/// A run of stretches summed together, and where its rows of the table of weights begin; row 0 is
/// the interior's.
struct stretch_group {
  std::int64_t first = 0, count = 1, width = 1, weights = 0;
};
/// All of them, none of which is kept: a result has as many as it is long.
class stretch_groups {
 public:
  explicit stretch_groups(const istft_design& d);
  std::int64_t count() const { return full_ + (rest_ > 0 ? 1 : 0); }
  stretch_group operator[](std::int64_t index) const;
  /// Rows of the table of weights.
  std::int64_t weight_rows() const;
  /// Calls take(group) for those that are of the interior, but one of them, and all others.
  template <class F>
  void each_of_other_weights(F&& take) const {
    for (std::int64_t i = 0; i < count(); ++i) {
      take((*this)[i]);
      if (i == same_begin_ && same_end_ > i) i = same_end_ - 1;
    }
  }

 private:
  std::int64_t whole_ = 0, lanes_ = 1, width_ = 1;  // stretches, of a group, and their samples
  std::int64_t full_ = 0, rest_ = 0;                // groups, and samples of a last shorter stretch
  std::int64_t same_begin_ = 0, same_end_ = 0;      // groups of row 0
};

inline stretch_groups::stretch_groups(const istft_design& d)
    : whole_(d.whole_stretches()),
      lanes_(d.lanes),
      width_(d.parts.stretch()),
      full_((whole_ + lanes_ - 1) / lanes_),
      rest_(d.samples % width_) {
  const auto is_same = [&](std::int64_t i) {
    const stretch_group g = (*this)[i];
    return d.adjoint || (d.interior(g.first) && d.interior(g.first + g.count - 1));
  };
  // The interior begins after the stretches that the first segments overlap.
  const std::int64_t before = d.adjoint ? 0 : std::max<std::int64_t>(0, -d.parts.first_segment(0));
  same_begin_ = (before / d.parts.hops + (before % d.parts.hops > 0 ? 1 : 0) + lanes_ - 1) / lanes_;
  same_begin_ = std::min(same_begin_, count());
  same_end_ = d.adjoint ? count() : std::min(count(), d.interior_end() / lanes_ + 2);
  while (same_end_ > same_begin_ && !is_same(same_end_ - 1)) --same_end_;
  same_end_ = std::max(same_begin_, same_end_);
}

inline stretch_group stretch_groups::operator[](std::int64_t index) const {
  const bool is_rest = index == full_;
  const std::int64_t first = is_rest ? whole_ : index * lanes_;
  stretch_group g{.first = first,
                  .count = is_rest ? 1 : std::min(lanes_, whole_ - first),
                  .width = is_rest ? rest_ : width_};
  if (index >= same_begin_ && index < same_end_) return g;
  const auto stretches_before = [&](std::int64_t group) {
    return std::min(group * lanes_, whole_);
  };
  g.weights = 1 + stretches_before(index);
  if (index >= same_end_) g.weights -= stretches_before(same_end_) - stretches_before(same_begin_);
  return g;
}

inline std::int64_t stretch_groups::weight_rows() const {
  std::int64_t rows = 1;
  each_of_other_weights([&](const stretch_group& g) {
    if (g.weights > 0) rows += g.count;
  });
  return rows;
}

// Tables. The inverse's first stage: [unit points (half, plane, k2), units x unit points (slot,
// j2)]; last: [group points (slot, j2 of the group), groups x parts x part columns]; direct:
// [n packed, parts x hop].
// `ends`: what the bins that are their own mirror images count.
void fill_inverse_first(const table_writer& table, const istft_design& d, double ends);
void fill_inverse_last(const table_writer& table, const istft_design& d,
                       std::span<const float> window);
void fill_inverse_direct(const table_writer& table, const istft_design& d,
                         std::span<const float> window, double ends);
void fill_weights(const table_writer& table, const istft_design& d, std::span<const float> window);

/// The sum of w^2 at sample i of stretch h.
double sum_of_squares(const istft_design& d, std::span<const float> window, std::int64_t h,
                      std::int64_t i);

void fit_on_chip(istft_design& design, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
