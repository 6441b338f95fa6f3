#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/fft/options.hpp"

namespace papilio::fft_detail {

/// Factor that a direction carries under a normalization.
long double scale_of(normalization norm, direction dir, std::size_t n);
/// The normalization with the factors of `norm`, forward's and inverse's exchanged: an adjoint has
/// the other direction and keeps the factor.
normalization swapped(normalization norm);
inline direction opposite(direction dir) {
  return dir == direction::forward ? direction::inverse : direction::forward;
}

template <class T>
T* reals(std::complex<T>* p) {
  return reinterpret_cast<T*>(p);
}
template <class T>
const T* reals(const std::complex<T>* p) {
  return reinterpret_cast<const T*>(p);
}

/// Scratch for one call: the caller's where given, else on the stack while it is small.
template <class T>
class line_scratch {
 public:
  explicit line_scratch(std::size_t count) {
    if (count <= std::size(stack_)) {
      data_ = stack_;
    } else {
      heap_ = array<T, 1>(count, uninitialized);
      data_ = heap_.data();
    }
  }
  T* data() { return data_; }

 private:
  alignas(array_alignment_bytes) T stack_[49152 / sizeof(T)];
  array<T, 1> heap_;
  T* data_;
};

/// Names the function of many lines, if there is one and the elements are those of many lines.
[[noreturn]] void throw_length(const char* function, const char* argument, std::size_t got,
                               std::size_t expected, const char* of_many_lines);
[[noreturn]] void throw_scratch(const char* function, std::size_t got, std::size_t least);
[[noreturn]] void throw_overlap(const char* function, std::ptrdiff_t distance_bytes);

// Inline, with the message out of line: a transform of 16 points takes about 10 ns.
inline void require_length(const char* function, const char* argument, std::size_t got,
                           std::size_t expected, const char* of_many_lines = nullptr) {
  if (got != expected) [[unlikely]]
    throw_length(function, argument, got, expected, of_many_lines);
}
inline void require_scratch(const char* function, std::size_t got, std::size_t least) {
  if (got < least) [[unlikely]]
    throw_scratch(function, got, least);
}

/// Throws invalid_argument where two memory ranges overlap without beginning at the same address.
inline void require_same_or_apart(const char* function, const void* in, std::size_t in_bytes,
                                  const void* out, std::size_t out_bytes) {
  const auto a = reinterpret_cast<std::uintptr_t>(in), b = reinterpret_cast<std::uintptr_t>(out);
  if (a != b && a < b + out_bytes && b < a + in_bytes) [[unlikely]]
    throw_overlap(function, static_cast<std::ptrdiff_t>(b - a));
}

/// Throws invalid_argument where two memory ranges overlap.
inline void require_apart(const char* function, const void* in, std::size_t in_bytes,
                          const void* out, std::size_t out_bytes) {
  const auto a = reinterpret_cast<std::uintptr_t>(in), b = reinterpret_cast<std::uintptr_t>(out);
  if (a < b + out_bytes && b < a + in_bytes) [[unlikely]]
    throw_overlap(function, static_cast<std::ptrdiff_t>(b - a));
}

}  // namespace papilio::fft_detail
