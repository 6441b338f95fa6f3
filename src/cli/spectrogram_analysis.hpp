#pragma once

#include "cli/pitch_overlay.hpp"
#include "cli/rhythm.hpp"
#include "cli/sound_strip.hpp"
#include "cli/spectrogram_request.hpp"
#include "signal/octave_spectrogram.hpp"
#include "signal/panel_spectrograms.hpp"

namespace papilio::cli {

/// The analysis of one file from which its picture is drawn.
struct spectrogram_analysis {
  sound_facts sound;
  stft_options stft;
  std::optional<constant_q_options> octaves =
      {};  ///< of a transform in octaves, in place of `stft`
  std::uint64_t segments = 0;
  frequency_axis axis;
  /// Powers [rows, columns], of a full-scale sine 1: one for each panel of the picture.
  std::vector<array<double, 2>> powers = {};
  spectrogram_columns columns = {};  ///< those of the powers, from the excerpt's first sample on
  std::uint64_t frames_shown = 0;
  std::size_t picture_columns = 0;  ///< that divide the frames shown evenly
  /// Powers in dB, and these spread over the picture's columns; filled where a picture is made.
  std::vector<array<float, 2>> levels = {}, shown = {};
  bool is_silent = false;
  std::optional<rhythm> beats = {};
  std::vector<spectral_peak> peaks = {};
  std::optional<spectrogram_strip> strip;
  std::vector<float> curve_hz =
      {};  ///< of --overlay, of columns that divide the frames shown evenly
};

/// The sound whose picture is made.
struct pictured_sound {
  const std::string& file;
  const sound_info& info;
  std::size_t channels;  ///< of the samples that come
  std::uint64_t frames;
  /// Frames that the picture spans; beyond the sound's own its columns are NaN.
  std::uint64_t frames_shown;
  std::uint64_t most_columns = unlimited_frames;
};

/// Takes the samples of one picture. io_error where the flags do not fit the sound.
class spectrogram_maker {
 public:
  spectrogram_maker(const spectrogram_request& r, const pictured_sound& of,
                    signal_detail::plan_store& plans);

  /// [frames, channels].
  void push(view<const float, 2> block);
  /// After the last of the frames.
  spectrogram_analysis finish(const sound_facts& sound);

 private:
  void begin_segments(const pictured_sound& of, const plot_extent& extent, std::size_t panels,
                      signal_detail::plan_store& plans);
  void begin_octaves(const pictured_sound& of, const plot_extent& extent,
                     signal_detail::plan_store& plans);

  const spectrogram_request& request_;
  double rate_hz_;
  stft_options stft_;
  std::optional<constant_q_options> octave_options_;
  frequency_axis axis_;
  std::uint64_t frames_shown_;
  std::size_t picture_columns_ = 0;
  std::size_t empty_strip_columns_ = 0;
  std::optional<signal_detail::panel_spectrograms> spectrograms_;
  std::optional<signal_detail::octave_spectrogram> octaves_;
  std::optional<sound_strip> strip_;
  std::optional<pitch_overlay> overlay_;
};

/// How the levels were made: "n_fft 2048, hop 512, hann window", or "constant Q, 24 bins an octave, ...".
std::string analysis_text(const spectrogram_analysis& of);
json_value analysis_fields(const spectrogram_analysis& of);

/// Analyses a file's excerpt.
spectrogram_analysis analyse(const spectrogram_request& r, const file_request& of);

/// Analyses two files of one rate, for one picture over the time of the longer, or, of their
/// difference, of the shorter. io_error if the rates differ.
std::vector<spectrogram_analysis> analyse_both(const spectrogram_request& r, const file_request& of,
                                               const std::string& other);

/// The picture, whose panels are views of what the analyses show. Their levels are made too, in
/// dBFS, or those of the last are the difference, as wide in all. All are of the same axis.
spectrogram_picture picture_of(const spectrogram_request& r,
                               std::vector<spectrogram_analysis>& sounds);

}  // namespace papilio::cli
