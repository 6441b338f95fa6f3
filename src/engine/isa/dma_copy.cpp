#include "papilio/engine/isa/dma_copy.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "engine/checker.hpp"
#include "engine/execution.hpp"
#include "engine/isa/dma_walk.hpp"
#include "engine/operand_list.hpp"
#include "engine/storage.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

void check_side(const checker& check, const char* name, const dma_operand& side) {
  check.that(!side.on_chip() || side.tile.space() == memory_space::sbuf, name,
             "is in PSUM, which DMA does not reach: copy it to SBUF first");
}

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

void dma_copy::operands(operand_list& list) const {
  list.write("out", out);
  list.read("in", in);
}

void dma_copy::validate(const checker& check) const {
  check_side(check, "out", out);
  check_side(check, "in", in);
  check.that(out.elements() == in.elements(), "in", "has ", in.elements(), " elements, out has ",
             out.elements());
  const int queues = check.machine().dma.queues_per_engine;
  check.that(queue == any_queue || (queue >= 0 && queue < queues), "queue", "must be in [0, ",
             queues, "), got ", queue);
  check.that(check.machine().dma.casts || in.type() == out.type(), "out", "is ",
             to_string(out.type()), ", in is ", to_string(in.type()),
             ": this machine's DMA does not convert");
}

instruction_cost dma_copy::cost(const machine_spec& machine) const {
  const std::int64_t count = out.elements(), a = dma_run(out), b = dma_run(in);
  const auto size = std::int64_t(std::max(size_bytes(out.type()), size_bytes(in.type())));
  // A buffer ends where a run of either side does.
  const std::int64_t both = std::lcm(a, b);
  std::int64_t buffers = std::max<std::int64_t>(1, count / a + count / b - count / both);
  if (!out.on_chip() && !in.on_chip())  // nothing else cuts these
    buffers = std::max(buffers, count * size / machine.dma.good_transfer_bytes);
  return {.dma_buffers = std::uint64_t(buffers),
          .dma_buffer_bytes = double(count * size) / double(buffers)};
}

void dma_copy::execute(execution& run) const {
  const std::int64_t count = out.elements(), pieces = std::min<std::int64_t>(count, 16);
  const auto size_in = std::int64_t(size_bytes(in.type()));
  run.for_each(std::size_t(pieces), count, [&](std::size_t index) {
    std::int64_t begin = count * std::int64_t(index) / pieces;
    const std::int64_t end = count * std::int64_t(index + 1) / pieces;
    dma_walk from(in, begin), to(out, begin);
    std::array<float, 1024> values;
    while (begin < end) {
      const dma_piece source = from.piece(), target = to.piece();
      std::int64_t take = std::min({source.count, target.count, end - begin});
      if (in.type() == out.type()) {
        copy_same_type(source, target, take, size_in);
      } else {
        take = std::min<std::int64_t>(take, std::int64_t(values.size()));
        load_row(in.type(), source.first, source.stride_bytes / size_in, std::size_t(take),
                 values.data());
        store_row(out.type(), values.data(), std::size_t(take), target.first,
                  target.stride_bytes / std::int64_t(size_bytes(out.type())), run.rounding(),
                  (run.instruction() << 24) + std::uint64_t(begin));
      }
      from.advance(take);
      to.advance(take);
      begin += take;
    }
  });
}

}  // namespace papilio::engine
