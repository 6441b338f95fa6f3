#include <algorithm>

#include "papilio/base/error.hpp"
#include "papilio/signal/constant_q.hpp"
#include "signal/constant_q_bank.hpp"

namespace papilio {

using signal_detail::constant_q_bank;

template <class T>
struct constant_q_stream<T>::state {
  constant_q_plan<T> plan;
  const constant_q_bank<T>& bank;
  array<T, 2> held;  // [channels, block_size()], the samples of the next block
  std::size_t filled;
  typename constant_q_bank<T>::work work;
  std::uint64_t received = 0, segments = 0;
  bool finished = false;

  state(const constant_q_plan<T>& of, std::size_t channels)
      : plan(of),
        bank(*plan.bank_),
        held({checked(channels), bank.block_size()}),
        filled(bank.lead() * bank.options().hop),
        work(bank) {}

  static std::size_t checked(std::size_t channels) {
    if (channels == 0)
      throw invalid_argument("constant_q_stream: channels must be at least 1, got 0");
    return channels;
  }

  void reset() {
    std::ranges::fill(held, T(0));
    filled = bank.lead() * bank.options().hop;
    received = segments = 0;
    finished = false;
  }

  // Passes on the segments of the block that is held, up to `end`, and keeps what the next begins with.
  void hand_on(const constant_q_sink<T>& sink, std::uint64_t end) {
    const std::size_t channels = held.extent(0), bins = bank.options().bins;
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(bank.segments_of_block(), end - segments));
    for (std::size_t c = 0; c < channels; ++c) {
      const std::span<const T> line(&held(c, 0), held.extent(1));
      for (const T sample : line)
        if (!(sample * T(0) == 0))
          throw invalid_argument(base_detail::message(
              "constant_q_stream: samples must be finite, got ", sample, " in channel ", c));
      std::ranges::copy(line, work.samples.data());
      bank.transform(work);
      for (std::size_t k = 0; k < bins; ++k)
        for (std::size_t s = 0; s < count; ++s)
          work.values(k, bank.lead() + s) = bank.factors()[k] * work.values(k, bank.lead() + s);
      sink(segments, c,
           view<std::complex<T>, 2>(&work.values(0, bank.lead()), {count, bins},
                                    {1, static_cast<std::ptrdiff_t>(bank.rows())}));
    }
    segments += count;
    const std::size_t step = bank.segments_of_block() * bank.options().hop;
    for (std::size_t c = 0; c < channels; ++c) {
      T* const line = &held(c, 0);
      std::copy(line + step, line + held.extent(1), line);
      std::fill(line + held.extent(1) - step, line + held.extent(1), T(0));
    }
    filled -= std::min(filled, step);
  }
};

template <class T>
constant_q_stream<T>::constant_q_stream(const constant_q_plan<T>& plan, std::size_t channels)
    : state_(std::make_unique<state>(plan, channels)) {}
template <class T>
constant_q_stream<T>::constant_q_stream(constant_q_stream&&) noexcept = default;
template <class T>
constant_q_stream<T>& constant_q_stream<T>::operator=(constant_q_stream&&) noexcept = default;
template <class T>
constant_q_stream<T>::~constant_q_stream() = default;

template <class T>
const constant_q_plan<T>& constant_q_stream<T>::plan() const {
  return state_->plan;
}
template <class T>
std::size_t constant_q_stream<T>::channels() const {
  return state_->held.extent(0);
}
template <class T>
std::uint64_t constant_q_stream<T>::received() const {
  return state_->received;
}
template <class T>
std::uint64_t constant_q_stream<T>::segments() const {
  return state_->segments;
}
template <class T>
void constant_q_stream<T>::reset() {
  state_->reset();
}

template <class T>
void constant_q_stream<T>::push(view<const T, 2> block, constant_q_sink<T> sink) {
  state& s = *state_;
  if (block.extent(1) != channels())
    throw shape_error(base_detail::message("constant_q_stream::push: block has ", block.extent(1),
                                           " channels, expected ", channels()));
  if (s.finished)
    throw invalid_argument(
        "constant_q_stream::push: the signal was finished; reset() begins another");
  for (std::size_t done = 0; done < block.extent(0);) {
    const std::size_t count = std::min(block.extent(0) - done, s.held.extent(1) - s.filled);
    for (std::size_t c = 0; c < channels(); ++c)
      for (std::size_t i = 0; i < count; ++i) s.held(c, s.filled + i) = block(done + i, c);
    s.filled += count;
    s.received += count;
    done += count;
    if (s.filled == s.held.extent(1)) s.hand_on(sink, s.plan.segments(s.received));
  }
}

template <class T>
void constant_q_stream<T>::finish(constant_q_sink<T> sink) {
  state& s = *state_;
  if (s.finished) return;
  s.finished = true;
  const std::uint64_t end = s.plan.segments(s.received);
  while (s.segments < end) s.hand_on(sink, end);
}

template class constant_q_stream<float>;
template class constant_q_stream<double>;

}  // namespace papilio
