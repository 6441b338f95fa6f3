#include "engine/isa/dma_walk.hpp"

#include <algorithm>
#include <cstring>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/region.hpp"
#include "engine/storage.hpp"

namespace papilio::engine_detail {
namespace {

template <class Word>
void copy_words(const dma_piece& from, const dma_piece& to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(to.first + i * to.stride_bytes, from.first + i * from.stride_bytes, sizeof(Word));
}

void copy_same_type(const dma_piece& from, const dma_piece& to, std::int64_t count,
                    std::int64_t size) {
  if (from.stride_bytes == size && to.stride_bytes == size)
    std::memmove(to.first, from.first, std::size_t(count * size));
  else if (size == 4)
    copy_words<std::uint32_t>(from, to, count);
  else if (size == 2)
    copy_words<std::uint16_t>(from, to, count);
  else
    copy_words<std::uint8_t>(from, to, count);
}

}  // namespace

void require_reachable(const checker& check, const char* name, const engine::dma_operand& operand) {
  check.that(!operand.on_chip() || operand.tile.space() == engine::memory_space::sbuf, name,
             "is in PSUM, which DMA does not reach: copy it to SBUF first");
}

void require_numbers(const checker& check, const char* name, engine::dtype type) {
  check.that(!engine::is_packed(type), name, "has four numbers an element, ",
             engine::to_string(type), ", which the transfer does not convert or add");
}

bool overlapping(const engine::dma_operand& out, const engine::dma_operand& in) {
  if (out.on_chip() != in.on_chip()) return false;
  return out.on_chip() ? out.tile.storage() == in.tile.storage() &&
                             overlap(region_of(out.tile), region_of(in.tile))
                       : out.hbm.storage() == in.hbm.storage() &&
                             overlap(region_of(out.hbm), region_of(in.hbm));
}

void require_queue(const checker& check, int queue) {
  const int queues = check.machine().dma.queues_per_engine;
  check.that(queue < queues, "queue", "must be in [0, ", queues, "), got ", queue);
}

dma_walk::dma_walk(const engine::dma_operand& operand, std::int64_t begin) {
  const auto size = std::int64_t(size_bytes(operand.type()));
  std::span<const engine::pattern_dim> dims;
  if (operand.on_chip()) {
    base_ = address(operand.tile, 0);
    levels_[std::size_t(rank_++)] = {operand.tile.partitions(),
                                     std::int64_t(operand.tile.storage()->pitch_bytes)};
    dims = operand.tile.dims();
  } else {
    base_ = operand.hbm.storage()->data + operand.hbm.offset() * size;
    dims = operand.hbm.dims();
  }
  for (const engine::pattern_dim& d : dims) {
    if (d.extent == 1) continue;
    const level next{d.extent, d.stride * size};
    // Two levels become one where the outer stride continues the inner level.
    if (rank_ > 0 && levels_[std::size_t(rank_) - 1].stride_bytes == next.stride_bytes * d.extent)
      levels_[std::size_t(rank_) - 1] = {levels_[std::size_t(rank_) - 1].extent * d.extent,
                                         next.stride_bytes};
    else
      levels_[std::size_t(rank_++)] = next;
  }
  if (rank_ == 0) levels_[std::size_t(rank_++)] = {1, size};
  for (int i = rank_; i-- > 0;) {
    const level& l = levels_[std::size_t(i)];
    at_[std::size_t(i)] = begin % l.extent;
    offset_bytes_ += at_[std::size_t(i)] * l.stride_bytes;
    begin /= l.extent;
  }
}

dma_piece dma_walk::piece() const {
  const std::size_t last = std::size_t(rank_) - 1;
  return {base_ + offset_bytes_, levels_[last].extent - at_[last], levels_[last].stride_bytes};
}

void dma_walk::advance(std::int64_t count) {
  for (int i = rank_; i-- > 0;) {
    const level& l = levels_[std::size_t(i)];
    std::int64_t& at = at_[std::size_t(i)];
    at += count;
    offset_bytes_ += count * l.stride_bytes;
    if (at < l.extent) return;
    offset_bytes_ -= at * l.stride_bytes;
    at = 0;
    count = 1;
  }
}

std::int64_t dma_run(const engine::dma_operand& operand) {
  std::int64_t run = 1;
  const auto dims = operand.on_chip() ? operand.tile.dims() : operand.hbm.dims();
  for (std::size_t i = dims.size(); i-- > 0;) {
    if (dims[i].extent == 1) continue;
    if (dims[i].stride != run) break;
    run *= dims[i].extent;
  }
  return run;
}

void copy_elements(const engine::dma_operand& out, const engine::dma_operand& in,
                   std::int64_t begin, std::int64_t end, const engine::rounding& how,
                   std::uint64_t first_position) {
  const auto size_in = std::int64_t(size_bytes(in.type()));
  const auto size_out = std::int64_t(size_bytes(out.type()));
  dma_walk from(in, begin), to(out, begin);
  std::array<float, 1024> values;
  while (begin < end) {
    const dma_piece source = from.piece(), target = to.piece();
    std::int64_t take = std::min({source.count, target.count, end - begin});
    if (in.type() == out.type()) {
      copy_same_type(source, target, take, size_in);
    } else {
      take = std::min<std::int64_t>(take, std::int64_t(values.size()));
      engine::load_row(in.type(), source.first, source.stride_bytes / size_in, std::size_t(take),
                       values.data());
      engine::store_row(out.type(), values.data(), std::size_t(take), target.first,
                        target.stride_bytes / size_out, how, first_position + std::uint64_t(begin));
    }
    from.advance(take);
    to.advance(take);
    begin += take;
  }
}

void add_elements(const engine::dma_operand& out, const engine::dma_operand& left,
                  const engine::dma_operand& right, std::int64_t begin, std::int64_t end,
                  const engine::rounding& how, std::uint64_t first_position) {
  const auto step = [](const dma_piece& piece, engine::dtype type) {
    return piece.stride_bytes / std::int64_t(size_bytes(type));
  };
  dma_walk to(out, begin), first(left, begin), second(right, begin);
  std::array<float, 1024> a, b;
  while (begin < end) {
    const dma_piece target = to.piece(), one = first.piece(), other = second.piece();
    const std::int64_t take =
        std::min({target.count, one.count, other.count, end - begin, std::int64_t(a.size())});
    const auto count = std::size_t(take);
    engine::load_row(left.type(), one.first, step(one, left.type()), count, a.data());
    engine::load_row(right.type(), other.first, step(other, right.type()), count, b.data());
    for (std::size_t j = 0; j < count; ++j) a[j] += b[j];
    engine::store_row(out.type(), a.data(), count, target.first, step(target, out.type()), how,
                      first_position + std::uint64_t(begin));
    to.advance(take);
    first.advance(take);
    second.advance(take);
    begin += take;
  }
}

}  // namespace papilio::engine_detail
