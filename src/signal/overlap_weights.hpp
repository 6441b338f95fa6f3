#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "papilio/base/array.hpp"
#include "signal/segment_geometry.hpp"

namespace papilio::signal_detail {

/// Sum of the windows over every position: W(p) = sum_s v[p - first(s)] over the segments s = 0 ...
/// segments - 1 that hold p, v the product of analysis and synthesis window. Overlap-added segments
/// are divided by it. Away from both ends W repeats with the hop.
template <class T>
class overlap_weights {
 public:
  /// Takes windows of geometry.n() weights each; `analysis` includes the scaling.
  overlap_weights(const segment_geometry& geometry, std::span<const T> analysis,
                  std::span<const T> synthesis);

  /// Computes out[i] = sums[i] / (n W(p + i)) for i < count; out may be sums.
  void divide(const T* sums, T* out, std::uint64_t p, std::size_t count,
              std::uint64_t segments) const;

  /// Whether W repeats with the hop at all n positions from `first` on, and is nowhere nearly 0.
  bool repeats_from(std::uint64_t first, std::uint64_t segments) const;
  /// Returns window[j] / (n W(first + j)) for j < n at a `first` that the hop divides and where
  /// repeats_from(first) holds; empty if that is nowhere.
  array<T, 1> divided_window(std::span<const T> window) const;

  /// Throws invalid_argument naming the first sample among positions [p, end) where |W| is not
  /// above 1e-10 of the largest |v|. end <= the last segment's end.
  void require_covered(const char* function, std::uint64_t p, std::uint64_t end,
                       std::uint64_t segments) const;

  /// Checks position p likewise, of a signal that goes on for ever.
  void require_covered(const char* function, std::uint64_t p) const;

 private:
  double sum(std::uint64_t p, std::uint64_t segments) const;
  bool covers(double weight) const;
  [[noreturn]] void throw_uncovered(const char* function, std::uint64_t p, double weight) const;

  segment_geometry geometry_;
  array<double, 1> product_;
  double largest_ = 0;
  array<double, 1> repeating_;  // W(p), p mod hop, away from the ends
  bool repeats_covered_ = false;
  array<T, 1> divisor_;  // n W
};

}  // namespace papilio::signal_detail
