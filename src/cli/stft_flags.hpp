#pragma once

#include "cli/flags.hpp"
#include "cli/picture_presets.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {

/// The use of segments, on which a preset's meaning depends: spectra, where torch is torch.stft;
/// features, where it is torchaudio.transforms; pictures, whose segments follow the rate; any, in a
/// verb that makes all of these, until the outputs are known.
enum class preset_use { spectra, features, pictures, any };

/// How segments are cut and transformed, in every verb that does: --n-fft, --hop, --window,
/// --window-length, --padding, --preset and what `choice` adds.
struct stft_flags {
  /// Flags that not every verb has.
  struct choice {
    bool centring = true;  ///< --no-centre; without it, segments are centred
    bool scaling = true;   ///< --scaling; without it, that of `options()` is to be ignored
    preset_use use = preset_use::spectra;
  };

  /// The heading of these flags in --help.
  static constexpr const char* group = "Segments";

  std::optional<std::size_t> n_fft, hop, window_length;
  std::string window, padding, scaling, preset = "librosa";  ///< empty: the preset's
  bool no_centre = false;
  preset_use use = preset_use::spectra;

  /// Adds the flags, in a group of their own. Values out of range are refused while parsing, by the
  /// name of the flag.
  void add_to(command& verb, choice which);
  void add_to(command& verb) { add_to(verb, choice{}); }

  /// Options from the flags, and from the preset where a flag is not given. usage_error, naming
  /// the flag, where they do not fit each other; stft_options throws for nothing that is left but a
  /// scaling by a window whose weights sum to 0.
  stft_options options(double rate_hz = 1) const;

  /// Options for a picture of sound at that rate: flags that are not given have the picture
  /// preset's values, if there is one; else, without --n-fft, --window-length and --preset, n_fft
  /// is picture_n_fft().
  stft_options picture_options(double rate_hz, const picture_preset* shown = nullptr) const;

  /// Whether a picture may choose its hop, as spectrogram_hop() does: neither --hop nor --preset is
  /// given.
  bool leaves_hop() const { return !hop && !preset_option_.given(); }

  /// Options for a file of so many frames: as scipy does, --preset scipy takes a shorter segment,
  /// and warns, where the whole file is shorter. io_error where the flags do not fit the file.
  stft_options options_of(const std::string& file, std::uint64_t frames, double rate_hz,
                          std::vector<std::string>& warnings) const;

 private:
  option preset_option_;
};

/// For an option that parse_window() reads; lower case comes out.
validator window_text();
/// usage_error naming --window where its parameter does not suit that many samples.
void require_window(const window_spec& window, std::size_t length);
/// usage_error naming --hop and --window where segments of these options have no inverse.
void require_inverse(const stft_options& o);

}  // namespace papilio::cli
