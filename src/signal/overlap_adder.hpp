#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "papilio/base/array.hpp"

namespace papilio::signal_detail {

/// Adds samples[j] window[j] to sums[j stride] for j < shared, and assigns them for the others.
template <class T>
void add_under_window(const T* samples, const T* window, std::size_t shared, std::size_t count,
                      T* sums, std::ptrdiff_t stride = 1);

/// Sums of overlapping segments along a signal of one or more channels: segments come in order,
/// each put under the synthesis window; sums leave at the front. A segment begins at most 2.5 n
/// behind the front. Allocates nothing after construction. The additions to a position are made in
/// the order of the segments, wherever the front began.
template <class T>
class overlap_adder {
 public:
  /// The window outlives this.
  explicit overlap_adder(std::span<const T> window, std::size_t channels = 1)
      : n_(window.size()),
        window_(window.data()),
        sums_({channels, 4 * n_ + 4096}, uninitialized) {}

  /// Empties it, with position p at the front.
  void restart(std::uint64_t p) {
    front_ = p;
    start_ = live_ = 0;
  }

  /// Adds the n samples of one channel of a segment whose first stands at position p, at or behind
  /// the front. The last channel goes last.
  void add(std::uint64_t p, std::size_t channel, const T* samples);

  std::size_t channels() const { return sums_.extent(0); }
  std::uint64_t front() const { return front_; }
  /// A channel's sums at front() and on, as far as segments have come; channels lie stride() apart.
  T* sums(std::size_t channel) { return &sums_(channel, 0) + start_; }
  std::size_t stride() const { return sums_.extent(1); }
  /// Drops the sums before position p.
  void advance(std::uint64_t p);

 private:
  std::size_t n_;
  const T* window_;
  array<T, 2> sums_;
  std::uint64_t front_ = 0;
  std::size_t start_ = 0, live_ = 0;
};

}  // namespace papilio::signal_detail
