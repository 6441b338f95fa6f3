#include "papilio/signal/istft.hpp"

#include <algorithm>

#include "papilio/base/error.hpp"
#include "signal/overlap_adder.hpp"
#include "signal/synthesis.hpp"

namespace papilio {

using namespace signal_detail;

template <class T>
struct istft_stream<T>::state {
  istft_plan<T> plan;
  const synthesis<T>& inverse;
  const segment_geometry& geometry;
  std::uint64_t first;  // position of the first sample that is handed on
  std::uint64_t segments = 0;
  bool finished = false;
  overlap_adder<T> sums;
  array<T, 1> samples;
  array<std::complex<T>, 1> scratch;

  state(const istft_plan<T>& p, std::size_t channels, std::uint64_t first_sample)
      : plan(p),
        inverse(*plan.synthesis_),
        geometry(inverse.geometry()),
        first(checked_add<std::uint64_t>(first_sample, geometry.lead(), "istft_stream: first")),
        sums(inverse.window(), checked(channels)),
        samples(geometry.n(), uninitialized),
        scratch(inverse.scratch_size(), uninitialized) {
    if (inverse.adjoint_of())
      throw invalid_argument("istft_stream: plan must be an inverse, got an adjoint");
    inverse.weights().require_covered("istft_stream", first);
  }

  static std::size_t checked(std::size_t channels) {
    if (channels == 0) throw invalid_argument("istft_stream: channels must be at least 1, got 0");
    return channels;
  }

  void reset() {
    segments = 0;
    finished = false;
    sums.restart(0);
  }

  void require(view<const std::complex<T>, 3> spectra) const {
    if (spectra.extent(0) != sums.channels() || spectra.extent(2) != plan.bins())
      throw shape_error(base_detail::message(
          "istft_stream::push: spectra must be ", sums.channels(), " channels of ", plan.bins(),
          " bins, got ", spectra.extent(0), " of ", spectra.extent(2)));
    if (finished)
      throw invalid_argument("istft_stream::push: the signal was finished; reset() begins another");
  }

  void push(view<const std::complex<T>, 2> spectra, const sample_sink<T>& sink) {
    const std::uint64_t p = geometry.first(segments);
    for (std::size_t c = 0; c < sums.channels(); ++c) {
      inverse.execute(spectra[c], samples.data(), scratch.data());
      sums.add(p, c, samples.data());
    }
    ++segments;
    // A shorter signal would not have this segment; where the end is not told it is the plan's.
    const std::uint64_t certain =
        geometry.lead() + std::min(geometry.least_samples(segments), plan.samples(segments));
    hand_on(std::min(geometry.first(segments), certain), sink);
  }

  // The samples before position p that have not gone yet.
  void hand_on(std::uint64_t p, const sample_sink<T>& sink) {
    if (sums.front() < first) sums.advance(std::min(first, std::max(p, sums.front())));
    if (sums.front() < first || p <= sums.front()) return;
    const auto count = static_cast<std::size_t>(p - sums.front());
    for (std::size_t c = 0; c < sums.channels(); ++c)
      inverse.weights().divide(sums.sums(c), sums.sums(c), sums.front(), count, segments);
    sink(view<const T, 2>(sums.sums(0), {count, sums.channels()},
                          {1, static_cast<std::ptrdiff_t>(sums.stride())}));
    sums.advance(p);
  }

  void finish(std::uint64_t size, const sample_sink<T>& sink) {
    if (finished) return;
    constexpr const char* name = "istft_stream::finish";
    const std::uint64_t end = checked_add<std::uint64_t>(size, geometry.lead(), name);
    const std::uint64_t reach = segments == 0 ? 0 : geometry.reach(segments);
    if (size > reach)
      throw shape_error(base_detail::message(name, ": ", segments, " segments reach ", reach,
                                             " samples, ", size, " are asked for"));
    if (sums.front() > first && end < sums.front())
      throw shape_error(base_detail::message(name, ": ", sums.front() - geometry.lead(),
                                             " samples were handed on, more than ", size));
    const std::uint64_t begin = std::max(first, sums.front());
    if (begin < end) inverse.weights().require_covered(name, begin, end, segments);
    finished = true;
    hand_on(end, sink);
  }
};

template <class T>
istft_stream<T>::istft_stream(stft_options options, std::size_t channels, std::uint64_t first)
    : istft_stream(istft_plan<T>(options), channels, first) {}
template <class T>
istft_stream<T>::istft_stream(const istft_plan<T>& plan, std::size_t channels, std::uint64_t first)
    : state_(std::make_unique<state>(plan, channels, first)) {}
template <class T>
istft_stream<T>::istft_stream(istft_stream&&) noexcept = default;
template <class T>
istft_stream<T>& istft_stream<T>::operator=(istft_stream&&) noexcept = default;
template <class T>
istft_stream<T>::~istft_stream() = default;

template <class T>
const istft_plan<T>& istft_stream<T>::plan() const {
  return state_->plan;
}
template <class T>
std::size_t istft_stream<T>::channels() const {
  return state_->sums.channels();
}
template <class T>
std::uint64_t istft_stream<T>::segments() const {
  return state_->segments;
}
template <class T>
std::uint64_t istft_stream<T>::position() const {
  return std::max(state_->first, state_->sums.front()) - state_->geometry.lead();
}
template <class T>
void istft_stream<T>::reset() {
  state_->reset();
}

template <class T>
void istft_stream<T>::push(view<const std::complex<T>, 2> spectra, sample_sink<T> sink) {
  push(view<const std::complex<T>, 3>(spectra.data(), {spectra.extent(0), 1, spectra.extent(1)},
                                      {spectra.stride(0), 0, spectra.stride(1)}),
       sink);
}
template <class T>
void istft_stream<T>::push(view<const std::complex<T>, 3> spectra, sample_sink<T> sink) {
  state_->require(spectra);
  for (std::size_t s = 0; s < spectra.extent(1); ++s) {
    const view<const std::complex<T>, 3> one = spectra.slice(1, s, 1);
    state_->push({one.data(), {one.extent(0), one.extent(2)}, {one.stride(0), one.stride(2)}},
                 sink);
  }
}
template <class T>
void istft_stream<T>::finish(std::uint64_t samples, sample_sink<T> sink) {
  state_->finish(samples, sink);
}
template <class T>
void istft_stream<T>::finish(sample_sink<T> sink) {
  finish(plan().samples(segments()), sink);
}

template class istft_stream<float>;
template class istft_stream<double>;

}  // namespace papilio
