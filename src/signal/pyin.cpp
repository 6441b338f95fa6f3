#include <algorithm>
#include <optional>
#include <vector>

#include "base/share.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal/pitch.hpp"
#include "signal/pitch_candidates.hpp"
#include "signal/pitch_path.hpp"
#include "signal/pitch_stream.hpp"

namespace papilio {

using signal_detail::pitch_candidates;
using signal_detail::pitch_observation;
using signal_detail::pitch_path;

template <class T>
pyin_plan<T>::pyin_plan(const pyin_options& options)
    : tables_(std::make_shared<const pitch_candidates<T>>(options)) {}

template <class T>
const pyin_options& pyin_plan<T>::options() const {
  return tables_->options();
}
template <class T>
std::size_t pyin_plan<T>::bins() const {
  return tables_->bins();
}
template <class T>
std::size_t pyin_plan<T>::delay() const {
  return pitch_path::delay(bins());
}
template <class T>
std::uint64_t pyin_plan<T>::segments(std::uint64_t samples) const {
  return tables_->differences().geometry().segments(samples);
}

// Threads share the candidates of a run of segments, whose path is then one thread's.
template <class T>
void pyin_plan<T>::execute(std::span<const T> signal, std::span<pitch> out, int threads) const {
  constexpr const char* function = "pyin_plan::execute";
  constexpr std::size_t run = 512;
  const auto& differences = tables_->differences();
  const signal_detail::segment_geometry& geometry = differences.geometry();
  signal_detail::require_segments(function, geometry, signal.size(), out.size());
  const base_detail::team team = base_detail::team_of(threads).at_most(out.size());
  std::vector<std::optional<typename pitch_candidates<T>::work>> works(team.workers);
  std::vector<pitch_observation> observed(std::min(run, out.size()));
  pitch_path path(options(), bins(), tables_->bins_per_octave());
  const auto sink = [&](std::uint64_t first, std::span<const pitch> pitches) {
    std::ranges::copy(pitches, out.begin() + static_cast<std::ptrdiff_t>(first));
  };
  for (std::size_t from = 0; from < out.size(); from += run) {
    const std::size_t count = std::min(run, out.size() - from);
    base_detail::share(count, team, [&](std::size_t first, std::size_t last, std::size_t worker) {
      if (!works[worker]) works[worker].emplace(*tables_);
      auto& w = *works[worker];
      for (std::size_t i = first; i < last; ++i) {
        const auto load = [&](std::size_t, T* samples) {
          signal_detail::copy_segment(geometry, signal.data(), 1, signal.size(), from + i, samples);
        };
        differences.compute(function, 1, load, w.segment);
        tables_->find(w, observed[i]);
      }
    });
    for (std::size_t i = 0; i < count; ++i) path.push(observed[i], sink);
  }
  path.finish(sink);
}

template <class T>
std::vector<pitch> pyin_plan<T>::execute(std::span<const T> signal, int threads) const {
  std::vector<pitch> out(static_cast<std::size_t>(segments(signal.size())));
  execute(signal, out, threads);
  return out;
}

template <class T>
struct pyin_stream<T>::state {
  pyin_plan<T> plan;
  signal_detail::pitch_stream<T> stream;
};

template <class T>
pyin_stream<T>::pyin_stream(const pyin_plan<T>& plan, std::size_t channels) {
  if (channels == 0) throw invalid_argument("pyin_stream: channels must be at least 1, got 0");
  state_ = std::make_unique<state>(
      state{plan, {plan.tables_, plan.tables_->differences().geometry(), channels}});
}
template <class T>
pyin_stream<T>::pyin_stream(pyin_stream&&) noexcept = default;
template <class T>
pyin_stream<T>& pyin_stream<T>::operator=(pyin_stream&&) noexcept = default;
template <class T>
pyin_stream<T>::~pyin_stream() = default;

template <class T>
const pyin_plan<T>& pyin_stream<T>::plan() const {
  return state_->plan;
}
template <class T>
std::size_t pyin_stream<T>::channels() const {
  return state_->stream.channels();
}
template <class T>
void pyin_stream<T>::reset() {
  state_->stream.reset();
}

template <class T>
void pyin_stream<T>::push(view<const T, 2> block, pitch_sink sink) {
  constexpr const char* function = "pyin_stream::push";
  if (block.extent(1) != channels())
    throw shape_error(base_detail::message(function, ": block has ", block.extent(1),
                                           " channels, expected ", channels()));
  if (state_->stream.finished())
    throw invalid_argument("pyin_stream::push: the signal was finished; reset() begins another");
  state_->stream.push(function, block, sink);
}

template <class T>
void pyin_stream<T>::finish(pitch_sink sink) {
  if (!state_->stream.finished()) state_->stream.finish("pyin_stream::finish", sink);
}

template class pyin_plan<float>;
template class pyin_plan<double>;
template class pyin_stream<float>;
template class pyin_stream<double>;

}  // namespace papilio
