#include "papilio/decompose/randomized_svd.hpp"

#include <algorithm>

#include "decompose/mode_product.hpp"
#include "decompose/prepared_operand.hpp"
#include "decompose/random_normal.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio::decompose_detail {
namespace {

using base_detail::message;

template <class T>
array<T, 2> matrix_product(view<const T, 2> a, view<const T, 2> b, int threads) {
  array<T, 2> result({a.extent(0), b.extent(1)}, uninitialized);
  gemm(T(1), a, b, T(0), result, {.threads = threads});
  return result;
}

// Orthonormal [m, columns], whose range has nearly that of a.
template <class T>
array<T, 2> range_of(view<const T, 2> a, std::size_t columns,
                     const randomized_svd_options& options) {
  array<T, 2> random({a.extent(1), columns}, uninitialized);
  random_normal(options.seed).fill(random.flat());
  array<T, 2> q = qr(matrix_product<T>(a, random, options.threads)).q;
  for (std::size_t i = 0; i < options.power_iterations; ++i) {
    const array<T, 2> across = qr(matrix_product<T>(transposed(a), q, options.threads)).q;
    q = qr(matrix_product<T>(a, across, options.threads)).q;
  }
  return q;
}

template <class T>
array<T, 2> part(view<const T, 2> m) {
  array<T, 2> result(m.extents(), uninitialized);
  for (std::size_t i = 0; i < m.extent(0); ++i)
    std::copy_n(&m(i, 0), m.extent(1), result.data() + i * m.extent(1));
  return result;
}

}  // namespace

template <class T>
svd_factors<T> randomized_svd(const tensor_view<const T>& a, std::size_t rank,
                              const randomized_svd_options& options) {
  constexpr const char* function = "randomized_svd";
  thread_count(options.threads);
  if (a.rank() != 2)
    throw shape_error(message(function, ": a must be a matrix, got ", a.rank(), " axes"));
  check_shape(function, a.extents());
  const std::size_t most = std::min(a.extent(0), a.extent(1));
  if (rank == 0 || rank > most)
    throw invalid_argument(message(function, ": rank must be from 1 to ", most, ", got ", rank));
  const prepared_operand<T> p = prepare(function, a);
  const view<const T, 2> matrix(p.data, {p.extents[0], p.extents[1]});
  const std::size_t columns = rank + std::min(options.oversampling, most - rank);
  const array<T, 2> q = range_of(matrix, columns, options);
  const view<const T, 2> basis = q;
  const svd_factors<T> small = svd(matrix_product<T>(transposed(basis), matrix, options.threads));
  svd_factors<T> result;
  result.u = matrix_product<T>(basis, small.u.view().slice(1, 0, rank), options.threads);
  result.s = array<T, 1>(rank, uninitialized);
  std::copy_n(small.s.data(), rank, result.s.data());
  scale_back(function, result.s.flat(), p.exponent);
  result.vh = part<T>(small.vh.view().slice(0, 0, rank));
  return result;
}

template PAPILIO_API svd_factors<float> randomized_svd(const tensor_view<const float>&, std::size_t,
                                                       const randomized_svd_options&);
template PAPILIO_API svd_factors<double> randomized_svd(const tensor_view<const double>&,
                                                        std::size_t, const randomized_svd_options&);

}  // namespace papilio::decompose_detail
