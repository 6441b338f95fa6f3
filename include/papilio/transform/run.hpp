#pragma once

#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/untyped_view.hpp"
#include "papilio/base/view.hpp"
#include "papilio/transform/arguments.hpp"
#include "papilio/transform/array_like.hpp"
#include "papilio/transform/options.hpp"
#include "papilio/transform/transform_plan.hpp"

namespace papilio::transform_detail {

/// What every transform hands on: who speaks, and how it is to be planned and run.
struct call {
  const char* function;
  effort plan_effort;
  const execution& on;
};

/// Plans (through the cache) and executes along one axis.
template <class In, class Out, std::size_t Rank>
void run_line(const call& c, fft_kind kind, fft_scaling scaling, std::size_t n, std::size_t axis,
              view<const In, Rank> in, view<Out, Rank> out, int trigonometric_type = 0) {
  const transform_plan plan(c.function,
                            line_problem{kind, real_type_of<typename element<Out>::real>, scaling,
                                         n, trigonometric_type, c.plan_effort == effort::measure},
                            c.on, in.extents(), axis);
  plan.execute(c.function, untyped_view<const void>(in), untyped_view<void>(out),
               static_cast<std::ptrdiff_t>(axis));
}

/// Over distinct axes of an array whose real (or complex) side has these extents. Arrays without
/// elements are left alone: there is no problem of extent 0.
template <class In, class Out, std::size_t Rank>
void run_grid(const call& c, fft_kind kind, fft_scaling scaling, const extents_type<Rank>& extents,
              const std::vector<std::size_t>& axes, view<const In, Rank> in, view<Out, Rank> out) {
  if (axes.size() == 1) return run_line(c, kind, scaling, extents[axes[0]], axes[0], in, out);
  fft_problem problem;
  problem.kind = kind;
  problem.scaling = scaling;
  problem.extents.assign(extents.begin(), extents.end());
  problem.axes = axes;
  problem.type = real_type_of<typename element<Out>::real>;
  problem.measured = c.plan_effort == effort::measure;
  if (out.empty()) {
    for (std::size_t& e : problem.extents) e = e == 0 ? 1 : e;
    transform_plan(c.function, problem, c.on, problem.extents, 0);
    return;
  }
  const transform_plan plan(c.function, problem, c.on, in.extents(), 0);
  plan.execute(c.function, untyped_view<const void>(in), untyped_view<void>(out), 0);
}

/// Bins n/2 + 1 ... n - 1 of each line along `axis` from bins 1 ... n/2 of a spectrum with
/// X[n - k] = conj(X[k]); with `conjugate`, of the conjugate spectrum, in place. T is float, double
/// or long double.
template <class T>
PAPILIO_API void complete_hermitian(const untyped_view<void>& spectrum, std::size_t axis,
                                    bool conjugate, int threads);

}  // namespace papilio::transform_detail
