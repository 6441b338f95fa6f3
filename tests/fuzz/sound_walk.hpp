#pragma once

#include <algorithm>
#include <string>

#include "fuzz/input.hpp"
#include "papilio/audio.hpp"

namespace papilio::test {

/// Reads a sound through, goes back and forth in it, and holds its counts against each other.
inline void walk_sound(const std::string& path, const sound_options& options) {
  constexpr std::size_t block_frames = 257;
  constexpr int most_blocks = 60;
  sound_reader reader(path, options);
  array<float, 2> block({block_frames, static_cast<std::size_t>(reader.info().channels)});
  std::uint64_t total = 0;
  for (int i = 0; i < most_blocks; ++i) {
    const std::size_t got = reader.read(block.view());
    require(got <= block_frames, "a block holds what was asked for at most");
    total += got;
    require(reader.position() == total, "the position is behind what was read");
    if (got < block_frames) break;
  }
  if (reader.info().length_known)
    require(total <= reader.info().frames, "no more frames are read than there are");
  if (const std::uint64_t frames = reader.info().frames; frames > 10) {
    for (const std::uint64_t frame :
         {std::min<std::uint64_t>(frames / 2, 20000), std::uint64_t{3}}) {
      reader.seek(frame);
      reader.read(block.view());
    }
    reader.restart();
    reader.read(block.view());
  }
  for (const std::string& warning : reader.warnings())
    require(!warning.empty(), "a warning says something");
}

}  // namespace papilio::test
