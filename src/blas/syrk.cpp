#include "papilio/blas/symmetric.hpp"

#include <cmath>
#include <complex>

#include "blas/cblas_calls.hpp"
#include "blas/ordered_operand.hpp"
#include "blas/serial_blas.hpp"
#include "blas/triangle_checks.hpp"

namespace papilio::blas_detail {
namespace {

// C = alpha A A* + beta C or alpha A* A + beta C, A* the transpose or the conjugate transpose.
template <class T, class Scalar>
struct rank_update {
  const char* who;
  Scalar alpha, beta;
  bool is_first_starred, is_hermitian;
};

template <class T, class Scalar>
rank_update<T, Scalar> described(const char* who, Scalar alpha, Scalar beta, matrix_op op,
                                 bool is_hermitian) {
  const auto starred = is_hermitian ? matrix_op::conjugate_transpose : matrix_op::transpose;
  const bool is_star = is_complex<T> ? op == starred : transposes(op);
  if (is_complex<T> && !is_star && op != matrix_op::none)
    throw invalid_argument(base_detail::message(
        who, ": op of a must be none or ", is_hermitian ? "conjugate_transpose" : "transpose"));
  return {who, alpha, beta, is_star, is_hermitian && is_complex<T>};
}

// One square or off-diagonal block of C.
template <class T, class Scalar>
void update_block(const rank_update<T, Scalar>& u, const placed_matrix<const T>& a,
                  const placed_matrix<T>& c, CBLAS_UPLO uplo, std::size_t k, std::size_t row,
                  std::size_t rows, std::size_t column, std::size_t columns) {
  const auto line = [&](std::size_t first) {
    return u.is_first_starred ? a.at(0, first) : a.at(first, 0);
  };
  const CBLAS_TRANSPOSE star = u.is_hermitian ? CblasConjTrans : CblasTrans;
  // A turned A is its transpose: what was starred is not.
  const bool first_starred = u.is_first_starred != a.is_turned;
  if (row == column) {
    const CBLAS_TRANSPOSE op = first_starred ? star : CblasNoTrans;
    const int n = static_cast<int>(rows), terms = static_cast<int>(k);
    T* const to = c.at(row, column);
    if constexpr (std::is_same_v<T, Scalar>)
      call_syrk(c.order, uplo, op, n, terms, u.alpha, line(row), a.pitch, u.beta, to, c.pitch);
    else
      call_herk(c.order, uplo, op, n, terms, u.alpha, line(row), a.pitch, u.beta, to, c.pitch);
    return;
  }
  call_gemm(c.order, first_starred ? star : CblasNoTrans, first_starred ? CblasNoTrans : star,
            static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(k), T(u.alpha),
            line(row), a.pitch, line(column), a.pitch, T(u.beta), c.at(row, column), c.pitch);
}

// C = beta C on one half.
template <class T, class Scalar>
void scale_half(const rank_update<T, Scalar>& u, view<T, 2> c, matrix_triangle triangle) {
  const bool is_upper = triangle == matrix_triangle::upper;
  for (std::size_t i = 0; i < c.extent(0); ++i)
    for (std::size_t j = is_upper ? i : 0; j < (is_upper ? c.extent(0) : i + 1); ++j) {
      T& x = c(i, j);
      x = u.beta == Scalar(0) ? T(0) : u.beta * x;
      if (u.is_hermitian && i == j) x = T(std::real(x));
    }
}

template <class T, class Scalar>
void update(const rank_update<T, Scalar>& u, view<const T, 2> a, view<T, 2> c,
            const syrk_options& options) {
  const std::size_t n = a.extent(u.is_first_starred ? 1 : 0);
  const std::size_t k = a.extent(u.is_first_starred ? 0 : 1);
  check_update(u.who, a, c, n, options.threads);
  if (u.alpha == Scalar(0) || k == 0) return scale_half(u, c, options.triangle);
  if (n == 0) return;
  blas_extent(n), blas_extent(k);
  const ordered_output<T> out{strided_matrix<T>(c)};
  // The transpose of A in A A^H leaves a conjugate that BLAS has no flag for.
  const ordered_input<T> in(strided_matrix<const T>(a), out.placed().order, !u.is_hermitian);
  use_serial_blas();
  const double work = work_of(n, n, k, weight_of<T>) / 2;
  const int team = threads_for(work, options.threads);
  in.gather(team);
  out.gather(team);  // also for beta = 0: the other half is put back as it was
  const std::size_t piece = cut_square(n, k, weight_of<T>);
  const std::size_t pieces = (n + piece - 1) / piece;
  const bool is_upper = options.triangle == matrix_triangle::upper;
  papilio::parallel_for(pieces * pieces, team, [&](std::size_t index) {
    const std::size_t i = index / pieces, j = index % pieces;
    if (is_upper ? i > j : i < j) return;
    const std::size_t row = i * piece, column = j * piece;
    update_block(u, in.placed(), out.placed(), blas_triangle(options.triangle, false), k, row,
                 std::min(piece, n - row), column, std::min(piece, n - column));
  });
  out.scatter(team);
}

}  // namespace

template <class T>
void syrk(T alpha, view<const T, 2> a, T beta, view<T, 2> c, const syrk_options& options) {
  update(described<T>("syrk", alpha, beta, options.a, false), a, c, options);
}

template <class T>
void herk(decltype(std::abs(T())) alpha, view<const T, 2> a, decltype(std::abs(T())) beta,
          view<T, 2> c, const syrk_options& options) {
  update(described<T>("herk", alpha, beta, options.a, true), a, c, options);
}

#define PAPILIO_INSTANTIATE(T)                                                             \
  template PAPILIO_API void syrk(T, view<const T, 2>, T, view<T, 2>, const syrk_options&); \
  template PAPILIO_API void herk<T>(decltype(std::abs(T())), view<const T, 2>,             \
                                    decltype(std::abs(T())), view<T, 2>, const syrk_options&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail
