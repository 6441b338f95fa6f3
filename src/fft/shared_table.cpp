#include "fft/shared_table.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace papilio::fft_detail {
namespace {

template <class T>
struct living_tables {
  std::mutex lock;
  std::map<std::string, std::weak_ptr<const array<T, 1>>> by_key;

  // The tables are never destroyed, as plans may be built while the program ends.
  static living_tables& all() {
    static auto* const tables = new living_tables;
    return *tables;
  }
};

}  // namespace

template <class T>
shared_table<T> table_shared_as(const std::string& key, function_ref<array<T, 1>()> make) {
  living_tables<T>& tables = living_tables<T>::all();
  const auto living = [&]() -> shared_table<T> {
    const auto found = tables.by_key.find(key);
    return found == tables.by_key.end() ? nullptr : found->second.lock();
  };
  {
    const std::lock_guard guard(tables.lock);
    if (auto found = living()) return found;
  }
  // Tables are made without the lock: two threads that need the same at once may both make it.
  auto made = std::make_shared<const array<T, 1>>(make());
  const std::lock_guard guard(tables.lock);
  if (auto found = living()) return found;
  std::erase_if(tables.by_key, [](const auto& entry) { return entry.second.expired(); });
  tables.by_key[key] = made;
  return made;
}

template shared_table<float> table_shared_as(const std::string&, function_ref<array<float, 1>()>);
template shared_table<double> table_shared_as(const std::string&, function_ref<array<double, 1>()>);
template shared_table<long double> table_shared_as(const std::string&,
                                                   function_ref<array<long double, 1>()>);

}  // namespace papilio::fft_detail
