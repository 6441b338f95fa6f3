#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/view.hpp"
#include "papilio/fft/options.hpp"

namespace papilio::fft_detail {

/// Factor that a direction carries under a normalization.
double scale_of(normalization norm, direction dir, std::size_t n);

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
      heap_ = array<T, 1>(count);
      data_ = heap_.data();
    }
  }
  T* data() { return data_; }

 private:
  alignas(array_alignment_bytes) T stack_[32768 / sizeof(T)];
  array<T, 1> heap_;
  T* data_;
};

[[noreturn]] void throw_length(const char* function, const char* argument, std::size_t got,
                               std::size_t expected);
[[noreturn]] void throw_scratch(const char* function, std::size_t got, std::size_t least);
[[noreturn]] void throw_overlap(const char* function, std::ptrdiff_t distance_bytes);

// Inline, with the message out of line: a transform of 16 points takes about 10 ns.
inline void require_length(const char* function, const char* argument, std::size_t got,
                           std::size_t expected) {
  if (got != expected) [[unlikely]]
    throw_length(function, argument, got, expected);
}
inline void require_scratch(const char* function, std::size_t got, std::size_t least) {
  if (got < least) [[unlikely]]
    throw_scratch(function, got, least);
}

/// invalid_argument where two memory ranges overlap without beginning at the same address.
inline void require_same_or_apart(const char* function, const void* in, std::size_t in_bytes,
                                  const void* out, std::size_t out_bytes) {
  const auto a = reinterpret_cast<std::uintptr_t>(in), b = reinterpret_cast<std::uintptr_t>(out);
  if (a != b && a < b + out_bytes && b < a + in_bytes) [[unlikely]]
    throw_overlap(function, static_cast<std::ptrdiff_t>(b - a));
}

/// First and one past the last byte that a view reaches.
struct byte_range {
  std::uintptr_t first, last;
  bool overlaps(const byte_range& other) const { return first < other.last && other.first < last; }
};

template <class T>
byte_range reach(view<T, 2> v) {
  std::ptrdiff_t low = 0, high = 0;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (v.empty()) return {0, 0};
    const std::ptrdiff_t span = v.stride(axis) * static_cast<std::ptrdiff_t>(v.extent(axis) - 1);
    (span < 0 ? low : high) += span;
  }
  const auto base = reinterpret_cast<std::uintptr_t>(v.data());
  return {base + static_cast<std::uintptr_t>(low) * sizeof(T),
          base + static_cast<std::uintptr_t>(high + 1) * sizeof(T)};
}

/// shape_error unless two elements of an output never share an address (a sufficient test: one of
/// the axes steps over the whole of the other).
template <class T>
void require_distinct(const char* function, view<T, 2> out) {
  if (out.empty()) return;
  const auto magnitude = [&](std::size_t axis) {
    return static_cast<std::size_t>(out.stride(axis) < 0 ? -out.stride(axis) : out.stride(axis));
  };
  const std::size_t inner = magnitude(0) < magnitude(1) ? 0 : 1, outer = 1 - inner;
  const bool inner_moves = out.extent(inner) == 1 || magnitude(inner) > 0;
  const bool outer_moves =
      out.extent(outer) == 1 || magnitude(outer) > magnitude(inner) * (out.extent(inner) - 1);
  if (!inner_moves || !outer_moves)
    throw shape_error(base_detail::message(function, ": out overlaps itself: extents ",
                                           out.extent(0), " x ", out.extent(1), ", strides ",
                                           out.stride(0), ", ", out.stride(1)));
}

}  // namespace papilio::fft_detail
