#include "kernels/short_time/stretches.hpp"

#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

double stretches::sum_of_squares(std::span<const float> window, std::int64_t h,
                                 std::int64_t i) const {
  double sum = 0;
  for (std::int64_t b = first; b <= last(); ++b) {
    const std::int64_t segment = quotient + h * hops - b, j = b * hop + rest + i;
    if (segment < 0 || segment >= segments || j < 0 || j >= n) continue;
    const double w = window[std::size_t(j)];
    sum += w * w;
  }
  return sum;
}

void take_stretches(stretches& s, std::int64_t hops, const engine::machine_spec& machine) {
  const std::int64_t partitions = machine.sbuf.partitions;
  s.hops = hops;
  s.first = 1 - hops - (s.rest > 0 ? 1 : 0);
  s.count = (s.n - 1 - s.rest) / s.hop + 1 - s.first;
  const std::int64_t most =
      s.count <= partitions * hops / 2 + 1 ? (partitions * hops - s.count) / hops + 1 : partitions;
  s.batch = std::min(most, std::max<std::int64_t>(1, s.whole()));
}

stretch_groups::stretch_groups(const stretches& s)
    : whole_(s.whole()),
      batch_(s.batch),
      width_(s.width()),
      full_((whole_ + batch_ - 1) / batch_),
      rest_(s.samples % width_) {
  const auto is_same = [&](std::int64_t i) {
    const stretch_group g = (*this)[i];
    return !s.is_weighted || (s.is_interior(g.first) && s.is_interior(g.first + g.count - 1));
  };
  // The interior begins after the stretches that the first segments overlap.
  const std::int64_t before = s.is_weighted ? std::max<std::int64_t>(0, -s.first_segment(0)) : 0;
  same_begin_ = (before / s.hops + (before % s.hops > 0 ? 1 : 0) + batch_ - 1) / batch_;
  same_begin_ = std::min(same_begin_, count());
  same_end_ = s.is_weighted ? std::min(count(), s.interior_end() / batch_ + 2) : count();
  while (same_end_ > same_begin_ && !is_same(same_end_ - 1)) --same_end_;
  same_end_ = std::max(same_begin_, same_end_);
}

stretch_group stretch_groups::operator[](std::int64_t index) const {
  const bool is_rest = index == full_;
  const std::int64_t first = is_rest ? whole_ : index * batch_;
  stretch_group g{.first = first,
                  .count = is_rest ? 1 : std::min(batch_, whole_ - first),
                  .width = is_rest ? rest_ : width_};
  if (index >= same_begin_ && index < same_end_) return g;
  const auto stretches_before = [&](std::int64_t group) {
    return std::min(group * batch_, whole_);
  };
  g.weights = 1 + stretches_before(index);
  if (index >= same_end_) g.weights -= stretches_before(same_end_) - stretches_before(same_begin_);
  return g;
}

std::int64_t stretch_groups::weight_rows() const {
  std::int64_t rows = 1;
  each_of_other_weights([&](const stretch_group& g) {
    if (g.weights > 0) rows += g.count;
  });
  return rows;
}

void fill_weights(const table_writer& table, const stretches& s, std::span<const float> window) {
  const auto row = [&](std::int64_t at, std::int64_t h, std::int64_t width) {
    for (std::int64_t i = 0; i < width; ++i)
      if (const double sum = s.sum_of_squares(window, h, i); sum > 0) table.put(at, i, 1 / sum);
  };
  stretch_groups(s).each_of_other_weights([&](const stretch_group& g) {
    if (g.weights == 0)
      row(0, g.first, s.width());
    else
      for (std::int64_t h = 0; h < g.count; ++h) row(g.weights + h, g.first + h, g.width);
  });
}

namespace {

// The first sample of a stretch, up to `width`, that is not covered, or -1.
std::int64_t uncovered(const stretches& r, std::span<const float> window, double least,
                       std::int64_t stretch, std::int64_t width) {
  for (std::int64_t i = 0; i < width; ++i)
    if (!(r.sum_of_squares(window, stretch, i) > least)) return stretch * r.width() + i;
  return -1;
}

}  // namespace

void require_covered(const char* name, const stretches& r, std::span<const float> window,
                     std::int64_t first) {
  double largest = 0;
  for (const float w : window) largest = std::max(largest, double(w) * double(w));
  const std::int64_t stretch = r.width();
  for (std::int64_t h = 0; h * stretch < r.samples; ++h) {
    const std::int64_t width = std::min(stretch, r.samples - h * stretch);
    const std::int64_t sample = uncovered(r, window, 1e-10 * largest, h, width);
    if (sample >= 0)
      throw invalid_argument(
          base_detail::message(name, ": sample ", first + sample,
                               " is not covered: its sum of squared window weights is at most "
                               "1e-10 of the largest, ",
                               largest));
    // All stretches of the interior have the same sums: one is checked.
    if (r.is_interior(h) && width == stretch) h = std::max(h, r.interior_end() - 1);
  }
}

}  // namespace papilio::kernels_detail
