#include "cli/excerpt_reader.hpp"

#include <utility>

#include "cli/common.hpp"
#include "cli/sound_blocks.hpp"

namespace papilio::cli {

namespace {

sound_reader opened(const sound_source& source) {
  if (!source.once)
    return open_excerpt(source.file, source.sound, source.part.duration_seconds.has_value());
  sound_options once = source.sound;
  once.reading = sound_reading::once;
  return sound_reader(source.file, once);
}

}  // namespace

excerpt_reader::excerpt_reader(const sound_source& source)
    : source_(source),
      reader_(opened(source)),
      part_(excerpt_of(source.file, source.part, reader_.info())),
      warnings_(reader_.warnings()) {}

void excerpt_reader::choose(const excerpt_request& part) {
  part_ = excerpt_of(source_.file, part, reader_.info());
  source_.part = part;
}

std::size_t excerpt_reader::channels() const { return channels_of(source_.part, reader_.info()); }

void excerpt_reader::read(function_ref<void(view<const float, 2>)> take) {
  on_progress told = source_.progress;
  if (!told && source_.show_progress) told = progress_bar(source_.file);
  if (reader_.position() > 0) reader_.restart();
  reader_.seek(part_.first);
  const std::uint64_t done = for_each_block(reader_, source_.part, part_.frames, told, take);
  if (done == 0) throw io_error(shown_name(source_.file), "no samples could be read");
  part_.frames = done;
  if (std::vector<std::string> found = reader_.warnings(); !found.empty())
    warnings_ = std::move(found);
}

sound_facts excerpt_reader::facts() const {
  return {.file = source_.file,
          .info = reader_.info(),
          .part = part_,
          .replaced_samples = reader_.replaced_samples(),
          .warnings = warnings_};
}

}  // namespace papilio::cli
