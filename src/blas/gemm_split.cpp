#include "papilio/blas/gemm.hpp"

#include <algorithm>
#include <complex>

#include "blas/buffer_pool.hpp"
#include "blas/cblas_calls.hpp"
#include "blas/gemm_check.hpp"
#include "blas/serial_blas.hpp"

namespace papilio::blas_detail {
namespace {

constexpr std::size_t longest_sum = std::size_t{1} << 30;

// The parts of an operand as BLAS takes them, and for three products their sum.
template <class T>
class operand_planes {
 public:
  operand_planes(const split_matrix<const T>& m, matrix_op op, bool with_sum)
      : re_(m.re(), unconjugated(op)),
        im_(m.im(), unconjugated(op)),
        is_conjugated_(op == matrix_op::conjugate || op == matrix_op::conjugate_transpose) {
    if (!is_expressible(re_)) copy_re_.reserve(re_, 1);
    if (!is_expressible(im_)) copy_im_.reserve(im_, 1);
    if (with_sum) sum_.reserve(re_, 1);
  }
  std::size_t rows() const { return re_.rows; }
  std::size_t columns() const { return re_.columns; }
  /// Sign of the imaginary part.
  T sign() const { return is_conjugated_ ? T(-1) : T(1); }

  void gather(int threads) {
    if (copy_re_.is_there()) copy_re_.fill(re_, threads);
    if (copy_im_.is_there()) copy_im_.fill(im_, threads);
    if (sum_.is_there()) fill_sum(threads);
  }
  blas_operand<const T> re() const { return as_blas(re_, copy_re_); }
  blas_operand<const T> im() const { return as_blas(im_, copy_im_); }
  blas_operand<const T> sum() const { return as_blas(re_, sum_); }

 private:
  static matrix_op unconjugated(matrix_op op) {
    return transposes(op) ? matrix_op::transpose : matrix_op::none;
  }
  static blas_operand<const T> as_blas(const strided_matrix<const T>& m,
                                       const operand_copy<T>& copy) {
    return expressed(copy.is_there() ? operand_copy<T>::as_const(copy.matrix()) : m);
  }
  void fill_sum(int threads) {
    const strided_matrix<T>& to = sum_.matrix();
    const T s = sign();
    papilio::parallel_for(rows(), threads, [&](std::size_t i) {
      const auto row = static_cast<std::ptrdiff_t>(i);
      for (std::size_t j = 0; j < columns(); ++j) {
        const auto column = static_cast<std::ptrdiff_t>(j);
        to.data[row * to.row_stride + column * to.column_stride] =
            re_.data[row * re_.row_stride + column * re_.column_stride] +
            s * im_.data[row * im_.row_stride + column * im_.column_stride];
      }
    });
  }

  strided_matrix<const T> re_, im_;
  operand_copy<T> copy_re_, copy_im_, sum_;
  bool is_conjugated_;
};

struct block_place {
  std::size_t row, column, rows, columns;
};

// to = alpha a b + beta to, of one block; `to` without gaps.
template <class T>
void multiply(const block_place& at, std::size_t sum, T alpha, const blas_operand<const T>& a,
              const blas_operand<const T>& b, T beta, T* to) {
  for (std::size_t first = 0; first < sum; first += longest_sum) {
    const std::size_t terms = std::min(longest_sum, sum - first);
    call_gemm(CblasRowMajor, a.op, b.op, static_cast<int>(at.rows), static_cast<int>(at.columns),
              static_cast<int>(terms), alpha, a.at(0, at.row, first), a.pitch,
              b.at(0, first, at.column), b.pitch, beta, to, static_cast<int>(at.columns));
    beta = T(1);
  }
}

// The real and the imaginary part of a block of A B into two gapless ones; a third is work space.
template <class T>
void multiply_planes(const block_place& at, const operand_planes<T>& a, const operand_planes<T>& b,
                     bool by_three, T* memory) {
  const std::size_t size = at.rows * at.columns, sum = a.columns();
  T *const re = memory, *const im = memory + size;
  const T signs = a.sign() * b.sign();
  if (!by_three) {
    multiply(at, sum, T(1), a.re(), b.re(), T(0), re);
    multiply(at, sum, -signs, a.im(), b.im(), T(1), re);
    multiply(at, sum, b.sign(), a.re(), b.im(), T(0), im);
    multiply(at, sum, a.sign(), a.im(), b.re(), T(1), im);
    return;
  }
  T* const other = im + size;
  multiply(at, sum, T(1), a.re(), b.re(), T(0), re);
  multiply(at, sum, signs, a.im(), b.im(), T(0), other);
  multiply(at, sum, T(1), a.sum(), b.sum(), T(0), im);
  for (std::size_t i = 0; i < size; ++i) {
    im[i] -= re[i] + other[i];
    re[i] -= other[i];
  }
}

// C = alpha P + beta C on a block; P may be absent.
template <class T>
void add_block(const block_place& at, std::complex<T> alpha, const T* p, std::complex<T> beta,
               const split_matrix<T>& c) {
  const std::size_t size = at.rows * at.columns;
  const T ar = alpha.real(), ai = alpha.imag(), br = beta.real(), bi = beta.imag();
  const bool reads = beta != std::complex<T>(0);
  for (std::size_t i = 0; i < at.rows; ++i)
    for (std::size_t j = 0; j < at.columns; ++j) {
      const std::size_t index = i * at.columns + j;
      const T pr = p == nullptr ? T(0) : p[index], pi = p == nullptr ? T(0) : p[size + index];
      T& re = c.re()(at.row + i, at.column + j);
      T& im = c.im()(at.row + i, at.column + j);
      const T old_re = reads ? re : T(0), old_im = reads ? im : T(0);
      re = (ar * pr - ai * pi) + (br * old_re - bi * old_im);
      im = (ar * pi + ai * pr) + (br * old_im + bi * old_re);
    }
}

template <class T>
void check_planes(const char* who, const split_matrix<const T>& a, const split_matrix<const T>& b,
                  const split_matrix<T>& c) {
  for (const view<T, 2>& out : {c.re(), c.im()}) {
    check_memory(who, a.re(), b.re(), out);
    check_memory(who, a.im(), b.im(), out);
  }
  const view<T, 2> re = c.re(), im = c.im();
  if (shares_memory(elements_of(base_detail::any_rank(re)), elements_of(base_detail::any_rank(im))))
    throw invalid_argument(base_detail::message(who, ": the parts of c share memory"));
}

template <class T>
split_matrix<T> planes_of(const auto& v) {
  // The parts of a complex number are adjacent (the standard's "array-oriented access").
  auto* const p = reinterpret_cast<T*>(v.data());
  const strides_type<2> strides{2 * v.stride(0), 2 * v.stride(1)};
  return {view<T, 2>(p, v.extents(), strides),
          view<T, 2>(v.empty() ? p : p + 1, v.extents(), strides)};
}

}  // namespace

template <class T>
void gemm_split(const char* who, std::complex<T> alpha, split_matrix<const T> a,
                split_matrix<const T> b, std::complex<T> beta, split_matrix<T> c,
                const gemm_split_options& options) {
  const gemm_product<T> shapes{T(1), T(0), {a.re(), options.a}, {b.re(), options.b}, c.re(),
                               1,    true};
  check_shapes(who, shapes);
  check_threads(who, options.threads);
  check_planes(who, a, b, c);
  const std::size_t m = shapes.c.rows, n = shapes.c.columns, k = shapes.a.columns;
  if (m == 0 || n == 0) return;
  const bool by_three = options.product == complex_product::three;
  const std::size_t weight = by_three ? 3 : 4;
  const block_grid grid = cut(m, n, k, weight);
  const int team = threads_for(work_of(m, n, k, weight), options.threads);
  const bool has_product = alpha != std::complex<T>(0) && k > 0;
  const auto in_flight = std::min(grid.count(), static_cast<std::size_t>(team));
  const std::size_t block = std::min(m, grid.block_rows) * std::min(n, grid.block_columns);
  buffer_pool<T> pool(in_flight, has_product ? (by_three ? 3 : 2) * block : 0);
  use_serial_blas();
  operand_planes<T> planes_a(a, options.a, by_three && has_product);
  operand_planes<T> planes_b(b, options.b, by_three && has_product);
  if (has_product) {
    planes_a.gather(team);
    planes_b.gather(team);
  }
  papilio::parallel_for(grid.count(), team, [&](std::size_t index) {
    const std::size_t row = index / grid.column_blocks * grid.block_rows;
    const std::size_t column = index % grid.column_blocks * grid.block_columns;
    const block_place at{row, column, std::min(grid.block_rows, m - row),
                         std::min(grid.block_columns, n - column)};
    typename buffer_pool<T>::lease memory(pool);
    if (has_product) multiply_planes(at, planes_a, planes_b, by_three, memory.data());
    add_block(at, alpha, has_product ? memory.data() : nullptr, beta, c);
  });
}

template <class T>
void gemm_three_products(std::complex<T> alpha, view<const std::complex<T>, 2> a,
                         view<const std::complex<T>, 2> b, std::complex<T> beta,
                         view<std::complex<T>, 2> c, const gemm_options& options) {
  gemm_split<T>("gemm_three_products", alpha, planes_of<const T>(a), planes_of<const T>(b), beta,
                planes_of<T>(c), {options.a, options.b, complex_product::three, options.threads});
}

#define PAPILIO_INSTANTIATE(T)                                                                   \
  template PAPILIO_API void gemm_split(const char*, std::complex<T>, split_matrix<const T>,      \
                                       split_matrix<const T>, std::complex<T>, split_matrix<T>,  \
                                       const gemm_split_options&);                               \
  template PAPILIO_API void gemm_three_products(std::complex<T>, view<const std::complex<T>, 2>, \
                                                view<const std::complex<T>, 2>, std::complex<T>, \
                                                view<std::complex<T>, 2>, const gemm_options&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail
