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

  /// Writes whole frames and returns the number of samples that were clipped.
  virtual std::uint64_t write(std::span<const float> samples) = 0;
  virtual std::uint64_t write(std::span<const double> samples) = 0;
  /// Writes what follows the last of `frames` frames, and corrects the header.
  virtual void finish(std::uint64_t frames) = 0;
};

/// Makes an encoder of WAV files. The options name a format, and an encoding where the format has
/// any; both have been checked. The file must outlive the encoder.
std::unique_ptr<sound_encoder> make_wav_encoder(atomic_file& file,
                                                const sound_writer_options& options);
/// Makes an encoder of FLAC or Ogg Vorbis files by libsndfile; otherwise as make_wav_encoder.
std::unique_ptr<sound_encoder> make_library_encoder(atomic_file& file,
                                                    const sound_writer_options& options);

/// Throws invalid_argument if libsndfile cannot write such a file.
void check_library_format(const sound_writer_options& options);

}  // namespace papilio::audio_detail
