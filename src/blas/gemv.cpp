#include "papilio/blas/gemv.hpp"

#include <algorithm>
#include <complex>

#include "blas/cblas_calls.hpp"
#include "blas/gemm_check.hpp"
#include "blas/ordered_operand.hpp"
#include "blas/serial_blas.hpp"
#include "blas/vector_pieces.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio::blas_detail {
namespace {

// Elements of A that one piece has at least: one core reads them from memory in some 50
// microseconds.
constexpr std::size_t worth_a_piece = std::size_t{1} << 18;
constexpr std::size_t most_pieces = 16;
constexpr std::size_t least_lines = 64, vector_grain = 16;

// Cut of y = op(A) x, by shape: into pieces of y, or of the sum with partial results.
struct gemv_cut {
  std::size_t pieces = 1, length = 0;
  bool is_of_sum = false;
};

// BLAS walks along the lines of A as they are stored. Lines are either the rows of op(A), each a
// sum of its own, or its columns, which are all added to y. They are cut only where they are few.
gemv_cut cut_vector(std::size_t out, std::size_t in, bool lines_are_sums) {
  gemv_cut result;
  const double pieces = work_of(out, in, 1, 1) / static_cast<double>(worth_a_piece);
  if (pieces < 2) return result;
  const auto wanted = static_cast<std::size_t>(std::min<double>(most_pieces, pieces));
  result.is_of_sum = lines_are_sums ? out / wanted < vector_grain : in / wanted >= least_lines;
  const std::size_t extent = result.is_of_sum ? in : out;
  const std::size_t even = (extent + wanted - 1) / wanted;
  result.length = (even + vector_grain - 1) / vector_grain * vector_grain;
  result.pieces = (extent + result.length - 1) / result.length;
  return result;
}

// Operands of y = alpha op(A) x + beta y as BLAS takes them.
template <class T>
struct vector_product {
  T alpha;
  placed_matrix<const T> a;
  CBLAS_TRANSPOSE op;
  bool is_transposed;
  view<const T, 1> x;
};

// Computes to = alpha op(A) x + beta to for a piece of op(A).
template <class T>
void multiply(const vector_product<T>& p, std::size_t row, std::size_t rows, std::size_t column,
              std::size_t columns, T beta, blas_vector<T> to) {
  const auto from = blas_piece(p.x, column, columns);
  const T* const a = p.is_transposed ? p.a.at(column, row) : p.a.at(row, column);
  call_gemv(p.a.order, p.op, static_cast<int>(p.is_transposed ? columns : rows),
            static_cast<int>(p.is_transposed ? rows : columns), p.alpha, a, p.a.pitch, from.lowest,
            from.step, beta, to.lowest, to.step);
}

template <class T>
void multiply_in_parts(const vector_product<T>& p, const gemv_cut& cut, int threads, T beta,
                       view<T, 1> y) {
  const std::size_t out = y.extent(0), in = p.x.extent(0);
  array<T, 1> parts(checked_multiply(cut.pieces, out, "gemv: partial sums"), uninitialized);
  papilio::parallel_for(cut.pieces, threads, [&](std::size_t i) {
    const std::size_t first = i * cut.length;
    multiply(p, 0, out, first, std::min(cut.length, in - first), T(0),
             blas_vector<T>{parts.data() + i * out, 1});
  });
  for (std::size_t j = 0; j < out; ++j) {
    T sum = parts[j];
    for (std::size_t i = 1; i < cut.pieces; ++i) sum += parts[i * out + j];
    y[j] = beta == T(0) ? sum : sum + beta * y[j];
  }
}

}  // namespace

template <class T>
void gemv(T alpha, view<const T, 2> a, view<const T, 1> x, T beta, view<T, 1> y, matrix_op op,
          int threads) {
  const strided_matrix<const T> shape(a, op);
  if (shape.rows != y.extent(0) || shape.columns != x.extent(0))
    throw shape_error(base_detail::message("gemv: op(a) is ", shape.rows, " x ", shape.columns,
                                           ", x has ", x.extent(0), " elements, y ", y.extent(0)));
  check_threads("gemv", threads);
  base_detail::require_distinct("gemv", y);
  check_apart("gemv", "a", a, "y", y);
  check_apart("gemv", "x", x, "y", y);
  blas_extent(a.extent(0)), blas_extent(a.extent(1));
  const strided_matrix<const T> stored(a);
  if (!has_blas_step(x) || !has_blas_step(y) || !is_expressible(stored) || alpha == T(0) ||
      x.empty() || y.empty()) {
    // gemm copies operands whose strides BLAS cannot express.
    const view<const T, 2> b(x.data(), {x.extent(0), 1}, {x.stride(0), 1});
    const view<T, 2> c(y.data(), {y.extent(0), 1}, {y.stride(0), 1});
    return gemm(alpha, a, b, beta, c, {.a = op, .threads = threads});
  }
  use_serial_blas();
  const CBLAS_ORDER order = order_of(stored);
  const bool is_transposed = transposes(op);
  const vector_product<T> product{alpha,
                                  {a.data(), pitch_in(stored, order), order, false},
                                  blas_op<T>(op, false),
                                  is_transposed,
                                  x};
  const std::size_t out = y.extent(0), in = x.extent(0);
  const gemv_cut cut = cut_vector(out, in, (order == CblasRowMajor) != is_transposed);
  if (cut.pieces == 1) return multiply(product, 0, out, 0, in, beta, blas_piece(y, 0, out));
  if (cut.is_of_sum) return multiply_in_parts(product, cut, threads, beta, y);
  papilio::parallel_for(cut.pieces, threads, [&](std::size_t i) {
    const std::size_t first = i * cut.length, count = std::min(cut.length, out - first);
    multiply(product, first, count, 0, in, beta, blas_piece(y, first, count));
  });
}

template <class T>
void ger(T alpha, view<const T, 1> x, view<const T, 1> y, view<T, 2> a, bool conjugated) {
  const char* const who = conjugated ? "gerc" : "ger";
  if (x.extent(0) != a.extent(0) || y.extent(0) != a.extent(1))
    throw shape_error(base_detail::message(who, ": a is ", a.extent(0), " x ", a.extent(1),
                                           ", x has ", x.extent(0), " elements, y ", y.extent(0)));
  require_distinct_elements(who, a);
  check_apart(who, "x", x, "a", a);
  check_apart(who, "y", y, "a", a);
  if (a.empty()) return;
  const strided_matrix<T> stored(a);
  blas_extent(a.extent(0)), blas_extent(a.extent(1));
  // A conjugated factor is the second one in the order in which the matrix is stored.
  const bool by_columns = order_of(stored) == CblasColMajor;
  if (!has_blas_step(x) || !has_blas_step(y) || !is_expressible(stored)) {
    const view<const T, 2> left(x.data(), {x.extent(0), 1}, {x.stride(0), 1});
    const view<const T, 2> right(y.data(), {y.extent(0), 1}, {y.stride(0), 1});
    const auto op = conjugated ? matrix_op::conjugate_transpose : matrix_op::transpose;
    return gemm(alpha, left, right, T(1), a, {.b = op, .threads = 1});
  }
  use_serial_blas();
  const CBLAS_ORDER order = by_columns ? CblasColMajor : CblasRowMajor;
  const auto first = blas_piece(x, 0, x.extent(0));
  const auto second = blas_piece(y, 0, y.extent(0));
  call_ger(conjugated, order, static_cast<int>(a.extent(0)), static_cast<int>(a.extent(1)), alpha,
           first.lowest, first.step, second.lowest, second.step, a.data(), pitch_in(stored, order));
}

#define PAPILIO_INSTANTIATE(T)                                                                    \
  template PAPILIO_API void gemv(T, view<const T, 2>, view<const T, 1>, T, view<T, 1>, matrix_op, \
                                 int);                                                            \
  template PAPILIO_API void ger(T, view<const T, 1>, view<const T, 1>, view<T, 2>, bool)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail
