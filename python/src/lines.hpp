#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

namespace papilio::python {

/// Calls visitor(float()) or visitor(double()) for elements that signals are computed in.
template <class Visitor>
auto visit_signal(const element& e, const Visitor& visitor) {
  return e.type == real_type::single_precision ? visitor(float()) : visitor(double());
}

/// Operand of a function of signals. Raises TypeError for complex elements.
inline ndarray real_operand(const char* function, const char* name, nb::handle x) {
  ndarray in = ndarray::in_float_or_double(function, x, name);
  if (in.type().is_complex)
    throw nb::type_error(
        base_detail::message(function, ": ", name, " must be real, got complex numbers").c_str());
  return in;
}

/// Lines of an array [..., kept axes]: its axes before the kept ones, which need not be one step
/// apart. They are visited in blocks that are, in row-major order, and read where they are.
template <class T, std::size_t Kept>
class lines_of {
 public:
  /// Throws shape_error, in the name of `function`, for fewer axes. The array has to outlive this.
  lines_of(const char* function, const ndarray& x, const char* name = "x")
      : data_(static_cast<T*>(x.data())) {
    if (x.rank() < Kept)
      throw shape_error(base_detail::message(function, ": ", name, " must have at least ", Kept,
                                             Kept == 1 ? " axis" : " axes", ", got ", x.rank()));
    const std::size_t before = x.rank() - Kept;
    for (std::size_t i = 0; i < Kept; ++i) {
      extents_[i + 1] = x.extent(before + i);
      strides_[i + 1] = x.strides()[before + i];
    }
    leading_.assign(x.extents().begin(), x.extents().begin() + static_cast<std::ptrdiff_t>(before));
    for (std::size_t i = before; i-- > 0;) add(x.extent(i), x.strides()[i]);
    if (axes_.empty()) axes_.push_back({1, 0});
  }

  std::size_t count() const { return count_; }
  /// Extent of a kept axis.
  std::size_t extent(std::size_t axis) const { return extents_[axis + 1]; }
  /// Extents of the axes before the kept ones, and of a result that has others in their place.
  const std::vector<std::size_t>& leading() const { return leading_; }
  std::vector<std::size_t> with(std::initializer_list<std::size_t> kept) const {
    std::vector<std::size_t> all = leading_;
    all.insert(all.end(), kept);
    return all;
  }

  /// Calls f(lines, first), without the GIL: a view [lines, kept axes] and the index of its first
  /// line.
  template <class Function>
  void each(const Function& f) const {
    if (count_ == 0) return;
    const without_gil released;
    std::size_t first = 0;
    walk(axes_.size() - 1, data_, first, f);
  }

 private:
  struct leading_axis {
    std::size_t extent;
    std::ptrdiff_t stride;
  };

  // From the last leading axis to the first; those that continue another are one with it.
  void add(std::size_t extent, std::ptrdiff_t stride) {
    count_ *= extent;
    if (extent == 1) return;
    if (!axes_.empty() &&
        axes_.back().stride * static_cast<std::ptrdiff_t>(axes_.back().extent) == stride)
      axes_.back().extent *= extent;
    else
      axes_.push_back({extent, stride});
  }
  template <class Function>
  void walk(std::size_t level, T* data, std::size_t& first, const Function& f) const {
    const auto [extent, stride] = axes_[level];
    if (level == 0) {
      extents_type<Kept + 1> extents = extents_;
      strides_type<Kept + 1> strides = strides_;
      extents[0] = extent;
      strides[0] = stride;
      f(view<T, Kept + 1>(data, extents, strides), first);
      first += extent;
      return;
    }
    for (std::size_t i = 0; i < extent; ++i, data += stride) walk(level - 1, data, first, f);
  }

  T* data_;
  std::size_t count_ = 1;
  std::vector<std::size_t> leading_;
  std::vector<leading_axis> axes_;
  extents_type<Kept + 1> extents_{};
  strides_type<Kept + 1> strides_{};
};

/// Lines of a row-major result, extents[0] of them from the one at `first` on.
template <class T, std::size_t Rank>
view<T, Rank> rows_of(const ndarray& out, std::size_t first, const extents_type<Rank>& extents) {
  std::size_t size = 1;
  for (std::size_t i = 1; i < Rank; ++i) size *= extents[i];
  return view<T, Rank>(static_cast<T*>(out.data()) + first * size, extents);
}

/// A line without gaps: itself, or copied to `copy`.
template <class T>
std::span<const T> gapless(view<const T, 1> line, std::vector<T>& copy) {
  if (line.is_contiguous()) return {line.data(), line.size()};
  copy.resize(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) copy[i] = line[i];
  return copy;
}

/// A new object of the class of float or of double.
template <template <class> class Class, class... Arguments>
nb::object made(bool in_double, const Arguments&... arguments) {
  constexpr auto owned = nb::rv_policy::take_ownership;
  return in_double ? nb::cast(new Class<double>(arguments...), owned)
                   : nb::cast(new Class<float>(arguments...), owned);
}

}  // namespace papilio::python
