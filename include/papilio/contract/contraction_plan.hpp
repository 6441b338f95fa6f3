#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/contract/expression.hpp"
#include "papilio/contract/path.hpp"
#include "papilio/dispatch/device_array.hpp"

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

/// Holds an operand as elements of T: a view of it, or a converted copy.
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
struct device_array_traits : std::false_type {};
template <class T, std::size_t Rank>
struct device_array_traits<device_array<T, Rank>> : std::true_type {
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

/// Names the type that holds all operands; options may follow them.
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

namespace papilio {

namespace contract_detail {
class lowered_plan;
}
struct contraction_sharing;

/// Describes one pairwise contraction of a plan (or the permutation of a single operand). Estimates
/// cover all slices; nothing is measured.
struct contraction_step {
  std::string expression;   ///< "ij,jk->ik", in the letters of the whole
  std::string kind;         ///< gemm, batched gemm, dot, outer, elementwise, permutation
  std::string how;          ///< sizes, transposes and copies, or the device's design
  double macs = 0;          ///< product of the sizes of its labels
  double flops = 0;         ///< twice that if a label is summed
  double bytes = 0;         ///< read and written, copies included
  double elements = 0;      ///< of the result, in one slice
  double host_seconds = 0;  ///< estimated by the host's model
  /// Modelled seconds on the accelerator that the execution names, within the one program of all
  /// steps, which may overlap; 0 without one, or if it cannot run them.
  double device_seconds = 0;
  std::string backend;  ///< "host" or "device", the same for all steps
};

/// Describes how an einsum is computed: its network, the order of its steps, and how each is
/// lowered to BLAS. Immutable, thread-safe, and cheap to copy (copies share).
class PAPILIO_API contraction_plan {
 public:
  explicit contraction_plan(std::shared_ptr<const contract_detail::lowered_plan> plan)
      : plan_(std::move(plan)) {}

  const einsum_expression& expression() const;
  const contraction_path& path() const;
  /// Returns the extents of the result.
  std::vector<std::size_t> extents() const;
  std::vector<contraction_step> steps() const;
  /// Returns the bytes that an execution needs for intermediates and copies.
  std::size_t workspace_bytes() const;
  /// Returns "host" or "device".
  std::string backend() const;
  /// Returns modelled seconds on the accelerator that the execution names, for one launch with
  /// operands from the host and the result copied back; 0 without one, or if it cannot run it.
  double device_seconds() const;
  /// Returns lines of text: the whole, then each step, with FLOPs, bytes, the largest intermediate
  /// and seconds on the host and the accelerator.
  std::string report() const;

  /// Computes the result for operands of the planned extents; other strides are lowered anew.
  /// Throws shape_error for other extents, invalid_argument if T is not the plan's element type,
  /// device_error if the plan's accelerator is gone.
  template <class T>
  tensor<T> execute(std::span<const tensor_view<const T>> operands) const;
  /// Computes out = alpha sum(products) + beta out into existing memory. Throws as execute, and for
  /// `out` as einsum_into.
  template <class T>
  void execute_into(const tensor_view<T>& out, std::span<const tensor_view<const T>> operands,
                    T alpha = 1, T beta = 0) const;

  /// Returns the number of slices that execute() adds up, one after the other: the product of the
  /// extents of path().sliced, 1 without any.
  std::size_t slices() const;
  /// Computes the slices first <= k < last alone, in an array of the whole result's extents, of zeros
  /// where none of them reaches. Parts of the range, by any processes, add up to the result; all of
  /// it has the bits of execute(), and so have the sums of equal parts in the same order, whoever
  /// computed them.
  ///
  ///   tensor<double> mine = plan.execute_slices<double>(0, plan.slices() / 2, operands);
  ///
  /// Throws as execute, and invalid_argument unless first <= last <= slices(), or if the plan runs on
  /// an accelerator, in one launch.
  template <class T>
  tensor<T> execute_slices(std::size_t first, std::size_t last,
                           std::span<const tensor_view<const T>> operands) const;

  /// Computes the result of device arrays of one type, plan.execute<2>(a, b), on their accelerator
  /// in one launch, whatever the plan's policy. The result, of Rank axes (at least one), stays
  /// there; inside capture() the launch is part of its one dispatch.
  /// Throws shape_error for other extents than planned or another Rank than the result's;
  /// invalid_argument for operands of another type, on two accelerators, or on another than the
  /// plan names; device_error if an accelerator is gone or lacks the plan's precision.
  template <std::size_t Rank, class First, class... Rest>
    requires(contract_detail::device_array_traits<First>::value)
  auto execute(const First& first, const Rest&... rest) const {
    static_assert(Rank > 0, "a device array has at least one axis");
    using T = typename contract_detail::device_array_traits<First>::element;
    static_assert((std::is_same_v<typename Rest::value_type, T> && ...),
                  "operands on an accelerator are all real or all complex");
    constexpr const char* function = "contraction_plan::execute";
    const std::vector<shared_tensor> operands{first.tensor(function), rest.tensor(function)...};
    return device_array<T, Rank>(execute_device_arrays(operands, Rank));
  }

  /// Returns the plans of the gradients of a real loss L by each operand. That of operand i takes
  /// the gradient by the result, then the other operands in their order, and last, if only operand
  /// i has some labels, a 1 repeated along them; it conjugates so that a complex gradient is
  /// dL/dRe + i dL/dIm, as in torch.autograd. Its result has each label of operand i once. The
  /// steps follow this plan's path from its result to the operand, so that the plans have this
  /// plan's intermediates and those of their way down in common: together, three times its FLOPs at
  /// most for pairs, whatever the number of operands.
  /// Throws invalid_argument if this plan is sliced.
  std::vector<contraction_plan> gradients() const;

  /// Computes the gradients by all operands, in their extents, from the gradient by the result, by
  /// contract_many, in which the plans of gradients() share their steps; on an accelerator in one
  /// launch. An operand's diagonal gets the gradient of a repeated label, a broadcast axis its sum.
  /// Throws shape_error and invalid_argument as execute and gradients.
  template <class T>
  std::vector<tensor<T>> vjp(const tensor_view<const T>& gradient,
                             std::span<const tensor_view<const T>> operands,
                             contraction_sharing* sharing = nullptr) const;
  /// Computes them of device arrays, in one launch; they stay there.
  /// Throws also invalid_argument if an operand repeats or broadcasts a label, or alone has it.
  template <class T>
  std::vector<device_ndarray<T>> vjp(const device_ndarray<T>& gradient,
                                     std::span<const device_ndarray<T>> operands,
                                     contraction_sharing* sharing = nullptr) const;

  const std::shared_ptr<const contract_detail::lowered_plan>& lowered() const { return plan_; }

 private:
  shared_tensor execute_device_arrays(std::span<const shared_tensor> operands,
                                      std::size_t rank) const;

  std::shared_ptr<const contract_detail::lowered_plan> plan_;
};

namespace contract_detail {
template <class T>
PAPILIO_API contraction_plan plan(const char* function, std::string_view subscripts,
                                  std::span<const tensor_view<const T>> operands,
                                  const einsum_options& options);
template <class T>
PAPILIO_API contraction_plan plan(const char* function, const einsum_labels& labels,
                                  std::span<const tensor_view<const T>> operands,
                                  const einsum_options& options);
}  // namespace contract_detail

/// Returns the plan of einsum(subscripts, operands..., options), from the cache if it is there.
/// Only the operands' extents and strides are read. A plan computes in its operands' type; labels
/// may be numbers.
/// Throws as einsum, and invalid_argument for alpha and beta (execute_into has them), rounding, and
/// a precision that native does not meet.
template <class... Arguments>
contraction_plan plan_contraction(std::string_view subscripts, const Arguments&... arguments) {
  using T = contract_detail::operands_element<Arguments...>;
  return contract_detail::with_operands<T>(
      [&](std::span<const tensor_view<const T>> operands, const einsum_options& options) {
        return contract_detail::plan<T>("plan_contraction", subscripts, operands, options);
      },
      arguments...);
}

template <class... Arguments>
contraction_plan plan_contraction(const einsum_labels& labels, const Arguments&... arguments) {
  using T = contract_detail::operands_element<Arguments...>;
  return contract_detail::with_operands<T>(
      [&](std::span<const tensor_view<const T>> operands, const einsum_options& options) {
        return contract_detail::plan<T>("plan_contraction", labels, operands, options);
      },
      arguments...);
}

/// Returns the plan for a list of operands.
template <class T>
contraction_plan plan_contraction(std::string_view subscripts,
                                  std::span<const tensor_view<const T>> operands,
                                  const einsum_options& options = {}) {
  return contract_detail::plan<T>("plan_contraction", subscripts, operands, options);
}

/// Bounds the cache of contraction plans.
struct contraction_cache_bound {
  std::size_t plans = 512;
  std::size_t bytes = std::size_t{256} << 20;  ///< of memory that plans keep for executions
};

/// Counts cache events since the program began, and what is held now.
struct contraction_cache_counts {
  std::size_t hits = 0;
  std::size_t misses = 0;     ///< plans made
  std::size_t evictions = 0;  ///< plans dropped to make room
  std::size_t plans = 0;
  std::size_t bytes = 0;
};

/// Reports the cache in which einsum and plan_contraction keep their plans, keyed by all that
/// decides them: subscripts, element type, extents and strides of operands and result, conjugates,
/// the search and its options, rounding and execution. The least recently used plans are dropped
/// first. Thread-safe; two threads that need the same new plan at once may both make it, and one is
/// kept.
PAPILIO_API contraction_cache_counts contraction_cache_statistics();
PAPILIO_API contraction_cache_bound contraction_cache_limit();
/// Sets the limit and drops at once what is beyond it. If either bound is 0, nothing is kept.
PAPILIO_API void set_contraction_cache_limit(contraction_cache_bound bound);
PAPILIO_API void clear_contraction_cache();

}  // namespace papilio
