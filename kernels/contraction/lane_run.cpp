// A step of a contraction on the vector engine: diagonals, sums, and products of few terms.
//   identity   out[p, f] = sum over z of left[p, f, z] right[p, f, z]
//   layout     tiles of operands are [partitions p, the other axes in HBM's order]; products lie as
//              [f, z], are reduced over z, and are stored in the order of the output
//   sums       where p is summed too, each partition adds up the results of all blocks, and a
//              product with ones on the tensor engine adds up the partitions
//   bound      DMA, or the vector engine: a pass that multiplies, and one that sums the products
#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/contraction/step_designs.hpp"
#include "kernels/product/blocks.hpp"
#include "kernels/tiles.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

// The layout of a tensor's block in its tile. The result of summed partitions lies on one.
tile_layout layout_in(operand_role s, const contraction_step& step,
                      const vector_step_design& design, const axis_ranges& ranges) {
  return {step, s,
          s == operand_role::out && design.are_partitions_summed ? axis_partitions{}
                                                                 : design.partitions,
          ranges};
}

struct vector_sizes {
  std::int64_t left = 1, right = 1, product = 1, result = 1;
};

vector_sizes sizes_of(const contraction_step& step, const vector_step_design& d) {
  const axis_ranges ranges = block_walk(step, d.loops).ranges(0);
  const std::int64_t kept = pieces_in(d.partitions, d.kept, ranges),
                     all = kept * pieces_in(d.partitions, d.summed, ranges);
  return {layout_in(operand_role::left, step, d, ranges).words(),
          step.is_pair ? layout_in(operand_role::right, step, d, ranges).words() : 1,
          step.planes * all, step.planes * kept};
}

class vector_run {
 public:
  vector_run(core& nc, const contraction_step& step, const vector_step_design& design,
             const step_tensors& tensors)
      : nc_(nc),
        step_(step),
        design_(design),
        tensors_(tensors),
        walk_(step, design.loops),
        sizes_(sizes_of(step, design)),
        lefts_(pool(2, sizes_.left)),
        rights_(pool(2, sizes_.right)),
        products_(pool(1, sizes_.product)),
        parts_(pool(1, sizes_.result)),
        results_(pool(2, sizes_.result)) {}

  void run(std::int64_t blocks) {
    blocks = std::min(blocks, walk_.blocks());
    for (std::int64_t i = 0; i < blocks; ++i) block(i);
  }

 private:
  tile_pool pool(int depth, std::int64_t words) {
    return nc_.sbuf_pool(depth, nc_.machine().sbuf.partitions, words);
  }

  void block(std::int64_t i) {
    ranges_ = walk_.ranges(i);
    const bool begins = walk_.place(i, design_.summed) == 0,
               ends = i + 1 == walk_.blocks() || walk_.place(i + 1, design_.summed) == 0;
    const axis_partitions& g = design_.partitions;
    partitions_ = int(g.inner * (g.cut < 0 ? 1 : ranges_[std::size_t(g.cut)].count));
    const tile_layout out = layout_in(operand_role::out, step_, design_, ranges_);
    if (begins) {
      result_ = results_.next();
      if (design_.are_partitions_summed)
        nc_.issue(memset{.out = result_.columns(0, sizes_.result)});
    }
    left_ = brought(operand_role::left, lefts_);
    if (step_.is_pair) right_ = brought(operand_role::right, rights_);
    const bool adds = design_.are_partitions_summed || !begins;
    const tile_view to = adds ? parts_.next() : result_;
    evaluate(terms_of(out), to);
    if (adds) {
      const tile_view sum = part(result_, out.words());
      nc_.issue(tensor_tensor{.out = sum, .left = sum, .right = part(to, out.words())});
    }
    if (!ends) return;
    if (design_.are_partitions_summed) return store_sum(out);
    if (design_.adds_to_output) {
      const tile_view before = part(parts_.next(), out.words()), sum = part(result_, out.words());
      out.issue(nc_, transfer::load, before, tensors_.of(operand_role::out));
      nc_.issue(tensor_tensor{.out = sum, .left = before, .right = sum});
    }
    out.issue(nc_, transfer::store, result_, tensors_.of(operand_role::out));
  }

  tile_view part(const tile_view& tile, std::int64_t words) const {
    return tile.partition_range(0, partitions_).columns(0, words);
  }

  tile_view brought(operand_role s, tile_pool& pool) {
    const tile_layout lies = layout_in(s, step_, design_, ranges_);
    const tile_view tile = part(pool.next(), lies.words());
    lies.issue(nc_, transfer::load, tile, tensors_.of(s));
    return tile;
  }

  // The loops over a block's products, with strides in both operands' tiles and in the products'
  // tile, where they lie contiguous as [kept, summed]. Where sums have one term, products go
  // straight to the result's tile, in its order.
  struct block_terms {
    tile_layout out, first, second;
    view_levels levels = {};
    std::int64_t kept = 1, terms = 1;

    std::int64_t all() const { return kept * terms; }
  };
  block_terms terms_of(const tile_layout& out) const {
    block_terms t{out, layout_in(operand_role::left, step_, design_, ranges_),
                  layout_in(operand_role::right, step_, design_, ranges_)};
    const auto add = [&](const std::vector<int>& axes, std::int64_t& count) {
      for (const int a : axes) {
        if (design_.partitions.has(a)) continue;
        const std::int64_t extent = ranges_[std::size_t(a)].count;
        t.levels.push_back({extent, {t.first.stride(a), t.second.stride(a), out.stride(a)}});
        count *= extent;
      }
    };
    add(slowest_first(step_, design_.kept, operand_role::out), t.kept);
    add(slowest_first(step_, design_.summed, operand_role::left), t.terms);
    if (t.terms == 1) return t;
    std::int64_t words = 1;
    for (std::size_t i = t.levels.size(); i-- > 0;) {
      t.levels[i].strides[2] = words;
      words *= t.levels[i].extent;
    }
    return t;
  }

  // Computes the products of plane a of the left and b of the right operand; with one operand, it
  // copies that one's elements, negated where they are to be.
  void make_terms(const block_terms& t, int a, int b, const tile_view& where, std::int64_t at,
                  bool negated = false) {
    const auto most = std::size_t(nc_.machine().access.pattern_dims_max);
    for_each_part(merged(t.levels), most, [&](const auto& offsets, auto rest) {
      const tile_view to = viewed(where.partition_range(0, partitions_), at + offsets[2], rest, 2),
                      left = viewed(left_, a * t.first.plane() + offsets[0], rest, 0);
      if (step_.is_pair)
        nc_.issue(tensor_tensor{.out = to,
                                .left = left,
                                .right = viewed(right_, b * t.second.plane() + offsets[1], rest, 1),
                                .op = alu_op::multiply});
      else if (negated)
        nc_.issue(tensor_scalar{.out = to, .in = left, .op0 = alu_op::multiply, .operand0 = -1.0F});
      else
        nc_.issue(tensor_copy{.out = to, .in = left});
    });
  }

  // Sums the products that lie from `at` on, over their summed axes.
  void reduce(const block_terms& t, const tile_view& to, int plane, const tile_view& products,
              std::int64_t at) {
    nc_.issue(tensor_reduce{
        .out = to.partition_range(0, partitions_).columns(plane * t.out.plane(), t.kept),
        .in = products.partition_range(0, partitions_)
                  .columns(at, t.all())
                  .reshape({t.kept, t.terms})});
  }

  void evaluate(const block_terms& t, const tile_view& to) {
    if (step_.is_pair && step_.planes == 2) return evaluate_complex(t, to);
    const bool sums = t.terms > 1;
    for (int p = 0; p < step_.planes; ++p) {
      const tile_view products = sums ? products_.next() : to;
      make_terms(t, p, p, products, sums ? 0 : p * t.out.plane(), p == 1 && step_.conjugate[0]);
      if (sums) reduce(t, to, p, products, 0);
    }
  }

  // (ar + i ai)(br + i bi): re = ar br -+ ai bi, im = +-ar bi +- ai br, with the signs of the
  // operands that are conjugated.
  void evaluate_complex(const block_terms& t, const tile_view& to) {
    const bool left = step_.conjugate[0], right = step_.conjugate[1];
    const tile_view products = products_.next(), partitions = to.partition_range(0, partitions_);
    const auto term = [&](int i) {
      return products.partition_range(0, partitions_).columns(i * t.all(), t.all());
    };
    const auto combine = [&](int plane, int one, alu_op op) {
      const tile_view result =
          t.terms > 1 ? term(one) : partitions.columns(plane * t.out.plane(), t.all());
      nc_.issue(tensor_tensor{.out = result, .left = term(one), .right = term(1 - one), .op = op});
      if (t.terms > 1) reduce(t, to, plane, products, one * t.all());
    };
    make_terms(t, 0, 0, products, 0);
    make_terms(t, 1, 1, products, t.all());
    combine(0, 0, left == right ? alu_op::subtract : alu_op::add);
    make_terms(t, 0, 1, products, 0);
    make_terms(t, 1, 0, products, t.all());
    combine(1, right && !left ? 1 : 0, left == right ? alu_op::add : alu_op::subtract);
    if (!left || !right) return;
    const tile_view im = partitions.columns(t.out.plane(), t.out.words() - t.out.plane());
    nc_.issue(tensor_scalar{.out = im, .in = im, .op0 = alu_op::multiply, .operand0 = -1.0F});
  }

  // Adds up the partitions by a product with ones, bank by bank, and stores the sums.
  void store_sum(const tile_layout& out) {
    const int partitions = nc_.machine().sbuf.partitions;
    if (!ones_) {
      ones_.emplace(nc_.sbuf(partitions, 1));
      nc_.issue(memset{.out = *ones_, .value = 1});
    }
    const std::int64_t bank = product_columns(nc_.machine());
    tile_pool banks = nc_.psum_pool(2, 1, bank);
    const tile_view sum = parts_.next().partition_range(0, 1);
    for (std::int64_t i = 0; i < out.words(); i += bank) {
      const std::int64_t count = std::min(bank, out.words() - i);
      const tile_view one = banks.next().columns(0, count);
      nc_.issue(matmul{.out = one,
                       .stationary = *ones_,
                       .moving = result_.partition_range(0, partitions).columns(i, count)});
      evacuate(nc_, sum.columns(i, count), one);
    }
    out.issue(nc_, transfer::store, sum, tensors_.of(operand_role::out));
  }

  core& nc_;
  const contraction_step& step_;
  const vector_step_design& design_;
  const step_tensors& tensors_;
  block_walk walk_;
  vector_sizes sizes_;
  tile_pool lefts_, rights_, products_, parts_, results_;
  std::optional<tile> ones_;
  axis_ranges ranges_;
  tile_view left_, right_, result_;
  int partitions_ = 1;
};

}  // namespace

bool has_room(const contraction_step& step, const vector_step_design& design,
              const machine_spec& machine, std::int64_t words) {
  const vector_sizes s = sizes_of(step, design);
  return std::max({s.left, s.right, s.product, s.result}) <=
             machine.thresholds.contraction_tile_elements_max &&
         2 * (s.left + s.right) + s.product + 3 * s.result + 6 * 16 <= words;
}

double effort_of(const contraction_step& step, const vector_step_design& design) {
  static_cast<void>(design);
  return 16.0 * double(step.planes);
}

void run_on_vector(core& nc, const contraction_step& step, const vector_step_design& design,
                   const step_tensors& tensors, std::int64_t blocks) {
  vector_run(nc, step, design, tensors).run(blocks);
}

}  // namespace papilio::kernels_detail
