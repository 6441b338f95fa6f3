#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/subnormals.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal/filters.hpp"
#include "signal/filter_block.hpp"

namespace papilio {
namespace {
namespace sos_steps {

// Channels side by side: a vector of SSE2 or AVX where the build has it. Each lane computes what a
// scalar would, so that bits do not depend on a channel's neighbours.
using two_lanes = double __attribute__((vector_size(16)));
#ifdef __AVX__
using most_lanes = double __attribute__((vector_size(32)));
#else
using most_lanes = two_lanes;
#endif

constexpr std::size_t rows_at_once = 256, sections_at_once = 4;

template <class Lanes>
constexpr std::size_t lane_count = sizeof(Lanes) / sizeof(double);

template <class Lanes>
double& lane(Lanes& values, std::size_t i) {
  return reinterpret_cast<double*>(&values)[i];
}

/// Filters rows in place by `Count` sections, sample by sample, so that the recursions of several
/// sections are in flight at once. `state` is [sections, channels, 2] from the first of these.
template <std::size_t Count, class Lanes>
void run_sections(const sos_section* sections, double* state, std::size_t state_stride, Lanes* rows,
                  std::size_t count) {
  Lanes z0[Count], z1[Count];
  for (std::size_t s = 0; s < Count; ++s)
    for (std::size_t i = 0; i < lane_count<Lanes>; ++i) {
      lane(z0[s], i) = state[s * state_stride + 2 * i];
      lane(z1[s], i) = state[s * state_stride + 2 * i + 1];
    }
  for (std::size_t n = 0; n < count; ++n) {
    Lanes x = rows[n];
#pragma GCC unroll 4
    for (std::size_t s = 0; s < Count; ++s) {
      const sos_section& c = sections[s];
      const Lanes y = c.b0 * x + z0[s];
      z0[s] = c.b1 * x - c.a1 * y + z1[s];
      z1[s] = c.b2 * x - c.a2 * y;
      x = y;
    }
    rows[n] = x;
  }
  for (std::size_t s = 0; s < Count; ++s)
    for (std::size_t i = 0; i < lane_count<Lanes>; ++i) {
      state[s * state_stride + 2 * i] = lane(z0[s], i);
      state[s * state_stride + 2 * i + 1] = lane(z1[s], i);
    }
}

template <class Lanes>
void run_cascade(std::span<const sos_section> sections, double* state, std::size_t state_stride,
                 Lanes* rows, std::size_t count) {
  while (!sections.empty()) {
    const std::size_t some = std::min(sections.size(), sections_at_once);
    switch (some) {
      case 1:
        run_sections<1>(sections.data(), state, state_stride, rows, count);
        break;
      case 2:
        run_sections<2>(sections.data(), state, state_stride, rows, count);
        break;
      case 3:
        run_sections<3>(sections.data(), state, state_stride, rows, count);
        break;
      default:
        run_sections<4>(sections.data(), state, state_stride, rows, count);
    }
    sections = sections.subspan(some);
    state += some * state_stride;
  }
}

/// Filters one channel's rows in place by 2 `Pairs` sections, or one less if `Odd`, two side by side. At
/// step t, lane l of pair j filters sample t - j - l: what the lane before it made one step earlier,
/// or in the same step the pair before it. Each lane has its samples in order, and their bits.
template <std::size_t Pairs, bool Odd>
class section_pairs {
 public:
  section_pairs(const sos_section* sections, double* state, std::size_t state_stride)
      : state_(state), state_stride_(state_stride) {
    for (std::size_t s = 0; s < 2 * Pairs; ++s) {
      const bool is_there = s < 2 * Pairs - Odd;
      const sos_section c = is_there ? sections[s] : sos_section{.b0 = 0};
      const std::size_t j = s / 2, l = s % 2;
      lane(b0_[j], l) = c.b0;
      lane(b1_[j], l) = c.b1;
      lane(b2_[j], l) = c.b2;
      lane(a1_[j], l) = c.a1;
      lane(a2_[j], l) = c.a2;
      lane(z0_[j], l) = is_there ? state[s * state_stride] : 0;
      lane(z1_[j], l) = is_there ? state[s * state_stride + 1] : 0;
    }
  }

  void run(double* rows, std::size_t count) {
    const std::size_t steps = count + latency, full = std::min(count, latency);
    std::size_t t = 0;
    for (; t < full; ++t) step_some(rows, count, t);
    if (count > latency) run_all(rows, count);
    for (t = count; t < steps; ++t) step_some(rows, count, t);
    for (std::size_t s = 0; s < 2 * Pairs - Odd; ++s) {
      state_[s * state_stride_] = lane(z0_[s / 2], s % 2);
      state_[s * state_stride_ + 1] = lane(z1_[s / 2], s % 2);
    }
  }

 private:
  static constexpr std::size_t latency = Odd ? Pairs - 1 : Pairs;

  // The steps at which every lane has a sample.
  void run_all(double* rows, std::size_t count) {
    two_lanes z0[Pairs], z1[Pairs];
    double made[Pairs];  // by the first lane of each pair, one step ago
    std::copy_n(z0_, Pairs, z0);
    std::copy_n(z1_, Pairs, z1);
    std::copy_n(made_, Pairs, made);
    for (std::size_t t = latency; t < count; ++t) {
      double from = rows[t];
#pragma GCC unroll 4
      for (std::size_t j = 0; j < Pairs; ++j) {
        const two_lanes x = {from, made[j]}, y = b0_[j] * x + z0[j];
        z0[j] = b1_[j] * x - a1_[j] * y + z1[j];
        z1[j] = b2_[j] * x - a2_[j] * y;
        made[j] = y[0];
        from = y[Odd && j + 1 == Pairs ? 0 : 1];
      }
      rows[t - latency] = from;
    }
    std::copy_n(z0, Pairs, z0_);
    std::copy_n(z1, Pairs, z1_);
    std::copy_n(made, Pairs, made_);
  }

  // A step at which some lanes have no sample, and wait.
  void step_some(double* rows, std::size_t count, std::size_t t) {
    double from = t < count ? rows[t] : 0;
    for (std::size_t s = 0; s < 2 * Pairs - Odd; ++s) {
      const std::size_t j = s / 2, l = s % 2;
      const double x = l == 0 ? from : std::exchange(made_[j], from_first_);
      double y = 0;
      if (t >= j + l && t - j - l < count) {
        y = lane(b0_[j], l) * x + lane(z0_[j], l);
        lane(z0_[j], l) = lane(b1_[j], l) * x - lane(a1_[j], l) * y + lane(z1_[j], l);
        lane(z1_[j], l) = lane(b2_[j], l) * x - lane(a2_[j], l) * y;
      }
      if (l == 0) from_first_ = y;
      from = y;
    }
    if (t >= latency) rows[t - latency] = from;
  }

  double* state_;
  std::size_t state_stride_;
  two_lanes b0_[Pairs], b1_[Pairs], b2_[Pairs], a1_[Pairs], a2_[Pairs], z0_[Pairs], z1_[Pairs];
  double made_[Pairs] = {}, from_first_ = 0;
};

/// Filters one channel: up to eight sections at once.
void run_one_channel(std::span<const sos_section> sections, double* state, std::size_t state_stride,
                     double* rows, std::size_t count) {
  const auto run_pairs = [&]<std::size_t Pairs, bool Odd>() {
    section_pairs<Pairs, Odd>(sections.data(), state, state_stride).run(rows, count);
  };
  while (!sections.empty()) {
    const std::size_t some = std::min<std::size_t>(sections.size(), 8);
    switch (some) {
      case 1:
        run_sections<1>(sections.data(), state, state_stride, rows, count);
        break;
      case 2:
        run_pairs.template operator()<1, false>();
        break;
      case 3:
        run_pairs.template operator()<2, true>();
        break;
      case 4:
        run_pairs.template operator()<2, false>();
        break;
      case 5:
        run_pairs.template operator()<3, true>();
        break;
      case 6:
        run_pairs.template operator()<3, false>();
        break;
      case 7:
        run_pairs.template operator()<4, true>();
        break;
      default:
        run_pairs.template operator()<4, false>();
    }
    sections = sections.subspan(some);
    state += some * state_stride;
  }
}

/// Filters the channels from `first` on that are as many as lanes, of at most rows_at_once samples.
template <class Lanes, class T>
void run_channels(std::span<const sos_section> sections, view<double, 3> state, std::size_t first,
                  view<const T, 2> in, view<T, 2> out) {
  constexpr std::size_t lanes = lane_count<Lanes>;
  Lanes rows[rows_at_once];
  const std::size_t count = in.extent(0), state_stride = 2 * state.extent(1);
  const std::ptrdiff_t step_in = in.stride(0), side_in = in.stride(1), step_out = out.stride(0),
                       side_out = out.stride(1);
  const T* from = &in(0, first);
  for (std::size_t n = 0; n < count; ++n, from += step_in)
    for (std::size_t i = 0; i < lanes; ++i)
      lane(rows[n], i) = static_cast<double>(from[static_cast<std::ptrdiff_t>(i) * side_in]);
  if constexpr (lanes == 1)
    run_one_channel(sections, &state(0, first, 0), state_stride, rows, count);
  else
    run_cascade(sections, &state(0, first, 0), state_stride, rows, count);
  T* to = &out(0, first);
  for (std::size_t n = 0; n < count; ++n, to += step_out)
    for (std::size_t i = 0; i < lanes; ++i)
      to[static_cast<std::ptrdiff_t>(i) * side_out] = static_cast<T>(lane(rows[n], i));
}

std::vector<sos_section> checked(std::span<const sos_section> sections) {
  if (sections.empty()) throw invalid_argument("sos_filter: sections must be at least 1, got 0");
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const sos_section& s = sections[i];
    for (const double c : {s.b0, s.b1, s.b2, s.a1, s.a2})
      if (!std::isfinite(c))
        throw invalid_argument(base_detail::message("sos_filter: coefficients must be finite, got ",
                                                    c, " in section ", i));
  }
  return {sections.begin(), sections.end()};
}

std::size_t checked_channels(std::size_t channels) {
  if (channels == 0) throw invalid_argument("sos_filter: channels must be at least 1, got 0");
  return channels;
}

}  // namespace sos_steps
}  // namespace

array<double, 2> sosfilt_zi(std::span<const sos_section> sections) {
  const std::vector<sos_section> checked = sos_steps::checked(sections);
  array<double, 2> zi({checked.size(), 2});
  double level = 1;  // of the section's input
  for (std::size_t i = 0; i < checked.size(); ++i) {
    const sos_section& s = checked[i];
    const double below = 1 + s.a1 + s.a2, z0 = (s.b1 - s.a1 * s.b0 + (s.b2 - s.a2 * s.b0)) / below;
    if (below == 0)
      throw invalid_argument(base_detail::message(
          "sosfilt_zi: sections must have no pole at 0 Hz, but section ", i, " has"));
    zi(i, 0u) = level * z0;
    zi(i, 1u) = level * ((1 + s.a1) * z0 - (s.b1 - s.a1 * s.b0));
    level *= (s.b0 + s.b1 + s.b2) / below;
  }
  return zi;
}

template <class T>
sos_filter<T>::sos_filter(std::span<const sos_section> sections, std::size_t channels)
    : sections_(sos_steps::checked(sections)),
      state_({sections.size(), sos_steps::checked_channels(channels), 2}) {
  reset();
}

template <class T>
void sos_filter<T>::reset() {
  std::ranges::fill(state_, 0.0);
}

template <class T>
void sos_filter<T>::set_state(view<const double, 3> state) {
  if (state.extents() != state_.extents())
    throw shape_error(base_detail::message(
        "sos_filter::set_state: state must be ", sections_.size(), " x ", channels(), " x 2, got ",
        state.extent(0), " x ", state.extent(1), " x ", state.extent(2)));
  for (std::size_t s = 0; s < sections_.size(); ++s)
    for (std::size_t c = 0; c < channels(); ++c)
      for (std::size_t i = 0; i < 2; ++i) state_(s, c, i) = state(s, c, i);
}

template <class T>
void sos_filter<T>::settle(std::span<const T> first) {
  if (first.size() != channels())
    throw shape_error(base_detail::message("sos_filter::settle: first must have ", channels(),
                                           " values, a channel one, got ", first.size()));
  const array<double, 2> zi = sosfilt_zi(sections_);
  for (std::size_t s = 0; s < sections_.size(); ++s)
    for (std::size_t c = 0; c < channels(); ++c)
      for (std::size_t i = 0; i < 2; ++i)
        state_(s, c, i) = zi(s, i) * static_cast<double>(first[c]);
}

template <class T>
void sos_filter<T>::push(view<const T, 2> block, view<T, 2> out) {
  using namespace sos_steps;
  filter_parts::require_block("sos_filter::push", block, out, channels());
  if (block.empty()) return;
  const base_detail::subnormals_are_zero flushed;
  const view<double, 3> state = state_.view();
  for (std::size_t done = 0; done < block.extent(0); done += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, block.extent(0) - done);
    const view<const T, 2> in = block.slice(0, done, count);
    const view<T, 2> to = out.slice(0, done, count);
    std::size_t first = 0;
    for (; first + lane_count<most_lanes> <= channels(); first += lane_count<most_lanes>)
      run_channels<most_lanes, T>(sections_, state, first, in, to);
    for (; first + 2 <= channels(); first += 2)
      run_channels<two_lanes, T>(sections_, state, first, in, to);
    if (first < channels()) run_channels<double, T>(sections_, state, first, in, to);
  }
}

template <class T>
array<T, 1> sosfilt(std::span<const sos_section> sections, std::span<const T> signal) {
  sos_filter<T> filter(sections);
  array<T, 1> out(signal.size());
  filter.push(signal, out.flat());
  return out;
}

template class sos_filter<float>;
template class sos_filter<double>;
template PAPILIO_API array<float, 1> sosfilt(std::span<const sos_section>, std::span<const float>);
template PAPILIO_API array<double, 1> sosfilt(std::span<const sos_section>,
                                              std::span<const double>);

}  // namespace papilio
