#include "kernels/array_operands.hpp"

#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

void fill_parts(core& nc, const tile_view& from, int parts, function_ref<tile_view(int)> place,
                function_ref<tile_view()> remainder) {
  if (from.space() == memory_space::psum)
    evacuate(nc, place(0), from);
  else
    nc.issue(tensor_copy{.out = place(0), .in = from});
  tile_view rest = from;
  for (int part = 1; part < parts; ++part) {
    const bool is_last = part + 1 == parts;
    const tile_view next = is_last ? place(part) : remainder();
    nc.issue(
        tensor_tensor{.out = next, .left = rest, .right = place(part - 1), .op = alu_op::subtract});
    if (is_last) break;
    copy_tile(nc, place(part), next, unit::scalar);
    rest = next;
  }
}

void split_rows(std::span<float> table, std::int64_t columns, const array_operands& operands) {
  if (operands.parts == 1) return;
  const std::size_t each = std::size_t(columns), pitch = each * std::size_t(operands.parts);
  for (std::size_t row = 0; row < table.size(); row += pitch)
    for (std::size_t c = 0; c < each; ++c) {
      float rest = table[row + c];
      for (std::size_t at = row + c; at < row + pitch; at += each) {
        table[at] = round_to(operands.type, rest);
        rest -= table[at];
      }
    }
}

void multiply_parts(core& nc, const tile_view& sum, int parts, const operand_parts& stationary,
                    const operand_parts& moving, bool accumulate) {
  for_part_products(parts, [&](int one, int other) {
    nc.issue(matmul{.out = sum,
                    .stationary = stationary(one),
                    .moving = moving(other),
                    .accumulate = accumulate});
    accumulate = true;
  });
}

}  // namespace papilio::kernels_detail
