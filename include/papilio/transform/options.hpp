#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include "papilio/base/checked.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/fft/options.hpp"

namespace papilio {

/// A list of axes or of lengths, or none given: `.axes = {0, -1}`, `.s = x.extents()`. An empty
/// list that is given is made from an empty range; `{}` means not given.
class index_list {
 public:
  /// Any integer. resource_error if it does not fit.
  struct item {
    std::ptrdiff_t value;
    template <std::integral Integer>
    item(Integer v) : value(checked_cast<std::ptrdiff_t>(v, "index_list")) {}
  };

  index_list() = default;
  index_list(std::initializer_list<item> items) : is_given_(true) {
    for (const item& i : items) values_.push_back(i.value);
  }
  template <std::ranges::input_range Range>
    requires std::integral<std::ranges::range_value_t<Range>>
  index_list(const Range& items) : is_given_(true) {
    for (const auto i : items) values_.push_back(item(i).value);
  }

  bool is_given() const { return is_given_; }
  std::span<const std::ptrdiff_t> values() const { return values_; }

 private:
  bool is_given_ = false;
  std::vector<std::ptrdiff_t> values_;
};

/// Of transforms along one axis, as numpy.fft has them.
struct line_options {
  /// Length of the transform: the axis is cut to it, or zeros are put after it. Not given: the
  /// extent of the axis (irfft, hfft: 2 (extent - 1)).
  std::optional<std::ptrdiff_t> n = {};
  /// Negative axes count from the end.
  std::ptrdiff_t axis = -1;
  normalization norm = normalization::backward;
  /// On a device only effort::estimate: nothing is timed there.
  effort plan_effort = effort::estimate;
  /// Where it runs. A device takes float and complex<float>: x goes up, one launch, the result
  /// comes back. Real x of fft and ifft goes through rfft there too, half the bytes and the work;
  /// the host completes the spectrum. Of a resident x, which is transformed where it lies, `where`
  /// is not looked at.
  execution on = {};
};

/// Of transforms along several axes, as numpy.fft has them.
struct grid_options {
  /// Length for each of `axes`: cut, or zeros put after it; -1 leaves the axis as it is.
  index_list s = {};
  /// Negative axes count from the end. Not given: the last s.size() axes, or all (fft2 and its
  /// like: the last two). An axis given twice is transformed twice.
  index_list axes = {};
  normalization norm = normalization::backward;
  effort plan_effort = effort::estimate;  ///< as in line_options
  /// As in line_options. What takes several steps (an axis that is named twice, more axes than a
  /// kernel has) is still one dispatch; automatic compares the sums.
  execution on = {};
};

}  // namespace papilio
