#include "papilio/signal/mel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/share.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"
#include "papilio/signal/host_signals.hpp"
#include "papilio/signal/stft.hpp"
#include "signal/placed_run.hpp"

namespace papilio {
namespace {

constexpr std::size_t most_bands = std::size_t{1} << 20;
// Number of bands that are summed at once; their weights of a bin lie side by side.
constexpr std::size_t group_lanes = 8;

template <class Value>
void require_mel(bool good, const char* name, const char* bound, Value value) {
  if (!good)
    throw invalid_argument(
        base_detail::message("mel_filterbank: ", name, " must be ", bound, ", got ", value));
}

std::vector<double> edges(double rate_hz, const mel_options& o) {
  const double top_hz = o.fmax_hz.value_or(rate_hz / 2);
  require_mel(o.bands >= 1 && o.bands <= most_bands, "bands", "1 ... 1048576", o.bands);
  require_mel(o.fmin_hz >= 0 && o.fmin_hz < top_hz, "fmin_hz", "at least 0 and below fmax_hz",
              o.fmin_hz);
  require_mel(top_hz <= rate_hz / 2, "fmax_hz", "at most rate_hz / 2", top_hz);
  const double low = hz_to_mel(o.fmin_hz, o.scale), high = hz_to_mel(top_hz, o.scale);
  const double step = (high - low) / static_cast<double>(o.bands + 1);
  std::vector<double> result(o.bands + 2);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = mel_to_hz(i == o.bands + 1 ? high : low + step * static_cast<double>(i), o.scale);
  return result;
}

}  // namespace

template <class T>
mel_filterbank<T>::mel_filterbank(double rate_hz, std::size_t n_fft, const mel_options& options) {
  require_mel(rate_hz > 0 && std::isfinite(rate_hz), "rate_hz", "positive and finite", rate_hz);
  require_mel(n_fft >= 1 && n_fft <= max_n_fft, "n_fft", "1 ... 16777216", n_fft);
  bins_ = n_fft / 2 + 1;
  edges_hz_ = edges(rate_hz, options);
  const double bin_hz = rate_hz / static_cast<double>(n_fft);
  for (std::size_t band = 0; band < options.bands; ++band) {
    const double low = edges_hz_[band], centre = edges_hz_[band + 1], high = edges_hz_[band + 2];
    const double height = options.norm == mel_norm::slaney ? 2 / (high - low) : 1;
    filter f{0, weights_.size(), 0};
    const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(low / bin_hz)));
    for (std::size_t k = first; k < bins_ && static_cast<double>(k) * bin_hz < high; ++k) {
      const double hz = static_cast<double>(k) * bin_hz;
      const double weight = std::min((hz - low) / (centre - low), (high - hz) / (high - centre));
      if (!(weight > 0)) continue;  // nor is 0 / 0, of edges that fall together
      if (f.count++ == 0) f.first_bin = k;
      weights_.push_back(static_cast<T>(weight * height));
      if (!std::isfinite(weights_.back()))
        throw invalid_argument(base_detail::message("mel_filterbank: weights must be finite, got ",
                                                    weights_.back(), " in band ", band));
    }
    if (f.count == 0) empty_.push_back(band);
    filters_.push_back(f);
  }
  group_bands();
}

template <class T>
mel_filterbank<T>::mel_filterbank(std::vector<double> edges_hz, view<const T, 2> weights)
    : bins_(weights.extent(1)), edges_hz_(std::move(edges_hz)) {
  for (std::size_t band = 0; band < weights.extent(0); ++band) {
    filter f{0, weights_.size(), 0};
    for (std::size_t k = 0; k < bins_; ++k) {
      if (weights(band, k) == 0) continue;
      if (f.count == 0) f.first_bin = k;
      f.count = k + 1 - f.first_bin;
    }
    for (std::size_t k = 0; k < f.count; ++k) weights_.push_back(weights(band, f.first_bin + k));
    if (f.count == 0) empty_.push_back(band);
    filters_.push_back(f);
  }
  group_bands();
}

// The adjoint has a row for each bin, over the bands that the bin lies in, from the first to the
// last; weights of 0 stand between.
template <class T>
mel_filterbank<T> mel_filterbank<T>::adjoint() const {
  mel_filterbank transposed;
  transposed.bins_ = bands();
  transposed.edges_hz_ = edges_hz_;
  std::vector<filter>& rows = transposed.filters_;
  rows.resize(bins_, {0, 0, 0});
  for (std::size_t band = 0; band < bands(); ++band)
    for (std::size_t k = 0; k < filters_[band].count; ++k) {
      filter& row = rows[filters_[band].first_bin + k];
      if (row.count == 0) row.first_bin = band;
      row.count = band + 1 - row.first_bin;
    }
  std::size_t size = 0;
  for (std::size_t bin = 0; bin < bins_; ++bin) {
    rows[bin].first_weight = size;
    size += rows[bin].count;
    if (rows[bin].count == 0) transposed.empty_.push_back(bin);
  }
  transposed.weights_.resize(size);
  for (std::size_t band = 0; band < bands(); ++band)
    for (std::size_t k = 0; k < filters_[band].count; ++k) {
      const filter& row = rows[filters_[band].first_bin + k];
      transposed.weights_[row.first_weight + (band - row.first_bin)] =
          weights_[filters_[band].first_weight + k];
    }
  transposed.group_bands();
  return transposed;
}

// Bands with the same bins form a group. In an adjoint most bins between two edges have the same
// two bands.
template <class T>
void mel_filterbank<T>::group_bands() {
  for (std::size_t band = 0; band < bands(); ++band) {
    const filter& f = filters_[band];
    if (!groups_.empty() && groups_.back().bins.first_bin == f.first_bin &&
        groups_.back().bins.count == f.count)
      ++groups_.back().bands;
    else
      groups_.push_back({f, band, 1});
  }
  for (group& g : groups_) {
    if (g.bands == 1) continue;
    g.bins.first_weight = group_weights_.size();
    for (std::size_t b = 0; b < g.bands; b += group_lanes)
      for (std::size_t k = 0; k < g.bins.count; ++k)
        for (std::size_t lane = b; lane < b + group_lanes; ++lane)
          group_weights_.push_back(lane < g.bands ? weights(g.first_band + lane)[k] : T(0));
  }
}

template <class T>
std::span<const T> mel_filterbank<T>::weights(std::size_t band) const {
  return {weights_.data() + filters_[band].first_weight, filters_[band].count};
}

template <class T>
array<T, 2> mel_filterbank<T>::dense() const {
  array<T, 2> all({bands(), bins_});
  for (std::size_t band = 0; band < bands(); ++band)
    std::ranges::copy(weights(band), &all(band, 0) + first_bin(band));
  return all;
}

namespace {

constexpr const char* apply_name = "mel_filterbank::apply";

template <class T>
void require_fit(const mel_filterbank<T>& filters, view<const T, 2> power, view<T, 2> out) {
  const std::size_t bins = filters.bins(), bands = filters.bands();
  if (power.extent(1) != bins || out.extent(1) != bands || out.extent(0) != power.extent(0))
    throw shape_error(base_detail::message("mel_filterbank::apply: power must be segments x ", bins,
                                           " and out segments x ", bands, ", got ", power.extent(0),
                                           " x ", power.extent(1), " and ", out.extent(0), " x ",
                                           out.extent(1)));
  base_detail::require_distinct("mel_filterbank::apply", out);
  if (base_detail::reach(power).overlaps(base_detail::reach(out)))
    throw invalid_argument("mel_filterbank::apply: out overlaps power");
}

template <class T>
T weighted_sum(const T* weight, const T* from, std::ptrdiff_t step, std::size_t count) {
  T sum = 0;
  for (std::size_t k = 0; k < count; ++k)
    sum += weight[k] * from[static_cast<std::ptrdiff_t>(k) * step];
  return sum;
}

// Computes weighted sums, each in the order of weighted_sum, of group_lanes bands at a time.
template <class T>
void weighted_sums(const T* weight, const T* from, std::ptrdiff_t step, std::size_t count, T* to,
                   std::size_t bands) {
  for (std::size_t b = 0; b < bands; b += group_lanes) {
    T sums[group_lanes] = {};
    for (std::size_t k = 0; k < count; ++k, weight += group_lanes)
      for (std::size_t lane = 0; lane < group_lanes; ++lane)
        sums[lane] += weight[lane] * from[static_cast<std::ptrdiff_t>(k) * step];
    std::copy_n(sums, group_lanes, to + b);
  }
}

gemm_problem bands_problem(std::size_t segments, std::size_t bins, std::size_t bands,
                           real_type type) {
  return {.m = segments, .k = bins, .n = bands, .type = type};
}

}  // namespace

template <class T>
void mel_filterbank<T>::apply(view<const T, 2> power, view<T, 2> out, int threads) const {
  require_fit(*this, power, out);
  const std::ptrdiff_t step = power.stride(1);
  const auto run = [&](std::size_t first, std::size_t last, std::size_t) {
    std::vector<T> sums(bands() + group_lanes);  // a group's last lanes are the next one's first
    for (std::size_t s = first; s < last; ++s) {
      const T* const row = power.data() + static_cast<std::ptrdiff_t>(s) * power.stride(0);
      for (const group& g : groups_) {
        const T* const from = row + static_cast<std::ptrdiff_t>(g.bins.first_bin) * step;
        T* const to = sums.data() + g.first_band;
        if (g.bands == 1)
          *to = weighted_sum(weights_.data() + g.bins.first_weight, from, step, g.bins.count);
        else
          weighted_sums(group_weights_.data() + g.bins.first_weight, from, step, g.bins.count, to,
                        g.bands);
      }
      T* to = out.data() + static_cast<std::ptrdiff_t>(s) * out.stride(0);
      if (out.stride(1) == 1)
        std::copy_n(sums.data(), bands(), to);
      else
        for (std::size_t band = 0; band < bands(); ++band, to += out.stride(1)) *to = sums[band];
    }
  };
  base_detail::share(out.extent(0), base_detail::team_of(threads), run);
}

template <class T>
void mel_filterbank<T>::apply(view<const T, 2> power, view<T, 2> out, const execution& on) const {
  if (on.where != policy::device) {
    signal_detail::require_host(apply_name, "mel_filterbank", "", on);
    apply(power, out, on.threads);
    return;
  }
  require_fit(*this, power, out);
  const gemm_problem what =
      bands_problem(std::max<std::size_t>(1, power.extent(0)), bins_, bands(), real_type_of<T>);
  accelerator* const device = place(apply_name, what, on, host_signals());
  if (out.empty()) return;
  const array<T, 2> weights = dense();
  const view<const T, 2> columns(weights.data(), {bins_, bands()},
                                 {1, static_cast<std::ptrdiff_t>(bins_)});
  run_on(apply_name, *device, what, on.precision, {power, columns}, {out});
}

template <class T>
array<T, 2> mel_filterbank<T>::apply(view<const T, 2> power, const execution& on) const {
  array<T, 2> out({power.extent(0), bands()});
  apply(power, out, on);
  return out;
}

template <class T>
device_array<float, 2> mel_filterbank<T>::weights_on(accelerator& on) const
  requires std::same_as<T, float>
{
  dispatch_detail::require_no_capture("mel_filterbank::weights_on", on);
  const array<T, 2> weights = dense();
  const view<const T, 2> columns(weights.data(), {bins_, bands()},
                                 {1, static_cast<std::ptrdiff_t>(bins_)});
  // Clang 14 compiles it for double too, against the constraint.
  if constexpr (std::same_as<T, float>)
    return to_device(on, columns);
  else
    __builtin_unreachable();
}

template <class T>
shared_tensor mel_filterbank<T>::bands_on_device(const shared_tensor& power,
                                                 const shared_tensor& weights,
                                                 const execution& on) const {
  operand_shape shape = power->shape();
  const std::vector<std::size_t>& w = weights->shape().extents;
  if (shape.extents.back() != bins_ || w[0] != bins_ || w[1] != bands())
    throw shape_error(base_detail::message(apply_name, ": power must have ", bins_,
                                           " bins along the last axis, got ", shape.extents.back(),
                                           "; weights must be ", bins_, " x ", bands(), ", got ",
                                           w[0], " x ", w[1]));
  accelerator& device = place_device_array(apply_name, power->on(apply_name), on);
  const gemm_problem what =
      bands_problem(shape.count() / bins_, bins_, bands(), real_type::single_precision);
  shape.extents.back() = bands();
  return run_to_new(apply_name, device, what, on.precision, {power, weights}, {shape})[0];
}

template <class T>
array<T, 2> mel_filterbank<T>::apply(view<const T, 2> power, int threads) const {
  array<T, 2> out({power.extent(0), bands()});
  apply(power, out, threads);
  return out;
}

template class mel_filterbank<float>;
template class mel_filterbank<double>;

}  // namespace papilio
