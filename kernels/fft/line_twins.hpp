#pragma once

#include <cstdint>
#include <tuple>

#include "papilio/engine/core.hpp"

// Two real lines x and y of n points as one complex line z = x + i y.
namespace papilio::kernels_detail {

/// Lines of which p and p + second() are pair p < pairs(), so that contiguous lines are planes
/// already. Of an odd number one line is in two pairs, as the first of the last one and the second
/// of pair 0.
struct line_twins {
  std::int64_t lines = 1, n = 1;

  std::int64_t pairs() const { return (lines + 1) / 2; }
  std::int64_t second() const { return lines / 2; }
  std::int64_t bins() const { return n / 2 + 1; }
  /// Bins with a partner that is another one.
  std::int64_t partnered() const { return (n - 1) / 2; }

  auto fields() const { return std::tie(lines, n); }
};

/// Bins k of Z, their partners n - k, and bins k of X and Y: planes, of equal extents.
struct twin_bins {
  engine::tile_view a[2], b[2], x[2], y[2];
};

/// 2 X and 2 Y from Z, or Z from X and Y; not X where `both` is false.
void separate(engine::core& nc, const twin_bins& bins, bool both = true);
void join(engine::core& nc, const twin_bins& bins);
/// The same of bins that are their own partners: `b` is not looked at, nor are imaginary parts of X
/// and Y.
void separate_own(engine::core& nc, const twin_bins& bins, bool both = true);
void join_own(engine::core& nc, const twin_bins& bins);

/// `each` lines whole on a partition, Z as [plane, line, element] with planes `plane` apart, X and
/// Y as [X or Y, plane, line, bin].
struct whole_twins {
  engine::tile_view z, lines;
  std::int64_t plane = 0, each = 1, n = 1;
};
void separate(engine::core& nc, const whole_twins& twins, bool both = true);
void join(engine::core& nc, const whole_twins& twins);

}  // namespace papilio::kernels_detail
