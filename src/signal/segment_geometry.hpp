#pragma once

#include <cstddef>
#include <cstdint>

#include "papilio/signal/stft.hpp"

namespace papilio::signal_detail {

/// Places of segments. Positions count from the first sample of segment 0, which lies lead()
/// samples before the signal's first: position p is sample p - lead().
class segment_geometry {
 public:
  explicit segment_geometry(const stft_options& checked)
      : n_(checked.n_fft),
        hop_(checked.hop),
        lead_(checked.centre ? checked.n_fft / 2 : 0),
        pad_end_(checked.pad_end),
        padding_(checked.centre ? checked.padding : edge_padding::zero) {}

  std::size_t n() const { return n_; }
  std::size_t hop() const { return hop_; }
  std::size_t lead() const { return lead_; }
  edge_padding padding() const { return padding_; }

  /// Segments of a signal; resource_error if it overflows.
  std::uint64_t segments(std::uint64_t samples) const;
  /// Samples of the shortest signal with `segments` >= 1 segments, at least 1; the largest number
  /// there is where it overflows.
  std::uint64_t least_samples(std::uint64_t segments) const;
  /// Samples from the first of the signal to the last that `segments` >= 1 segments hold; where it
  /// overflows, those whose positions are numbers.
  std::uint64_t reach(std::uint64_t segments) const;
  /// First position of a segment; the largest number there is where it overflows.
  std::uint64_t first(std::uint64_t segment) const;

  /// Sample i of a signal of `size` >= 1 samples, i counted from its first, as the padding has it:
  /// the place of the sample that stands there, or size for a zero.
  std::uint64_t source(std::int64_t i, std::uint64_t size) const;

 private:
  std::size_t n_, hop_, lead_;
  bool pad_end_;
  edge_padding padding_;
};

/// Copies the n samples of segment s of a signal of `size` samples `stride` apart, of which some
/// may lie beyond the ends.
template <class T>
void copy_segment(const segment_geometry& geometry, const T* signal, std::ptrdiff_t stride,
                  std::size_t size, std::uint64_t s, T* out);

}  // namespace papilio::signal_detail
