#pragma once

#include "cli/spectrogram_analysis.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::cli {

/// Shows the picture of what came so far.
using live_picture = function_ref<void(const spectrogram_picture& picture)>;

/// Reads standard input as it comes and draws the last `seconds` of it again and again, until it
/// ends or SIGINT, SIGTERM or SIGHUP does: then once more, so that the last picture is of all that
/// came. What comes out is what the last picture shows.
std::vector<spectrogram_analysis> follow(const spectrogram_request& r, const file_request& of,
                                         double seconds, live_picture draw);

}  // namespace papilio::cli
