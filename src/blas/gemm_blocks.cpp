#include "papilio/blas/gemm.hpp"

#include <complex>

#include "blas/gemm_check.hpp"

namespace papilio {

template <class T>
std::size_t gemm_block_count(std::size_t m, std::size_t n, std::size_t k) {
  return blas_detail::seen_block_count<T>(m, n, k);
}

template <class T>
void gemm_for_blocks(T alpha, view<const T, 2> a, view<const T, 2> b,
                     function_ref<void(const gemm_block<T>&)> visit, const gemm_options& options) {
  blas_detail::gemm_product<T> product{alpha, T(0), {a, options.a}, {b, options.b}, {}, 1, false};
  product.c.rows = product.a.rows;
  product.c.columns = product.b.columns;
  blas_detail::check_shapes("gemm_for_blocks", product);
  blas_detail::check_threads("gemm_for_blocks", options.threads);
  blas_detail::ready_product<T> ready(product, blas_detail::blocks_seen::yes);
  run(std::span(&ready, 1), options.threads, &visit);
}

template <class T>
void blas_detail::gemm_then(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
                            function_ref<void(const gemm_block<T>&)> finish,
                            const gemm_options& options) {
  constexpr const char* who = "gemm_epilogue";
  const gemm_product<T> product{alpha, beta, {a, options.a}, {b, options.b}, c, 1, true};
  check_shapes(who, product);
  check_threads(who, options.threads);
  check_memory(who, a, b, c);
  ready_product<T> ready(product, blocks_seen::yes);
  run(std::span(&ready, 1), options.threads, &finish);
}

#define PAPILIO_INSTANTIATE(T)                                                                 \
  template PAPILIO_API std::size_t gemm_block_count<T>(std::size_t, std::size_t, std::size_t); \
  template PAPILIO_API void gemm_for_blocks(T, view<const T, 2>, view<const T, 2>,             \
                                            function_ref<void(const gemm_block<T>&)>,          \
                                            const gemm_options&);                              \
  template PAPILIO_API void blas_detail::gemm_then(                                            \
      T, view<const T, 2>, view<const T, 2>, T, view<T, 2>,                                    \
      function_ref<void(const gemm_block<T>&)>, const gemm_options&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio
