#include "papilio/fft/wisdom.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <sstream>
#include <system_error>
#include <utility>

#include "fft/wisdom_store.hpp"
#include "papilio/base/error.hpp"

namespace papilio {
namespace fft_detail {
namespace {

struct wisdom_store {
  std::mutex guard;
  wisdom_entries entries;
};

wisdom_store& store() {
  static wisdom_store only;
  return only;
}

}  // namespace

std::optional<recipe> recall(const wisdom_key& key) {
  const std::lock_guard lock(store().guard);
  const auto found = store().entries.find(key);
  if (found == store().entries.end()) return std::nullopt;
  return found->second;
}

recipe remember(const wisdom_key& key, recipe r) {
  const std::lock_guard lock(store().guard);
  return store().entries.try_emplace(key, std::move(r)).first->second;
}

}  // namespace fft_detail

using namespace fft_detail;

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 24;

std::string reason_of(int code) { return std::generic_category().message(code); }

void take(wisdom_entries entries) {
  const std::lock_guard lock(store().guard);
  entries.merge(store().entries);  // of equal keys, the new
  store().entries = std::move(entries);
}

std::string read_whole(const std::filesystem::path& path) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem))
    throw io_error(path.string(), reason_of(EISDIR));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw io_error(path.string(), reason_of(errno != 0 ? errno : EIO));
  std::string text;
  char block[4096];
  while (file.read(block, sizeof block), file.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(file.gcount()));
    if (text.size() > most_bytes)
      throw io_error(path.string(),
                     base_detail::message("expected at most ", most_bytes, " bytes of wisdom"));
  }
  if (file.bad()) throw io_error(path.string(), reason_of(EIO));
  return text;
}

struct closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// A new file in the folder of `target`, under a name that nobody has.
std::pair<std::filesystem::path, std::unique_ptr<std::FILE, closer>> open_beside(
    const std::filesystem::path& target) {
  static std::atomic<unsigned> counter{0};
  for (;;) {
    std::ostringstream name;
    name << ".papilio-" << counter.fetch_add(1) << '-' << std::hex << std::random_device()()
         << ".tmp";
    std::filesystem::path path = target.parent_path() / name.str();
    errno = 0;
    if (std::FILE* const file = std::fopen(path.string().c_str(), "wbx"))
      return {std::move(path), std::unique_ptr<std::FILE, closer>(file)};
    if (errno != EEXIST) throw io_error(target.string(), reason_of(errno));
  }
}

}  // namespace

std::string export_wisdom() {
  const std::lock_guard lock(store().guard);
  return format_wisdom(store().entries);
}

void import_wisdom(std::string_view text) {
  wisdom_entries entries;
  try {
    entries = parse_wisdom(text);
  } catch (const invalid_argument& e) {
    throw invalid_argument(std::string("import_wisdom: ") + e.what());
  }
  take(std::move(entries));
}

void save_wisdom(const std::filesystem::path& path) {
  const std::string text = export_wisdom();
  std::error_code problem;
  // A symbolic link stays: what it points to is replaced.
  std::filesystem::path target = std::filesystem::weakly_canonical(path, problem);
  if (problem) throw io_error(path.string(), problem.message());
  if (target.empty()) throw io_error("\"\"", "the output has no name");
  if (std::filesystem::is_directory(target)) throw io_error(path.string(), reason_of(EISDIR));
  auto [temporary, file] = open_beside(target);
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  const bool closed = std::fclose(file.release()) == 0;
  int code = written && closed ? 0 : errno != 0 ? errno : EIO;
  if (code == 0) {
    std::filesystem::rename(temporary, target, problem);
    code = problem.value();
  }
  if (code == 0) return;
  std::filesystem::remove(temporary, problem);
  throw io_error(path.string(), reason_of(code));
}

void load_wisdom(const std::filesystem::path& path) {
  wisdom_entries entries;
  try {
    entries = parse_wisdom(read_whole(path));
  } catch (const invalid_argument& e) {
    throw io_error(path.string(), e.what());
  }
  take(std::move(entries));
}

void forget_wisdom() {
  const std::lock_guard lock(store().guard);
  store().entries.clear();
}

}  // namespace papilio
