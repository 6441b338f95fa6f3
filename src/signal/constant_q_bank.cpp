#include "signal/constant_q_bank.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "papilio/base/error.hpp"
#include "signal/window_transform.hpp"

namespace papilio::signal_detail {
namespace {
namespace constant_q_parts {

constexpr const char* name = "constant_q_options";
constexpr std::size_t most_hop = std::size_t{1} << 20, most_bins = std::size_t{1} << 14,
                      most_bins_per_octave = 1024, longest_atom = std::size_t{1} << 21;
// A block shorter than that costs more in its short transforms than in its atoms.
constexpr std::size_t least_block = std::size_t{1} << 15;

template <class Value>
void require(bool good, const char* option, const char* bound, Value value) {
  if (!good)
    throw invalid_argument(
        base_detail::message(name, ": ", option, " must be ", bound, ", got ", value));
}

constant_q_options checked(const constant_q_options& o) {
  require(o.rate_hz > 0 && std::isfinite(o.rate_hz), "rate_hz", "positive and finite", o.rate_hz);
  require(o.hop >= 1 && o.hop <= most_hop, "hop", "1 ... 1048576", o.hop);
  require(o.fmin_hz > 0 && std::isfinite(o.fmin_hz), "fmin_hz", "positive and finite", o.fmin_hz);
  require(o.bins >= 1 && o.bins <= most_bins, "bins", "1 ... 16384", o.bins);
  require(o.bins_per_octave >= 1 && o.bins_per_octave <= most_bins_per_octave, "bins_per_octave",
          "1 ... 1024", o.bins_per_octave);
  if (o.gamma_hz)
    require(*o.gamma_hz >= 0 && std::isfinite(*o.gamma_hz), "gamma_hz", "finite and at least 0",
            *o.gamma_hz);
  require(o.filter_scale > 0 && std::isfinite(o.filter_scale), "filter_scale",
          "positive and finite", o.filter_scale);
  require(o.tolerance >= 1e-9 && o.tolerance <= 0.1, "tolerance", "1e-9 ... 0.1", o.tolerance);
  return o;
}

struct window_means {
  double mean, square;
};

window_means means_of(const window_spec& window) {
  const array<double, 1> weights = make_window(window, 4096);
  window_means means{0, 0};
  for (const double w : weights) {
    means.mean += w / static_cast<double>(weights.size());
    means.square += w * w / static_cast<double>(weights.size());
  }
  return means;
}

double alpha_of(const constant_q_options& o) {
  const double ratio = std::exp2(2 / static_cast<double>(o.bins_per_octave));
  return (ratio - 1) / (ratio + 1);
}

// Equivalent rectangular bandwidths of the ear are 24.7 Hz + 0.108 f (Glasberg, Moore 1990).
double gamma_of(const constant_q_options& o) {
  return o.gamma_hz.value_or(alpha_of(o) * 24.7 / 0.108);
}

// Returns the factor between the l1 norm and the norm asked for, times that of the scaling.
double factor_of(const constant_q_options& o, const window_means& means, double length) {
  const double rest = o.scale ? std::sqrt(length) : length;
  if (o.norm == constant_q_norm::l2)
    return rest * means.mean * std::sqrt(length) / std::sqrt(means.square);
  if (o.norm == constant_q_norm::peak) return rest * means.mean * length;
  return rest;
}

// Each complex number is two reals under one weight, so that the loop becomes vectors.
template <class T>
void add_weighted(std::size_t n, const T* weight, const std::complex<T>* from,
                  std::complex<T>* to) {
  const T* const x = reinterpret_cast<const T*>(from);
  T* const sum = reinterpret_cast<T*>(to);
  for (std::size_t i = 0; i < n; ++i) {
    sum[2 * i] += weight[i] * x[2 * i];
    sum[2 * i + 1] += weight[i] * x[2 * i + 1];
  }
}

// Calls f(first, at, n) for the stretches of [0, count) whose places (start + i) mod n_rows are in a row.
template <class Function>
void in_turns(std::size_t start, std::size_t count, std::size_t n_rows, const Function& f) {
  std::size_t at = start % n_rows;
  for (std::size_t first = 0; first < count;) {
    const std::size_t n = std::min(count - first, n_rows - at);
    f(first, at, n);
    first += n;
    at = 0;
  }
}

}  // namespace constant_q_parts
}  // namespace

using namespace constant_q_parts;

}  // namespace papilio::signal_detail

namespace papilio {

double constant_q_length(const constant_q_options& o, double hz) {
  using namespace signal_detail::constant_q_parts;
  const double alpha = alpha_of(o);
  return o.filter_scale / alpha * o.rate_hz / (hz + gamma_of(o) / alpha);
}

double constant_q_highest_hz(const constant_q_options& o) {
  using namespace signal_detail::constant_q_parts;
  const window_means means = means_of(o.window);
  const double noise_bandwidth = means.square / (means.mean * means.mean);
  return (o.rate_hz / 2 - gamma_of(o) / 2) /
         (1 + noise_bandwidth * alpha_of(o) / o.filter_scale / 2);
}

}  // namespace papilio

namespace papilio::signal_detail {

template <class T>
constant_q_bank<T>::constant_q_bank(const constant_q_options& options)
    : options_(checked(options)) {
  const constant_q_options& o = options_;
  const window_transform transform(name, o.window);
  const window_means means = means_of(o.window);
  const double per_octave = static_cast<double>(o.bins_per_octave);
  for (std::size_t k = 0; k < o.bins; ++k) {
    frequencies_hz_.push_back(o.fmin_hz * std::exp2(static_cast<double>(k) / per_octave));
    lengths_.push_back(constant_q_length(o, frequencies_hz_[k]));
    factors_.push_back(static_cast<T>(factor_of(o, means, lengths_[k])));
  }
  const double top_hz = frequencies_hz_.back(), most_hz = constant_q_highest_hz(o);
  if (!(top_hz <= most_hz * (1 + 1e-12)))
    throw invalid_argument(base_detail::message(
        name, ": the highest bin, ", o.bins, " of ", o.bins_per_octave,
        " an octave from fmin_hz on, must lie at ", most_hz,
        " Hz at most, where its band ends at rate_hz / 2, got ", top_hz, " Hz"));
  require(lengths_.front() <= static_cast<double>(longest_atom),
          "the longest atom, filter_scale / alpha rate_hz / (fmin_hz + gamma_hz / alpha),",
          "2097152 samples at most", lengths_.front());
  require(lengths_.back() >= 1,
          "the shortest atom, filter_scale / alpha rate_hz / (f + gamma_hz / alpha),",
          "1 sample at least", lengths_.back());

  lead_ = 1 + static_cast<std::size_t>(std::ceil(lengths_.front() / (2.0 * double(o.hop))));
  rows_ = std::bit_ceil(std::max({8 * lead_, (least_block + o.hop - 1) / o.hop}));
  const std::size_t n = block_size();
  const double step_hz = o.rate_hz / static_cast<double>(n), reach = transform.reach(o.tolerance);
  for (std::size_t k = 0; k < o.bins; ++k) {
    const double cycles = lengths_[k] / static_cast<double>(n);  // of W, from bin to bin
    const double half = reach / cycles, centre = frequencies_hz_[k] / step_hz;
    const auto first = static_cast<std::size_t>(std::max(0.0, std::ceil(centre - half)));
    const auto last =
        static_cast<std::size_t>(std::min(static_cast<double>(n / 2), std::floor(centre + half)));
    bands_.push_back({first, last + 1 - first, weights_.size()});
    weights_.resize(weights_.size() + bands_[k].count);
    const std::span<T> weights = std::span(weights_).subspan(bands_[k].first_weight);
    transform.fill((static_cast<double>(first) - centre) * cycles, cycles, weights);
    // Weights take the factor of the inverse transform of the block, and of its shorter ones.
    for (T& w : weights) w /= static_cast<T>(n);
  }
  const fft_options unscaled{.norm = normalization::none};
  spectrum_plan_.emplace_back(n, unscaled);
  row_plans_.emplace_back(rows_, direction::inverse, unscaled);
  row_plans_.emplace_back(rows_, direction::forward, unscaled);
}

template <class T>
constant_q_bank<T>::work::work(const constant_q_bank& bank)
    : samples(bank.block_size()),
      values({bank.options_.bins, bank.rows_}),
      spectrum(bank.block_size() / 2 + 1),
      scratch(std::max({bank.spectrum_plan_[0].scratch_size(), bank.row_plans_[0].scratch_size(),
                        bank.row_plans_[1].scratch_size()})) {}

template <class T>
void constant_q_bank<T>::transform(work& w) const {
  spectrum_plan_[0].forward(w.samples.flat(), w.spectrum.flat(), w.scratch.flat());
  for (std::size_t k = 0; k < bands_.size(); ++k) {
    const band& of = bands_[k];
    const std::span<std::complex<T>> row(&w.values(k, 0), rows_);
    std::ranges::fill(row, std::complex<T>());
    in_turns(of.first_bin, of.count, rows_, [&](std::size_t i, std::size_t at, std::size_t count) {
      add_weighted(count, weights_.data() + of.first_weight + i,
                   w.spectrum.data() + of.first_bin + i, row.data() + at);
    });
    row_plans_[0].execute(row, row, w.scratch.flat());
  }
}

template <class T>
void constant_q_bank<T>::transform_adjoint(work& w) const {
  std::ranges::fill(w.spectrum, std::complex<T>());
  for (std::size_t k = 0; k < bands_.size(); ++k) {
    const band& of = bands_[k];
    const std::span<std::complex<T>> row(&w.values(k, 0), rows_);
    row_plans_[1].execute(row, row, w.scratch.flat());
    in_turns(of.first_bin, of.count, rows_, [&](std::size_t i, std::size_t at, std::size_t count) {
      add_weighted(count, weights_.data() + of.first_weight + i, row.data() + at,
                   w.spectrum.data() + of.first_bin + i);
    });
  }
  // The adjoint of a real signal's transform counts every bin once; the inverse counts those that have
  // a mirror image twice.
  const std::size_t n = block_size();
  for (std::size_t j = 1; 2 * j < n; ++j) w.spectrum[j] *= T(0.5);
  spectrum_plan_[0].inverse(w.spectrum.flat(), w.samples.flat(), w.scratch.flat());
}

template <class T>
bool constant_q_bank<T>::load(std::span<const T> signal, std::uint64_t block, work& w) const {
  const std::int64_t origin =
      (static_cast<std::int64_t>(block * segments_of_block()) - static_cast<std::int64_t>(lead_)) *
      static_cast<std::int64_t>(options_.hop);
  const auto size = static_cast<std::int64_t>(block_size()),
             samples = static_cast<std::int64_t>(signal.size());
  const std::int64_t first = std::clamp<std::int64_t>(-origin, 0, size),
                     last = std::clamp<std::int64_t>(samples - origin, first, size);
  std::fill_n(w.samples.data(), first, T(0));
  std::copy_n(signal.data() + origin + first, last - first, w.samples.data() + first);
  std::fill_n(w.samples.data() + last, size - last, T(0));
  T zero = 0;  // or NaN
  for (const T sample : w.samples) zero += sample * T(0);
  return zero == 0;
}

template class constant_q_bank<float>;
template class constant_q_bank<double>;

}  // namespace papilio::signal_detail
