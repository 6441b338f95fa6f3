#include "kernels/runs.hpp"

#include <bit>
#include <random>

namespace papilio::kernels::test {

array<float, 2> values_between(float low, float high, std::int64_t rows, std::int64_t columns,
                               std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  array<float, 2> values({std::size_t(rows), std::size_t(columns)});
  for (std::size_t i = 0; i < values.size(); ++i)
    values.data()[i] = low + (high - low) * (float(engine() >> 40) * 0x1p-24f);
  return values;
}

engine::profile dry_profile(const std::string& kernel, const std::vector<std::string>& settings,
                            const engine::machine_spec& machine) {
  const sized_kernel sized = size_kernel(find_kernel(kernel), settings, machine);
  std::vector<engine::launch_input> inputs(sized.inputs.begin(), sized.inputs.end());
  std::vector<engine::launch_output> outputs(sized.outputs.begin(), sized.outputs.end());
  engine::device device(machine);
  return prepared_kernel(device, sized, engine::run_mode::dry_run).launch(inputs, outputs).summary;
}

std::vector<std::uint32_t> bits_of(const array<float, 2>& values) {
  std::vector<std::uint32_t> bits;
  for (std::size_t i = 0; i < values.size(); ++i)
    bits.push_back(std::bit_cast<std::uint32_t>(values.data()[i]));
  return bits;
}

}  // namespace papilio::kernels::test
