// FFT of one long line in SBUF.
//   factors    n = a b (h s): j = ((a b) (h s)), s = 128 the array's side, h = 1 or 2
//   layout     loaded with (plane, a) on partitions and (b, h, s) along the free axis; a is
//              transformed with the data stationary, so that s comes to partitions; b by transpose
//              and product; then all twiddle factors w_n^(h s, k_ab) from a table; h is a sum and a
//              difference; s stays on partitions and is transformed with the matrix stationary,
//              so that rows of the output leave whole: k = k_ab + a b (k_h + h k_s)
//   bound      DMA: input, output, as much again of twiddle factors and n / 4 bytes of matrices
#include "kernels/fft/resident.hpp"

#include <algorithm>
#include <optional>

#include "kernels/fft/error_model.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/run_pass.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

struct line_factorization {
  std::int64_t a = 0, b = 0, halves = 1, side = 128;
  std::int64_t outputs() const { return a * b; }  // of the first part

  auto fields() const { return std::tie(a, b, halves, side); }
};

struct resident_transforms {
  std::int64_t outer = 1, n = 1;
  bool inverse = false;
  double scale = 1;
  line_factorization factors = {};

  auto fields() const { return std::tie(outer, n, inverse, scale, factors); }
  std::string describe() const {
    return base_detail::message("resident: ", factors.a, " x ", factors.b, " x ",
                                factors.halves > 1 ? "2 x " : "", factors.side, " points, ", outer,
                                outer > 1 ? " lines one after the other" : " line");
  }
  resident_transforms without_batch() const { return {0, n, inverse, scale, factors}; }
};

std::optional<line_factorization> factorization_of(std::int64_t n, const machine_spec& machine) {
  const std::int64_t side = machine.tensor.rows;
  for (const std::int64_t halves : {1, 2}) {
    if (n % (halves * side) != 0) continue;
    const auto radices = radices_of(n / (halves * side), side / 2, side / 2);
    if (radices.size() == 2) return line_factorization{radices[0], radices[1], halves, side};
  }
  return std::nullopt;
}

// Over a and b, with the rest as lanes; lines stay.
fft_pass first_part(std::int64_t n, const line_factorization& factors, bool inverse) {
  const std::int64_t lanes = n / factors.outputs();
  fft_pass p;
  p.name = "columns of " + std::to_string(factors.outputs()) + " that stay";
  p.entry = orientation::columns;
  p.exit = orientation::rows;
  p.lanes = lanes;
  p.in.plane = n;
  p.in.lane = 1;
  p.out.plane = factors.outputs();
  p.digits = {{factors.a, 0, 1, 0}, {factors.b, 0, factors.a, 1}};
  p.in.digits = {factors.b * lanes, lanes};
  p.out.digits = {1, factors.a};
  p.inverse = inverse;
  p.twiddle_order = n;
  p.stays = true;
  return p;
}

// Over the lanes; the matrices of k_h have its twiddle factors w_256^(s k_h).
struct last_part {
  std::vector<fft_digit> digits;
  fft_stage stage;
};

last_part last_part_of(const line_factorization& factors) {
  last_part p;
  p.digits = {{factors.side, 0, factors.halves, 0}};
  p.stage = plan_stage(p.digits, 0, {0, {{0, factors.side, 1, 1}}}, factors.side, true);
  std::vector<std::vector<std::int64_t>> sums;
  for (std::int64_t k = 0; k < factors.halves; ++k) sums.push_back({k});
  number_variants(p.digits, p.stage, sums);
  return p;
}

/// Sums and differences of the halves, products over partitions, rows out.
class leaving_rows {
 public:
  leaving_rows(core& nc, const line_factorization& factors, const fft_stage& before,
               const last_part& part, const hbm_view& out, std::int64_t plane, std::int64_t offset,
               const tile_view& matrices, tile_pool& banks, std::int64_t bank)
      : nc_(nc),
        factors_(factors),
        before_(before),
        part_(part),
        out_(out),
        plane_(plane),
        offset_(offset),
        matrices_(matrices),
        banks_(banks),
        bank_(bank),
        halves_(nc.sbuf_pool(factors.halves > 1 ? 4 : 1, int(factors.side),
                             factors.halves > 1 ? 2 * bank : 1)),
        rows_(nc.sbuf_pool(4, int(factors.side), 2 * bank)) {}

  void issue(const std::vector<tile_view>& lines) {
    const std::int64_t most = std::max<std::int64_t>(1, bank_ / factors_.a);
    for (std::int64_t first = 0; first < factors_.b; first += most) {
      const std::int64_t count = std::min(most, factors_.b - first);
      if (factors_.halves == 1) {
        leave(lines[0], first * shared(), before_.reals() / 2, before_.reals(), 0, first, count);
        continue;
      }
      // Both in the order of the lines, which the products then read as the output wants it.
      const std::int64_t run = count * shared(), groups = factors_.a / shared();
      const auto part = [&](const tile_view& line) {
        return line.pattern(first * shared(),
                            {{2, before_.reals() / 2}, {groups, before_.reals()}, {run, 1}});
      };
      for (std::int64_t k = 0; k < 2; ++k) {
        const tile_view half = halves_.next();
        nc_.issue(tensor_tensor{.out = half.columns(0, 2 * groups * run),
                                .left = part(lines[0]),
                                .right = part(lines[1]),
                                .op = k == 0 ? alu_op::add : alu_op::subtract,
                                .on = k == 0 ? unit::gpsimd : unit::vector});
        leave(half, 0, groups * run, run, k, first, count);
      }
    }
  }

 private:
  std::int64_t shared() const { return before_.shared.extent; }

  // Outputs [first, first + count) of b, all of a, of half k: element (plane, group, b, shared) of
  // `data` is at offset + plane * plane_step + group * group_step + b * shared + its column.
  void leave(const tile_view& data, std::int64_t offset, std::int64_t plane_step,
             std::int64_t group_step, std::int64_t half, std::int64_t first, std::int64_t count) {
    const fft_stage& s = part_.stage;
    const std::int64_t variant = s.variants.at({half}), width = count * factors_.a;
    const tile_view bank = banks_.next(), rows = rows_.next();
    for (int plane = 0; plane < 2; ++plane)
      for (int piece = 0; piece < 2; ++piece)
        nc_.issue(
            matmul{.out = bank.columns(plane * bank_, width),
                   .stationary = matrices_.columns(
                       variant * s.matrix_columns() + piece * s.reals() + plane * factors_.side,
                       factors_.side),
                   .moving = data.pattern(
                       offset + piece * plane_step,
                       {{count, shared()}, {factors_.a / shared(), group_step}, {shared(), 1}}),
                   .accumulate = piece > 0});
    const auto both = [&](const tile_view& tile) {
      return tile.pattern(0, {{2, bank_}, {width, 1}});
    };
    evacuate(nc_, both(rows), both(bank));
    const std::int64_t outputs = factors_.outputs();
    nc_.issue(dma_copy{
        .out = out_.pattern(offset_ + half * outputs + first * factors_.a,
                            {{factors_.side, factors_.halves * outputs}, {2, plane_}, {width, 1}}),
        .in = both(rows)});
  }

  core& nc_;
  const line_factorization& factors_;
  const fft_stage& before_;
  const last_part& part_;
  hbm_view out_;
  std::int64_t plane_, offset_;
  tile_view matrices_;
  tile_pool& banks_;
  std::int64_t bank_;
  tile_pool halves_, rows_;
};

}  // namespace

bool resident_fits(std::int64_t n, const machine_spec& machine) {
  const auto factors = factorization_of(n, machine);
  if (!factors) return false;
  fft_pass first = first_part(n, *factors, false);
  try {
    plan_pass(first, machine);
  } catch (const resource_error&) {
    return false;  // sweeps over HBM serve
  }
  return true;
}

fft_step resident_step(std::int64_t outer, std::int64_t n, bool inverse, double scale,
                       const machine_spec& machine) {
  const line_factorization factors = *factorization_of(n, machine);
  fft_pass first = first_part(n, factors, inverse);
  first.in.plane = outer * n;
  plan_pass(first, machine);
  const last_part last = last_part_of(factors);
  const std::int64_t columns =
      std::int64_t(last.stage.variants.size()) * last.stage.matrix_columns();
  fft_step step{.design = design_of(resident_transforms{outer, n, inverse, scale, factors}),
                .tables = tables_of(first),
                .in_elements = 2 * outer * n,
                .out_elements = 2 * outer * n};
  kernels::constant_table matrix;
  matrix.name = "last stage";
  matrix.shape.extents = {factors.side, columns};
  matrix.fill = [last, inverse, scale](std::span<float> out) {
    fill_matrices(last.digits, last.stage, inverse, scale, {}, {}, out);
  };
  step.tables.push_back(std::move(matrix));
  step.squared_error = squared_error(first) + squared_error_of(last.stage, {}) +
                       (factors.halves > 1 ? rounding_squared_error() : 0);
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out,
                 std::span<const hbm_view> tables) {
    for (std::int64_t line = 0; line < outer; ++line) {
      fft_pass part = first;
      part.offset = line * n;
      pass_run run(nc, part, in, out, tables.first(tables.size() - 1));
      run.issue();
      run.release_input();
      const tile matrices = nc.sbuf(int(factors.side), columns);
      nc.issue(dma_copy{.out = matrices.whole(), .in = tables.back()});
      leaving_rows(nc, factors, part.stages.back(), last, out, outer * n, line * n, matrices,
                   run.banks(), first.bank)
          .issue(run.lines());
    }
  };
  return step;
}

}  // namespace papilio::kernels_detail
