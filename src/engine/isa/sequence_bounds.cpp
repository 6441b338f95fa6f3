#include "papilio/engine/isa/gpsimd_engine.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/number_codec.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

bool is_wide(dtype type) { return type == dtype::fp32 || type == dtype::int32; }

// Returns the end of the run of equal neighbours that begins at `begin`.
std::size_t run_end(std::span<const std::int32_t> row, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < row.size() && row[end] == row[begin]) ++end;
  return end;
}

}  // namespace

void sequence_bounds::validate(const checker& check) const {
  check.that(is_wide(in.type()), "in", "must be int32 or fp32, is ", to_string(in.type()));
  check.that(is_wide(out.type()), "out", "must be int32 or fp32, is ", to_string(out.type()));
  check.equal("out", "elements a partition (twice in's)", out.elements(), 2 * in.elements());
}

instruction_cost sequence_bounds::cost(const machine_spec& machine) const {
  return {.cycles = double(in.elements()) * machine.gpsimd.sequence_bounds_cycles_per_element};
}

void sequence_bounds::execute(instruction_run& run) const {
  const auto n = std::size_t(in.elements());
  run.for_each_partition(in.partitions(), in.elements(), [&](int p, row_access& rows) {
    std::vector<std::int32_t> segments(n), bounds(2 * n);
    if (in.type() == dtype::int32) {
      std::copy_n(rows.read_bits(0, in, p), n, segments.begin());
    } else {
      const float* const from = rows.read(0, in, p);
      for (std::size_t i = 0; i < n; ++i) segments[i] = int32_codec::narrow(from[i]);
    }
    for (std::size_t begin = 0; begin < n;) {
      const std::size_t end = run_end(segments, begin);
      const bool padding = segments[begin] == 0;
      for (std::size_t i = begin; i < end; ++i) {
        bounds[i] = std::int32_t(padding ? n : begin);
        bounds[n + i] = padding ? -1 : std::int32_t(end);
      }
      begin = end;
    }
    if (out.type() == dtype::int32) return rows.commit_bits(out, p, bounds.data());
    float* const result = rows.scratch(1, 2 * n);
    std::copy(bounds.begin(), bounds.end(), result);
    rows.commit(out, p, result);
  });
}

}  // namespace papilio::engine
