#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "papilio/base/error.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine {
namespace {

// What require_valid says of trainium1 with a change, less the function's name; "none" if nothing.
std::string complaint(const std::function<void(machine_spec&)>& change) {
  machine_spec m = trainium1();
  change(m);
  try {
    require_valid(m);
  } catch (const invalid_argument& e) {
    const std::string message = e.what();
    EXPECT_TRUE(message.starts_with("machine_spec: ")) << message;
    return message.substr(std::string("machine_spec: ").size());
  }
  return "none";
}

TEST(require_valid, clocks_are_above_zero_and_finite) {
  const auto with_clock = [](double hz) {
    return complaint([hz](machine_spec& m) { m.tensor.clock_hz = hz; });
  };
  const std::string expected = "tensor.clock_hz: must be a number >= 1e-06 and <= 1e+18, got ";
  EXPECT_EQ(with_clock(-1), expected + "-1");
  EXPECT_EQ(with_clock(0), expected + "0");
  EXPECT_EQ(with_clock(std::numeric_limits<double>::infinity()), expected + "inf");
  EXPECT_EQ(with_clock(std::nan("")), expected + "nan");
  EXPECT_EQ(with_clock(2e18), expected + "2e+18");
  EXPECT_EQ(with_clock(1e9), "none");
}

TEST(require_valid, members_of_the_common_part_are_named_with_their_engine) {
  EXPECT_EQ(complaint([](machine_spec& m) { m.gpsimd.start_cycles = -150; }),
            "gpsimd.start_cycles: must be a number >= 0 and <= 1e+12, got -150");
  EXPECT_EQ(complaint([](machine_spec& m) { m.scalar.clock_hz = 0; }),
            "scalar.clock_hz: must be a number >= 1e-06 and <= 1e+18, got 0");
}

TEST(require_valid, whole_numbers) {
  EXPECT_EQ(complaint([](machine_spec& m) { m.sbuf.partitions = 129; }),
            "sbuf.partitions: must be a whole number from 1 to 128, got 129");
  EXPECT_EQ(complaint([](machine_spec& m) { m.dma.engines = 0; }),
            "dma.engines: must be a whole number from 1 to 65536, got 0");
  EXPECT_EQ(complaint([](machine_spec& m) { m.hbm.bytes_per_chip = -5; }),
            "hbm.bytes_per_chip: must be a whole number from 1 to 1125899906842624, got -5");
  EXPECT_EQ(complaint([](machine_spec& m) { m.access.stride_min = 0; }),
            "access.stride_min: must be a whole number from -2147483648 to -1, got 0");
}

TEST(require_valid, costs_factors_and_shares) {
  EXPECT_EQ(complaint([](machine_spec& m) { m.vector.reciprocal_cycles_per_element = 0; }),
            "vector.reciprocal_cycles_per_element: must be a number > 0 and <= 1e+06, got 0");
  EXPECT_EQ(complaint([](machine_spec& m) { m.access.far_stride_factor = 0.5; }),
            "access.far_stride_factor: must be a number >= 1 and <= 1e+06, got 0.5");
  EXPECT_EQ(complaint([](machine_spec& m) { m.dma.transpose_rate_hbm = 1.5; }),
            "dma.transpose_rate_hbm: must be a number >= 0 and <= 1, got 1.5");
  EXPECT_EQ(complaint([](machine_spec& m) { m.activation.log_min = 0; }),
            "activation.log_min: must be a number > 0 and <= 1e+38, got 0");
}

TEST(require_valid, names) {
  const std::string expected = "name: must be 1 to 64 printable ASCII characters, got ";
  EXPECT_EQ(complaint([](machine_spec& m) { m.name = ""; }), expected + "0 bytes");
  EXPECT_EQ(complaint([](machine_spec& m) { m.name = "a\nb"; }), expected + "3 bytes");
  EXPECT_EQ(complaint([](machine_spec& m) { m.name = std::string(65, 'a'); }),
            expected + "65 bytes");
  EXPECT_EQ(complaint([](machine_spec& m) { m.name = std::string(64, 'a'); }), "none");
}

struct contradiction {
  const char* name;
  std::function<void(machine_spec&)> change;
  const char* message;
};

class contradictions : public testing::TestWithParam<contradiction> {};

TEST_P(contradictions, are_refused) { EXPECT_EQ(complaint(GetParam().change), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    require_valid, contradictions,
    testing::Values(
        contradiction{"core", [](machine_spec& m) { m.core = "NeuronCore-v1"; },
                      "core: must be NeuronCore-v2 to NeuronCore-v9, whose rules its instructions "
                      "keep, got NeuronCore-v1"},
        contradiction{"psum_banks", [](machine_spec& m) { m.psum.banks = 4; },
                      "psum.bytes_per_partition: must be psum.banks * psum.bank_bytes, got 16384"},
        contradiction{"open_groups", [](machine_spec& m) { m.psum.open_groups_max = 9; },
                      "psum.open_groups_max: must be at most psum.banks, got 9"},
        contradiction{"psum_ports",
                      [](machine_spec& m) { m.psum.scalar_shares_vector_port_within_bank = true; },
                      "psum.scalar_shares_vector_port_within_bank: must be false where "
                      "psum.scalar_shares_vector_port is true, got true"},
        contradiction{"alignment", [](machine_spec& m) { m.sbuf.alignment_bytes = 48; },
                      "sbuf.alignment_bytes: must be a power of two, got 48"},
        contradiction{"unaligned_partition",
                      [](machine_spec& m) { m.sbuf.bytes_per_partition = 1000; },
                      "sbuf.bytes_per_partition: must be a multiple of sbuf.alignment_bytes, got "
                      "1000"},
        contradiction{"hbm_core", [](machine_spec& m) { m.hbm.bytes_per_core = 40000000000; },
                      "hbm.bytes_per_core: must be at most hbm.bytes_per_chip, got 40000000000"},
        contradiction{"hbm_usable",
                      [](machine_spec& m) { m.hbm.usable_bytes_per_core = 16000000001; },
                      "hbm.usable_bytes_per_core: must be at most hbm.bytes_per_core, got "
                      "16000000001"},
        contradiction{"rows", [](machine_spec& m) { m.sbuf.partitions = 64; },
                      "tensor.rows: must be at most sbuf.partitions, got 128"},
        contradiction{"columns", [](machine_spec& m) { m.psum.partitions = 64; },
                      "tensor.columns: must be at most psum.partitions, got 128"},
        contradiction{"stationary", [](machine_spec& m) { m.tensor.stationary_columns_max = 129; },
                      "tensor.stationary_columns_max: must be at most tensor.columns, got 129"},
        contradiction{"moving", [](machine_spec& m) { m.tensor.moving_columns_max = 513; },
                      "tensor.moving_columns_max: must be at most psum.bank_bytes / 4, the fp32 "
                      "numbers of a bank, got 513"},
        contradiction{"transpose_side", [](machine_spec& m) { m.tensor.transpose_side_max = 256; },
                      "tensor.transpose_side_max: must be at most tensor.rows and tensor.columns, "
                      "got 256"},
        contradiction{"tile_rows", [](machine_spec& m) { m.tensor.min_tile_rows = 48; },
                      "tensor.min_tile_rows: must be a multiple of tensor.tile_step, got 48"},
        contradiction{"transpose_rate", [](machine_spec& m) { m.dma.transpose_rate_sbuf = 1e-9; },
                      "dma.transpose_rate_sbuf: must be 0 or at least 1e-06, got 1e-09"},
        contradiction{"transpose_block", [](machine_spec& m) { m.vector.transpose_block = 129; },
                      "vector.transpose_block: must be at most sbuf.partitions, got 129"},
        contradiction{"vector_lanes", [](machine_spec& m) { m.vector.lanes = 64; },
                      "vector.lanes: must be at least sbuf.partitions, got 64"},
        contradiction{"processors", [](machine_spec& m) { m.gpsimd.processors = 4; },
                      "gpsimd.partitions_per_processor: must be sbuf.partitions / "
                      "gpsimd.processors or more, got 16"},
        contradiction{"shuffle_keep", [](machine_spec& m) { m.vector.shuffle_keep = 31; },
                      "vector.shuffle_keep: must be at least vector.shuffle_mask_entries, got 31"},
        contradiction{"range", [](machine_spec& m) { m.activation.rsqrt_max = 1e-30; },
                      "activation.rsqrt_min: must be below activation.rsqrt_max, got "
                      "6.462348535570529e-27"},
        contradiction{"dma_engines", [](machine_spec& m) { m.dma.engines = 33; },
                      "dma.engines: must be at most dma.engines_per_chip, got 33"},
        contradiction{"dma_rows", [](machine_spec& m) { m.dma.rows_per_engine = 7; },
                      "dma.rows_per_engine: must be sbuf.partitions / dma.engines or more, got 7"},
        contradiction{"dma_peak", [](machine_spec& m) { m.dma.bytes_per_ns = 28; },
                      "dma.bytes_per_ns: must be at most dma.peak_bytes_per_ns, got 28"},
        contradiction{"dge", [](machine_spec& m) { m.dma.hardware_dge = true; },
                      "dma.hardware_dge_units: must be 0 without dma.hardware_dge and at least 1 "
                      "with it, got 0"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace papilio::engine
