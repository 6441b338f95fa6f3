#include "papilio/engine/machine_spec.hpp"

#include <algorithm>

#include "engine/machine_check.hpp"
#include "engine/machine_fields.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/isa/rules.hpp"

namespace papilio::engine_detail {
namespace {

using base_detail::field_checker;
using base_detail::refusal;
using engine::machine_spec;

/// refuse("field: must be ..., got value") unless `holds`.
template <class Value>
void require(bool holds, refusal refuse, const char* field, const char* expected,
             const Value& got) {
  if (!holds) refuse(fmt::format("{}: must be {}, got {}", field, expected, got));
}

// A rate of 0 means that the machine lacks the feature. Any other rate is a divisor and must not be
// close to 0.
void check_rate(double rate, refusal refuse, const char* field) {
  require(rate == 0 || rate >= 1e-6, refuse, field, "0 or at least 1e-06", rate);
}

void check_memories(const machine_spec& m, refusal refuse) {
  const auto& sbuf = m.sbuf;
  const auto& psum = m.psum;
  const auto alignment = sbuf.alignment_bytes;
  require((alignment & (alignment - 1)) == 0, refuse, "sbuf.alignment_bytes", "a power of two",
          alignment);
  require(sbuf.bytes_per_partition % alignment == 0, refuse, "sbuf.bytes_per_partition",
          "a multiple of sbuf.alignment_bytes", sbuf.bytes_per_partition);
  require(psum.banks * psum.bank_bytes == psum.bytes_per_partition, refuse,
          "psum.bytes_per_partition", "psum.banks * psum.bank_bytes", psum.bytes_per_partition);
  require(psum.open_groups_max <= psum.banks, refuse, "psum.open_groups_max", "at most psum.banks",
          psum.open_groups_max);
  require(!(psum.scalar_shares_vector_port && psum.scalar_shares_vector_port_within_bank), refuse,
          "psum.scalar_shares_vector_port_within_bank",
          "false where psum.scalar_shares_vector_port is true", true);
  require(m.hbm.bytes_per_core <= m.hbm.bytes_per_chip, refuse, "hbm.bytes_per_core",
          "at most hbm.bytes_per_chip", m.hbm.bytes_per_core);
  require(m.hbm.usable_bytes_per_core <= m.hbm.bytes_per_core, refuse, "hbm.usable_bytes_per_core",
          "at most hbm.bytes_per_core", m.hbm.usable_bytes_per_core);
}

void check_tensor_engine(const machine_spec& m, refusal refuse) {
  const auto& tensor = m.tensor;
  require(tensor.rows <= m.sbuf.partitions, refuse, "tensor.rows", "at most sbuf.partitions",
          tensor.rows);
  require(tensor.columns <= m.psum.partitions, refuse, "tensor.columns", "at most psum.partitions",
          tensor.columns);
  require(tensor.stationary_columns_max <= tensor.columns, refuse, "tensor.stationary_columns_max",
          "at most tensor.columns", tensor.stationary_columns_max);
  require(4 * tensor.moving_columns_max <= m.psum.bank_bytes, refuse, "tensor.moving_columns_max",
          "at most psum.bank_bytes / 4, the fp32 numbers of a bank", tensor.moving_columns_max);
  require(tensor.transpose_side_max <= std::min(tensor.rows, tensor.columns), refuse,
          "tensor.transpose_side_max", "at most tensor.rows and tensor.columns",
          tensor.transpose_side_max);
  check_rate(tensor.throttle_rate, refuse, "tensor.throttle_rate");
  require(tensor.min_tile_rows % tensor.tile_step == 0, refuse, "tensor.min_tile_rows",
          "a multiple of tensor.tile_step", tensor.min_tile_rows);
  require(tensor.min_tile_rows > 0 && tensor.rows % tensor.min_tile_rows == 0, refuse,
          "tensor.min_tile_rows", "a divisor of tensor.rows", tensor.min_tile_rows);
}

void check_lane_engines(const machine_spec& m, refusal refuse) {
  // A cost does not depend on the number of partitions, so all must fit in one go.
  const int partitions = m.sbuf.partitions;
  const char* const expected = "at least sbuf.partitions";
  require(m.vector.lanes >= partitions, refuse, "vector.lanes", expected, m.vector.lanes);
  require(m.scalar.lanes >= partitions, refuse, "scalar.lanes", expected, m.scalar.lanes);
  require(m.gpsimd.lanes >= partitions, refuse, "gpsimd.lanes", expected, m.gpsimd.lanes);
  require(m.gpsimd.processors * m.gpsimd.partitions_per_processor >= partitions, refuse,
          "gpsimd.partitions_per_processor", "sbuf.partitions / gpsimd.processors or more",
          m.gpsimd.partitions_per_processor);
  require(m.vector.transpose_block <= partitions, refuse, "vector.transpose_block",
          "at most sbuf.partitions", m.vector.transpose_block);
  require(m.lowering.transpose_strip_columns <= partitions, refuse,
          "lowering.transpose_strip_columns", "at most sbuf.partitions",
          m.lowering.transpose_strip_columns);
  require(m.vector.shuffle_keep >= m.vector.shuffle_mask_entries, refuse, "vector.shuffle_keep",
          "at least vector.shuffle_mask_entries", m.vector.shuffle_keep);
  const auto& valid = m.activation;
  require(valid.sqrt_min < valid.sqrt_max, refuse, "activation.sqrt_min",
          "below activation.sqrt_max", valid.sqrt_min);
  require(valid.rsqrt_min < valid.rsqrt_max, refuse, "activation.rsqrt_min",
          "below activation.rsqrt_max", valid.rsqrt_min);
  require(valid.reciprocal_min < valid.reciprocal_max, refuse, "activation.reciprocal_min",
          "below activation.reciprocal_max", valid.reciprocal_min);
  require(valid.log_min < valid.log_max, refuse, "activation.log_min", "below activation.log_max",
          valid.log_min);
}

void check_dma(const machine_spec& m, refusal refuse) {
  check_rate(m.dma.transpose_rate_hbm, refuse, "dma.transpose_rate_hbm");
  check_rate(m.dma.transpose_rate_sbuf, refuse, "dma.transpose_rate_sbuf");
  check_rate(m.dma.compute_rate, refuse, "dma.compute_rate");
  require(m.dma.engines <= m.dma.engines_per_chip, refuse, "dma.engines",
          "at most dma.engines_per_chip", m.dma.engines);
  require(m.dma.engines * m.dma.rows_per_engine >= m.sbuf.partitions, refuse, "dma.rows_per_engine",
          "sbuf.partitions / dma.engines or more", m.dma.rows_per_engine);
  require(m.dma.bytes_per_ns <= m.dma.peak_bytes_per_ns, refuse, "dma.bytes_per_ns",
          "at most dma.peak_bytes_per_ns", m.dma.bytes_per_ns);
  require(m.dma.hardware_dge == (m.dma.hardware_dge_units > 0), refuse, "dma.hardware_dge_units",
          "0 without dma.hardware_dge and at least 1 with it", m.dma.hardware_dge_units);
}

}  // namespace

void check_machine(const machine_spec& machine, refusal refuse) {
  visit_fields(machine, field_checker(refuse));
  require(engine::core_generation(machine) != 0, refuse, "core",
          "NeuronCore-v2 to NeuronCore-v9, whose rules its instructions keep", machine.core);
  check_memories(machine, refuse);
  check_tensor_engine(machine, refuse);
  check_lane_engines(machine, refuse);
  check_dma(machine, refuse);
}

}  // namespace papilio::engine_detail

namespace papilio::engine {

machine_spec trainium1() { return {}; }

// sources() says where these are from.
machine_spec trainium2() {
  machine_spec m;
  m.name = "trainium2";
  m.core = "NeuronCore-v3";
  m.cores_per_chip = 8;
  m.base_clock_hz = 1.2e9;

  m.tensor.clock_hz = 2.4e9;
  m.tensor.exposed_load_cycles = 0;               // A2: in the background
  m.tensor.fp8_read_elements_per_cycle = 512;     // A2: 4 x 128
  m.tensor.sparse_read_elements_per_cycle = 640;  // A2: 5 x 128
  m.tensor.transpose_mode = true;
  m.tensor.fp8_double_row = true;
  m.tensor.sparse_factor = 4;  // A2: 316 over 79 TFLOPS
  m.tensor.min_tile_rows = 32;
  m.tensor.throttle_rate = 0.5;
  m.tensor.throttle_idle_ns = 3000;  // ours: as long as the ramp
  m.tensor.throttle_ramp_ns = 3000;

  m.vector.clock_hz = 0.96e9;
  m.vector.elements_per_cycle = 256;
  m.vector.elements_16bit_per_cycle = 512;
  m.vector.peak_fp32_flops = 1.0e12;
  m.vector.performance_mode = true;
  m.scalar.clock_hz = 1.2e9;
  m.scalar.peak_fp32_flops = 1.2e12;
  m.gpsimd.clock_hz = 1.2e9;
  m.gpsimd.own_dma_bytes_per_ns = 307;
  m.gpsimd.own_dma_one_way_bytes_per_ns = 153;

  m.sbuf.bytes_per_partition = 229376;  // A2: 224 KiB
  m.sbuf.gpsimd_shares_vector_port = false;
  m.psum.scalar_shares_vector_port = false;
  m.psum.scalar_shares_vector_port_within_bank = true;
  m.access.port_clock_hz = 1.2e9;  // ours: the core's base clock, as on v2

  m.hbm.bytes_per_chip = 103079215104;  // A2: 96 GiB
  m.hbm.stacks_per_chip = 4;
  // A2, H2: 2.9 to 3 TB/s; 8 cores at D1's 368 bytes a ns are within.
  m.hbm.bandwidth_bytes_per_s = 3e12;
  m.hbm.bytes_per_core = 12884901888;         // ours: the chip's over 8 cores
  m.hbm.usable_bytes_per_core = 12800000000;  // ours: trainium1's share of bytes_per_core

  m.dma.engines_per_chip = 128;
  m.dma.bytes_per_ns = 23;  // D1, D2: practical (368 a core)
  m.dma.chip_bytes_per_ns = 3500;
  m.dma.descriptor_ns = 107;  // derived from D2's figure of throughput over row bytes
  m.dma.short_descriptor_ns = 107;
  m.dma.indirect_descriptor_ns = 107;
  m.dma.hardware_dge = true;
  m.dma.hardware_dge_units = 2;
  m.dma.transpose_rate_hbm = 0.9;
  m.dma.transpose_rate_sbuf = 0.5;

  m.link.collective_cores = 20;    // A2; H2 says 16
  m.link.core_bytes_per_ns = 368;  // ours: what the DMA engines of a core move
  m.link.chip_bytes_per_ns = 1280;
  m.link.node_bytes_per_ns = 400;  // ours: a node's network as sold, 3.2 Tbit/s
  return m;
}

// sources() says which of these a page of trainium3 has; all else is trainium2's.
machine_spec trainium3() {
  machine_spec m = trainium2();
  m.name = "trainium3";
  m.core = "NeuronCore-v4";

  m.tensor.fp8_read_elements_per_cycle = 1024;  // A3: 8 x 128, of MXFP8
  m.tensor.background_transposes = 1;
  m.tensor.bf16_results = true;

  m.vector.clock_hz = 1.2e9;
  m.vector.peak_fp32_flops = 1.2e12;
  m.vector.exponential_cycles_per_element = 0.25;
  m.vector.quantize_cycles_per_element = 0.25;
  m.scalar.elements_16bit_per_cycle = 256;
  m.scalar.fast_copy_factor = 2;

  m.sbuf.bytes_per_partition = 262144;  // A3, H3: 256 KiB

  m.hbm.bytes_per_chip = 154618822656;        // A3, H3: 144 GiB
  m.hbm.bandwidth_bytes_per_s = 4.7e12;       // A3; H3 says 4.9
  m.hbm.bytes_per_core = 19327352832;         // ours: the chip's over 8 cores
  m.hbm.usable_bytes_per_core = 19200000000;  // ours: trainium1's share of bytes_per_core

  m.dma.bytes_per_ns = 33;         // D1: practical (528 a core)
  m.dma.peak_bytes_per_ns = 38.3;  // ours: H3's 4.9 TB/s over 128 engines
  m.dma.chip_bytes_per_ns = 4900;

  m.link.core_bytes_per_ns = 528;  // ours: what the DMA engines of a core move
  m.link.chip_bytes_per_ns = 2560;
  m.link.switched = true;
  m.link.node_bytes_per_ns = 320;
  return m;
}

void require_valid(const machine_spec& machine) {
  engine_detail::check_machine(
      machine, [](const std::string& fault) { throw invalid_argument("machine_spec: " + fault); });
}

}  // namespace papilio::engine
