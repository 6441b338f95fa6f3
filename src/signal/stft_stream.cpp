#include "papilio/signal/stft.hpp"

#include "papilio/base/error.hpp"
#include "signal/segment_buffer.hpp"
#include "signal/segment_transform.hpp"

namespace papilio {

using namespace signal_detail;

template <class T>
struct stft_stream<T>::state {
  stft_plan<T> plan;
  const segment_transform<T>& transform;
  segment_buffer<T> buffer;
  array<std::complex<T>, 2> bins;  // [channels, bins], as reals too
  array<std::complex<T>, 1> scratch;

  state(const stft_plan<T>& p, std::size_t channels)
      : plan(p),
        transform(*plan.transform_),
        buffer(transform.geometry(), checked(channels)),
        bins({channels, transform.bins()}),
        scratch(transform.scratch_size()) {
    if (transform.adjoint_of())
      throw invalid_argument("stft_stream: plan must be no adjoint, whose ends are not known");
  }

  static std::size_t checked(std::size_t channels) {
    if (channels == 0) throw invalid_argument("stft_stream: channels must be at least 1, got 0");
    return channels;
  }

  template <class Value, class Transform>
  void hand_on(const segment_sink<Value>& sink, Transform run) {
    Value* const values = reinterpret_cast<Value*>(bins.data());
    while (buffer.ready()) {
      for (std::size_t c = 0; c < bins.extent(0); ++c)
        (transform.*run)(buffer.segment(c), transform.weights(), values + c * bins.extent(1),
                         scratch.data());
      sink(buffer.segment_number(), view<Value, 2>(values, bins.extents()));
      buffer.next();
    }
  }

  template <class Value, class Transform>
  void push(view<const T, 2> block, const segment_sink<Value>& sink, Transform run) {
    if (block.extent(1) != bins.extent(0))
      throw shape_error(base_detail::message("stft_stream::push: block has ", block.extent(1),
                                             " channels, expected ", bins.extent(0)));
    if (buffer.finished())
      throw invalid_argument("stft_stream::push: the signal was finished; reset() begins another");
    for (std::size_t done = 0; done < block.extent(0);) {
      done += buffer.accept(block, done);
      hand_on(sink, run);
    }
  }

  template <class Value, class Transform>
  void finish(const segment_sink<Value>& sink, Transform run) {
    if (buffer.finished()) return;
    buffer.finish();
    hand_on(sink, run);
  }
};

template <class T>
stft_stream<T>::stft_stream(stft_options options, std::size_t channels)
    : stft_stream(stft_plan<T>(options), channels) {}
template <class T>
stft_stream<T>::stft_stream(const stft_plan<T>& plan, std::size_t channels)
    : state_(std::make_unique<state>(plan, channels)) {}
template <class T>
stft_stream<T>::stft_stream(stft_stream&&) noexcept = default;
template <class T>
stft_stream<T>& stft_stream<T>::operator=(stft_stream&&) noexcept = default;
template <class T>
stft_stream<T>::~stft_stream() = default;

template <class T>
const stft_plan<T>& stft_stream<T>::plan() const {
  return state_->plan;
}
template <class T>
std::size_t stft_stream<T>::channels() const {
  return state_->bins.extent(0);
}
template <class T>
std::uint64_t stft_stream<T>::received() const {
  return state_->buffer.received();
}
template <class T>
std::uint64_t stft_stream<T>::segments() const {
  return state_->buffer.segment_number();
}
template <class T>
std::span<const T> stft_stream<T>::samples(std::size_t channel) const {
  return {state_->buffer.segment(channel), plan().options().n_fft};
}
template <class T>
void stft_stream<T>::reset() {
  state_->buffer.reset();
}

template <class T>
void stft_stream<T>::push(view<const T, 2> block, segment_sink<std::complex<T>> sink) {
  state_->push(block, sink, &segment_transform<T>::execute);
}
template <class T>
void stft_stream<T>::push_magnitude(view<const T, 2> block, segment_sink<T> sink) {
  state_->push(block, sink, &segment_transform<T>::execute_magnitude);
}
template <class T>
void stft_stream<T>::push_power(view<const T, 2> block, segment_sink<T> sink) {
  state_->push(block, sink, &segment_transform<T>::execute_power);
}
template <class T>
void stft_stream<T>::finish(segment_sink<std::complex<T>> sink) {
  state_->finish(sink, &segment_transform<T>::execute);
}
template <class T>
void stft_stream<T>::finish_magnitude(segment_sink<T> sink) {
  state_->finish(sink, &segment_transform<T>::execute_magnitude);
}
template <class T>
void stft_stream<T>::finish_power(segment_sink<T> sink) {
  state_->finish(sink, &segment_transform<T>::execute_power);
}

template class stft_stream<float>;
template class stft_stream<double>;

}  // namespace papilio
