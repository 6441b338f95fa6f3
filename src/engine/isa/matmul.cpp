#include "papilio/engine/isa/tensor_engine.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/systolic.hpp"
#include "engine/storage.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

bool is_zeros_and_ones(std::span<const float> values) {
  return std::ranges::all_of(values, [](float v) { return v == 0 || v == 1; });
}

bool is_zeros_and_ones(const tile_view& view, instruction_run& run) {
  row_access rows(run);
  for (int k = 0; k < view.partitions(); ++k)
    if (!is_zeros_and_ones({rows.read(0, view, k), std::size_t(view.elements())})) return false;
  return true;
}

std::vector<float> packed(const tile_view& view, instruction_run& run) {
  const auto columns = std::size_t(view.elements());
  std::vector<float> values(columns * std::size_t(view.partitions()));
  row_access rows(run);
  for (int k = 0; k < view.partitions(); ++k)
    std::copy_n(rows.read(0, view, k), columns, values.data() + std::size_t(k) * columns);
  if (view.type() == dtype::tf32)  // tf32 is stored as fp32, whose low bits may be set
    for (float& v : values) v = round_to(dtype::tf32, v);
  return values;
}

double passes(const matmul& i, const tensor_engine_spec& tensor) {
  if (i.moving.type() != dtype::fp32) return 1;
  return i.onezero ? tensor.fp32_onezero_passes : tensor.fp32_passes;
}

// Whether the first level of a pattern is the two halves of the contraction.
bool has_two_halves(const tile_view& view) {
  return view.dims().size() > 1 && view.dims()[0].extent == 2;
}

void check_double_row(const checker& check, const matmul& i) {
  check.that(check.machine().tensor.fp8_double_row, "double_row", "is not had by ",
             check.machine().core);
  for (const auto& [name, view] : {std::pair("stationary", &i.stationary), {"moving", &i.moving}}) {
    check.that(is_fp8(view->type()), name, "must be fp8 in double rows, is ",
               to_string(view->type()));
    check.that(has_two_halves(*view), name,
               "must have 2 as the first extent of its pattern in double rows: ", *view);
  }
}

}  // namespace

void matmul::validate(const checker& check) const {
  const tensor_engine_spec& tensor = check.machine().tensor;
  check.at_most("moving", "partitions (the contraction)", moving.partitions(), tensor.rows);
  check.that((stationary.type() == dtype::fp32) == (moving.type() == dtype::fp32), "moving", "is ",
             to_string(moving.type()), ", stationary is ", to_string(stationary.type()),
             ": fp32 multiplies only fp32");
  check.that(!onezero || moving.type() == dtype::fp32, "onezero", "is for fp32, operands are ",
             to_string(moving.type()));
  const auto is_ocp = [](const tile_view& view) { return view.type() == dtype::fp8_e4m3fn; };
  const auto is_older = [](const tile_view& view) { return view.type() == dtype::fp8_e4m3; };
  if (is_ocp(stationary) || is_ocp(moving)) check.keeps(isa_rule::ocp_fp8_products);
  check.that(!(is_ocp(stationary) && is_older(moving)) && !(is_older(stationary) && is_ocp(moving)),
             "moving", "is ", to_string(moving.type()), ", stationary is ",
             to_string(stationary.type()), ": the two do not multiply each other");
  if (row_tiled) check_row_tile(check, stationary, moving);
  if (column_tiled) {
    check.that(!double_row, "column_tiled", "goes with no double_row");
    const int columns = tensor.min_tile_rows;
    check.at_most("stationary", "free size in a column tile", stationary.elements(),
                  std::int64_t(columns));
    check.at_most("out", "last partition (a column of the array)",
                  out.partition() + out.partitions(), tensor.columns);
    check.that(out.partition() % columns + out.partitions() <= columns, "out",
               "must lie within one of the array's tiles of ", columns, " columns: ", out);
  }
  if (double_row) check_double_row(check, *this);
  const std::int64_t halves = double_row ? 2 : 1;
  check_result(check, out, stationary.elements() / halves, moving.elements() / halves);
}

instruction_cost matmul::cost(const machine_spec& machine) const {
  const tensor_engine_spec& tensor = machine.tensor;
  const double halves = double_row ? 2 : 1, k = halves * double(stationary.partitions()),
               m = double(stationary.elements()) / halves, n = double(moving.elements()) / halves;
  const double each = passes(*this, tensor);
  // A cell of the array multiplies two rows of fp8 at once: a contraction of 256 takes the time of
  // one of 128. The profile weighs all products of fp8 by that rate.
  const bool is_fast = tensor.fp8_double_row && is_fp8(moving.type()) && is_fp8(stationary.type());
  return {.cycles = std::max(n, tensor.min_initiation_cycles) * each,
          .load_cycles = std::min(tensor.fast_load_cycles_max, m) * each,
          .row_tile = row_tiled ? moving.partition() / tensor.min_tile_rows : -1,
          .column_tile = column_tiled ? out.partition() / tensor.min_tile_rows : -1,
          .multiply_adds = k * m * n,
          .passes = is_fast ? each / 2 : each};
}

void matmul::execute(instruction_run& run) const {
  const std::vector<float> rows = packed(stationary, run);
  run.check().that(!onezero || is_zeros_and_ones(rows) || is_zeros_and_ones(moving, run), "onezero",
                   "neither stationary nor moving holds only zeros and ones");
  std::vector<float> columns;
  const float* from;
  std::size_t pitch;
  if (moving.type() == dtype::fp32 && is_dense(moving)) {
    from = reinterpret_cast<const float*>(address(moving, 0));
    pitch = moving.storage()->pitch_bytes / sizeof(float);
  } else {
    columns = packed(moving, run);
    from = columns.data();
    pitch = std::size_t(moving.elements());
  }
  // The rows of a partition's two halves follow each other.
  const std::size_t halves = double_row ? 2 : 1;
  multiply_into(out,
                {.stationary = rows.data(),
                 .moving = from,
                 .moving_pitch = pitch / halves,
                 .depth = halves * std::size_t(stationary.partitions()),
                 .m = std::size_t(stationary.elements()) / halves,
                 .n = std::size_t(moving.elements()) / halves},
                accumulate, run);
}

}  // namespace papilio::engine

namespace papilio::engine_detail {

using namespace engine;

void check_row_tile(const checker& check, const tile_view& stationary, const tile_view& moving) {
  const int rows = check.machine().tensor.min_tile_rows;
  check.at_most("moving", "partitions of a row tile", moving.partitions(), rows);
  check.that(moving.partition() % rows + moving.partitions() <= rows, "moving",
             "must lie within one of the array's tiles of ", rows, " rows: ", moving);
  check.at_most("moving", "last partition (a row of the array)",
                moving.partition() + moving.partitions(), check.machine().tensor.rows);
  check.equal("stationary", "first partition (as moving, of a row tile)", stationary.partition(),
              moving.partition());
}

void check_result(const checker& check, const tile_view& out, std::int64_t m, std::int64_t n) {
  const tensor_engine_spec& tensor = check.machine().tensor;
  check.at_most("stationary", "free size", m, std::int64_t(tensor.stationary_columns_max));
  const bool in_bf16 = tensor.bf16_results && out.type() == dtype::bf16;
  check.at_most("moving", "free size", n,
                std::int64_t(tensor.moving_columns_max) * (in_bf16 ? 2 : 1));
  check.that(in_bf16 || out.type() == dtype::fp32, "out", "must be fp32",
             tensor.bf16_results ? " or bf16" : "", " on ", check.machine().core, ", is ",
             to_string(out.type()));
  check.equal("out", "partitions (free size of stationary)", std::int64_t(out.partitions()), m);
  check.equal("out", "elements a partition (free size of moving)", out.elements(), n);
  check.that(is_dense(out), "out", "must lie in one run: ", out);
  require_in_one_bank(check, "out", out);
}

namespace {

// A sum meets what PSUM holds in fp32, and the result is rounded (A3).
void leave_rounded(const tile_view& out, std::vector<float>& sums, bool accumulate,
                   instruction_run& run) {
  const auto n = std::size_t(out.elements());
  row_access rows(run);
  for (int p = 0; p < out.partitions(); ++p) {
    float* const sum = sums.data() + std::size_t(p) * n;
    if (accumulate) {
      const float* const held = rows.read(0, out, p);
      for (std::size_t j = 0; j < n; ++j) sum[j] += held[j];
    }
    rows.commit(out, p, sum);
  }
}

}  // namespace

void multiply_into(const tile_view& out, const systolic_operands& p, bool accumulate,
                   instruction_run& run) {
  const bool in_bf16 = out.type() == dtype::bf16;
  std::vector<float> sums(in_bf16 ? p.m * p.n : 0);
  float* const to = in_bf16 ? sums.data() : reinterpret_cast<float*>(address(out, 0));
  const std::size_t out_pitch = in_bf16 ? p.n : out.storage()->pitch_bytes / sizeof(float);
  // Blocks of columns are independent, so that the sums do not depend on the number of threads.
  constexpr std::size_t together = 128;
  run.for_each((p.n + together - 1) / together, std::int64_t(p.depth * p.m * p.n / 8),
               [&](std::size_t b) {
                 const std::size_t j = b * together;
                 multiply({p.stationary, p.moving + j, p.moving_pitch, to + j, out_pitch, p.depth,
                           p.m, std::min(together, p.n - j), accumulate && !in_bf16,
                           run.machine().tensor.products_rounded});
               });
  if (in_bf16) leave_rounded(out, sums, accumulate, run);
}

}  // namespace papilio::engine_detail
