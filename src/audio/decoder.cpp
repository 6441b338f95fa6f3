#include "audio/decoder.hpp"

#include <algorithm>
#include <vector>

namespace papilio::audio_detail {
namespace {

/// A block of frames that nobody wants to see.
class unseen_frames {
 public:
  explicit unseen_frames(int channels)
      : frames_(
            std::max<std::size_t>(1, (std::size_t{1} << 16) / static_cast<std::size_t>(channels))),
        samples_(frames_ * static_cast<std::size_t>(channels)) {}

  /// False where there were fewer than `most`, or than a block.
  bool read(decoder& source, std::uint64_t most, std::uint64_t& done) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(frames_, most));
    const std::size_t got = source.read(samples_.data(), wanted);
    done += got;
    return got == wanted;
  }

 private:
  std::size_t frames_;
  std::vector<float> samples_;
};

}  // namespace

std::uint64_t decoder::count_frames() {
  unseen_frames block(describe().channels);
  std::uint64_t total = 0;
  while (block.read(*this, ~std::uint64_t{0}, total)) continue;
  return total;
}

bool decoder::seek(std::uint64_t frame) {
  if (frame < position_ && !open()) return false;
  unseen_frames block(describe().channels);
  std::uint64_t done = position_;
  while (done < frame)
    if (!block.read(*this, frame - done, done)) return false;
  return true;
}

}  // namespace papilio::audio_detail
