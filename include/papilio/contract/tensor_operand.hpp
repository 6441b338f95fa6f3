#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "papilio/base/tensor.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/contract/einsum_options.hpp"
#include "papilio/dispatch/resident.hpp"

namespace papilio::contract_detail {

template <class Operand>
concept tensor_operand =
    requires { typename std::remove_cvref_t<Operand>::value_type; } &&
    blas_detail::is_element<blas_detail::element_of<Operand>> &&
    std::is_convertible_v<const Operand&, tensor_view<const blas_detail::element_of<Operand>>>;

template <class T>
struct real_of {
  using type = T;
};
template <class T>
struct real_of<std::complex<T>> {
  using type = T;
};

// The type that holds all of them exactly: double if one is, complex if one is.
template <class... T>
struct common_element {
  using real =
      std::conditional_t<(std::is_same_v<typename real_of<T>::type, double> || ...), double, float>;
  using type = std::conditional_t<(std::is_floating_point_v<T> && ...), real, std::complex<real>>;
};

/// An operand as elements of T: a view of it, or a converted copy.
template <class T>
class converted_operand {
 public:
  template <class Operand>
  explicit converted_operand(const Operand& operand) {
    using From = blas_detail::element_of<Operand>;
    const tensor_view<const From> from = operand;
    if constexpr (std::is_same_v<From, T>) {
      view_ = from;
    } else {
      copy_ = tensor<T>(from.extents(), uninitialized);
      T* to = copy_.data();
      if (!copy_.empty()) convert(from, 0, from.data(), to);
      view_ = std::as_const(copy_).view();
    }
  }
  // A copy's view would be of the other's elements.
  converted_operand(converted_operand&&) noexcept = default;
  converted_operand& operator=(converted_operand&&) noexcept = default;

  const tensor_view<const T>& view() const { return view_; }

 private:
  template <class From>
  static void convert(const tensor_view<const From>& v, std::size_t axis, const From* from,
                      T*& to) {
    if (axis == v.rank()) {
      *to++ = T(*from);
      return;
    }
    for (std::size_t i = 0; i < v.extent(axis); ++i)
      convert(v, axis + 1, from + static_cast<std::ptrdiff_t>(i) * v.stride(axis), to);
  }

  tensor<T> copy_;
  tensor_view<const T> view_;
};

template <class Operand>
struct resident_traits : std::false_type {};
template <class T, std::size_t Rank>
struct resident_traits<resident<T, Rank>> : std::true_type {
  using element = T;
};

template <class T>
inline constexpr bool is_options = std::is_same_v<T, einsum_options>;

template <class... T>
struct element_of_all {};
template <class First, class... Rest>
struct element_of_all<First, Rest...> {
  static_assert(!is_options<First>, "einsum takes at least one operand, and options after them");
  static_assert(tensor_operand<First>,
                "operands are views, arrays or tensors of float, double or their complex types");
  using type = typename common_element<blas_detail::element_of<First>,
                                       typename element_of_all<Rest...>::type>::type;
};
template <class Last>
struct element_of_all<Last> {
  static_assert(tensor_operand<Last>,
                "operands are views, arrays or tensors of float, double or their complex types");
  using type = blas_detail::element_of<Last>;
};
template <class Last>
struct element_of_all<Last, einsum_options> : element_of_all<Last> {};

/// The type that holds all operands; options may follow them.
template <class... Arguments>
using operands_element = typename element_of_all<Arguments...>::type;

/// Calls `call` with the operands as elements of T, and the options that may follow them.
template <class T, class Call, class... Arguments>
auto with_operands(Call&& call, const Arguments&... arguments) {
  const auto all = std::tie(arguments...);
  constexpr std::size_t last = sizeof...(Arguments) - 1;
  constexpr bool has_options = is_options<std::tuple_element_t<last, std::tuple<Arguments...>>>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const std::tuple held{converted_operand<T>(std::get<I>(all))...};
    const std::array views{std::get<I>(held).view()...};
    const std::span<const tensor_view<const T>> operands(views);
    if constexpr (has_options)
      return call(operands, std::get<last>(all));
    else
      return call(operands, einsum_options{});
  }(std::make_index_sequence < has_options ? last : last + 1 > ());
}

}  // namespace papilio::contract_detail
