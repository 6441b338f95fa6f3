#pragma once

#include <string_view>

#include "papilio/base/export.hpp"

namespace papilio {

/// In what frequencies are spaced evenly: Hz, octaves, or mel (Slaney's, as hz_to_mel).
enum class frequency_scale { linear, logarithmic, mel };

/// "linear", "log" or "mel".
PAPILIO_API std::string_view to_string(frequency_scale scale);

/// The scale of that name; invalid_argument, naming those there are, if there is none.
PAPILIO_API frequency_scale frequency_scale_named(std::string_view name);

/// A range of frequencies along an axis of length 1: what a spectrogram's rows share evenly, and
/// where its picture's ticks stand.
struct PAPILIO_API frequency_axis {
  frequency_scale scale = frequency_scale::linear;
  double low_hz = 0;   ///< at least 0; above 0 on a logarithmic scale
  double high_hz = 1;  ///< above low_hz

  /// Where on the axis a frequency lies: 0 at low_hz, 1 at high_hz.
  double place(double hz) const;
  /// The frequency at a place: exactly low_hz at 0 and high_hz at 1.
  double hz(double place) const;

  /// invalid_argument, in the name of `function`, unless high_hz is above low_hz by at least 1e-12
  /// of itself, neither above 1e12, and low_hz at least 0, or 1e-9 where the scale is logarithmic.
  void require_valid(const char* function) const;
};

/// slaney: 3 f / 200 up to 1000 Hz, above it 15 + 27 ln(f / 1000) / ln 6.4 (Slaney, M. (1998),
/// Auditory Toolbox; librosa's default). htk: 2595 log10(1 + f / 700) (O'Shaughnessy, D. (1987),
/// Speech Communication, and the HTK book; torchaudio's default).
enum class mel_scale { slaney, htk };

PAPILIO_API double hz_to_mel(double hz, mel_scale scale = mel_scale::slaney);
PAPILIO_API double mel_to_hz(double mel, mel_scale scale = mel_scale::slaney);

}  // namespace papilio
