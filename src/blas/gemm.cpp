#include "papilio/blas/gemm.hpp"

#include <complex>

#include "blas/gemm_check.hpp"

namespace papilio::blas_detail {

template <class T>
void gemm(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
          const gemm_options& options) {
  const gemm_product<T> product{alpha, beta, {a, options.a}, {b, options.b}, c, 1, true};
  check_shapes("gemm", product);
  check_threads("gemm", options.threads);
  if (run_directly(product, options.threads)) return;
  check_memory("gemm", a, b, c);
  ready_product<T> ready(product);
  run(std::span(&ready, 1), options.threads);
}

#define PAPILIO_INSTANTIATE(T)                                                         \
  template PAPILIO_API void gemm(T, view<const T, 2>, view<const T, 2>, T, view<T, 2>, \
                                 const gemm_options&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail
