#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "audio/file_bytes.hpp"

namespace papilio::audio_detail {

/// Layout of chunks in a container. W64's identifiers are GUIDs that begin with four letters.
struct chunk_layout {
  std::uint64_t first;
  unsigned id_bytes;
  unsigned size_bytes;
  bool big_endian;
  bool size_counts_header;
  unsigned alignment;
};

/// The sample data as a header describes it.
struct data_claim {
  /// Layout of the chunks that may follow; none where no chunks can.
  std::optional<chunk_layout> layout;
  std::uint64_t offset = 0;      ///< of the first sample byte
  std::uint64_t size_bytes = 0;  ///< as the header says, however false
  bool unknown = false;          ///< the header says, or implies, that the size is not known
  bool beyond_end = false;       ///< more bytes than the file has
  bool is_long = false;          ///< more bytes than the size field can say
  /// Bytes behind the data that are no chunk, tag or padding: sound, probably, that the size leaves
  /// out. Not known of a pipe.
  std::uint64_t bytes_behind = 0;
  /// The bytes that make the size right, and their place, for sizes that libsndfile takes literally.
  std::uint64_t size_field_offset = 0;
  std::string corrected_size_field;
};

/// The claims of the header of a WAV, RF64, W64, AIFF, CAF or AU file are kept as they stand, since
/// libsndfile makes lengths and rates plausible without a word.
struct header_claim {
  bool is_chunked = false;  ///< one of those containers
  std::optional<double> rate_hz;
  std::optional<std::uint32_t> channels;
  std::optional<std::uint32_t> format_tag;  ///< of WAV, RF64, W64
  std::optional<std::uint64_t> frames;      ///< where a count of its own is written
  /// Frames of packed samples, of which the last block may hold fewer than `block_frames`.
  std::optional<std::uint64_t> packed_frames;
  std::uint64_t block_frames = 0;
  /// libsndfile's number of the container and of how samples are stored, where they lie one after
  /// the other from data->offset on: WAV, RF64 and AU of plain samples. Else 0.
  int plain_format = 0;
  std::optional<data_claim> data;
};

header_claim read_header_claim(file_bytes& file);
/// data_claim::bytes_behind of a pipe, once the data have been read. At most 1 MiB behind them is
/// looked at: `is_least` tells whether more follows it.
std::uint64_t find_bytes_behind(file_bytes& file, const data_claim& data, bool& is_least);

}  // namespace papilio::audio_detail
