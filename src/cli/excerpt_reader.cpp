#include "cli/excerpt_reader.hpp"

#include <algorithm>
#include <optional>

#include "cli/common.hpp"
#include "cli/progress.hpp"

namespace papilio::cli {

excerpt_reader::excerpt_reader(const sound_source& source)
    : source_(source),
      reader_(source.file, source.sound),
      part_(excerpt_of(source.file, source.part, reader_.info())),
      warnings_(reader_.warnings()) {}

void excerpt_reader::choose(const excerpt_request& part) {
  part_ = excerpt_of(source_.file, part, reader_.info());
  source_.part = part;
}

std::size_t excerpt_reader::channels() const {
  return source_.part.channel ? 1 : static_cast<std::size_t>(reader_.info().channels);
}

void excerpt_reader::read(function_ref<void(view<const float, 2>)> take) {
  const auto channels = static_cast<std::size_t>(reader_.info().channels);
  const std::size_t block_frames = std::max<std::size_t>(64, 16384 / channels);
  array<float, 2> block({block_frames, channels});
  std::optional<progress> bar;
  if (source_.show_progress) bar.emplace(shown_name(source_.file), part_.frames);
  reader_.restart();
  reader_.seek(part_.first);
  std::uint64_t done = 0;
  while (done < part_.frames) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(block_frames, part_.frames - done));
    const std::size_t got = reader_.read(block.view().slice(0, 0, wanted));
    if (got == 0) break;
    view<const float, 2> samples = block.view().slice(0, 0, got);
    if (source_.part.channel)
      samples = samples.slice(1, static_cast<std::size_t>(*source_.part.channel - 1), 1);
    take(samples);
    done += got;
    if (bar) bar->update(done);
  }
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
