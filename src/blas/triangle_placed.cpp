// Products and systems with triangles where an execution says: the host's, or one launch of an
// accelerator.
#include <algorithm>
#include <complex>
#include <vector>

#include "blas/triangle_checks.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio::blas_detail {
namespace {

using base_detail::message;

template <class T>
triangle_problem of_elements(triangle_function function) {
  constexpr bool is_real = std::is_floating_point_v<T>;
  return {.function = function,
          .is_complex = !is_real,
          .type = sizeof(T) == (is_real ? 1 : 2) * sizeof(float) ? real_type::single_precision
                                                                 : real_type::double_precision};
}

triangle_function function_of(triangular_use use) {
  return use == triangular_use::solution ? triangle_function::trsm : triangle_function::trmm;
}

triangle_problem with(triangle_problem p, matrix_side side, const triangular_options& o) {
  p.side = side;
  p.triangle = o.triangle;
  p.transposed = transposes(o.op);
  p.unit = o.diagonal == matrix_diagonal::unit;
  return p;
}

// The accelerator for it; null: the host. Without elements it is asked for as one with some: what
// an execution cannot have is refused whatever the sizes.
accelerator* place_of(triangle_problem p, const execution& on, bool is_empty) {
  if (dispatch_detail::is_plain_host(on)) return nullptr;
  for (std::size_t* extent : {&p.m, &p.n, &p.k}) *extent = std::max<std::size_t>(*extent, 1);
  accelerator* const device = place(to_string(p.function), p, on, host_roofline());
  return is_empty ? nullptr : device;
}

// Threads are told in one place.
int threads_of(const char* who, int threads, const execution& on) {
  if (threads != 0)
    throw invalid_argument(message(
        who, ": threads are those of the execution, options.threads must be 0, got ", threads));
  check_threads(who, on.threads);
  return on.threads;
}

shared_tensor run_there(const triangle_problem& p, const shared_tensor& a, const shared_tensor& b,
                        const execution& on) {
  const char* const who = to_string(p.function);
  const std::size_t order = p.order();
  if (a->shape().extents != std::vector{order, order})
    throw shape_error(message(who, ": a must be ", order, " x ", order, ", got ",
                              a->shape().extents[0], " x ", a->shape().extents[1]));
  accelerator& there = place_device_array(who, a->on(who), on);
  return run_to_new(who, there, p, on.precision, {a, b}, {b->shape()})[0];
}

}  // namespace

template <class T>
void triangular_placed(triangular_use use, T alpha, view<const T, 2> a, view<T, 2> b,
                       matrix_side side, const triangular_options& options, const execution& on) {
  triangle_problem p = with(of_elements<T>(function_of(use)), side, options);
  const char* const who = to_string(p.function);
  check_triangular(who, a, b, side, on.threads);
  p.m = b.extent(0);
  p.n = b.extent(1);
  p.alpha = std::real(alpha);
  if (accelerator* const device = place_of(p, on, b.empty())) {
    const view<const T, 2> from = b;
    return run_on(who, *device, p, on.precision, {a, from}, {b});
  }
  triangular<T>(use, alpha, a, b, side, options, on.threads);
  dispatch_detail::record_host_run(who);
}

template <class T>
void symm_placed(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
                 const symm_options& options, const execution& on) {
  symm_options there = options;
  there.threads = threads_of("symm", options.threads, on);
  check_symmetric("symm", a, b, c, there);
  triangle_problem p = of_elements<T>(triangle_function::symm);
  p.m = c.extent(0);
  p.n = c.extent(1);
  p.side = options.side;
  p.triangle = options.triangle;
  p.alpha = std::real(alpha);
  p.beta = std::real(beta);
  if (accelerator* const device = place_of(p, on, c.empty())) {
    const view<const T, 2> before = c;
    std::vector<device_input> in{a, b};
    if (p.beta != 0) in.emplace_back(before);
    const device_output out(c);
    return run_on("symm", *device, p, on.precision, in, {&out, 1});
  }
  symm<T>(alpha, a, b, beta, c, there, false);
  dispatch_detail::record_host_run("symm");
}

template <class T>
void syrk_placed(T alpha, view<const T, 2> a, T beta, view<T, 2> c, const syrk_options& options,
                 const execution& on) {
  syrk_options there = options;
  there.threads = threads_of("syrk", options.threads, on);
  triangle_problem p = of_elements<T>(triangle_function::syrk);
  p.transposed = transposes(options.a);
  p.n = a.extent(p.transposed ? 1 : 0);
  p.k = a.extent(p.transposed ? 0 : 1);
  p.triangle = options.triangle;
  p.alpha = std::real(alpha);
  p.beta = std::real(beta);
  check_update("syrk", a, c, p.n, there.threads);
  if (accelerator* const device = place_of(p, on, a.empty())) {
    if constexpr (std::is_same_v<T, float>) {
      const triangle_layout lies = p.layout();
      array<float, 1> packed(static_cast<std::size_t>(lies.elements()), uninitialized);
      if (p.beta != 0) lies.pack(c, packed.flat());
      const view<float, 1> to = packed.view();
      const view<const float, 1> before = to;
      std::vector<device_input> in{a};
      if (p.beta != 0) in.emplace_back(before);
      const device_output out(to);
      run_on("syrk", *device, p, on.precision, in, {&out, 1});
      return lies.unpack(packed.flat(), c);
    }
  }
  syrk<T>(alpha, a, beta, c, there);
  dispatch_detail::record_host_run("syrk");
}

shared_tensor triangular_on_device(triangular_use use, float alpha, const shared_tensor& a,
                                   const shared_tensor& b, matrix_side side,
                                   const triangular_options& options, const execution& on) {
  triangle_problem p = with({.function = function_of(use)}, side, options);
  p.m = b->shape().extents[0];
  p.n = b->shape().extents[1];
  p.alpha = alpha;
  return run_there(p, a, b, on);
}

shared_tensor symm_on_device(float alpha, const shared_tensor& a, const shared_tensor& b,
                             const symm_options& options, const execution& on) {
  threads_of("symm", options.threads, on);
  return run_there({.function = triangle_function::symm,
                    .m = b->shape().extents[0],
                    .n = b->shape().extents[1],
                    .side = options.side,
                    .triangle = options.triangle,
                    .alpha = alpha},
                   a, b, on);
}

#define PAPILIO_INSTANTIATE(T)                                                                   \
  template PAPILIO_API void triangular_placed(triangular_use, T, view<const T, 2>, view<T, 2>,   \
                                              matrix_side, const triangular_options&,            \
                                              const execution&);                                 \
  template PAPILIO_API void symm_placed(T, view<const T, 2>, view<const T, 2>, T, view<T, 2>,    \
                                        const symm_options&, const execution&);                  \
  template PAPILIO_API void syrk_placed(T, view<const T, 2>, T, view<T, 2>, const syrk_options&, \
                                        const execution&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail
