#include "kernels/products/product_workspace.hpp"

#include <algorithm>

#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

product_tiles::product_tiles(workspace& w, const k_part& k, const panel& rows,
                             const product_place& place)
    : w_(w),
      k_(k),
      panel_(rows),
      at_(place),
      turned_(w.tiling.turned),
      has_epilogue_(w.problem.has_epilogue()),
      moving_columns_(turned_ ? place.rows : place.count) {
  const std::int64_t all = turned_ ? place.count : place.rows;
  for (std::int64_t i = 0; i < all; i += w.tiling.side) open(i, std::min(w.tiling.side, all - i));
}

// Of a triangle only the columns that its blocks have in these rows.
void product_tiles::open(std::int64_t first, std::int64_t extent) {
  open_tile tile{.sums = {}, .first = first, .extent = extent, .from = 0, .count = moving_columns_};
  if (w_.problem.part) {
    const std::int64_t row = row_of(first);
    if (!touches(w_.problem, row, extent, at_.j, at_.count)) return;
    if (*w_.problem.part == kernels::triangle::lower)
      tile.count = std::min(at_.count, row + extent - at_.j);
    else
      tile.from = std::max<std::int64_t>(0, row - at_.j);
    tile.count -= tile.from;
  }
  tile.sums = w_.sums.next().partition_range(0, int(extent));
  open_.push_back(tile);
}

void product_tiles::multiply(std::int64_t t, const tile_view& block) {
  const product_form form = w_.problem.form;
  const int depth = int(k_.rows_of(t, w_.tiling.side));
  const tile_view rows = block.partition_range(0, depth);
  const auto left = [&](std::int64_t plane) {
    return panel_.stationary(at_.group, t, plane, 0, at_.rows);
  };
  const auto right = [&](std::int64_t plane) {
    return rows.columns(plane * w_.tiling.width + at_.c, at_.count);
  };
  // On gpsimd, where nothing that waits for products is in the way.
  tile_view combined, left_sum;
  if (form != product_form::real)
    combined = w_.moving_sums.next().partition_range(0, depth).columns(0, at_.count);
  if (form == product_form::four_products)
    w_.nc.issue(tensor_scalar{.out = combined,
                              .in = right(1),
                              .op0 = alu_op::multiply,
                              .operand0 = -1.0F,
                              .on = unit::gpsimd});
  if (form == product_form::three_products) {
    left_sum = w_.stationary_sums.next().partition_range(0, depth).columns(0, at_.rows);
    w_.nc.issue(
        tensor_tensor{.out = combined, .left = right(0), .right = right(1), .on = unit::gpsimd});
    w_.nc.issue(
        tensor_tensor{.out = left_sum, .left = left(0), .right = left(1), .on = unit::gpsimd});
  }
  for (const open_tile& tile : open_) {
    const auto add = [&](std::int64_t bank, const tile_view& a, const tile_view& b, bool onto) {
      w_.nc.issue(matmul{.out = tile.sums.columns(bank * w_.bank_columns, tile.count),
                         .stationary = (turned_ ? b : a).columns(tile.first, tile.extent),
                         .moving = (turned_ ? a : b).columns(tile.from, tile.count),
                         .accumulate = onto});
    };
    add(0, left(0), right(0), t > 0);
    if (form == product_form::four_products) {
      add(1, left(0), right(1), t > 0);
      add(0, left(1), combined, true);
      add(1, left(1), right(0), true);
    } else if (form == product_form::three_products) {
      add(1, left(1), right(1), t > 0);
      add(2, left_sum, combined, t > 0);
    }
  }
}

void product_tiles::finish(const tile_view& bias) {
  if (turned_) return finish_turned(bias);
  for (const open_tile& tile : open_) finish_straight(tile, bias);
}

// A tile as [planes, columns]; where there is an epilogue as [columns].
tile_view product_tiles::lanes(tile_pool& pool, const window& at) const {
  const tile_view rows = pool.next().partition_range(0, int(at.rows));
  if (has_epilogue_) return rows.columns(0, at.count);
  return rows.reshape({w_.problem.planes(), w_.tiling.columns}).columns(0, at.count);
}

tile_view product_tiles::loaded(const hbm_view& tensor, const window& at) {
  const tile_view tile = lanes(w_.addends, at);
  w_.nc.issue(dma_copy{.out = tile, .in = part_of(tensor, at)});
  return tile;
}

tile_view product_tiles::bias_of(workspace& w, const k_part& k, std::int64_t j,
                                 std::int64_t count) {
  // An epilogue adds it to the whole sum.
  const bool has_epilogue = w.problem.has_epilogue();
  if (!w.problem.biased || (has_epilogue ? k.first + k.depth < w.problem.k : k.first > 0))
    return {};
  const tile_view tile =
      has_epilogue
          ? w.biases.next().columns(0, count)
          : w.addends.next().reshape({w.problem.planes(), w.tiling.columns}).columns(0, count);
  w.nc.issue(dma_copy{.out = tile, .in = w.operands.bias.slice(1, j, count).repeat(w.tiling.side)});
  return tile;
}

// The sums as they are, or where an epilogue waits for the last part of k, so far:
// fill(result, other) makes them, `other` being what is added to them, if anything.
template <class Fill>
void product_tiles::put_sums(const tile_view& bias, const window& at, const Fill& fill) {
  const tile_view other = k_.first > 0   ? loaded(w_.partial, at)
                          : bias.empty() ? bias
                                         : bias.partition_range(0, int(at.rows));
  const tile_view result = lanes(has_epilogue_ ? w_.parts : w_.results, at);
  fill(result, other);
  w_.nc.issue(dma_copy{.out = part_of(w_.partial, at), .in = result});
}

// p - q and s - p - q into out, [2][columns of a product].
void product_tiles::combine_three(const tile_view& out, const tile_view& sums) {
  const std::int64_t n = moving_columns_;
  const auto bank = [&](std::int64_t i) { return sums.columns(i * w_.bank_columns, n); };
  const tile_view parts = w_.parts.next().partition_range(0, sums.partitions());
  const tile_view p = parts.columns(0, n), s = parts.columns(parts.elements() / 2, n);
  const auto subtract = [&](const tile_view& to, const tile_view& left, const tile_view& right) {
    w_.nc.issue(tensor_tensor{.out = to, .left = left, .right = right, .op = alu_op::subtract});
  };
  evacuate(w_.nc, p, bank(0));
  subtract(out.slice(1, 0, 1), p, bank(1));
  subtract(s, bank(2), p);
  subtract(out.slice(1, 1, 1), s, bank(1));
}

void product_tiles::finish_straight(const open_tile& tile, const tile_view& bias) {
  const std::int64_t planes = w_.problem.planes();
  const window at{tile.first, tile.extent, tile.from, tile.count};
  const tile_view sums = has_epilogue_ ? tile.sums.columns(0, at.count)
                                       : tile.sums.columns(0, planes * w_.bank_columns)
                                             .reshape({planes, w_.bank_columns})
                                             .columns(0, at.count);
  if (has_epilogue_ && is_last_part()) return put(sums, bias, at);
  const bool three = w_.problem.form == product_form::three_products;
  put_sums(bias, at, [&](const tile_view& result, const tile_view& other) {
    if (three) combine_three(result, tile.sums);
    if (!other.empty())
      w_.nc.issue(tensor_tensor{.out = result, .left = three ? result : sums, .right = other});
    else if (!three)
      evacuate(w_.nc, result, sums);
  });
}

void product_tiles::finish_turned(const tile_view& bias) {
  const std::int64_t planes = w_.problem.planes();
  std::vector<tile_view> turned;  // [columns, planes, rows]
  for (const open_tile& tile : open_) {
    turned.push_back(w_.turned.next()
                         .partition_range(0, int(tile.extent))
                         .reshape({planes, w_.tiling.rows})
                         .columns(0, at_.rows));
    if (w_.problem.form == product_form::three_products)
      combine_three(turned.back(), tile.sums);
    else
      evacuate(w_.nc, turned.back(),
               tile.sums.reshape({planes, w_.bank_columns}).columns(0, at_.rows));
  }
  for (std::int64_t i = 0; i < at_.rows; i += w_.tiling.side) {
    const window at{i, std::min(w_.tiling.side, at_.rows - i), 0, at_.count};
    const auto transposed = [&](std::int64_t plane) {
      const tile_view bank =
          w_.transposes.next().partition_range(0, int(at.rows)).columns(0, at.count);
      for (std::size_t x = 0; x < open_.size(); ++x)
        w_.nc.issue(transpose{.out = bank.columns(open_[x].first, open_[x].extent),
                              .in = turned[x].slice(1, plane, 1).columns(i, at.rows)});
      return bank;
    };
    if (has_epilogue_ && is_last_part()) {
      put(transposed(0), bias, at);
      continue;
    }
    put_sums(bias, at, [&](const tile_view& result, const tile_view& other) {
      for (std::int64_t p = 0; p < planes; ++p) {
        const auto part = [&](const tile_view& of) {
          return has_epilogue_ ? of : of.slice(1, p, 1);
        };
        const tile_view bank = transposed(p);
        if (other.empty())
          evacuate(w_.nc, part(result), bank);
        else
          w_.nc.issue(tensor_tensor{.out = part(result), .left = bank, .right = part(other)});
      }
    });
  }
}

}  // namespace papilio::kernels_detail
