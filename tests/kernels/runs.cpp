#include "kernels/runs.hpp"

#include "kernels/published/catalog.hpp"

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
  const sized_kernel sized = size_kernel(published::find_any(kernel), settings, machine);
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

fft_problem fft_row::problem(fft_kind kind) const {
  fft_problem p{.kind = kind,
                .dir = inverse ? direction::inverse : direction::forward,
                .type = real_type::single_precision,
                .norm = normalization::none,
                .extents = {extents.begin(), extents.end()},
                .axes = {}};
  for (const int a : axes) p.axes.push_back(std::size_t(a < 0 ? a + int(extents.size()) : a));
  for (std::size_t a = 0; axes.empty() && a < extents.size(); ++a) p.axes.push_back(a);
  return p;
}

namespace {

sized_kernel real_kernel(fft_row c, bool inverse, const engine::machine_spec& machine) {
  c.inverse = inverse;
  return kernels::fft_kernel(c.problem(fft_kind::real), machine, c.options());
}

}  // namespace

sized_kernel fft_kernel(const fft_row& c, const engine::machine_spec& machine) {
  return kernels::fft_kernel(c.problem(), machine, c.options());
}
sized_kernel rfft_kernel(const fft_row& c, const engine::machine_spec& machine) {
  return real_kernel(c, false, machine);
}
sized_kernel irfft_kernel(const fft_row& c, const engine::machine_spec& machine) {
  return real_kernel(c, true, machine);
}

}  // namespace papilio::kernels::test
