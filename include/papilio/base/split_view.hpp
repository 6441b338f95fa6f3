#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "papilio/base/error.hpp"

namespace papilio {

/// Complex vector stored as two real vectors of equal length (planar, "split" complex).
template <class T>
class split_view {
 public:
  constexpr split_view() = default;

  /// shape_error if the parts differ in length.
  constexpr split_view(std::span<T> re, std::span<T> im) : re_(re), im_(im) {
    if (re.size() != im.size())
      throw shape_error(
          base_detail::message("split_view: re has ", re.size(), " elements, im has ", im.size()));
  }

  template <class U>
    requires(!std::is_same_v<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
  constexpr split_view(const split_view<U>& other) : re_(other.re()), im_(other.im()) {}

  constexpr std::span<T> re() const { return re_; }
  constexpr std::span<T> im() const { return im_; }
  constexpr std::size_t size() const { return re_.size(); }

 private:
  std::span<T> re_, im_;
};

}  // namespace papilio
