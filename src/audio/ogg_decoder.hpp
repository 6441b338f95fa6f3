#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "audio/byte_source.hpp"
#include "audio/chain_decoder.hpp"

namespace papilio::audio_detail {

/// The pages of an Ogg file, found one after the other, as far as somebody asks.
class ogg_pages {
 public:
  explicit ogg_pages(byte_source& file) : file_(&file) {}

  struct body {
    std::uint64_t first;   ///< byte, of all bodies of the stream one behind the other
    std::uint64_t offset;  ///< in the file
    std::uint64_t bytes;
  };
  /// Streams that begin together; of them the first of sound, or the first.
  struct link {
    std::uint64_t begin, end;  ///< of the pages found
    std::uint32_t serial;
    bool has_sound = false;  ///< of a kind that is known
    bool is_flac = false;
    bool begun = false;             ///< a page behind the streams' first ones was found
    std::uint32_t next_number = 0;  ///< of the stream's next page
    bool has_granules = false;      ///< a page with sound was found
    bool lacks_pages = false;       ///< by their numbers
    bool has_end = false;           ///< the stream's last page bears the mark of an end
    bool is_whole = false;          ///< no more pages follow
    std::vector<body> bodies = {};  ///< of FLAC
  };

  byte_source& file() const { return *file_; }
  /// The i-th link, looked for; null where there is none.
  const link* at(std::size_t index);
  /// Finds the pages of a link up to `offset` in the file, or all.
  const link& reach(std::size_t index, std::uint64_t offset);
  const link& found(std::size_t index) const { return links_[index]; }

  /// Does what a library asks for, which must not be thrown at: 0 from an error on, as of no bytes.
  template <class Action>
  std::size_t try_to(const Action& action) noexcept {
    if (failure_) return 0;
    try {
      return action();
    } catch (...) {
      failure_ = std::current_exception();
      return 0;
    }
  }
  /// Throws that error.
  void check() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  bool next();
  void end_here();

  byte_source* file_;
  std::uint64_t at_ = 0;
  bool is_at_end_ = false;
  std::deque<link> links_;
  std::exception_ptr failure_;
};

/// Ogg: Vorbis, Opus and Speex by libsndfile, FLAC by libFLAC, and chains of them.
class ogg_decoder : public chain_decoder {
 public:
  explicit ogg_decoder(byte_source& file, std::uint64_t begin)
      : file_(file, begin), pages_(file_) {}

 protected:
  bool start() override;
  std::size_t decode(float* out, std::size_t frames) override;
  std::unique_ptr<decoder> link(std::size_t index, const decoder* previous) override;
  std::string fault_of_link(std::size_t index) override;
  std::uint64_t offset_of_link(std::size_t index) const override {
    return pages_.found(index).begin;
  }
  const byte_source& bytes() const override { return file_; }

 private:
  byte_range file_;
  ogg_pages pages_;
  std::vector<std::unique_ptr<byte_source>> parts_;  ///< bytes that decoders of links see
};

}  // namespace papilio::audio_detail
