// Formulas of elements.
//   layout     [rows, features]: rows of a partition, or pieces of rows; with sums whole rows, so that
//              each partition has the same features and a product with ones adds the partitions
//   memory     a tile for each value that is still needed; two of each, so that a block is loaded
//              while the one before is computed
//   bound      the vector engine: two cycles an element of a partition for each step of two operands
#include "kernels/elementwise/pointwise.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "kernels/ceil_div.hpp"
#include "kernels/checks.hpp"
#include "kernels/designed_kernel.hpp"
#include "kernels/elementwise/value_places.hpp"
#include "kernels/tiles.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using kernels::sized_kernel;
using kind = pointwise_step::kind;

class pointwise_run {
 public:
  pointwise_run(core& nc, const pointwise_design& design, const kernel_arguments& t)
      : nc_(nc), d_(design), t_(t), tiles_(design.program) {
    const feature_part& first = d_.parts.front();
    lanes_ = nc.machine().sbuf.partitions;
    width_ = first.each * first.together;
    for (int i = 0; i < tiles_.elements; ++i)
      elements_.push_back(nc.sbuf_pool(2, int(lanes_), width_));
    for (int i = 0; i < tiles_.rows; ++i)
      rows_.push_back(nc.sbuf_pool(2, int(lanes_), first.together));
    for (int i = 0; i < tiles_.features; ++i) features_.push_back(nc.sbuf(int(lanes_), first.each));
    for (int i = 0; i < tiles_.sums; ++i) sums_.push_back(nc.sbuf(int(lanes_), width_));
    if (tiles_.sums == 0) return;
    ones_ = nc.sbuf(int(lanes_), 1);
    nc.issue(memset{.out = ones_, .value = 1});
  }

  void run() {
    for (const feature_part& part : d_.parts) run(part);
  }

 private:
  struct block {
    feature_block of;
    std::int64_t lanes, width;
    std::vector<tile_view> values;  // of the steps
  };

  void run(const feature_part& part) {
    const std::vector<feature_block> blocks = feature_blocks(d_.rows, part, nc_.machine());
    compute_once(part, blocks.front().rows * part.pieces);
    for (const tile& total : sums_) nc_.issue(memset{.out = total, .value = 0});
    pipeline(
        std::int64_t(blocks.size()), 1,
        [&](std::int64_t i) { return loaded(part, blocks[std::size_t(i)]); },
        [&](block b) { compute(part, b); });
    for (std::size_t o = 0; o < d_.program.outputs.size(); ++o) store_once(part, o);
  }

  // What is not an element's, and the inputs of it.
  void compute_once(const feature_part& part, std::int64_t lanes) {
    once_.assign(d_.program.steps.size(), {});
    for (std::size_t at = 0; at < once_.size(); ++at) {
      const pointwise_step& s = d_.program.steps[at];
      if (s.each >= one_for::row || s.what == kind::sum) continue;
      const bool is_number = s.each == one_for::tensor;
      once_[at] = features_[std::size_t(tiles_.place[at])]
                      ->partition_range(0, int(lanes))
                      .columns(0, is_number ? 1 : part.each);
      if (s.what == kind::load) {
        const hbm_view& from = t_.in(std::size_t(s.left));
        const std::int64_t size = is_number ? 1 : d_.features;
        const hbm_view row = from.reshape({from.elements()}).slice(0, s.right * size, size);
        nc_.issue(dma_copy{.out = once_[at],
                           .in = is_number ? row.repeat(lanes)
                                           : row.slice(0, part.first, part.pieces * part.each)
                                                 .repeat(lanes / part.pieces)});
      } else {
        issue(s, once_[at], once_, once_[at].elements());
      }
    }
  }

  hbm_view view(const hbm_view& tensor, int plane, const feature_part& part,
                const feature_block& b) const {
    const std::int64_t f = d_.features, size = d_.rows * f;
    return tensor.reshape({tensor.elements()})
        .pattern(plane * size + b.row * f + part.first,
                 {{b.rows, b.together * f}, {part.pieces, part.each}, {b.together * part.each, 1}});
  }

  // Of each partition its rows' numbers.
  tile_view row_numbers(const pointwise_step& s, const tile_view& to, const feature_part& part,
                        const block& b) const {
    const tile_view out = to.partition_range(0, int(b.lanes)).columns(0, b.of.together);
    const hbm_view& from = t_.in(std::size_t(s.left));
    nc_.issue(dma_copy{
        .out = out,
        .in = from.reshape({from.elements()})
                  .pattern(s.right * d_.rows + b.of.row,
                           {{b.of.rows, b.of.together}, {part.pieces, 0}, {b.of.together, 1}})});
    return out;
  }

  block loaded(const feature_part& part, const feature_block& of) {
    block b{of, of.rows * part.pieces, of.together * part.each, once_};
    std::vector<tile_view> taken;
    for (tile_pool& pool : elements_) taken.push_back(pool.next());
    for (std::size_t at = 0; at < b.values.size(); ++at) {
      const pointwise_step& s = d_.program.steps[at];
      if (s.each == one_for::row) {
        b.values[at] = row_numbers(s, rows_[std::size_t(tiles_.place[at])].next(), part, b);
        continue;
      }
      if (s.each != one_for::element) {
        if (s.what != kind::sum) b.values[at] = once_[at].partition_range(0, int(b.lanes));
        continue;
      }
      b.values[at] =
          taken[std::size_t(tiles_.place[at])].partition_range(0, int(b.lanes)).columns(0, b.width);
      if (s.what == kind::load)
        nc_.issue(dma_copy{.out = b.values[at],
                           .in = view(t_.in(std::size_t(s.left)), s.right, part, of)});
    }
    return b;
  }

  void compute(const feature_part& part, const block& b) {
    for (std::size_t at = 0; at < b.values.size(); ++at) {
      const pointwise_step& s = d_.program.steps[at];
      if (s.what == kind::sum) {
        const tile_view total = sums_[std::size_t(tiles_.place[at])]
                                    ->partition_range(0, int(b.lanes))
                                    .columns(0, b.width);
        nc_.issue(tensor_tensor{.out = total,
                                .left = total,
                                .right = b.values[std::size_t(s.left)],
                                .on = unit::gpsimd});
      } else if (s.each == one_for::element && s.what != kind::load) {
        issue(s, b.values[at], b.values, part.each);
      }
    }
    for (std::size_t o = 0; o < d_.program.outputs.size(); ++o) {
      const pointwise_tensor& out = d_.program.outputs[o];
      if (out.each != one_for::element) continue;
      for (std::size_t p = 0; p < out.planes.size(); ++p)
        nc_.issue(dma_copy{.out = view(t_.out(o), int(p), part, b.of),
                           .in = b.values[std::size_t(out.planes[p])]});
    }
  }

  // A value of features stands in each row of a partition, and one of a row in all of its features.
  void issue(const pointwise_step& s, const tile_view& out, const std::vector<tile_view>& values,
             std::int64_t each) {
    const tile_view& left = values[std::size_t(s.left)];
    if (s.what == kind::function) {
      nc_.issue(activation{.out = out, .in = left, .function = s.function});
      return;
    }
    if (s.what == kind::constant) {
      // The vector engine has the steps of two values to do.
      const bool is_light = s.op == alu_op::multiply || s.op == alu_op::add;
      nc_.issue(tensor_scalar{.out = out,
                              .in = left,
                              .op0 = s.op,
                              .operand0 = s.number,
                              .on = is_light ? unit::scalar : unit::vector});
      return;
    }
    const tile_view& right = values[std::size_t(s.right)];
    const one_for of_left = d_.program.steps[std::size_t(s.left)].each,
                  of_right = d_.program.steps[std::size_t(s.right)].each;
    const std::int64_t together = out.elements() / each;
    const auto is_number = [&](one_for what) {  // of each partition
      return what == one_for::tensor || (what == one_for::row && together == 1);
    };
    if (of_left != of_right && (is_number(of_left) || is_number(of_right))) {
      const bool reverse = is_number(of_left);
      nc_.issue(tensor_scalar{.out = out,
                              .in = reverse ? right : left,
                              .op0 = s.op,
                              .operand0 = reverse ? left : right,
                              .reverse0 = reverse});
      return;
    }
    const auto rows = [&](const tile_view& v, one_for what) {
      if (what == one_for::row) return v.spread(each);
      return v.elements() < out.elements() ? v.repeat(together) : v.reshape({together, each});
    };
    if (of_left == of_right)
      nc_.issue(tensor_tensor{.out = out, .left = left, .right = right, .op = s.op});
    else
      nc_.issue(tensor_tensor{.out = rows(out, s.each),
                              .left = rows(left, of_left),
                              .right = rows(right, of_right),
                              .op = s.op});
  }

  void store_once(const feature_part& part, std::size_t o) {
    const pointwise_tensor& out = d_.program.outputs[o];
    if (out.each == one_for::element) return;
    const std::int64_t size = out.each == one_for::tensor ? 1 : d_.features;
    const hbm_view to = t_.out(o).reshape({std::int64_t(out.planes.size()), size});
    for (std::size_t p = 0; p < out.planes.size(); ++p) {
      const auto at = std::size_t(out.planes[p]);
      const pointwise_step& s = d_.program.steps[at];
      const hbm_view row = to.slice(0, std::int64_t(p), 1);
      if (s.what == kind::sum)
        store_sum(part, sums_[std::size_t(tiles_.place[at])], row);
      else if (s.each == one_for::tensor)
        nc_.issue(dma_copy{.out = row, .in = once_[at].partition_range(0, 1)});
      else
        nc_.issue(dma_copy{
            .out =
                row.slice(1, part.first, part.pieces * part.each).reshape({part.pieces, part.each}),
            .in = once_[at].partition_range(0, int(part.pieces))});
    }
  }

  void store_sum(const feature_part& part, const tile& total, const hbm_view& row) {
    const std::int64_t most = product_columns(nc_.machine());
    const int side = nc_.machine().tensor.rows;
    const tile columns = nc_.sbuf(int(lanes_), part.each), result = nc_.sbuf(1, part.each);
    tile_view all = total->columns(0, part.each);
    if (part.together > 1) {
      all = columns.whole();
      nc_.issue(tensor_reduce{.out = all,
                              .in = total->columns(0, part.together * part.each)
                                        .reshape({part.together, part.each})
                                        .permute({2, 1})});
    }
    for (std::int64_t c = 0; c < part.each; c += most) {
      const std::int64_t count = std::min(most, part.each - c);
      const tile sum = nc_.psum(1, count);
      for (int lane = 0; lane < int(lanes_); lane += side) {
        const int some = std::min(side, int(lanes_) - lane);
        nc_.issue(matmul{.out = sum,
                         .stationary = ones_->partition_range(lane, some),
                         .moving = all.partition_range(lane, some).columns(c, count),
                         .accumulate = lane > 0});
      }
      nc_.issue(activation{.out = result->columns(c, count), .in = sum});
    }
    nc_.issue(dma_copy{.out = row.slice(1, part.first, part.each), .in = result.whole()});
  }

  core& nc_;
  const pointwise_design& d_;
  const kernel_arguments& t_;
  value_places tiles_;
  std::int64_t lanes_ = 0, width_ = 0;
  std::vector<tile_pool> elements_, rows_;
  std::vector<tile> features_, sums_;
  tile ones_;
  std::vector<tile_view> once_;
};

tensor_shape shape_of(const pointwise_tensor& t, std::int64_t rows, std::int64_t features) {
  const auto planes = std::int64_t(t.planes.size());
  if (t.each == one_for::element) return {{planes, rows, features}};
  if (t.each == one_for::row) return {{planes, rows}};
  return t.each == one_for::feature ? tensor_shape{{planes, features}} : tensor_shape{{planes}};
}

}  // namespace

real_term formula::add(pointwise_step step) {
  if (step.what != kind::load) {
    const one_for left = each_of({this, step.left}), right = step.what == kind::combine
                                                                 ? each_of({this, step.right})
                                                                 : one_for::tensor;
    const auto fits = [](one_for one, one_for other) {
      return one != one_for::row || other == one_for::feature || other == one_for::element;
    };
    require(fits(left, right) && fits(right, left),
            "formula: a row's number is combined with a feature's or an element's alone");
    if (step.each == one_for::row) step.each = one_for::element;
  }
  program_.steps.push_back(step);
  return {this, int(program_.steps.size()) - 1};
}

// Compilers evaluate the operands of an operator in either order.
pointwise_program formula::program() const {
  pointwise_program ordered;
  std::vector<int> moved(program_.steps.size(), -1);
  const std::function<int(int)> move = [&](int at) {
    int& to = moved[std::size_t(at)];
    if (to >= 0) return to;
    pointwise_step s = program_.steps[std::size_t(at)];
    if (s.what != kind::load) {
      s.left = move(s.left);
      if (s.what == kind::combine) s.right = move(s.right);
    }
    ordered.steps.push_back(s);
    return to = int(ordered.steps.size()) - 1;
  };
  for (const auto& [from, to] : {std::pair(&program_.inputs, &ordered.inputs),
                                 std::pair(&program_.outputs, &ordered.outputs)})
    for (const pointwise_tensor& t : *from) {
      to->push_back({t.each, {}});
      for (const int plane : t.planes) to->back().planes.push_back(move(plane));
    }
  return ordered;
}

bool pointwise_program::has_sums() const {
  return std::ranges::any_of(steps, [](const pointwise_step& s) { return s.what == kind::sum; });
}

std::string pointwise_design::describe() const {
  const feature_part& first = parts.front();
  const value_places tiles(program);
  return base_detail::message(
      program.steps.size(), " steps, rows of ", first.each * first.together,
      " elements a partition, ",
      first.together > 1 ? base_detail::message(first.together, " of the tensor's each")
                         : base_detail::message(first.pieces, " to a row of the tensor"),
      ", ", tiles.elements, " tiles of elements, ", tiles.features, " of features",
      tiles.rows > 0 ? base_detail::message(", ", tiles.rows, " of rows") : std::string(), "\n");
}

sized_kernel pointwise_kernel(const std::string& name, std::int64_t rows, std::int64_t features,
                              pointwise_program program, double expected_error,
                              const machine_spec& machine) {
  require_size(name.c_str(), "rows", rows);
  require_size(name.c_str(), "features", features);
  sized_kernel sized{.program = {.name = name}, .inputs = {}, .outputs = {}};
  for (const pointwise_tensor& t : program.inputs)
    sized.inputs.push_back(shape_of(t, rows, features));
  for (const pointwise_tensor& t : program.outputs)
    sized.outputs.push_back(shape_of(t, rows, features));
  sized.ranges.resize(sized.inputs.size());
  require_bytes(sized);
  sized.expected_error = expected_error;
  pointwise_design design{rows, features, std::move(program), {}};
  design.parts = pointwise_parts(rows, features, design.program, machine);
  return designed(std::move(sized), std::move(design), machine,
                  [](core& nc, const pointwise_design& d, const kernel_arguments& t) {
                    pointwise_run(nc, d, t).run();
                  });
}

sized_kernel with_table(sized_kernel kernel, const char* name,
                        std::function<void(std::span<float>)> fill) {
  kernel.tables.push_back({name, kernel.inputs.back(), std::move(fill)});
  kernel.inputs.pop_back();
  kernel.ranges.pop_back();
  return kernel;
}

}  // namespace papilio::kernels_detail
