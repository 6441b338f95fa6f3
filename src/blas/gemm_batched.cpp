#include "papilio/blas/gemm.hpp"

#include <complex>

#include "blas/gemm_check.hpp"

namespace papilio::blas_detail {

template <class T>
void gemm_batched(T alpha, view<const T, 3> a, view<const T, 3> b, T beta, view<T, 3> c,
                  const gemm_options& options) {
  constexpr const char* who = "gemm_batched";
  if (a.extent(0) != c.extent(0) || b.extent(0) != c.extent(0))
    throw shape_error(base_detail::message(who, ": batch of a is ", a.extent(0), ", of b ",
                                           b.extent(0), ", of c ", c.extent(0), "; must be equal"));
  const gemm_product<T> product{alpha, beta, {a, options.a}, {b, options.b}, c, c.extent(0)};
  check_shapes(who, product);
  check_threads(who, options.threads);
  if (c.extent(0) == 1 && run_directly(product, options.threads)) return;
  check_memory(who, a, b, c);
  ready_product<T> ready(product);
  run(std::span(&ready, 1), options.threads);
}

#define PAPILIO_INSTANTIATE(T)                                                                 \
  template PAPILIO_API void gemm_batched(T, view<const T, 3>, view<const T, 3>, T, view<T, 3>, \
                                         const gemm_options&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail
