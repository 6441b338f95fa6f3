#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "papilio/audio.hpp"
#include "papilio/base/atomic_file.hpp"

namespace papilio::audio_detail {

/// Turns interleaved samples into the bytes of a sound file, the header first.
class sound_encoder {
 public:
  sound_encoder() = default;
  sound_encoder(const sound_encoder&) = delete;
  sound_encoder& operator=(const sound_encoder&) = delete;
  virtual ~sound_encoder() = default;

  /// Whole frames; the number of samples that were clipped.
  virtual std::uint64_t write(std::span<const float> samples) = 0;
  virtual std::uint64_t write(std::span<const double> samples) = 0;
  /// What comes after the last of `frames` frames, and the header's corrections.
  virtual void finish(std::uint64_t frames) = 0;
};

/// Options with a format, and an encoding where the format has any; both have been checked. The
/// file outlives the encoder.
std::unique_ptr<sound_encoder> make_wav_encoder(atomic_file& file,
                                                const sound_writer_options& options);
/// FLAC and Ogg Vorbis, by libsndfile.
std::unique_ptr<sound_encoder> make_library_encoder(atomic_file& file,
                                                    const sound_writer_options& options);

/// invalid_argument where libsndfile cannot write such a file.
void check_library_format(const sound_writer_options& options);

}  // namespace papilio::audio_detail
