#pragma once

// This part of the field list in machine_fields.hpp describes engines and their sequencers.

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

inline constexpr leeway static_leeway{
    50, 130,
    "about 100 by A1 and P1; 50 by the scalar engine of NKIBench's bmm, active for 1718 us; 130 by "
    "the vector engine of B1, active for 206 ms",
    "static_cycles"};

// With fewer columns a product, a program would be so many instructions that its dry run takes minutes.
inline constexpr bounds product_columns{64, 65536};

/// Fields, const or not.
template <class Fields, class Spec>
concept fields_of = std::same_as<std::remove_const_t<Fields>, Spec>;

template <fields_of<engine::tensor_engine_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("clock_hz", s.clock_hz, limits::rate, doc("A1"), doc("A2"), doc("A3"));
  visit("rows", s.rows, limits::partition_count, doc("A1"), doc("A2"), doc("A3"));
  visit("columns", s.columns, limits::partition_count, doc("A1"), doc("A2"), doc("A3"));
  visit("read_elements_per_cycle", s.read_elements_per_cycle, limits::count, doc("A1"), doc("A2"),
        doc("A3"));
  visit("write_elements_per_cycle", s.write_elements_per_cycle, limits::count, doc("A1"), doc("A2"),
        doc("A3"));
  visit("fp8_read_elements_per_cycle", s.fp8_read_elements_per_cycle, limits::count, doc("A1"),
        doc("A2"), doc("A3: MXFP8; 2 x 128 of other fp8"));
  visit("sparse_read_elements_per_cycle", s.sparse_read_elements_per_cycle, limits::count,
        doc("A1"), doc("A2"), doc("A3"));
  visit("stationary_columns_max", s.stationary_columns_max, product_columns, doc("A1, T1"),
        doc("A1, T1"), doc("K:nc_matmul"));
  visit(
      "moving_columns_max", s.moving_columns_max, product_columns, doc("A1, T1"), doc("A1, T1"),
      ours("a bank of fp32, twice that in bf16; K:nc_matmul lets an instruction cross banks, up to "
           "4096 and 8192"));
  visit("min_initiation_cycles", s.min_initiation_cycles, limits::duration, doc("A1"));
  visit("fast_load_cycles_max", s.fast_load_cycles_max, limits::duration, doc("I:nc_matmul"));
  visit("load_speedup_max", s.load_speedup_max, limits::factor, doc("A1"));
  visit(
      "exposed_load_cycles", s.exposed_load_cycles, limits::duration,
      fit("NKIBench's transpose_matmul and step 5 of autocomp's ladder: all of the load"),
      doc("A2: behind the multiply before"),
      leeway{64, 82,
             "64 is all of I:nc_matmul's load; 82 by step 5 of autocomp's ladder of products, "
             "6.96 ms, and by AccelOpt's transpose_matmul, 9.36 ms, if they wait for nothing else"},
      leeway{0, 50,
             "0 by A2; 50 by a product of 2048^3 on trn2, 240 us (nki-autotune), if it waits for "
             "nothing else"});
  visit("fp32_passes", s.fp32_passes, limits::count, doc("I:nc_matmul"), doc("I:nc_matmul"),
        doc("A3: 20 TFLOPS of 79; H3 has 183 of a chip's 671"));
  visit("fp32_onezero_passes", s.fp32_onezero_passes, limits::count, doc("I:nc_matmul"),
        doc("I:nc_matmul"), doc("K:nc_matmul"));
  visit("fp32_transpose_passes", s.fp32_transpose_passes, limits::count,
        doc("I:nc_transpose, I:nc_matmul"),
        leeway{2, 4,
               "the page's cost names no type; a product with the identity takes 2 passes where it "
               "is flagged, 4 where it is not; 1 would be below NKIBench's add_rmsnorm_matmul less "
               "rmsnorm_matmul, 606 cycles each of 768 transposes"});
  visit("transpose_side_max", s.transpose_side_max, limits::count, doc("I:nc_transpose"));
  visit("transpose_mode", s.transpose_mode, doc("A2"), doc("A2"), doc("K:nc_matmul"));
  visit("transpose_mode_factor", s.transpose_mode_factor, limits::factor, doc("A2"));
  visit("background_transposes", s.background_transposes, limits::count_or_none,
        ours("none before trainium3"), ours("none before trainium3"), doc("A3"), leeway{0, 0},
        leeway{1, 0, "A3: close to twice the rate in long chains, where the hardware chooses to"});
  visit("bf16_results", s.bf16_results, doc("K:nc_matmul"), doc("K:nc_matmul"),
        doc("A3, K:nc_matmul"));
  visit("fp8_double_row", s.fp8_double_row, doc("A2"), doc("A2"), doc("K:nc_matmul"));
  visit("sparse_factor", s.sparse_factor, limits::factor, doc("A2"), doc("A2"), doc("H3"));
  visit("tile_step", s.tile_step, limits::count, doc("I:nc_matmul"));
  visit("min_tile_rows", s.min_tile_rows, limits::count, doc("I:nc_matmul"), doc("I:nc_matmul"),
        doc("K:nc_matmul"));
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
  visit("clock_hz", s.clock_hz, limits::rate, doc("A1"), doc("A2"), doc("A3"));
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
  visit_lane_fields(s, visit, doc("A1, P1: about"), static_leeway, {});
  visit("elements_per_cycle", s.elements_per_cycle, limits::rate, doc("A1"), doc("A2"), doc("A3"));
  visit("elements_16bit_per_cycle", s.elements_16bit_per_cycle, limits::rate, doc("A1"), doc("A2"),
        doc("A3"));
  visit("peak_fp32_flops", s.peak_fp32_flops, limits::rate, doc("H1"), doc("H2"), doc("A3, H3"));
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
  visit("cumulative_cycles_per_element", s.cumulative_cycles_per_element, limits::cost,
        ours("one input, as tensor_scalar"),
        leeway{1, 2, "1 by its one input, 2 as tensor_tensor_scan"});
  visit("tensor_reduce_cycles_per_element", s.tensor_reduce_cycles_per_element, limits::cost,
        doc("I:tensor_reduce"));
  visit("fast_tensor_reduce_cycles_per_element", s.fast_tensor_reduce_cycles_per_element,
        limits::cost, doc("I:tensor_reduce"));
  visit("exponential_cycles_per_element", s.exponential_cycles_per_element, limits::duration,
        doc("K:exponential: none"), doc("K:exponential: none"),
        doc("A3, H3: four times the scalar engine's rate"));
  visit("quantize_cycles_per_element", s.quantize_cycles_per_element, limits::duration,
        doc("K:quantize_mx: none"), doc("K:quantize_mx: none"), doc("A3: four elements a cycle"));
  visit("reduce_accumulator_cycles", s.reduce_accumulator_cycles, limits::duration,
        doc("I:tensor_scalar_reduce"));
  visit("copy_predicated_cycles_per_element", s.copy_predicated_cycles_per_element, limits::cost,
        doc("I:tensor_copy_predicated"));
  visit("split_copy_predicated_cycles_per_element", s.split_copy_predicated_cycles_per_element,
        limits::cost, doc("I:tensor_copy_predicated"));
  visit("reciprocal_cycles_per_element", s.reciprocal_cycles_per_element, limits::cost,
        fit("the vector engine's time in NKIBench's silu, 2.4, and swiglu, 2.9"),
        leeway{
            2.4, 8,
            "2.4 by NKIBench's silu, whose vector engine is active for 985 us; 8 by I:reciprocal"});
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
  visit("performance_mode", s.performance_mode, doc("A2"), doc("A2"), doc("A3"));
  visit("fast_copy_factor", s.fast_copy_factor, limits::factor, doc("A2"));
  visit("half_copy_factor", s.half_copy_factor, limits::factor, doc("A2"));
  visit("fast_tensor_tensor_factor", s.fast_tensor_tensor_factor, limits::factor, doc("A2"));
}

template <fields_of<engine::scalar_engine_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit_lane_fields(s, visit, doc("A1, P1: about"), static_leeway, {});
  visit("peak_fp32_flops", s.peak_fp32_flops, limits::rate, doc("H1"), doc("H2"), doc("A3, H3"));
  visit("read_accumulator_cycles", s.read_accumulator_cycles, limits::duration,
        doc("I:activation_reduce, A1"));
  visit("elements_16bit_per_cycle", s.elements_16bit_per_cycle, limits::rate, doc("A1"), doc("A2"),
        doc("A3"));
  visit("fast_copy_factor", s.fast_copy_factor, limits::factor, ours("none before trainium3"),
        ours("none before trainium3"), doc("A3: up to"));
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
  visit("gather_group_elements", s.gather_group_elements, limits::count, doc("K:nc_n_gather"));
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

}  // namespace papilio::engine
