#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/systolic.hpp"
#include "engine/number_codec.hpp"
#include "engine/written.hpp"
#include "papilio/engine/isa/tensor_engine.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

// Numbers of 2 bits of exponent and 1 of mantissa, by their codes.
constexpr std::array<float, 16> fp4_numbers{0,    0.5F,  1,  1.5F,  2,  3,  4,  6,
                                            -0.F, -0.5F, -1, -1.5F, -2, -3, -4, -6};

// The four numbers of an element.
void unpack(dtype type, const std::byte* from, float* to) {
  if (type == dtype::fp4_e2m1fn_x4) {
    std::uint16_t codes;
    std::memcpy(&codes, from, sizeof codes);
    for (int q = 0; q < mx_numbers; ++q) to[q] = fp4_numbers[codes >> 4 * q & 15];
  } else {
    const dtype one = type == dtype::fp8_e5m2_x4 ? dtype::fp8_e5m2 : dtype::fp8_e4m3fn;
    load_row(one, from, 1, mx_numbers, to);
  }
}

float scale_of(std::byte code) {
  const int exponent = std::to_integer<int>(code);
  if (exponent == 255) return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.0F, exponent - 127);
}

// The numbers of a packed operand, dequantised: for each partition and each of its rows of the
// contraction, all columns.
std::vector<float> dequantised(const tile_view& packed, const tile_view& scales) {
  const auto columns = std::size_t(packed.elements());
  const auto size = std::int64_t(size_bytes(packed.type()));
  std::vector<float> values(columns * mx_numbers * std::size_t(packed.partitions())),
      factors(columns);
  for (int p = 0; p < packed.partitions(); ++p) {
    if (p % mx_group_rows == 0) {
      const int row =
          p / mx_quadrant_rows * mx_quadrant_rows + p % mx_quadrant_rows / mx_group_rows;
      const std::byte* const codes = address(scales, row);
      std::size_t j = 0;
      for_each_run(scales.dims(), 0, [&](std::int64_t first, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) factors[j++] = scale_of(codes[first + i]);
      });
    }
    const std::byte* const from = address(packed, p);
    float* const to = values.data() + std::size_t(p) * mx_numbers * columns;
    std::size_t j = 0;
    for_each_run(packed.dims(), 0, [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i, ++j) {
        std::array<float, mx_numbers> numbers;
        unpack(packed.type(), from + (first + i) * size, numbers.data());
        for (std::size_t q = 0; q < numbers.size(); ++q)
          to[q * columns + j] = numbers[q] * factors[j];
      }
    });
  }
  return values;
}

}  // namespace

void matmul_mx::validate(const checker& check) const {
  check.keeps(isa_rule::matmul_mx_exists);
  check.at_most("moving", "partitions (the contraction)", moving.partitions(),
                check.machine().tensor.rows);
  check.that(stationary.elements() % 2 == 0, "stationary", "free size must be even, got ",
             stationary.elements());
  if (row_tiled) check_row_tile(check, stationary, moving);
  check_result(check, out, stationary.elements(), moving.elements());
}

instruction_cost matmul_mx::cost(const machine_spec& machine) const {
  const tensor_engine_spec& tensor = machine.tensor;
  const double k = double(mx_numbers) * double(stationary.partitions()),
               m = double(stationary.elements()), n = double(moving.elements());
  // The array reads so many numbers of packed types in the time of one of 16 bits.
  const double rate =
      double(tensor.fp8_read_elements_per_cycle) / double(tensor.read_elements_per_cycle);
  const double passes = double(mx_numbers) / rate;
  return {.cycles = std::max(n, tensor.min_initiation_cycles) * passes,
          .load_cycles = std::min(tensor.fast_load_cycles_max, m) * passes,
          .row_tile = row_tiled ? moving.partition() / tensor.min_tile_rows : -1,
          .multiply_adds = k * m * n,
          .passes = 1 / rate};
}

void matmul_mx::execute(instruction_run& run) const {
  const std::vector<float> rows = dequantised(stationary, stationary_scales),
                           columns = dequantised(moving, moving_scales);
  multiply_into(out,
                {.stationary = rows.data(),
                 .moving = columns.data(),
                 .moving_pitch = std::size_t(moving.elements()),
                 .depth = std::size_t(mx_numbers * moving.partitions()),
                 .m = std::size_t(stationary.elements()),
                 .n = std::size_t(moving.elements())},
                accumulate, run);
}

}  // namespace papilio::engine
