#pragma once

// The one list of a machine's fields: visit_fields(spec, visitor) calls
// visitor(name, number, bounds, facts...), visitor(name, bool, facts...), visitor(name, string) and
// visitor.group(name, struct) for every member, in the order of the struct. Facts are the origins
// of trainium1's value and, where it has another, of trainium2's, and the leeway that documents
// leave. Saving, loading, checking, listing sources and moving fields within their leeway are
// visitors.

#include <concepts>
#include <type_traits>

#include "base/spec_bounds.hpp"
#include "engine/spec_facts.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine {

using base_detail::bounds;
using engine_detail::leeway;
using engine_detail::origin;
namespace limits = base_detail::limits;
using engine_detail::doc;
using engine_detail::fit;
using engine_detail::measured;
using engine_detail::ours;

inline constexpr leeway descriptor_leeway{
    80, 145,
    "78 from a published kernel's rows of 4 bytes, 107 and 145 from D2's figure at the rates of "
    "trainium2 and trainium1",
    "dma.descriptor_ns"};
inline constexpr leeway static_leeway{100, 130, "about 100 by A1 and P1, 130 fitted to profile B1",
                                      "static_cycles"};

/// Fields, const or not.
template <class Fields, class Spec>
concept fields_of = std::same_as<std::remove_const_t<Fields>, Spec>;

template <fields_of<engine::tensor_engine_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("clock_hz", s.clock_hz, limits::rate, doc("A1"), doc("A2"));
  visit("rows", s.rows, limits::partition_count, doc("A1"));
  visit("columns", s.columns, limits::partition_count, doc("A1"));
  visit("read_elements_per_cycle", s.read_elements_per_cycle, limits::count, doc("A1"));
  visit("write_elements_per_cycle", s.write_elements_per_cycle, limits::count, doc("A1"));
  visit("fp8_read_elements_per_cycle", s.fp8_read_elements_per_cycle, limits::count, doc("A1"),
        doc("A2"));
  visit("sparse_read_elements_per_cycle", s.sparse_read_elements_per_cycle, limits::count,
        doc("A1"), doc("A2"));
  visit("stationary_columns_max", s.stationary_columns_max, limits::count, doc("A1, T1"));
  visit("moving_columns_max", s.moving_columns_max, limits::count, doc("A1, T1"));
  visit("min_initiation_cycles", s.min_initiation_cycles, limits::duration, doc("A1"));
  visit("fast_load_cycles_max", s.fast_load_cycles_max, limits::duration, doc("I:nc_matmul"));
  visit("load_speedup_max", s.load_speedup_max, limits::factor, doc("A1"));
  visit("fp32_passes", s.fp32_passes, limits::count, doc("I:nc_matmul"));
  visit("fp32_onezero_passes", s.fp32_onezero_passes, limits::count, doc("I:nc_matmul"));
  visit("fp32_transpose_passes", s.fp32_transpose_passes, limits::count,
        doc("I:nc_transpose, I:nc_matmul"),
        leeway{1, 4,
               "the page's cost names no type; a product with the identity takes 2 passes where it "
               "is flagged, 4 where it is not"});
  visit("transpose_side_max", s.transpose_side_max, limits::count, doc("I:nc_transpose"));
  visit("transpose_mode", s.transpose_mode, doc("A2"));
  visit("transpose_mode_factor", s.transpose_mode_factor, limits::factor, doc("A2"));
  visit("fp8_double_row", s.fp8_double_row, doc("A2"));
  visit("sparse_factor", s.sparse_factor, limits::factor, doc("A2"));
  visit("tile_step", s.tile_step, limits::count, doc("I:nc_matmul"));
  visit("min_tile_rows", s.min_tile_rows, limits::count, doc("I:nc_matmul"));
  visit("throttle_rate", s.throttle_rate, limits::share, ours("none on trainium1"), doc("N2"));
  visit("throttle_idle_ns", s.throttle_idle_ns, limits::duration, ours("none on trainium1"),
        ours("as long as the ramp"));
  visit("throttle_ramp_ns", s.throttle_ramp_ns, limits::duration, ours("none on trainium1"),
        doc("N2"));
  visit("products_rounded", s.products_rounded, ours("A1: fp32 accumulation, and no more"));
}

/// `open_static` and `open_elements`: between what values static_cycles and cycles_per_element lie.
template <class Fields, class Visitor>
  requires std::derived_from<std::remove_const_t<Fields>, engine::lane_engine_spec>
void visit_lane_fields(Fields& s, Visitor&& visit, const origin& of_static,
                       const leeway& open_static, const leeway& open_elements) {
  visit("clock_hz", s.clock_hz, limits::rate, doc("A1"), doc("A2"));
  visit("lanes", s.lanes, limits::count, doc("A1"));
  visit("cycles_per_element", s.cycles_per_element, limits::cost, doc("A1"), open_elements);
  visit("min_cycles", s.min_cycles, limits::duration, doc("I:*"));
  visit("static_cycles", s.static_cycles, limits::duration, of_static, open_static);
  visit("start_cycles", s.start_cycles, limits::duration, doc("I:*"));
  visit("dynamic_min_cycles", s.dynamic_min_cycles, limits::duration,
        doc("I:tensor_copy_dynamic_src, _dst"));
}

template <fields_of<engine::vector_engine_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit_lane_fields(s, visit, fit("profile B1"), static_leeway, {});
  visit("elements_per_cycle", s.elements_per_cycle, limits::rate, doc("A1"), doc("A2"));
  visit("elements_16bit_per_cycle", s.elements_16bit_per_cycle, limits::rate, doc("A1"), doc("A2"));
  visit("peak_fp32_flops", s.peak_fp32_flops, limits::rate, doc("H1"), doc("H2"));
  visit("tensor_tensor_cycles_per_element", s.tensor_tensor_cycles_per_element, limits::cost,
        doc("I:tensor_tensor"));
  visit("fast_tensor_tensor_cycles_per_element", s.fast_tensor_tensor_cycles_per_element,
        limits::cost, doc("I:tensor_tensor"));
  visit("tensor_scalar_cycles_per_element", s.tensor_scalar_cycles_per_element, limits::cost,
        doc("I:tensor_scalar"));
  visit("tensor_copy_cycles_per_element", s.tensor_copy_cycles_per_element, limits::cost,
        doc("I:tensor_copy"));
  visit("scalar_tensor_tensor_cycles_per_element", s.scalar_tensor_tensor_cycles_per_element,
        limits::cost, doc("I:scalar_tensor_tensor"));
  visit("fast_scalar_tensor_tensor_cycles_per_element",
        s.fast_scalar_tensor_tensor_cycles_per_element, limits::cost,
        doc("I:scalar_tensor_tensor"));
  visit("tensor_tensor_scan_cycles_per_element", s.tensor_tensor_scan_cycles_per_element,
        limits::cost, doc("I:tensor_tensor_scan"));
  visit("tensor_reduce_cycles_per_element", s.tensor_reduce_cycles_per_element, limits::cost,
        doc("I:tensor_reduce"));
  visit("fast_tensor_reduce_cycles_per_element", s.fast_tensor_reduce_cycles_per_element,
        limits::cost, doc("I:tensor_reduce"));
  visit("reduce_accumulator_cycles", s.reduce_accumulator_cycles, limits::duration,
        doc("I:tensor_scalar_reduce"));
  visit("copy_predicated_cycles_per_element", s.copy_predicated_cycles_per_element, limits::cost,
        doc("I:tensor_copy_predicated"));
  visit("split_copy_predicated_cycles_per_element", s.split_copy_predicated_cycles_per_element,
        limits::cost, doc("I:tensor_copy_predicated"));
  visit("reciprocal_cycles_per_element", s.reciprocal_cycles_per_element, limits::cost,
        doc("I:reciprocal"));
  visit("memset_cycles_per_element", s.memset_cycles_per_element, limits::cost, doc("I:memset"));
  visit("fast_memset_cycles_per_element", s.fast_memset_cycles_per_element, limits::cost,
        doc("I:memset"));
  visit("range_select_cycles_per_element", s.range_select_cycles_per_element, limits::cost,
        doc("I:range_select"));
  visit("select_reduce_cycles_per_element", s.select_reduce_cycles_per_element, limits::cost,
        ours("two inputs (A1), and a reduction"));
  visit("stream_shuffle_cycles_per_element", s.stream_shuffle_cycles_per_element, limits::cost,
        doc("I:nc_stream_shuffle"));
  visit("shuffle_mask_entries", s.shuffle_mask_entries, limits::count, doc("I:nc_stream_shuffle"));
  visit("shuffle_keep", s.shuffle_keep, bounds{0, 255}, doc("I:nc_stream_shuffle"));
  visit("bn_stats_cycles_per_element", s.bn_stats_cycles_per_element, limits::cost,
        doc("I:bn_stats"));
  visit("bn_stats_elements_max", s.bn_stats_elements_max, limits::count, doc("I:bn_stats"));
  visit("bn_aggr_cycles_per_element", s.bn_aggr_cycles_per_element, limits::cost, doc("I:bn_aggr"));
  visit("dropout_cycles_per_element", s.dropout_cycles_per_element, limits::cost, doc("I:dropout"));
  visit("max8_cycles_per_element", s.max8_cycles_per_element, limits::cost, doc("I:max8"));
  visit("find_index8_cycles_per_element", s.find_index8_cycles_per_element, limits::cost,
        doc("I:nc_find_index8"));
  visit("match_replace8_cycles_per_element", s.match_replace8_cycles_per_element, limits::cost,
        ours("I:nc_match_replace8 prints min(64, N)"));
  visit("transpose_cycles_per_element", s.transpose_cycles_per_element, limits::cost,
        doc("I:nc_transpose"));
  visit("transpose_block", s.transpose_block, limits::count, doc("I:nc_transpose"));
  visit("performance_mode", s.performance_mode, doc("A2"));
  visit("fast_copy_factor", s.fast_copy_factor, limits::factor, doc("A2"));
  visit("half_copy_factor", s.half_copy_factor, limits::factor, doc("A2"));
  visit("fast_tensor_tensor_factor", s.fast_tensor_tensor_factor, limits::factor, doc("A2"));
}

template <fields_of<engine::scalar_engine_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit_lane_fields(s, visit, fit("profile B1"), static_leeway, {});
  visit("peak_fp32_flops", s.peak_fp32_flops, limits::rate, doc("H1"), doc("H2"));
  visit("read_accumulator_cycles", s.read_accumulator_cycles, limits::duration,
        doc("I:activation_reduce, A1"));
  visit("dependent_interval_cycles", s.dependent_interval_cycles, limits::duration, doc("P1"));
}

template <fields_of<engine::gpsimd_engine_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit_lane_fields(s, visit, doc("I:*"), {},
                    {1, 2,
                     "16 lanes of each of 8 processors by A1; that elementwise instructions keep "
                     "them all busy is ours"});
  visit("processors", s.processors, limits::count, doc("A1"));
  visit("partitions_per_processor", s.partitions_per_processor, limits::count, doc("A1"));
  visit("simd_bits", s.simd_bits, limits::count, doc("A1"));
  visit("lanes_32bit", s.lanes_32bit, limits::count, doc("A1"));
  visit("lanes_16bit", s.lanes_16bit, limits::count, doc("A1"));
  visit("lanes_8bit", s.lanes_8bit, limits::count, doc("A1"));
  visit("local_memory_bytes", s.local_memory_bytes, bounds{1, 1073741824}, doc("A1"));
  visit("local_memory_cycles", s.local_memory_cycles, limits::duration, doc("A1"));
  visit("own_dma_bytes_per_ns", s.own_dma_bytes_per_ns, limits::rate_or_none, doc("A2"));
  visit("own_dma_one_way_bytes_per_ns", s.own_dma_one_way_bytes_per_ns, limits::rate_or_none,
        doc("A2"));
  visit("iota_cycles_per_element", s.iota_cycles_per_element, limits::cost, doc("I:iota"));
  visit("affine_select_cycles_per_element", s.affine_select_cycles_per_element, limits::cost,
        doc("I:affine_select"));
  visit("local_gather_index_cycles", s.local_gather_index_cycles, limits::cost,
        doc("I:local_gather"));
  visit("local_gather_element_cycles", s.local_gather_element_cycles, limits::cost,
        doc("I:local_gather"));
  visit("local_gather_word_bytes", s.local_gather_word_bytes, limits::cost, doc("I:local_gather"));
  visit("topk_cycles_per_element", s.topk_cycles_per_element, limits::cost,
        doc("stub of SDK 2.32"));
  visit("topk_cycles_per_result", s.topk_cycles_per_result, limits::cost, doc("stub of SDK 2.32"));
  visit("sequence_bounds_cycles_per_element", s.sequence_bounds_cycles_per_element, limits::cost,
        ours("one input, as iota and affine_select"));
  visit("partition_reduce_cycles_per_element", s.partition_reduce_cycles_per_element, limits::cost,
        ours("N, then 3 pairwise exchanges of N"));
}

template <fields_of<engine::activation_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("sqrt_min", s.sqrt_min, limits::magnitude, doc("nki.api.shared"));
  visit("sqrt_max", s.sqrt_max, limits::magnitude, doc("nki.api.shared"));
  visit("rsqrt_min", s.rsqrt_min, limits::magnitude, doc("nki.api.shared"));
  visit("rsqrt_max", s.rsqrt_max, limits::magnitude, doc("nki.api.shared"));
  visit("reciprocal_min", s.reciprocal_min, limits::magnitude, doc("nki.api.shared"));
  visit("reciprocal_max", s.reciprocal_max, limits::magnitude, doc("nki.api.shared"));
  visit("log_min", s.log_min, limits::magnitude, doc("nki.api.shared"));
  visit("log_max", s.log_max, limits::magnitude, doc("nki.api.shared"));
  visit("sin_max", s.sin_max, limits::magnitude, doc("nki.api.shared"));
  visit("arctan_max", s.arctan_max, limits::magnitude, doc("nki.api.shared"));
}

template <fields_of<engine::sequencer_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("registers", s.registers, limits::count, doc("L:register_alloc"));
  visit("register_bits", s.register_bits, limits::count, doc("L:register_alloc"));
  visit("register_cycles", s.register_cycles, limits::duration,
        ours("the shortest instruction on data"));
}

template <fields_of<engine::sbuf_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("partitions", s.partitions, limits::partition_count, doc("A1"));
  visit("bytes_per_partition", s.bytes_per_partition, limits::byte_count, doc("A1"), doc("A2"));
  visit("alignment_bytes", s.alignment_bytes, limits::byte_count, ours("as nl.buffer does"));
  visit("start_partition_step", s.start_partition_step, limits::count,
        doc("A1, I:nc_stream_shuffle"));
  visit("free_elements_max", s.free_elements_max, limits::byte_count, doc("A1"));
  visit("gpsimd_shares_vector_port", s.gpsimd_shares_vector_port, doc("A1"), doc("A2"));
  visit("bandwidth_bytes_per_s", s.bandwidth_bytes_per_s, limits::rate, doc("M1, approximate"));
}

template <fields_of<engine::psum_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("partitions", s.partitions, limits::partition_count, doc("A1"));
  visit("bytes_per_partition", s.bytes_per_partition, limits::byte_count, doc("A1"));
  visit("banks", s.banks, limits::mask_bits, doc("A1"));
  visit("bank_bytes", s.bank_bytes, limits::byte_count, doc("A1"));
  visit("open_groups_max", s.open_groups_max, limits::count, doc("A1"));
  visit("free_elements_max", s.free_elements_max, limits::byte_count, doc("A1"));
  visit("scalar_shares_vector_port", s.scalar_shares_vector_port, doc("A1"), doc("A2"));
  visit("scalar_shares_vector_port_within_bank", s.scalar_shares_vector_port_within_bank,
        doc("A2"));
  visit("bandwidth_bytes_per_s", s.bandwidth_bytes_per_s, limits::rate, doc("M1, approximate"));
}

template <fields_of<engine::access_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("port_elements_per_cycle", s.port_elements_per_cycle, limits::count, doc("A1"));
  visit("port_clock_hz", s.port_clock_hz, limits::rate, doc("A1"),
        ours("the base clock, as on trainium1"));
  visit("far_stride_bytes", s.far_stride_bytes, limits::byte_count, doc("A1"));
  visit("far_stride_factor", s.far_stride_factor, limits::factor, doc("A1"));
  visit("access_start_cycles", s.access_start_cycles, limits::duration, doc("A1"));
  visit("pattern_dims_max", s.pattern_dims_max, bounds{1, 16}, doc("A1"));
  visit("tile_dims_min", s.tile_dims_min, bounds{1, 16}, ours("what can be asked for"));
  visit("extent_max", s.extent_max, bounds{1, 4294967295.0}, doc("A1"));
  visit("stride_max", s.stride_max, bounds{1, 2147483647.0}, doc("A1"));
  visit("stride_min", s.stride_min, bounds{-2147483648.0, -1}, doc("A1"));
}

template <fields_of<engine::hbm_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("bytes_per_chip", s.bytes_per_chip, limits::byte_count, doc("A1"), doc("A2"));
  visit("stacks_per_chip", s.stacks_per_chip, limits::count, doc("A1"), doc("A2"));
  visit("bandwidth_bytes_per_s", s.bandwidth_bytes_per_s, limits::rate, doc("A1"),
        doc("A2, H2: 2.9 to 3 TB/s"));
  visit("core_bandwidth_bytes_per_s", s.core_bandwidth_bytes_per_s, limits::rate,
        doc("M1, approximate"));
  visit("bytes_per_core", s.bytes_per_core, limits::byte_count, measured("trnblas CHANGELOG 0.5.5"),
        ours("the chip's over 8 cores"));
  visit("usable_bytes_per_core", s.usable_bytes_per_core, limits::byte_count,
        measured("trnblas CHANGELOG 0.5.5"), ours("trainium1's share of bytes_per_core"));
  visit("good_bandwidth_share", s.good_bandwidth_share, limits::share, doc("P1"));
  visit("host_bandwidth_bytes_per_s", s.host_bandwidth_bytes_per_s, limits::rate, doc("M1"));
  visit("host_bytes", s.host_bytes, limits::byte_count, doc("M1"));
}

template <fields_of<engine::dma_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("engines", s.engines, limits::count, doc("A1, D2"));
  visit("engines_per_chip", s.engines_per_chip, limits::count, doc("A1"), doc("A2"));
  visit("queues_per_engine", s.queues_per_engine, limits::mask_bits, doc("D2"));
  visit("rows_per_engine", s.rows_per_engine, limits::count, doc("A1, D2"));
  visit("bytes_per_ns", s.bytes_per_ns, limits::rate, doc("D1"), doc("D1, D2"));
  visit("peak_bytes_per_ns", s.peak_bytes_per_ns, limits::rate, doc("D2"));
  visit("chip_bytes_per_ns", s.chip_bytes_per_ns, limits::rate, doc("H1"), doc("H2"));
  visit("start_ns", s.start_ns, limits::duration, doc("D1"));
  visit("descriptor_ns", s.descriptor_ns, limits::duration,
        fit("78: rows of the butterflies of fft2 1024^2, 80 taken"),
        fit("D2's figure of throughput over row bytes"), descriptor_leeway);
  visit("hardware_dge", s.hardware_dge, doc("A2, D3"));
  visit("hardware_dge_ns", s.hardware_dge_ns, limits::duration, doc("A2, D3"));
  visit("hardware_dge_units", s.hardware_dge_units, limits::count_or_none, doc("A2"));
  visit("software_dge_cycles_per_descriptor", s.software_dge_cycles_per_descriptor,
        limits::duration, ours("64 bytes at 4 a cycle"));
  visit("indirect_descriptor_ns", s.indirect_descriptor_ns, limits::duration,
        ours("as descriptor_ns"), descriptor_leeway);
  visit("semaphore_increment", s.semaphore_increment, limits::count, doc("D2"));
  visit("semaphore_write_bytes", s.semaphore_write_bytes, limits::count, doc("D2"));
  visit("poor_row_bytes", s.poor_row_bytes, limits::byte_count, doc("D1, D2"));
  visit("good_row_bytes", s.good_row_bytes, limits::byte_count, doc("D1, D2"));
  visit("saturating_row_bytes", s.saturating_row_bytes, limits::byte_count, doc("D1, D2"));
  visit("good_transfer_bytes", s.good_transfer_bytes, limits::byte_count, doc("P1, N2"));
  visit("good_utilization", s.good_utilization, limits::share, doc("P1"));
  visit("casts", s.casts, doc("D2"));
  visit("transpose_rate_hbm", s.transpose_rate_hbm, limits::share, doc("P1"), doc("A2, D3: up to"));
  visit("transpose_rate_sbuf", s.transpose_rate_sbuf, limits::share, doc("P1"),
        doc("A2, D3: up to"));
  visit("transpose_partition_multiple", s.transpose_partition_multiple, limits::count,
        doc("A2, D3"));
  visit("transpose_free_multiple", s.transpose_free_multiple, limits::count, doc("A2, D3"));
  visit("hardware_transpose_rows", s.hardware_transpose_rows, limits::count, doc("D3"));
  visit("hardware_transpose_columns", s.hardware_transpose_columns, limits::count, doc("D3"));
  visit("hardware_transpose_bytes", s.hardware_transpose_bytes, limits::count, doc("D3"));
  visit("load_transpose_side_max", s.load_transpose_side_max, limits::count,
        measured("trnfft CHANGELOG 0.15"));
}

template <fields_of<engine::lowering_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("transpose_block_rows", s.transpose_block_rows, limits::count,
        fit("instruction counts of profile B1"));
  visit("transpose_strip_columns", s.transpose_strip_columns, limits::count,
        ours("profile B1 has strips of 112"));
  visit("scalar_reload_gate_bytes", s.scalar_reload_gate_bytes, limits::count_or_none,
        fit("idle time of profile B1"));
  visit("unrolled_tiles_max", s.unrolled_tiles_max, limits::count,
        measured("trnblas CHANGELOG 0.5.5"));
}

template <fields_of<engine::link_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("collective_cores", s.collective_cores, limits::count, doc("H1"), doc("A2"));
  visit("chips_per_node", s.chips_per_node, limits::count, ours("trn1.32xlarge has 16"));
  visit("core_hop_ns", s.core_hop_ns, limits::duration,
        ours("C1: 1 to 2 us; that it is the lower within a chip"));
  visit("chip_hop_ns", s.chip_hop_ns, limits::duration,
        ours("C1: 1 to 2 us; that it is the upper between chips"));
  visit("node_hop_ns", s.node_hop_ns, limits::duration, doc("C1: about"));
  visit("core_bytes_per_ns", s.core_bytes_per_ns, limits::rate,
        ours("what the DMA engines of a core move"));
  visit("chip_bytes_per_ns", s.chip_bytes_per_ns, limits::rate,
        ours("H2's 1280 by the chips' DMA totals"), doc("H2"));
  visit("node_bytes_per_ns", s.node_bytes_per_ns, limits::rate, ours("a node's network as sold"));
}

template <fields_of<engine::threshold_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("full_rate_row_bytes", s.full_rate_row_bytes, limits::byte_count);
  visit("spread_row_bytes_min", s.spread_row_bytes_min, limits::byte_count);
  visit("run_elements_min", s.run_elements_min, limits::count);
  visit("streamed_matrix_bytes", s.streamed_matrix_bytes, limits::byte_count);
  visit("one_stage_points_max", s.one_stage_points_max, limits::stage_points);
  visit("one_product_points_max", s.one_product_points_max, limits::partition_count);
  visit("one_sweep_points_max", s.one_sweep_points_max, limits::sweep_points);
  visit("stage_matrices_max", s.stage_matrices_max, limits::count);
  visit("mixed_lines_min", s.mixed_lines_min, limits::count);
  visit("column_neighbours_min", s.column_neighbours_min, limits::count);
  visit("unequal_factors_max", s.unequal_factors_max, limits::count);
  visit("few_complex_lines_max", s.few_complex_lines_max, limits::count_or_none);
  visit("few_real_lines_max", s.few_real_lines_max, limits::count_or_none);
  visit("few_lines_points_min", s.few_lines_points_min, limits::count);
  visit("resident_points_min", s.resident_points_min, limits::byte_count);
  visit("convolved_points_max", s.convolved_points_max, limits::byte_count);
  visit("paired_points_max", s.paired_points_max, limits::count);
  visit("narrow_transpose_side_max", s.narrow_transpose_side_max, limits::count);
  visit("narrow_transpose_elements_max", s.narrow_transpose_elements_max, limits::count);
  visit("compared_lines_max", s.compared_lines_max, limits::count);
  visit("compared_chirps_max", s.compared_chirps_max, limits::count);
  visit("compared_factor_lines_max", s.compared_factor_lines_max, limits::count);
  visit("short_lines_start_seconds", s.short_lines_start_seconds, limits::duration);
  visit("long_line_start_seconds", s.long_line_start_seconds, limits::duration);
  visit("long_line_seconds_min", s.long_line_seconds_min, limits::duration);
  visit("butterfly_points_max", s.butterfly_points_max, limits::count);
  visit("compensated_butterfly_points_max", s.compensated_butterfly_points_max, limits::count);
  visit("product_group_tiles_max", s.product_group_tiles_max, limits::count);
  visit("triangular_chunk_columns_min", s.triangular_chunk_columns_min, limits::count);
  visit("contraction_tile_elements_max", s.contraction_tile_elements_max, bounds{1, 32767});
  visit("permuted_terms_min", s.permuted_terms_min, limits::count);
  visit("permuted_slowdown_min", s.permuted_slowdown_min, limits::cost);
}

template <fields_of<engine::machine_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("name", s.name);
  visit("core", s.core);
  visit("cores_per_chip", s.cores_per_chip, limits::count, doc("A1"), doc("A2"));
  visit("base_clock_hz", s.base_clock_hz, limits::rate, doc("N1, B1"), doc("N1"));
  visit("semaphore_ns", s.semaphore_ns, limits::duration,
        ours("in no document but as a part of dma.start_ns"),
        leeway{0, 100, "in no document but as a part of dma.start_ns"});
  visit.group("tensor", s.tensor);
  visit.group("vector", s.vector);
  visit.group("scalar", s.scalar);
  visit.group("gpsimd", s.gpsimd);
  visit.group("activation", s.activation);
  visit.group("sequencer", s.sequencer);
  visit.group("sbuf", s.sbuf);
  visit.group("psum", s.psum);
  visit.group("access", s.access);
  visit.group("hbm", s.hbm);
  visit.group("dma", s.dma);
  visit.group("lowering", s.lowering);
  visit.group("link", s.link);
  visit.group("thresholds", s.thresholds);
}

}  // namespace papilio::engine
