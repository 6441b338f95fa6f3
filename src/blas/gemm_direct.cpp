#include <complex>
#include <cstdint>

#include "base/share.hpp"
#include "blas/cblas_calls.hpp"
#include "blas/gemm_core.hpp"
#include "blas/separable_rows.hpp"
#include "blas/serial_blas.hpp"
#include "papilio/base/overlap.hpp"

namespace papilio::blas_detail {
namespace {

using base_detail::byte_range;

constexpr std::size_t longest_sum = std::size_t{1} << 30;

// The bytes from the first element to the last of a matrix that is not empty; all of memory where
// they cannot be counted.
template <class T>
byte_range bytes_of(const strided_matrix<const T>& m, const blas_operand<const T>& taken) {
  const std::size_t lines = taken.is_transposed() ? m.columns : m.rows;
  const std::size_t along = taken.is_transposed() ? m.rows : m.columns;
  std::size_t bytes = 0;
  if (__builtin_mul_overflow((lines - 1) * static_cast<std::size_t>(taken.pitch) + along, sizeof(T),
                             &bytes) ||
      bytes > std::size_t{PTRDIFF_MAX})
    return {0, UINTPTR_MAX};
  const auto first = reinterpret_cast<std::uintptr_t>(m.data);
  return {first, first + bytes};
}

template <class T>
bool is_one_call(std::size_t m, std::size_t n, std::size_t k, int threads) {
  const product_cut cut = cut_product(m, n, k, weight_of<T>, has_separable_rows<T>);
  if (cut.by == product_cut::kind::whole) return true;
  const double work = work_of(m, n, k, weight_of<T>);
  if (work > longest_block && base_detail::is_interruptible()) return false;
  return cut.by == product_cut::kind::rows && cut.panels == 1 && threads_for(work, threads) == 1;
}

}  // namespace

template <class T>
bool run_directly(const gemm_product<T>& p, int threads) {
  const std::size_t sum = p.a.columns;
  if (p.alpha == T(0) || p.c.rows == 0 || p.c.columns == 0 || sum == 0 || sum > longest_sum)
    return false;
  const bool turned = row_major_pitch(p.c) == 0;
  const strided_matrix<T> c = turned ? p.c.transposed() : p.c;
  const int pitch = row_major_pitch(c);
  const auto a = turned ? p.b.transposed() : p.a, b = turned ? p.a.transposed() : p.b;
  if (pitch == 0 || !is_expressible(a) || !is_expressible(b)) return false;
  if (!is_one_call<T>(c.rows, c.columns, sum, threads)) return false;
  const auto left = expressed(a), right = expressed(b);
  const byte_range written =
      bytes_of(operand_copy<T>::as_const(c), blas_operand<const T>{c.data, pitch});
  if (written.overlaps(bytes_of(a, left)) || written.overlaps(bytes_of(b, right))) return false;
  use_serial_blas();
  call_row_major_gemm(left.op, right.op, static_cast<int>(c.rows), static_cast<int>(c.columns),
                      static_cast<int>(sum), p.alpha, left.data, left.pitch, right.data,
                      right.pitch, p.beta, c.data, pitch);
  return true;
}

template bool run_directly(const gemm_product<float>&, int);
template bool run_directly(const gemm_product<double>&, int);
template bool run_directly(const gemm_product<std::complex<float>>&, int);
template bool run_directly(const gemm_product<std::complex<double>>&, int);

}  // namespace papilio::blas_detail
