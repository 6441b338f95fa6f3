#include <complex>
#include <vector>

#include "blas/lapack_calls.hpp"
#include "blas/lapack_matrix.hpp"
#include "blas/serial_blas.hpp"
#include "papilio/blas/factorization.hpp"

namespace papilio::blas_detail {
namespace {

template <class T>
view<const T, 2> transposed(view<const T, 2> v) {
  return {v.data(), {v.extent(1), v.extent(0)}, {v.stride(1), v.stride(0)}};
}

}  // namespace

// Copies of the transposes are column-major.
template <class T>
array<T, 2> solve(view<const T, 2> a, view<const T, 2> b) {
  constexpr const char* who = "solve";
  const std::size_t n = square_extent(who, a), columns = b.extent(1);
  if (b.extent(0) != n)
    throw shape_error(
        base_detail::message(who, ": a is ", n, " x ", n, ", b is ", b.extent(0), " x ", columns));
  array<T, 2> factors = finite_copy(who, transposed(a));
  array<T, 2> right = finite_copy("solve: b", transposed(b));
  array<T, 2> x({n, columns}, uninitialized);
  if (n == 0 || columns == 0) return x;
  use_serial_blas();
  std::vector<int> pivots(n);
  const int size = static_cast<int>(n);
  const int info = lapack_getrf(size, factors.data(), size, pivots.data());
  check_info(who, info);
  if (info > 0)
    throw invalid_argument(
        base_detail::message(who, ": a is singular: pivot ", info - 1, " is zero"));
  check_info(who, lapack_getrs(size, static_cast<int>(columns), factors.data(), size, pivots.data(),
                               right.data(), size));
  strided_matrix<T> to{x.view()};
  copy_matrix(strided_matrix<const T>(std::as_const(right).view()).transposed(), to);
  return x;
}

#define PAPILIO_INSTANTIATE(T) \
  template PAPILIO_API array<T, 2> solve(view<const T, 2>, view<const T, 2>)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail
