#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>

#include "fft/column_codelet.hpp"
#include "fft/executable.hpp"
#include "papilio/base/array.hpp"

namespace papilio::fft_detail {

/// Radices of all codelets of lines. Two radices run in registers, where these suffice. More stand
/// in an order that was fast with AVX2 and with AVX-512: the rows behind a large first radix fit
/// the first cache, and few rows that a power of two separates are stored at once.
inline constexpr radices_of_codelet codelet_radices[] = {
    {2, 2},   {4, 2},     {4, 4},      {4, 8},      {8, 8},        {16, 8},
    {16, 16}, {8, 4, 16}, {16, 4, 16}, {16, 8, 16}, {16, 8, 8, 4}, {16, 8, 8, 8}};

/// Constants that a codelet reads besides its input. `twiddles` holds, for each register of columns
/// c and each k > 0, a register of the real parts of W_n^{kc} (each twice) and one of the imaginary
/// parts as pairs (-im, im), which multiply x with re and im exchanged. For the inverse they are
/// conjugate.
template <class T>
struct codelet_tables {
  const T* twiddles = nullptr;
  T sign = 1;  ///< 1 forward, -1 inverse
  T scale = 1;
  const T* rows = nullptr;  ///< twiddles of the rows, as in column_codelet_tables
};

/// Transforms a line, interleaved in and out, which may be the same. Memory begins on a cache line.
template <class T>
using codelet_function = void (*)(const codelet_tables<T>& tables, const T* in, T* out, T* memory);

/// Transforms `count` lines, in_step and out_step reals apart.
template <class T>
using codelet_lines_function = void (*)(const codelet_tables<T>& tables, const T* in,
                                        std::ptrdiff_t in_step, T* out, std::ptrdiff_t out_step,
                                        std::size_t count, T* memory);

/// Transforms a line, split in and out, which may be the same.
template <class T>
using split_codelet_function = void (*)(const codelet_tables<T>& tables, const T* in_re,
                                        const T* in_im, T* out_re, T* out_im, T* memory);

/// The code of one length: columns of the first radix, rows of the others.
template <class T>
struct codelet_code {
  std::size_t complexes = 0;  ///< in one register
  std::size_t memory_reals = 0;
  codelet_function<T> run[2] = {};  ///< [1]: scaled
  codelet_lines_function<T> run_lines[2] = {};
  split_codelet_function<T> run_split[2] = {};
  /// Whether rows of 8 are computed as 2 x 4. Behind the twiddles there are then those of 1 and
  /// W_8^q in the halves of a register, q = 1, 2, 3, in the same form.
  bool halves = false;
};

/// Returns the code for n; null if there is none or the machine has no registers for it.
template <class T>
const codelet_code<T>* find_codelet(std::size_t n);

/// Writes w, conjugate for the inverse, as complex number i of the two registers at `next` that
/// multiply by it: (w.re, w.re) and, `2 complexes` further on, (-w.im, w.im).
template <class T>
void put_twiddle(T* next, std::size_t complexes, std::size_t i, std::complex<T> w,
                 direction dir = direction::forward) {
  if (dir == direction::inverse) w = std::conj(w);
  next[2 * i] = next[2 * i + 1] = w.real();
  next[2 * complexes + 2 * i] = -w.imag();
  next[2 * complexes + 2 * i + 1] = w.imag();
}

/// Constants of a codelet's recipe, with the memory that codelet_tables points to.
template <class T>
class codelet_constants {
 public:
  codelet_constants(const recipe& r, direction dir, long double scale);
  codelet_tables<T> tables() const;

 private:
  array<T, 1> twiddles_, rows_;
  T sign_, scale_;
};

std::optional<recipe> design_codelet(std::size_t n);

double codelet_cost(const recipe& r);

template <class T>
std::unique_ptr<const executable<T>> build_codelet(const recipe& r, direction dir,
                                                   long double scale);

}  // namespace papilio::fft_detail
