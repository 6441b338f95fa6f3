#pragma once

#include <FLAC/stream_decoder.h>

#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "audio/byte_source.hpp"
#include "audio/chain_decoder.hpp"

namespace papilio::audio_detail {

/// FLAC by libFLAC. Its frames have numbers: behind damage, what comes is at its time, and what is
/// lost is 0. Frames behind the count of the header are read.
class flac_decoder : public decoder {
 public:
  /// `in_ogg` changes the names of the format.
  flac_decoder(byte_source& file, bool in_ogg) : file_(&file), in_ogg_(in_ogg) {}

  sound_info describe() const override;
  std::optional<std::uint64_t> frames() const override;
  std::uint64_t promised_frames() const override { return total_; }
  bool seek(std::uint64_t frame) override;
  std::string failure() const override { return failure_; }
  std::vector<std::string> faults() const override;
  std::optional<std::uint64_t> end_offset() const override;

 protected:
  bool start() override;
  std::size_t decode(float* out, std::size_t frames) override;

 private:
  struct closer {
    void operator()(FLAC__StreamDecoder* d) const { FLAC__stream_decoder_delete(d); }
  };

  /// Does what the library calls for, which must not be thrown at.
  template <class Action>
  void try_to(const Action& action) noexcept {
    try {
      action();
    } catch (const std::bad_alloc&) {
      no_memory_ = true;
    }
  }
  void check_memory() const;
  bool begin();
  bool step();
  bool go_to(std::uint64_t frame);
  void measure();
  void take_metadata(const FLAC__StreamMetadata& block);
  void take_frame(const FLAC__Frame& frame, const FLAC__int32* const* samples);
  std::uint64_t block_end() const {
    return block_first_ + block_.size() / static_cast<std::size_t>(channels_);
  }

  byte_source* file_;
  bool in_ogg_;
  std::unique_ptr<FLAC__StreamDecoder, closer> stream_;
  std::uint64_t offset_ = 0;  ///< of the next byte that the library is given
  int rate_hz_ = 0, channels_ = 0, bits_ = 0;
  std::uint64_t total_ = 0;  ///< frames by the header; 0: not said
  std::map<std::string, std::string> tags_;
  bool measured_ = false, is_miscounted_ = false;
  std::uint64_t end_offset_ = 0;

  std::vector<float> block_;             ///< a frame of the file, decoded
  std::uint64_t block_first_ = 0;        ///< number of its first sample
  std::uint64_t next_ = 0;               ///< number of the sample to be read
  std::optional<std::uint64_t> origin_;  ///< number that the first sample has in the file
  bool is_new_ = false;                  ///< a block came
  bool is_seeking_ = false;
  bool no_memory_ = false;
  bool lost_ = false;              ///< something was, since the last block
  std::uint64_t lost_frames_ = 0;  ///< read as 0 so far
  std::optional<std::uint64_t> damaged_at_;
  std::string failure_;
};

/// A FLAC file, or several behind one another.
class flac_chain : public chain_decoder {
 public:
  flac_chain(byte_source& file, std::uint64_t begin);

 protected:
  std::unique_ptr<decoder> link(std::size_t index, const decoder* previous) override;
  std::string fault_of_link(std::size_t index) override;
  std::uint64_t offset_of_link(std::size_t index) const override { return begins_[index]; }
  const byte_source& bytes() const override { return *file_; }

 private:
  byte_source* file_;
  std::vector<std::uint64_t> begins_;
  bool has_more_ = false;  ///< streams than are read
  std::vector<std::unique_ptr<byte_source>> parts_;
};

}  // namespace papilio::audio_detail
