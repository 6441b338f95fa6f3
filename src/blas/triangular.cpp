#include "papilio/blas/triangular.hpp"

#include <complex>

#include "blas/cblas_calls.hpp"
#include "blas/ordered_operand.hpp"
#include "blas/serial_blas.hpp"
#include "blas/triangle_checks.hpp"

namespace papilio::blas_detail {

template <class T>
void triangular(triangular_use use, T alpha, view<const T, 2> a, view<T, 2> b, matrix_side side,
                const triangular_options& options, int threads) {
  const bool solves = use == triangular_use::solution;
  const char* const who = solves ? "trsm" : "trmm";
  const bool is_left = side == matrix_side::left;
  const std::size_t m = b.extent(0), n = b.extent(1);
  check_triangular(who, a, b, side, threads);
  if (m == 0 || n == 0) return;
  blas_extent(m), blas_extent(n);
  const std::size_t inner = is_left ? m : n, outer = is_left ? n : m;
  const ordered_output<T> out{strided_matrix<T>(b)};
  const ordered_input<T> square(strided_matrix<const T>(a), out.placed().order, true);
  use_serial_blas();
  const int team = threads_for(work_of(inner, inner, outer, weight_of<T>) / 2, threads);
  square.gather(team);
  out.gather(team);
  const auto& s = square.placed();
  const auto uplo = blas_triangle(options.triangle, s.is_turned);
  const auto op = blas_op<T>(options.op, s.is_turned);
  const std::size_t piece = cut_line(inner, outer, weight_of<T>);
  papilio::parallel_for((outer + piece - 1) / piece, team, [&](std::size_t index) {
    const std::size_t first = index * piece, count = std::min(piece, outer - first);
    const auto& to = out.placed();
    const CBLAS_SIDE of_a = blas_side(side);
    const auto diagonal = blas_diagonal(options.diagonal);
    const int rows = static_cast<int>(is_left ? m : count);
    const int columns = static_cast<int>(is_left ? count : n);
    T* const piece_of_b = is_left ? to.at(0, first) : to.at(first, 0);
    if (solves)
      call_trsm(to.order, of_a, uplo, op, diagonal, rows, columns, alpha, s.data, s.pitch,
                piece_of_b, to.pitch);
    else
      call_trmm(to.order, of_a, uplo, op, diagonal, rows, columns, alpha, s.data, s.pitch,
                piece_of_b, to.pitch);
  });
  out.scatter(team);
}

template <class T>
void triangular(triangular_use use, view<const T, 2> a, view<T, 1> x,
                const triangular_options& options) {
  const bool solves = use == triangular_use::solution;
  const char* const who = solves ? "trsv" : "trmv";
  check_square(who, a, x.extent(0));
  base_detail::require_distinct(who, x);
  check_apart(who, "a", a, "x", x);
  if (x.empty()) return;
  const int n = blas_extent(x.extent(0));
  const strided_matrix<const T> square(a);
  if (!has_blas_step(x)) {
    const view<T, 2> column(x.data(), {x.extent(0), 1}, {x.stride(0), 1});
    return triangular(use, T(1), a, column, matrix_side::left, options, 1);
  }
  const ordered_input<T> in(square, order_of(square), false);
  use_serial_blas();
  in.gather(1);
  const auto to = blas_piece(x, 0, x.extent(0));
  const auto& [data, pitch, order, is_turned] = in.placed();
  const auto uplo = blas_triangle(options.triangle, is_turned);
  const auto op = blas_op<T>(options.op, is_turned);
  const auto diagonal = blas_diagonal(options.diagonal);
  if (solves)
    call_trsv(order, uplo, op, diagonal, n, data, pitch, to.lowest, to.step);
  else
    call_trmv(order, uplo, op, diagonal, n, data, pitch, to.lowest, to.step);
}

#define PAPILIO_INSTANTIATE(T)                                                          \
  template PAPILIO_API void triangular(triangular_use, T, view<const T, 2>, view<T, 2>, \
                                       matrix_side, const triangular_options&, int);    \
  template PAPILIO_API void triangular(triangular_use, view<const T, 2>, view<T, 1>,    \
                                       const triangular_options&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail
