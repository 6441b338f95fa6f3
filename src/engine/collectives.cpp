#include <algorithm>
#include <cstring>

#include "engine/group_members.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/engine/dtype.hpp"

namespace papilio::engine {
namespace {

constexpr std::int64_t block_elements = 4096;

/// Sums elements [first, first + count) of all sources, in the order of the cores.
void sum_block(dtype type, std::span<std::byte* const> sources, std::int64_t first,
               std::int64_t count, std::byte* to) {
  const auto size = std::int64_t(size_bytes(type));
  if (type == dtype::int32) {
    std::uint32_t sum[block_elements] = {}, next[block_elements];
    for (const std::byte* source : sources) {
      std::memcpy(next, source + first * size, std::size_t(count * size));
      for (std::int64_t i = 0; i < count; ++i) sum[i] += next[i];
    }
    std::memcpy(to, sum, std::size_t(count * size));
    return;
  }
  float sum[block_elements], next[block_elements];
  load_row(type, sources[0] + first * size, 1, std::size_t(count), sum);
  for (const std::byte* source : sources.subspan(1)) {
    load_row(type, source + first * size, 1, std::size_t(count), next);
    for (std::int64_t i = 0; i < count; ++i) sum[i] += next[i];
  }
  store_row(type, sum, std::size_t(count), to, 1);
}

/// Calls block(first, count) for pieces of [0, elements), in parallel.
template <class Block>
void for_each_block(std::int64_t elements, int threads, const Block& block) {
  const auto blocks = std::size_t((elements + block_elements - 1) / block_elements);
  parallel_for(blocks, threads, [&](std::size_t b) {
    const std::int64_t first = std::int64_t(b) * block_elements;
    block(first, std::min(block_elements, elements - first));
  });
}

void require_summable(const char* function, dtype type) {
  if (type == dtype::uint8 || is_packed(type))
    throw invalid_argument(
        base_detail::message(function, ": sums of ", to_string(type), " are not defined"));
}

/// Throws shape_error unless `whole` has `parts` times the elements of `part`, and its type.
void require_parts(const char* function, const char* whole_name, const tensor_shape& whole,
                   const char* part_name, const tensor_shape& part, int parts) {
  if (whole.type == part.type &&
      whole.elements() == checked_multiply(part.elements(), std::int64_t(parts), function))
    return;
  throw shape_error(base_detail::message(function, ": ", whole_name, " of ", whole.describe(),
                                         " must have ", parts, " times the elements of ", part_name,
                                         " of ", part.describe()));
}

}  // namespace

const group_phase& device_group::point_to_point(int from, const device_buffer& source, int to,
                                                const device_buffer& target, run_mode mode) {
  constexpr const char* function = "device_group::point_to_point";
  core(from).state().require_own(function, "source", source);
  core(to).state().require_own(function, "target", target);
  if (source.shape() != target.shape())
    throw shape_error(base_detail::message(function, ": target: must be ",
                                           source.shape().describe(), ", is ",
                                           target.shape().describe()));
  members_->state(from).require_readable(function, "source", source, mode);
  const std::int64_t bytes = source.shape().bytes();
  if (mode == run_mode::execute)
    std::memmove(members::bytes_of({&target, 1})[0], members::bytes_of({&source, 1})[0],
                 std::size_t(bytes));
  members_->touch({&source, 1}, false);
  members_->mark_written({&target, 1}, mode);
  return members_->communicate("point_to_point", links().message_ns(from, to, bytes),
                               from == to ? 0 : std::uint64_t(bytes));
}

const group_phase& device_group::all_reduce(std::span<const device_buffer> buffers, run_mode mode) {
  constexpr const char* function = "device_group::all_reduce";
  members_->require_buffers(function, "buffers", buffers);
  members_->require_readable(function, "buffers", buffers, mode);
  const tensor_shape& shape = buffers[0].shape();
  require_summable(function, shape.type);
  const std::int64_t elements = shape.elements(), p = cores();
  const auto size = std::int64_t(size_bytes(shape.type));
  if (mode == run_mode::execute && p > 1) {
    const std::vector<std::byte*> data = members::bytes_of(buffers);
    for_each_block(elements, members_->options.threads, [&](std::int64_t first, std::int64_t n) {
      sum_block(shape.type, data, first, n, data[0] + first * size);
      for (std::size_t c = 1; c < data.size(); ++c)
        std::memcpy(data[c] + first * size, data[0] + first * size, std::size_t(n * size));
    });
  }
  members_->mark_written(buffers, mode);
  const std::int64_t part = (elements + p - 1) / p * size, steps = 2 * (p - 1);
  return members_->communicate("all_reduce", double(steps) * links().shift_ns(1, part),
                               std::uint64_t(steps) * std::uint64_t(p) * std::uint64_t(part));
}

const group_phase& device_group::all_gather(std::span<const device_buffer> sources,
                                            std::span<const device_buffer> targets, run_mode mode) {
  constexpr const char* function = "device_group::all_gather";
  members_->require_buffers(function, "sources", sources);
  members_->require_buffers(function, "targets", targets);
  require_parts(function, "targets", targets[0].shape(), "sources", sources[0].shape(), cores());
  members_->require_readable(function, "sources", sources, mode);
  const std::int64_t part = sources[0].shape().bytes(), p = cores();
  if (mode == run_mode::execute) {
    const std::vector<std::byte*> from = members::bytes_of(sources);
    const std::vector<std::byte*> to = members::bytes_of(targets);
    parallel_for(to.size(), members_->options.threads, [&](std::size_t c) {
      for (std::size_t d = 0; d < from.size(); ++d)
        std::memmove(to[c] + std::int64_t(d) * part, from[d], std::size_t(part));
    });
  }
  members_->mark_written(targets, mode);
  return members_->communicate("all_gather", double(p - 1) * links().shift_ns(1, part),
                               std::uint64_t(p - 1) * std::uint64_t(p) * std::uint64_t(part));
}

const group_phase& device_group::reduce_scatter(std::span<const device_buffer> sources,
                                                std::span<const device_buffer> targets,
                                                run_mode mode) {
  constexpr const char* function = "device_group::reduce_scatter";
  members_->require_buffers(function, "sources", sources);
  members_->require_buffers(function, "targets", targets);
  require_parts(function, "sources", sources[0].shape(), "targets", targets[0].shape(), cores());
  const dtype type = sources[0].shape().type;
  require_summable(function, type);
  members_->require_readable(function, "sources", sources, mode);
  const std::int64_t elements = targets[0].shape().elements(), p = cores();
  const auto size = std::int64_t(size_bytes(type));
  if (mode == run_mode::execute) {
    const std::vector<std::byte*> from = members::bytes_of(sources);
    const std::vector<std::byte*> to = members::bytes_of(targets);
    for (std::size_t c = 0; c < to.size(); ++c)
      for_each_block(elements, members_->options.threads, [&](std::int64_t first, std::int64_t n) {
        sum_block(type, from, std::int64_t(c) * elements + first, n, to[c] + first * size);
      });
  }
  members_->mark_written(targets, mode);
  const std::int64_t part = elements * size;
  return members_->communicate("reduce_scatter", double(p - 1) * links().shift_ns(1, part),
                               std::uint64_t(p - 1) * std::uint64_t(p) * std::uint64_t(part));
}

const group_phase& device_group::all_to_all(std::span<const device_buffer> sources,
                                            std::span<const device_buffer> targets, run_mode mode) {
  constexpr const char* function = "device_group::all_to_all";
  members_->require_buffers(function, "sources", sources);
  members_->require_buffers(function, "targets", targets);
  require_parts(function, "sources", sources[0].shape(), "targets", targets[0].shape(), 1);
  const std::int64_t bytes = sources[0].shape().bytes(), p = cores();
  if (sources[0].shape().elements() % p != 0)
    throw shape_error(base_detail::message(function, ": sources of ", sources[0].shape().describe(),
                                           " must have a multiple of ", p, " elements"));
  for (std::size_t c = 0; c < sources.size(); ++c)
    if (sources[c] == targets[c] && p > 1)
      throw invalid_argument(
          base_detail::message(function, ": targets[", c, "]: is sources[", c, "]"));
  members_->require_readable(function, "sources", sources, mode);
  const std::int64_t part = bytes / p;
  if (mode == run_mode::execute) {
    const std::vector<std::byte*> from = members::bytes_of(sources);
    const std::vector<std::byte*> to = members::bytes_of(targets);
    parallel_for(to.size(), members_->options.threads, [&](std::size_t c) {
      for (std::size_t d = 0; d < from.size(); ++d)
        std::memmove(to[c] + std::int64_t(d) * part, from[d] + std::int64_t(c) * part,
                     std::size_t(part));
    });
  }
  members_->mark_written(targets, mode);
  double link_ns = 0;
  for (int d = 1; d < p; ++d) link_ns += links().shift_ns(d, part);
  return members_->communicate("all_to_all", link_ns,
                               std::uint64_t(p - 1) * std::uint64_t(p) * std::uint64_t(part));
}

}  // namespace papilio::engine
