#include "digest/digest_lines.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "digest/bit_hash.hpp"

namespace papilio::test {
namespace {

constexpr std::string_view separator = " : ";

}  // namespace

std::string to_text(std::uint64_t hash) {
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, hash >>= 4)
    *digit = "0123456789abcdef"[hash & 15];
  return text;
}

digest_file read_digest(const std::filesystem::path& path) {
  std::ifstream from(path, std::ios::binary);
  if (!from) throw std::runtime_error("cannot read " + path.string());
  digest_file file;
  for (std::string line; std::getline(from, line);) {
    if (line.starts_with('#')) {
      file.comments += line + '\n';
      continue;
    }
    const std::size_t at = line.find(separator);
    if (at == std::string::npos ||
        !file.lines.try_emplace(line.substr(0, at), line.substr(at + separator.size())).second)
      throw std::runtime_error(path.string() + ": not a line of its own: " + line);
  }
  return file;
}

void write_digest(const std::filesystem::path& path, const digest_file& file) {
  std::ofstream to(path, std::ios::binary);
  to << file.comments;
  for (const auto& [run, result] : file.lines) to << run << separator << result << '\n';
  if (!to.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::vector<std::string> differences(const digest_lines& recorded, const digest_lines& made) {
  std::vector<std::string> found;
  for (const auto& [run, result] : made) {
    const auto before = recorded.find(run);
    if (before == recorded.end())
      found.push_back("new: " + run + " : " + result);
    else if (before->second != result)
      found.push_back("differs: " + run + " : was " + before->second + ", is " + result);
  }
  for (const auto& [run, result] : recorded)
    if (!made.contains(run)) found.push_back("missing: " + run);
  return found;
}

}  // namespace papilio::test
