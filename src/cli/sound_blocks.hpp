#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/excerpt.hpp"
#include "cli/task.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::cli {

/// Channels that are looked at: one, or all.
std::size_t channels_of(const excerpt_request& part, const sound_info& info);

/// Hands on up to `frames` frames from the reader's position, block by block, [frames,
/// channels_of()]; the number that came, which is less where the file ends before its header says.
std::uint64_t for_each_block(sound_reader& reader, const excerpt_request& part,
                             std::uint64_t frames, const on_progress& progress,
                             function_ref<void(view<const float, 2>)> work);

}  // namespace papilio::cli
