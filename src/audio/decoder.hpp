#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "papilio/audio.hpp"

namespace papilio::audio_detail {

/// Encoded sound, decoded frame after frame.
class decoder {
 public:
  decoder() = default;
  decoder(const decoder&) = delete;
  decoder& operator=(const decoder&) = delete;
  virtual ~decoder() = default;

  /// Begins at frame 0. False where it cannot: failure() then says why.
  bool open() {
    position_ = 0;
    return start();
  }
  /// Everything but the numbers of frames.
  virtual sound_info describe() const = 0;
  /// Frames there are, where that is known without decoding.
  virtual std::optional<std::uint64_t> frames() const = 0;
  /// Frames that the header promises, where it counts them; else frames(), or 0.
  virtual std::uint64_t promised_frames() const { return frames().value_or(0); }

  /// Decodes up to `frames` frames; fewer where the data end or are damaged.
  std::size_t read(float* out, std::size_t frames) {
    const std::size_t got = decode(out, frames);
    position_ += got;
    return got;
  }
  /// Decodes to the end; the frames that came.
  std::uint64_t count_frames();
  /// Makes `frame` the next, by decoding what lies before it where that alone is exact; false where
  /// it cannot be reached.
  virtual bool seek(std::uint64_t frame);

  /// Why open() failed, or decoding stopped; empty where nothing is known.
  virtual std::string failure() const = 0;
  /// Tells in a sentence each what is missing or damaged in what was read so far, or follows it and
  /// is not read.
  virtual std::vector<std::string> faults() const { return {}; }
  /// The byte behind the last frame that was read, where the format tells it.
  virtual std::optional<std::uint64_t> end_offset() const { return std::nullopt; }

 protected:
  virtual bool start() = 0;
  virtual std::size_t decode(float* out, std::size_t frames) = 0;

  std::uint64_t position_ = 0;  ///< the next frame
};

}  // namespace papilio::audio_detail
