#include "cli/feature_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/common.hpp"
#include "cli/validators.hpp"

namespace papilio::cli {
namespace {

constexpr const char* group = "Features";

void require(bool given, const char* flag, bool chosen, const char* needed) {
  if (given && !chosen) throw usage_error("{}: needs {}", flag, needed);
}

}  // namespace

void feature_flags::add_choice_to(command& verb) {
  verb.add(
      {{"--rms", rms, "Root of the mean square of the segment's samples, without the window"},
       {"--centroid", centroid, "Mean frequency, weighted by magnitude, Hz"},
       {"--bandwidth", bandwidth, "Standard deviation about the centroid, Hz"},
       {"--rolloff", rolloff, "Frequency below which lie 85 % of the magnitudes, Hz"},
       {"--flatness", flatness, "Geometric over arithmetic mean of the powers: 0 tone, 1 noise"},
       {"--zero-crossings", zero_crossings, "Changes of sign / number of samples"},
       {"--mel", mel, "Powers of mel bands"},
       {"--mfcc", mfcc, "Mel-frequency cepstral coefficients"}},
      group);
}

void feature_flags::add_mel_to(command& verb) {
  verb.add(
      {{"--n-mels|--bands", bands, "Number of mel bands [128]", whole_number_from(1, 4096)},
       {"--mel-scale", mel_scale, "slaney or htk [slaney; torch htk]", one_of({"slaney", "htk"})},
       {"--mel-norm", mel_norm, "slaney: bands of area 1; none: of height 1 [slaney; torch none]",
        one_of({"slaney", "none"})},
       {"--fmin", fmin_hz, "Lower edge of the lowest band, Hz [0]", number_from(0, 1e9)},
       {"--fmax", fmax_hz, "Upper edge of the highest band, Hz [half the rate]",
        number_from(1e-9, 1e9)},
       {"--mel-db", mel_db, "Mel bands as levels, 10 log10 of powers of 1e-10 and more"},
       {"--top-db", top_db,
        "Levels of mel bands, also those under mfcc, are raised to the highest of the\n"
        "sound less this, dB [80; torch --mel-db: as they are]",
        number_from(0, 1000)}},
      group);
}

void feature_flags::add_rest_to(command& verb) {
  verb.add(
      {{"--rolloff-share", rolloff_share, "Of the magnitudes [0.85]", number_from(1e-6, 1 - 1e-6)},
       {"--n-mfcc|--coefficients", coefficients,
        "Number of cepstral coefficients, at most --n-mels [20; torch 40]",
        whole_number_from(1, 4096)},
       {"--lifter", lifter, "Of mfcc: coefficient i times 1 + (L/2) sin(pi (i+1) / L) [0: times 1]",
        number_from(0, 1e6)}},
      group);
}

signal_detail::feature_selection feature_flags::selection(const std::string& preset) const {
  signal_detail::feature_selection s{.rms = rms,
                                     .centroid = centroid,
                                     .bandwidth = bandwidth,
                                     .rolloff = rolloff,
                                     .flatness = flatness,
                                     .zero_crossings = zero_crossings,
                                     .mel = mel,
                                     .mfcc = mfcc};
  if (!s.rms && !s.needs_magnitudes() && !s.needs_bands() && !s.zero_crossings)
    s.rms = s.centroid = s.bandwidth = s.rolloff = s.flatness = s.zero_crossings = true;
  require(rolloff_share.has_value(), "--rolloff-share", s.rolloff, "--rolloff");
  const bool banded = s.needs_bands();
  require(bands.has_value(), "--n-mels", banded, "--mel or --mfcc");
  require(!mel_scale.empty(), "--mel-scale", banded, "--mel or --mfcc");
  require(!mel_norm.empty(), "--mel-norm", banded, "--mel or --mfcc");
  require(fmin_hz.has_value(), "--fmin", banded, "--mel or --mfcc");
  require(fmax_hz.has_value(), "--fmax", banded, "--mel or --mfcc");
  require(mel_db, "--mel-db", s.mel, "--mel");
  require(top_db.has_value(), "--top-db", s.mfcc || mel_db, "--mel-db or --mfcc");
  require(coefficients.has_value(), "--n-mfcc", s.mfcc, "--mfcc");
  require(lifter.has_value(), "--lifter", s.mfcc, "--mfcc");
  s.rolloff_share = rolloff_share.value_or(0.85);
  const bool torch = preset == "torch";
  const mfcc_settings usual = torch ? torchaudio_mfcc() : librosa_mfcc();
  s.whole_hz = torch;
  s.bands = usual.mel;
  if (bands) s.bands.bands = *bands;
  if (!mel_scale.empty())
    s.bands.scale = mel_scale == "htk" ? papilio::mel_scale::htk : papilio::mel_scale::slaney;
  if (!mel_norm.empty())
    s.bands.norm = mel_norm == "none" ? papilio::mel_norm::none : papilio::mel_norm::slaney;
  s.bands.fmin_hz = fmin_hz.value_or(0);
  s.bands.fmax_hz = fmax_hz;
  if (fmax_hz && *fmax_hz <= s.bands.fmin_hz)
    throw usage_error("--fmax: must be above --fmin {}, got {}", s.bands.fmin_hz, *fmax_hz);
  s.cepstrum = usual.mfcc;
  s.cepstrum.lifter = lifter.value_or(0);
  s.cepstrum.coefficients = coefficients.value_or(std::min(usual.mfcc.coefficients, s.bands.bands));
  if (s.mfcc && s.cepstrum.coefficients > s.bands.bands)
    throw usage_error("--n-mfcc: must be at most --n-mels {}, got {}", s.bands.bands,
                      s.cepstrum.coefficients);
  // librosa.power_to_db cuts as its mfcc, torchaudio's AmplitudeToDB does not.
  if (mel_db) {
    s.mel_levels = usual.mfcc.decibel;
    if (torch) s.mel_levels->top_db = std::nullopt;
  }
  if (!top_db) return s;
  if (mel_db) s.mel_levels->top_db = top_db;
  s.cepstrum.decibel.top_db = top_db;
  return s;
}

}  // namespace papilio::cli
