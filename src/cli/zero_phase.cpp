#include "cli/zero_phase.hpp"

#include <algorithm>

#include "cli/common.hpp"

namespace papilio::cli {
namespace {
namespace zero_phase_parts {

constexpr std::size_t block_samples = std::size_t{1} << 20;

// That of sosfiltfilt: three times the taps of the cascade as one filter.
std::size_t padding_of(const std::vector<sos_section>& sections) {
  const auto zeros = [&](double sos_section::*coefficient) {
    return static_cast<std::size_t>(std::ranges::count(sections, 0.0, coefficient));
  };
  return 3 * (2 * sections.size() + 1 - std::min(zeros(&sos_section::b2), zeros(&sos_section::a2)));
}

array<double, 3> copy_of(view<const double, 3> state) {
  array<double, 3> made(state.extents());
  for (std::size_t s = 0; s < state.extent(0); ++s)
    for (std::size_t c = 0; c < state.extent(1); ++c)
      for (std::size_t i = 0; i < 2; ++i) made(s, c, i) = state(s, c, i);
  return made;
}

/// The sections' states after so many zeros, [sections, unit states, 2]: column 2 s + i is that of
/// a 1 in element i of section s.
array<double, 3> after_zeros(const std::vector<sos_section>& sections, std::size_t frames) {
  const std::size_t units = 2 * sections.size();
  sos_filter<double> filter(sections, units);
  array<double, 3> state({sections.size(), units, 2});
  for (std::size_t u = 0; u < units; ++u) state(u / 2, u, u % 2) = 1;
  filter.set_state(state.view());
  array<double, 2> zeros({1024, units});
  for (std::size_t left = frames; left > 0;) {
    const std::size_t count = std::min(left, zeros.extent(0));
    std::ranges::fill(zeros, 0.0);
    const view<double, 2> some = zeros.view().slice(0, 0, count);
    filter.push(some, some);
    left -= count;
  }
  return copy_of(filter.state());
}

view<double, 2> reversed(view<double, 2> frames) {
  return {&frames(frames.extent(0) - 1, 0u),
          frames.extents(),
          {-frames.strides()[0], frames.strides()[1]}};
}

}  // namespace zero_phase_parts
}  // namespace

using namespace zero_phase_parts;

zero_phase_filter::zero_phase_filter(std::vector<sos_section> sections, std::size_t channels)
    : sections_(std::move(sections)),
      channels_(channels),
      padding_(padding_of(sections_)),
      block_frames_(std::max<std::size_t>(1024, block_samples / channels)),
      forward_(sections_, channels),
      backward_(sections_, channels),
      head_({padding_ + 1, channels}),
      tail_({padding_ + 1, channels}),
      block_({block_frames_, channels}) {}

void zero_phase_filter::push(view<const float, 2> samples, on_samples take) {
  const std::size_t kept = padding_ + 1;
  for (std::size_t i = 0; i < samples.extent(0); ++i, ++seen_) {
    double* const now = &tail_(static_cast<std::size_t>(seen_ % kept), 0u);
    for (std::size_t c = 0; c < channels_; ++c) now[c] = static_cast<double>(samples(i, c));
    if (seen_ < kept) std::copy_n(now, channels_, &head_(static_cast<std::size_t>(seen_), 0u));
    if (seen_ >= kept) append(now, take);
    if (seen_ + 1 != kept) continue;
    // 2 x[0] - x[k] before the beginning; then what was held back.
    std::vector<double> frame(channels_);
    for (std::size_t k = padding_; k > 0; --k) {
      for (std::size_t c = 0; c < channels_; ++c) frame[c] = 2 * head_(0u, c) - head_(k, c);
      append(frame.data(), take);
    }
    for (std::size_t k = 0; k < kept; ++k) append(&head_(k, 0u), take);
  }
}

void zero_phase_filter::finish(on_samples take) {
  const std::size_t kept = padding_ + 1;
  if (seen_ < kept)
    throw invalid_argument(fmt::format(
        "zero_phase_filter: the sound must be longer than {} frames, got {}", padding_, seen_));
  if (!second_) frames_ = seen_;
  std::vector<double> frame(channels_);
  for (std::size_t k = 1; k <= padding_; ++k) {
    for (std::size_t c = 0; c < channels_; ++c)
      frame[c] = 2 * tail_(static_cast<std::size_t>((seen_ - 1) % kept), c) -
                 tail_(static_cast<std::size_t>((seen_ - 1 - k) % kept), c);
    append(frame.data(), take);
  }
  filter_block(true, take);
  if (!second_) find_states();
  second_ = true;
  filled_ = index_ = 0;
  seen_ = 0;
}

// A full block is filtered only when there is more, so that the last one is known.
void zero_phase_filter::append(const double* frame, on_samples take) {
  if (filled_ == block_frames_) filter_block(false, take);
  std::copy_n(frame, channels_, &block_(filled_, 0u));
  ++filled_;
}

void zero_phase_filter::filter_block(bool is_last, on_samples take) {
  const view<double, 2> whole = block_.view().slice(0, 0, filled_);
  if (index_ == 0) forward_.settle({&whole(0u, 0u), channels_});
  forward_.push(whole, whole);
  const view<double, 2> back = reversed(whole);
  if (is_last)
    backward_.settle({&back(0u, 0u), channels_});
  else if (second_)
    backward_.set_state(states_[index_].view());
  else
    backward_.reset();
  backward_.push(back, back);
  if (second_)
    hand_on(whole, take);
  else
    states_.push_back(copy_of(backward_.state()));
  filled_ = 0;
  ++index_;
}

// Without the extensions.
void zero_phase_filter::hand_on(view<const double, 2> block, on_samples take) {
  const std::uint64_t first = static_cast<std::uint64_t>(index_) * block_frames_;
  const std::uint64_t begin = std::max<std::uint64_t>(first, padding_);
  const std::uint64_t end = std::min<std::uint64_t>(first + block.extent(0), padding_ + frames_);
  if (begin >= end) return;
  made_.resize(static_cast<std::size_t>(end - begin) * channels_);
  const view<float, 2> made(made_.data(), {static_cast<std::size_t>(end - begin), channels_});
  for (std::size_t i = 0; i < made.extent(0); ++i)
    for (std::size_t c = 0; c < channels_; ++c)
      made(i, c) = static_cast<float>(block(static_cast<std::size_t>(begin - first) + i, c));
  take(made);
}

void zero_phase_filter::find_states() {
  const array<double, 3> step = after_zeros(sections_, block_frames_);
  // The last v is already the state before its block.
  array<double, 3> behind = copy_of(states_.back().view());
  for (std::size_t b = states_.size() - 1; b-- > 0;) {
    array<double, 3> before = copy_of(states_[b].view());
    for (std::size_t s = 0; s < sections_.size(); ++s)
      for (std::size_t c = 0; c < channels_; ++c)
        for (std::size_t i = 0; i < 2; ++i)
          for (std::size_t u = 0; u < 2 * sections_.size(); ++u)
            before(s, c, i) += step(s, u, i) * behind(u / 2, c, u % 2);
    states_[b] = std::move(behind);
    behind = std::move(before);
  }
}

}  // namespace papilio::cli
