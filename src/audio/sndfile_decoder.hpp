#pragma once

#include <sndfile.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "audio/byte_source.hpp"
#include "audio/decoder.hpp"
#include "audio/sndfile_handle.hpp"

namespace papilio::audio_detail {

/// Samples that lie one after the other, in libsndfile's terms.
struct plain_samples {
  int format;  ///< container, of which only the name is used, subtype and endianness
  int rate_hz, channels;
  std::uint64_t offset;  ///< byte at which the first sample begins
};
plain_samples plain_samples_of(const raw_pcm& raw);

/// Decodes the formats that libsndfile reads.
class sndfile_decoder : public decoder {
 public:
  /// Given `plain`, the bytes are taken as such samples, whatever they look like.
  explicit sndfile_decoder(byte_source& file, std::optional<plain_samples> plain = {})
      : source_{&file, plain ? plain->offset : 0, 0}, plain_(plain) {}

  sound_info describe() const override;
  std::optional<std::uint64_t> frames() const override;
  bool seek(std::uint64_t frame) override;
  std::string failure() const override;

  int failure_code() const { return failure_code_; }
  int rate_hz() const { return format_.samplerate; }
  int channels() const { return format_.channels; }
  /// Bytes of one stored sample; 0 where samples have no fixed place in the data.
  unsigned sample_bytes() const;
  /// Returns the value of a sample, counted over all channels from 0, if it is the first of the
  /// last reading that is finite and exceeds float's range.
  std::optional<double> beyond_float(std::uint64_t sample) const {
    return beyond_float_ && beyond_float_->first == sample ? std::optional(beyond_float_->second)
                                                           : std::nullopt;
  }

 protected:
  bool start() override;
  std::size_t decode(float* out, std::size_t frames) override;

 private:
  struct source {
    byte_source* file;
    std::uint64_t origin;
    sf_count_t position;  // from origin

    sf_count_t size() const {
      return static_cast<sf_count_t>(file->size() - std::min(file->size(), origin));
    }
  };
  static SF_VIRTUAL_IO callbacks();
  std::size_t decode_plain_16(float* out, std::size_t frames);
  std::size_t decode_double(float* out, std::size_t frames);
  bool seeks_exactly() const;

  source source_;
  std::optional<plain_samples> plain_;
  SF_INFO format_{};
  sndfile_handle handle_;
  std::vector<std::uint16_t> stored_;  ///< samples as the file stores them
  std::vector<double> doubles_;        ///< samples of a file of doubles
  std::optional<std::pair<std::uint64_t, double>> beyond_float_;
  int failure_code_ = 0;
  std::string failure_;
};

}  // namespace papilio::audio_detail
