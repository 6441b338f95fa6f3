#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/number_codec.hpp"
#include "engine/written.hpp"
#include "papilio/engine/isa/vector_engine.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

constexpr int scale_bias = 127, nan_scale = 255;

// The code of the scale of a group whose largest magnitude has these bits; 255 where it is not
// finite.
int scale_code(std::int32_t largest_bits, int largest_exponent) {
  if (largest_bits >= infinity_bits) return nan_scale;
  if (largest_bits == 0) return 0;
  const int exponent = std::ilogb(std::bit_cast<float>(largest_bits));
  return std::max(0, exponent - (largest_exponent - 1) + scale_bias);
}

}  // namespace

void quantize_mx::validate(const checker& check) const {
  check.keeps(isa_rule::quantize_mx_exists);
  check.that(check.machine().vector.quantize_cycles_per_element > 0, "machine",
             "does not quantise: its vector.quantize_cycles_per_element is 0");
  check.that(out.type() != dtype::fp4_e2m1fn_x4, "out",
             "must be fp8_e4m3fn_x4 or fp8_e5m2_x4, is fp4_e2m1fn_x4");
  check.that(in.type() == dtype::bf16 || in.type() == dtype::fp16, "in",
             "must be bf16 or fp16, is ", to_string(in.type()));
  check.equal("in", "elements a partition (four for each of out)", in.elements(),
              mx_numbers * out.elements());
}

instruction_cost quantize_mx::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  return {.cycles = std::max(v.min_cycles, double(in.elements()) * v.quantize_cycles_per_element)};
}

void quantize_mx::execute(instruction_run& run) const {
  const bool wide = out.type() == dtype::fp8_e5m2_x4;
  const dtype one = wide ? dtype::fp8_e5m2 : dtype::fp8_e4m3fn;
  const int largest_exponent = wide ? 15 : 8;
  const auto columns = std::size_t(out.elements()), count = columns * mx_numbers;
  const int groups = in.partitions() / mx_group_rows;
  run.for_each(std::size_t(groups), in.partitions() * in.elements(), [&](std::size_t group) {
    row_access rows(run);
    std::array<const float*, mx_group_rows> from;
    const int first = int(group) * mx_group_rows;
    for (int r = 0; r < mx_group_rows; ++r) from[std::size_t(r)] = rows.read(r, in, first + r);
    // Shifted by the scale's exponent, which double holds exactly, a number is rounded once.
    std::vector<float> values(count * mx_group_rows);
    std::vector<std::byte> codes(columns);
    for (std::size_t j = 0; j < columns; ++j) {
      std::int32_t largest = 0;
      for (const float* const row : from)
        for (std::size_t q = 0; q < mx_numbers; ++q)
          largest = std::max(largest, magnitude_bits(row[j * mx_numbers + q]));
      const int code = scale_code(largest, largest_exponent);
      codes[j] = std::byte(code);
      const double inverse = std::ldexp(1.0, scale_bias - code);
      for (std::size_t r = 0; r < from.size(); ++r)
        for (std::size_t q = 0; q < mx_numbers; ++q)
          values[r * count + j * mx_numbers + q] =
              code == nan_scale ? std::numeric_limits<float>::quiet_NaN()
                                : float(double(from[r][j * mx_numbers + q]) * inverse);
    }
    const int quadrant = first / mx_quadrant_rows * mx_quadrant_rows;
    std::byte* const scale_row = address(scales, quadrant + (first - quadrant) / mx_group_rows);
    std::size_t next = 0;
    for_each_run(scales.dims(), 0, [&](std::int64_t at, std::int64_t some) {
      std::copy_n(codes.data() + next, some, scale_row + at);
      next += std::size_t(some);
    });
    for (int r = 0; r < mx_group_rows; ++r) {
      std::byte* const to = address(out, first + r);
      const float* value = values.data() + std::size_t(r) * count;
      std::uint64_t position = (run.instruction() << 24) + std::uint64_t(first + r) * count;
      for_each_run(out.dims(), 0, [&](std::int64_t at, std::int64_t some) {
        const auto numbers = std::size_t(some) * mx_numbers;
        store_row(one, value, numbers, to + at * mx_numbers, 1, run.rounding(), position);
        value += numbers;
        position += numbers;
      });
    }
  });
}

}  // namespace papilio::engine
