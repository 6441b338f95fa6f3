#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "papilio/audio/raw_pcm.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"

namespace papilio {

/// The highest sample rate that is believed; a header that says more is refused.
inline constexpr int highest_rate_hz = 100'000'000;
/// The most channels a sound file may have.
inline constexpr int most_channels = 1024;

/// What a sound file is. A frame is one sample of every channel.
struct sound_info {
  /// Frames that can be read. Damage that only decoding finds lowers it when it is found. Where
  /// length_known is false, the frames that were read so far.
  std::uint64_t frames = 0;
  /// False only of what is not read whole first (sound_options::reading), until its end was met.
  bool length_known = true;
  /// Frames the header speaks of; 0 where it gives no length. More than `frames`: truncated.
  std::uint64_t promised_frames = 0;
  int channels = 0;
  int rate_hz = 0;
  std::string container;  ///< "WAV (Microsoft)"
  std::string encoding;   ///< "Signed 16 bit PCM"
  int bits = 0;           ///< bits of a stored sample; 0 where the encoding has no fixed number
  /// How samples are stored, FLAC's and ALAC's as what they unpack to; none where that is no
  /// sample_encoding. What a file of the same kind is to be written with.
  std::optional<sample_encoding> stored_as = {};
  /// Of title, artist, album, date, genre, comment, copyright, software, license, tracknumber:
  /// those the file has.
  std::map<std::string, std::string> tags;
  std::string decoded_by;  ///< "libsndfile", "libmpg123" or "ffmpeg"

  double duration_seconds() const {
    return rate_hz > 0 ? static_cast<double>(frames) / rate_hz : 0.0;
  }
};

/// What to do with samples that are NaN or infinite.
enum class nan_policy {
  refuse,  ///< io_error with frame, channel and value
  zero     ///< read as 0 and counted
};

/// How to read what has a length that only its end tells: sound that comes through a pipe, and what
/// the ffmpeg program decodes. Other files are not concerned.
enum class sound_reading {
  /// To the end, on opening: info() has the length, and all is as with a file.
  whole,
  /// As far as frames are asked for. info().length_known may be false until the end was met. What
  /// a pipe gave is kept for restart() and seek(). Formats that cannot be read in sequence (all but
  /// raw samples, WAV, RF64 and AU of plain samples, FLAC, Ogg and MPEG) are read whole.
  as_it_comes,
  /// Likewise, and nothing is kept: restart() and seeking back are refused (invalid_argument) where
  /// a pipe is read in sequence.
  once
};

struct sound_options {
  /// io_error, where otherwise a warning: fewer frames than the header promises. A header that
  /// gives no length promises nothing.
  bool strict = false;
  nan_policy nan = nan_policy::refuse;
  /// The file has no header: its bytes are samples, in this form. They may be any bytes, so that a
  /// file of another form is read as noise; only an incomplete last frame is noticed.
  std::optional<raw_pcm> raw = {};
  sound_reading reading = sound_reading::whole;
};

/// Reads a sound file block by block, in memory that does not depend on its length: WAV, RF64, W64,
/// AIFF, FLAC, Ogg Vorbis, Opus and what else libsndfile knows, MP3 by libmpg123, or raw samples.
/// What neither knows (AAC, M4A, MP4, WMA, video) is decoded by the program `ffmpeg`, where it is
/// on the path, and info().decoded_by says so. Samples are float, integers scaled so that full
/// scale is ±1; floating-point files are not scaled and not clipped.
///
/// The length of an MP3 file is that of its frames, less the encoder's delay and padding where a
/// LAME tag has them. The length of what ffmpeg decodes is counted by decoding it.
///
/// "-" is standard input; /dev/stdin and /dev/fd/N are what somebody opened. What comes through a
/// pipe is kept as far as it is needed again: up to 16 MiB of it in memory, more in a file without
/// a name in $TMPDIR or /tmp. The result is that of a file. Another reader of the same pipe finds
/// nothing left.
///
/// Errors are io_error, "PATH: reason". Refused on opening: what is missing, unreadable, empty, a
/// directory, a FIFO or a device; what is no sound file, or has no samples, no channel or more than
/// most_channels, or a rate of 0 or over highest_rate_hz. A file that ends early is read as far as
/// it goes, with a warning (or refused, see sound_options::strict).
/// invalid_argument where options.raw has no such rate or number of channels.
/// Not for use by two threads at once.
class PAPILIO_API sound_reader {
 public:
  explicit sound_reader(const std::filesystem::path& path, const sound_options& options = {});
  ~sound_reader();
  sound_reader(sound_reader&&) noexcept;
  sound_reader& operator=(sound_reader&&) noexcept;

  const sound_info& info() const;

  /// Fills `out`, [frames, channels], row-major and without gaps, from the current position.
  /// Returns the number of frames read: out.extent(0), less only before the end, 0 at the end. The
  /// rest of `out` is left as it was. shape_error if `out` has another number of channels or gaps.
  /// io_error on a sample that is NaN or infinite, with its place, frames counted from 0, channels
  /// from 1; position() is then behind the block.
  std::size_t read(view<float, 2> out);

  /// Makes `frame` the next to be read; at most info().frames, else invalid_argument. What is read
  /// there is what reading up to it would give, to the bit: all but FLAC, ALAC and
  /// what has samples of a fixed size is therefore decoded up to it, from the beginning where it
  /// lies behind.
  void seek(std::uint64_t frame);
  /// Begins again at frame 0, with nothing replaced, as a new reader would, but keeps what is known
  /// of the length; of a pipe too.
  void restart();
  /// Where the length is not known: reads to the end and begins again, so that it is.
  /// invalid_argument where sound_reading::once keeps from that.
  void measure();
  /// The next frame to be read.
  std::uint64_t position() const;

  /// NaN and infinite samples that were read as 0 so far.
  std::uint64_t replaced_samples() const;

  /// What is wrong with what was read, one sentence each, without the path; empty if nothing is.
  /// Complete once the end has been read.
  std::vector<std::string> warnings() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// A whole sound: samples [frames, channels], full scale ±1.
struct sound {
  sound_info info;
  array<float, 2> samples;
  std::uint64_t replaced_samples = 0;
  std::vector<std::string> warnings;
};

/// Reads a whole file. Errors as sound_reader, and resource_error if memory does not suffice.
/// Memory follows what the file holds, not what its header promises.
PAPILIO_API sound read_sound(const std::filesystem::path& path, const sound_options& options = {});

}  // namespace papilio
