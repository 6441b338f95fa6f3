#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/device_memory.hpp"

namespace papilio::engine_detail {

using engine::launch_operand;

namespace {

constexpr std::size_t block_elements = 4096;

/// Calls row(first byte, stride in elements, count) for the rows of an array in row-major order; a
/// contiguous array is one row.
template <class Row>
void for_each_row(const launch_operand& a, const Row& row) {
  const auto size = std::ptrdiff_t(size_bytes(a.host_type()));
  if (a.is_contiguous()) return row(a.data(), std::ptrdiff_t{1}, std::size_t(a.shape().elements()));
  const std::vector<std::int64_t>& extents = a.shape().extents;
  const std::size_t last = extents.size() - 1;
  std::vector<std::int64_t> at(extents.size());
  std::ptrdiff_t offset = 0;
  for (;;) {
    row(a.data() + offset * size, a.strides()[last], std::size_t(extents[last]));
    std::size_t axis = last;
    for (;; --axis) {
      if (axis == 0) return;
      offset += a.strides()[axis - 1];
      if (++at[axis - 1] < extents[axis - 1]) break;
      offset -= a.strides()[axis - 1] * std::ptrdiff_t(extents[axis - 1]);
      at[axis - 1] = 0;
    }
  }
}

/// Copies `count` elements of `size` bytes from one stride to another; strides are in bytes.
void copy_elements(const std::byte* from, std::ptrdiff_t from_step, std::byte* to,
                   std::ptrdiff_t to_step, std::size_t count, std::size_t size) {
  if (from_step == std::ptrdiff_t(size) && to_step == std::ptrdiff_t(size)) {
    std::memcpy(to, from, count * size);
    return;
  }
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(to + std::ptrdiff_t(i) * to_step, from + std::ptrdiff_t(i) * from_step, size);
}

void convert(engine::dtype from_type, const std::byte* from, std::ptrdiff_t from_stride,
             engine::dtype to_type, std::byte* to, std::ptrdiff_t to_stride, std::size_t count) {
  const auto from_step = from_stride * std::ptrdiff_t(size_bytes(from_type));
  const auto to_step = to_stride * std::ptrdiff_t(size_bytes(to_type));
  if (from_type == to_type)
    return copy_elements(from, from_step, to, to_step, count, size_bytes(to_type));
  float block[block_elements];
  for (std::size_t first = 0; first < count; first += block_elements) {
    const std::size_t take = std::min(block_elements, count - first);
    const auto at = std::ptrdiff_t(first);
    engine::load_row(from_type, from + at * from_step, from_stride, take, block);
    engine::store_row(to_type, block, take, to + at * to_step, to_stride);
  }
}

struct byte_run {
  std::uintptr_t lo, hi;
};

/// Returns the smallest range of addresses that holds the array.
byte_run range_of(const launch_operand& a) {
  const auto size = std::ptrdiff_t(size_bytes(a.host_type()));
  std::ptrdiff_t lo = 0, hi = 1;
  for (std::size_t i = 0; i < a.strides().size(); ++i) {
    const std::ptrdiff_t span = a.strides()[i] * std::ptrdiff_t(a.shape().extents[i] - 1);
    (span < 0 ? lo : hi) += span;
  }
  const auto base = reinterpret_cast<std::uintptr_t>(a.data());
  return {base + std::uintptr_t(lo * size), base + std::uintptr_t(hi * size)};
}

std::vector<byte_run> runs_of(const launch_operand& a) {
  const std::size_t size = size_bytes(a.host_type());
  std::vector<byte_run> runs;
  for_each_row(a, [&](const std::byte* row, std::ptrdiff_t stride, std::size_t count) {
    const auto at = reinterpret_cast<std::uintptr_t>(row);
    if (stride == 1) return runs.push_back({at, at + count * size});
    for (std::size_t i = 0; i < count; ++i) {
      const auto element = at + std::uintptr_t(std::ptrdiff_t(i) * stride * std::ptrdiff_t(size));
      runs.push_back({element, element + size});
    }
  });
  std::ranges::sort(runs, {}, &byte_run::lo);
  return runs;
}

}  // namespace

void gather(const launch_operand& from, std::byte* to) {
  const engine::dtype type = from.shape().type;
  for_each_row(from, [&](const std::byte* row, std::ptrdiff_t stride, std::size_t count) {
    convert(from.host_type(), row, stride, type, to, 1, count);
    to += count * size_bytes(type);
  });
}

void scatter(const std::byte* from, const launch_operand& to) {
  const engine::dtype type = to.shape().type;
  for_each_row(to, [&](std::byte* row, std::ptrdiff_t stride, std::size_t count) {
    convert(type, from, 1, to.host_type(), row, stride, count);
    from += count * size_bytes(type);
  });
}

bool share_bytes(const launch_operand& a, const launch_operand& b) {
  const byte_run all_a = range_of(a), all_b = range_of(b);
  if (all_a.hi <= all_b.lo || all_b.hi <= all_a.lo) return false;
  // Column blocks of one matrix interleave: their address ranges overlap although no byte is
  // shared, so that the rows are compared.
  const std::vector<byte_run> runs_a = runs_of(a), runs_b = runs_of(b);
  for (auto i = runs_a.begin(), j = runs_b.begin(); i != runs_a.end() && j != runs_b.end();) {
    if (i->lo < j->hi && j->lo < i->hi) return true;
    if (i->hi <= j->lo)
      ++i;
    else
      ++j;
  }
  return false;
}

bool same_array(const launch_operand& a, const launch_operand& b) {
  return a.data() == b.data() && a.host_type() == b.host_type() && a.shape() == b.shape() &&
         std::ranges::equal(a.strides(), b.strides());
}

}  // namespace papilio::engine_detail
