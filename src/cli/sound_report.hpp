#pragma once

#include <string>
#include <vector>

#include "cli/excerpt.hpp"
#include "cli/report.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {

/// What every report of a sound begins with: file, format, duration, and where they say something
/// the excerpt and the replaced samples; its warnings.
report sound_report(const sound_facts& sound);

/// "channel 2", "1 channel" or "mean of 2 channels".
std::string channels_text(const excerpt_request& request, const sound_info& info);

/// "n_fft 2048, hop 512, hann window", or "hann window of 1024" where that is shorter.
std::string segments_text(const stft_options& options);
/// The fields "segments", "n_fft", "hop" and "window".
json_value segments_fields(std::uint64_t segments, const stft_options& options);

/// A warning where samples between segments are not looked at.
void add_hop_warning(const sound_facts& sound, const stft_options& options,
                     std::vector<std::string>& warnings);

/// The list of peaks, powers beside a full-scale sine's.
report& add_peaks(report& to, const std::vector<spectral_peak>& peaks);

}  // namespace papilio::cli
