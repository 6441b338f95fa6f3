// Rates that the documents state, as differences between runs: whatever an instruction costs to
// start. Numbers are fields of machine_spec.
#include <functional>

#include "engine/support.hpp"
#include "papilio/engine/profile.hpp"

namespace papilio::engine::test {
namespace {

/// Cycles of each further element, from `make(n)`, an instruction on n elements a partition.
double cycles_per_element(const std::function<instruction(std::int64_t)>& make,
                          const machine_spec& machine) {
  return (documented_cycles(make(512), machine) - documented_cycles(make(256), machine)) / 256;
}

TEST(documented_rates, fp32_products_take_their_passes) {
  for (const machine_spec& m : {trainium1(), trainium2()}) {
    core nc(m, {.mode = run_mode::dry_run, .strict = false});
    const tile out = nc.psum(128, 512);
    const auto per_column = [&](dtype type, bool onezero) {
      const tile s = nc.sbuf(128, 128, type), x = nc.sbuf(128, 512, type);
      return cycles_per_element(
          [&](std::int64_t n) {
            return matmul{.out = out->columns(0, n),
                          .stationary = s,
                          .moving = x->columns(0, n),
                          .onezero = onezero};
          },
          m);
    };
    EXPECT_EQ(m.tensor.fp32_passes, 4);
    EXPECT_EQ(per_column(dtype::bf16, false), 1);
    EXPECT_EQ(per_column(dtype::fp32, false), m.tensor.fp32_passes);
    EXPECT_EQ(per_column(dtype::fp32, true), m.tensor.fp32_onezero_passes);
  }
}

TEST(documented_rates, an_operand_in_psum_halves_what_two_in_sbuf_take) {
  const machine_spec m = trainium1();
  core nc(m, {.mode = run_mode::dry_run, .strict = false});
  const tile x = nc.sbuf(128, 512), y = nc.sbuf(128, 512), p = nc.psum(128, 512);
  const auto per_element = [&](const tile& left, const tile& right) {
    return cycles_per_element(
        [&](std::int64_t n) {
          return tensor_tensor{
              .out = x->columns(0, n), .left = left->columns(0, n), .right = right->columns(0, n)};
        },
        m);
  };
  EXPECT_EQ(per_element(x, y), m.vector.tensor_tensor_cycles_per_element);
  EXPECT_EQ(per_element(p, y), m.vector.fast_tensor_tensor_cycles_per_element);
  EXPECT_EQ(per_element(x, p), m.vector.fast_tensor_tensor_cycles_per_element);
  EXPECT_EQ(per_element(x, y), 2 * per_element(x, p));
}

TEST(documented_rates, far_strides_halve_the_rate_of_each_engine) {
  const machine_spec m = trainium1();
  core nc(m, {.mode = run_mode::dry_run, .strict = false});
  const tile x = nc.sbuf(128, 2560), y = nc.sbuf(128, 512);
  const std::int64_t step = m.access.far_stride_bytes / 4;  // the widest that is near
  const tile_view near = x->slice(1, 0, 512, step), far = x->slice(1, 0, 512, step + 1);
  const auto clock_hz = [&](unit on) {
    return on == unit::vector   ? m.vector.clock_hz
           : on == unit::scalar ? m.scalar.clock_hz
                                : m.gpsimd.clock_hz;
  };
  for (const unit on : {unit::vector, unit::scalar, unit::gpsimd}) {
    const double start = on == unit::gpsimd ? m.gpsimd.start_cycles : 0;
    const double cycles = documented_cycles(copy(y, near, on), m) - start;
    const double more_ns = cycles * (m.access.far_stride_factor - 1) / clock_hz(on) * 1e9;
    EXPECT_GT(more_ns, 100);
    const double near_ns = cost_ns(copy(y, near, on), m);
    EXPECT_NEAR(cost_ns(copy(y, far, on), m) - near_ns, more_ns, 1e-9) << to_string(on);
    EXPECT_NEAR(cost_ns(copy(far, y, on), m) - near_ns, more_ns, 1e-9) << to_string(on);
  }
}

}  // namespace
}  // namespace papilio::engine::test
