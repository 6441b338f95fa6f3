#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/dispatch/comparison.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/fft_problem.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio {
namespace transform_detail {

struct built_plan;
struct device_plan;

struct element_type {
  bool is_complex;
  real_type type;
  bool operator==(const element_type&) const = default;
};
/// A line problem without the lists of an fft_problem: what most calls are.
struct line_problem {
  fft_kind kind;
  real_type type;
  fft_scaling scaling;
  std::size_t n;
  int trigonometric_type;
  bool measured;

  PAPILIO_API fft_problem to_problem() const;
};

template <class V>
inline constexpr element_type element_of{false, real_type_of<V>};
template <class T>
inline constexpr element_type element_of<std::complex<T>>{true, real_type_of<T>};

}  // namespace transform_detail

/// A Fourier problem with the backend that runs it: what the transforms make, keep in the plan
/// cache and execute. Immutable, cheap to copy, safe to execute from many threads at once.
///
///   transform_plan plan({.kind = fft_kind::real_forward, .type = real_type_of<float>,
///                        .extents = {1000}});
///   plan.backend();                       // "host"
///   plan.execute(x.view(), spectra.view(), 0);
class PAPILIO_API transform_plan {
 public:
  /// From the plan cache, or built. Under policy::automatic the side is chosen for `lines` lines
  /// along the last axis (of whole arrays: one), and stays whatever is executed.
  /// invalid_argument for a malformed problem, an unknown backend or one that cannot do it;
  /// device_error for a policy that needs an accelerator that is not there or cannot do it.
  explicit transform_plan(const fft_problem& problem, const execution& on = {},
                          std::size_t lines = 1);
  /// The same for lines along `axis` of an array of these extents, n along the axis itself;
  /// `function` speaks in the messages.
  transform_plan(const char* function, const fft_problem& problem, const execution& on,
                 std::span<const std::size_t> extents, std::size_t axis);

  /// The same of a line problem. The host's last plan of a thread is found again without a look
  /// into the cache.
  transform_plan(const char* function, const transform_detail::line_problem& problem,
                 const execution& on, std::span<const std::size_t> extents, std::size_t axis);

  const fft_problem& problem() const;
  /// What will run; never anything else.
  std::string backend() const;
  /// On a device, of the shape that the plan was made for.
  std::string recipe() const;
  /// Of `lines` lines, or arrays. On a device: from the first copy to the last, modelled.
  fft_estimate estimate(std::size_t lines = 1) const;
  /// Both sides for `lines` lines, or arrays: the plan's accelerator and the
  /// host on the plan's threads. `runs` is the plan's side. Errors as papilio::explain.
  comparison explain(std::size_t lines = 1) const;

  /// last_run() then says what ran.
  /// A line problem: every line along `axis` (negative axes count from the end). Others: the array;
  /// axis is not looked at. Any strides in `in`; no two elements of `out` may share an address.
  /// `in` and `out` may be the same view or overlap in any way. Threads as the plan's execution has
  /// them. shape_error if the extents do not fit, invalid_argument if the elements are not of the
  /// problem's type.
  template <class In, class Out, std::size_t Rank>
  void execute(view<In, Rank> in, view<Out, Rank> out, std::ptrdiff_t axis = -1) const {
    require_elements(transform_detail::element_of<std::remove_const_t<In>>,
                     transform_detail::element_of<Out>);
    const view<const std::remove_const_t<In>, Rank> from = in;
    execute("transform_plan::execute", untyped_view<const void>(from), untyped_view<void>(out),
            axis);
  }

  /// The same where rank and elements are known at run time only; elements are of the problem's
  /// type. `function` speaks in the messages.
  void execute(const char* function, const untyped_view<const void>& in,
               const untyped_view<void>& out, std::ptrdiff_t axis) const;

 private:
  void choose(const char* function, const fft_problem& problem, const execution& on,
              std::span<const std::size_t> extents, std::size_t axis);
  void require_elements(transform_detail::element_type in,
                        transform_detail::element_type out) const;

  // One of the two.
  std::shared_ptr<const transform_detail::built_plan> built_;
  std::shared_ptr<const transform_detail::device_plan> device_;
  int threads_;
};

}  // namespace papilio
