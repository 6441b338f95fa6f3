#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audio/byte_source.hpp"
#include "audio/decoder.hpp"

namespace papilio::audio_detail {

/// Sound in several links, each a sound of its own, one behind the other. Links of the first one's
/// rate and number of channels are read as one sound; what follows them is not read, and a fault.
class chain_decoder : public decoder {
 public:
  sound_info describe() const override { return info_; }
  std::optional<std::uint64_t> frames() const override { return frames_; }
  std::uint64_t promised_frames() const override { return promised_; }
  bool seek(std::uint64_t frame) override;
  std::string failure() const override { return failure_; }
  std::vector<std::string> faults() const override;

 protected:
  bool start() override;
  std::size_t decode(float* out, std::size_t frames) override;

  /// The decoder, not opened, of a link; none where there is none. `previous`, where there is one,
  /// has been read to its end, or its length has been found.
  virtual std::unique_ptr<decoder> link(std::size_t index, const decoder* previous) = 0;
  /// Tells what is wrong with a link that was read to its end; empty where nothing is.
  virtual std::string fault_of_link(std::size_t) { return {}; }
  /// Returns where a link begins in the file.
  virtual std::uint64_t offset_of_link(std::size_t index) const = 0;
  virtual const byte_source& bytes() const = 0;

 private:
  bool enter(std::size_t index);
  void leave_out(std::size_t index, std::unique_ptr<decoder> next, bool opened);
  void keep(const std::string& fault);
  void end_link(std::uint64_t end);
  void measure();

  sound_info info_;
  std::size_t index_ = 0;            ///< of the link that is read
  std::unique_ptr<decoder> decode_;  ///< of it; none behind the last
  std::vector<std::uint64_t> ends_;  ///< frames to the end of each link, as far as is known
  std::optional<std::uint64_t> frames_;
  std::uint64_t promised_ = 0;
  bool measured_ = false;
  std::string failure_;
  std::vector<std::string> faults_;
};

}  // namespace papilio::audio_detail
