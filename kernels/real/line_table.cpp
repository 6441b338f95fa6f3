// The tables of the stages of a line_program.
#include <algorithm>
#include <map>

#include "kernels/real/line_program.hpp"
#include "kernels/table.hpp"

namespace papilio::kernels_detail {

using engine::pattern_dim;

namespace {

// body(place) of all that a pattern has, in its order.
template <class Body>
void for_each_place(std::int64_t at, std::span<const pattern_dim> dims, const Body& body) {
  if (dims.empty()) return body(at);
  for (std::int64_t i = 0; i < dims[0].extent; ++i)
    for_each_place(at + i * dims[0].stride, dims.subspan(1), body);
}

std::vector<std::int64_t> places_of(std::int64_t at, std::span<const pattern_dim> dims) {
  std::vector<std::int64_t> places;
  for_each_place(at, dims, [&](std::int64_t place) { places.push_back(place); });
  return places;
}

// Where results of a unit go, by their columns; -1: nowhere.
std::vector<std::int64_t> result_places(const line_unit& u) {
  std::vector<std::int64_t> results(u.groups.size() * std::size_t(u.columns), -1);
  for (const line_copy& c : u.copies) {
    const std::vector<std::int64_t> from = places_of(c.from, c.from_dims),
                                    to = places_of(c.to, c.to_dims);
    for (std::size_t i = 0; i < from.size(); ++i) results[std::size_t(from[i])] = to[i];
  }
  return results;
}

void fill_table(const line_stage& stage, const table_writer& table) {
  const line_stage::coefficients coefficient = stage.matrix();
  std::vector<bool> filled(std::size_t(stage.table_columns), false);
  for (const line_unit& u : stage.units) {
    const std::vector<std::int64_t> results = result_places(u);
    for (std::size_t g = 0; g < u.groups.size(); ++g) {
      std::int64_t at = u.groups[g].column;
      if (filled[std::size_t(at)]) continue;
      filled[std::size_t(at)] = true;
      for (const line_piece& piece : u.groups[g].pieces) {
        const std::vector<std::int64_t> rows = places_of(piece.offset, piece.dims);
        for (std::size_t r = 0; r < rows.size(); ++r)
          for (std::int64_t c = 0; c < u.columns; ++c)
            if (const std::int64_t to = results[g * std::size_t(u.columns) + std::size_t(c)];
                to >= 0)
              table.put(std::int64_t(r), at + c, coefficient(rows[r], to));
        at += u.columns;
      }
    }
  }
}

}  // namespace

void lay_out_table(line_stage& stage) {
  stage.table_rows = stage.table_columns = 0;
  std::map<std::int64_t, std::int64_t> columns;
  for (const line_unit& u : stage.units)
    for (const line_group& g : u.groups) {
      columns[g.matrix] = std::int64_t(g.pieces.size()) * u.columns;
      for (const line_piece& p : g.pieces) stage.table_rows = std::max(stage.table_rows, p.rows());
    }
  for (auto& [number, width] : columns)
    stage.table_columns += std::exchange(width, stage.table_columns);
  for (line_unit& u : stage.units)
    for (line_group& g : u.groups) g.column = columns[g.matrix];
}

kernels::constant_table table_of(std::shared_ptr<const line_stage> stage, std::string name) {
  return table_of(std::move(name), stage->table_rows, stage->table_columns,
                  [stage](const table_writer& table) { fill_table(*stage, table); });
}

}  // namespace papilio::kernels_detail
