#pragma once

#include <cstddef>
#include <cstdint>

#include "papilio/base/array.hpp"
#include "signal/synthesis.hpp"

namespace papilio::signal_detail {

/// Sums of overlapping segments along a signal: segments come in order, each under the synthesis
/// window; sums leave at the front. At most 2 n_fft positions behind the front are held. Allocates
/// nothing after construction. The additions to a position are made in the order of the segments,
/// wherever one begins.
template <class T>
class overlap_adder {
 public:
  explicit overlap_adder(const segment_transform<T>& analysis)
      : n_(analysis.geometry().n()),
        window_(analysis.window().data()),
        sums_(4 * n_ + 4096, uninitialized) {}

  /// Empties it, with position p at the front.
  void restart(std::uint64_t p) {
    front_ = p;
    start_ = live_ = 0;
  }

  /// Adds the n_fft samples of a segment whose first stands at position p, at or behind the front.
  void add(std::uint64_t p, const T* samples);

  std::uint64_t front() const { return front_; }
  /// The sums at front() ... and on, as far as segments have come.
  T* sums() { return sums_.data() + start_; }
  /// Drops the sums before position p.
  void advance(std::uint64_t p);

 private:
  std::size_t n_;
  const T* window_;
  array<T, 1> sums_;
  std::uint64_t front_ = 0;
  std::size_t start_ = 0, live_ = 0;
};

}  // namespace papilio::signal_detail
