#include "cli/spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cli/common.hpp"
#include "cli/progress.hpp"

namespace papilio::cli {
namespace {

/// Frames to be read: the excerpt, or as much of it as the transform takes.
std::size_t frames_to_read(const spectrum_request& request, const sound_info& info,
                           const excerpt& part) {
  if (!request.n_fft && part.frames > max_n_fft)
    throw io_error(
        shown_name(request.file),
        fmt::format("{} frames are more than one transform takes, {} ({} here); choose fewer with "
                    "--duration or --n-fft",
                    part.frames, max_n_fft,
                    format_duration(static_cast<double>(max_n_fft) / info.rate_hz)));
  const auto frames = static_cast<std::size_t>(
      std::min<std::uint64_t>(part.frames, request.n_fft.value_or(max_n_fft)));
  const auto channels = static_cast<std::size_t>(request.part.channel ? 1 : info.channels);
  constexpr std::size_t most_samples = std::size_t{1} << 26;
  if (channels > most_samples / frames)
    throw io_error(shown_name(request.file),
                   fmt::format("{} frames of {} channels at once take too much memory; choose one "
                               "with --channel, or at most {} frames with --duration or --n-fft",
                               frames, channels, most_samples / channels));
  return frames;
}

struct recording {
  array<float, 2> samples;  // [channels, frames]
  std::size_t frames;       // that came
};

recording read_excerpt(const spectrum_request& request, sound_reader& reader, const excerpt& part) {
  const std::size_t frames = frames_to_read(request, reader.info(), part);
  const auto channels = static_cast<std::size_t>(reader.info().channels);
  const std::size_t first_kept =
      request.part.channel ? static_cast<std::size_t>(*request.part.channel - 1) : 0;
  recording result{array<float, 2>({request.part.channel ? 1 : channels, frames}), 0};
  const std::size_t block_frames = std::max<std::size_t>(64, 16384 / channels);
  array<float, 2> block({block_frames, channels});
  progress bar(shown_name(request.file), frames);
  reader.seek(part.first);
  while (result.frames < frames) {
    const std::size_t wanted = std::min(block_frames, frames - result.frames);
    const std::size_t got = reader.read(block.view().slice(0, 0, wanted));
    if (got == 0) break;
    for (std::size_t c = 0; c < result.samples.extent(0); ++c)
      for (std::size_t i = 0; i < got; ++i)
        result.samples(c, result.frames + i) = block(i, first_kept + c);
    result.frames += got;
    bar.update(result.frames);
  }
  if (result.frames == 0) throw io_error(shown_name(request.file), "no samples could be read");
  return result;
}

/// Windowed samples of one channel to its half spectrum, in place: the reals lie where the bins
/// will.
void transform(const rfft_plan<double>& plan, std::span<const float> samples,
               std::span<const double> window, std::span<std::complex<double>> bins) {
  const std::span<double> line(reinterpret_cast<double*>(bins.data()), plan.size());
  for (std::size_t i = 0; i < window.size(); ++i)
    line[i] = window[i] * static_cast<double>(samples[i]);
  std::fill(line.begin() + static_cast<std::ptrdiff_t>(window.size()), line.end(), 0.0);
  plan.forward(line, bins);
}

/// The phase of a tone that stands between bins, from the bin next to it: a window that is
/// symmetric about sample c turns the phase by 2 pi c / n_fft for each bin of distance.
double phase_of(const spectrum& s, const window_spec& window, double frequency_hz) {
  const double position = frequency_hz / s.frequency_hz(1);
  const double bin = std::min(std::round(position), static_cast<double>(s.bins.size() - 1));
  const double centre = 0.5 * static_cast<double>(window == window_spec(window_kind::rectangular)
                                                      ? s.window_length - 1
                                                      : s.window_length);
  const double turn = 2 * std::numbers::pi * centre / static_cast<double>(s.n_fft);
  return std::remainder(std::arg(s.bins[static_cast<std::size_t>(bin)]) - turn * (position - bin),
                        2 * std::numbers::pi);
}

void find_tones(const spectrum_request& request, std::span<const double> power, spectrum& s) {
  const stft_options options{
      .n_fft = s.n_fft, .hop = 1, .window_length = s.window_length, .window = request.window};
  for (const spectral_peak& peak : find_peaks(power, options, s.info.rate_hz, request.peak_count,
                                              request.peak_separation_hz, request.peak_range_db)) {
    tone t{peak.frequency_hz, std::sqrt(peak.power), std::nullopt};
    if (!s.bins.empty()) t.phase_radians = phase_of(s, request.window, peak.frequency_hz);
    s.peaks.push_back(t);
  }
}

void transform_channels(const spectrum_request& request, const recording& sound, spectrum& s,
                        const on_spectrum& each_channel) {
  const rfft_plan<double> plan(s.n_fft);
  s.recipe = to_string(plan.design());
  const array<double, 1> window = make_window<double>(request.window, s.window_length);
  s.scale = 2 / window_sum<double>(window.flat());
  array<std::complex<double>, 1> bins(plan.bins());
  array<double, 1> power(plan.bins());
  const std::size_t channels = sound.samples.extent(0);
  const double factor = s.scale * s.scale / static_cast<double>(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    transform(plan, {&sound.samples(c, 0), s.window_length}, window.flat(), bins.flat());
    for (std::size_t k = 0; k < bins.size(); ++k) power[k] += factor * std::norm(bins[k]);
    if (each_channel) each_channel(channels, bins.flat());
  }
  if (channels == 1) s.bins = std::move(bins);
  find_tones(request, power.flat(), s);
  for (double& p : power) p = std::sqrt(p);
  power[0] /= 2;
  if (s.n_fft % 2 == 0) power[s.n_fft / 2] /= 2;
  s.amplitude = std::move(power);
}

void add_warnings(spectrum& s) {
  if (s.window_length < s.part.frames)
    s.warnings.push_back(fmt::format("--n-fft {}: only the first {} of {} are looked at", s.n_fft,
                                     s.window_length, counted(s.part.frames, "frame")));
}

bool has_small_factors(std::size_t n) {
  for (const std::size_t factor : {2, 3, 5, 7})
    while (n % factor == 0) n /= factor;
  return n == 1;
}

}  // namespace

std::size_t default_n_fft(std::size_t frames) {
  if (frames <= std::size_t{1} << 20) return frames;
  std::size_t n = frames + frames % 2;
  while (!has_small_factors(n)) n += 2;
  return n;
}

spectrum transform_file(const spectrum_request& request, const on_spectrum& each_channel) {
  sound_reader reader =
      open_excerpt(request.file, request.sound, request.part.duration_seconds || request.n_fft);
  excerpt part = excerpt_of(request.file, request.part, reader.info());
  const recording sound = read_excerpt(request, reader, part);
  // What the header promised and the file does not hold shows only now.
  part = excerpt_of(request.file, request.part, reader.info());
  if (!reader.info().length_known) part.frames = sound.frames;
  spectrum s{.info = reader.info(),
             .part = part,
             .window_length = sound.frames,
             .n_fft = request.n_fft.value_or(default_n_fft(sound.frames)),
             .scale = 0,
             .recipe = {},
             .replaced_samples = reader.replaced_samples(),
             .bins = {},
             .amplitude = {},
             .peaks = {},
             .warnings = reader.warnings()};
  transform_channels(request, sound, s, each_channel);
  add_warnings(s);
  return s;
}

}  // namespace papilio::cli
