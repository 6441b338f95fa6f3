#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "papilio/base/parallel_for.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {

/// sosfiltfilt of a sound that is shown twice from its beginning, in memory of one block of about
/// 2^20 samples and one state of the filter for each: values are its, but for the rounding of the
/// states between blocks.
///
/// Backward, the state before a block is affine in the state behind it: A s + v, A the sections'
/// own answer to so many zeros and v the block's to a state of 0. The first showing finds each v,
/// which gives the states between all blocks from the last to the first; the second one filters
/// each block forward and backward from these.
class zero_phase_filter {
 public:
  zero_phase_filter(std::vector<sos_section> sections, std::size_t channels);

  /// Samples of the extension at either end, which the sound must be longer than.
  std::size_t padding() const { return padding_; }

  /// The next samples of the first showing or the second, [frames, channels], of which the second
  /// hands on filtered ones as soon as they are there.
  using on_samples = function_ref<void(view<const float, 2>)>;
  void push(view<const float, 2> samples, on_samples take);
  /// The end of either. invalid_argument if it is no longer than the padding.
  void finish(on_samples take);

 private:
  void append(const double* frame, on_samples take);
  void filter_block(bool is_last, on_samples take);
  void hand_on(view<const double, 2> block, on_samples take);
  void find_states();

  std::vector<sos_section> sections_;
  std::size_t channels_, padding_, block_frames_;
  sos_filter<double> forward_, backward_;
  array<double, 2> head_, tail_;  // the first and the last padding + 1 frames
  array<double, 2> block_;
  std::size_t filled_ = 0, index_ = 0;   // frames of the block; its number
  std::uint64_t seen_ = 0, frames_ = 0;  // of this showing; of the first, when it is over
  bool second_ = false;
  std::vector<array<double, 3>> states_;  // v, then the state behind each block
  std::vector<float> made_;
};

}  // namespace papilio::cli
