#pragma once

#include <cstdlib>
#include <string>

namespace papilio::cli {

/// What a flag says, else what a variable of the environment says, else `otherwise`.
inline std::string given_or_environment(const std::string& given, const char* variable,
                                        const char* otherwise = "") {
  if (!given.empty()) return given;
  const char* const text = std::getenv(variable);
  return text == nullptr || *text == 0 ? otherwise : text;
}

}  // namespace papilio::cli
