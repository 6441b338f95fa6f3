#include "cli/batch_tree.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "papilio/base/error.hpp"

namespace papilio::cli {
namespace {

namespace fs = std::filesystem;

bool matches(const batch_choice& choice, const std::string& name) {
  const auto fits = [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0;
  };
  if (choice.patterns.empty()) return fits("*");
  return std::any_of(choice.patterns.begin(), choice.patterns.end(), fits);
}

bool is_entered(const batch_choice& choice, const fs::directory_entry& entry) {
  std::error_code none;
  return choice.recursive && !entry.is_symlink(none) &&
         entry.path().filename().string().front() != '.' &&
         !fs::equivalent(entry.path(), choice.out, none);
}

// Adds the files of folder / below, and the folders in it to `folders`.
void list(const batch_choice& choice, const fs::path& below, batch_tree& tree,
          std::vector<fs::path>& folders) {
  std::error_code failure;
  for (fs::directory_iterator at(choice.folder / below, failure), end; !failure && at != end;
       at.increment(failure)) {
    const fs::path name = at->path().filename();
    std::error_code none;
    if (at->is_directory(none)) {
      if (is_entered(choice, *at)) folders.push_back(below / name);
    } else if (matches(choice, name.string())) {
      const auto bytes = at->file_size(none);
      tree.items.push_back({.relative = below / name, .output = {}, .bytes = none ? 0 : bytes});
    }
  }
  if (!failure) return;
  if (below.empty()) throw io_error(choice.folder.string(), failure.message());
  tree.failures.push_back((choice.folder / below).string() + ": " + failure.message());
}

// Whole names differ where files do, so this ends.
void name_outputs(std::vector<batch_item>& items) {
  for (batch_item& item : items) {
    item.output = item.relative;
    item.output.replace_extension();
  }
  for (bool changed = true; changed;) {
    changed = false;
    std::map<fs::path, std::vector<batch_item*>> by_output;
    for (batch_item& item : items) by_output[item.output].push_back(&item);
    for (auto& [output, sharing] : by_output) {
      if (sharing.size() == 1) continue;
      changed = true;
      for (batch_item* item : sharing) item->output = item->relative;
    }
  }
}

}  // namespace

batch_tree find_files(const batch_choice& choice) {
  batch_tree tree;
  std::vector<fs::path> folders = {fs::path()};
  while (!folders.empty()) {
    const fs::path below = std::move(folders.back());
    folders.pop_back();
    list(choice, below, tree, folders);
  }
  const auto by_name = [](const batch_item& a, const batch_item& b) {
    return a.relative < b.relative;
  };
  std::sort(tree.items.begin(), tree.items.end(), by_name);
  std::sort(tree.failures.begin(), tree.failures.end());
  name_outputs(tree.items);
  return tree;
}

}  // namespace papilio::cli
