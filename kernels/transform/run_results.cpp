// Multiplies the operands of a unit, and copies the results out of PSUM to their places.
#include <algorithm>

#include "kernels/transform/transform_run.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

operand_parts transform_run::data_of(const unit_operand& operand, const operand_piece& piece,
                                     std::int64_t number, std::int64_t batch) const {
  const std::int64_t first = (operand.first + number) * operand.width;
  return {operand.tile.partition_range(0, int(piece.rows)),
          piece.mirrored ? first + batch - 1 : first, operand.part_columns, batch,
          piece.mirrored ? -1 : 1};
}

operand_parts transform_run::matrix_of(const product_unit& u, const unit_operand& operand,
                                       std::int64_t product, std::int64_t piece, int rows) const {
  const tile_view& matrix = operand.matrix;
  return {matrix.partition_range(0, rows),
          operand.matrix_shift + u.matrices[std::size_t(product)] + piece * u.matrix_step,
          matrix.elements() / operands_.parts, u.columns};
}

// Whether sums of one product each go to tiles of the operands' type as they are: rounded in PSUM,
// they have the bits that a copy would round them to.
bool transform_run::rounds_in_psum(std::size_t s, const product_unit& u) const {
  return !is_last(s) && u.pieces_each == 1 && !stages_[s].scattered && !adds_up(s);
}

void transform_run::multiply(const item& it, std::size_t s, const product_unit& u,
                             const unit_operand& operand, std::int64_t run, const tile_place& to,
                             const tile_view& factors) {
  const line_overlap& overlap = stages_[s].overlap;
  const std::int64_t batch = adds_up(s) ? it.sums : batch_of(it, run), width = u.columns;
  tile_view bank = banks_.next().partition_range(0, int(batch));
  if (rounds_in_psum(s, u)) bank = bank.as(kept_type_);
  for (std::int64_t i = 0; i < u.products; ++i)
    for (std::int64_t b = 0; b < std::max<std::int64_t>(1, overlap.parts); ++b)
      for (std::int64_t p = 0; p < u.pieces_each; ++p) {
        const std::int64_t number = i * u.pieces_each + p;
        const operand_piece& piece = u.pieces[std::size_t(number)];
        operand_parts data = data_of(operand, piece, number, batch),
                      matrix = matrix_of(u, operand, i, p, int(piece.rows));
        if (adds_up(s)) {
          data.first += overlap.parts - 1 - b;
          data.stride = overlap.step;
          matrix.first += b * u.part_step;
        }
        multiply_parts(nc_, bank.columns(bank_place(i, width, bank_), width), operands_.parts, data,
                       matrix, b + p > 0);
      }
  const tile_view sums = bank.columns(0, u.products * width);
  if (factors.empty())
    leave(stages_[s], to, u, sums);
  else if (adds_up(s))
    leave_with_weights(to, u, sums, factors);
  else
    leave_with_factors(to, u, sums, factors);
}

void transform_run::multiply_to_points(std::int64_t item, const product_unit& u,
                                       const unit_operand& operand) {
  const std::int64_t batch = items_[std::size_t(item)].batch;
  const tile_view bank = banks_.next().partition_range(0, int(u.columns)),
                  results = results_->next().partition_range(0, int(u.columns));
  for (std::int64_t i = 0; i < u.products; ++i)
    for (std::int64_t p = 0; p < u.pieces_each; ++p) {
      const std::int64_t number = i / u.products_each * u.pieces_each + p;
      const operand_piece& piece = u.pieces[std::size_t(number)];
      multiply_parts(nc_, bank.columns(bank_place(i, batch, bank_), batch), operands_.parts,
                     matrix_of(u, operand, i, p, int(piece.rows)),
                     data_of(operand, piece, number, batch), p > 0);
    }
  if (!u.ordered.empty())
    copy_in_order(u, results, bank, batch);
  else
    for (std::int64_t next = 0, i = 0; i < u.products; i = next) {
      for (next = i + 1; next < u.products; ++next)
        if (bank_place(next, batch, bank_) != bank_place(next - 1, batch, bank_) + batch) break;
      evacuate(nc_, results.columns(i * batch, (next - i) * batch),
               bank.columns(bank_place(i, batch, bank_), (next - i) * batch));
    }
  ports_.store(item, u, results.columns(0, u.products * batch));
}

// Copies results out of PSUM; mirrored ones get their lines in descending order.
void transform_run::copy_in_order(const product_unit& u, const tile_view& results,
                                  const tile_view& bank, std::int64_t batch) {
  const std::int64_t step = u.products > 1 ? bank_place(1, batch, bank_) : batch;
  for (const ordered_rows& t : u.ordered)
    evacuate(nc_,
             results.partition_range(int(t.partition), int(t.rows))
                 .columns(t.slot * batch, t.slots * batch),
             bank.partition_range(int(t.partition), int(t.rows))
                 .pattern(bank_place(t.slot, batch, bank_) + (t.mirrored ? batch - 1 : 0),
                          {{t.slots, step}, {batch, t.mirrored ? -1 : 1}}));
}

void transform_run::leave(const transform_stage& stage, const tile_place& to, const product_unit& u,
                          const tile_view& sums) {
  if (!stage.scattered) {
    for (const result_copy& c : u.copies)
      evacuate(nc_, to.tile.pattern(to.column + c.to, c.to_levels),
               sums.pattern(c.from, c.from_levels));
    return;
  }
  const tile_view results =
      staging_->next().partition_range(0, sums.partitions()).columns(0, sums.elements());
  if (stage.squared)
    nc_.issue(activation{.out = results, .in = sums, .function = activation_function::square});
  else
    evacuate(nc_, results, sums);
  for (const result_copy& c : u.copies) {
    const tile_view out = to.tile.pattern(to.column + c.to, c.to_levels),
                    in = results.pattern(c.from, c.from_levels);
    if (stage.squared)
      nc_.issue(tensor_tensor{
          .out = out, .left = in, .right = results.pattern(c.from + c.partner, c.from_levels)});
    else
      nc_.issue(tensor_copy{.out = out, .in = in, .on = unit::vector});
  }
}

void transform_run::leave_with_weights(const tile_place& to, const product_unit& u,
                                       const tile_view& sums, const tile_view& weights) {
  for (const result_copy& c : u.copies)
    nc_.issue(tensor_tensor{.out = to.tile.pattern(to.column + c.to, c.to_levels),
                            .left = sums.pattern(c.from, c.from_levels),
                            .right = weights.pattern(c.to, c.to_levels),
                            .op = alu_op::multiply});
}

// Computes (re + i im) (c + i s) of results in PSUM, where an operand costs the vector engine
// nothing: re s and im s go to a second tile, re c and im c overwrite the results, then both are
// added.
void transform_run::leave_with_factors(const tile_place& to, const product_unit& u,
                                       const tile_view& sums, const tile_view& factors) {
  const tile_view aside =
      asides_->next().partition_range(0, sums.partitions()).columns(0, sums.elements());
  const std::int64_t half = u.columns / 2;
  const auto of_both_planes = [&](std::int64_t offset) {
    return factors.pattern(offset, {{u.products, u.columns}, {2, 0}, {half, 1}});
  };
  nc_.issue(tensor_tensor{
      .out = aside, .left = sums, .right = of_both_planes(half), .op = alu_op::multiply});
  nc_.issue(
      tensor_tensor{.out = sums, .left = sums, .right = of_both_planes(0), .op = alu_op::multiply});
  const std::int64_t plane = to.tile.elements() / 2;
  for (const result_copy& c : u.copies)
    for (int of = 0; of < 2; ++of)
      nc_.issue(tensor_tensor{.out = to.tile.pattern(to.column + of * plane + c.to, c.to_levels),
                              .left = sums.pattern(c.from + of * c.partner, c.from_levels),
                              .right = aside.pattern(c.from + (1 - of) * c.partner, c.from_levels),
                              .op = of == 0 ? alu_op::subtract : alu_op::add});
}

}  // namespace papilio::kernels_detail
