#include "papilio/blas/gemv.hpp"

#include <complex>

#include "blas/cblas_calls.hpp"
#include "blas/gemm_check.hpp"
#include "blas/lapack_matrix.hpp"
#include "blas/ordered_operand.hpp"
#include "blas/serial_blas.hpp"
#include "blas/vector_pieces.hpp"

namespace papilio::blas_detail {
namespace {

template <class T>
void check(const char* who, char name, view<const T, 1> x, view<T, 2> a) {
  const std::size_t n = x.extent(0);
  if (a.extent(0) != n || a.extent(1) != n)
    throw shape_error(base_detail::message(who, ": a is ", a.extent(0), " x ", a.extent(1), ", ",
                                           name, " has ", n, " elements; a must be ", n, " x ", n));
  blas_extent(n);
  require_distinct_elements(who, a);
  const char text[] = {name, '\0'};
  check_apart(who, text, x, "a", a);
}

template <class T>
array<T, 1> gathered(view<const T, 1> x, bool conjugate) {
  array<T, 1> copy(x.extent(0), uninitialized);
  for (std::size_t i = 0; i < x.extent(0); ++i) copy[i] = conjugate ? conjugated(x[i]) : x[i];
  return copy;
}

// Lines of one triangle of a matrix, along its smaller stride: rows of `a`, or its columns.
template <class T>
class half_lines {
 public:
  half_lines(view<T, 2> a, matrix_triangle triangle)
      : a_(a), by_columns_(std::abs(a.stride(0)) < std::abs(a.stride(1))) {
    if (by_columns_) a_ = {a.data(), {a.extent(1), a.extent(0)}, {a.stride(1), a.stride(0)}};
    is_upper_ = (triangle == matrix_triangle::upper) != by_columns_;
  }
  bool by_columns() const { return by_columns_; }
  // Adds scale v to line i, as far as it lies in the triangle.
  void add(std::size_t i, T scale, const array<T, 1>& v) const {
    const std::size_t n = a_.extent(0), first = is_upper_ ? i : 0;
    const std::size_t count = is_upper_ ? n - i : i + 1;
    const view<T, 1> line = a_[i].slice(0, first, count);
    if (!has_blas_step(line)) {
      for (std::size_t j = 0; j < count; ++j) line[j] += scale * v[first + j];
      return;
    }
    const auto to = blas_piece(line, 0, count);
    call_axpy(static_cast<int>(count), scale, v.data() + first, 1, to.lowest, to.step);
  }
  void make_diagonal_real() const {
    for (std::size_t i = 0; i < a_.extent(0); ++i) a_(i, i) = T(std::real(a_(i, i)));
  }

 private:
  view<T, 2> a_;
  bool by_columns_, is_upper_ = true;
};

}  // namespace

// A += alpha x x^H adds alpha x_i conj(x) to line i of a row-major A, and alpha conj(x_i) x to line
// i of a column-major one.
template <class T>
void syr(T alpha, view<const T, 1> x, view<T, 2> a, matrix_triangle triangle, bool hermitian) {
  hermitian = hermitian && is_complex<T>;
  check(hermitian ? "her" : "syr", 'x', x, a);
  if (x.empty()) return;
  use_serial_blas();
  const half_lines<T> lines(a, triangle);
  const auto v = gathered(x, hermitian && !lines.by_columns());
  if (alpha != T(0))
    for (std::size_t i = 0; i < x.extent(0); ++i)
      lines.add(i, alpha * (hermitian ? conjugated(v[i]) : v[i]), v);
  if (hermitian) lines.make_diagonal_real();
}

template <class T>
void syr2(T alpha, view<const T, 1> x, view<const T, 1> y, view<T, 2> a, matrix_triangle triangle,
          bool hermitian) {
  hermitian = hermitian && is_complex<T>;
  const char* const who = hermitian ? "her2" : "syr2";
  check(who, 'x', x, a);
  check(who, 'y', y, a);
  if (x.empty()) return;
  use_serial_blas();
  const half_lines<T> lines(a, triangle);
  const auto v = gathered(x, hermitian && !lines.by_columns());
  const auto w = gathered(y, hermitian && !lines.by_columns());
  // By rows alpha x_i goes with conj(y); by columns conj(alpha x_j) goes with y.
  const T with_w = hermitian && lines.by_columns() ? conjugated(alpha) : alpha;
  const T with_v = hermitian ? conjugated(with_w) : alpha;
  if (alpha != T(0))
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      lines.add(i, with_w * (hermitian ? conjugated(v[i]) : v[i]), w);
      lines.add(i, with_v * (hermitian ? conjugated(w[i]) : w[i]), v);
    }
  if (hermitian) lines.make_diagonal_real();
}

#define PAPILIO_INSTANTIATE(T)                                                           \
  template PAPILIO_API void syr(T, view<const T, 1>, view<T, 2>, matrix_triangle, bool); \
  template PAPILIO_API void syr2(T, view<const T, 1>, view<const T, 1>, view<T, 2>,      \
                                 matrix_triangle, bool)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail
