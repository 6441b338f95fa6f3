#pragma once

#include "cli/sound_verb.hpp"
#include "cli/stft_flags.hpp"
#include "papilio/render.hpp"

namespace papilio::cli {

/// Flags of papilio spectrogram, as they are given.
struct spectrogram_arguments {
  std::string shown_for, pool = "max", colors, range, title, frequency_axis, channels = "mixed";
  std::string strip, comparison, overlay, transform = "stft";
  std::optional<std::size_t> bins_per_octave;
  std::optional<double> low_hz, high_hz;
  double difference_range_db = 24;
  std::size_t width = 1280, height = 640, peaks = 0;
  bool waterfall = false, beats = false, follow = false, terminal = false;
  std::string graphics = "auto";
  stft_flags stft;
  excerpt_request part;
  sound_flags sound;
  look_flags look;

  void add_to(command& verb);
};

/// Levels shown, in dBFS; relative to the picture's highest where that is said.
struct shown_levels {
  float floor_db, ceiling_db;
  bool below_maximum;
};

/// The picture that the flags ask for, of any file. usage_error, naming the flag, where they fit
/// no file.
struct spectrogram_request {
  spectrogram_arguments args;
  const picture_preset* preset;
  shown_levels range;
  frequency_scale scale;

  explicit spectrogram_request(const spectrogram_arguments& of);

  bool is_stacked() const { return args.channels == "stacked"; }
  bool is_difference() const { return args.comparison == "difference"; }
  /// Whether bins are even in octaves.
  bool is_in_octaves() const { return args.transform != "stft"; }

  /// The frequencies shown of a file of that rate. io_error where it has none of them.
  frequency_axis axis_of(const std::string& file, double rate_hz, std::size_t n_fft) const;

  /// The transform in octaves of a file of that rate, so many frames in so many columns, whose lowest bin is
  /// the axis's lower end and whose highest is the first that reaches `axis.high_hz`: that too is made.
  /// io_error where the rate has none of them.
  constant_q_options octaves_of(const std::string& file, double rate_hz, std::uint64_t frames,
                                std::size_t columns, frequency_axis& axis) const;

  /// The picture's size and look, with so many panels that have no levels yet.
  spectrogram_picture bare_picture(std::size_t panels) const;
};

}  // namespace papilio::cli
