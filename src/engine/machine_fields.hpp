#pragma once

// The one list of a machine's fields: visit_fields(spec, visitor) calls
// visitor(name, number, bounds), visitor(name, bool), visitor(name, string) and
// visitor.group(name, struct) for every member, in the order of the struct. Saving, loading and
// checking are visitors.

#include <concepts>
#include <type_traits>

#include "base/spec_bounds.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine {

using base_detail::bounds;
namespace limits = base_detail::limits;

/// Fields, const or not.
template <class Fields, class Spec>
concept fields_of = std::same_as<std::remove_const_t<Fields>, Spec>;

template <fields_of<engine::tensor_engine_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("clock_hz", s.clock_hz, limits::rate);
  visit("rows", s.rows, limits::partition_count);
  visit("columns", s.columns, limits::partition_count);
  visit("read_elements_per_cycle", s.read_elements_per_cycle, limits::count);
  visit("write_elements_per_cycle", s.write_elements_per_cycle, limits::count);
  visit("fp8_read_elements_per_cycle", s.fp8_read_elements_per_cycle, limits::count);
  visit("sparse_read_elements_per_cycle", s.sparse_read_elements_per_cycle, limits::count);
  visit("stationary_columns_max", s.stationary_columns_max, limits::count);
  visit("moving_columns_max", s.moving_columns_max, limits::count);
  visit("min_initiation_cycles", s.min_initiation_cycles, limits::duration);
  visit("fast_load_cycles_max", s.fast_load_cycles_max, limits::duration);
  visit("load_speedup_max", s.load_speedup_max, limits::factor);
  visit("fp32_passes", s.fp32_passes, limits::count);
  visit("fp32_onezero_passes", s.fp32_onezero_passes, limits::count);
  visit("fp32_transpose_passes", s.fp32_transpose_passes, limits::count);
  visit("transpose_side_max", s.transpose_side_max, limits::count);
  visit("transpose_mode", s.transpose_mode);
  visit("transpose_mode_factor", s.transpose_mode_factor, limits::factor);
  visit("fp8_double_row", s.fp8_double_row);
  visit("sparse_factor", s.sparse_factor, limits::factor);
  visit("tile_step", s.tile_step, limits::count);
  visit("min_tile_rows", s.min_tile_rows, limits::count);
  visit("throttle_rate", s.throttle_rate, limits::share);
  visit("throttle_idle_ns", s.throttle_idle_ns, limits::duration);
  visit("throttle_ramp_ns", s.throttle_ramp_ns, limits::duration);
  visit("products_rounded", s.products_rounded);
}

template <class Fields, class Visitor>
  requires std::derived_from<std::remove_const_t<Fields>, engine::lane_engine_spec>
void visit_lane_fields(Fields& s, Visitor&& visit) {
  visit("clock_hz", s.clock_hz, limits::rate);
  visit("lanes", s.lanes, limits::count);
  visit("cycles_per_element", s.cycles_per_element, limits::cost);
  visit("min_cycles", s.min_cycles, limits::duration);
  visit("static_cycles", s.static_cycles, limits::duration);
  visit("start_cycles", s.start_cycles, limits::duration);
  visit("dynamic_min_cycles", s.dynamic_min_cycles, limits::duration);
}

template <fields_of<engine::vector_engine_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit_lane_fields(s, visit);
  visit("elements_per_cycle", s.elements_per_cycle, limits::rate);
  visit("elements_16bit_per_cycle", s.elements_16bit_per_cycle, limits::rate);
  visit("peak_fp32_flops", s.peak_fp32_flops, limits::rate);
  visit("tensor_tensor_cycles_per_element", s.tensor_tensor_cycles_per_element, limits::cost);
  visit("fast_tensor_tensor_cycles_per_element", s.fast_tensor_tensor_cycles_per_element,
        limits::cost);
  visit("tensor_scalar_cycles_per_element", s.tensor_scalar_cycles_per_element, limits::cost);
  visit("tensor_copy_cycles_per_element", s.tensor_copy_cycles_per_element, limits::cost);
  visit("scalar_tensor_tensor_cycles_per_element", s.scalar_tensor_tensor_cycles_per_element,
        limits::cost);
  visit("fast_scalar_tensor_tensor_cycles_per_element",
        s.fast_scalar_tensor_tensor_cycles_per_element, limits::cost);
  visit("tensor_tensor_scan_cycles_per_element", s.tensor_tensor_scan_cycles_per_element,
        limits::cost);
  visit("tensor_reduce_cycles_per_element", s.tensor_reduce_cycles_per_element, limits::cost);
  visit("fast_tensor_reduce_cycles_per_element", s.fast_tensor_reduce_cycles_per_element,
        limits::cost);
  visit("reduce_accumulator_cycles", s.reduce_accumulator_cycles, limits::duration);
  visit("copy_predicated_cycles_per_element", s.copy_predicated_cycles_per_element, limits::cost);
  visit("split_copy_predicated_cycles_per_element", s.split_copy_predicated_cycles_per_element,
        limits::cost);
  visit("reciprocal_cycles_per_element", s.reciprocal_cycles_per_element, limits::cost);
  visit("memset_cycles_per_element", s.memset_cycles_per_element, limits::cost);
  visit("fast_memset_cycles_per_element", s.fast_memset_cycles_per_element, limits::cost);
  visit("range_select_cycles_per_element", s.range_select_cycles_per_element, limits::cost);
  visit("select_reduce_cycles_per_element", s.select_reduce_cycles_per_element, limits::cost);
  visit("stream_shuffle_cycles_per_element", s.stream_shuffle_cycles_per_element, limits::cost);
  visit("shuffle_mask_entries", s.shuffle_mask_entries, limits::count);
  visit("shuffle_keep", s.shuffle_keep, bounds{0, 255});
  visit("bn_stats_cycles_per_element", s.bn_stats_cycles_per_element, limits::cost);
  visit("bn_stats_elements_max", s.bn_stats_elements_max, limits::count);
  visit("bn_aggr_cycles_per_element", s.bn_aggr_cycles_per_element, limits::cost);
  visit("dropout_cycles_per_element", s.dropout_cycles_per_element, limits::cost);
  visit("max8_cycles_per_element", s.max8_cycles_per_element, limits::cost);
  visit("find_index8_cycles_per_element", s.find_index8_cycles_per_element, limits::cost);
  visit("match_replace8_cycles_per_element", s.match_replace8_cycles_per_element, limits::cost);
  visit("transpose_cycles_per_element", s.transpose_cycles_per_element, limits::cost);
  visit("transpose_block", s.transpose_block, limits::count);
  visit("performance_mode", s.performance_mode);
  visit("fast_copy_factor", s.fast_copy_factor, limits::factor);
  visit("half_copy_factor", s.half_copy_factor, limits::factor);
  visit("fast_tensor_tensor_factor", s.fast_tensor_tensor_factor, limits::factor);
}

template <fields_of<engine::scalar_engine_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit_lane_fields(s, visit);
  visit("peak_fp32_flops", s.peak_fp32_flops, limits::rate);
  visit("read_accumulator_cycles", s.read_accumulator_cycles, limits::duration);
  visit("dependent_interval_cycles", s.dependent_interval_cycles, limits::duration);
}

template <fields_of<engine::gpsimd_engine_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit_lane_fields(s, visit);
  visit("processors", s.processors, limits::count);
  visit("partitions_per_processor", s.partitions_per_processor, limits::count);
  visit("simd_bits", s.simd_bits, limits::count);
  visit("lanes_32bit", s.lanes_32bit, limits::count);
  visit("lanes_16bit", s.lanes_16bit, limits::count);
  visit("lanes_8bit", s.lanes_8bit, limits::count);
  visit("local_memory_bytes", s.local_memory_bytes, bounds{1, 1073741824});
  visit("local_memory_cycles", s.local_memory_cycles, limits::duration);
  visit("own_dma_bytes_per_ns", s.own_dma_bytes_per_ns, limits::rate_or_none);
  visit("own_dma_one_way_bytes_per_ns", s.own_dma_one_way_bytes_per_ns, limits::rate_or_none);
  visit("iota_cycles_per_element", s.iota_cycles_per_element, limits::cost);
  visit("affine_select_cycles_per_element", s.affine_select_cycles_per_element, limits::cost);
  visit("local_gather_index_cycles", s.local_gather_index_cycles, limits::cost);
  visit("local_gather_element_cycles", s.local_gather_element_cycles, limits::cost);
  visit("local_gather_word_bytes", s.local_gather_word_bytes, limits::cost);
  visit("topk_cycles_per_element", s.topk_cycles_per_element, limits::cost);
  visit("topk_cycles_per_result", s.topk_cycles_per_result, limits::cost);
  visit("sequence_bounds_cycles_per_element", s.sequence_bounds_cycles_per_element, limits::cost);
  visit("partition_reduce_cycles_per_element", s.partition_reduce_cycles_per_element, limits::cost);
}

template <fields_of<engine::activation_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("sqrt_min", s.sqrt_min, limits::magnitude);
  visit("sqrt_max", s.sqrt_max, limits::magnitude);
  visit("rsqrt_min", s.rsqrt_min, limits::magnitude);
  visit("rsqrt_max", s.rsqrt_max, limits::magnitude);
  visit("reciprocal_min", s.reciprocal_min, limits::magnitude);
  visit("reciprocal_max", s.reciprocal_max, limits::magnitude);
  visit("log_min", s.log_min, limits::magnitude);
  visit("log_max", s.log_max, limits::magnitude);
  visit("sin_max", s.sin_max, limits::magnitude);
  visit("arctan_max", s.arctan_max, limits::magnitude);
}

template <fields_of<engine::sequencer_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("registers", s.registers, limits::count);
  visit("register_bits", s.register_bits, limits::count);
  visit("register_cycles", s.register_cycles, limits::duration);
}

template <fields_of<engine::sbuf_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("partitions", s.partitions, limits::partition_count);
  visit("bytes_per_partition", s.bytes_per_partition, limits::byte_count);
  visit("alignment_bytes", s.alignment_bytes, limits::byte_count);
  visit("start_partition_step", s.start_partition_step, limits::count);
  visit("free_elements_max", s.free_elements_max, limits::byte_count);
  visit("gpsimd_shares_vector_port", s.gpsimd_shares_vector_port);
  visit("bandwidth_bytes_per_s", s.bandwidth_bytes_per_s, limits::rate);
}

template <fields_of<engine::psum_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("partitions", s.partitions, limits::partition_count);
  visit("bytes_per_partition", s.bytes_per_partition, limits::byte_count);
  visit("banks", s.banks, limits::mask_bits);
  visit("bank_bytes", s.bank_bytes, limits::byte_count);
  visit("open_groups_max", s.open_groups_max, limits::count);
  visit("free_elements_max", s.free_elements_max, limits::byte_count);
  visit("scalar_shares_vector_port", s.scalar_shares_vector_port);
  visit("scalar_shares_vector_port_within_bank", s.scalar_shares_vector_port_within_bank);
  visit("bandwidth_bytes_per_s", s.bandwidth_bytes_per_s, limits::rate);
}

template <fields_of<engine::access_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("port_elements_per_cycle", s.port_elements_per_cycle, limits::count);
  visit("port_clock_hz", s.port_clock_hz, limits::rate);
  visit("far_stride_bytes", s.far_stride_bytes, limits::byte_count);
  visit("far_stride_factor", s.far_stride_factor, limits::factor);
  visit("access_start_cycles", s.access_start_cycles, limits::duration);
  visit("pattern_dims_max", s.pattern_dims_max, bounds{1, 16});
  visit("tile_dims_min", s.tile_dims_min, bounds{1, 16});
  visit("extent_max", s.extent_max, bounds{1, 4294967295.0});
  visit("stride_max", s.stride_max, bounds{1, 2147483647.0});
  visit("stride_min", s.stride_min, bounds{-2147483648.0, -1});
}

template <fields_of<engine::hbm_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("bytes_per_chip", s.bytes_per_chip, limits::byte_count);
  visit("stacks_per_chip", s.stacks_per_chip, limits::count);
  visit("bandwidth_bytes_per_s", s.bandwidth_bytes_per_s, limits::rate);
  visit("core_bandwidth_bytes_per_s", s.core_bandwidth_bytes_per_s, limits::rate);
  visit("bytes_per_core", s.bytes_per_core, limits::byte_count);
  visit("usable_bytes_per_core", s.usable_bytes_per_core, limits::byte_count);
  visit("good_bandwidth_share", s.good_bandwidth_share, limits::share);
  visit("host_bandwidth_bytes_per_s", s.host_bandwidth_bytes_per_s, limits::rate);
  visit("host_bytes", s.host_bytes, limits::byte_count);
}

template <fields_of<engine::dma_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("engines", s.engines, limits::count);
  visit("engines_per_chip", s.engines_per_chip, limits::count);
  visit("queues_per_engine", s.queues_per_engine, limits::mask_bits);
  visit("rows_per_engine", s.rows_per_engine, limits::count);
  visit("bytes_per_ns", s.bytes_per_ns, limits::rate);
  visit("peak_bytes_per_ns", s.peak_bytes_per_ns, limits::rate);
  visit("chip_bytes_per_ns", s.chip_bytes_per_ns, limits::rate);
  visit("start_ns", s.start_ns, limits::duration);
  visit("descriptor_ns", s.descriptor_ns, limits::duration);
  visit("hardware_dge", s.hardware_dge);
  visit("hardware_dge_ns", s.hardware_dge_ns, limits::duration);
  visit("hardware_dge_units", s.hardware_dge_units, limits::count_or_none);
  visit("software_dge_cycles_per_descriptor", s.software_dge_cycles_per_descriptor,
        limits::duration);
  visit("indirect_descriptor_ns", s.indirect_descriptor_ns, limits::duration);
  visit("semaphore_increment", s.semaphore_increment, limits::count);
  visit("semaphore_write_bytes", s.semaphore_write_bytes, limits::count);
  visit("poor_row_bytes", s.poor_row_bytes, limits::byte_count);
  visit("good_row_bytes", s.good_row_bytes, limits::byte_count);
  visit("saturating_row_bytes", s.saturating_row_bytes, limits::byte_count);
  visit("good_transfer_bytes", s.good_transfer_bytes, limits::byte_count);
  visit("good_utilization", s.good_utilization, limits::share);
  visit("casts", s.casts);
  visit("transpose_rate_hbm", s.transpose_rate_hbm, limits::share);
  visit("transpose_rate_sbuf", s.transpose_rate_sbuf, limits::share);
  visit("transpose_partition_multiple", s.transpose_partition_multiple, limits::count);
  visit("transpose_free_multiple", s.transpose_free_multiple, limits::count);
  visit("hardware_transpose_rows", s.hardware_transpose_rows, limits::count);
  visit("hardware_transpose_columns", s.hardware_transpose_columns, limits::count);
  visit("hardware_transpose_bytes", s.hardware_transpose_bytes, limits::count);
  visit("load_transpose_side_max", s.load_transpose_side_max, limits::count);
}

template <fields_of<engine::lowering_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("transpose_block_rows", s.transpose_block_rows, limits::count);
  visit("transpose_strip_columns", s.transpose_strip_columns, limits::count);
  visit("scalar_reload_gate_bytes", s.scalar_reload_gate_bytes, limits::count_or_none);
  visit("unrolled_tiles_max", s.unrolled_tiles_max, limits::count);
}

template <fields_of<engine::link_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("collective_cores", s.collective_cores, limits::count);
  visit("chips_per_node", s.chips_per_node, limits::count);
  visit("core_hop_ns", s.core_hop_ns, limits::duration);
  visit("chip_hop_ns", s.chip_hop_ns, limits::duration);
  visit("node_hop_ns", s.node_hop_ns, limits::duration);
  visit("core_bytes_per_ns", s.core_bytes_per_ns, limits::rate);
  visit("chip_bytes_per_ns", s.chip_bytes_per_ns, limits::rate);
  visit("node_bytes_per_ns", s.node_bytes_per_ns, limits::rate);
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
  visit("cores_per_chip", s.cores_per_chip, limits::count);
  visit("base_clock_hz", s.base_clock_hz, limits::rate);
  visit("semaphore_ns", s.semaphore_ns, limits::duration);
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
