#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "papilio/audio/raw_pcm.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"

namespace papilio {

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
