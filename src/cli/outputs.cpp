#include "cli/outputs.hpp"

#include <algorithm>

#include "cli/common.hpp"

namespace papilio::cli {

namespace fs = std::filesystem;

namespace {

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

// ".csv, .npy or .png", of words with what stands before each.
std::string alternatives(const std::vector<std::string>& words, const char* before) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{}{}{}",
                        i == 0                  ? ""
                        : i + 1 == words.size() ? " or "
                                                : ", ",
                        before, words[i]);
  return text;
}

/// The ending of a name in small letters, without the dot.
std::string lower_ending(const fs::path& path) {
  const std::string ending = lower_case(path.extension().string());
  return ending.empty() ? ending : ending.substr(1);
}

/// The name that outputs derive theirs from: "stdin" for "-".
std::string output_stem(const std::string& file) {
  return file == "-" ? "stdin" : std::filesystem::path(file).stem().string();
}

bool is_folder_name(const std::string& out) { return out.ends_with('/') || fs::is_directory(out); }

}  // namespace

void output_flags::add_to(command& verb, const std::string& help) {
  verb.add({{"-o,--out", names, help, not_empty()}});
  for (std::size_t i = 0; i < former_.size(); ++i)
    verb.add({{can_.former_flags[i].first, former_[i], "", not_empty(), flag_trait::hidden}});
  add_format_to(verb);
  if (can_.is_own)
    verb.add(
        {{"--force", force, "Replace also a file of a default name that papilio did not make"}});
  verb.add({{"--no-clobber", no_clobber, no_clobber_help}});
}

void output_flags::add_format_to(command& verb) {
  if (can_.kinds.size() > 1)
    verb.add({{"--format", format,
               fmt::format("Formats of the files in a folder, or of standard output: {},\n"
                           "several with commas [{}]",
                           alternatives(can_.kinds, ""), can_.kinds.front()),
               words_of(can_.kinds)}});
}

std::vector<std::string> output_flags::formats() const {
  if (format.empty()) return {can_.kinds.front()};
  const std::vector<std::string> kinds = split_words(format);
  for (const std::string& kind : kinds) {
    if (!contains(can_.kinds, kind))
      throw usage_error("--format: must be {}, got {}", alternatives(can_.kinds, ""), kind);
    if (std::ranges::count(kinds, kind) > 1) throw usage_error("--format: {} comes twice", kind);
  }
  return kinds;
}

bool output_flags::to_standard_output() const { return contains(names, "-"); }

bool output_flags::may_be(const std::vector<std::string>& kinds) const {
  const auto is_one = [&](const std::string& kind) { return contains(kinds, kind); };
  for (std::size_t i = 0; i < former_.size(); ++i)
    if (!former_[i].empty() && std::ranges::any_of(can_.former_flags[i].second, is_one))
      return true;
  if (names.empty()) return can_.is_own && std::ranges::any_of(formats(), is_one);
  return std::ranges::any_of(names, [&](const std::string& out) {
    return fs::path(out).has_extension() && !is_folder_name(out) && format.empty()
               ? is_one(lower_ending(out))
               : std::ranges::any_of(formats(), is_one);
  });
}

/// The output that nobody named.
output output_flags::by_default(const std::string& file, const std::string& kind) const {
  const output chosen{output_stem(file) + can_.suffix + "." + kind, kind, false};
  const auto require_replaceable = [&](const fs::path& path, const std::string& ending) {
    require_plain_path(path.parent_path(), path.filename());
    std::error_code none;
    if (!fs::exists(path, none)) return;
    if (!fs::is_regular_file(path, none))
      throw usage_error("\"{}\" is there already, and is no file; -o names another", path.string());
    if (!force && !can_.is_own(path, ending))
      throw usage_error(
          "\"{}\" is there already, and not as this command makes it: --force replaces it, -o "
          "names "
          "another",
          path.string());
  };
  require_replaceable(chosen.name, kind);
  if (!can_.companion.empty())
    require_replaceable(chosen.name.string() + can_.companion, can_.companion.substr(1));
  return chosen;
}

void output_flags::take_second_of(std::vector<std::string>& files) {
  if (!can_.second_is_output || are_named() || files.size() != 2) return;
  std::error_code none;
  if (fs::is_regular_file(files[1], none))
    throw usage_error(
        "\"{}\" is there already: --out {} replaces it, --out FOLDER/ makes both inputs", files[1],
        files[1]);
  names = {files[1]};
  files.pop_back();
}

std::vector<output> output_flags::named(const std::string& file, const std::string& out,
                                        bool several) const {
  const std::vector<std::string> kinds = formats();
  std::vector<output> result;
  if (out == "-") {
    if (several) throw usage_error("--out: several outputs do not go to standard output");
    if (kinds.size() > 1 || !contains(can_.streamed, kinds[0]))
      throw usage_error(can_.streamed.empty()
                            ? std::string("--out: must name a file, not standard output")
                            : fmt::format("--format: standard output takes {}, got {}",
                                          alternatives(can_.streamed, ""), fmt::join(kinds, ",")));
    return {{out, kinds[0]}};
  }
  const std::string ending = lower_ending(out);
  const bool is_known = contains(can_.kinds, ending);
  if (is_folder_name(out) || (several && !is_known)) {
    for (const std::string& kind : kinds)
      result.push_back(
          {fs::path(out) / fmt::format("{}.{}", output_stem(file), kind), kind, false});
    return result;
  }
  if (several && contains(can_.joint, ending))
    return {{.name = out, .kind = ending, .is_joint = true}};
  if (several)
    throw usage_error("--out: must be a folder where there are several files, got \"{}\"", out);
  // A name without an ending is that of the only kind.
  const bool is_plain = ending.empty() && (can_.kinds.size() == 1 || can_.is_own);
  if (!is_known && kinds.size() == 1 && (is_plain || !format.empty())) return {{out, kinds[0]}};
  if (!is_known)
    throw usage_error("--out: must end in {}, got \"{}\"", alternatives(can_.kinds, "."), out);
  return {{out, ending}};
}

void output_flags::check(const std::vector<output>& outs, const std::string& flag,
                         const std::vector<std::string>& files, std::set<fs::path>& seen) const {
  for (const output& one : outs) {
    for (const std::string& path : {one.name.string(), one.name.string() + can_.companion}) {
      for (const std::string& input : files) require_other_file(flag.c_str(), path, input);
      std::error_code none;
      if (no_clobber && !one.to_standard_output() && fs::is_regular_file(path, none))
        throw usage_error("--no-clobber: \"{}\" is there already", path);
    }
    const fs::path folder = one.name.parent_path(), name = one.name.filename();
    if (!one.named) require_plain_path(folder, name);
    if (!can_.companion.empty()) require_plain_path(folder, name.string() + can_.companion);
    if (!seen.insert(one.name.lexically_normal()).second && !one.is_joint)
      throw usage_error("{}: \"{}\" would be written twice", flag, one.name.string());
  }
}

std::vector<std::vector<output>> output_flags::of(const std::vector<std::string>& files) const {
  if (force && no_clobber) throw usage_error("--force: not with --no-clobber");
  if (names.empty() && !format.empty() && !can_.is_own) throw usage_error("--format: needs --out");
  const bool several = files.size() > 1;
  std::set<fs::path> seen;
  std::vector<std::vector<output>> all;
  for (const std::string& file : files) {
    std::vector<output>& of_file = all.emplace_back();
    for (const std::string& out : names)
      for (output& one : named(file, out, several)) of_file.push_back(std::move(one));
    if (names.empty() && can_.is_own)
      for (const std::string& kind : formats()) of_file.push_back(by_default(file, kind));
    if (can_.one && of_file.size() > 1)
      throw usage_error("--out: \"{}\" and \"{}\" would hold the same", of_file[0].name.string(),
                        of_file[1].name.string());
    check(of_file, "--out", files, seen);
    for (std::size_t i = 0; i < former_.size(); ++i) {
      const auto& [flag, kinds] = can_.former_flags[i];
      if (former_[i].empty()) continue;
      if (several || former_[i] == "-")
        throw usage_error(flag + ": must name a file, of one input; there is --out");
      const std::string ending = kinds.size() > 1 ? lower_ending(former_[i]) : kinds[0];
      if (!contains(kinds, ending))
        throw usage_error("{}: must end in {}, got \"{}\"", flag, alternatives(kinds, "."),
                          former_[i]);
      of_file.push_back({former_[i], ending});
      check({of_file.back()}, flag, files, seen);
    }
  }
  return all;
}

std::vector<std::string> names_of(const std::vector<output>& outputs) {
  std::vector<std::string> names;
  for (const output& one : outputs) names.push_back(one.name.string());
  return names;
}

void require_plain_path(const fs::path& folder, const fs::path& relative) {
  fs::path at = folder;
  for (const fs::path& part : relative) {
    at /= part;
    std::error_code none;
    const fs::file_status status = fs::symlink_status(at, none);
    if (fs::is_symlink(status))
      throw io_error(at.string(), "is a symbolic link, which is followed only where -o names it");
    if (fs::is_other(status))
      throw io_error(at.string(), "is no regular file, and is written to only where -o names it");
  }
}

void make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw io_error(folder.string(), failure.message());
}

void make_folders(const std::vector<output>& outputs) {
  for (const output& one : outputs) {
    std::error_code failure;
    if (one.name.has_parent_path()) fs::create_directories(one.name.parent_path(), failure);
    if (failure)
      throw io_error(one.name.string(), "its folder cannot be made: " + failure.message());
  }
}

}  // namespace papilio::cli
