// Issues transforms of lines whose own digits are on the array's rows and columns: see
// own_digits.hpp.
#include <algorithm>

#include "kernels/transform/own_digits.hpp"
#include "kernels/transform/patterns.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

using own_levels = std::vector<pattern_dim>;

class own_digits_run {
 public:
  own_digits_run(core& nc, const own_digits& what, const hbm_view& in, const hbm_view& out,
                 std::span<const hbm_view> tables)
      : nc_(nc),
        w_(what),
        in_(in),
        out_(out),
        tables_in_(tables.begin(), tables.end()),
        partitions_(nc.machine().tensor.rows),
        asides_(nc.sbuf_pool(3, partitions_, what.bank)),
        banks_(nc.psum_pool(nc.machine().psum.banks, partitions_, what.bank)) {
    add_pool(what.entry);
    if (what.first) add_pool(what.entry);
    for (std::size_t i = 0; i < what.steps.size(); ++i) {
      add_pool(what.steps[i].to);
      shapes_.push_back(shape_of(what, i));
    }
  }

  void issue() {
    for (std::int64_t first = 0; first < w_.tiles(); first += w_.in_flight) {
      std::vector<work> some(std::size_t(std::min(w_.in_flight, w_.tiles() - first)));
      for (std::size_t i = 0; i < some.size(); ++i) {
        some[i].line = (first + std::int64_t(i)) * w_.together;
        some[i].lines = std::min(w_.together, w_.lines - some[i].line);
        load(some[i]);
      }
      if (first == 0) load_tables();
      std::size_t table = 0, pool = 1;
      if (w_.first) {
        for (work& x : some) scale(x, table, pool);
        ++table, ++pool;
      }
      for (std::size_t s = 0; s < w_.steps.size(); ++s, ++pool) {
        for (work& x : some) run(x, s, table, pool);
        table += w_.steps[s].after ? 2 : 1;
      }
      for (const work& x : some) store(x);
    }
  }

 private:
  // The lines of a tile, and the tile that holds them now.
  struct work {
    std::int64_t line = 0, lines = 0;
    tile_view tile = {};
  };

  void add_pool(const digit_place& place) {
    pools_.push_back(nc_.sbuf_pool(int(w_.in_flight), partitions_, room_of(place.columns)));
  }
  tile_view next_tile(std::size_t pool, const digit_place& place) {
    return pools_[pool].next().partition_range(0, int(span_of(place.partitions)));
  }
  void load_tables() {
    for (const hbm_view& from : tables_in_) {
      kept_.push_back(nc_.sbuf(int(from.extent(0)), from.extent(1)));
      nc_.issue(dma_copy{.out = kept_.back().whole(), .in = from});
    }
  }

  // Calls move(part of the tile, part of HBM) for all numbers of a tile's lines.
  template <class Move>
  void transfer(const work& x, const own_end& end, const digit_place& place, const hbm_view& all,
                bool is_load, const Move& move) {
    const hbm_view flat = all.reshape({all.elements()});
    const std::int64_t plane = end.plane < 0 ? w_.lines * end.numbers : end.plane,
                       rows = count_of(without(place.partitions, plane_axis));
    const bool planes_in_rows = has_axis(place.partitions, plane_axis);
    for (std::int64_t l = 0; l < x.lines; ++l)
      for (int q = 0; q < end.planes; ++q) {
        digit_values at;
        at[line_axis] = l;
        at[plane_axis] = w_.swapped ? 1 - q : q;
        const std::int64_t column = offset_of(at, place.columns),
                           partition = planes_in_rows ? at[plane_axis] * rows : 0;
        for (const own_block& b : blocks_of(w_, is_load, q))
          move(x.tile.partition_range(int(partition), int(b.rows))
                   .pattern(column + b.column, b.columns),
               flat.pattern(q * plane + (x.line + l) * end.numbers + b.at, b.hbm));
      }
  }

  void load(work& x) {
    x.tile = next_tile(0, w_.entry);
    const digit_axes rows = without(w_.entry.partitions, plane_axis);
    const std::int64_t columns =
        count_of(without(without(w_.entry.columns, plane_axis), line_axis));
    const bool has_gaps = w_.in.half
                              ? w_.radix(1) % 2 != 0 || rows.back().extent < w_.mirror
                              : w_.in.last_is_real || count_of(rows) * columns > w_.in.numbers;
    if (x.lines < w_.together || has_gaps)
      nc_.issue(memset{.out = x.tile});
    else if (w_.in.half)
      clear_imaginary(x, int(rows.back().extent), 0);
    transfer(x, w_.in, w_.entry, in_, true, [this](const tile_view& tile, const hbm_view& from) {
      nc_.issue(dma_copy{.out = tile, .in = from});
    });
    if (w_.in.first_is_real) clear_imaginary(x, 1, 0);
    if (!w_.in.half) return;
    // The first partition has bin n / 2 where the last digit is even, else bin 0.
    clear_imaginary(x, 1, w_.radix(1) % 2 == 0 ? w_.radix(0) : 0);
    unfold(x);
  }

  // Clears a column of imaginary parts in the first rows.
  void clear_imaginary(const work& x, int rows, std::int64_t column) {
    digit_values imaginary;
    imaginary[plane_axis] = 1;
    nc_.issue(memset{.out = x.tile.partition_range(0, rows).pattern(
                         offset_of(imaginary, w_.entry.columns) + column,
                         levels_of({{line_axis, w_.together}}, w_.entry.columns))});
  }

  // Copies rows to the partitions of their mirror images, columns from right to left.
  void unfold(const work& x) {
    const int rows = int(w_.entry.partitions.back().extent);
    own_levels to, from;
    for (const digit_axis& a : w_.entry.columns) {
      const bool is_digit = a.digit >= 0;
      to.push_back({a.extent, a.stride});
      from.push_back({a.extent, is_digit ? -a.stride : a.stride});
    }
    nc_.issue(
        tensor_copy{.out = x.tile.partition_range(int(w_.mirror), rows).pattern(0, merged(to)),
                    .in = x.tile.partition_range(0, rows).pattern(w_.radix(0), merged(from))});
  }

  void store(const work& x) {
    transfer(x, w_.out, w_.steps.back().to, out_, false,
             [this](const tile_view& tile, const hbm_view& to) {
               nc_.issue(dma_copy{.out = to, .in = tile});
             });
  }

  void op(const tile_view& to, const tile_view& left, const tile_view& right, alu_op how) {
    nc_.issue(tensor_tensor{.out = to, .left = left, .right = right, .op = how});
  }

  // The results of a unit and their place: the axes `some` of each plane, with the layout `lies` in
  // PSUM, go to the layout `place`, where the other digits have the values `at`.
  struct unit_sums {
    tile_view values = {};
    std::int64_t from = 0;  ///< column of the first value
    digit_axes some = {}, lies = {};
    digit_values at = {};
    tile_view to = {};
    const digit_place& place;
    int planes_in = 2, planes_out = 2;
    bool in_place = true;  ///< products may take the values' places

    digit_axes with_planes(int planes) const {
      digit_axes all = some;
      if (planes > 1) all.insert(all.begin(), {plane_axis, 2});
      return all;
    }
    std::int64_t base() const { return offset_of(at, place.columns); }
  };

  void copy_sums(const unit_sums& x) {
    const digit_axes all = x.with_planes(x.planes_out);
    evacuate(nc_, x.to.pattern(x.base(), levels_of(all, x.place.columns)),
             x.values.pattern(x.from, levels_of(all, x.lies)));
  }

  // Copies direct rows, and the conjugates of the others from right to left: row k of the first
  // digit goes to -k modulo the digit, row 0 behind the last one, as the first bin of the next row
  // of bins. The row that is its own mirror image is among the direct ones.
  void copy_folded(unit_sums x) {
    const int rows = x.to.partitions();
    const tile_view mirrored = x.values.partition_range(int(w_.mirror), rows);
    x.values = x.values.partition_range(0, rows);
    copy_sums(x);
    own_levels to, from;
    for (digit_axis a : x.with_planes(2)) {
      const std::int64_t stride = stride_of(a, x.place.columns);
      if (a.digit == 0) a.extent = (w_.radix(0) + 1) / 2;
      to.push_back({a.extent, a.digit == 0 ? -stride : stride});
      from.push_back({a.extent, stride_of(a, x.lies)});
    }
    evacuate(nc_, x.to.pattern(x.base() + w_.radix(0), merged(to)),
             mirrored.pattern(0, merged(from)));
  }

  // The access pattern of factors: cosines (which = 0) or sines (1) for both planes, or cosines and
  // sines for one plane.
  enum factor_order { for_planes, cos_and_sin };
  tile_view factors_of(const unit_sums& x, const own_factors& f, std::size_t table, int which,
                       factor_order order) const {
    const digit_axes along = columns_of(f, x.place);
    const std::int64_t width = count_of(along), kinds = f.real_bins_of > 0 ? 2 : 1;
    own_levels levels{{2, order == cos_and_sin ? kinds * width : kinds > 1 ? width : 0}};
    for (const digit_axis& a : x.some) levels.push_back({a.extent, stride_of(a, along)});
    return kept_[table]
        .whole()
        .partition_range(0, x.to.partitions())
        .pattern(offset_of(x.at, along) + which * kinds * width, merged(levels));
  }

  // Makes plane q of a complex product from products with cosines and, aside, products of the other
  // plane with sines.
  void add(const unit_sums& x, int q, const tile_view& products, const tile_view& aside) {
    const std::int64_t n = count_of(x.some);
    digit_values at = x.at;
    at[plane_axis] = q;
    op(x.to.pattern(offset_of(at, x.place.columns), levels_of(x.some, x.place.columns)), products,
       aside.columns((1 - q) * n, n), q == 0 ? alu_op::subtract : alu_op::add);
  }

  // Multiplies a unit's results by factors on their way out of PSUM.
  void multiply_by_factors(const unit_sums& x, const own_factors& f, std::size_t table) {
    const std::int64_t n = count_of(x.some);
    digit_values imaginary;
    imaginary[plane_axis] = 1;
    if (x.planes_in == 1) {
      own_levels lies{{2, 0}};
      for (const digit_axis& a : x.some) lies.push_back({a.extent, stride_of(a, x.lies)});
      op(x.to.pattern(x.base(), levels_of(x.with_planes(2), x.place.columns)),
         x.values.pattern(x.from, merged(lies)), factors_of(x, f, table, 0, cos_and_sin),
         alu_op::multiply);
      return;
    }
    const own_levels lies = levels_of(x.with_planes(2), x.lies);
    const std::int64_t plane = offset_of(imaginary, x.lies);
    const tile_view aside = asides_.next().partition_range(0, x.to.partitions()),
                    values = x.values.pattern(x.from, lies);
    op(aside.columns(0, 2 * n), values, factors_of(x, f, table, 1, for_planes), alu_op::multiply);
    if (x.in_place) {
      op(values, values, factors_of(x, f, table, 0, for_planes), alu_op::multiply);
      for (int q = 0; q < x.planes_out; ++q)
        add(x, q, x.values.pattern(x.from + q * plane, levels_of(x.some, x.lies)), aside);
      return;
    }
    const tile_view products =
        banks_.next().partition_range(0, x.to.partitions()).columns(0, 2 * n);
    op(products, values, factors_of(x, f, table, 0, for_planes), alu_op::multiply);
    for (int q = 0; q < x.planes_out; ++q) add(x, q, products.columns(q * n, n), aside);
  }

  void scale(work& x, std::size_t table, std::size_t pool) {
    const digit_axes& columns = w_.entry.columns;
    const tile_view to = next_tile(pool, w_.entry);
    const auto [outer, inner] = split(without(columns, plane_axis), w_.bank / 2);
    for (std::int64_t unit = 0; unit < count_of(outer); ++unit) {
      const digit_values at = values_at(outer, unit);
      multiply_by_factors({.values = x.tile,
                           .from = offset_of(at, columns),
                           .some = inner,
                           .lies = columns,
                           .at = at,
                           .to = to,
                           .place = w_.entry,
                           .planes_in = w_.in.planes,
                           .in_place = false},
                          w_.first, table);
    }
    x.tile = to;
  }

  void run(work& x, std::size_t step, std::size_t table, std::size_t pool) {
    const own_step& s = w_.steps[step];
    const own_shape& h = shapes_[step];
    const digit_place& from = w_.place_before(step);
    const tile_view to = next_tile(pool, s.to),
                    matrix = kept_[table].whole().partition_range(0, int(span_of(h.rows)));
    for (std::int64_t unit = 0; unit < count_of(h.outer); ++unit) {
      unit_sums l{
          .some = h.inner,
          .at = values_at(h.outer, unit),
          .to = to,
          .place = s.to,
          .planes_out = std::min(h.planes_out, step + 1 < w_.steps.size() ? 2 : w_.out.planes)};
      l.values = banks_.next().partition_range(0, int(h.partitions()));
      multiply(x.tile, from, h, matrix, l);
      if (h.folded)
        copy_folded(l);
      else if (s.after)
        multiply_by_factors(l, s.after, table + 1);
      else
        copy_sums(l);
    }
    x.tile = to;
  }

  // Computes the sums of a unit in a bank, and sets their layout there.
  void multiply(const tile_view& data, const digit_place& from, const own_shape& h,
                const tile_view& matrix, unit_sums& l) {
    const std::int64_t each = count_of(h.inner), width = h.width();
    const auto data_of = [&](digit_values at, int piece, const digit_axes& of) {
      at[plane_axis] = h.planes_in_rows ? 0 : piece;
      return data.pattern(offset_of(at, from.columns), levels_of(of, from.columns));
    };
    const digit_axis planes{plane_axis, h.planes_out};
    if (h.data_stationary) {
      for (std::int64_t i = 0; i < each; ++i)
        for (int piece = 0; piece < h.pieces; ++piece)
          nc_.issue(
              matmul{.out = l.values.columns(i * h.planes_out * width, h.planes_out * width),
                     .stationary = data_of(values_at(h.inner, i, l.at), piece, h.moved),
                     .moving = matrix.columns(piece * h.planes_out * width, h.planes_out * width),
                     .accumulate = piece > 0});
      l.some.insert(l.some.end(), h.results.begin(), h.results.end());
      l.lies = h.inner;
      l.lies.push_back(planes);
      l.lies.insert(l.lies.end(), h.results.begin(), h.results.end());
    } else {
      for (int q = 0; q < h.planes_out; ++q)
        for (int piece = 0; piece < h.pieces; ++piece)
          nc_.issue(matmul{.out = l.values.columns(q * each, each),
                           .stationary = matrix.columns((piece * h.planes_out + q) * width, width),
                           .moving = data_of(l.at, piece, h.inner),
                           .accumulate = piece > 0});
      l.lies = {planes};
      l.lies.insert(l.lies.end(), h.inner.begin(), h.inner.end());
    }
    l.lies = packed(l.lies);
  }

  core& nc_;
  const own_digits& w_;
  hbm_view in_, out_;
  std::vector<hbm_view> tables_in_;
  int partitions_;
  tile_pool asides_, banks_;
  std::vector<tile_pool> pools_;
  std::vector<own_shape> shapes_;
  std::vector<tile> kept_;
};

}  // namespace

void run_own_digits(core& nc, const own_digits& what, const hbm_view& in, const hbm_view& out,
                    std::span<const hbm_view> tables) {
  own_digits_run(nc, what, in, out, tables).issue();
}

}  // namespace papilio::kernels_detail
