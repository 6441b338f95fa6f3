// Transforms of any length on chip, as convolutions with a chirp (bluestein.cpp has the identity)
// by transforms of m = a b points, two products each.
//   layout     points (j_a on partitions, j_b along), then (j_b, k_a), (k_b, k_a), (k_a, j_b) and
//              (j_a, j_b) again: products over a have the data stationary on the way there and the
//              matrix on the way back, those over b the other way round, so that nothing is
//              transposed, and frequencies need no order
//   factors    chirp, twiddle factors of m, filter, twiddle factors and chirp: on the vector
//              engine, as results leave PSUM
//   sizes      a and b need no small factors: m is hardly more than the convolution has
//   bound      what is waited for: a chain of four products, five times four sums, a load and a
//              store; lines take turns in it
#include "kernels/fft/chip_chirp.hpp"

#include <algorithm>

#include "base/roots_of_unity.hpp"
#include "kernels/fft/chirp.hpp"
#include "kernels/fft/error_model.hpp"
#include "kernels/table.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

using complex = std::complex<double>;

constexpr std::int64_t turns = 4;  // lines that take turns

std::int64_t square_root_above(std::int64_t x) {
  std::int64_t root = 1;
  while (root * root < x) ++root;
  return root;
}

// (cos | sin) of points by rows of b, 0 where there are none.
void fill_chirp_in(const chip_chirp& g, const table_writer& table) {
  const auto c = chirp(g.n, g.points_in(), g.conjugated());
  for (std::int64_t j = 0; j < g.points_in(); ++j) {
    const double weight = g.kind == chirp_kind::bins && !g.real_bin(j) ? 2 : 1;
    table.put(j / g.b, j % g.b, c[std::size_t(j)] * weight, g.b);
  }
}

// What the real and the imaginary part are multiplied by: (cos, cos | sin, sin), those that go to
// the imaginary part 0 where it is.
void fill_chirp_out(const chip_chirp& g, const table_writer& table) {
  const auto c = chirp(g.n, g.points_out(), g.conjugated());
  for (std::int64_t k = 0; k < g.points_out(); ++k) {
    const complex w = c[std::size_t(k)] * g.scale;
    const std::int64_t row = k / g.b, column = k % g.b;
    const bool real = g.kind == chirp_kind::real_points && g.real_bin(k);
    table.put(row, column, w, 3 * g.b);
    if (!real) table.put(row, g.b + column, w, g.b);
  }
}

// W = w(r)^(j k) as (-Im W | Re W | Im W); that of the inverse transform reads it backwards.
void fill_matrix(std::int64_t r, const table_writer& table) {
  const base_detail::roots_of_unity<double> root{std::size_t(r)};
  for (std::int64_t j = 0; j < r; ++j)
    for (std::int64_t k = 0; k < r; ++k) {
      const complex w = root(std::size_t(j * k % r));
      table.put(j, k, -w.imag());
      table.put(j, r + k, w, r);
    }
}

// w(m)^(j_b k_a) as (cos | sin): [j_b, k_a], or of the inverse [k_a, j_b].
void fill_twiddles(const chip_chirp& g, bool back, const table_writer& table) {
  const std::int64_t width = back ? g.b : g.a;
  const base_detail::roots_of_unity<double> root{std::size_t(g.a * g.b)};
  for (std::int64_t row = 0; row < (back ? g.a : g.b); ++row)
    for (std::int64_t column = 0; column < width; ++column) {
      const complex w = root(std::size_t(row * column));
      table.put(row, column, back ? std::conj(w) : w, width);
    }
}

// [k_b, k_a] as (cos | sin).
void fill_filter(const chip_chirp& g, const table_writer& table) {
  const auto f = filter_spectrum(g.n, g.points_in(), g.points_out(), g.a * g.b, g.conjugated());
  for (std::int64_t kb = 0; kb < g.b; ++kb)
    for (std::int64_t ka = 0; ka < g.a; ++ka) table.put(kb, ka, f[std::size_t(ka + g.a * kb)], g.a);
}

class chip_chirp_run {
 public:
  chip_chirp_run(core& nc, const chip_chirp& g, const hbm_view& in, const hbm_view& out,
                 std::span<const hbm_view> tables)
      : nc_(nc),
        g_(g),
        in_(in),
        out_(out),
        side_(nc.machine().tensor.rows),
        bank_(nc.machine().psum.bank_bytes / 4),
        tables_(tables.begin(), tables.end()),
        loads_(nc.sbuf_pool(int(turns), int(side_), 2 * g.b)),
        stores_(nc.sbuf_pool(int(turns), int(side_), 2 * g.b)),
        operands_(nc.sbuf_pool(int(2 * turns), int(side_), 2 * side_)),
        asides_(nc.sbuf_pool(2, int(side_), 2 * side_)),
        banks_(nc.psum_pool(nc.machine().psum.banks, int(side_), bank_)) {}

  void issue() {
    for (std::int64_t first = 0; first < g_.lanes; first += turns) {
      lines_.assign(std::size_t(std::min(turns, g_.lanes - first)), {});
      for (std::size_t i = 0; i < lines_.size(); ++i) load(first + std::int64_t(i), lines_[i]);
      if (first == 0) load_tables();
      for (tile_view& line : lines_) there_over_a(line);
      for (tile_view& line : lines_) there_over_b(line);
      for (tile_view& line : lines_) back_over_b(line);
      for (tile_view& line : lines_) back_over_a(line);
      for (std::size_t i = 0; i < lines_.size(); ++i) store(first + std::int64_t(i), lines_[i]);
    }
  }

 private:
  // Points [first, first + length) of the first rows.
  struct block {
    std::int64_t rows, first, length;
  };
  // `count` points by rows of b: the last row may be shorter.
  std::vector<block> blocks_of(std::int64_t count) const {
    const std::int64_t rows = (count + g_.b - 1) / g_.b, tail = count - (rows - 1) * g_.b;
    std::vector<block> blocks;
    if (tail > 0) blocks.push_back({rows, 0, tail});
    if (tail < g_.b && rows > 1) blocks.push_back({rows - 1, tail, g_.b - tail});
    return blocks;
  }

  tile_view resident(std::size_t index) {
    const hbm_view& from = tables_[index];
    kept_.push_back(nc_.sbuf(int(from.dims()[0].extent), from.dims()[1].extent));
    nc_.issue(dma_copy{.out = kept_.back().whole(), .in = from});
    return kept_.back().whole();
  }

  void load_tables() {
    chirp_in_ = resident(0);
    over_a_ = resident(1);
    twiddles_ = resident(2);
    over_b_ = resident(3);
    filter_ = resident(4);
    twiddles_back_ = resident(5);
    chirp_out_ = resident(6);
  }

  void load(std::int64_t l, tile_view& line) {
    const std::int64_t in = g_.points_in();
    const tile_view x =
        loads_.next().partition_range(0, int(g_.rows_in())).columns(0, g_.planes_in() * g_.b);
    // Bins whose imaginary part is not looked at: the first, and if n is even the last.
    const bool ends = g_.kind == chirp_kind::bins;
    if (in < g_.rows_in() * g_.b || (ends && g_.real_bin(in - 1))) nc_.issue(memset{.out = x});
    for (int plane = 0; plane < g_.planes_in(); ++plane)
      for (const block& b : blocks_of(plane == 1 && ends && g_.real_bin(in - 1) ? in - 1 : in))
        nc_.issue(dma_copy{
            .out = x.partition_range(0, int(b.rows)).columns(plane * g_.b + b.first, b.length),
            .in = in_.pattern(plane * g_.input_plane() + l * in + b.first,
                              {{b.rows, g_.b}, {b.length, 1}})});
    if (ends) nc_.issue(memset{.out = x.partition_range(0, 1).columns(g_.b, 1)});
    line = x;
  }

  void op(const tile_view& to, const tile_view& left, const tile_view& right, alu_op how) {
    nc_.issue(tensor_tensor{.out = to, .left = left, .right = right, .op = how});
  }

  // to = values * (cos + i sin), planes of `width`, the products by way of `products`, which may be
  // the values; `cosines` and `sines` are of both planes.
  void multiply(const tile_view& to, const tile_view& values, const tile_view& products,
                const tile_view& cosines, const tile_view& sines, std::int64_t width) {
    const tile_view aside =
        asides_.next().partition_range(0, to.partitions()).columns(0, 2 * width);
    op(aside, values, sines, alu_op::multiply);
    op(products, values, cosines, alu_op::multiply);
    op(to.columns(0, width), products.columns(0, width), aside.columns(width, width),
       alu_op::subtract);
    if (to.elements() > width)
      op(to.columns(width, width), products.columns(width, width), aside.columns(0, width),
         alu_op::add);
  }

  // Results in PSUM times a table (cos | sin).
  tile_view multiplied(const tile_view& sums, const tile_view& table, std::int64_t width) {
    const tile_view to =
        operands_.next().partition_range(0, sums.partitions()).columns(0, 2 * width);
    multiply(to, sums, sums, table.columns(0, width).repeat(2),
             table.columns(width, width).repeat(2), width);
    return to;
  }

  tile_view bank(std::int64_t rows, std::int64_t columns) {
    return banks_.next().partition_range(0, int(rows)).columns(0, columns);
  }

  // data^T times the matrix over r, the data stationary: [points, 2 columns] to [columns, 2 r].
  tile_view by_data(const tile_view& data, std::int64_t columns, const tile_view& matrix,
                    std::int64_t r, bool inverse) {
    const tile_view sums = bank(columns, 2 * r),
                    rows = matrix.partition_range(0, data.partitions());
    // (Re | Im), then (-Im | Re); of the conjugate both are read from right to left.
    for (int plane = 0; plane < 2; ++plane)
      nc_.issue(matmul{.out = sums,
                       .stationary = data.columns(plane * columns, columns),
                       .moving = inverse ? rows.pattern((1 + plane) * r, {{2, -r}, {r, 1}})
                                         : rows.columns((1 - plane) * r, 2 * r),
                       .accumulate = plane > 0});
    return sums;
  }

  // The matrix stationary: [r, 2 columns] to [rows, 2 columns].
  tile_view by_matrix(const tile_view& data, std::int64_t columns, const tile_view& matrix,
                      std::int64_t r, std::int64_t rows, bool inverse) {
    const tile_view sums = bank(rows, 2 * columns);
    for (int to = 0; to < 2; ++to)
      for (int plane = 0; plane < 2; ++plane) {
        const int which = plane == to ? 1 : (to == 1) == inverse ? 0 : 2;
        nc_.issue(matmul{.out = sums.columns(to * columns, columns),
                         .stationary = matrix.columns(which * r, rows),
                         .moving = data.columns(plane * columns, columns),
                         .accumulate = plane > 0});
      }
    return sums;
  }

  void there_over_a(tile_view& line) {
    const tile_view z = operands_.next().partition_range(0, line.partitions()).columns(0, 2 * g_.b);
    if (g_.planes_in() == 1)
      op(z, line.repeat(2), chirp_in_, alu_op::multiply);
    else
      multiply(z, line, bank(line.partitions(), 2 * g_.b), chirp_in_.columns(0, g_.b).repeat(2),
               chirp_in_.columns(g_.b, g_.b).repeat(2), g_.b);
    line = multiplied(by_data(z, g_.b, over_a_, g_.a, false), twiddles_, g_.a);
  }

  void there_over_b(tile_view& line) {
    line = multiplied(by_matrix(line, g_.a, over_b_, g_.b, g_.b, false), filter_, g_.a);
  }

  void back_over_b(tile_view& line) {
    line = multiplied(by_data(line, g_.a, over_b_, g_.b, true), twiddles_back_, g_.b);
  }

  void back_over_a(tile_view& line) {
    const std::int64_t b = g_.b;
    const tile_view sums = by_matrix(line, b, over_a_, g_.a, g_.rows_out(), true);
    line = stores_.next().partition_range(0, int(g_.rows_out())).columns(0, g_.planes_out() * b);
    multiply(line, sums, sums, chirp_out_.columns(0, 2 * b), chirp_out_.columns(2 * b, 2 * b), b);
  }

  void store(std::int64_t l, const tile_view& line) {
    const std::int64_t out = g_.points_out();
    for (int plane = 0; plane < g_.planes_out(); ++plane)
      for (const block& b : blocks_of(out))
        nc_.issue(dma_copy{
            .out = out_.pattern((plane * g_.lanes + l) * out + b.first,
                                {{b.rows, g_.b}, {b.length, 1}}),
            .in = line.partition_range(0, int(b.rows)).columns(plane * g_.b + b.first, b.length)});
  }

  core& nc_;
  const chip_chirp& g_;
  hbm_view in_, out_;
  std::int64_t side_, bank_;
  std::vector<hbm_view> tables_;
  std::vector<tile> kept_;
  tile_view chirp_in_, over_a_, twiddles_, over_b_, filter_, twiddles_back_, chirp_out_;
  tile_pool loads_, stores_, operands_, asides_, banks_;
  std::vector<tile_view> lines_;
};

}  // namespace

namespace {

// Planes are summed one after the other, each over half of a point's terms; over a at first only
// the points that there are.
double squared_error_of(const chip_chirp& g) {
  const auto stage = [](std::int64_t terms) {
    return stage_error(double(terms) / 2) + rounding_squared_error();
  };
  return stage(g.rows_in()) + 2 * stage(g.b) + stage(g.a) + 5 * product_squared_error();
}

}  // namespace

std::string chip_chirp::describe() const {
  return base_detail::message("chirp of ", n, " on chip, convolution of ", a, " x ", b, " points, ",
                              lanes, lanes > 1 ? " lines, some of which take turns" : " line");
}

chip_chirp chip_chirp::without_batch() const {
  chip_chirp one = *this;
  one.lanes = 0;
  one.in_plane = 0;
  return one;
}

std::optional<fft_step> chip_chirp_step(chip_chirp g, const machine_spec& machine) {
  const std::int64_t side = machine.tensor.rows, least = g.points_in() + g.points_out() - 1;
  if (least > side * side) return {};
  g.a = square_root_above(least);
  g.b = (least + g.a - 1) / g.a;
  fft_step step{.design = design_of(g),
                .in_elements = (g.planes_in() - 1) * g.input_plane() + g.lanes * g.points_in(),
                .out_elements = g.planes_out() * g.lanes * g.points_out(),
                .squared_error = squared_error_of(g),
                .lines = g.lanes,
                .lines_together = turns};
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t columns, auto fill) {
    step.tables.push_back(table_of(base_detail::message("chirp of ", g.n, " on chip, ", name), rows,
                                   columns,
                                   [g, fill](const table_writer& table) { fill(g, table); }));
  };
  using writer = table_writer;
  add("chirp", g.rows_in(), 2 * g.b, fill_chirp_in);
  add("over a", g.a, 3 * g.a, [](const chip_chirp& c, const writer& t) { fill_matrix(c.a, t); });
  add("twiddle factors", g.b, 2 * g.a,
      [](const chip_chirp& c, const writer& t) { fill_twiddles(c, false, t); });
  add("over b", g.b, 3 * g.b, [](const chip_chirp& c, const writer& t) { fill_matrix(c.b, t); });
  add("filter", g.b, 2 * g.a, fill_filter);
  add("twiddle factors back", g.a, 2 * g.b,
      [](const chip_chirp& c, const writer& t) { fill_twiddles(c, true, t); });
  add("chirp of results", g.rows_out(), 4 * g.b, fill_chirp_out);
  step.run = [g](core& nc, const hbm_view& in, const hbm_view& out,
                 std::span<const hbm_view> tables) {
    chip_chirp_run(nc, g, in, out, tables).issue();
  };
  return step;
}

}  // namespace papilio::kernels_detail
