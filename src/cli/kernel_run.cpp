#include "cli/kernel_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "papilio/base.hpp"

namespace papilio::cli::profile_verb {
namespace {

// Evenly spread values, the same in every run.
array<std::byte, 1> made_input(const engine::tensor_shape& shape,
                               const kernels::input_range& range) {
  array<std::byte, 1> bytes(static_cast<std::size_t>(shape.bytes()), uninitialized);
  const auto count = static_cast<std::size_t>(shape.elements());
  const std::size_t size = engine::size_bytes(shape.type);
  std::vector<float> row(4096);
  std::uint64_t state = 1;
  for (std::size_t first = 0; first < count; first += row.size()) {
    const std::size_t take = std::min(row.size(), count - first);
    for (std::size_t i = 0; i < take; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
      const auto unit = static_cast<float>(state >> 40) * 0x1p-24f;
      row[i] = range.low + (range.high - range.low) * unit;
    }
    engine::store_row(shape.type, row.data(), take, bytes.data() + first * size, 1);
  }
  return bytes;
}

// Refuses tensors that the device has no room for, before the host's memory is taken for them.
void require_room(const engine::device& device, const kernels::sized_kernel& sized) {
  std::int64_t bytes = 0;
  const auto add = [&](const engine::tensor_shape& shape) {
    if (shape.bytes() > device.free_bytes() - bytes)
      throw device_error(fmt::format("{}: a tensor of {} bytes ({}), {} are free of the {} of {}",
                                     sized.program.name, shape.bytes(), shape.describe(),
                                     device.free_bytes() - bytes,
                                     device.machine().hbm.usable_bytes_per_core, device.name()));
    bytes += shape.bytes();
  };
  for (const engine::tensor_shape& shape : sized.inputs) add(shape);
  for (const engine::tensor_shape& shape : sized.outputs) add(shape);
  for (const kernels::constant_table& table : sized.tables) add(table.shape);
}

}  // namespace

engine::launch_result run_on_made_inputs(engine::device& device, const kernels::sized_kernel& sized,
                                         bool dry_run) {
  require_room(device, sized);
  std::vector<array<std::byte, 1>> memory;
  std::vector<engine::launch_input> inputs;
  std::vector<engine::launch_output> outputs;
  for (std::size_t i = 0; i < sized.inputs.size(); ++i) {
    if (dry_run) {
      inputs.emplace_back(sized.inputs[i]);
      continue;
    }
    memory.push_back(made_input(
        sized.inputs[i], i < sized.ranges.size() ? sized.ranges[i] : kernels::input_range{}));
    inputs.emplace_back(std::span<const std::byte>(memory.back().data(), memory.back().size()),
                        sized.inputs[i]);
  }
  for (const engine::tensor_shape& shape : sized.outputs) {
    if (dry_run) {
      outputs.emplace_back(shape);
      continue;
    }
    memory.emplace_back(static_cast<std::size_t>(shape.bytes()), uninitialized);
    outputs.emplace_back(std::span<std::byte>(memory.back().data(), memory.back().size()), shape);
  }
  // Resident operands were copied before: the dispatch that is reported does not pay for it.
  const kernels::prepared_kernel prepared(
      device, sized, dry_run ? engine::run_mode::dry_run : engine::run_mode::execute);
  return prepared.launch(inputs, outputs);
}

}  // namespace papilio::cli::profile_verb
