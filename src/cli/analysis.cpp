#include "cli/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/common.hpp"
#include "cli/sound_blocks.hpp"
#include "papilio/base.hpp"

namespace papilio::cli {
namespace {

constexpr std::size_t peak_count = 5;

void add_warnings(const analysis_request& request, const excerpt& part,
                  std::vector<std::string>& warnings) {
  const stft_options& o = request.stft;
  const std::size_t window = o.window_length == 0 ? o.n_fft : o.window_length;
  if (o.hop > window && part.frames > window)
    warnings.push_back(
        fmt::format("--hop {} is longer than the window of {}: the samples between "
                    "segments are not looked at",
                    o.hop, window));
  if (part.frames < window)
    warnings.push_back(fmt::format("{} samples are fewer than the window of {}: levels read low",
                                   part.frames, window));
}

pooled_spectrogram make_spectrogram(const analysis_request& request, const sound_info& info,
                                    std::uint64_t frames, plan_store& plans) {
  stft_options levels = request.stft;
  levels.scaling = stft_scaling::dbfs;
  return pooled_spectrogram(plans.stft(levels), {.channels = channels_of(request.part, info),
                                                 .samples = frames,
                                                 .rows = request.rows,
                                                 .columns = request.columns,
                                                 .pool = request.pool});
}

analysis result_of(const analysis_request& request, const sound_info& info,
                   const pooled_spectrogram& spectrogram, const excerpt& part) {
  analysis result{
      .info = info,
      .part = part,
      .segments = spectrogram.segments(),
      .replaced_samples = 0,
      .levels = array<float, 2>(spectrogram.levels().extents()),
      .peaks = find_peaks(spectrogram.mean_power(), request.stft, info.rate_hz, peak_count),
      .warnings = {}};
  std::copy_n(spectrogram.levels().data(), result.levels.size(), result.levels.data());
  return result;
}

}  // namespace

analysis analyse(const analysis_request& request, const task_context& context) {
  sound_reader reader(request.file, request.sound);
  sound_info info = reader.info();
  excerpt part = excerpt_of(request.file, request.part, info);
  require_memory(request.file, request.stft.n_fft, request.part, info);
  std::vector<std::string> warnings = reader.warnings();
  for (;;) {
    reader.seek(part.first);
    pooled_spectrogram spectrogram = make_spectrogram(request, info, part.frames, context.plans);
    const std::uint64_t got =
        for_each_block(reader, request.part, part.frames, context.progress,
                       [&](view<const float, 2> block) { spectrogram.push(block); });
    if (got == part.frames) {
      spectrogram.finish();
      analysis result = result_of(request, info, spectrogram, part);
      result.replaced_samples = reader.replaced_samples();
      result.warnings = std::move(warnings);
      add_warnings(request, part, result.warnings);
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
