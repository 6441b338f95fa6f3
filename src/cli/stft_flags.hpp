#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>

#include "papilio/signal.hpp"

namespace papilio::cli {

/// How segments are cut and transformed, in every verb that does: --n-fft, --hop, --window,
/// --window-length, --padding, --preset and what `choice` adds.
struct stft_flags {
  /// Flags that not every verb has.
  struct choice {
    bool centring = true;  ///< --no-centre; without it, segments are centred
    bool scaling = true;   ///< --scaling; without it, that of `options()` is to be ignored
  };

  /// What the help calls them.
  static constexpr const char* group = "Segments";

  std::optional<std::size_t> n_fft, hop, window_length;
  std::string window, padding, scaling, preset = "librosa";  ///< empty: the preset's
  bool no_centre = false;

  /// Adds the flags, in a group of their own. Values out of range are refused while parsing, by the
  /// name of the flag.
  void add_to(CLI::App& verb, choice which);
  void add_to(CLI::App& verb) { add_to(verb, choice{}); }

  /// What the flags say, the preset's values for those that are not given. usage_error, naming the
  /// flag, where they do not fit each other; stft_options throws for nothing that is left but a
  /// scaling by a window whose weights sum to 0.
  stft_options options(double rate_hz = 1) const;
};

/// For an option that parse_window() reads; lower case comes out.
CLI::Validator window_text();
/// usage_error naming --window where its parameter does not suit that many samples.
void require_window(const window_spec& window, std::size_t length);

/// The words of --padding and --scaling: "zero", "reflect", "edge"; "none", "magnitude", "psd",
/// "orthonormal", "dbfs".
std::string to_string(edge_padding padding);
std::string to_string(stft_scaling scaling);
/// And back; none for any other word.
std::optional<edge_padding> parse_padding(const std::string& word);
std::optional<stft_scaling> parse_scaling(const std::string& word);

}  // namespace papilio::cli
