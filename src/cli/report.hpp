#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/analysis.hpp"

namespace papilio::cli {

/// What was analysed and what was found, for people.
std::string report_text(const analysis_request& request, const analysis& a);

/// The same for programs; `picture` is the file that was drawn.
nlohmann::json report_json(const analysis_request& request, const analysis& a,
                           const std::string& picture);

}  // namespace papilio::cli
