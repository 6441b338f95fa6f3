#pragma once

#include <string>

#include "cli/analysis.hpp"
#include "cli/excerpt_reader.hpp"
#include "cli/json_value.hpp"

namespace papilio::cli {

/// File, format, duration, and where they say something the excerpt and the replaced samples: the
/// lines with which reports begin.
std::string sound_text(const std::string& file, const sound_info& info, const excerpt& part,
                       std::uint64_t replaced_samples);

std::string sound_text(const sound_facts& sound);

/// The same and more for programs.
json_value sound_json(const std::string& file, const sound_info& info, const excerpt& part,
                      std::uint64_t replaced_samples);
json_value sound_json(const sound_facts& sound);

/// "channel 2", "1 channel" or "mean of 2 channels".
std::string channels_text(const excerpt_request& request, const sound_info& info);

/// In dB to a tenth, and never -0.0.
double level_dbfs(double power);

/// "n_fft 2048, hop 512, hann window", or "hann window of 1024" where that is shorter.
std::string segments_text(const stft_options& options);

/// What was analysed and what was found, for people.
std::string report_text(const analysis_request& request, const drawn_file& drawn);

/// The same for programs; `picture` is the file that was drawn.
json_value report_json(const analysis_request& request, const drawn_file& drawn,
                       const std::string& picture);

}  // namespace papilio::cli
