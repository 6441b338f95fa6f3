#include "cli/excerpt.hpp"

#include <algorithm>

namespace papilio::cli {

void excerpt_request::add_to(command& verb, const std::string& otherwise) {
  verb.add({{"--channel", channel, "One channel, from 1 [" + otherwise + "]",
             whole_number_from(1, most_channels)},
            {"--start", start_seconds, "Time to skip, in seconds or as 1:23.4", time_from(0, 1e9)},
            {"--duration", duration_seconds, "Time to analyse, in the same form [to the end]",
             time_from(1e-9, 1e9)}});
}

namespace {

sound_reader opened(const std::string& file, const sound_flags& sound, const excerpt_request& part,
                    reading how) {
  sound_options options = sound.options(file);
  options.reading = how == reading::once ? sound_reading::once : sound_reading::as_it_comes;
  sound_reader reader(file, options);
  if (how == reading::again && !part.duration_seconds) reader.measure();
  return reader;
}

excerpt excerpt_of(const std::string& file, const excerpt_request& request,
                   const sound_info& info) {
  if (request.channel && *request.channel > info.channels)
    throw bad_file(file, "--channel {}: it has only {}", *request.channel, info.channels);
  const std::uint64_t available = info.length_known ? info.frames : unlimited_frames;
  const std::uint64_t first = nearest_frame(request.start_seconds, info.rate_hz);
  if (first >= available)
    throw bad_file(file, "{} {} s is at or beyond its end at {:.3f} s", request.start_name,
                   request.start_seconds, info.duration_seconds());
  if (!request.duration_seconds) return {first, available - first};
  // The end, not the duration, is rounded: what begins there begins with the next frame.
  const std::uint64_t end =
      nearest_frame(request.start_seconds + *request.duration_seconds, info.rate_hz);
  return {first, std::clamp<std::uint64_t>(end, first + 1, available) - first};
}

}  // namespace

excerpt_reader::excerpt_reader(const std::string& file, const sound_flags& sound,
                               const excerpt_request& part, on_progress progress, reading how)
    : file_(file),
      asked_(part),
      progress_(std::move(progress)),
      reader_(opened(file, sound, part, how)),
      part_(excerpt_of(file, part, reader_.info())),
      warnings_(reader_.warnings()) {}

void excerpt_reader::choose(const excerpt_request& part) {
  part_ = excerpt_of(file_, part, reader_.info());
  asked_ = part;
}

std::size_t excerpt_reader::channels() const {
  return asked_.channel ? 1 : static_cast<std::size_t>(reader_.info().channels);
}

void excerpt_reader::begin() {
  if (reader_.position() > 0) reader_.restart();
  reader_.seek(part_.first);
}

void excerpt_reader::read(function_ref<void(view<const float, 2>)> take, std::uint64_t frames,
                          std::size_t block_frames) {
  begin();
  const auto channels = static_cast<std::size_t>(reader_.info().channels);
  if (block_frames == 0) block_frames = std::max<std::size_t>(64, 16384 / channels);
  array<float, 2> block({block_frames, channels});
  frames = std::min(frames, part_.frames);
  std::uint64_t done = 0;
  while (done < frames) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(block_frames, frames - done));
    const std::size_t got = reader_.read(block.view().slice(0, 0, wanted));
    if (got == 0) break;
    view<const float, 2> samples = block.view().slice(0, 0, got);
    if (asked_.channel)
      samples = samples.slice(1, static_cast<std::size_t>(*asked_.channel - 1), 1);
    take(samples);
    done += got;
    if (progress_) progress_(done, frames);
  }
  if (done == 0) throw io_error(shown_name(file_), "no samples could be read");
  if (done < frames) part_.frames = done;
  if (std::vector<std::string> found = reader_.warnings(); !found.empty())
    warnings_ = std::move(found);
}

sound_facts excerpt_reader::facts() const {
  return {.file = file_,
          .info = reader_.info(),
          .part = part_,
          .replaced_samples = reader_.replaced_samples(),
          .warnings = warnings_};
}

}  // namespace papilio::cli
