#include "papilio/fft/wisdom.hpp"

#include <mutex>
#include <utility>

#include "base/text_file.hpp"
#include "fft/wisdom_store.hpp"
#include "papilio/base/atomic_file.hpp"
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

constexpr std::size_t most_wisdom_bytes = std::size_t{1} << 24;

void take(wisdom_entries entries) {
  const std::lock_guard lock(store().guard);
  entries.merge(store().entries);  // of equal keys, the new
  store().entries = std::move(entries);
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

void save_wisdom(const std::string& path) {
  const std::string text = export_wisdom();
  atomic_file file(path);
  file.write(text.data(), text.size());
  file.commit();
}

void load_wisdom(const std::string& path) {
  wisdom_entries entries;
  try {
    entries = parse_wisdom(base_detail::read_text_file(path, most_wisdom_bytes, "wisdom"));
  } catch (const invalid_argument& e) {
    throw io_error(path, e.what());
  }
  take(std::move(entries));
}

void forget_wisdom() {
  const std::lock_guard lock(store().guard);
  store().entries.clear();
}

}  // namespace papilio
