#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>

#include "fft/executable.hpp"
#include "papilio/base/array.hpp"

namespace papilio::fft_detail {

/// What a codelet reads besides its input. Twiddles: for each register of columns c and each k > 0,
/// a register of the real parts of W_n^{kc} (each twice) and one of the imaginary parts with the
/// signs of x -> swapped x; conjugate for the inverse.
template <class T>
struct codelet_tables {
  const T* twiddles = nullptr;
  T sign = 1;  ///< 1 forward, -1 inverse
  T scale = 1;
};

/// Interleaved in and out, which may be the same.
template <class T>
using codelet_function = void (*)(const codelet_tables<T>& tables, const T* in, T* out);

/// Split in and out, which may be the same.
template <class T>
using split_codelet_function = void (*)(const codelet_tables<T>& tables, const T* in_re,
                                        const T* in_im, T* out_re, T* out_im);

/// The code of one length: columns of length R1, rows of length R2.
template <class T>
struct codelet_code {
  std::size_t columns = 0, rows = 0;  ///< R1 and R2
  std::size_t complexes = 0;          ///< in one register
  codelet_function<T> run[2] = {};    ///< [1]: scaled
  split_codelet_function<T> run_split[2] = {};
  /// Rows are of 8, in 2 x 4: behind the twiddles there are those of 1 and W_8^q in the halves of a
  /// register, q = 1, 2, 3, in the same form.
  bool halves = false;
};

/// Null where the machine has no registers for it.
template <class T>
const codelet_code<T>* find_codelet(std::size_t n);

/// Writes w as complex number i of the two registers at `next` that multiply by it: (w.re, w.re)
/// and, `2 complexes` further on, (-w.im, w.im).
template <class T>
void put_turning(T* next, std::size_t complexes, std::size_t i, std::complex<T> w) {
  next[2 * i] = next[2 * i + 1] = w.real();
  next[2 * complexes + 2 * i] = -w.imag();
  next[2 * complexes + 2 * i + 1] = w.imag();
}

/// What codelet_tables::twiddles says, for a length that has a codelet.
template <class T>
array<T, 1> codelet_twiddles(std::size_t n, direction dir);

std::optional<recipe> design_codelet(std::size_t n);

double codelet_cost(const recipe& r);

template <class T>
std::unique_ptr<const executable<T>> build_codelet(const recipe& r, direction dir,
                                                   long double scale);

}  // namespace papilio::fft_detail
