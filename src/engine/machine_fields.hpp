#pragma once

// The one list of a machine's fields: visit_fields(spec, visitor) calls
// visitor(name, number, bounds, facts...), visitor(name, bool, facts...), visitor(name, string) and
// visitor.group(name, struct) for every member, in the order of the struct. Facts are the origins
// of trainium1's value, of trainium2's where it has another, and of trainium3's where a page of its
// own has one, and the leeway that documents leave. Saving, loading, checking, listing sources and moving fields within their leeway are
// visitors.

#include "engine/engine_fields.hpp"

namespace papilio::engine {

template <fields_of<engine::sbuf_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("partitions", s.partitions, limits::partition_count, doc("A1"));
  visit("bytes_per_partition", s.bytes_per_partition, limits::byte_count, doc("A1"), doc("A2"),
        doc("A3, H3"));
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
  visit("bytes_per_partition", s.bytes_per_partition, limits::byte_count, doc("A1"), doc("A2"),
        doc("A3"));
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
        ours("the base clock, as on trainium1"), ours("the base clock, as on trainium1"));
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
  visit("bytes_per_chip", s.bytes_per_chip, limits::byte_count, doc("A1"), doc("A2"),
        doc("A3, H3"));
  visit("stacks_per_chip", s.stacks_per_chip, limits::count, doc("A1"), doc("A2"), doc("A3"));
  visit("bandwidth_bytes_per_s", s.bandwidth_bytes_per_s, limits::rate, doc("A1"),
        doc("A2, H2: 2.9 to 3 TB/s"), doc("A3; H3 says 4.9 TB/s"), leeway{820e9, 820e9},
        leeway{3e12, 3e12}, leeway{4.9e12, 4.7e12, "4.7 TB/s by A3, 4.9 by H3"});
  visit("core_bandwidth_bytes_per_s", s.core_bandwidth_bytes_per_s, limits::rate,
        doc("M1, approximate"));
  visit("bytes_per_core", s.bytes_per_core, limits::byte_count, measured("trnblas CHANGELOG 0.5.5"),
        ours("the chip's over 8 cores"), ours("the chip's over 8 cores"));
  visit("usable_bytes_per_core", s.usable_bytes_per_core, limits::byte_count,
        measured("trnblas CHANGELOG 0.5.5"), ours("trainium1's share of bytes_per_core"),
        ours("trainium1's share of bytes_per_core"));
  visit("good_bandwidth_share", s.good_bandwidth_share, limits::share, doc("P1"));
  visit("host_bandwidth_bytes_per_s", s.host_bandwidth_bytes_per_s, limits::rate, doc("M1"));
  visit("host_bytes", s.host_bytes, limits::byte_count, doc("M1"));
}

template <fields_of<engine::dma_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("engines", s.engines, limits::count, doc("A1, D2"), doc("A2, D2"), doc("D1"));
  visit("engines_per_chip", s.engines_per_chip, limits::count, doc("A1"), doc("A2"), doc("A3"));
  visit("queues_per_engine", s.queues_per_engine, limits::mask_bits, doc("D2"));
  visit("rows_per_engine", s.rows_per_engine, limits::count, doc("A1, D2"));
  visit("bytes_per_ns", s.bytes_per_ns, limits::rate, doc("D1"), doc("D1, D2"), doc("D1"),
        leeway{18.4, 16.4,
               "294 GB/s in AccelOpt's silu of 4096 x 7168 in 798 us, 263 in NKIBench's matmul of "
               "4096 x 5120 x 12288 in 35.2 ms"},
        leeway{23, 23});
  visit("peak_bytes_per_ns", s.peak_bytes_per_ns, limits::rate, doc("D2"), doc("D2"),
        ours("H3's chip over its 128 engines, as D2's figure is on trainium2"));
  visit("chip_bytes_per_ns", s.chip_bytes_per_ns, limits::rate, doc("H1"), doc("H2"), doc("H3"));
  visit(
      "start_ns", s.start_ns, limits::duration, doc("D1"), doc("D1"), doc("D1"),
      leeway{900, 1300,
             "1300 by D1, about; 900 by NKIBench's rope, 4.33 ms, whose vector engine waits 2.4 us "
             "a turn for its loads"});
  visit("descriptor_ns", s.descriptor_ns, limits::duration,
        fit("steps 0, 2 and 3 of autocomp's ladder of products, rows of 256 bytes: 20 to 32"),
        fit("D2's figure of throughput over row bytes"),
        leeway{20, 73,
               "20 by step 0 of autocomp's ladder of products, 21.0 ms; 73 by its step 1, 28.7 ms"},
        leeway{20, 107, "20 by trainium1's rows, 107 by D2's figure"});
  visit("short_descriptor_ns", s.short_descriptor_ns, limits::duration,
        fit("78: rows of the butterflies of fft2 1024^2, 80 taken"),
        fit("D2's figure of throughput over row bytes"),
        leeway{71, 104,
               "71 by trnfft's fftn of 32 x 64 x 64, 70.2 ms; 104 by its 128 transforms of 1024, "
               "59.1 ms"},
        leeway{71, 145, "71 by trainium1's rows, 145 by D2's figure at trainium1's rate"});
  visit("short_row_bytes", s.short_row_bytes, limits::byte_count,
        ours("a burst of HBM; rows of 4 bytes and of 256 are measured"));
  visit("hardware_dge", s.hardware_dge, doc("A2, D3"));
  visit("hardware_dge_ns", s.hardware_dge_ns, limits::duration, doc("A2, D3"));
  visit("hardware_dge_units", s.hardware_dge_units, limits::count_or_none, doc("A2"));
  visit("software_dge_cycles_per_descriptor", s.software_dge_cycles_per_descriptor,
        limits::duration, ours("64 bytes at 4 a cycle"));
  visit("indirect_descriptor_ns", s.indirect_descriptor_ns, limits::duration,
        ours("as a short row"), leeway{27, 80, "27 as rows of 256 bytes, 80 as those of 4"},
        leeway{27, 145, "as short_descriptor_ns, or as a long row of trainium1"});
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
  visit("compute_rate", s.compute_rate, limits::share, doc("A3: before it 50 %"),
        doc("A3: before it 50 %"),
        ours("as before; A3's SBUF that adds at the rate of copies has no NKI call"));
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
  visit("unrolled_tiles_max", s.unrolled_tiles_max, bounds{1, 2147483647.0},
        measured("8192^3 by the vendor's kernel: awslabs/nki-autotune, issue 25"));
}

template <fields_of<engine::link_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("collective_cores", s.collective_cores, limits::count, doc("H1"), doc("A2"),
        doc("A3; H3 says 16"), leeway{6, 6}, leeway{20, 16, "20 by A2 and A3, 16 by H2 and H3"});
  visit("chips_per_node", s.chips_per_node, limits::count, ours("trn1.32xlarge has 16"),
        ours("trn2.48xlarge has 16"),
        doc("H3: a server of the first UltraServer; 4 of the second"));
  visit("core_hop_ns", s.core_hop_ns, limits::duration,
        ours("C1: 1 to 2 us; that it is the lower within a chip"));
  visit("chip_hop_ns", s.chip_hop_ns, limits::duration,
        ours("C1: 1 to 2 us; that it is the upper between chips"));
  visit("node_hop_ns", s.node_hop_ns, limits::duration, doc("C1: about"));
  visit("core_bytes_per_ns", s.core_bytes_per_ns, limits::rate,
        ours("what the DMA engines of a core move"), ours("what the DMA engines of a core move"),
        ours("what the DMA engines of a core move"));
  visit("chip_bytes_per_ns", s.chip_bytes_per_ns, limits::rate,
        ours("H2's 1280 by the chips' DMA totals"), doc("H2"), doc("H3: of a chip, all its links"),
        leeway{366, 366}, leeway{1280, 1280},
        leeway{2560, 256, "2560 of a chip's NeuronLink, 256 by the switch of a sled, both of H3"});
  visit("switched", s.switched, ours("a ring"), ours("a ring"), doc("H3"));
  visit("node_bytes_per_ns", s.node_bytes_per_ns, limits::rate, ours("a node's network as sold"),
        ours("a node's network as sold"), doc("H3: the switch between a rack's servers"));
}

template <fields_of<engine::threshold_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("full_rate_row_bytes", s.full_rate_row_bytes, limits::byte_count);
  visit("spread_row_bytes_min", s.spread_row_bytes_min, limits::byte_count);
  visit("run_elements_min", s.run_elements_min, limits::count);
  visit("one_stage_points_max", s.one_stage_points_max, limits::stage_points);
  visit("one_sweep_points_max", s.one_sweep_points_max, limits::sweep_points);
  visit("mixed_lines_min", s.mixed_lines_min, limits::count);
  visit("column_neighbours_min", s.column_neighbours_min, limits::count);
  visit("own_digits_lines_max", s.own_digits_lines_max, limits::count_or_none);
  visit("few_lines_points_min", s.few_lines_points_min, limits::count);
  visit("convolved_points_max", s.convolved_points_max, limits::byte_count);
  visit("narrow_transpose_side_max", s.narrow_transpose_side_max, limits::count);
  visit("narrow_transpose_elements_max", s.narrow_transpose_elements_max, limits::count);
  visit("compared_lines_max", s.compared_lines_max, limits::count);
  visit("compared_chirps_max", s.compared_chirps_max, limits::count);
  visit("compared_factor_lines_max", s.compared_factor_lines_max, limits::count);
  visit("long_line_start_seconds", s.long_line_start_seconds, limits::duration);
  visit("long_line_seconds_min", s.long_line_seconds_min, limits::duration);
  visit("butterfly_points_max", s.butterfly_points_max, limits::count);
  visit("compensated_butterfly_points_max", s.compensated_butterfly_points_max, limits::count);
  visit("stft_row_segments_max", s.stft_row_segments_max, limits::count);
  visit("shared_transpose_segments_min", s.shared_transpose_segments_min, limits::count);
  visit("vector_run_elements_max", s.vector_run_elements_max, limits::count);
  visit("product_group_tiles_max", s.product_group_tiles_max, limits::count);
  visit("triangular_chunk_columns_min", s.triangular_chunk_columns_min, limits::count);
  visit("contraction_tile_elements_max", s.contraction_tile_elements_max, bounds{1, 32767});
  visit("permuted_terms_min", s.permuted_terms_min, limits::count);
  visit("permuted_slowdown_min", s.permuted_slowdown_min, limits::cost);
  visit("chained_seconds_max", s.chained_seconds_max, limits::duration);
}

template <fields_of<engine::machine_spec> Fields, class Visitor>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("name", s.name);
  visit("core", s.core);
  visit("cores_per_chip", s.cores_per_chip, limits::count, doc("A1"), doc("A2"), doc("A3, H3"));
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
