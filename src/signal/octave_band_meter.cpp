// Levels in octave bands: the filters of four bands are lanes of a vector.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/subnormals.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal/levels.hpp"
#include "signal/level_parts.hpp"

namespace papilio {
namespace {
namespace band_meter_steps {

using namespace level_parts;
constexpr std::size_t lane_count = 4;

using lanes = double __attribute__((vector_size(32)));

/// Coefficients of a section of four bands, and the states of one channel.
struct band_sections {
  double b0[lane_count] = {}, b1[lane_count] = {}, b2[lane_count] = {}, a1[lane_count] = {},
         a2[lane_count] = {};
};
struct band_states {
  double z0[lane_count] = {}, z1[lane_count] = {};
};
struct band_averages {
  double mean[lane_count] = {}, highest[lane_count] = {}, lowest[lane_count] = {},
         total[lane_count] = {}, part[lane_count] = {};
};

// A reference: vectors that functions return differ between builds with AVX and without.
using lanes_in_memory = double __attribute__((vector_size(32), may_alias, aligned(8)));
const lanes_in_memory& loaded(const double (&from)[lane_count]) {
  return reinterpret_cast<const lanes_in_memory&>(from);
}
void store(double (&to)[lane_count], const lanes& value) { std::memcpy(to, &value, sizeof value); }

/// Filters rows in place by `Count` sections, which are in flight at once.
template <std::size_t Count>
void run_sections(const band_sections* sections, band_states* states, lanes* rows,
                  std::size_t count) {
  lanes z0[Count], z1[Count];
  for (std::size_t s = 0; s < Count; ++s) {
    z0[s] = loaded(states[s].z0);
    z1[s] = loaded(states[s].z1);
  }
  for (std::size_t n = 0; n < count; ++n) {
    lanes x = rows[n];
#pragma GCC unroll 4
    for (std::size_t s = 0; s < Count; ++s) {
      const band_sections& c = sections[s];
      const lanes y = loaded(c.b0) * x + z0[s];
      z0[s] = (loaded(c.b1) * x + z1[s]) - loaded(c.a1) * y;
      z1[s] = loaded(c.b2) * x - loaded(c.a2) * y;
      x = y;
    }
    rows[n] = x;
  }
  for (std::size_t s = 0; s < Count; ++s) {
    store(states[s].z0, z0[s]);
    store(states[s].z1, z1[s]);
  }
}

void average_rows(band_averages& of, const lanes* rows, std::size_t count,
                  const meter_clock& clock) {
  lanes mean = loaded(of.mean), highest = loaded(of.highest), lowest = loaded(of.lowest),
        part = loaded(of.part);
  const bool is_settled = clock.is_settled();
  for (std::size_t n = 0; n < count; ++n) {
    const lanes square = rows[n] * rows[n];
    part += square;
    mean = clock.keep * mean + clock.take * square;
    highest = mean > highest ? mean : highest;
    if (is_settled) lowest = mean < lowest ? mean : lowest;
  }
  store(of.mean, mean);
  store(of.highest, highest);
  store(of.lowest, lowest);
  store(of.part, part);
}

/// Filters of up to four bands side by side, and what each channel has in them.
class band_group {
 public:
  band_group(std::span<const std::vector<sos_section>> bands, std::size_t channels)
      : averages_(channels) {
    std::size_t most = 0;
    for (const auto& band : bands) most = std::max(most, band.size());
    sections_.resize(most);
    for (std::size_t s = 0; s < most; ++s)
      for (std::size_t l = 0; l < bands.size(); ++l) {
        const sos_section c = s < bands[l].size() ? bands[l][s] : sos_section{};
        band_sections& to = sections_[s];
        to.b0[l] = c.b0;
        to.b1[l] = c.b1;
        to.b2[l] = c.b2;
        to.a1[l] = c.a1;
        to.a2[l] = c.a2;
      }
    states_.resize(most * channels);
    reset();
  }

  void run(std::size_t channel, view<const double, 2> samples, const meter_clock& clock) {
    lanes rows[rows_at_once];
    const std::size_t count = samples.extent(0);
    for (std::size_t n = 0; n < count; ++n) {
      const double x = samples(n, channel);
      rows[n] = lanes{x, x, x, x};
    }
    band_states* const states = states_.data() + channel * sections_.size();
    std::size_t s = 0;
    for (; s + 3 <= sections_.size(); s += 3)
      run_sections<3>(sections_.data() + s, states + s, rows, count);
    for (; s < sections_.size(); ++s)
      run_sections<1>(sections_.data() + s, states + s, rows, count);
    average_rows(averages_[channel], rows, count, clock);
  }
  void end_interval() {
    for (band_averages& of : averages_)
      for (std::size_t l = 0; l < lane_count; ++l) {
        of.total[l] += of.part[l];
        of.part[l] = 0;
      }
  }
  running_average average(std::size_t channel, std::size_t lane) const {
    const band_averages& of = averages_[channel];
    return {of.mean[lane], of.highest[lane], of.lowest[lane], of.total[lane], of.part[lane]};
  }
  void reset() {
    std::ranges::fill(states_, band_states());
    band_averages first;
    std::ranges::fill(first.lowest, infinity);
    std::ranges::fill(averages_, first);
  }

 private:
  std::vector<band_sections> sections_;
  std::vector<band_states> states_;      // [channels, sections]
  std::vector<band_averages> averages_;  // [channels]
};

std::vector<band_group> groups_of(std::span<const octave_band> bands, double rate_hz,
                                  std::size_t channels) {
  require(!bands.empty(), "octave_band_meter", "bands", "at least 1", bands.size());
  std::vector<std::vector<sos_section>> sections;
  for (const octave_band& band : bands) sections.push_back(octave_band_sections(band, rate_hz));
  std::vector<band_group> groups;
  for (std::size_t first = 0; first < sections.size(); first += lane_count)
    groups.emplace_back(
        std::span(sections).subspan(first, std::min(lane_count, sections.size() - first)),
        channels);
  return groups;
}

}  // namespace band_meter_steps
}  // namespace

template <class T>
struct octave_band_meter<T>::state {
  state(const sound_level_options& o, std::span<const octave_band> of, std::size_t channel_count)
      : options(band_meter_steps::checked("octave_band_meter", o, channel_count)),
        bands(of.begin(), of.end()),
        channels(channel_count),
        clock(o),
        weighting(o.weighting, o.rate_hz, channels),
        rows({band_meter_steps::rows_at_once, channels}),
        groups(band_meter_steps::groups_of(of, o.rate_hz, channels)) {}

  void take(view<const T, 2> block) {
    const base_detail::subnormals_are_zero flushed;
    const std::size_t count = block.extent(0);
    const view<double, 2> weighted = rows.view().slice(0, 0, count);
    band_meter_steps::copy_rows(block, weighted);
    weighting.run(weighted);
    for (std::size_t c = 0; c < channels; ++c)
      for (band_meter_steps::band_group& group : groups) group.run(c, weighted, clock);
    clock.samples += count;
    if (!clock.ends_interval()) return;
    for (band_meter_steps::band_group& group : groups) group.end_interval();
  }

  sound_level_options options;
  std::vector<octave_band> bands;
  std::size_t channels;
  band_meter_steps::meter_clock clock;
  band_meter_steps::weighting_stage weighting;
  array<double, 2> rows;
  std::vector<band_meter_steps::band_group> groups;
};

template <class T>
octave_band_meter<T>::octave_band_meter(const sound_level_options& options,
                                        std::span<const octave_band> bands, std::size_t channels)
    : state_(std::make_unique<state>(options, bands, channels)) {}
template <class T>
octave_band_meter<T>::octave_band_meter(const octave_band_meter& other)
    : state_(std::make_unique<state>(*other.state_)) {}
template <class T>
octave_band_meter<T>::octave_band_meter(octave_band_meter&&) noexcept = default;
template <class T>
octave_band_meter<T>& octave_band_meter<T>::operator=(octave_band_meter other) noexcept {
  state_.swap(other.state_);
  return *this;
}
template <class T>
octave_band_meter<T>::~octave_band_meter() = default;

template <class T>
const sound_level_options& octave_band_meter<T>::options() const {
  return state_->options;
}
template <class T>
std::span<const octave_band> octave_band_meter<T>::bands() const {
  return state_->bands;
}
template <class T>
std::size_t octave_band_meter<T>::channels() const {
  return state_->channels;
}
template <class T>
std::uint64_t octave_band_meter<T>::samples() const {
  return state_->clock.samples;
}

template <class T>
void octave_band_meter<T>::push(view<const T, 2> block) {
  band_meter_steps::require_block("octave_band_meter::push", block, channels());
  for (std::size_t done = 0; done < block.extent(0);) {
    const std::size_t count = state_->clock.next_rows(block.extent(0) - done);
    state_->take(block.slice(0, done, count));
    done += count;
  }
}

template <class T>
band_levels octave_band_meter<T>::levels(std::size_t channel, std::size_t band) const {
  using namespace band_meter_steps;
  constexpr const char* function = "octave_band_meter::levels";
  require_channel(function, samples(), channel, channels());
  if (band >= state_->bands.size())
    throw invalid_argument(base_detail::message(function, ": band must be below ",
                                                state_->bands.size(), ", got ", band));
  return state_->groups[band / lane_count]
      .average(channel, band % lane_count)
      .levels(state_->clock, state_->options.full_scale_db);
}

template <class T>
void octave_band_meter<T>::reset() {
  state_->clock.samples = 0;
  state_->weighting.reset();
  for (band_meter_steps::band_group& group : state_->groups) group.reset();
}

template class octave_band_meter<float>;
template class octave_band_meter<double>;

}  // namespace papilio
