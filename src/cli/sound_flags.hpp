#pragma once

#include <span>

#include "cli/outputs.hpp"
#include "cli/report.hpp"
#include "papilio/audio.hpp"
#include "papilio/base.hpp"
#include "papilio/render.hpp"

namespace papilio::cli {

/// How sound files are read, in every verb that does.
struct sound_flags {
  bool strict = false;
  std::string nan = "refuse", raw;
  std::optional<int> rate_hz;
  std::string rate_name = "--rate";  ///< of the flag for arrays

  /// --strict, --nan, --raw and --rate.
  void add_to(command& verb);
  /// Only --raw and --rate, for verbs that look at headers.
  void add_raw_to(command& verb);
  /// How this file is read. usage_error where its name says that it needs a rate.
  sound_options options(const std::string& file) const;
};

/// Which spectral peaks are listed, in every verb that lets one choose.
struct peak_flags {
  std::size_t count;
  double range_db = 120;

  /// --peaks and --peak-range.
  void add_to(command& verb);
};

/// Help of an argument that names sound files.
inline constexpr const char* sound_files_help = "Sound files; - is standard input";

/// Adds the facts of a sound's header: lines of format and duration, fields from "file" to "tags".
report& add_sound(report& to, const std::string& file, const sound_info& info);

/// Whether it is a picture: "png", "svg" or "pdf".
bool is_picture(const std::string& kind);

/// The level that a sine of full scale has, in every verb that shows levels.
struct full_scale_flag {
  std::optional<double> db_spl;

  /// --full-scale.
  void add_to(command& verb);
  /// Decibels by which a level in dBFS is raised, and the unit that it then has.
  double offset_db() const { return db_spl.value_or(0); }
  const char* unit() const { return db_spl ? "dB SPL" : "dBFS"; }
};

/// Levels of a file over frequency, which begins at 0 Hz.
struct level_curves {
  /// A peak of one of the channels.
  struct peak {
    std::size_t channel;
    double frequency_hz, level_db;
  };
  std::string file;
  array<double, 2> levels_db;  ///< [channels, bins]
  double step_hz, high_hz;
  std::vector<peak> peaks = {};  ///< of each channel the strongest first
};

/// That of a picture of a file: what was given, or the file's name.
std::string picture_title(const std::string& given, const std::string& file);

/// How all pictures look.
struct look_flags {
  std::string theme;
  std::optional<double> dpi;

  /// --theme and --dpi.
  void add_to(command& verb);
  bool are_given() const { return !theme.empty() || dpi; }
  picture_theme theme_or(const char* otherwise) const;
};

/// How such curves are drawn, in every verb that does.
struct plot_flags {
  std::string frequency_axis, title;
  std::optional<std::size_t> width, height, labels;
  std::optional<double> min_db;
  bool log_frequency = false;
  look_flags look;

  /// `lowest` is what the help says of the lowest level where none is given.
  void add_to(command& verb, const std::string& lowest);
  /// usage_error if one of them is given and no output is a picture, or if --min-db is not below a
  /// full-scale sine's level.
  void require_picture(const output_flags& outputs, const full_scale_flag& scale) const;
  /// How many peaks of a channel are to be found for the labels.
  std::size_t wanted_peaks() const;
  /// The title is the files' names where none is given. Levels are in dBFS; the unit is that of a
  /// bin, "/Hz" for densities.
  void draw(const output& out, std::span<const level_curves> files, const full_scale_flag& scale,
            const std::string& per) const;
};

/// The kinds of sounds that are written, without --out under the input's name and this suffix; and
/// the help of --out.
output_kinds sound_kinds(std::string suffix);
std::string sound_out_help(const std::string& suffix);

/// How sound files are written, in every verb that does.
struct sound_output_flags {
  std::string encoding;
  std::optional<double> quality;

  /// --encoding and --quality. `usual` is what the help says of the encoding where none is given.
  void add_to(command& verb, const std::string& usual = "s16");
  /// usage_error where the flags do not fit the kinds that the names tell.
  void require_fit(const output_flags& outputs) const;
  /// Format and encoding; rate and channels are left open.
  sound_writer_options options(const std::string& kind) const;
  /// Also rate and channels, and without --encoding that of the sound where the format has it.
  sound_writer_options options_like(const std::string& kind, const sound_info& sound) const;
};

/// Help of an encoding that options_like() chooses.
inline constexpr const char* kept_encoding_help = "the input's, or s16";

/// "written   OUT (WAV, s16, 1000 frames)", and what was clipped, of which one is warned.
void add_written(report& made, const output& out, const sound_writer& writer);

}  // namespace papilio::cli
