#include "engine/region.hpp"

#include <array>
#include <cstdlib>
#include <vector>

namespace papilio::engine_detail {
namespace {

std::int64_t modulo(std::int64_t a, std::int64_t b) { return (a % b + b) % b; }

// A pattern is periodic where slower levels step by multiples of a stride that the faster levels do
// not fill: a block of columns of a matrix has the row pitch as its period, and the block's columns
// as its phases.
region of_pattern(std::span<const engine::pattern_dim> dims, std::int64_t offset_bytes,
                  std::int64_t size) {
  if (dims.size() == 1 && dims[0].stride == 1) {
    return {.first_partition = 0,
            .end_partition = 1,
            .lo = offset_bytes,
            .hi = offset_bytes + dims[0].extent * size,
            .period = 0,
            .phase_lo = 0,
            .phase_hi = 0};
  }
  struct level {
    std::int64_t step, extent;
  };
  std::array<level, engine::hbm_view::dims_max> levels{};
  std::size_t count = 0;
  std::int64_t lo = offset_bytes;
  for (const engine::pattern_dim& d : dims) {
    if (d.extent == 1 || d.stride == 0) continue;
    if (d.stride < 0) lo += (d.extent - 1) * d.stride * size;
    const level next{std::abs(d.stride) * size, d.extent};
    std::size_t at = count++;
    for (; at > 0 && levels[at - 1].step > next.step; --at) levels[at] = levels[at - 1];
    levels[at] = next;
  }
  std::int64_t run = size;  // bytes from the first to past the last, over the levels so far
  region result{.first_partition = 0,
                .end_partition = 1,
                .lo = 0,
                .hi = 0,
                .period = 0,
                .phase_lo = 0,
                .phase_hi = 0};
  for (std::size_t i = 0; i < count; ++i) {
    const bool gap = levels[i].step > run;
    if (gap && result.period == 0) {
      result.period = levels[i].step;
      result.phase_hi = run;  // from here the slower levels must be multiples of the period
    } else if (result.period != 0 && levels[i].step % result.period != 0) {
      result.period = result.outer_period = 0;  // not one period: the whole range stands for it
      for (; i < count; ++i) run += (levels[i].extent - 1) * levels[i].step;
      break;
    } else if (gap) {
      result.outer_period = levels[i].step;
      result.outer_hi = run;
    } else if (result.outer_period != 0 && levels[i].step % result.outer_period != 0) {
      result.outer_period = 0;
    }
    run += (levels[i].extent - 1) * levels[i].step;
  }
  result.lo = lo;
  result.hi = lo + run;
  if (result.period != 0) {
    result.phase_lo = modulo(lo, result.period);
    result.phase_hi += result.phase_lo;
  }
  if (result.period == 0) result.phase_lo = result.phase_hi = result.outer_period = 0;
  if (result.outer_period != 0) {
    result.outer_lo = modulo(lo, result.outer_period);
    result.outer_hi += result.outer_lo;
  }
  if (result.outer_period == 0) result.outer_lo = result.outer_hi = 0;
  return result;
}

// Finds the phases of a region within a period; returns false if they may be all of the period.
bool phases(const region& r, std::int64_t period, std::int64_t& lo, std::int64_t& hi) {
  if (r.period == period) {
    lo = r.phase_lo;
    hi = r.phase_hi;
    return true;
  }
  if (r.period != 0 || r.hi - r.lo > period) return false;
  lo = modulo(r.lo, period);
  hi = lo + (r.hi - r.lo);
  return true;
}

// Both parts of the period begin in [0, period) and may continue behind it, at its beginning.
bool parts_overlap(std::int64_t a_lo, std::int64_t a_hi, std::int64_t b_lo, std::int64_t b_hi,
                   std::int64_t period) {
  const auto meet = [&](std::int64_t shift) { return a_lo < b_hi + shift && b_lo + shift < a_hi; };
  return meet(0) || meet(period) || meet(-period);
}

}  // namespace

region region_of(const engine::tile_view& view) {
  region r = of_pattern(view.dims(), view.offset_bytes(), std::int64_t(size_bytes(view.type())));
  r.first_partition = view.partition();
  r.end_partition = view.partition() + view.partitions();
  return r;
}

region region_of(const engine::hbm_view& view) {
  const auto size = std::int64_t(size_bytes(view.type()));
  return of_pattern(view.dims(), view.offset() * size, size);
}

bool is_nested(std::span<const engine::pattern_dim> dims) {
  std::array<engine::pattern_dim, engine::hbm_view::dims_max> levels;
  std::size_t count = 0;
  for (const engine::pattern_dim& d : dims) {
    if (d.extent == 1) continue;
    const engine::pattern_dim next{d.extent, std::abs(d.stride)};
    std::size_t at = count++;
    for (; at > 0 && levels[at - 1].stride > next.stride; --at) levels[at] = levels[at - 1];
    levels[at] = next;
  }
  std::int64_t reach = 1;  // elements from the first to past the last, over the levels so far
  for (std::size_t i = 0; i < count; ++i) {
    if (levels[i].stride < reach) return false;
    reach += (levels[i].extent - 1) * levels[i].stride;
  }
  return true;
}

bool phases_overlap(const region& a, const region& b) {
  if (a.outer_period != 0 && a.outer_period == b.outer_period &&
      !parts_overlap(a.outer_lo, a.outer_hi, b.outer_lo, b.outer_hi, a.outer_period))
    return false;
  const std::int64_t period = a.period != 0 ? a.period : b.period;
  std::int64_t a_lo, a_hi, b_lo, b_hi;
  if (!phases(a, period, a_lo, a_hi) || !phases(b, period, b_lo, b_hi)) return true;
  return parts_overlap(a_lo, a_hi, b_lo, b_hi, period);
}

bool is_injective(std::span<const engine::pattern_dim> dims) {
  if (is_nested(dims)) return true;
  std::int64_t lo = 0, hi = 0, count = 1;
  for (const engine::pattern_dim& d : dims) {
    (d.stride < 0 ? lo : hi) += (d.extent - 1) * d.stride;
    count *= d.extent;
  }
  if (count > hi - lo + 1) return false;
  std::vector<bool> is_met(std::size_t(hi - lo + 1));
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i, at = -lo;
    for (const engine::pattern_dim& d : dims) {
      at += rest % d.extent * d.stride;
      rest /= d.extent;
    }
    if (is_met[std::size_t(at)]) return false;
    is_met[std::size_t(at)] = true;
  }
  return true;
}

}  // namespace papilio::engine_detail
