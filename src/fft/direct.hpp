#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "fft/executable.hpp"

namespace papilio::fft_detail {

/// Longest length summed directly; beyond, the rounding of so long sums and their number count.
inline constexpr std::size_t max_direct = 127;

/// Operands of one line, planar: in[0..n), out[0..n) each. Tables of `width` columns: row r - 1 has
/// cos and then sin of 2 pi r j / n for j = 1 ... n/2, and zeros.
template <class T>
struct direct_tables {
  std::size_t n = 0, width = 0;
  const T* roots = nullptr;
  T scale = 1;
};

template <class T>
using direct_function = void (*)(const direct_tables<T>& tables, const T* in_re, const T* in_im,
                                 std::size_t in_step, T* out_re, T* out_im, std::size_t out_step);

template <class T>
direct_function<T> find_direct();

/// Recipe for odd n up to max_direct.
std::optional<recipe> design_direct(std::size_t n);

double direct_cost(const recipe& r);

template <class T>
std::unique_ptr<const executable<T>> build_direct(const recipe& r, direction dir,
                                                  long double scale);

}  // namespace papilio::fft_detail
