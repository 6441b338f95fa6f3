#include "papilio/engine/lowering.hpp"

#include <map>

#include "engine/support.hpp"
#include "papilio/base/error.hpp"

namespace papilio::engine::test {
namespace {

struct lowering : fixture {
  // Loads part [first row 1, first column 2] of a larger tensor, and compares.
  void expect_transposed(core& on, std::int64_t rows, std::int64_t columns, dtype type) {
    SCOPED_TRACE(testing::Message()
                 << on.machine().name << " " << rows << " x " << columns << " " << to_string(type));
    const std::int64_t height = rows + 2, width = columns + 3;
    const hbm_view wide = on.hbm({height, width}), memory = on.hbm({height, width}, type);
    const std::vector<float> values = values_between(-2, 2, std::size_t(height * width));
    on.write_tensor(wide, std::as_bytes(std::span(values)));
    on.issue(dma_copy{.out = memory, .in = wide});
    transposing_loader loader(on, rows, columns, type);
    const tile out = on.sbuf(int(columns), rows, type);
    loader.load(out, memory.slice(0, 1, rows).slice(1, 2, columns));
    const std::vector<float> got = read(on, out);
    for (std::int64_t c = 0; c < columns; ++c)
      for (std::int64_t r = 0; r < rows; ++r)
        ASSERT_EQ(got[std::size_t(c * rows + r)],
                  round_to(type, values[std::size_t((r + 1) * width + c + 2)]))
            << r << ", " << c;
  }

  std::map<std::string, std::uint64_t> counts(const core& on) {
    std::map<std::string, std::uint64_t> found;
    for (const profile_opcode& o : on.summary().opcodes) found[std::string(o.opcode)] += o.count;
    return found;
  }
};

TEST_F(lowering, loads_transposed) {
  for (core* on : {&nc, &nc2})
    for (const dtype type : {dtype::fp32, dtype::bf16})
      for (const auto& [rows, columns] : std::initializer_list<std::pair<int, int>>{
               {1, 1}, {5, 3}, {31, 128}, {32, 32}, {33, 128}, {64, 1}, {100, 75}, {450, 128}})
        expect_transposed(*on, rows, columns, type);
}

// Blocks of 32 rows on the vector engine where DMA does not transpose, else one transfer.
TEST_F(lowering, is_of_the_machine) {
  for (core* on : {&nc, &nc2}) {
    const hbm_view memory = on->hbm({448, 112});
    const std::vector<float> values(448 * 112, 1);
    on->write_tensor(memory, std::as_bytes(std::span(values)));
    transposing_loader loader(*on, 448, 112);
    const tile out = on->sbuf(112, 448);
    loader.load(out, memory);
  }
  EXPECT_EQ(counts(nc), (std::map<std::string, std::uint64_t>{{"dma_copy", 1}, {"transpose", 14}}));
  EXPECT_EQ(counts(nc2), (std::map<std::string, std::uint64_t>{{"dma_transpose", 1}}));
}

TEST_F(lowering, refuses_what_does_not_fit) {
  for (core* on : {&nc, &nc2}) {
    EXPECT_THROW(transposing_loader(*on, 64, 129), shape_error);
    EXPECT_THROW(transposing_loader(*on, 64, 0), shape_error);
    EXPECT_THROW(transposing_loader(*on, 0, 32), shape_error);
    transposing_loader loader(*on, 64, 32);
    const tile out = on->sbuf(32, 64), wide = on->sbuf(32, 65);
    EXPECT_THROW(loader.load(wide, on->hbm({65, 32})), shape_error);
    EXPECT_THROW(loader.load(out, on->hbm({32, 64})), shape_error);
    EXPECT_THROW(loader.load(out, on->hbm({64, 32, 1})), shape_error);
    EXPECT_THROW(loader.load(out, on->hbm({63, 32})), shape_error);
  }
}

TEST_F(lowering, results_leave_psum_scaled) {
  for (core* on : {&nc, &nc2}) {
    const tile sum = on->psum(7, 20), result = on->sbuf(7, 20);
    const std::vector<float> values = values_between(-2, 2, 140);
    load(*on, sum, values);
    evacuate(*on, result, sum);
    EXPECT_EQ(read(*on, result), values) << on->machine().name;
    evacuate(*on, result, sum, -0.5f);
    const std::vector<float> got = read(*on, result);
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], values[i] * -0.5f) << i;
  }
}

// A bank holds as many numbers of 16 bits as it has fp32 ones, twice.
TEST_F(lowering, a_bank_of_fp32_is_one_of_more_narrow_numbers) {
  core v4(trainium3(), {});
  const tile bank = v4.psum(7, 512);
  const tile_view narrow = bank.whole().as(dtype::bf16);
  EXPECT_EQ(narrow.elements(), 1024);
  EXPECT_EQ(narrow.type(), dtype::bf16);
  const tile_view halves = bank->reshape({2, 256}).as(dtype::bf16);
  EXPECT_EQ(halves.elements(), 1024);
  EXPECT_EQ(halves.slice(1, 1, 1).offset_bytes(), narrow.columns(512, 1).offset_bytes());
  EXPECT_THROW(narrow.as(dtype::fp32), shape_error);
  EXPECT_THROW(bank->slice(1, 0, 8, 2).as(dtype::bf16), shape_error);
  EXPECT_EQ(bank.whole().as(dtype::int32).elements(), 512);
}

// Both engines copy 16 bits in half the cycles, and the numbers stay what they are.
TEST_F(lowering, numbers_of_16_bits_leave_psum_in_half_the_time) {
  constexpr std::int64_t columns = 512;
  const std::vector<float> values = values_between(-2, 2, 128 * columns);
  const auto seconds = [&](dtype type) {
    core v4(trainium3(), {});
    const tile one = v4.sbuf(128, 128, type), x = v4.sbuf(128, columns, type),
               sum = v4.psum(128, columns, type), result = v4.sbuf(128, columns, type);
    std::vector<float> identity(128 * 128);
    for (std::size_t i = 0; i < 128; ++i) identity[129 * i] = 1;
    load(v4, one, identity);
    load(v4, x, values);
    v4.issue(matmul{.out = sum, .stationary = one, .moving = x});
    for (int i = 0; i < 8; ++i) evacuate(v4, result, sum);
    EXPECT_EQ(read(v4, result), read(v4, x));
    const profile run = v4.summary();
    return run.value("vector_engine_active_time") + run.value("scalar_engine_active_time");
  };
  const double narrow = seconds(dtype::bf16), wide = seconds(dtype::fp32);
  EXPECT_NEAR(wide - narrow, 8 * columns / 2 / trainium3().scalar.clock_hz, 1e-12);
}

}  // namespace
}  // namespace papilio::engine::test
