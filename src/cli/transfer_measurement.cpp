#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "cli/transfer.hpp"

namespace papilio::cli {
namespace {
namespace transfer_parts {

constexpr double two_pi = 2 * std::numbers::pi;
constexpr std::size_t longest_delay_segment = std::size_t{1} << 18;
constexpr std::size_t longest_sweep = std::size_t{1} << 22;  // frames of each channel
constexpr std::size_t highest_order = 5;                     // of the harmonics reported

excerpt_request with_channel(excerpt_request part, const std::vector<std::size_t>& channels,
                             std::size_t i, bool is_pair) {
  if (is_pair) part.channel = channels.empty() ? 1 : static_cast<int>(channels[i]);
  return part;
}

void place_column(view<const float, 2> block, std::size_t channel, std::vector<double>& to) {
  to.resize(block.extent(0));
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = block(i, channel);
}

/// Samples of one channel that wait for those of the other.
class waiting_samples {
 public:
  explicit waiting_samples(std::size_t skipped) : skipped_(skipped) {}

  void push(std::span<const double> samples) {
    const std::size_t left_out = std::min(skipped_, samples.size());
    skipped_ -= left_out;
    if (from_ > held_.size() / 2) {
      held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(from_));
      from_ = 0;
    }
    held_.insert(held_.end(), samples.begin() + static_cast<std::ptrdiff_t>(left_out),
                 samples.end());
  }
  std::span<const double> samples() const { return std::span(held_).subspan(from_); }
  void take(std::size_t count) { from_ += count; }

 private:
  std::size_t skipped_, from_ = 0;
  std::vector<double> held_;
};

/// Least and largest sample.
struct sample_range {
  double low = 0, high = 0;
  bool is_empty = true;

  void add(std::span<const double> samples) {
    for (const double x : samples) {
      low = is_empty ? x : std::min(low, x);
      high = is_empty ? x : std::max(high, x);
      is_empty = false;
    }
  }
};

void require_variation(const sound_pair& pair, std::size_t i, const sample_range& range) {
  if (range.low == range.high)
    throw bad_file(pair.side(i).file, "channel {} is {}: there is nothing to compare",
                   pair.side(i).channel, range.low == 0 ? "digital silence" : "constant");
}

delay_estimate delay_of(sound_pair& pair, const transfer_request& request, std::uint64_t frames) {
  cross_spectrum_stream<double> spectra(
      delay_segments(static_cast<std::size_t>(frames), longest_delay_segment));
  sample_range x_range, y_range;
  pair.read([&](std::span<const double> x, std::span<const double> y) {
    x_range.add(x);
    y_range.add(y);
    spectra.push(x, y);
  });
  require_variation(pair, 0, x_range);
  require_variation(pair, 1, y_range);
  return find_delay(spectra, {.weighting = request.weighting});
}

/// Bins of a response with their frequencies, without the phase of a delay in samples.
void place_response(transfer_result& r, std::span<const std::complex<double>> response,
                    double rate_hz, std::size_t n_fft, double removed_samples) {
  for (std::size_t k = 0; k < response.size(); ++k) {
    const double cycles = static_cast<double>(k) / static_cast<double>(n_fft);
    r.frequency_hz.push_back(static_cast<double>(k) * (rate_hz / static_cast<double>(n_fft)));
    r.response.push_back(response[k] * std::polar(1.0, two_pi * cycles * removed_samples));
  }
  const array<double, 1> delays =
      group_delay_seconds(r.response, rate_hz / static_cast<double>(n_fft));
  r.group_delay_seconds.assign(delays.begin(), delays.end());
}

/// Samples from the first that is not 0 to the last.
std::size_t sounding_samples(std::span<const double> x) {
  const auto sounds = [](double v) { return v != 0; };
  const auto first = std::ranges::find_if(x, sounds);
  const auto last = std::find_if(x.rbegin(), x.rend(), sounds).base();
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(last - first, 0));
}

}  // namespace transfer_parts
}  // namespace

sound_pair::sound_pair(const std::vector<std::string>& files,
                       const std::vector<std::size_t>& channels, const sound_flags& sound,
                       const excerpt_request& part, const on_progress& progress)
    : first_(files[0], sound, transfer_parts::with_channel(part, channels, 0, files.size() > 1),
             progress) {
  const bool is_pair = files.size() > 1;
  if (is_pair)
    second_.emplace(files[1], sound, transfer_parts::with_channel(part, channels, 1, true),
                    on_progress());
  for (std::size_t i = 0; i < 2; ++i)
    sides_[i] = {.file = files[is_pair ? i : 0],
                 .channel = !channels.empty() ? channels[i]
                            : is_pair         ? 1
                                              : i + 1};
  if (is_pair) {
    const int first = first_.info().rate_hz, second = second_->info().rate_hz;
    if (first != second)
      throw usage_error("transfer: both files must have one rate, got {} Hz of {} and {} Hz of {}",
                        first, shown_name(files[0]), second, shown_name(files[1]));
    return;
  }
  const int there = first_.info().channels;
  if (there < 2)
    throw bad_file(files[0], "it has 1 channel; name a second file, or one of two channels");
  for (const pair_side& side : sides_)
    if (side.channel > static_cast<std::size_t>(there))
      throw bad_file(files[0], "--channels {}: it has only {}", side.channel, there);
}

std::uint64_t sound_pair::frames(std::size_t i) const { return reader(i).part().frames; }

void sound_pair::take_equal_lengths(bool shortest) {
  if (shortest || frames(0) == frames(1)) return;
  throw usage_error(
      "transfer: both files must be equally long, got {} of {} and {} of {}; --shortest takes what "
      "both have",
      counted(frames(0), "frame"), shown_name(sides_[0].file), counted(frames(1), "frame"),
      shown_name(sides_[1].file));
}

void sound_pair::read(on_block take) {
  std::vector<double> x, y;
  if (!second_) {
    first_.read([&](view<const float, 2> block) {
      transfer_parts::place_column(block, sides_[0].channel - 1, x);
      transfer_parts::place_column(block, sides_[1].channel - 1, y);
      take(x, y);
    });
    return;
  }
  second_->begin();
  array<float, 2> other;
  first_.read(
      [&](view<const float, 2> block) {
        const auto channels = static_cast<std::size_t>(second_->info().channels);
        if (other.extent(0) < block.extent(0)) other = array<float, 2>({block.extent(0), channels});
        const view<float, 2> wanted = other.view().slice(0, 0, block.extent(0));
        if (second_->next(wanted) < block.extent(0))
          throw bad_file(sides_[1].file, "it ends before its {} are read",
                         counted(frames(1), "frame"));
        transfer_parts::place_column(block, 0, x);
        transfer_parts::place_column(wanted, sides_[1].channel - 1, y);
        take(x, y);
      },
      std::min(frames(0), frames(1)));
}

std::vector<double> sound_pair::all_of(std::size_t i, std::size_t most) {
  if (frames(i) > most)
    throw bad_file(sides_[i].file,
                   "{} are more than --sweep takes, {}; choose fewer with --duration",
                   counted(frames(i), "frame"), most);
  std::vector<double> all, part;
  reader(i).read([&](view<const float, 2> block) {
    transfer_parts::place_column(block, second_ ? 0 : sides_[i].channel - 1, part);
    all.insert(all.end(), part.begin(), part.end());
  });
  return all;
}

transfer_result measure_noise(sound_pair& pair, const transfer_request& request) {
  const std::uint64_t frames = std::min(pair.frames(0), pair.frames(1));
  const delay_estimate delay = transfer_parts::delay_of(pair, request, frames);
  transfer_result r{.delay_samples = delay.samples, .correlation = delay.correlation};
  const auto whole = request.align ? std::lround(delay.samples) : 0;
  const auto shift = static_cast<std::uint64_t>(std::abs(whole));
  if (frames - shift < request.segments.segment_length)
    throw bad_file(pair.side(1).file,
                   "--align: a delay of {} leaves {}, fewer than a segment of {}",
                   counted(shift, "frame"), frames - shift, request.segments.segment_length);
  cross_spectrum_stream<double> spectra(request.segments);
  transfer_parts::waiting_samples early(whole < 0 ? shift : 0), late(whole > 0 ? shift : 0);
  pair.read([&](std::span<const double> x, std::span<const double> y) {
    early.push(x);
    late.push(y);
    const std::size_t count = std::min(early.samples().size(), late.samples().size());
    spectra.push(early.samples().first(count), late.samples().first(count));
    early.take(count);
    late.take(count);
  });
  const array<double, 1> coherence = spectra.coherence();
  r.coherence.assign(coherence.begin(), coherence.end());
  r.segments = spectra.segments();
  transfer_parts::place_response(r, spectra.transfer_function(request.estimator).flat(),
                                 pair.rate_hz(), spectra.options().n_fft,
                                 request.align ? delay.samples - static_cast<double>(whole) : 0);
  return r;
}

transfer_result measure_sweep(sound_pair& pair, const transfer_request& request, double low_hz,
                              double high_hz) {
  namespace parts = transfer_parts;
  const std::vector<double> x = pair.all_of(0, parts::longest_sweep),
                            y = pair.all_of(1, parts::longest_sweep);
  for (const std::size_t i : {0, 1}) {
    parts::sample_range range;
    range.add(i == 0 ? x : y);
    parts::require_variation(pair, i, range);
  }
  const measured_impulse made = impulse_response<double>(y, x);
  transfer_result r{.segments = 1};
  r.impulse.assign(made.samples.begin() + made.origin, made.samples.end());
  const std::span<const double> h = r.impulse;
  const auto by_size = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto peak = static_cast<std::size_t>(std::ranges::max_element(h, by_size) - h.begin());
  r.delay_samples = static_cast<double>(peak);
  r.correlation = h[peak] < 0 ? -1 : 1;

  // An eighth of the segment before the peak fades in, the last eighth fades out.
  const std::size_t n = request.segments.segment_length, fade = n / 8;
  array<double, 1> gated(n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto at =
        static_cast<std::ptrdiff_t>(made.origin + peak + j) - static_cast<std::ptrdiff_t>(fade);
    if (at < 0 || at >= static_cast<std::ptrdiff_t>(made.samples.size())) continue;
    const std::size_t edge = std::min(j, n - 1 - j);
    const double s = edge < fade ? std::sin(parts::two_pi / 4 * (static_cast<double>(edge) + 0.5) /
                                            static_cast<double>(fade))
                                 : 1;
    gated[j] = made.samples[static_cast<std::size_t>(at)] * s * s;
  }
  const rfft_plan<double> plan(n);
  array<std::complex<double>, 1> bins(plan.bins());
  plan.forward(gated.flat(), bins.flat());
  // The gate begins fade samples before the peak.
  const double begins = static_cast<double>(peak) - static_cast<double>(fade);
  parts::place_response(r, bins.flat(), pair.rate_hz(), n,
                        (request.align ? static_cast<double>(peak) : 0) - begins);

  const std::size_t samples = parts::sounding_samples(x);
  const double rate_hz = pair.rate_hz();
  for (std::size_t order = 2; order <= parts::highest_order; ++order)
    r.leads.emplace_back(
        order, with_usage("--sweep: ", [&] {
          return harmonic_lead(
              {.rate_hz = rate_hz, .low_hz = low_hz, .high_hz = high_hz, .samples = samples},
              order);
        }));
  return r;
}

double magnitude_db(std::complex<double> h) { return 20 * std::log10(std::abs(h)); }

std::optional<double> gain_1khz_db(const transfer_result& r) {
  const double step = r.frequency_hz[1];
  const auto k = static_cast<std::size_t>(std::lround(1000 / step));
  if (k >= r.response.size() || !std::isfinite(magnitude_db(r.response[k]))) return std::nullopt;
  return magnitude_db(r.response[k]);
}

std::optional<double> mean_coherence(const transfer_result& r) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t k = 1; k < r.coherence.size(); ++k)
    if (!std::isnan(r.coherence[k])) {
      sum += r.coherence[k];
      ++count;
    }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

}  // namespace papilio::cli
