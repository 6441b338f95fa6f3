#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>

#include "base/internal.hpp"
#include "kernels/table.hpp"
#include "kernels/transform/groups.hpp"

namespace papilio::kernels_detail {

/// The result of an inverse short-time transform in stretches of `hops` times hop samples. Stretch h
/// sums, for b = first ... first + count - 1, samples b hop + rest + i of segment quotient + h hops
/// - b, where they are within it: the centre's n / 2 = quotient hop + rest.
struct stretches {
  std::int64_t n = 1;  ///< samples of a segment
  std::int64_t hop = 1, quotient = 0, rest = 0, hops = 1, first = 0, count = 1;
  std::int64_t samples = 1, segments = 1;
  std::int64_t lanes = 1;   ///< stretches summed at a time
  bool is_weighted = true;  ///< sums are divided by those of the window's squares

  auto fields() const {
    return std::tie(n, hop, quotient, rest, hops, first, count, samples, segments, lanes,
                    is_weighted);
  }
  std::int64_t width() const { return hops * hop; }
  std::int64_t last() const { return first + count - 1; }
  line_overlap overlap() const {
    return {
        .parts = count, .first = first * hop + rest, .hop = hop, .width = width(), .step = hops};
  }
  /// Segments that so many stretches have parts of, and the first of them, of stretches from h on.
  std::int64_t segments_of(std::int64_t some) const { return overlap().lines(some); }
  std::int64_t first_segment(std::int64_t h) const { return quotient + h * hops - last(); }

  std::int64_t whole() const { return samples / width(); }
  /// The stretches whose segments are all there have one sum of squares.
  bool is_interior(std::int64_t h) const {
    return first_segment(h) >= 0 && first_segment(h) + count <= segments;
  }
  /// One after the last of them: they follow each other.
  std::int64_t interior_end() const {
    const std::int64_t left = segments - count - first_segment(0);
    return left < 0 ? 0 : left / hops + 1;
  }
  /// The sum of w^2 at sample i of stretch h.
  double sum_of_squares(std::span<const float> window, std::int64_t h, std::int64_t i) const;
};

/// Makes stretches of so many hops: as many at a time as the segments that they need fill partitions.
void take_stretches(stretches& s, std::int64_t hops, const engine::machine_spec& machine);

/// A run of stretches summed together, and where its rows of the table of weights begin; row 0 is
/// the interior's.
struct stretch_group {
  std::int64_t first = 0, count = 1, width = 1, weights = 0;
};

/// All of them, none of which is kept: a result has as many as it is long.
class PAPILIO_INTERNAL stretch_groups {
 public:
  explicit stretch_groups(const stretches& s);
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

/// Fills the table of 1 / sum of w^2.
void fill_weights(const table_writer& table, const stretches& s, std::span<const float> window);

/// invalid_argument, in the name of a kernel, that counts from `first` the sample whose sum of w^2 is at
/// most 1e-10 of the largest w^2.
void require_covered(const char* name, const stretches& s, std::span<const float> window,
                     std::int64_t first);

}  // namespace papilio::kernels_detail
