#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "fft/executable.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

/// The first step of n = R M, in registers of C complex numbers, C at most R and M: columns
///   y[k][c] = W_n^{kc} sum_r W_R^{rk} x[M r + c]
/// over registers whose lanes are c, then transposed, so that lanes become k. Where C does not divide M
/// or R, the last register of columns, or group of k, overlaps the one before it.
template <class T>
struct first_step_tables {
  std::size_t rows = 1;         ///< M
  const T* twiddles = nullptr;  ///< as codelet_tables has them, for each register of columns
  T sign = 1;                   ///< 1 forward, -1 inverse
  T scale = 1;                  ///< of y_0; the twiddles have that of the others
};

/// y of group g, for every c a register, at out + g * M registers.
template <class T>
using first_step_function = void (*)(const first_step_tables<T>& tables, const T* in, T* out);

/// One Stockham pass (see pass.hpp) of the second step: rows are registers, and a twiddle is the
/// same for all lanes: (re, re, -im, im) for each k < l and each 0 < r < radix; none where l = 1.
template <class T>
struct row_pass {
  std::size_t l = 1, count = 1;
  const T* twiddles = nullptr;
  T sign = 1;
  T scale = 1;  ///< of what the butterflies of single complex numbers without twiddles store
};

/// Rows at `in`, one register after the other, to rows `out_step` reals apart.
template <class T>
using row_pass_function = void (*)(const row_pass<T>& p, const T* in, T* out,
                                   std::ptrdiff_t out_step);

/// Complex numbers of the registers for R columns' lanes: a power of two, at most R and M.
template <class T>
std::size_t two_step_complexes(std::size_t columns, std::size_t rows);

/// Returns the code; null where there is none.
template <class T>
first_step_function<T> find_first_step(std::size_t radix, std::size_t complexes);
/// `is_first`: without twiddles.
template <class T>
row_pass_function<T> find_row_pass(std::size_t radix, bool is_first, std::size_t complexes);

/// n = R M with the radices R and those of M, for lengths that have such factors and fit the first
/// cache, the cheapest ones. A length that is itself a radix is one butterfly, without columns.
std::optional<recipe> design_two_step(std::size_t n);
/// Up to `most` of them, with different R, the cheapest first: which is the fastest depends on the
/// processor.
std::vector<recipe> design_two_steps(std::size_t n, std::size_t most);

double two_step_cost(const recipe& r);

/// Whether a two_step of these radices can be built.
bool has_two_step(const recipe& r);

template <class T>
std::unique_ptr<const executable<T>> build_two_step(const recipe& r, direction dir,
                                                    long double scale);

}  // namespace papilio::fft_detail
