#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audio/byte_source.hpp"
#include "audio/decoder.hpp"
#include "audio/file_bytes.hpp"
#include "audio/header_claim.hpp"
#include "audio/mpeg_decoder.hpp"
#include "audio/sndfile_decoder.hpp"
#include "papilio/audio.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

struct sound_reader::state {
  state(const std::filesystem::path& file, const sound_options& wishes);

  [[noreturn]] void fail(const std::string& reason) const { throw io_error(path, reason); }
  void check_format(std::optional<double> rate_hz, std::optional<std::uint32_t> channels) const;
  void open();
  void choose_decoder();
  void open_plain_samples(const audio_detail::plain_samples& form,
                          std::uint64_t size_bytes = audio_detail::byte_source::unknown_size);
  void open_plain_data();
  void open_mpeg(audio_detail::byte_source& from, const audio_detail::mpeg_place& place);
  void open_mpeg_in_wav();
  bool open_in_sequence();
  bool open_behind_junk();
  bool open_by_libsndfile();
  void open_by_ffmpeg(const std::string& refusal);
  std::string refusal_of_libsndfile();
  void find_length();
  void measure();
  void begin_again();
  void require_kept() const;
  void find_left_over();
  std::uint64_t promise() const;
  std::uint64_t plain_frame_bytes() const;
  double frame_bytes() const;
  std::string rate_warning() const;
  void check_length() const;
  std::vector<std::string> faults() const;
  void ended();
  void met_end();
  void check_samples(std::span<float> samples, std::uint64_t first_frame);

  std::string path;
  sound_options options;
  audio_detail::file_bytes bytes;
  audio_detail::header_claim claim;
  std::unique_ptr<audio_detail::byte_source> part;  // of the bytes, where the decoder sees not all
  std::unique_ptr<audio_detail::decoder> decode;
  const audio_detail::sndfile_decoder* by_libsndfile = nullptr;  // decode, where it is that
  sound_info info;
  const char* array_container = nullptr;  // where the file is an array
  std::uint64_t position = 0;
  std::uint64_t replaced = 0;
  std::uint64_t left_over = 0;   // bytes of a raw file after its last whole frame
  std::uint64_t rest_bytes = 0;  // behind what the header counts, not read
  bool rest_is_least = false;    // more may follow in a pipe that did not end yet
  bool rest_is_known = false;    // of a pipe, once its end was met
  std::string trouble;           // that ffmpeg had on its way to the end
};

}  // namespace papilio
