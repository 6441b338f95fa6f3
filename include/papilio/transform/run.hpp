#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/dispatch/comparison.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/transform/candidate.hpp"
#include "papilio/transform/options.hpp"

// Rules of numpy.fft for axes and lengths. Errors name `function`.
namespace papilio::transform_detail {

/// Returns the axis counted from the front. Throws invalid_argument unless -rank <= axis < rank.
PAPILIO_API std::size_t checked_axis(const char* function, std::ptrdiff_t axis, std::size_t rank);

/// Returns n, or `extent` if it is not given. Throws invalid_argument unless it is at least 1.
PAPILIO_API std::size_t checked_length(const char* function, std::optional<std::ptrdiff_t> n,
                                       std::size_t extent);

/// Returns n, or 2 (bins - 1) if it is not given. Throws invalid_argument unless it is at least 1.
PAPILIO_API std::size_t checked_real_length(const char* function, std::optional<std::ptrdiff_t> n,
                                            std::size_t bins);

/// Axes of a transform along several axes, counted from the front, and the length along each.
struct grid_axes {
  std::vector<std::size_t> axes, lengths;
  bool is_repeated = false;  ///< some axis is there twice
};

/// Resolves the s and axes of fftn. `default_axes` stands for axes that are not given. From a half
/// spectrum the length along the last axis is 2 (bins - 1) unless s is given.
/// Throws invalid_argument for an axis out of range, s and axes of unlike sizes, a length below 1.
PAPILIO_API grid_axes checked_grid(const char* function, const index_list& s,
                                   const index_list& axes, const index_list& default_axes,
                                   std::span<const std::size_t> extents, bool from_half_spectrum);

/// Throws invalid_argument unless there is an axis.
PAPILIO_API void require_an_axis(const char* function, const grid_axes& grid);

/// Normalization under which the other direction has this one's factor.
PAPILIO_API normalization swapped(normalization norm);

/// Throws shape_error unless the extents are equal.
PAPILIO_API void require_extents(const char* function, const char* argument,
                                 std::span<const std::size_t> got,
                                 std::span<const std::size_t> expected);

/// Throws shape_error unless out has these extents and no two of its elements can share an address.
template <class T, std::size_t Rank>
void require_out(const char* function, const view<T, Rank>& out,
                 const extents_type<Rank>& expected) {
  require_extents(function, "out", out.extents(), expected);
  base_detail::require_distinct(function, out);
}

}  // namespace papilio::transform_detail

namespace papilio {
namespace transform_detail {

struct built_plan;
struct device_plan;

struct element_type {
  bool is_complex;
  real_type type;
  bool operator==(const element_type&) const = default;
};
/// Description of a transform without its array.
struct transform_form {
  fft_kind kind;
  direction dir;
  normalization norm;  ///< one of those with the same factor
  int trigonometric_type;
  bool adjoint;

  transform_form(fft_kind of_kind, direction of_dir, normalization of_norm, int type = 0,
                 bool is_adjoint = false)
      : kind(of_kind),
        dir(of_dir),
        norm(of_norm != normalization::none                 ? of_norm
             : (of_dir == direction::forward) != is_adjoint ? normalization::backward
                                                            : normalization::forward),
        trigonometric_type(type),
        adjoint(is_adjoint) {}
  bool operator==(const transform_form&) const = default;
};

/// Line problem without the lists of an fft_problem, as most calls need it.
struct line_problem {
  transform_form form;
  real_type type;
  std::size_t n;
  bool measured;

  PAPILIO_API fft_problem to_problem() const;
};

template <class V>
inline constexpr element_type element_of{false, real_type_of<V>};
template <class T>
inline constexpr element_type element_of<std::complex<T>>{true, real_type_of<T>};

}  // namespace transform_detail

/// Fourier problem with the backend that runs it, which the transforms build, keep in the plan
/// cache and execute. Immutable, cheap to copy, and safe to execute from many threads.
///
///   transform_plan plan({.kind = fft_kind::real, .type = real_type_of<float>,
///                        .extents = {1000}});
///   plan.backend();                       // "host"
///   plan.execute(x.view(), spectra.view(), 0);
class PAPILIO_API transform_plan {
 public:
  /// Takes the plan from the plan cache, or builds it. policy::automatic chooses host or device for
  /// `lines` lines along the last axis (of whole arrays: one), once for all executions.
  /// Throws invalid_argument for a malformed problem, an unknown backend or one that cannot do it;
  /// device_error for a policy that needs an accelerator that is not there or cannot do it.
  explicit transform_plan(const fft_problem& problem, const execution& on = {},
                          std::size_t lines = 1);
  /// Plans lines along `axis` of an array of these extents, n along it; messages name `function`.
  transform_plan(const char* function, const fft_problem& problem, const execution& on,
                 std::span<const std::size_t> extents, std::size_t axis);

  /// Plans a line problem. The host's last plan of a thread is found without a look into the cache.
  transform_plan(const char* function, const transform_detail::line_problem& problem,
                 const execution& on, std::span<const std::size_t> extents, std::size_t axis);

  const fft_problem& problem() const;
  /// Name of the backend that every execution uses.
  std::string backend() const;
  /// Recipe that runs; on a device that of the shape that the plan was made for.
  std::string recipe() const;
  /// Estimates `lines` lines, or arrays. On a device: from the first copy to the last, modelled.
  fft_estimate estimate(std::size_t lines = 1) const;
  /// Compares, for `lines` lines or arrays, the plan's accelerator and the host on the plan's
  /// threads. `runs` is where the plan runs. Throws as papilio::explain.
  comparison explain(std::size_t lines = 1) const;

  /// Transforms every line along `axis` (line problems; negative axes count from the end), or the
  /// array (others; axis is ignored). Any strides in `in`; no two elements of `out` may share an
  /// address. `in` and `out` may be the same view or overlap in any way. Threads are those of the
  /// plan's execution, or one for fewer than 32768 elements of `out`. See recorded().
  /// Throws shape_error if the extents do not fit, invalid_argument for elements of another type.
  template <class In, class Out, std::size_t Rank>
  void execute(view<In, Rank> in, view<Out, Rank> out, std::ptrdiff_t axis = -1) const {
    require_elements(transform_detail::element_of<std::remove_const_t<In>>,
                     transform_detail::element_of<Out>);
    const view<const std::remove_const_t<In>, Rank> from = in;
    execute("transform_plan::execute", untyped_view<const void>(from), untyped_view<void>(out),
            axis);
  }

  /// Transforms arrays whose rank and elements are known at run time only; elements are of the
  /// problem's type, which is not checked. Messages name `function`.
  void execute(const char* function, const untyped_view<const void>& in,
               const untyped_view<void>& out, std::ptrdiff_t axis) const;

  /// Transforms arrays whose extents and axis, counted from the front, are known to fit.
  void run(const char* function, const untyped_view<const void>& in, const untyped_view<void>& out,
           std::size_t axis) const;

 private:
  void choose(const char* function, const fft_problem& problem, const execution& on,
              std::span<const std::size_t> extents, std::size_t axis);
  void require_elements(transform_detail::element_type in,
                        transform_detail::element_type out) const;

  // Exactly one of the two is set.
  std::shared_ptr<const transform_detail::built_plan> built_;
  std::shared_ptr<const transform_detail::device_plan> device_;
  int threads_;
};

}  // namespace papilio

namespace papilio::transform_detail {

/// Name of the calling function, for its messages, and how it is to be planned and run.
struct call {
  const char* function;
  effort plan_effort;
  const execution& on;
};

/// Plans (through the cache) and executes along one axis; extents fit.
template <class In, class Out, std::size_t Rank>
void run_line(const call& c, const transform_form& form, std::size_t n, std::size_t axis,
              const view<const In, Rank>& in, const view<Out, Rank>& out) {
  const transform_plan plan(c.function,
                            line_problem{form, real_type_of<typename element<Out>::real>, n,
                                         c.plan_effort == effort::measure},
                            c.on, in.extents(), axis);
  plan.run(c.function, untyped_view<const void>(in), untyped_view<void>(out), axis);
}

/// Transforms over distinct axes; `extents` are the real (or complex) array's. Arrays without
/// elements are left alone, since there is no problem of extent 0.
template <class In, class Out, std::size_t Rank>
void run_grid(const call& c, const transform_form& form, const extents_type<Rank>& extents,
              const std::vector<std::size_t>& axes, const view<const In, Rank>& in,
              const view<Out, Rank>& out) {
  if (axes.size() == 1) return run_line(c, form, extents[axes[0]], axes[0], in, out);
  fft_problem problem{.kind = form.kind,
                      .dir = form.dir,
                      .type = real_type_of<typename element<Out>::real>,
                      .norm = form.norm,
                      .extents = {extents.begin(), extents.end()},
                      .axes = axes,
                      .measured = c.plan_effort == effort::measure,
                      .adjoint = form.adjoint};
  if (out.empty())
    for (std::size_t& e : problem.extents) e = e == 0 ? 1 : e;
  const transform_plan plan(c.function, problem, c.on, problem.extents, 0);
  if (!out.empty()) plan.run(c.function, untyped_view<const void>(in), untyped_view<void>(out), 0);
}

/// Computes bins n/2 + 1 ... n - 1 of each line along `axis`, in place, from bins 1 ... n/2 of a
/// spectrum with X[n - k] = conj(X[k]); with `conjugate`, of the conjugate spectrum. T is float,
/// double or long double.
template <class T>
PAPILIO_API void complete_hermitian(const untyped_view<void>& spectrum, std::size_t axis,
                                    bool conjugate, int threads);

/// Assigns to(i...) = f(from(i...)) for every index of `from`, which is no larger than `to`.
template <class From, class To, std::size_t Rank, class Function>
void assign_each(view<const From, Rank> from, view<To, Rank> to, const Function& f) {
  for (std::size_t i = 0; i < from.extent(0); ++i)
    if constexpr (Rank == 1)
      to[i] = f(from[i]);
    else
      assign_each<From, To, Rank - 1>(from[i], to[i], f);
}

/// Converts `v` to To: an integer or bool to its value, a real to imaginary part 0.
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

/// View of x cut to `extents`.
template <class V, std::size_t Rank>
view<const V, Rank> cut(view<const V, Rank> x, const extents_type<Rank>& extents) {
  for (std::size_t axis = 0; axis < Rank; ++axis)
    x = x.slice(axis, 0, std::min(x.extent(axis), extents[axis]));
  return x;
}

/// View of x as To with these extents, cut or with zeros after it; of x itself if it fits.
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
