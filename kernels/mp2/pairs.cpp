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

// The orbitals of one spin: B and energies [nocc] and [nvir].
struct mp2_operands {
  hbm_view b, occupied, virtuals;
};

// The run over all pairs, strip by strip, with its tiles.
class mp2_pairs {
 public:
  mp2_pairs(core& nc, const mp2_design& design, const mp2_panels& left, const mp2_panels& right,
            const mp2_operands& of_left, const mp2_operands& of_right)
      : nc_(nc),
        design_(design),
        left_(left),
        right_(right),
        sums_(nc, design),
        energies_b_(loaded(of_right.virtuals)),
        energies_i_(loaded(of_left.occupied)),
        energies_j_(loaded(of_right.occupied)),
        energies_a_(nc.sbuf(int(design.partitions()), design.left.strips())),
        banks_(nc.psum_pool(4, int(design.partitions()), design.columns())),
        transposes_(nc.psum_pool(3, int(design.partitions()), design.columns())) {
    const auto pools = design.pools();
    for (std::size_t p = 0; p < pools.size(); ++p)
      if (design.home == mp2_home::whole && p <= mp2_design::of_j)
        pools_.push_back(pool_shape{}.make(nc, 1));  // all of B^T is here
      else
        pools_.push_back(
            pools[p].make(nc, p <= mp2_design::of_j ? design.array_rows : design.partitions()));
    load_rows(of_left.virtuals);
  }

  // The energies, [1, 1] or [2, 1].
  tile_view run() {
    const std::int64_t nocc = design_.left.nocc, others = design_.right.nocc;
    for (std::int64_t i = 0; i < nocc; i += design_.orbitals) {
      const std::int64_t count = std::min(design_.orbitals, nocc - i);
      for (std::int64_t j = design_.is_symmetric() ? i : 0; j < others; j += design_.group) {
        const std::int64_t together = std::min(design_.group, others - j);
        for (std::int64_t x = i; x < i + count; ++x) {
          const auto [from, to] = design_.partners(x);
          const std::int64_t first = std::max(from, j), last = std::min(to, j + together);
          if (first >= last) continue;
          // The first products wait for one panel of i, not for all.
          if (first_j_ != j) begin_group(j, together);
          if (first_i_ != i) begin_orbitals(i, count);
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
  };
  struct kept_block {
    block of = {};
    std::vector<tile_view> strips = {}, roots = {},
                           partners = {};  //< T, r; T of the transposed block
    std::size_t next = 0;
    bool is_open() const { return next < strips.size(); }
  };
  struct square {
    tile_view of;
    mp2_sums::kind kind;
  };

  tile_pool& pool(mp2_design::tiles which) { return pools_[which]; }
  static tile_view take(tile_pool& from, const tile_view& as) {
    return from.next().partition_range(0, as.partitions()).columns(0, as.elements());
  }
  tile_view take(mp2_design::tiles which, const tile_view& as) { return take(pool(which), as); }

  // Energies of orbitals, in all lanes.
  tile loaded(const hbm_view& energies) const {
    tile all = nc_.sbuf(int(design_.partitions()), energies.elements());
    nc_.issue(dma_copy{.out = all.whole(), .in = energies.repeat(design_.partitions())});
    return all;
  }

  // By strips.
  void load_rows(const hbm_view& energies) const {
    nc_.issue(memset{.out = energies_a_});  // lanes of short strips are read and not used
    const mp2_spin& spin = design_.left;
    for (std::int64_t s = 0; s < spin.strips(); ++s)
      nc_.issue(dma_copy{
          .out = energies_a_->columns(s, 1).partition_range(0, int(spin.rows(s))),
          .in = energies.slice(0, s * spin.strip, spin.rows(s)).reshape({spin.rows(s), 1})});
  }

  // out = in - e of an orbital.
  void subtract(const tile_view& out, const tile_view& in, const tile_view& e) {
    nc_.issue(tensor_scalar{.out = out, .in = in, .op0 = alu_op::subtract, .operand0 = e});
  }

  // Loads the panels of orbitals i ... i + count - 1, and computes e_a - e_i, a column a strip.
  void begin_orbitals(std::int64_t i, std::int64_t count) {
    first_i_ = i;
    of_i_.clear();
    const mp2_spin& spin = design_.left;
    if (design_.home != mp2_home::streamed)
      for (std::int64_t x = 0; x < count; ++x)
        of_i_.push_back(
            left_.load(pool(mp2_design::of_i), {{i + x, 1}, {0, spin.nvir}, {0, design_.naux}}));
    biases_ = pool(mp2_design::biases).next();
    for (std::int64_t x = 0; x < count; ++x)
      subtract(biases_.columns(x * spin.strips(), spin.strips()), energies_a_,
               energies_i_->columns(i + x, 1));
  }

  // e_b - e_j of some orbitals, and their panel.
  void begin_group(std::int64_t j, std::int64_t count) {
    first_j_ = j;
    const std::int64_t nvir = design_.right.nvir;
    if (design_.home != mp2_home::streamed)
      of_j_ = right_.load(pool(mp2_design::of_j), {{j, count}, {0, nvir}, {0, design_.naux}});
    gaps_ = pool(mp2_design::gaps).next();
    for (std::int64_t x = 0; x < count; ++x)
      subtract(gaps_.columns(x * nvir, nvir), energies_b_, energies_j_->columns(j + x, 1));
  }

  // Where a block's columns are in those of the group.
  std::int64_t column_of(const block& one) const {
    return (one.j - first_j_) * design_.right.nvir + one.b * design_.right.block;
  }

  void item(std::int64_t i, std::int64_t j, std::int64_t count) {
    for (std::int64_t a = 0; a < design_.left.blocks(); ++a)
      for (std::int64_t b = design_.is_symmetric() ? a : 0; b < design_.right.blocks(); ++b) {
        const block one{.i = i, .j = j, .count = count, .a = a, .b = b};
        kept_block made{.of = one};
        make(one, made.strips, &made.roots);
        if (design_.is_symmetric() && a < b && i != j)
          make({.i = i, .j = j, .a = b, .b = a}, made.partners, nullptr);
        finish_differences();
        before_ = std::move(made);
        // T of an orbital paired with itself is symmetric: its own transpose is the partner.
        if (is_diagonal(one) && count == 1) before_.next = before_.strips.size();
      }
  }

  // Makes all strips of a block, with the copies of T and r that differences need. Streamed strips
  // are made together, so that each tile of B^T is loaded once for all of them.
  void make(const block& one, std::vector<tile_view>& kept, std::vector<tile_view>* roots) {
    const std::int64_t of_block = design_.left.strips_of_block(),
                       last = std::min((one.a + 1) * of_block, design_.left.strips()),
                       together = design_.home == mp2_home::streamed ? of_block : 1;
    for (std::int64_t s = one.a * of_block; s < last; s += together) {
      std::vector<tile_view> banks;
      for (std::int64_t x = s; x < std::min(s + together, last); ++x)
        banks.push_back(
            banks_.next().partition_range(0, int(design_.left.rows(x))).columns(0, width_of(one)));
      multiply(one, s % of_block * design_.left.strip, banks);
      for (std::size_t x = 0; x < banks.size(); ++x) {
        finish(one, s + std::int64_t(x), banks[x], kept, roots);
        if (before_.is_open()) difference(before_);
      }
    }
  }

  // Strips of a block from a row of it on, one for each bank.
  void multiply(const block& one, std::int64_t row, std::span<const tile_view> banks) {
    for (std::int64_t k = 0; k < design_.naux; k += design_.panel_rows()) {
      const auto [of_i, of_j] = panels_of(one, k);
      for (std::size_t t = 0; t < of_i.k_tiles(); ++t)
        for (std::size_t x = 0; x < banks.size(); ++x) {
          bool accumulates = k > 0 || t > 0;
          for_part_products(design_.operands.parts, [&](int part, int other) {
            nc_.issue(matmul{
                .out = banks[x],
                .stationary = of_i.operand(t, part, row + std::int64_t(x) * design_.left.strip,
                                           banks[x].partitions()),
                .moving = of_j.operand(t, other, 0, banks[x].elements()),
                .accumulate = accumulates});
            accumulates = true;
          });
        }
    }
  }

  // From a block's first row and column on, of auxiliary functions from k on.
  std::pair<mp2_panels::panel, mp2_panels::panel> panels_of(const block& one, std::int64_t k) {
    const mp2_spin &left = design_.left, &right = design_.right;
    if (design_.home != mp2_home::streamed)
      return {of_i_[std::size_t(one.i - first_i_)].from(one.a * left.block),
              of_j_.from(column_of(one))};
    const axis_range some{k, std::min(design_.array_rows, design_.naux - k)};
    const axis_ranges rows{{one.i, 1}, {one.a * left.block, left.columns(one.a)}, some},
        columns{{one.j, 1}, {one.b * right.block, right.columns(one.b)}, some};
    return {left_.load(pool(mp2_design::of_i), rows), right_.load(pool(mp2_design::of_j), columns)};
  }

  void finish(const block& one, std::int64_t strip, const tile_view& bank,
              std::vector<tile_view>& kept, std::vector<tile_view>* roots) {
    tile_view root, product;
    if (design_.has_squares()) product = root = take(mp2_design::products, bank);
    if (design_.is_symmetric()) {
      kept.push_back(take(mp2_design::strips, bank));
      evacuate(nc_, kept.back(), bank);
      if (roots != nullptr) roots->push_back(root = take(mp2_design::roots, bank));
    }
    const std::int64_t width = bank.elements(),
                       bias = (one.i - first_i_) * design_.left.strips() + strip;
    const int rows = bank.partitions();
    if (!root.empty())
      nc_.issue(activation{.out = root,
                           .in = gaps_.columns(column_of(one), width).partition_range(0, rows),
                           .function = activation_function::rsqrt,
                           .bias = biases_.columns(bias, 1).partition_range(0, rows)});
    if (design_.has_squares())
      nc_.issue(tensor_tensor{.out = product, .left = bank, .right = root, .op = alu_op::multiply});
    square_all();
    if (!design_.has_squares()) return;
    // A pair i < j stands for two; of i = j so does a block off the diagonal.
    const std::int64_t own = !design_.is_symmetric()              ? width
                             : is_diagonal(one) && one.a == one.b ? design_.right.columns(one.b)
                                                                  : 0;
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
    const std::int64_t columns = design_.right.columns(one.b), width = t.elements(),
                       skip = is_diagonal(one) ? columns : 0;
    const tile_view bank = take(transposes_, t);
    const std::vector<tile_view>& others = from.partners.empty() ? from.strips : from.partners;
    const std::int64_t of_other = design_.right.columns(one.a);
    for (std::int64_t x = skip / columns; x < one.count; ++x)
      for (std::size_t q = 0; q < others.size(); ++q)
        nc_.issue(transpose{
            .out = bank.columns(x * columns + std::int64_t(q) * design_.left.strip,
                                others[q].partitions()),
            .in = others[q].columns(x * of_other + strip * design_.left.strip, t.partitions())});
    const tile_view root = from.roots[std::size_t(strip)].columns(skip, width - skip),
                    result = take(mp2_design::differences, root);
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
      nc_.issue(activation_reduce{.out = take(mp2_design::squares, one.of),
                                  .reduced = sums_.next(one.kind, one.of.partitions()),
                                  .in = one.of,
                                  .function = activation_function::square});
    pending_.clear();
  }

  std::int64_t width_of(const block& one) const { return one.count * design_.right.columns(one.b); }
  bool is_diagonal(const block& one) const { return design_.is_symmetric() && one.i == one.j; }

  core& nc_;
  const mp2_design& design_;
  const mp2_panels &left_, &right_;
  mp2_sums sums_;
  tile energies_b_, energies_i_, energies_j_, energies_a_;
  std::vector<tile_pool> pools_ = {};  // as the design names them
  tile_pool banks_, transposes_;
  std::vector<mp2_panels::panel> of_i_ = {};
  mp2_panels::panel of_j_ = {};
  tile_view biases_ = {}, gaps_ = {};
  std::int64_t first_i_ = -1, first_j_ = -1;  // of those that are here
  kept_block before_ = {};
  std::vector<square> pending_ = {};
};

}  // namespace

void run_mp2(core& nc, const mp2_design& design, const kernel_arguments& given) {
  // B may have more orbitals behind these.
  const auto operands = [&](std::size_t first, const mp2_spin& of) {
    return mp2_operands{.b = given.in(first).slice(0, design.frozen, of.nocc),
                        .occupied = given.in(first + 1).slice(0, design.frozen, of.nocc),
                        .virtuals = given.in(first + 2)};
  };
  const mp2_operands of_left = operands(0, design.left),
                     of_right = operands(design.is_symmetric() ? 0 : 3, design.right);
  const mp2_panels left(nc, design, design.left, of_left.b);
  std::optional<mp2_panels> right;
  if (!design.is_symmetric()) right.emplace(nc, design, design.right, of_right.b);
  mp2_pairs pairs(nc, design, left, right ? *right : left, of_left, of_right);
  const hbm_view& out = given.out(0);
  nc.issue(dma_copy{.out = out.reshape({out.elements(), 1}), .in = pairs.run()});
}

}  // namespace papilio::kernels_detail
