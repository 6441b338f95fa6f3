// A stage of one product for each partition, summed over pieces of the array's rows.
#include <algorithm>
#include <utility>

#include "kernels/ceil_div.hpp"
#include "kernels/table.hpp"
#include "kernels/transform/groups.hpp"
#include "kernels/transform/patterns.hpp"

namespace papilio::kernels_detail {

using engine::machine_spec;

std::int64_t product_columns_max(const machine_spec& machine) {
  return std::min<std::int64_t>(machine.psum.bank_bytes / 4, machine.tensor.moving_columns_max);
}

transform_stage product_stage(std::string name, std::int64_t elements, std::int64_t results,
                              std::vector<float> weights, const array_operands& operands,
                              const machine_spec& machine) {
  const std::int64_t array_rows = machine.tensor.rows, bank = product_columns_max(machine),
                     pieces = ceil_div(elements, array_rows);
  transform_stage stage{
      .out_columns = results, .table_columns = pieces * results, .points = elements};
  for (std::int64_t at = 0; at < results; at += bank) {
    product_unit u{.is_continued = at > 0,
                   .products = 1,
                   .pieces_each = pieces,
                   .columns = std::min(bank, results - at),
                   .matrices = {at},
                   .matrix_step = results};
    for (std::int64_t e = 0; e < elements; e += array_rows) {
      const std::int64_t rows = std::min(array_rows, elements - e);
      u.pieces.push_back({e, rows, {{rows, 1}}});
    }
    u.copies.push_back({at, 0, {{u.columns, 1}}, {{u.columns, 1}}});
    stage.units.push_back(std::move(u));
  }
  stage.table = table_of(
      std::move(name), std::min(array_rows, elements), stage.table_columns,
      [elements, results, array_rows, weights = std::move(weights)](const table_writer& table) {
        for (std::int64_t e = 0; e < elements; ++e)
          for (std::int64_t r = 0; r < results; ++r)
            table.put(e % array_rows, e / array_rows * results + r,
                      double(weights[std::size_t(r * elements + e)]));
      },
      operands);
  return stage;
}

std::int64_t bank_place(std::int64_t index, std::int64_t width, std::int64_t bank_columns) {
  const std::int64_t each = bank_columns / width;
  return index / each * bank_columns + index % each * width;
}

std::vector<result_copy> copies_between(std::span<const std::int64_t> to,
                                        std::span<const std::int64_t> from,
                                        std::size_t levels_max) {
  std::vector<result_copy> copies;
  for (std::size_t begin = 0; begin < to.size();) {
    // Where results are not next to each other, another run begins.
    std::size_t end = begin + 1;
    while (end < to.size() && from[end] == from[end - 1] + 1) ++end;
    const std::span<const std::int64_t> part = to.subspan(begin, end - begin);
    for (const address_run& run : runs_of(part, part.size(), levels_max)) {
      result_copy c{.to = part[run.first],
                    .from = from[begin + run.first],
                    .to_levels = run.levels,
                    .from_levels = run.levels};
      std::int64_t unit = 1;
      for (std::size_t l = c.from_levels.size(); l-- > 0; unit *= c.from_levels[l].extent)
        c.from_levels[l].stride = unit;
      c.partner = std::int64_t(part.size());
      copies.push_back(std::move(c));
    }
    begin = end;
  }
  return copies;
}

}  // namespace papilio::kernels_detail
