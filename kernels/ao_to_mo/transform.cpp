// Integrals over atomic orbitals to those over molecular ones.
//   identity   H_P[n, i] = sum over m of (mn|P) C_occ[m, i],  B_P[i, a] = sum over n of H_P[n, i]
//              C_vir[n, a]
//   first      integrals stationary, 128 n of them for each s of m = q strips + s, C_occ moving: n
//              on partitions, as the second sum needs it, so that nothing is transposed
//   second     H of some P side by side stationary, C_vir moving: rows of B as they lie in HBM
//   order      the second products of a group of P go between the first ones of the next, so that
//              the array does not wait for what leaves PSUM; loads are two ahead
//   bound      DMA: integrals once, in rows of `strips` times nbasis elements, or 512
#include "kernels/ao_to_mo/design.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/ceil_div.hpp"
#include "kernels/products/products.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr int second_banks = 3;
constexpr std::int64_t stage_columns = 1024;  // of coefficients that are converted

class mo_run {
 public:
  mo_run(core& nc, const ao_to_mo_design& d, const ao_to_mo_operands& o)
      : nc_(nc),
        d_(d),
        o_(o),
        pools_(pools_of(d)),
        loads_(pools_.loads.make(nc, d.side)),
        integrals_(pools_.integrals.make(nc, d.side)),
        occupied_(pools_.occupied.make(nc, d.side)),
        virtuals_(pools_.virtuals.make(nc, d.side)),
        staged_(pools_.staged.make(nc, d.side)),
        halves_(pools_.halves.make(nc, d.side)),
        results_(pools_.results.make(nc, d.side)),
        first_(nc.psum_pool(nc.machine().psum.banks - second_banks, int(d.side), d.bank)),
        second_(nc.psum_pool(second_banks, int(d.side), d.bank)) {}

  void run() {
    if (d_.stays) load_virtuals(0, d_.nvir);
    for (std::int64_t i = 0; i < d_.nocc; i += d_.block) {
      i_ = i;
      orbitals_ = std::min(d_.block, d_.nocc - i);
      load_occupied();
      pass();
    }
  }

 private:
  // Some P whose integrals are loaded at once, all of them or a part.
  struct load {
    std::int64_t p, count;    // P
    std::int64_t n, columns;  // of n
    std::int64_t s, rows;     // of s
    std::int64_t size() const { return count * rows * columns; }
  };
  struct group {
    std::int64_t p = 0, count = 0;
    tile_view halves = {};
  };

  std::int64_t n_loads() const { return ceil_div(d_.nbasis, d_.columns); }
  std::int64_t s_loads() const { return ceil_div(d_.strips, d_.rows); }
  std::int64_t batches() const { return ceil_div(d_.naux, d_.batch); }

  load load_at(std::int64_t index) const {
    const std::int64_t each = n_loads() * s_loads(), p = index / each * d_.batch,
                       n = index % each / s_loads() * d_.columns, s = index % s_loads() * d_.rows;
    return {p, std::min(d_.batch, d_.naux - p), n, std::min(d_.columns, d_.nbasis - n),
            s, std::min(d_.rows, d_.strips - s)};
  }

  // Rows q strips + s ... of [.., nbasis, columns], q on partitions: those that one partition more
  // has than the others, and those.
  void load_rows(const tile_view& to, const hbm_view& from, std::int64_t offset, std::int64_t s,
                 std::int64_t rows, std::int64_t row, std::int64_t columns, std::int64_t count,
                 std::int64_t step) {
    for (std::int64_t at = 0; at < rows;) {
      const std::int64_t some = same_lanes(s + at, rows - at);
      nc_.issue(dma_copy{
          .out =
              to.partition_range(0, int(d_.lanes(s + at)))
                  .pattern(at * columns, {{count, rows * columns}, {some, columns}, {columns, 1}}),
          .in = from.pattern(
              offset + (s + at) * row,
              {{d_.lanes(s + at), d_.strips * row}, {count, step}, {some, row}, {columns, 1}})});
      at += some;
    }
  }
  // Rows from s on, of `rows`, that are on as many partitions.
  std::int64_t same_lanes(std::int64_t s, std::int64_t rows) const {
    std::int64_t same = 1;
    while (same < rows && d_.lanes(s + same) == d_.lanes(s)) ++same;
    return same;
  }

  void ensure_loaded(std::int64_t index) {
    const std::int64_t all = batches() * n_loads() * s_loads(), n = d_.nbasis;
    for (; loaded_ <= std::min(index, all - 1); ++loaded_) {
      const load l = load_at(loaded_);
      const tile_view tile = loads_.next();
      load_rows(tile, flat_eri(), l.p * n * n + l.n, l.s, l.rows, n, l.columns, l.count, n * n);
      waiting_.push_back(tile);
    }
  }
  hbm_view flat_eri() const { return o_.eri.reshape({o_.eri.elements()}); }

  // The integrals of a load in the type of products, and those of the next one on their way.
  tile_view operand(std::int64_t index) {
    ensure_loaded(index + d_.depth - 1);
    if (!d_.converts()) {
      const tile_view tile = waiting_.front();
      waiting_.pop_front();
      return tile;
    }
    for (; converted_ <= std::min(index + 1, loaded_ - 1); ++converted_) {
      ready_.push_back(integrals_.next());
      const load l = load_at(converted_);
      // Rows that not all partitions have are converted by themselves.
      for (std::int64_t c = 0; c < l.count; ++c)
        for (std::int64_t s = 0; s < l.rows;) {
          const std::int64_t same = same_lanes(l.s + s, l.rows - s),
                             at = (c * l.rows + s) * l.columns;
          convert(ready_.back(), integral_part(), at, waiting_.front(), at, same * l.columns,
                  d_.lanes(l.s + s));
          s += same;
        }
      waiting_.pop_front();
    }
    const tile_view tile = ready_.front();
    ready_.pop_front();
    return tile;
  }
  std::int64_t integral_part() const { return d_.batch * d_.rows * d_.columns; }

  // Parts of values in SBUF, of two the first by the scalar engine: fill_parts() takes the vector
  // engine for both.
  void convert(const tile_view& to, std::int64_t step, std::int64_t to_at, const tile_view& from,
               std::int64_t from_at, std::int64_t columns, std::int64_t partitions) {
    const auto of = [&](const tile_view& tile, std::int64_t at) {
      return tile.partition_range(0, int(partitions)).columns(at, columns);
    };
    const tile_view all = of(from, from_at), head = of(to, to_at);
    copy_tile(nc_, head, all, d_.parts > 1 ? unit::scalar : unit::vector);
    if (d_.parts > 1)
      nc_.issue(tensor_tensor{
          .out = of(to, step + to_at), .left = all, .right = head, .op = alu_op::subtract});
  }

  // A row of each of some partitions, in HBM from `first` on, `step` apart.
  struct coefficient_row {
    std::int64_t first, lanes, step;
  };

  // Columns of a coefficient matrix to [part, row of a partition, column].
  template <class RowOf>
  void coefficients(const tile_view& to, std::int64_t part, const hbm_view& matrix,
                    std::int64_t rows, std::int64_t columns, const RowOf& row_of) {
    const hbm_view from = matrix.reshape({matrix.elements()});
    const std::int64_t most = d_.converts() ? stage_columns : columns;
    for (std::int64_t r = 0; r < rows; ++r) {
      const coefficient_row row = row_of(r);
      for (std::int64_t c = 0; c < columns; c += most) {
        const std::int64_t count = std::min(most, columns - c);
        const tile_view here =
            d_.converts() ? staged_.next().columns(0, count) : to.columns(r * columns, count);
        nc_.issue(dma_copy{.out = here.partition_range(0, int(row.lanes)),
                           .in = from.pattern(row.first + c, {{row.lanes, row.step}, {count, 1}})});
        if (d_.converts()) convert(to, part, r * columns + c, here, 0, count, row.lanes);
      }
    }
  }

  void load_occupied() {
    const std::int64_t nocc = d_.nocc, columns = orbitals_;
    c_occ_ = occupied_.next();
    if (!d_.converts())
      return load_rows(c_occ_, o_.c_occ.reshape({o_.c_occ.elements()}), i_, 0, d_.strips, nocc,
                       columns, 1, 1);
    coefficients(c_occ_, d_.strips * d_.block, o_.c_occ, d_.strips, columns, [&](std::int64_t s) {
      return coefficient_row{s * nocc + i_, d_.lanes(s), d_.strips * nocc};
    });
  }

  void load_virtuals(std::int64_t a, std::int64_t columns) {
    c_vir_ = virtuals_.next();
    virtual_columns_ = columns;
    coefficients(c_vir_, virtual_part(), o_.c_vir, d_.tiles, columns, [&](std::int64_t j) {
      return coefficient_row{j * d_.side * d_.nvir + a, d_.tile_rows(j), d_.nvir};
    });
  }
  std::int64_t virtual_part() const { return pools_.virtuals.columns / d_.parts; }

  // All P, for some occupied orbitals. The second products of a group are spread over the batches
  // of the next one, so that loads go on.
  void pass() {
    loaded_ = converted_ = 0;
    group now;
    for (std::int64_t b = 0; b < batches(); ++b) {
      const std::int64_t p = b * d_.batch;
      if (p % d_.together == 0) now = {p, std::min(d_.together, d_.naux - p), halves_.next()};
      first(b, now);
      const std::int64_t left = ceil_div(now.p + now.count - p, d_.batch);
      issue_second(ceil_div(std::int64_t(second_work_.size()), left));
      if (left == 1) plan_second(now);
    }
    issue_second(std::int64_t(second_work_.size()));
  }

  void first(std::int64_t batch, const group& g) {
    const std::int64_t each = n_loads() * s_loads();
    // Sums that are whole in one load share a bank one after the other.
    const std::int64_t slots = s_loads() == 1 ? d_.bank / orbitals_ : 1;
    std::vector<tile_view> banks;
    for (std::int64_t x = batch * each; x < (batch + 1) * each; ++x) {
      const load l = load_at(x);
      const tile_view integrals = operand(x);
      const std::int64_t tiles = ceil_div(l.columns, d_.side);
      for (std::int64_t c = 0; c < l.count; ++c)
        for (std::int64_t t = 0; t < tiles; t += slots) {
          const std::int64_t count = std::min(slots, tiles - t);
          if (l.s == 0) banks.push_back(first_.next());
          const tile_view bank = l.s == 0 ? banks.back() : banks[std::size_t(t)];
          for (std::int64_t i = 0; i < count; ++i)
            first_sums(l, integrals, c, t + i, bank.columns(i * orbitals_, orbitals_));
          if (l.s + l.rows == d_.strips) keep(g, l.p + c - g.p, l.n / d_.side + t, count, bank);
        }
      if (l.s + l.rows == d_.strips) banks.clear();
    }
  }

  // Tile t of a load, of its P number c.
  void first_sums(const load& l, const tile_view& integrals, std::int64_t c, std::int64_t t,
                  const tile_view& bank) {
    const std::int64_t n = std::min(d_.side, l.columns - t * d_.side);
    for (std::int64_t s = 0; s < l.rows; ++s) {
      const int lanes = int(d_.lanes(l.s + s));
      multiply_parts(nc_, bank.partition_range(0, int(n)), d_.parts,
                     {.tile = integrals.partition_range(0, lanes),
                      .first = (c * l.rows + s) * l.columns + t * d_.side,
                      .step = integral_part(),
                      .width = n},
                     {.tile = c_occ_.partition_range(0, lanes),
                      .first = (l.s + s) * orbitals_,
                      .step = d_.strips * d_.block,
                      .width = orbitals_},
                     l.s + s > 0);
    }
  }

  // Sums of some tiles leave PSUM; the last tile may have fewer rows.
  void keep(const group& g, std::int64_t p, std::int64_t tile, std::int64_t count,
            const tile_view& bank) {
    const std::int64_t row = d_.group_columns(), step = d_.tiles * row;
    const auto some = [&](std::int64_t first, std::int64_t tiles, std::int64_t rows) {
      const tile_view from =
          bank.partition_range(0, int(rows)).columns(first * orbitals_, tiles * orbitals_);
      const auto to = [&](int part) {
        const std::int64_t at = part * step + (tile + first) * row;
        return g.halves.partition_range(0, int(rows))
            .pattern(at + (d_.flat() ? p * orbitals_ : p),
                     {{tiles, row}, {orbitals_, d_.flat() ? 1 : g.count}});
      };
      fill_parts(nc_, from.reshape({tiles, orbitals_}), d_.parts, to,
                 [] { return tile_view(); });  // two parts at most
    };
    const bool short_last = d_.tile_rows(tile + count - 1) < d_.side;
    const std::int64_t whole = count - (short_last ? 1 : 0);
    if (whole > 0) some(0, whole, d_.side);
    if (short_last) some(whole, 1, d_.tile_rows(tile + whole));
  }

  // Rows of a group times some columns of C_vir.
  struct second_product {
    group of;
    std::int64_t row, rows, a, columns;
  };

  void plan_second(const group& g) {
    const std::int64_t all = g.count * orbitals_, rows = d_.operand_rows(g.count, orbitals_);
    for (std::int64_t a = 0; a < d_.nvir; a += d_.segment)
      for (std::int64_t r = 0; r < all; r += rows)
        second_work_.push_back(
            {g, r, std::min(rows, all - r), a, std::min(d_.segment, d_.nvir - a)});
  }

  void issue_second(std::int64_t count) {
    for (; count > 0; --count) {
      const second_product work = second_work_.front();
      second_work_.pop_front();
      if (!d_.stays && work.row == 0) load_virtuals(work.a, work.columns);
      second_rows(work);
    }
  }

  void second_rows(const second_product& work) {
    const std::int64_t rows = work.rows, columns = work.columns, from = d_.stays ? work.a : 0,
                       row = d_.group_columns(),
                       each = ceil_div(columns, ceil_div(columns, d_.bank));
    const tile_view result = results_.next().partition_range(0, int(rows));
    for (std::int64_t c = 0; c < columns; c += each) {
      const std::int64_t count = std::min(each, columns - c);
      const tile_view bank = second_.next().partition_range(0, int(rows)).columns(0, count);
      for (std::int64_t j = 0; j < d_.tiles; ++j) {
        const int n = int(d_.tile_rows(j));
        multiply_parts(nc_, bank, d_.parts,
                       {.tile = work.of.halves.partition_range(0, n),
                        .first = j * row + work.row,
                        .step = d_.tiles * row,
                        .width = rows},
                       {.tile = c_vir_.partition_range(0, n),
                        .first = j * virtual_columns_ + from + c,
                        .step = virtual_part(),
                        .width = count},
                       j > 0);
      }
      evacuate(nc_, result.columns(c, count), bank);
    }
    store(work, result.columns(0, columns));
  }

  void store(const second_product& work, const tile_view& result) {
    const auto& [g, r, rows, a, columns] = work;
    const std::int64_t each = d_.flat() ? rows : g.count;
    const std::int64_t at =
        d_.flat() ? g.p * o_.per_p + r * o_.per_i : g.p * o_.per_p + (i_ + r / each) * o_.per_i;
    nc_.issue(dma_copy{.out = o_.out.pattern(at + a, {{rows / each, o_.per_i},
                                                      {each, d_.flat() ? o_.per_i : o_.per_p},
                                                      {columns, 1}}),
                       .in = result});
  }

  core& nc_;
  const ao_to_mo_design& d_;
  const ao_to_mo_operands& o_;
  mo_pools pools_;
  tile_pool loads_, integrals_, occupied_, virtuals_, staged_, halves_, results_, first_, second_;
  std::int64_t i_ = 0, orbitals_ = 0;  ///< of the block
  tile_view c_occ_ = {}, c_vir_ = {};
  std::int64_t virtual_columns_ = 0;
  // Loads that were issued and converted so far, and those that wait for their turn.
  std::int64_t loaded_ = 0, converted_ = 0;
  std::deque<tile_view> waiting_, ready_;
  std::deque<second_product> second_work_;
};

}  // namespace

mo_pools pools_of(const ao_to_mo_design& d) {
  const std::int64_t load = d.batch * d.rows * d.columns;
  const pool_shape none{};
  const auto of = [&](int depth, std::int64_t columns) {
    return pool_shape{depth, d.parts * columns, d.type};
  };
  return {.loads = {d.depth, load, dtype::fp32},
          .integrals = d.converts() ? of(2, load) : none,
          .occupied = of(1, d.strips * d.block),
          .virtuals = of(d.stays ? 1 : 2, d.tiles * (d.stays ? d.nvir : d.segment)),
          .staged = d.converts() ? pool_shape{2, stage_columns, dtype::fp32} : none,
          .halves = of(2, d.tiles * d.group_columns()),
          .results = {3, d.segment, dtype::fp32}};
}

void transform_integrals(core& nc, const ao_to_mo_design& design,
                         const ao_to_mo_operands& operands) {
  mo_run(nc, design, operands).run();
}

}  // namespace papilio::kernels_detail
