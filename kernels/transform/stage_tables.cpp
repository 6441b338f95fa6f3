// Fills the table in HBM of a stage's matrices: a coefficient for each pair of operand row and
// result column.
#include <algorithm>
#include <memory>
#include <optional>

#include "kernels/table.hpp"
#include "kernels/transform/stage_compiler.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

// Bundles whose elements agree but for lines, points left and rows of other axes share a matrix.
std::int64_t stage_compiler::matrix_of(const group_bundle& b, std::int64_t& columns) {
  std::vector<std::int64_t> key;
  const auto ordinal = [&](const transform_element& e) {
    return std::ranges::lower_bound(b.groups, group_of(e)) - b.groups.begin();
  };
  const std::int64_t aside = f_.rows_of_axes_before(t_);
  const bool of_points = t_ == 0 && !f_.point_factors.empty(),
             of_bins = t_ + 1 == f_.stages() && !f_.bin_factors.empty();
  for (const auto* elements : {&b.in, &b.out}) {
    const bool forward_in = (elements == &b.in) != f_.transposed;
    for (const placed_element& p : *elements)
      key.insert(key.end(), {of_bins ? p.what.k : p.what.k / aside,
                             !forward_in && !returns_ ? 0
                             : of_points              ? p.what.j
                                                      : p.what.j / left_,
                             ordinal(p.what) * 4 + p.what.plane * 2 + p.mirrored, p.column});
    key.push_back(-1);
  }
  for (const operand_piece& p : b.pieces) key.push_back(p.rows);
  const auto [found, fresh] = numbers_.emplace(std::move(key), matrices_.size());
  if (fresh) {
    stage_matrix m{.rows = b.in,
                   .columns = b.out,
                   .piece_rows = {},
                   .column = columns,
                   .width = b.slots * b.columns};
    for (const operand_piece& p : b.pieces) m.piece_rows.push_back(p.rows);
    columns += std::ssize(b.pieces) * m.width;
    matrices_.push_back(std::move(m));
  }
  return matrices_[found->second].column;
}

kernels::constant_table stage_compiler::table(const transform_stage& stage) {
  const std::int64_t columns = stage.table_columns, rotations = stage.rotations,
                     renewed = stage.renewed, before = stage.varies ? f_.rows_before : 1;
  std::int64_t rows = 1;
  for (const stage_matrix& m : matrices_)
    for (const std::int64_t r : m.piece_rows) rows = std::max(rows, r);
  const auto matrices = std::make_shared<std::vector<stage_matrix>>(std::move(matrices_));
  return table_of(
      base_detail::message("stage ", f_.transposed ? f_.stages() - t_ : t_ + 1, " of ",
                           f_.describe()),
      rows, columns * rotations * before,
      [=, f = f_, t = t_, array_rows = array_rows_, from_hbm = loads_points_,
       to_hbm = stores_points_, returns = returns_](const table_writer& table) {
        std::optional<round_trip_coefficient> round_trip;
        if (returns) round_trip.emplace(f);
        for (std::int64_t of = 0; of < before; ++of) {
          const stage_coefficient coefficient(f, t, of);
          // Mirrored numbers are conjugates: imaginary parts change their sign.
          const auto value = [&](const placed_element& r, const placed_element& c) {
            const bool is_negative = (from_hbm && r.mirrored && r.what.plane == 1) !=
                                     (to_hbm && c.mirrored && c.what.plane == 1);
            const double w = round_trip     ? (*round_trip)(r.what, c.what)
                             : f.transposed ? coefficient(c.what, r.what)
                                            : coefficient(r.what, c.what);
            return is_negative ? -w : w;
          };
          for (const stage_matrix& m : *matrices) {
            for (const placed_element& r : m.rows) {
              const std::int64_t piece = r.column / array_rows, row = r.column % array_rows,
                                 count = m.piece_rows[std::size_t(piece)],
                                 first = of * columns * rotations + m.column + piece * m.width;
              for (const placed_element& c : m.columns)
                for (std::int64_t v = 0; v < rotations; ++v)
                  table.put((row + v * renewed) % count, v * columns + first + c.column,
                            value(r, c));
            }
          }
        }
      },
      o_.operands);
}

}  // namespace papilio::kernels_detail
