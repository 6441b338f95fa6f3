#include <algorithm>
#include <filesystem>

#include "papilio/audio.hpp"
#include "papilio/base/error.hpp"

namespace papilio {
namespace {

/// Frames to make room for at first: all of a short sound, a beginning of what may be a lie.
constexpr std::uint64_t first_samples = std::uint64_t{1} << 22;

array<float, 2> resized(const array<float, 2>& samples, std::size_t frames) {
  array<float, 2> result({frames, samples.extent(1)});
  std::copy_n(samples.data(), std::min(samples.size(), result.size()), result.data());
  return result;
}

}  // namespace

sound read_sound(const std::filesystem::path& path, const sound_options& options) {
  sound_reader reader(path, options);
  const auto channels = static_cast<std::size_t>(reader.info().channels);
  const auto expected = checked_cast<std::size_t>(reader.info().frames, "read_sound: frames");
  std::size_t room = std::min<std::size_t>(
      expected, std::max<std::size_t>(1, static_cast<std::size_t>(first_samples) / channels));
  sound result;
  result.samples = array<float, 2>({room, channels});
  std::size_t done = 0;
  for (;;) {
    done += reader.read(result.samples.view().slice(0, done, room - done));
    if (done < room || done == reader.info().frames) break;
    room = room > expected / 2 ? expected : 2 * room;
    result.samples = resized(result.samples, room);
  }
  if (done < room) result.samples = resized(result.samples, done);
  result.info = reader.info();
  result.replaced_samples = reader.replaced_samples();
  result.warnings = reader.warnings();
  return result;
}

}  // namespace papilio
