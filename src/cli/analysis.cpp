#include "cli/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/common.hpp"
#include "cli/sound_blocks.hpp"
#include "papilio/base.hpp"
#include "papilio/render.hpp"

namespace papilio::cli {
namespace {

constexpr std::size_t peak_count = 5;

void add_warnings(const stft_options& o, const excerpt& part, std::vector<std::string>& warnings) {
  const std::size_t window = o.window_length == 0 ? o.n_fft : o.window_length;
  if (o.hop > window && part.frames > window)
    warnings.push_back(
        fmt::format("--hop {} is longer than the window of {}: the samples between "
                    "segments are not looked at",
                    o.hop, window));
  if (part.frames < window)
    warnings.push_back(fmt::format("the window of {} is longer than {}: levels read low", window,
                                   counted(part.frames, "sample")));
}

/// Where a logarithmic axis begins: at two bins, as far as the main lobe of most windows reaches
/// from 0 Hz; but so that 20 Hz is the least and 50 Hz the most, and in proportion to rates below 4
/// kHz.
double least_logarithmic_hz(const sound_info& info, std::size_t n_fft) {
  const double least = std::min(20.0, info.rate_hz / 200.0);
  return std::clamp(2.0 * info.rate_hz / static_cast<double>(n_fft), least, 2.5 * least);
}

frequency_axis axis_of(const analysis_request& request, const stft_options& stft,
                       const sound_info& info) {
  const double top = info.rate_hz / 2.0;
  const bool logarithmic = request.scale == frequency_scale::logarithmic;
  const double low = logarithmic ? least_logarithmic_hz(info, stft.n_fft) : 0;
  const frequency_axis axis{request.scale, request.low_hz.value_or(low),
                            request.high_hz.value_or(top)};
  if (axis.high_hz > top)
    throw io_error(shown_name(request.file),
                   fmt::format("--fmax {} Hz is above half its rate, {} Hz", axis.high_hz, top));
  if (axis.low_hz >= axis.high_hz)
    throw io_error(shown_name(request.file),
                   fmt::format("--fmin {} Hz is not below {} {} Hz", axis.low_hz,
                               request.high_hz ? "--fmax" : "half its rate,", axis.high_hz));
  return axis;
}

std::size_t panels_of(const analysis_request& request, const sound_info& info) {
  return request.stacked && !request.part.channel ? static_cast<std::size_t>(info.channels) : 1;
}

plot_extent panel_extent(const analysis_request& request, const sound_info& info) {
  const std::size_t panels = panels_of(request, info);
  try {
    return spectrogram_panel_extents(request.width, request.height, panels).front();
  } catch (const invalid_argument&) {
    throw io_error(shown_name(request.file),
                   fmt::format("--channels stacked: its {} channels do not fit a picture {} pixels "
                               "high; choose a greater --height, or one with --channel",
                               panels, request.height));
  }
}

/// One spectrogram of all channels, or one for each.
class panel_spectrograms {
 public:
  panel_spectrograms(const analysis_request& request, const stft_options& stft,
                     const sound_info& info, std::uint64_t frames, plan_store& plans) {
    stft_options levels = stft;
    levels.scaling = stft_scaling::dbfs;
    const plot_extent extent = panel_extent(request, info);
    const std::size_t panels = panels_of(request, info);
    for (std::size_t p = 0; p < panels; ++p)
      each_.emplace_back(
          plans.stft(levels),
          pooled_spectrogram_options{.channels = panels > 1 ? 1 : channels_of(request.part, info),
                                     .samples = frames,
                                     .rows = extent.height,
                                     .columns = extent.width,
                                     .pool = request.pool,
                                     .axis = axis_of(request, stft, info),
                                     .rate_hz = static_cast<double>(info.rate_hz)});
  }

  /// [frames, the channels that are looked at].
  void push(view<const float, 2> block) {
    if (each_.size() == 1)
      each_[0].push(block);
    else
      for (std::size_t c = 0; c < each_.size(); ++c) each_[c].push(block.slice(1, c, 1));
  }

  void finish() {
    for (pooled_spectrogram& one : each_) one.finish();
  }

  std::uint64_t segments() const { return each_[0].segments(); }

  std::vector<double> mean_power() const {
    std::vector<double> mean(each_[0].mean_power().size());
    for (const pooled_spectrogram& one : each_)
      for (std::size_t k = 0; k < mean.size(); ++k)
        mean[k] += one.mean_power()[k] / static_cast<double>(each_.size());
    return mean;
  }

  std::vector<array<float, 2>> levels() const {
    std::vector<array<float, 2>> result;
    for (const pooled_spectrogram& one : each_) {
      result.emplace_back(one.levels().extents());
      std::copy_n(one.levels().data(), result.back().size(), result.back().data());
    }
    return result;
  }

 private:
  std::vector<pooled_spectrogram> each_;
};

analysis result_of(const analysis_request& request, const stft_options& stft,
                   const sound_info& info, const panel_spectrograms& spectrograms,
                   const excerpt& part) {
  return {.info = info,
          .part = part,
          .stft = stft,
          .segments = spectrograms.segments(),
          .replaced_samples = 0,
          .axis = axis_of(request, stft, info),
          .levels = spectrograms.levels(),
          .peaks = find_peaks(spectrograms.mean_power(), stft, info.rate_hz, peak_count),
          .warnings = {}};
}

}  // namespace

analysis analyse(const analysis_request& request, const task_context& context) {
  sound_reader reader =
      open_excerpt(request.file, request.sound, request.part.duration_seconds.has_value());
  sound_info info = reader.info();
  excerpt part = excerpt_of(request.file, request.part, info);
  const stft_options stft = request.stft(info.rate_hz);
  const auto memory = begin_work(request.file,
                                 {.channels = channels_of(request.part, info),
                                  .frames = part.frames,
                                  .n_fft = stft.n_fft,
                                  .hop = stft.hop},
                                 context.around);
  std::vector<std::string> warnings = reader.warnings();
  for (;;) {
    reader.seek(part.first);
    panel_spectrograms spectrograms(request, stft, info, part.frames, context.plans);
    const std::uint64_t got =
        for_each_block(reader, request.part, part.frames, context.progress,
                       [&](view<const float, 2> block) { spectrograms.push(block); });
    if (got == part.frames) {
      info = reader.info();
      spectrograms.finish();
      analysis result = result_of(request, stft, info, spectrograms, part);
      result.replaced_samples = reader.replaced_samples();
      result.warnings = std::move(warnings);
      add_warnings(stft, part, result.warnings);
      return result;
    }
    if (got == 0) throw io_error(shown_name(request.file), "no samples could be read");
    part.frames = got;
    info = reader.info();
    warnings = reader.warnings();
    reader.restart();
  }
}

}  // namespace papilio::cli
