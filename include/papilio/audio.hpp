#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"

namespace papilio {

/// How one sample is stored: signed or unsigned integers of 8 to 32 bits, IEEE numbers of 32 and
/// 64. Integers map to ±1 at full scale, the unsigned ones around their middle.
enum class sample_encoding { s8, u8, s16, s24, s32, f32, f64 };

/// Bytes of one sample.
PAPILIO_API unsigned sample_bytes(sample_encoding encoding);
/// "s8", "u8", "s16", "s24", "s32", "f32", "f64".
PAPILIO_API std::string to_string(sample_encoding encoding);
/// The inverse of to_string; invalid_argument, with the names there are, on anything else.
PAPILIO_API sample_encoding parse_sample_encoding(std::string_view name);

/// What a headerless file holds: frames one after the other, channels interleaved.
struct raw_pcm {
  sample_encoding encoding = sample_encoding::s16;
  int rate_hz = 0;   ///< from 1 to highest_rate_hz
  int channels = 0;  ///< from 1 to most_channels
  bool big_endian = false;
  std::uint64_t skip_bytes = 0;  ///< before the first frame

  friend bool operator==(const raw_pcm&, const raw_pcm&) = default;
};

/// Reads "ENCODING:RATE:CHANNELS" or "ENCODING:RATE:CHANNELS:SKIP", as in "s16:44100:2" or
/// "f32be:48000:1:512"; "le" after the encoding may be left out. invalid_argument naming the part
/// that is wrong.
PAPILIO_API raw_pcm parse_raw_pcm(std::string_view text);

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

/// Linear-phase low-pass filters of libsoxr: bits of precision that the output has. What lies above
/// half of the lower rate is gone; all but its topmost tenth is kept (`low`: topmost third).
enum class resampling_quality {
  low,       ///< 16 bits
  medium,    ///< 16 bits
  high,      ///< 20 bits
  very_high  ///< 28 bits, computed in double, rounded to float
};

/// No rate may be more than so many times the other.
inline constexpr int largest_rate_ratio = 4096;

/// Frames that `frames` become: ceil(frames * to_hz / from_hz), the output frames whose time lies
/// before the input's end. invalid_argument as resampler; resource_error where they overflow.
PAPILIO_API std::uint64_t resampled_frames(std::uint64_t frames, int from_hz, int to_hz);

/// Changes the sample rate of a stream, block by block, in memory that does not depend on its
/// length. Output frame k stands at the time of input frame k * from_hz / to_hz: no delay is left;
/// before its beginning and after its end the input counts as 0. The output does not depend on how
/// the input is cut into blocks. Where the rates are equal, samples are copied. Not for use by two
/// threads at once.
///
///     resampler change(44100, 48000, 2);
///     while (const std::size_t got = reader.read(block)) {
///       for (view<const float, 2> rest = block.view().slice(0, 0, got); rest.extent(0) > 0;) {
///         const auto [taken, given] = change.process(rest, out);
///         writer.write(out.view().slice(0, 0, given));
///         rest = rest.slice(0, taken, rest.extent(0) - taken);
///       }
///     }
///     while (const std::size_t given = change.finish(out)) writer.write(out.view().slice(0, 0,
///     given));
class PAPILIO_API resampler {
 public:
  /// invalid_argument unless both rates are from 1 to highest_rate_hz and at most
  /// largest_rate_ratio apart, and channels from 1 to most_channels. resource_error if memory does
  /// not suffice.
  resampler(int from_hz, int to_hz, int channels,
            resampling_quality quality = resampling_quality::high);
  ~resampler();
  resampler(resampler&&) noexcept;
  resampler& operator=(resampler&&) noexcept;

  struct step {
    std::size_t taken;  ///< input frames that were consumed
    std::size_t given;  ///< output frames that were written
  };

  /// Takes frames of `in` and writes frames to `out`, both [frames, channels], row-major without
  /// gaps, not overlapping, until `in` is used up or `out` is full. What was not taken is to be
  /// given again. shape_error on other shapes, invalid_argument
  /// if `out` has no frames or after finish().
  step process(view<const float, 2> in, view<float, 2> out);

  /// After the last input: writes what is left, out.extent(0) frames at most, and returns their
  /// number; 0 when resampled_frames() of all input have been given. Errors as process().
  std::size_t finish(view<float, 2> out);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// A whole signal [frames, channels] at another rate: resampled_frames() of it. The result is that
/// of a resampler for any blocks.
PAPILIO_API array<float, 2> resample(view<const float, 2> samples, int from_hz, int to_hz,
                                     resampling_quality quality = resampling_quality::high);
/// The same for a sound, whose info has then that rate and that number of frames; of promised
/// frames that would be too many for a number, the largest number.
PAPILIO_API sound resample(const sound& s, int to_hz,
                           resampling_quality quality = resampling_quality::high);

enum class sound_format {
  wav,   ///< u8, s16, s24, s32, f32 or f64; RF64 where it grows beyond 4 GB
  flac,  ///< s8, s16 or s24; at most 8 channels and 655,350 Hz, over 65,535 Hz by tens
  ogg    ///< Vorbis, which is lossy; at most 255 channels and 200,000 Hz
};

/// The format that the extension of `path` names (.wav, .wave, .rf64, .flac, .ogg, .oga, any case),
/// and wav for "-"; invalid_argument, with the extensions there are, on any other.
PAPILIO_API sound_format sound_format_of(const std::filesystem::path& path);

struct sound_writer_options {
  int rate_hz = 0;
  int channels = 0;
  std::optional<sound_format> format = {};  ///< none: sound_format_of(path)
  /// None: s16 in WAV and FLAC. Vorbis has no encoding: there it must be none.
  std::optional<sample_encoding> encoding = {};
  /// Of Vorbis, from 0 to 1; about 128 kbit/s of 44.1 kHz stereo at 0.4. Elsewhere it must be none.
  std::optional<double> quality = {};
  /// Where it is known how many frames there will be: a WAV that goes into a pipe then has its
  /// length in the header. commit() refuses another number.
  std::optional<std::uint64_t> frames = {};
};

/// Writes a sound file block by block, in memory that does not depend on its length.
///
/// The file appears under its name whole, at commit(), or not at all (see atomic_file, whose
/// io_errors these are; a full disk is one). "-" is standard output. Pipes and devices are written
/// to directly, and their header cannot be corrected at the end: a WAV of unknown length then says
/// so by sizes of 2^32 - 1, as streaming writers do; FLAC by a length of 0, with no checksum of the
/// whole; Ogg needs neither.
///
/// Integer encodings: a sample x is stored as the integer nearest to x 2^(bits-1), ties to even.
/// One beyond ±1 is stored as the nearest there is, and counted; +1 itself, which no integer
/// stands for, becomes the highest without being counted. f32 and f64 store samples as they are.
/// What an integer encoding of no more than 24 bits, or f32, stores, a sound_reader reads back
/// exactly. The stream number that Vorbis writes differs from run to run.
/// Not for use by two threads at once.
class PAPILIO_API sound_writer {
 public:
  /// invalid_argument where the options do not fit each other or the format.
  sound_writer(const std::filesystem::path& path, const sound_writer_options& options);
  ~sound_writer();
  sound_writer(sound_writer&&) noexcept;
  sound_writer& operator=(sound_writer&&) noexcept;

  /// Appends frames, [frames, channels], of any strides. shape_error on another number of channels.
  /// invalid_argument, before anything of the block is written, if there would be more frames than
  /// options().frames, or a sample is NaN or infinite where the encoding is not f32 or f64.
  void write(view<const float, 2> frames);
  void write(view<const double, 2> frames);

  /// Completes the file and gives it its name. Call it once, last. invalid_argument if there are
  /// fewer frames than options().frames, or none in a FLAC or Ogg file.
  void commit();

  /// As given, with format and encoding filled in.
  const sound_writer_options& options() const;
  std::uint64_t frames() const;           ///< written so far
  std::uint64_t clipped_samples() const;  ///< beyond ±1 and stored as the nearest there is

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Writes a whole sound, samples [frames, channels]; the number of clipped samples.
/// options.channels may be 0: then it is that of `samples`. Errors as sound_writer.
PAPILIO_API std::uint64_t write_sound(const std::filesystem::path& path,
                                      view<const float, 2> samples, sound_writer_options options);

}  // namespace papilio

// Sound in and out, whole and block by block, and at other sample rates.
