#include "cli/sound_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/common.hpp"
#include "papilio/base.hpp"

namespace papilio::cli {

std::size_t channels_of(const excerpt_request& part, const sound_info& info) {
  return part.channel ? 1 : static_cast<std::size_t>(info.channels);
}

std::uint64_t for_each_block(sound_reader& reader, const excerpt_request& part,
                             std::uint64_t frames, const on_progress& progress,
                             function_ref<void(view<const float, 2>)> work) {
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
    if (part.channel) samples = samples.slice(1, static_cast<std::size_t>(*part.channel - 1), 1);
    work(samples);
    done += got;
    if (progress) progress(done, frames);
  }
  return done;
}

}  // namespace papilio::cli
