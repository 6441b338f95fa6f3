#include "blas/shared_memory.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "papilio/base/overlap.hpp"

namespace papilio::blas_detail {
namespace {

using base_detail::byte_range;

constexpr std::size_t most_levels = 6;
constexpr int most_steps = 4096;

// One stride of either operand, in bytes, and how far each reaches along it.
struct level {
  std::int64_t stride = 0, a = 0, b = 0;  // a, b: extent - 1
};

// The difference of an address of b and one of a is
//   start + sum over levels of stride (j_b - j_a),  0 <= j_a <= level.a, 0 <= j_b <= level.b.
class difference {
 public:
  explicit difference(std::int64_t start, std::int64_t element_bytes)
      : start_(start), bytes_(element_bytes) {}

  bool add(std::int64_t stride, std::int64_t a, std::int64_t b) {
    for (std::size_t l = 0; l < count_; ++l)
      if (levels_[l].stride == stride) {
        levels_[l].a += a;
        levels_[l].b += b;
        return true;
      }
    if (count_ == most_levels) return false;
    // Large strides first, so that few steps of each remain to be tried.
    std::size_t place = count_++;
    for (; place > 0 && levels_[place - 1].stride < stride; --place)
      levels_[place] = levels_[place - 1];
    levels_[place] = {stride, a, b};
    return true;
  }

  // Whether it can be less than an element.
  bool may_vanish() { return search(0, start_); }

 private:
  static std::int64_t floor_divide(std::int64_t x, std::int64_t y) {
    return x / y - (x % y != 0 && x < 0 ? 1 : 0);
  }

  bool search(std::size_t l, std::int64_t distance) {
    if (l == count_) return -bytes_ < distance && distance < bytes_;
    std::int64_t low = 0, high = 0;  // what the smaller strides can add
    for (std::size_t s = l + 1; s < count_; ++s) {
      low -= levels_[s].stride * levels_[s].a;
      high += levels_[s].stride * levels_[s].b;
    }
    const level& here = levels_[l];
    const std::int64_t first =
        std::max(-here.a, -floor_divide(distance + high + bytes_ - 1, here.stride));
    const std::int64_t last =
        std::min(here.b, floor_divide(bytes_ - 1 - low - distance, here.stride));
    for (std::int64_t step = first; step <= last; ++step)
      if (++steps_ > most_steps || search(l + 1, distance + step * here.stride)) return true;
    return false;
  }

  std::int64_t start_, bytes_;
  std::array<level, most_levels> levels_{};
  std::size_t count_ = 0;
  int steps_ = 0;
};

// Adds the axes of an operand, as if all strides were positive; its lowest address is the byte
// range's first.
bool add_axes(difference& d, const element_set& set, bool is_a) {
  for (std::size_t axis = 0; axis < set.extents.size(); ++axis) {
    if (set.extents[axis] <= 1 || set.strides[axis] == 0) continue;
    const std::int64_t stride = set.strides[axis] < 0 ? -set.strides[axis] : set.strides[axis];
    const auto reach = static_cast<std::int64_t>(set.extents[axis] - 1);
    if (!d.add(stride * static_cast<std::int64_t>(set.element_bytes), is_a ? reach : 0,
               is_a ? 0 : reach))
      return false;
  }
  return true;
}

}  // namespace

bool shares_memory(const element_set& a, const element_set& b) {
  const byte_range at_a = base_detail::reach(a.data, a.element_bytes, a.extents, a.strides);
  const byte_range at_b = base_detail::reach(b.data, b.element_bytes, b.extents, b.strides);
  if (!at_a.overlaps(at_b)) return false;
  if (a.element_bytes != b.element_bytes) return true;
  difference d(static_cast<std::int64_t>(at_b.first - at_a.first),
               static_cast<std::int64_t>(a.element_bytes));
  return !add_axes(d, a, true) || !add_axes(d, b, false) || d.may_vanish();
}

}  // namespace papilio::blas_detail
