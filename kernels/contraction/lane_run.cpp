// A step lane by lane.
//   identity   out[p, f] = sum over z of left[p, f, z] right[p, f, z]
//   layout     tiles [lanes of p, the operand's other axes in HBM's order]; what is multiplied lies
//              as [f, z], is reduced over z, and stored in the order of the output
//   sums       where p is summed too, lanes add up what all blocks give, and ones on the tensor
//              engine add up the lanes
#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/contraction/blocks.hpp"
#include "kernels/contraction/step_designs.hpp"
#include "kernels/tiles.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

// Lanes that are summed are added up: the result has none.
tile_layout layout_in(side s, const contraction_step& step, const lane_step_design& design,
                      const axis_ranges& ranges) {
  return {step, s, s == side::out && design.lanes_summed ? axis_lanes{} : design.lanes, ranges};
}

struct lane_sizes {
  std::int64_t left = 1, right = 1, product = 1, result = 1;
};

std::int64_t count_of(const std::vector<int>& axes, const axis_lanes& but,
                      const axis_ranges& ranges) {
  std::int64_t count = 1;
  for (const int a : axes)
    if (!but.has(a)) count *= ranges[std::size_t(a)].count;
  return count;
}

lane_sizes sizes_of(const contraction_step& step, const lane_step_design& d) {
  const axis_ranges ranges = block_walk(step, d.loops).ranges(0);
  const std::int64_t kept = count_of(d.kept, d.lanes, ranges),
                     all = kept * count_of(d.summed, d.lanes, ranges);
  return {layout_in(side::left, step, d, ranges).words(),
          step.is_pair ? layout_in(side::right, step, d, ranges).words() : 1, step.planes * all,
          step.planes * kept};
}

class lane_run {
 public:
  lane_run(core& nc, const contraction_step& step, const lane_step_design& design,
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
    const axis_lanes& g = design_.lanes;
    lanes_ = int(g.inner * (g.cut < 0 ? 1 : ranges_[std::size_t(g.cut)].count));
    const tile_layout out = layout_in(side::out, step_, design_, ranges_);
    if (begins) {
      result_ = results_.next();
      if (design_.lanes_summed) nc_.issue(memset{.out = result_.columns(0, sizes_.result)});
    }
    const tile_view left = brought(side::left, lefts_),
                    right = step_.is_pair ? brought(side::right, rights_) : tile_view{};
    const bool adds = design_.lanes_summed || !begins;
    const tile_view to = adds ? parts_.next() : result_;
    evaluate(out, to, left, right);
    if (adds) {
      const tile_view sum = part(result_, out.words());
      nc_.issue(tensor_tensor{.out = sum, .left = sum, .right = part(to, out.words())});
    }
    if (!ends) return;
    if (design_.lanes_summed) return store_sum(out);
    if (design_.adds_to_output) {
      const tile_view before = part(parts_.next(), out.words()), sum = part(result_, out.words());
      out.load(nc_, before, tensors_.flat[std::size_t(side::out)]);
      nc_.issue(tensor_tensor{.out = sum, .left = before, .right = sum});
    }
    out.store(nc_, tensors_.flat[std::size_t(side::out)], result_);
  }

  tile_view part(const tile_view& tile, std::int64_t words) const {
    return tile.partition_range(0, lanes_).columns(0, words);
  }

  tile_view brought(side s, tile_pool& pool) {
    const tile_layout lies = layout_in(s, step_, design_, ranges_);
    const tile_view tile = part(pool.next(), lies.words());
    lies.load(nc_, tile, tensors_.flat[std::size_t(s)]);
    return tile;
  }

  // The axes of the result in its order, then the summed ones, with strides in three places.
  view_levels loops(const tile_layout& first, const tile_layout* second, const tile_layout* third,
                    bool with_summed) const {
    std::vector<int> kept, summed;
    for (const int a : slowest_first(step_, design_.kept, side::out))
      if (!design_.lanes.has(a)) kept.push_back(a);
    for (const int a : slowest_first(step_, design_.summed, side::left))
      if (!design_.lanes.has(a)) summed.push_back(a);
    if (with_summed) kept.insert(kept.end(), summed.begin(), summed.end());
    view_levels levels;
    for (const int a : kept)
      levels.push_back(
          {ranges_[std::size_t(a)].count,
           {first.stride(a), second ? second->stride(a) : 0, third ? third->stride(a) : 0}});
    return levels;
  }

  // As [kept, summed], row by row.
  static void pack(view_levels& levels, std::size_t place) {
    std::int64_t words = 1;
    for (std::size_t i = levels.size(); i-- > 0;) {
      levels[i].strides[place] = words;
      words *= levels[i].extent;
    }
  }

  void evaluate(const tile_layout& out, const tile_view& to, const tile_view& left,
                const tile_view& right) {
    const tile_layout first = layout_in(side::left, step_, design_, ranges_);
    const std::int64_t terms = count_of(design_.summed, design_.lanes, ranges_);
    if (!step_.is_pair) return permute(out, to, left, first, terms);
    const tile_layout second = layout_in(side::right, step_, design_, ranges_);
    view_levels levels = loops(first, &second, nullptr, true);
    const std::int64_t all = elements_of(levels), kept = all / terms;
    if (terms == 1) levels = loops(first, &second, &out, false);
    if (terms > 1) pack(levels, 2);
    const tile_view products = terms > 1 || step_.planes == 2 ? products_.next() : to;
    const auto multiply = [&](std::int64_t a, std::int64_t b, const tile_view& where,
                              std::int64_t at) {
      for_each_part(merged(levels), most_levels(), [&](const auto& offsets, auto rest) {
        nc_.issue(
            tensor_tensor{.out = viewed(where.partition_range(0, lanes_), at + offsets[2], rest, 2),
                          .left = viewed(left, a * first.plane() + offsets[0], rest, 0),
                          .right = viewed(right, b * second.plane() + offsets[1], rest, 1),
                          .op = alu_op::multiply});
      });
    };
    if (step_.planes == 1) {
      multiply(0, 0, products, 0);
      if (terms > 1) reduce(to, 0, products, 0, kept, terms);
      return;
    }
    complex_products(out, to, products, terms, kept, all, multiply);
  }

  template <class Multiply>
  void complex_products(const tile_layout& out, const tile_view& to, const tile_view& products,
                        std::int64_t terms, std::int64_t kept, std::int64_t all,
                        const Multiply& multiply) {
    const bool left = step_.conjugate[0], right = step_.conjugate[1];
    const auto place = [&](std::int64_t i) { return i * all; };
    const auto combine = [&](int plane, std::int64_t one, std::int64_t other, alu_op op) {
      const tile_view lanes = products.partition_range(0, lanes_);
      const tile_view result =
          terms > 1 ? lanes.columns(place(one), all)
                    : to.partition_range(0, lanes_).columns(plane * out.plane(), all);
      nc_.issue(tensor_tensor{.out = result,
                              .left = lanes.columns(place(one), all),
                              .right = lanes.columns(place(other), all),
                              .op = op});
      if (terms > 1) reduce(to, plane * out.plane(), products, place(one), kept, terms);
    };
    multiply(0, 0, products, place(0));
    multiply(1, 1, products, place(1));
    combine(0, 0, 1, left == right ? alu_op::subtract : alu_op::add);
    // im = +-ar bi +- ai br.
    multiply(0, 1, products, place(0));
    multiply(1, 0, products, place(1));
    if (left == right)
      combine(1, 0, 1, alu_op::add);
    else if (left)
      combine(1, 0, 1, alu_op::subtract);
    else
      combine(1, 1, 0, alu_op::subtract);
    if (left && right) negate(to, out);
  }

  void negate(const tile_view& to, const tile_layout& out) {
    const tile_view im =
        to.partition_range(0, lanes_).columns(out.plane(), out.words() - out.plane());
    nc_.issue(tensor_scalar{.out = im, .in = im, .op0 = alu_op::multiply, .operand0 = -1.0F});
  }

  std::size_t most_levels() const { return std::size_t(nc_.machine().access.pattern_dims_max); }

  // products: [kept, terms] from `at` on.
  void reduce(const tile_view& to, std::int64_t to_at, const tile_view& products, std::int64_t at,
              std::int64_t kept, std::int64_t terms) {
    nc_.issue(tensor_reduce{
        .out = to.partition_range(0, lanes_).columns(to_at, kept),
        .in =
            products.partition_range(0, lanes_).columns(at, kept * terms).reshape({kept, terms})});
  }

  void permute(const tile_layout& out, const tile_view& to, const tile_view& left,
               const tile_layout& first, std::int64_t terms) {
    for (int p = 0; p < step_.planes; ++p) {
      const bool negated = p == 1 && step_.conjugate[0];
      view_levels levels = loops(first, nullptr, terms == 1 ? &out : nullptr, true);
      if (terms > 1) pack(levels, 2);
      const tile_view products = terms > 1 ? products_.next() : to;
      for_each_part(merged(levels), most_levels(), [&](const auto& offsets, auto rest) {
        const tile_view from = viewed(left, p * first.plane() + offsets[0], rest, 0),
                        into = viewed(products.partition_range(0, lanes_),
                                      (terms > 1 ? 0 : p * out.plane()) + offsets[2], rest, 2);
        if (negated)
          nc_.issue(
              tensor_scalar{.out = into, .in = from, .op0 = alu_op::multiply, .operand0 = -1.0F});
        else
          nc_.issue(tensor_copy{.out = into, .in = from});
      });
      if (terms > 1) reduce(to, p * out.plane(), products, 0, elements_of(levels) / terms, terms);
    }
  }

  // Ones times the lanes.
  void store_sum(const tile_layout& out) {
    const int lanes = nc_.machine().sbuf.partitions;
    if (!ones_) {
      ones_.emplace(nc_.sbuf(lanes, 1));
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
                       .moving = result_.partition_range(0, lanes).columns(i, count)});
      evacuate(nc_, sum.columns(i, count), one);
    }
    out.store(nc_, tensors_.flat[std::size_t(side::out)], sum);
  }

  core& nc_;
  const contraction_step& step_;
  const lane_step_design& design_;
  const step_tensors& tensors_;
  block_walk walk_;
  lane_sizes sizes_;
  tile_pool lefts_, rights_, products_, parts_, results_;
  std::optional<tile> ones_;
  axis_ranges ranges_;
  tile_view result_;
  int lanes_ = 1;
};

}  // namespace

std::int64_t room_of(const contraction_step& step, const lane_step_design& design) {
  const lane_sizes s = sizes_of(step, design);
  return 2 * (s.left + s.right) + s.product + 3 * s.result + 6 * 16;
}

std::int64_t widest_of(const contraction_step& step, const lane_step_design& design) {
  const lane_sizes s = sizes_of(step, design);
  return std::max({s.left, s.right, s.product, s.result});
}

double effort_of(const contraction_step& step, const lane_step_design& design) {
  static_cast<void>(design);
  return 16.0 * double(step.planes);
}

void run_lanes(core& nc, const contraction_step& step, const lane_step_design& design,
               const step_tensors& tensors, std::int64_t blocks) {
  lane_run(nc, step, design, tensors).run(blocks);
}

}  // namespace papilio::kernels_detail
