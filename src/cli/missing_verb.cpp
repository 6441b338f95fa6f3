#include "cli/missing_verb.hpp"

#include <fmt/format.h>

namespace papilio::cli {
namespace {

std::string build_without(const std::vector<std::string>& options) {
  return fmt::format("in this build, which has no {}", fmt::join(options, " and no "));
}

}  // namespace

std::string not_in_this_build(const std::string& what, const std::vector<std::string>& options) {
  return fmt::format("{} is not {}; configure with -D{}=ON", what, build_without(options),
                     fmt::join(options, "=ON -D"));
}

void add_missing_verb(program& app, const std::string& name,
                      const std::vector<std::string>& options) {
  app.add_refused_command(name, "Not " + build_without(options), not_in_this_build(name, options));
}

}  // namespace papilio::cli
