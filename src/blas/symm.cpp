#include "papilio/blas/symmetric.hpp"

#include <complex>

#include "blas/cblas_calls.hpp"
#include "blas/ordered_operand.hpp"
#include "blas/serial_blas.hpp"
#include "blas/triangle_checks.hpp"

namespace papilio::blas_detail {
template <class T>
void symm(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
          const symm_options& options, bool hermitian) {
  hermitian = hermitian && is_complex<T>;
  check_symmetric(hermitian ? "hemm" : "symm", a, b, c, options);
  const std::size_t m = c.extent(0), n = c.extent(1);
  if (m == 0 || n == 0) return;
  const bool is_left = options.side == matrix_side::left;
  const std::size_t inner = is_left ? m : n, outer = is_left ? n : m;
  blas_extent(m), blas_extent(n);
  // The transpose of a symmetric matrix is itself; of a Hermitian one it is the conjugate.
  const ordered_output<T> out{strided_matrix<T>(c)};
  const ordered_input<T> square(strided_matrix<const T>(a), out.placed().order, !hermitian);
  const ordered_input<T> other(strided_matrix<const T>(b), out.placed().order, false);
  use_serial_blas();
  const int team = threads_for(work_of(inner, inner, outer, weight_of<T>), options.threads);
  square.gather(team);
  other.gather(team);
  if (beta != T(0)) out.gather(team);
  const std::size_t piece = cut_line(inner, outer, weight_of<T>);
  const auto uplo = blas_triangle(options.triangle, square.placed().is_turned);
  papilio::parallel_for((outer + piece - 1) / piece, team, [&](std::size_t index) {
    const std::size_t first = index * piece, count = std::min(piece, outer - first);
    const auto& [c_at, b_at] = std::pair(out.placed(), other.placed());
    T* const to = is_left ? c_at.at(0, first) : c_at.at(first, 0);
    const T* const from = is_left ? b_at.at(0, first) : b_at.at(first, 0);
    const int rows = static_cast<int>(is_left ? m : count);
    const int columns = static_cast<int>(is_left ? count : n);
    const auto& s = square.placed();
    const CBLAS_SIDE side = blas_side(options.side);
    if (hermitian)
      call_hemm(c_at.order, side, uplo, rows, columns, alpha, s.data, s.pitch, from, b_at.pitch,
                beta, to, c_at.pitch);
    else
      call_symm(c_at.order, side, uplo, rows, columns, alpha, s.data, s.pitch, from, b_at.pitch,
                beta, to, c_at.pitch);
  });
  out.scatter(team);
}

template <class T>
void symv(T alpha, view<const T, 2> a, view<const T, 1> x, T beta, view<T, 1> y,
          matrix_triangle triangle, bool hermitian) {
  // A column of one: the vectors are matrices whose only column's stride does not matter.
  const view<const T, 2> b(x.data(), {x.extent(0), 1}, {x.stride(0), 1});
  const view<T, 2> c(y.data(), {y.extent(0), 1}, {y.stride(0), 1});
  const symm_options options{.triangle = triangle, .threads = 1};
  const strided_matrix<const T> square(a);
  const bool is_native = !is_complex<T> || hermitian;
  if (!is_native || !is_expressible(square) || !has_blas_step(x) || !has_blas_step(y) ||
      a.extent(0) == 0)
    return symm(alpha, a, b, beta, c, options, hermitian);
  check_symmetric(hermitian ? "hemv" : "symv", a, b, c, options);
  const int n = blas_extent(a.extent(0));
  use_serial_blas();
  const CBLAS_ORDER order = order_of(square);
  const auto from = blas_piece(x, 0, x.extent(0));
  const auto to = blas_piece(y, 0, y.extent(0));
  call_hemv(order, blas_triangle(triangle, false), n, alpha, a.data(), pitch_in(square, order),
            from.lowest, from.step, beta, to.lowest, to.step);
}

#define PAPILIO_INSTANTIATE(T)                                                         \
  template PAPILIO_API void symm(T, view<const T, 2>, view<const T, 2>, T, view<T, 2>, \
                                 const symm_options&, bool);                           \
  template PAPILIO_API void symv(T, view<const T, 2>, view<const T, 1>, T, view<T, 1>, \
                                 matrix_triangle, bool)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail
