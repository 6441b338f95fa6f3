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

/// Encoding of one stored sample: signed or unsigned integers of 8 to 32 bits, IEEE numbers of 32
/// and 64 bits. Integers map to ±1 at full scale, the unsigned ones around their middle.
enum class sample_encoding { s8, u8, s16, s24, s32, f32, f64 };

/// Returns the bytes of one sample. Throws invalid_argument if it is no enumerator, as to_string.
PAPILIO_API unsigned sample_bytes(sample_encoding encoding);
/// Returns "s8", "u8", "s16", "s24", "s32", "f32" or "f64".
PAPILIO_API std::string to_string(sample_encoding encoding);
/// Returns the encoding of a name. Throws invalid_argument, listing the names, for any other.
PAPILIO_API sample_encoding parse_sample_encoding(std::string_view name);

/// Format of a headerless file: frames one after the other, channels interleaved.
struct raw_pcm {
  sample_encoding encoding = sample_encoding::s16;
  int rate_hz = 0;   ///< from 1 to highest_rate_hz
  int channels = 0;  ///< from 1 to most_channels
  bool big_endian = false;
  std::uint64_t skip_bytes = 0;  ///< before the first frame

  friend bool operator==(const raw_pcm&, const raw_pcm&) = default;
};

/// Parses "ENCODING:RATE:CHANNELS" or "ENCODING:RATE:CHANNELS:SKIP", as in "s16:44100:2" or
/// "f32be:48000:1:512"; "le" after the encoding may be left out.
/// Throws invalid_argument naming the part that is wrong.
PAPILIO_API raw_pcm parse_raw_pcm(std::string_view text);

/// Highest sample rate accepted, in Hz; a header with more is refused.
inline constexpr int highest_rate_hz = 100'000'000;
/// Most channels a sound file may have.
inline constexpr int most_channels = 1024;

/// Description of a sound file. A frame is one sample of every channel.
struct sound_info {
  /// Frames that can be read; fewer after decoding has found damage. If length_known is false, the
  /// frames read so far.
  std::uint64_t frames = 0;
  /// Whether `frames` is the length: false only before the end is met, without
  /// sound_reading::whole.
  bool length_known = true;
  /// Frames that the header states; 0 if it states no length. More than `frames`: truncated. Fewer:
  /// the header counts too few.
  std::uint64_t promised_frames = 0;
  int channels = 0;
  int rate_hz = 0;
  std::string container;  ///< "WAV (Microsoft)"
  std::string encoding;   ///< "Signed 16 bit PCM"
  int bits = 0;           ///< bits of a stored sample; 0 where the encoding has no fixed number
  /// Encoding to write a file of the same kind with; for FLAC and ALAC that of the decoded samples;
  /// none if no sample_encoding fits.
  std::optional<sample_encoding> stored_as = {};
  /// Tags of the file among title, artist, album, date, genre, comment, copyright, software,
  /// license and tracknumber.
  std::map<std::string, std::string> tags;
  std::string decoded_by;  ///< "libsndfile", "libFLAC", "libmpg123" or "ffmpeg"

  double duration_seconds() const {
    return rate_hz > 0 ? static_cast<double>(frames) / rate_hz : 0.0;
  }
};

/// Returns the frame nearest to a time, the later of two that are as near: of a time that ends one
/// excerpt and begins the next, the same for both. A millionth of a frame, or the rounding of the
/// time where that is more, does not count.
/// Throws invalid_argument unless seconds is finite and at least 0, rate_hz positive and finite.
PAPILIO_API std::uint64_t nearest_frame(double seconds, double rate_hz);

/// Treatment of samples that are NaN or infinite.
enum class nan_policy {
  refuse,  ///< io_error with frame, channel and value
  zero     ///< read as 0 and counted
};

/// Reading mode of sound whose length only its end tells: through a pipe, or decoded by the ffmpeg
/// program. Other files are read alike in every mode.
enum class sound_reading {
  /// Reads to the end on opening: info() has the length, and all is as with a file.
  whole,
  /// Reads as far as frames are asked for; info().length_known may be false until the end was met.
  /// The bytes of a pipe are kept for restart() and seek(). Formats that cannot be read in sequence
  /// (all but raw samples, WAV, RF64 and AU of plain samples, FLAC, Ogg and MPEG) are read whole.
  as_it_comes,
  /// Reads likewise and keeps nothing: restart() and seeking back are refused (invalid_argument) if
  /// a pipe is read in sequence.
  once
};

/// Options of reading a sound file.
struct sound_options {
  /// Whether sound that is missing (fewer frames than the header states, or no mark of an end),
  /// damaged, or follows what can be read is an io_error instead of a warning. A header without a
  /// length states none.
  bool strict = false;
  nan_policy nan = nan_policy::refuse;
  /// Format of a file without a header. Its bytes may be any, so that a file of another format is
  /// read as noise; only an incomplete last frame is noticed.
  std::optional<raw_pcm> raw = {};
  /// Rate of an array of samples, from 1 to highest_rate_hz, which says none: NPY, NPZ or CSV. Other
  /// files are then refused. Without it, arrays are. See sound_reader.
  std::optional<int> array_rate_hz = {};
  sound_reading reading = sound_reading::whole;
};

/// Reads a sound file block by block, in memory that does not depend on its length: WAV, RF64, W64,
/// AIFF, Ogg Vorbis, Opus and the other formats of libsndfile, FLAC by libFLAC, MP3 by libmpg123, or
/// raw samples. Formats that none of these knows (AAC, M4A, MP4, WMA, video) are decoded by the
/// program `ffmpeg` if it is on the path, and info().decoded_by says so. Samples are float, integers scaled
/// so that full scale is ±1; floating-point files are neither scaled nor clipped. Not for use by
/// two threads at once.
///
/// The length of an MP3 file is that of its frames, less the encoder's delay and padding if a LAME
/// tag has them and counts all frames. Links of an Ogg file, and FLAC files behind one another, are
/// one sound as long as rate and number of channels stay. The length of what ffmpeg decodes is
/// counted by decoding it.
///
/// "-" is standard input; /dev/stdin and /dev/fd/N are descriptors that are already open. The bytes
/// of a pipe are kept as far as they are needed again: up to 16 MiB in memory, more in a file
/// without a name in $TMPDIR or /tmp. The result is that of a file. Another reader of the same pipe
/// finds nothing left. A file that ends early is read as far as it goes, with a warning (or
/// refused, see sound_options::strict).
///
/// With sound_options::array_rate_hz the file is an array, [frames] or [frames, channels]: NPY, or
/// the only array in an NPZ, of int8, int16, int32 or uint8, scaled as encodings of that width, or
/// of float32 or float64 as they are; or CSV, a column a channel, as float64. CSV, NPZ and an NPY of
/// several channels in Fortran order are first unpacked into a file without a name.
///
/// Throws io_error, "PATH: reason", on opening what is missing, unreadable, empty, a directory, a
/// FIFO or a device, or no sound file, has no samples, no channel or more than most_channels, or a
/// rate of 0 or over highest_rate_hz; invalid_argument if options.raw or options.array_rate_hz has
/// no such rate or number of channels, or both are given.
class PAPILIO_API sound_reader {
 public:
  explicit sound_reader(const std::filesystem::path& path, const sound_options& options = {});
  ~sound_reader();
  sound_reader(sound_reader&&) noexcept;
  sound_reader& operator=(sound_reader&&) noexcept;

  const sound_info& info() const;

  /// Fills `out`, [frames, channels], row-major and without gaps, from the current position.
  /// Returns the number of frames read: out.extent(0), less only before the end, 0 at the end. The
  /// rest of `out` is unchanged.
  /// Throws shape_error if `out` has another number of channels or gaps; io_error for a sample that
  /// is NaN or infinite, with its position, frames counted from 0, channels from 1; position() is
  /// then behind the block.
  std::size_t read(view<float, 2> out);

  /// Makes `frame` the next to be read, with the same bits as when reading up to it. All formats
  /// but FLAC, ALAC and those with samples of a fixed size are therefore decoded up to it, from the
  /// beginning if it is behind.
  /// Throws invalid_argument if it is beyond info().frames.
  void seek(std::uint64_t frame);
  /// Begins again at frame 0 as a new reader would, with no samples replaced, of a pipe too; what
  /// is known of the length is kept.
  void restart();
  /// Finds the length where it is not known: reads to the end and begins again.
  /// Throws invalid_argument where sound_reading::once does not allow that.
  void measure();
  /// Index of the next frame to be read.
  std::uint64_t position() const;

  /// Number of NaN and infinite samples that were read as 0 so far.
  std::uint64_t replaced_samples() const;

  /// Warnings about what was read, one sentence each, without the path; empty if there are none.
  /// Complete once the end has been read.
  std::vector<std::string> warnings() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Sound in memory: samples [frames, channels], full scale ±1.
struct sound {
  sound_info info;
  array<float, 2> samples;
  std::uint64_t replaced_samples = 0;
  std::vector<std::string> warnings;
};

/// Reads a whole sound file. Memory follows what the file holds, not what its header states.
/// Throws as sound_reader, and resource_error if memory does not suffice.
PAPILIO_API sound read_sound(const std::filesystem::path& path, const sound_options& options = {});

/// Quality of libsoxr's linear-phase low-pass filters: bits of precision of the output. Frequencies
/// above half of the lower rate are removed; below, all but the top tenth is kept (`low`: third).
enum class resampling_quality {
  low,       ///< 16 bits
  medium,    ///< 16 bits
  high,      ///< 20 bits
  very_high  ///< 28 bits, computed in double, rounded to float
};

/// Largest ratio of the two rates of a resampler.
inline constexpr int largest_rate_ratio = 4096;

/// Returns the frames after resampling: ceil(frames * to_hz / from_hz), the output frames whose
/// time is before the input's end.
/// Throws invalid_argument as resampler; resource_error if the number overflows.
PAPILIO_API std::uint64_t resampled_frames(std::uint64_t frames, int from_hz, int to_hz);

/// Changes the sample rate of a stream, block by block, in memory that does not depend on its
/// length. Output frame k is at the time of input frame k * from_hz / to_hz: no delay is left;
/// before its beginning and after its end the input counts as 0. The output does not depend on how
/// the input is cut into blocks. Equal rates copy the samples. Not for use by two threads at once.
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
  /// Plans a change of rate. Throws invalid_argument unless both rates are from 1 to
  /// highest_rate_hz Hz and at most largest_rate_ratio apart, and channels from 1 to most_channels;
  /// resource_error if memory does not suffice.
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
  /// gaps, not overlapping, until `in` is used up or `out` is full. Pass those not taken again.
  /// Throws shape_error for other shapes, invalid_argument if `out` is empty or after finish().
  step process(view<const float, 2> in, view<float, 2> out);

  /// Writes, after the last input, what is left, out.extent(0) frames at most, and returns their
  /// number; 0 when resampled_frames() of all input have been written.
  /// Throws shape_error for other shapes, invalid_argument if `out` has no frames.
  std::size_t finish(view<float, 2> out);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Resamples a whole signal [frames, channels] to resampled_frames() frames, with the result of a
/// resampler for any blocks. Throws as resampler.
PAPILIO_API array<float, 2> resample(view<const float, 2> samples, int from_hz, int to_hz,
                                     resampling_quality quality = resampling_quality::high);
/// Resamples a sound. Its info then has that rate and that number of frames, and promised frames in
/// proportion, at most the largest number.
PAPILIO_API sound resample(const sound& s, int to_hz,
                           resampling_quality quality = resampling_quality::high);

/// File format that a sound_writer writes.
enum class sound_format {
  wav,   ///< u8, s16, s24, s32, f32 or f64; RF64 where it grows beyond 4 GB
  flac,  ///< s8, s16 or s24; at most 8 channels and 655,350 Hz, over 65,535 Hz by tens
  ogg    ///< Vorbis, which is lossy; at most 255 channels and 200,000 Hz
};

/// Returns the format of the extension of `path` (.wav, .wave, .rf64, .flac, .ogg, .oga, any case),
/// and wav for "-". Throws invalid_argument, listing the extensions, for any other.
PAPILIO_API sound_format sound_format_of(const std::filesystem::path& path);

/// Options of writing a sound file.
struct sound_writer_options {
  int rate_hz = 0;  ///< from 1 to highest_rate_hz
  int channels = 0;
  std::optional<sound_format> format = {};  ///< none: sound_format_of(path)
  /// Encoding of samples; none: s16 in WAV and FLAC. In Vorbis it must be none.
  std::optional<sample_encoding> encoding = {};
  /// Quality of Vorbis, from 0 to 1; about 128 kbit/s of 44.1 kHz stereo at 0.4. Elsewhere none.
  std::optional<double> quality = {};
  /// Number of frames, if it is known: a WAV that goes into a pipe then has its length in the
  /// header. commit() refuses another number.
  std::optional<std::uint64_t> frames = {};
};

/// Writes a sound file block by block, in memory that does not depend on its length. Not for use by
/// two threads at once.
///
/// The file appears under its name whole, at commit(), or not at all (see atomic_file). "-" is
/// standard output. Pipes and devices are written to directly, and their header cannot be corrected
/// at the end: a WAV of unknown length then has sizes of 2^32 - 1, as streaming writers do; FLAC a
/// length of 0, with no checksum of the whole; Ogg needs neither.
///
/// Integer encodings: a sample x is stored as the integer nearest to x 2^(bits-1), ties to even. A
/// sample beyond ±1 is stored as the nearest there is, and counted; +1 itself, which no integer
/// represents, becomes the highest without being counted. f32 and f64 store samples as they are. A
/// sound_reader reads back exactly what f32 or an integer encoding of at most 24 bits stores. The
/// stream number that Vorbis writes differs from run to run.
///
/// Throws io_error as atomic_file (a full disk is one).
class PAPILIO_API sound_writer {
 public:
  /// Opens the file. Throws invalid_argument if the options do not fit each other or the format.
  sound_writer(const std::filesystem::path& path, const sound_writer_options& options);
  ~sound_writer();
  sound_writer(sound_writer&&) noexcept;
  sound_writer& operator=(sound_writer&&) noexcept;

  /// Appends frames, [frames, channels], of any strides.
  /// Throws shape_error for another number of channels; invalid_argument, before anything of the
  /// block is written, if there would be more frames than options().frames, or a sample is NaN or
  /// infinite and the encoding is not f32 or f64.
  void write(view<const float, 2> frames);
  void write(view<const double, 2> frames);

  /// Completes the file and gives it its name. Call it once, last.
  /// Throws invalid_argument for fewer frames than options().frames, or none in FLAC or Ogg.
  void commit();

  /// Options as given, with format and encoding filled in.
  const sound_writer_options& options() const;
  std::uint64_t frames() const;           ///< written so far
  std::uint64_t clipped_samples() const;  ///< beyond ±1 and stored as the nearest there is

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Writes a whole sound, samples [frames, channels], and returns the number of clipped samples.
/// options.channels may be 0: then it is that of `samples`. Throws as sound_writer.
PAPILIO_API std::uint64_t write_sound(const std::filesystem::path& path,
                                      view<const float, 2> samples, sound_writer_options options);

}  // namespace papilio

// Sound input and output, whole and block by block, and at other sample rates.
