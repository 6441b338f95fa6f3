#include "papilio/engine/isa/data_movement.hpp"

#include <cstring>
#include <vector>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/dma_walk.hpp"
#include "papilio/engine/device_group.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

std::int64_t bytes_of(const tile_view& view) {
  return view.elements() * view.partitions() * std::int64_t(size_bytes(view.type()));
}

// Calls move(element, packed, bytes) for each element of a view and its place in a packed message.
template <class Move>
void for_each_piece(const tile_view& view, std::byte* packed, const Move& move) {
  const dma_operand operand = view;
  const auto size = std::int64_t(size_bytes(view.type()));
  dma_walk walk(operand, 0);
  for (std::int64_t left = operand.elements(); left > 0;) {
    const dma_piece piece = walk.piece();
    for (std::int64_t i = 0; i < piece.count; ++i, packed += size)
      move(piece.first + i * piece.stride_bytes, packed, std::size_t(size));
    walk.advance(piece.count);
    left -= piece.count;
  }
}

}  // namespace

void send_receive::validate(const checker& check) const {
  check.keeps(isa_rule::send_receive_exists);
}

instruction_cost send_receive::cost(const machine_spec& machine) const {
  return {.fixed_ns = link_model(machine, 2).message_ns(0, 1, bytes_of(in))};
}

void send_receive::execute(instruction_run& run) const {
  run.check().that(run.exchange != nullptr, "to", "core ", to,
                   " cannot be reached: core::connect() joins the cores of a group");
  std::vector<std::byte> sent(static_cast<std::size_t>(bytes_of(in))), received(sent.size());
  for_each_piece(in, sent.data(), [](std::byte* at, std::byte* packed, std::size_t size) {
    std::memcpy(packed, at, size);
  });
  run.exchange(to, from, sent, received);
  for_each_piece(out, received.data(), [](std::byte* at, std::byte* packed, std::size_t size) {
    std::memcpy(at, packed, size);
  });
}

}  // namespace papilio::engine
