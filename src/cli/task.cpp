#include "cli/task.hpp"

#include <memory>
#include <optional>

#include "cli/common.hpp"
#include "cli/progress.hpp"

namespace papilio::cli {

on_progress progress_bar(const std::string& file) {
  auto bar = std::make_shared<std::optional<progress>>();
  return [bar, name = shown_name(file)](std::uint64_t done, std::uint64_t total) {
    if (!*bar) bar->emplace(name, total);
    (*bar)->update(done);
  };
}

}  // namespace papilio::cli
