#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>

#include "base/internal.hpp"
#include "kernels/table.hpp"
#include "kernels/transform/groups.hpp"

namespace papilio::kernels_detail {

/// The result of an inverse short-time transform, cut into stretches of hops * hop samples. Sample
/// i of stretch h is the sum over b = first ... first + count - 1 of sample b hop + rest + i of
/// segment quotient + h hops - b, where it exists. quotient hop + rest samples of the segments come
/// before the result: n / 2 where it is centred.
struct stretches {
  std::int64_t n = 1;  ///< samples of a segment
  std::int64_t hop = 1, quotient = 0, rest = 0, hops = 1, first = 0, count = 1;
  std::int64_t samples = 1, segments = 1;
  std::int64_t batch = 1;   ///< stretches summed at a time
  bool is_weighted = true;  ///< sums are divided by those of the window's squares

  auto fields() const {
    return std::tie(n, hop, quotient, rest, hops, first, count, samples, segments, batch,
                    is_weighted);
  }
  std::int64_t width() const { return hops * hop; }
  std::int64_t last() const { return first + count - 1; }
  line_overlap overlap() const {
    return {
        .parts = count, .first = first * hop + rest, .hop = hop, .width = width(), .step = hops};
  }
  /// Number of segments that overlap so many stretches; the first that overlaps stretch h.
  std::int64_t segments_of(std::int64_t some) const { return overlap().lines(some); }
  std::int64_t first_segment(std::int64_t h) const { return quotient + h * hops - last(); }

  std::int64_t whole() const { return samples / width(); }
  /// Whether all segments that overlap stretch h exist: such stretches share one sum of squares.
  bool is_interior(std::int64_t h) const {
    return first_segment(h) >= 0 && first_segment(h) + count <= segments;
  }
  /// One past the last stretch of the interior, whose stretches follow each other.
  std::int64_t interior_end() const {
    const std::int64_t left = segments - count - first_segment(0);
    return left < 0 ? 0 : left / hops + 1;
  }
  /// The sum of w^2 at sample i of stretch h.
  double sum_of_squares(std::span<const float> window, std::int64_t h, std::int64_t i) const;
};

/// Sets stretches of so many hops, and a batch of as many as have segments for all partitions.
void take_stretches(stretches& s, std::int64_t hops, const engine::machine_spec& machine);

/// A run of stretches that are summed together, and its first row in the table of weights; the
/// interior has row 0.
struct stretch_group {
  std::int64_t first = 0, count = 1, width = 1, weights = 0;
};

/// All groups of a result, computed on demand: their number grows with its length.
class PAPILIO_INTERNAL stretch_groups {
 public:
  explicit stretch_groups(const stretches& s);
  std::int64_t count() const { return full_ + (rest_ > 0 ? 1 : 0); }
  stretch_group operator[](std::int64_t index) const;
  /// Number of rows of the table of weights.
  std::int64_t weight_rows() const;
  /// Calls take(group) for one group of the interior and for all groups outside it.
  template <class F>
  void each_of_other_weights(F&& take) const {
    for (std::int64_t i = 0; i < count(); ++i) {
      take((*this)[i]);
      if (i == same_begin_ && same_end_ > i) i = same_end_ - 1;
    }
  }

 private:
  std::int64_t whole_ = 0, batch_ = 1, width_ = 1;  // stretches, of a group, and their samples
  std::int64_t full_ = 0, rest_ = 0;                // groups, and samples of a last shorter stretch
  std::int64_t same_begin_ = 0, same_end_ = 0;      // groups of row 0
};

/// Fills the table of weights, 1 / sum of w^2.
void fill_weights(const table_writer& table, const stretches& s, std::span<const float> window);

/// Throws invalid_argument, in the name of a kernel, for a sample (counted from `first`) whose sum
/// of w^2 is at most 1e-10 of the largest w^2.
void require_covered(const char* name, const stretches& s, std::span<const float> window,
                     std::int64_t first);

}  // namespace papilio::kernels_detail
