#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "papilio/signal/rhythm.hpp"
#include "papilio/signal/stft.hpp"
#include "signal/onset_envelope.hpp"

namespace papilio {
namespace {
namespace onset_steps {

using namespace rhythm_parts;
using signal_detail::level_stream;
using signal_detail::onset_rises;

// Most levels that are kept, rather than computed twice.
constexpr std::size_t most_levels = std::size_t{1} << 23;
constexpr double span_db = 80;

const onset_options& checked(const onset_options& o) {
  constexpr const char* function = "onset_strength";
  require_positive(function, "rate_hz", o.rate_hz);
  require(o.n_fft >= 2 && o.n_fft <= max_n_fft, function, "n_fft", "2 ... 16777216", o.n_fft);
  require(o.hop >= 1, function, "hop", "at least 1", o.hop);
  require(o.bands >= 1 && o.bands <= 1024, function, "bands", "1 ... 1024", o.bands);
  require(o.lag >= 1 && o.lag <= longest_window, function, "lag", "1 ... 65536", o.lag);
  if (o.floor_db)
    require(std::abs(*o.floor_db) <= 1e4, function, "floor_db", "-1e4 ... 1e4", *o.floor_db);
  return o;
}

onset_rises rises_of(const onset_options& o, double floor_db) {
  return {o.bands, o.lag, o.n_fft / (2 * o.hop), o.aggregate, static_cast<float>(floor_db)};
}

}  // namespace onset_steps
}  // namespace

using namespace onset_steps;

template <class T>
array<double, 1> onset_strength(std::span<const T> signal, const onset_options& o) {
  constexpr std::size_t block = std::size_t{1} << 16;
  checked(o);
  if (signal.empty())
    throw invalid_argument("onset_strength: signal must have at least 1 sample, got 0");
  require_finite("onset_strength", "signal", signal);
  signal_detail::onset_envelope<T> envelope(o, 1);
  while (envelope.wants_more()) {
    for (std::size_t i = 0; i < signal.size(); i += block) {
      const std::size_t size = std::min(block, signal.size() - i);
      envelope.push(view<const T, 2>(signal.data() + i, {size, 1}));
    }
    envelope.end_pass();
  }
  const std::vector<double> strength = envelope.take();
  array<double, 1> out({strength.size()});
  std::ranges::copy(strength, out.begin());
  return out;
}

array<double, 1> onset_strength(view<const float, 2> levels_db, std::size_t lag, std::size_t shift,
                                onset_aggregate aggregate) {
  constexpr const char* function = "onset_strength";
  const std::size_t segments = levels_db.extent(0), bands = levels_db.extent(1);
  require(bands >= 1, function, "levels_db", "of at least 1 band", bands);
  require(lag >= 1, function, "lag", "at least 1", lag);
  array<double, 1> strength({segments});
  // Nothing rises, and nothing is seen, beyond the last segment.
  onset_rises rises(bands, std::min(lag, segments + 1), std::min(shift, segments), aggregate,
                    std::numeric_limits<float>::lowest());
  std::vector<float> row(bands);
  for (std::size_t s = 0; s < segments; ++s) {
    for (std::size_t b = 0; b < bands; ++b) row[b] = levels_db(s, b);
    require_finite<float>(function, "levels_db", row);
    strength[s] = rises.push(row);
  }
  return strength;
}

template <class T>
struct onset_stream<T>::state {
  level_stream<T> levels;
  onset_rises rises;
  std::uint64_t segments = 0;

  void add(std::span<const float> one, onset_sink sink) { sink(segments++, rises.push(one)); }
};

template <class T>
onset_stream<T>::onset_stream(const onset_options& o, std::size_t channels) {
  checked(o);
  if (!o.floor_db)
    throw invalid_argument("onset_stream: floor_db must be given: the highest level is not known");
  state_ = std::make_unique<state>(
      state{.levels = level_stream<T>(o, channels), .rises = rises_of(o, *o.floor_db)});
}
template <class T>
onset_stream<T>::onset_stream(onset_stream&&) noexcept = default;
template <class T>
onset_stream<T>& onset_stream<T>::operator=(onset_stream&&) noexcept = default;
template <class T>
onset_stream<T>::~onset_stream() = default;

template <class T>
std::size_t onset_stream<T>::channels() const {
  return state_->levels.channels();
}
template <class T>
std::uint64_t onset_stream<T>::segments() const {
  return state_->segments;
}
template <class T>
double onset_stream<T>::highest_db() const {
  return double{state_->levels.highest_db()};
}

template <class T>
void onset_stream<T>::push(view<const T, 2> block, onset_sink sink) {
  for (std::size_t i = 0; i < block.extent(0); ++i)
    for (std::size_t c = 0; c < block.extent(1); ++c)
      if (!std::isfinite(block(i, c)))
        throw invalid_argument(base_detail::message("onset_stream: block must be finite, got ",
                                                    block(i, c), " at ", i));
  state_->levels.push(block, [&](std::span<const float> one) { state_->add(one, sink); });
}

template <class T>
void onset_stream<T>::finish(onset_sink sink) {
  state_->levels.finish([&](std::span<const float> one) { state_->add(one, sink); });
}

namespace signal_detail {

template <class T>
onset_envelope<T>::onset_envelope(const onset_options& o, std::size_t channels)
    : options_(checked(o)), channels_(channels) {
  if (!o.floor_db) levels_.emplace(o, channels);
}

template <class T>
bool onset_envelope<T>::wants_more() const {
  return !done_;
}

template <class T>
void onset_envelope<T>::keep(std::span<const float> levels_db) {
  if (!keeps_) return;
  kept_.insert(kept_.end(), levels_db.begin(), levels_db.end());
  if (kept_.size() <= most_levels) return;
  std::vector<float>().swap(kept_);
  keeps_ = false;
}

template <class T>
void onset_envelope<T>::push(view<const T, 2> block) {
  if (levels_) return levels_->push(block, [&](std::span<const float> one) { keep(one); });
  if (!stream_) stream_.emplace(options_, channels_);
  stream_->push(block, [&](std::uint64_t, double v) { strength_.push_back(v); });
}

template <class T>
void onset_envelope<T>::end_pass() {
  if (!levels_) {
    if (stream_) stream_->finish([&](std::uint64_t, double v) { strength_.push_back(v); });
    done_ = true;
    return;
  }
  levels_->finish([&](std::span<const float> one) { keep(one); });
  options_.floor_db = double{levels_->highest_db()} - span_db;
  const std::uint64_t segments = levels_->segments();
  levels_.reset();
  if (!keeps_) return;
  onset_rises rises = rises_of(options_, *options_.floor_db);
  for (std::size_t s = 0; s < segments; ++s)
    strength_.push_back(
        rises.push(std::span<const float>(kept_).subspan(s * options_.bands, options_.bands)));
  done_ = true;
}

template class onset_envelope<float>;
template class onset_envelope<double>;

}  // namespace signal_detail

template class onset_stream<float>;
template class onset_stream<double>;
template PAPILIO_API array<double, 1> onset_strength(std::span<const float>, const onset_options&);
template PAPILIO_API array<double, 1> onset_strength(std::span<const double>, const onset_options&);

}  // namespace papilio
