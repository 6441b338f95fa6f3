#include "engine/instruction_run.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "engine/storage.hpp"
#include "engine/written.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::engine_detail {
namespace {

constexpr std::int64_t elements_worth_threads = 1 << 17;
constexpr int slots = 8;

template <class T>
T* memory_of(int slot, std::size_t count) {
  thread_local std::array<std::vector<T>, slots> rows;
  std::vector<T>& memory = rows[std::size_t(slot)];
  if (memory.size() < count) memory.resize(count);
  return memory.data();
}

// Calls level(first element, count, stride) for each fastest level of a pattern.
template <class Level>
void for_each_level(std::span<const engine::pattern_dim> dims, std::int64_t offset,
                    const Level& level) {
  if (dims.empty()) return level(offset, std::int64_t{1}, std::int64_t{1});
  if (dims.size() == 1) return level(offset, dims[0].extent, dims[0].stride);
  for (std::int64_t i = 0; i < dims[0].extent; ++i)
    for_each_level(dims.subspan(1), offset + i * dims[0].stride, level);
}

std::int32_t load_bits(engine::dtype type, const std::byte* from) {
  if (type == engine::dtype::uint8) return std::to_integer<std::int32_t>(*from);
  std::int32_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void store_bits(engine::dtype type, std::int32_t value, std::byte* to) {
  if (type == engine::dtype::uint8)
    *to = static_cast<std::byte>(value & 255);
  else
    std::memcpy(to, &value, sizeof value);
}

}  // namespace

std::byte* address(const engine::tile_view& view, int partition) {
  return view.storage()->row(view.partition() + partition) + view.offset_bytes();
}

bool is_dense(const engine::tile_view& view) {
  std::int64_t run = 1;
  for (std::size_t i = view.dims().size(); i-- > 0;) {
    const engine::pattern_dim& d = view.dims()[i];
    if (d.extent != 1 && d.stride != run) return false;
    run *= d.extent;
  }
  return true;
}

const float* row_access::read(int slot, const engine::tile_view& view, int partition) {
  const std::byte* const base = address(view, partition);
  if (view.type() == engine::dtype::fp32 && is_dense(view))
    return reinterpret_cast<const float*>(base);
  float* to = scratch(slot, std::size_t(view.elements()));
  float* const row = to;
  const auto size = std::ptrdiff_t(size_bytes(view.type()));
  for_each_level(view.dims(), 0, [&](std::int64_t first, std::int64_t count, std::int64_t stride) {
    engine::load_row(view.type(), base + first * size, stride, std::size_t(count), to);
    to += count;
  });
  return row;
}

float* row_access::result(int slot, const engine::tile_view& view, int partition) {
  if (view.type() == engine::dtype::fp32 && is_dense(view))
    return reinterpret_cast<float*>(address(view, partition));
  return scratch(slot, std::size_t(view.elements()));
}

void row_access::commit(const engine::tile_view& view, int partition, const float* values) {
  std::byte* const base = address(view, partition);
  if (reinterpret_cast<const std::byte*>(values) == base) return;
  const auto size = std::ptrdiff_t(size_bytes(view.type()));
  // Stochastic rounding draws by a number that is unique to the element and the instruction, so
  // that the result does not depend on the number of threads.
  std::uint64_t position =
      (run_.instruction() << 24) + std::uint64_t(partition) * std::uint64_t(view.elements());
  for_each_level(view.dims(), 0, [&](std::int64_t first, std::int64_t count, std::int64_t stride) {
    engine::store_row(view.type(), values, std::size_t(count), base + first * size, stride,
                      run_.rounding(), position);
    values += count;
    position += std::uint64_t(count);
  });
}

const std::int32_t* row_access::read_bits(int slot, const engine::tile_view& view, int partition) {
  const std::byte* const base = address(view, partition);
  auto* const row = memory_of<std::int32_t>(slot, std::size_t(view.elements()));
  std::int32_t* to = row;
  const auto size = std::ptrdiff_t(size_bytes(view.type()));
  for_each_level(view.dims(), 0, [&](std::int64_t first, std::int64_t count, std::int64_t stride) {
    for (std::int64_t i = 0; i < count; ++i)
      *to++ = load_bits(view.type(), base + (first + i * stride) * size);
  });
  return row;
}

std::int32_t* row_access::result_bits(int slot, const engine::tile_view& view) {
  return memory_of<std::int32_t>(slot, std::size_t(view.elements()));
}

void row_access::commit_bits(const engine::tile_view& view, int partition,
                             const std::int32_t* values) {
  std::byte* const base = address(view, partition);
  const auto size = std::ptrdiff_t(size_bytes(view.type()));
  for_each_level(view.dims(), 0, [&](std::int64_t first, std::int64_t count, std::int64_t stride) {
    for (std::int64_t i = 0; i < count; ++i)
      store_bits(view.type(), *values++, base + (first + i * stride) * size);
  });
}

float row_access::scalar(const engine::tile_view& view, int partition) {
  float value;
  engine::load_row(view.type(), address(view, partition), 1, 1, &value);
  return value;
}

float* row_access::scratch(int slot, std::size_t count) { return memory_of<float>(slot, count); }

void instruction_run::for_each(std::size_t count, std::int64_t work,
                               function_ref<void(std::size_t)> body) const {
  parallel_for(count, work < elements_worth_threads ? 1 : threads_, body);
}

void instruction_run::for_each_partition(int partitions, std::int64_t elements,
                                         function_ref<void(int, row_access&)> body) const {
  // A thread takes several partitions at a time, so that threads seldom synchronize.
  constexpr int together = 16;
  const int groups = (partitions + together - 1) / together;
  for_each(std::size_t(groups), partitions * elements, [&](std::size_t group) {
    row_access rows(*this);
    const int first = int(group) * together, end = std::min(partitions, first + together);
    for (int p = first; p < end; ++p) body(p, rows);
  });
}

}  // namespace papilio::engine_detail
