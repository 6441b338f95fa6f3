#include "kernels/fft/axis_design.hpp"

#include "kernels/fft/factors.hpp"

namespace papilio::kernels_detail {
namespace {

using engine::machine_spec;

struct sizes {
  std::int64_t half, side, one_stage;
  explicit sizes(const machine_spec& machine)
      : half(machine.tensor.rows / 2),
        side(machine.tensor.rows),
        one_stage(machine.thresholds.one_stage_points_max) {}
};

// Digits of an axis for its radices, and their strides: of element j in `in`, of element k in
// `out`.
void add_axis(fft_pass& pass, const std::vector<std::int64_t>& radices, int axis, int first_stage,
              std::int64_t in, std::int64_t out) {
  std::int64_t before = 1, length = 1;
  for (const std::int64_t r : radices) length *= r;
  for (std::size_t i = 0; i < radices.size(); ++i) {
    length /= radices[i];
    pass.digits.push_back({radices[i], axis, before, first_stage + int(i)});
    pass.in.digits.push_back(length * in);
    pass.out.digits.push_back(before * out);
    before *= radices[i];
  }
}

std::vector<std::int64_t> short_radices(std::int64_t n, const std::vector<std::int64_t>& radices,
                                        const sizes& of) {
  return radices.size() == 1 && n > of.one_stage && primes_of(n).size() > 1
             ? radices_of(n, of.one_stage, of.side)
             : radices;
}

}  // namespace

std::optional<fft_pass> line_pass(std::int64_t lanes, std::int64_t n, bool inverse,
                                  const array_operands& operands, const machine_spec& machine) {
  const sizes of(machine);
  const std::vector<std::int64_t> radices = radices_of(n, of.half, of.side);
  if (radices.empty() || n > machine.thresholds.one_sweep_points_max) return {};
  fft_pass p;
  p.name = "rows of " + std::to_string(n);
  p.inverse = inverse;
  p.operands = operands;
  p.lanes = lanes;
  p.in.plane = p.out.plane = lanes * n;
  p.in.lane = p.out.lane = n;
  add_axis(p, short_radices(n, radices, of), 0, 0, 1, 1);
  return p;
}

}  // namespace papilio::kernels_detail
