// Energies of pairs of orbitals.
//   identity   -sum T (T - T^t) / D = -1/2 sum ((T - T^t) r)^2, r = (e_a + e_b - e_i - e_j)^(-1/2)
//   layout     T as strips [a, (j, b)]: a bank of PSUM sums the products of a strip, and SBUF has a
//              copy of it, which is transposed later
//   order      while the tensor engine multiplies a strip, the strip before is squared, and T^t of
//              a strip of the block before is subtracted
//   bound      tensor engine: strips * k tiles * columns, and a transpose for each 128 x 128 of T
#include "kernels/mp2/pairs.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/array_operands.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr int streamed_ahead = 6;

// The run over all pairs, strip by strip, with its tiles.
class mp2_pairs {
 public:
  mp2_pairs(core& nc, const mp2_design& design, mp2_panels& left, mp2_panels& right,
            const mp2_operands& of_left, const mp2_operands& of_right)
      : nc_(nc),
        design_(design),
        left_(left),
        right_(right),
        sums_(nc, design.lanes(), design.squares, design.differences),
        energies_a_(nc.sbuf(int(design.lanes()), design.left.strips_all())),
        energies_b_(nc.sbuf(int(design.lanes()), design.right.nvir)),
        energies_i_(nc.sbuf(int(design.lanes()), design.left.nocc)),
        energies_j_(nc.sbuf(int(design.lanes()), design.right.nocc)),
        strips_(nc.sbuf_pool(design.differences ? int(2 * design.strips_kept()) : 1,
                             int(design.lanes()), design.differences ? design.columns() : 1)),
        roots_(nc.sbuf_pool(int(design.roots_kept()), int(design.lanes()),
                            design.differences ? design.columns() : 1)),
        products_(nc.sbuf_pool(2, int(design.lanes()), design.squares ? design.columns() : 1)),
        differences_(
            nc.sbuf_pool(2, int(design.lanes()), design.differences ? design.columns() : 1)),
        squares_(nc.sbuf_pool(2, int(design.lanes()), design.columns(), dtype::bf16)),
        gaps_(
            nc.sbuf_pool(design.right.blocks() > 1 ? 4 : 2, int(design.lanes()), design.columns())),
        biases_(nc.sbuf_pool(2, int(design.lanes()), design.orbitals * design.left.strips_all())),
        banks_(nc.psum_pool(4, int(design.lanes()), design.columns())),
        transposes_(nc.psum_pool(3, int(design.lanes()), design.columns())),
        tiles_i_(pool(design.home == mp2_home::panels ? design.orbitals : streamed_ahead,
                      design.left, 1)),
        tiles_j_(pool(design.home == mp2_home::panels ? 2 : streamed_ahead, design.right,
                      design.group)) {
    load_energies(of_left, of_right);
  }

  // Runs all pairs, and returns their energies, [1, 1] or [1, 2].
  tile_view run() {
    const std::int64_t nocc = design_.left.nocc, others = design_.right.nocc;
    for (std::int64_t i = 0; i < nocc; i += design_.orbitals) {
      const std::int64_t count = std::min(design_.orbitals, nocc - i);
      bool is_begun = false;
      for (std::int64_t j = design_.symmetric ? i : 0; j < others; j += design_.group) {
        const std::int64_t together = std::min(design_.group, others - j);
        bool has_group = false;
        for (std::int64_t x = i; x < i + count; ++x) {
          const auto [from, to] = design_.partners(x);
          const std::int64_t first = std::max(from, j), last = std::min(to, j + together);
          if (first >= last) continue;
          // The first products wait for one panel of i, not for all.
          if (!has_group) begin_group(j, together);
          if (!is_begun) begin_orbitals(i, count);
          is_begun = has_group = true;
          item(x, first, last - first);
        }
      }
    }
    finish_differences();
    square_all();
    return sums_.energies();
  }

 private:
  // The product of B_i's virtual orbitals in block `a` and those of B_j in block `b`, for
  // j ... j + count - 1.
  struct block {
    std::int64_t i = 0, j = 0, count = 1, a = 0, b = 0;
    tile_view gaps = {};  //< e_b - e_j by columns
    tile_view bias = {};  //< e_a - e_i by strips
  };
  struct kept_block {
    block of;
    std::vector<tile_view> strips = {}, roots = {},
                           partners = {};  //< T, r, and T of the block with a and b exchanged
    std::size_t next = 0;
    bool is_open() const { return next < strips.size(); }
  };
  struct square {
    tile_view of;
    mp2_sums::kind kind;
  };

  // The pool for panels of so many orbitals, or for tiles of a block; it has one element where SBUF
  // holds all of B^T.
  tile_pool pool(std::int64_t depth, const mp2_side& of, std::int64_t orbitals) const {
    const mp2_operand b = operand_of(design_, of);
    const int rows = int(std::min(design_.side, design_.naux));
    if (design_.home == mp2_home::whole) return nc_.sbuf_pool(1, rows, 1);
    const panel_size size = design_.home == mp2_home::panels
                                ? b.size(orbitals, of.nvir, design_.naux)
                                : b.size(1, of.block, design_.side);
    return nc_.sbuf_pool(int(depth), rows, size.kept, design_.type);
  }

  void load_energies(const mp2_operands& left, const mp2_operands& right) {
    const std::int64_t lanes = design_.lanes();
    nc_.issue(dma_copy{.out = energies_b_.whole(), .in = right.virtuals.repeat(lanes)});
    nc_.issue(dma_copy{.out = energies_i_.whole(), .in = left.occupied.repeat(lanes)});
    nc_.issue(dma_copy{.out = energies_j_.whole(), .in = right.occupied.repeat(lanes)});
    nc_.issue(memset{.out = energies_a_});  // rows beyond a short strip are read, not used
    const mp2_side& side = design_.left;
    for (std::int64_t a = 0; a < side.blocks(); ++a)
      for (std::int64_t s = 0; s < side.strips(a); ++s) {
        const std::int64_t first = a * side.block + s * side.strip,
                           rows = std::min(side.strip, side.block_size(a) - s * side.strip);
        nc_.issue(dma_copy{
            .out = energies_a_->columns(a * side.strips_max() + s, 1).partition_range(0, int(rows)),
            .in = left.virtuals.slice(0, first, rows).reshape({rows, 1})});
      }
  }

  // Loads the panels of orbitals i ... i + count - 1, and computes e_a - e_i, a column a strip.
  void begin_orbitals(std::int64_t i, std::int64_t count) {
    first_i_ = i;
    of_i_.clear();
    if (design_.home != mp2_home::streamed)
      for (std::int64_t x = 0; x < count; ++x)
        of_i_.push_back(
            left_.load(tiles_i_, {{i + x, 1}, {0, design_.left.nvir}, {0, design_.naux}}));
    bias_ = biases_.next();
    const std::int64_t strips = design_.left.strips_all();
    for (std::int64_t x = 0; x < count; ++x)
      nc_.issue(tensor_scalar{.out = bias_.columns(x * strips, strips),
                              .in = energies_a_,
                              .op0 = alu_op::subtract,
                              .operand0 = energies_i_->columns(i + x, 1)});
  }

  void begin_group(std::int64_t j, std::int64_t count) {
    first_j_ = j;
    if (design_.home != mp2_home::streamed)
      of_j_ = right_.load(tiles_j_, {{j, count}, {0, design_.right.nvir}, {0, design_.naux}});
    if (design_.right.blocks() > 1) return;
    const std::int64_t nvir = design_.right.nvir;
    group_gaps_ = gaps_.next();
    for (std::int64_t x = 0; x < count; ++x)
      nc_.issue(tensor_scalar{.out = group_gaps_.columns(x * nvir, nvir),
                              .in = energies_b_,
                              .op0 = alu_op::subtract,
                              .operand0 = energies_j_->columns(j + x, 1)});
  }

  // e_b - e_j in each column (j, b): a slice of the group's, from j on, where all b are one block;
  // else computed for block `b`.
  tile_view gaps_of(std::int64_t j, std::int64_t b) {
    const mp2_side& side = design_.right;
    if (side.blocks() == 1)
      return group_gaps_.columns((j - first_j_) * side.nvir,
                                 group_gaps_.elements() - (j - first_j_) * side.nvir);
    const tile_view gaps = gaps_.next().columns(0, side.block_size(b));
    nc_.issue(tensor_scalar{.out = gaps,
                            .in = energies_b_->columns(b * side.block, side.block_size(b)),
                            .op0 = alu_op::subtract,
                            .operand0 = energies_j_->columns(j, 1)});
    return gaps;
  }

  std::int64_t rows_of(const block& one, std::int64_t strip) const {
    return std::min(design_.left.strip,
                    design_.left.block_size(one.a) - strip * design_.left.strip);
  }

  void make_root(const block& one, std::int64_t strip, const tile_view& root) {
    const int rows = root.partitions();
    nc_.issue(activation{.out = root,
                         .in = one.gaps.partition_range(0, rows).columns(0, root.elements()),
                         .function = activation_function::rsqrt,
                         .bias = one.bias.partition_range(0, rows).columns(
                             one.a * design_.left.strips_max() + strip, 1)});
  }

  void item(std::int64_t i, std::int64_t j, std::int64_t count) {
    const std::int64_t strips = design_.left.strips_all();
    for (std::int64_t a = 0; a < design_.left.blocks(); ++a)
      for (std::int64_t b = design_.symmetric ? a : 0; b < design_.right.blocks(); ++b) {
        const tile_view bias = bias_.columns((i - first_i_) * strips, strips);
        const block one{
            .i = i, .j = j, .count = count, .a = a, .b = b, .gaps = gaps_of(j, b), .bias = bias};
        const bool transposed_too = design_.differences && a < b && !is_diagonal(one);
        kept_block made{.of = one};
        make(one, made.strips, &made.roots);
        if (transposed_too)
          make({.i = i, .j = j, .a = b, .b = a, .gaps = gaps_of(j, a), .bias = bias}, made.partners,
               nullptr);
        finish_differences();
        before_ = std::move(made);
        // T of an orbital's pair with itself is symmetric: no difference is left to be made.
        if (!design_.differences || (is_diagonal(one) && count == 1))
          before_.next = before_.strips.size();
      }
  }

  // Makes all strips of a block, with the copies of T and r that differences need. Streamed strips
  // are made together, so that each tile of B^T is loaded once for all of them.
  void make(const block& one, std::vector<tile_view>& kept, std::vector<tile_view>* roots) {
    const std::int64_t strips = design_.left.strips(one.a),
                       together = design_.home == mp2_home::streamed ? strips : 1;
    for (std::int64_t s = 0; s < strips; s += together) {
      std::vector<tile_view> banks;
      for (std::int64_t x = 0; x < std::min(together, strips - s); ++x)
        banks.push_back(
            banks_.next().partition_range(0, int(rows_of(one, s + x))).columns(0, width_of(one)));
      multiply(one, s, banks);
      for (std::size_t x = 0; x < banks.size(); ++x) {
        finish(one, s + std::int64_t(x), banks[x], kept, roots);
        if (before_.is_open()) difference(before_);
      }
    }
  }

  // Multiplies strips from `strip` on, each into its bank.
  void multiply(const block& one, std::int64_t strip, std::span<const tile_view> banks) {
    const mp2_side &left = design_.left, &right = design_.right;
    const std::int64_t width = width_of(one), rows = left.block_size(one.a);
    const auto add = [&](const mp2_panels::panel& of_i, std::int64_t row,
                         const mp2_panels::panel& of_j, std::int64_t column, bool onto) {
      for (std::size_t t = 0; t < of_i.k_tiles(); ++t)
        for (std::size_t x = 0; x < banks.size(); ++x) {
          bool accumulates = onto || t > 0;
          for_part_products(int(design_.planes), [&](int part, int other) {
            nc_.issue(matmul{
                .out = banks[x],
                .stationary = of_i.operand(t, part, row + (strip + std::int64_t(x)) * left.strip,
                                           banks[x].partitions()),
                .moving = of_j.operand(t, other, column, width),
                .accumulate = accumulates});
            accumulates = true;
          });
        }
    };
    if (design_.home != mp2_home::streamed)
      return add(of_i_[std::size_t(one.i - first_i_)], one.a * left.block, of_j_,
                 (one.j - first_j_) * right.nvir + one.b * right.block, false);
    for (std::int64_t k = 0; k < design_.naux; k += design_.side) {
      const axis_range some{k, std::min(design_.side, design_.naux - k)};
      add(left_.load(tiles_i_, {{one.i, 1}, {one.a * left.block, rows}, some}), 0,
          right_.load(tiles_j_, {{one.j, 1}, {one.b * right.block, width}, some}), 0, k > 0);
    }
  }

  void finish(const block& one, std::int64_t strip, const tile_view& bank,
              std::vector<tile_view>& kept, std::vector<tile_view>* roots) {
    const auto tile_of = [&](tile_pool& pool) {
      return pool.next().partition_range(0, bank.partitions()).columns(0, bank.elements());
    };
    const std::int64_t width = bank.elements();
    tile_view root, product;
    if (design_.squares) product = root = tile_of(products_);
    if (design_.differences) {
      kept.push_back(tile_of(strips_));
      evacuate(nc_, kept.back(), bank);
      if (roots != nullptr) roots->push_back(root = tile_of(roots_));
    }
    if (!root.empty()) make_root(one, strip, root);
    if (design_.squares)
      nc_.issue(tensor_tensor{.out = product, .left = bank, .right = root, .op = alu_op::multiply});
    square_all();
    if (!design_.squares) return;
    if (!design_.symmetric) return pending_.push_back({product, mp2_sums::square});
    // A pair i < j stands for (i, j) and (j, i), and counts twice. T of i = j is symmetric: its
    // blocks off the diagonal count twice, too.
    const bool diagonal = is_diagonal(one), whole = one.a == one.b;
    const std::int64_t own = diagonal && whole ? design_.right.block_size(one.b) : 0;
    if (own > 0) pending_.push_back({product.columns(0, own), mp2_sums::square});
    if (own < width)
      pending_.push_back({product.columns(own, width - own), mp2_sums::square_twice});
  }

  void finish_differences() {
    while (before_.is_open()) {
      difference(before_);
      square_all();
    }
  }

  // Makes (T - T^t) r of the block's next strip.
  void difference(kept_block& from) {
    const std::int64_t strip = std::int64_t(from.next++);
    const block& one = from.of;
    const tile_view& t = from.strips[std::size_t(strip)];
    const int rows = t.partitions();
    const std::int64_t columns = design_.right.block_size(one.b), width = t.elements(),
                       skip = is_diagonal(one) ? columns : 0;
    const tile_view bank = transposes_.next().partition_range(0, rows).columns(0, width);
    const std::vector<tile_view>& others = from.partners.empty() ? from.strips : from.partners;
    const std::int64_t of_other = design_.right.block_size(one.a);
    for (std::int64_t x = skip / columns; x < one.count; ++x)
      for (std::size_t q = 0; q < others.size(); ++q)
        nc_.issue(
            transpose{.out = bank.columns(x * columns + std::int64_t(q) * design_.left.strip,
                                          others[q].partitions()),
                      .in = others[q].columns(x * of_other + strip * design_.left.strip, rows)});
    const tile_view root = from.roots[std::size_t(strip)].columns(skip, width - skip),
                    result = differences_.next().partition_range(0, rows).columns(0, width - skip);
    nc_.issue(tensor_tensor{.out = result,
                            .left = t.columns(skip, width - skip),
                            .right = bank.columns(skip, width - skip),
                            .op = alu_op::subtract});
    nc_.issue(tensor_tensor{.out = result, .left = result, .right = root, .op = alu_op::multiply});
    pending_.push_back(
        {result, from.partners.empty() ? mp2_sums::difference : mp2_sums::difference_twice});
  }

  void square_all() {
    for (const square& one : pending_)
      nc_.issue(activation_reduce{
          .out =
              squares_.next().partition_range(0, one.of.partitions()).columns(0, one.of.elements()),
          .reduced = sums_.next(one.kind, one.of.partitions()),
          .in = one.of,
          .function = activation_function::square});
    pending_.clear();
  }

  std::int64_t width_of(const block& one) const {
    return one.count * design_.right.block_size(one.b);
  }
  bool is_diagonal(const block& one) const { return design_.symmetric && one.i == one.j; }

  core& nc_;
  const mp2_design& design_;
  mp2_panels &left_, &right_;
  mp2_sums sums_;
  tile energies_a_, energies_b_, energies_i_, energies_j_;
  tile_pool strips_, roots_, products_, differences_, squares_, gaps_, biases_, banks_, transposes_;
  tile_pool tiles_i_, tiles_j_;  // panels or tiles of B^T
  std::vector<mp2_panels::panel> of_i_;
  mp2_panels::panel of_j_;
  tile_view bias_, group_gaps_;
  std::int64_t first_i_ = 0, first_j_ = 0;
  kept_block before_;
  std::vector<square> pending_;
};

}  // namespace

void run_mp2(core& nc, const mp2_design& design, const mp2_operands& of_left,
             const mp2_operands& of_right, const hbm_view& out) {
  mp2_panels left(nc, design, design.left, of_left.b);
  std::optional<mp2_panels> right;
  if (!design.symmetric) right.emplace(nc, design, design.right, of_right.b);
  mp2_pairs pairs(nc, design, left, right ? *right : left, of_left, of_right);
  nc.issue(dma_copy{.out = out, .in = pairs.run()});
}

}  // namespace papilio::kernels_detail
