#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audio/decoder.hpp"
#include "audio/ffmpeg_process.hpp"
#include "audio/file_bytes.hpp"
#include "audio/sndfile_decoder.hpp"

namespace papilio::audio_detail {

/// The first sound track of whatever the ffmpeg program decodes (AAC, M4A, MP4, WMA, video ...),
/// through a pipe, in memory that does not depend on its length. Each opening starts a program, and
/// the first one also ffprobe, which tells the format and no tag.
class ffmpeg_decoder : public decoder {
 public:
  /// The program opens the file by its name, whose ending it may need to tell the format, or reads
  /// our descriptor where the file has none.
  explicit ffmpeg_decoder(file_bytes& file) : file_(&file) {}

  sound_info describe() const override;
  std::optional<std::uint64_t> frames() const override { return std::nullopt; }
  /// The error that the program told.
  std::string failure() const override { return failure_; }

 protected:
  bool start() override;
  std::size_t decode(float* out, std::size_t frames) override;

 private:
  std::vector<std::string> arguments(std::vector<std::string> before,
                                     const std::vector<std::string>& behind) const;
  std::string input_name() const;
  std::string without_name(std::string message) const;
  /// Finds the format of the file; false where it is no sound, with the reason.
  bool find_format();

  file_bytes* file_;
  std::unique_ptr<ffmpeg_process> process_;
  std::unique_ptr<file_bytes> output_;
  std::unique_ptr<sndfile_decoder> samples_;  // none behind the end
  int rate_hz_ = 0, channels_ = 0;
  std::string container_, encoding_, failure_;
  std::vector<std::string>
      other_decoders_;  // of pictures, say: their errors are none of the sound's
};

}  // namespace papilio::audio_detail
