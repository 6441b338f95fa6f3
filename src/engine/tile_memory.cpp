#include "engine/tile_memory.hpp"

#include <algorithm>
#include <functional>

#include "papilio/base/error.hpp"
#include "papilio/engine/dtype.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::engine_detail {

using engine::memory_space;
using engine::tile_view;

tile_memory::tile_memory(memory_space space, const engine::machine_spec& machine, bool with_data,
                         bool strict, const std::string& kernel)
    : space_(space),
      capacity_(space == memory_space::sbuf ? machine.sbuf.bytes_per_partition
                                            : machine.psum.bytes_per_partition),
      granule_(space == memory_space::sbuf ? machine.sbuf.alignment_bytes
                                           : machine.psum.bank_bytes),
      partitions_max_(space == memory_space::sbuf ? machine.sbuf.partitions
                                                  : machine.psum.partitions),
      with_data_(with_data),
      strict_(strict),
      kernel_(kernel) {}

void tile_memory::refuse(const std::string& reason) const {
  throw engine::kernel_error(kernel_, "", 0, to_string(space_), reason);
}

std::string tile_memory::largest() const {
  struct holder {
    const tile_storage* first;
    int buffers;
    std::int64_t bytes;
  };
  std::vector<holder> holders;
  // The message groups the tiles of a pool, and tiles outside pools with equal name and shape.
  const auto are_together = [](const tile_storage& a, const tile_storage& b) {
    return a.pool == b.pool && (a.pool != 0 || (a.name == b.name && a.size_bytes == b.size_bytes &&
                                                a.partitions == b.partitions && a.type == b.type));
  };
  for (const tile_storage* s : live_) {
    const auto same =
        std::ranges::find_if(holders, [&](const holder& h) { return are_together(*h.first, *s); });
    if (same == holders.end()) {
      holders.push_back({s, 1, s->size_bytes});
      continue;
    }
    ++same->buffers;
    same->bytes += s->size_bytes;
  }
  std::ranges::stable_sort(holders, std::greater{}, &holder::bytes);
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, holders.size()); ++i) {
    const tile_storage& s = *holders[i].first;
    text += base_detail::message(i == 0 ? "; largest: " : ", ", s.name.empty() ? "" : s.name + " ",
                                 holders[i].buffers, " x ", s.size_bytes, " bytes (", s.partitions,
                                 " x ", s.size_bytes / std::int64_t(size_bytes(s.type)), " ",
                                 engine::to_string(s.type), ")");
  }
  if (holders.size() > most) text += base_detail::message(", ", holders.size() - most, " more");
  return text;
}

void tile_memory::begin_at(std::int64_t first) {
  first_ = reach_ = (first + granule_ - 1) / granule_ * granule_;
}

// Finds the first gap that is large enough; returns -1 if there is none.
std::int64_t tile_memory::place_for(std::int64_t bytes) const {
  std::int64_t at = first_;
  for (const tile_storage* s : live_) {
    if (s->address_bytes - at >= bytes) return at;
    at = (s->address_bytes + s->size_bytes + granule_ - 1) / granule_ * granule_;
  }
  return capacity_ - at >= bytes ? at : -1;
}

std::int64_t tile_memory::gap_bytes() const {
  std::int64_t at = first_, most = 0;
  for (const tile_storage* s : live_) {
    most = std::max(most, s->address_bytes - at);
    at = (s->address_bytes + s->size_bytes + granule_ - 1) / granule_ * granule_;
  }
  return std::max(most, capacity_ - at);
}

double tile_memory::vacant_from_ns(std::int64_t lo, std::int64_t hi) const {
  double from = 0;
  for (const vacated& v : vacated_)
    if (v.lo < hi && lo < v.hi) from = std::max(from, v.at_ns);
  return from;
}

void tile_memory::clear_contents(tile_storage& storage) const {
  storage.written.reset(storage.partitions, storage.size_bytes);
  // A strict core refuses to read unwritten elements, so that poison would never be seen.
  if (!with_data_ || strict_) return;
  for (int p = 0; p < storage.partitions; ++p)
    engine::fill_poison(storage.type, storage.row(p),
                        std::size_t(storage.size_bytes) / size_bytes(storage.type));
}

std::byte* tile_memory::memory_for(tile_storage& storage) {
  // Rows are an odd number of cache lines apart: at powers of two they would share one cache set.
  std::size_t lines = (std::size_t(storage.size_bytes) + 63) / 64;
  storage.pitch_bytes = 64 * (lines | 1);
  const std::size_t bytes = storage.pitch_bytes * std::size_t(storage.partitions);
  array<std::byte, 1>& memory = host_memory_[storage.number];
  if (memory.size() < bytes) memory = array<std::byte, 1>({bytes}, uninitialized);
  return memory.data();
}

tile_view tile_memory::allocate(int partitions, std::int64_t columns, engine::dtype type,
                                std::string_view name) {
  if (partitions < 1 || partitions > partitions_max_)
    refuse(base_detail::message("a tile must have 1 to ", partitions_max_, " partitions, got ",
                                partitions));
  if (columns < 1)
    refuse(base_detail::message("a tile must have at least 1 column, got ", columns));
  const std::int64_t bytes =
      checked_multiply(columns, std::int64_t(size_bytes(type)), "tile: bytes of a partition");
  const std::int64_t address = bytes <= capacity_ ? place_for(bytes) : -1;
  if (address < 0)
    refuse(base_detail::message("a tile of ", partitions, " x ", columns, " ",
                                engine::to_string(type), " needs ", bytes,
                                " bytes of each partition in one piece, free are ", free_bytes(),
                                " of ", capacity_, largest()));
  if (unused_.empty()) {
    tile_storage& fresh = storages_.emplace_back();
    fresh.memory = this;
    fresh.number = std::uint32_t(storages_.size() - 1);
    host_memory_.emplace_back();
    unused_.push_back(&fresh);
  }
  reach_ = std::max(reach_, address + bytes);
  tile_storage& storage = *unused_.back();
  unused_.pop_back();
  storage.space = space_;
  storage.type = type;
  storage.address_bytes = address;
  storage.size_bytes = bytes;
  storage.partitions = partitions;
  storage.live = true;
  storage.name = name;
  storage.pool = 0;
  storage.free_from_ns = vacant_from_ns(address, address + bytes);
  if (with_data_) storage.data = memory_for(storage);
  clear_contents(storage);
  const auto at = std::ranges::lower_bound(live_, address, {}, &tile_storage::address_bytes);
  live_.insert(at, &storage);
  return tile_view::over(storage, partitions, columns, type);
}

void tile_memory::release(const tile_view& view) {
  tile_storage& storage = *view.storage();
  const std::int64_t lo = storage.address_bytes, hi = lo + storage.size_bytes;
  const double at_ns = std::max(storage.free_from_ns, storage.log.latest_ns());
  std::erase_if(vacated_, [&](const vacated& v) { return v.lo >= lo && v.hi <= hi; });
  vacated_.push_back({lo, hi, at_ns});
  storage.live = false;
  ++storage.generation;
  storage.log.clear();
  std::erase(live_, &storage);
  unused_.push_back(&storage);
}

void tile_memory::make_pool(const std::vector<tile_view>& tiles) {
  ++pools_;
  for (const tile_view& tile : tiles) tile.storage()->pool = pools_;
}

tile_view tile_memory::renew(const tile_view& view) {
  tile_storage& storage = *view.storage();
  storage.free_from_ns = std::max(storage.free_from_ns, storage.log.latest_ns());
  storage.log.clear();
  ++storage.generation;
  clear_contents(storage);
  return tile_view::over(storage, storage.partitions,
                         storage.size_bytes / std::int64_t(size_bytes(storage.type)), storage.type);
}

std::int64_t tile_memory::free_bytes() const {
  std::int64_t taken = 0;
  for (const tile_storage* s : live_) taken += (s->size_bytes + granule_ - 1) / granule_ * granule_;
  return capacity_ - taken;
}

}  // namespace papilio::engine_detail
