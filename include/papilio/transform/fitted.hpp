#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "papilio/base/array.hpp"
#include "papilio/base/view.hpp"
#include "papilio/transform/array_like.hpp"

namespace papilio::transform_detail {

/// to(i...) = f(from(i...)) for every index of `from`, whose extents are at most those of `to`.
template <class From, class To, std::size_t Rank, class Function>
void assign_each(view<const From, Rank> from, view<To, Rank> to, const Function& f) {
  for (std::size_t i = 0; i < from.extent(0); ++i)
    if constexpr (Rank == 1)
      to[i] = f(from[i]);
    else
      assign_each<From, To, Rank - 1>(from[i], to[i], f);
}

/// `v` as To: an integer or bool as the number it is, a real with imaginary part 0.
template <class To, class From>
To converted(const From& v) {
  if constexpr (std::is_same_v<To, From> || !element<To>::is_complex)
    return static_cast<To>(v);
  else if constexpr (element<From>::is_complex)
    return {static_cast<typename To::value_type>(v.real()),
            static_cast<typename To::value_type>(v.imag())};
  else
    return {static_cast<typename To::value_type>(v), 0};
}

template <class From, class To, std::size_t Rank>
array<To, Rank> converted_copy(view<const From, Rank> x) {
  array<To, Rank> copy(x.extents());
  assign_each<From, To, Rank>(x, copy.view(), [](const From& v) { return converted<To>(v); });
  return copy;
}

template <std::size_t Rank>
extents_type<Rank> with_extent(extents_type<Rank> extents, std::size_t axis, std::size_t n) {
  extents[axis] = n;
  return extents;
}

/// The part of x below `extents`.
template <class V, std::size_t Rank>
view<const V, Rank> cut(view<const V, Rank> x, const extents_type<Rank>& extents) {
  for (std::size_t axis = 0; axis < Rank; ++axis)
    x = x.slice(axis, 0, std::min(x.extent(axis), extents[axis]));
  return x;
}

/// x as an array of To with these extents: cut, and zeros after it. x itself where that serves.
template <class To, std::size_t Rank>
class fitted {
 public:
  template <class From>
  fitted(view<const From, Rank> x, const extents_type<Rank>& extents) {
    const papilio::view<const From, Rank> part = cut(x, extents);
    if constexpr (std::is_same_v<From, To>) {
      if (part.extents() == extents) {
        view_ = part;
        return;
      }
    }
    copy_ = array<To, Rank>(extents);
    assign_each<From, To, Rank>(part, copy_.view(), [](const From& v) { return converted<To>(v); });
    view_ = std::as_const(copy_).view();
  }
  fitted(const fitted&) = delete;
  fitted& operator=(const fitted&) = delete;

  papilio::view<const To, Rank> view() const { return view_; }

 private:
  array<To, Rank> copy_;
  papilio::view<const To, Rank> view_;
};

}  // namespace papilio::transform_detail
