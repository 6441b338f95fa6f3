#pragma once

#include <string>
#include <vector>

namespace papilio::cli {

/// "; did you mean WORD?", or nothing where no known word is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace papilio::cli
