#include "cli/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/common.hpp"
#include "papilio/base.hpp"

namespace papilio::cli {
namespace {

constexpr std::size_t peak_count = 5;

// Every channel keeps a window of samples: a small file of many channels must not take it all.
void require_memory(const analysis_request& request, const sound_info& info) {
  constexpr std::size_t most_samples = std::size_t{1} << 26;
  const auto channels = static_cast<std::size_t>(request.part.channel ? 1 : info.channels);
  if (channels > most_samples / request.stft.n_fft)
    throw io_error(shown_name(request.file),
                   fmt::format("--n-fft {} over {} channels at once takes too much memory; choose "
                               "one with --channel, or --n-fft of at most {}",
                               request.stft.n_fft, channels, most_samples / channels));
}

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
  return pooled_spectrogram(
      plans.stft(levels),
      {.channels = request.part.channel ? 1 : static_cast<std::size_t>(info.channels),
       .samples = frames,
       .rows = request.rows,
       .columns = request.columns,
       .pool = request.pool});
}

// Pushes up to `frames` frames from the reader's position; the number that came.
std::uint64_t stream(const analysis_request& request, sound_reader& reader,
                     pooled_spectrogram& spectrogram, std::uint64_t frames,
                     const on_progress& progress) {
  const auto channels = static_cast<std::size_t>(reader.info().channels);
  const std::size_t block_frames = std::max<std::size_t>(64, 16384 / channels);
  array<float, 2> block({block_frames, channels});
  std::uint64_t done = 0;
  while (done < frames) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(block_frames, frames - done));
    const std::size_t got = reader.read(block.view().slice(0, 0, wanted));
    if (got == 0) break;
    view<const float, 2> samples = block.view().slice(0, 0, got);
    if (request.part.channel)
      samples = samples.slice(1, static_cast<std::size_t>(*request.part.channel - 1), 1);
    spectrogram.push(samples);
    done += got;
    if (progress) progress(done, frames);
  }
  return done;
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
  require_memory(request, info);
  std::vector<std::string> warnings = reader.warnings();
  for (;;) {
    reader.seek(part.first);
    pooled_spectrogram spectrogram = make_spectrogram(request, info, part.frames, context.plans);
    const std::uint64_t got = stream(request, reader, spectrogram, part.frames, context.progress);
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
