// What an accelerator keeps of operations is bounded by their number and by bytes, of those tables
// too by which they are told apart.
#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "papilio/signal/host_signals.hpp"

namespace papilio {
namespace {

constexpr std::size_t numbers = std::size_t{1} << 20;  // 8 MiB
constexpr std::size_t fitting = 7;                     // as many of them as 64 MB hold

product_problem by_table(float first, std::size_t count = numbers) {
  product_problem p{.count = count, .factors = std::vector<std::complex<float>>(count)};
  p.factors[0] = first;
  return p;
}

TEST(kept_operations, programs_go_by_the_bytes_of_their_keys) {
  engine::device dev;
  const auto is_built = [&](float first) {
    dev.reset_record();
    program_on("test", dev, by_table(first), {});
    return dev.record().upload.tensors == 1;  // its table
  };
  for (std::size_t i = 0; i < fitting; ++i) EXPECT_TRUE(is_built(static_cast<float>(i)));
  EXPECT_EQ(kept_on(dev).programs, fitting);
  EXPECT_FALSE(is_built(0));  // used last from here on
  EXPECT_TRUE(is_built(100));
  EXPECT_EQ(kept_on(dev).programs, fitting);
  EXPECT_LE(kept_on(dev).program_key_bytes, kept_operations::most_key_bytes);
  EXPECT_GT(kept_on(dev).program_key_bytes, 0.9 * 8 * numbers * fitting);
  EXPECT_FALSE(is_built(0));
  EXPECT_TRUE(is_built(1));  // the least recently used had to go
  const double tables = kept_on(dev).table_bytes;
  EXPECT_EQ(tables, 8.0 * numbers * fitting);
}

TEST(kept_operations, decisions_go_by_the_bytes_of_their_keys) {
  engine::device dev;
  const execution on{.where = policy::automatic, .on = &dev, .threads = 1};
  for (std::size_t i = 0; i < 2 * fitting; ++i) {
    place("test", by_table(static_cast<float>(i)), on, host_signals());
    EXPECT_EQ(kept_on(dev).decisions, std::min(i + 1, fitting));
    EXPECT_LE(kept_on(dev).decision_key_bytes, kept_operations::most_key_bytes);
  }
  // Steps count with what follows them, and one that is too long for all the room stays alone.
  const std::vector<pipeline_step> steps(9, {by_table(1), {}});
  const operand_shapes arrays = shapes_of(steps[0].what);
  place("test", steps, arrays, on, host_signals());
  EXPECT_EQ(kept_on(dev).decisions, 1u);
  EXPECT_GT(kept_on(dev).decision_key_bytes, kept_operations::most_key_bytes);
  place("test", by_table(1, 1), on, host_signals());
  EXPECT_EQ(kept_on(dev).decisions, 1u);
  EXPECT_LT(kept_on(dev).decision_key_bytes, 1e4);
}

TEST(kept_operations, windows_matrices_and_boxes_count) {
  const auto bytes_of = [](const operation& what) {
    engine::device dev;
    place("test", what, {.where = policy::automatic, .on = &dev, .threads = 1}, host_signals());
    return kept_on(dev).decision_key_bytes;
  };
  stft_problem s{.samples = 1024, .n_fft = 256, .hop = 64};
  const double plain = bytes_of(s);
  s.window.assign(256, 1.0F);
  EXPECT_EQ(bytes_of(s), plain + 4 * 256);
  s.mel.assign(10 * 129, 1.0F);
  s.result = spectrum_form::mel;
  EXPECT_EQ(bytes_of(s), plain + 4 * 256 + 4 * 1290);
  arrangement_problem a{.in_extents = {8, 8}, .out_extents = {8, 8}, .boxes = {}};
  const double empty = bytes_of(a);
  a.boxes.assign(20, {{0, 0}, {0, 0}, {1, 1}});
  EXPECT_GE(bytes_of(a), empty + 20.0 * 6 * sizeof(std::size_t));
}

TEST(kept_operations, as_many_as_documented) {
  engine::device dev;
  const execution on{.where = policy::automatic, .on = &dev, .threads = 1};
  for (std::size_t n = 1; n <= kept_operations::most_decisions + 3; ++n)
    place("test", product_problem{.count = n}, on, host_signals());
  EXPECT_EQ(kept_on(dev).decisions, kept_operations::most_decisions);
  EXPECT_EQ(kept_on(dev).programs, 0u);
}

}  // namespace
}  // namespace papilio
