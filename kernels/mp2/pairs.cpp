// Energies of pairs of orbitals.
//   identity   -sum T (T - T^t) / D = -1/2 sum ((T - T^t) r)^2, r = (e_a + e_b - e_i - e_j)^(-1/2)
//   layout     T as strips [a, (j, b)]: products in a bank of PSUM, a copy in SBUF for T^t
//   order      products of a strip; squares of the strip before; T^t of a strip of the block before
//   bound      tensor engine: strips * k tiles * columns, and a transpose for each 128 x 128 of T
#include "kernels/mp2/pairs.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr int streamed_ahead = 6;

// T, its transpose and the sums, strip by strip. While a strip is multiplied, the one before is
// squared, and of the block before one strip's difference to its transpose is made.
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
        roots_(nc.sbuf_pool(3, int(design.lanes()), design.columns())),
        products_(nc.sbuf_pool(2, int(design.lanes()), design.squares ? design.columns() : 1)),
        differences_(
            nc.sbuf_pool(2, int(design.lanes()), design.differences ? design.columns() : 1)),
        squares_(nc.sbuf_pool(2, int(design.lanes()), design.columns(), dtype::bf16)),
        gaps_(
            nc.sbuf_pool(design.right.blocks() > 1 ? 4 : 2, int(design.lanes()), design.columns())),
        biases_(nc.sbuf_pool(2, int(design.lanes()), design.orbitals * design.left.strips_all())),
        banks_(nc.psum_pool(4, int(design.lanes()), design.columns())),
        transposes_(nc.psum_pool(3, int(design.lanes()), design.columns())) {
    const int rows = int(std::min(design.side, design.naux));
    const auto pool = [&](std::int64_t depth, std::int64_t columns) {
      return nc.sbuf_pool(int(depth), rows, columns, design.type);
    };
    const std::int64_t depth = design.k_tiles * design.planes;
    if (design.home == mp2_home::panels) {
      panels_i_ = pool(design.orbitals, depth * design.left.nvir);
      panels_j_ = pool(2, depth * design.group * design.right.nvir);
    } else if (design.home == mp2_home::streamed) {
      tiles_i_ = pool(streamed_ahead, design.planes * design.left.block);
      tiles_j_ = pool(streamed_ahead, design.planes * design.right.block);
    }
    load_energies(of_left, of_right);
  }

  // The energies, [1, 1] or [1, 2].
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
          if (!is_begun) begin_orbitals(i, count);
          if (!has_group) begin_group(j, together);
          is_begun = has_group = true;
          item(x, first, last - first);
        }
      }
    }
    finish_differences();
    square_all();
    return sums_.energies(design_.squares ? 1.0F : 2.0F);
  }

 private:
  // B_i of rows of block `a` times B_j of columns of block `b`, j in [j, j + count).
  struct block {
    std::int64_t i = 0, j = 0, count = 1, a = 0, b = 0;
    tile_view gaps = {};  //< e_b - e_j by columns
    tile_view bias = {};  //< e_a - e_i by strips
  };
  struct kept_block {
    block of;
    std::vector<tile_view> strips = {}, partners = {};  //< T; the transposed block's
    std::size_t next = 0;
    bool is_open() const { return next < strips.size(); }
  };
  struct square {
    tile_view of;
    mp2_sums::kind kind;
  };

  void load_energies(const mp2_operands& left, const mp2_operands& right) {
    const std::int64_t lanes = design_.lanes();
    nc_.issue(dma_copy{.out = energies_b_.whole(), .in = right.virtuals.repeat(lanes)});
    nc_.issue(dma_copy{.out = energies_i_.whole(), .in = left.occupied.repeat(lanes)});
    nc_.issue(dma_copy{.out = energies_j_.whole(), .in = right.occupied.repeat(lanes)});
    nc_.issue(memset{.out = energies_a_});  // lanes of short strips are read and not used
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

  // e_a - e_i of some orbitals by strips, and their panels.
  void begin_orbitals(std::int64_t i, std::int64_t count) {
    first_i_ = i;
    of_i_.clear();
    if (design_.home != mp2_home::streamed)
      for (std::int64_t x = 0; x < count; ++x)
        of_i_.push_back(left_.orbitals(panels_i_ ? &*panels_i_ : nullptr, i + x, 1));
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
      of_j_ = right_.orbitals(panels_j_ ? &*panels_j_ : nullptr, j, count);
    if (design_.right.blocks() > 1) return;
    const std::int64_t nvir = design_.right.nvir;
    group_gaps_ = gaps_.next();
    for (std::int64_t x = 0; x < count; ++x)
      nc_.issue(tensor_scalar{.out = group_gaps_.columns(x * nvir, nvir),
                              .in = energies_b_,
                              .op0 = alu_op::subtract,
                              .operand0 = energies_j_->columns(j + x, 1)});
  }

  // e_b - e_j by columns: of a group those of j on; of a block its own.
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

  tile_view inverse_root(const block& one, std::int64_t strip) {
    const int rows = int(rows_of(one, strip));
    const std::int64_t width = width_of(one);
    const tile_view root = roots_.next().partition_range(0, rows).columns(0, width);
    nc_.issue(activation{.out = root,
                         .in = one.gaps.partition_range(0, rows).columns(0, width),
                         .function = activation_function::rsqrt,
                         .bias = one.bias.partition_range(0, rows).columns(
                             one.a * design_.left.strips_max() + strip, 1)});
    return root;
  }

  void item(std::int64_t i, std::int64_t j, std::int64_t count) {
    const std::int64_t strips = design_.left.strips_all();
    for (std::int64_t a = 0; a < design_.left.blocks(); ++a)
      for (std::int64_t b = design_.symmetric ? a : 0; b < design_.right.blocks(); ++b) {
        const tile_view bias = bias_.columns((i - first_i_) * strips, strips);
        const block one{
            .i = i, .j = j, .count = count, .a = a, .b = b, .gaps = gaps_of(j, b), .bias = bias};
        const bool transposed_too = design_.differences && a < b && !is_diagonal(one);
        kept_block made{.of = one, .strips = make(one)};
        if (transposed_too)
          made.partners =
              make({.i = i, .j = j, .a = b, .b = a, .gaps = gaps_of(j, a), .bias = bias});
        finish_differences();
        before_ = std::move(made);
        // Of the pair of an orbital with itself T is symmetric.
        if (!design_.differences || (is_diagonal(one) && count == 1))
          before_.next = before_.strips.size();
      }
  }

  // All strips of a block; their copies in SBUF, where differences need them.
  std::vector<tile_view> make(const block& one) {
    const std::int64_t strips = design_.left.strips(one.a),
                       together = design_.home == mp2_home::streamed ? strips : 1;
    std::vector<tile_view> kept;
    for (std::int64_t s = 0; s < strips; s += together) {
      std::vector<tile_view> banks;
      for (std::int64_t x = 0; x < std::min(together, strips - s); ++x)
        banks.push_back(
            banks_.next().partition_range(0, int(rows_of(one, s + x))).columns(0, width_of(one)));
      multiply(one, s, banks);
      for (std::size_t x = 0; x < banks.size(); ++x) {
        finish(one, s + std::int64_t(x), banks[x], kept);
        if (before_.is_open()) difference(before_);
      }
    }
    return kept;
  }

  // Strips from `strip` on, one for each bank.
  void multiply(const block& one, std::int64_t strip, std::span<const tile_view> banks) {
    const mp2_side &left = design_.left, &right = design_.right;
    const std::int64_t width = width_of(one), rows = left.block_size(one.a);
    const bool streamed = design_.home == mp2_home::streamed;
    for (std::int64_t t = 0; t < design_.k_tiles; ++t) {
      tile_view of_i, of_j;
      if (streamed) {
        of_i = left_.k_tile(*tiles_i_, t, one.i, one.a * left.block, rows);
        of_j = right_.k_tile(*tiles_j_, t, one.j, one.b * right.block, width);
      }
      for (std::size_t x = 0; x < banks.size(); ++x) {
        const std::int64_t first = (strip + std::int64_t(x)) * left.strip,
                           count = rows_of(one, strip + std::int64_t(x));
        for (std::size_t p = 0; p < design_.products.size(); ++p) {
          const auto [of_left, of_right] = design_.products[p];
          const tile_view stationary =
              streamed ? of_i.columns(of_left * rows + first, count)
                       : left_.operand(of_i_[std::size_t(one.i - first_i_)], t, of_left,
                                       one.a * left.block + first, count);
          const tile_view moving =
              streamed
                  ? of_j.columns(of_right * width, width)
                  : right_.operand(of_j_, t, of_right,
                                   (one.j - first_j_) * right.nvir + one.b * right.block, width);
          nc_.issue(matmul{.out = banks[x],
                           .stationary = stationary,
                           .moving = moving,
                           .accumulate = t > 0 || p > 0});
        }
      }
    }
  }

  void finish(const block& one, std::int64_t strip, const tile_view& bank,
              std::vector<tile_view>& kept) {
    const int rows = bank.partitions();
    const std::int64_t width = bank.elements();
    tile_view root, product;
    if (design_.squares) root = inverse_root(one, strip);
    if (design_.differences) {
      kept.push_back(strips_.next().partition_range(0, rows).columns(0, width));
      evacuate(nc_, kept.back(), bank);
    }
    if (design_.squares) {
      product = products_.next().partition_range(0, rows).columns(0, width);
      nc_.issue(tensor_tensor{.out = product, .left = bank, .right = root, .op = alu_op::multiply});
    }
    square_all();
    if (!design_.squares) return;
    if (!design_.symmetric) return pending_.push_back({product, mp2_sums::square});
    // A pair i < j stands for two; of i = j so does a block off the diagonal.
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

  // A strip of (T - T^t) r.
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
    const tile_view root = inverse_root(one, strip).columns(skip, width - skip),
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
  std::optional<tile_pool> panels_i_, panels_j_, tiles_i_, tiles_j_;
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
