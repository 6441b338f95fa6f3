#pragma once

#include <string_view>

#include "papilio/base/export.hpp"

namespace papilio {

/// Quantity in which frequencies are spaced evenly.
///   linear       Hz
///   logarithmic  octaves, labelled in Hz
///   mel          mel (Slaney's, as hz_to_mel)
///   bark         Bark, 6 asinh(f / 600) (Wang, Sekey and Gersho (1992), IEEE JSAC 10(5)): even below
///                600 Hz, in octaves far above
///   notes        octaves, labelled by notes of equal temperament: A4 is 440 Hz
enum class frequency_scale { linear, logarithmic, mel, bark, notes };

/// Whether frequencies are spaced in octaves, on an axis that cannot begin at 0 Hz.
constexpr bool is_logarithmic(frequency_scale scale) {
  return scale == frequency_scale::logarithmic || scale == frequency_scale::notes;
}

/// Returns "linear", "log", "mel", "bark" or "notes".
PAPILIO_API std::string_view to_string(frequency_scale scale);

/// Returns the scale of that name. Throws invalid_argument, listing the names, if there is none.
PAPILIO_API frequency_scale frequency_scale_named(std::string_view name);

/// Frequency range mapped to an axis of length 1, which a spectrogram's rows divide evenly.
struct PAPILIO_API frequency_axis {
  frequency_scale scale = frequency_scale::linear;
  double low_hz = 0;   ///< at least 0; above 0 on a logarithmic scale
  double high_hz = 1;  ///< above low_hz

  /// Returns (s(hz) - s(low_hz)) / (s(high_hz) - s(low_hz)), s the scale: 0 ... 1 on the axis.
  double place(double hz) const;
  /// Returns the frequency in Hz at a place, the inverse of place(); exact at 0 and 1.
  double hz(double place) const;

  /// Checks the range. Throws invalid_argument, in the name of `function`, unless `scale` is an
  /// enumerator, low_hz is 0 to 1e12 Hz (logarithmic: 1e-9 to 1e12), high_hz is 1e-9 to 1e12 Hz,
  /// and high_hz - low_hz is at least 1e-12 high_hz.
  void require_valid(const char* function) const;
};

/// Mel scale, for a frequency f in Hz.
///   slaney  3 f / 200 below 1000 Hz, 15 + 27 ln(f / 1000) / ln 6.4 from there on (Slaney, M.
///           (1998), Auditory Toolbox; librosa's default)
///   htk     2595 log10(1 + f / 700) (O'Shaughnessy, D. (1987), Speech Communication, and the HTK
///           book; torchaudio's default)
enum class mel_scale { slaney, htk };

/// Converts Hz to mel by the scale's formula; nothing is checked.
PAPILIO_API double hz_to_mel(double hz, mel_scale scale = mel_scale::slaney);
/// Converts mel to Hz, the inverse of hz_to_mel; nothing is checked.
PAPILIO_API double mel_to_hz(double mel, mel_scale scale = mel_scale::slaney);

}  // namespace papilio
