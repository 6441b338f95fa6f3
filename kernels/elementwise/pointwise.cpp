// Formulas of elements.
//   layout     [rows, features]: rows of a partition, or pieces of rows; with sums whole rows, so that
//              each partition has the same features and a product with ones adds the partitions
//   memory     a tile for each value that is still needed; two or more of each, so that blocks are
//              loaded while one is computed. What the vector engine alone makes and reads beside an
//              operand in SBUF lies in PSUM, as far as there is room
//   bound      the vector engine: two cycles an element of a partition for each step of two operands,
//              one where one of them is in PSUM
#include "kernels/elementwise/pointwise.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "kernels/ceil_div.hpp"
#include "kernels/checks.hpp"
#include "kernels/designed_kernel.hpp"
#include "kernels/elementwise/largest_index.hpp"
#include "kernels/tiles.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using kernels::sized_kernel;
using kind = pointwise_step::kind;

class pointwise_run {
 public:
  pointwise_run(core& nc, const pointwise_design& design, const kernel_arguments& t)
      : nc_(nc), d_(design), t_(t), tiles_(design.places) {
    const feature_part& first = d_.parts.front();
    partitions_ = nc.machine().sbuf.partitions;
    const std::int64_t width = first.width() * d_.sets_together;
    for (int i = 0; i < tiles_.elements; ++i)
      elements_.push_back(nc.sbuf_pool(d_.depth, int(partitions_), width));
    for (int i = 0; i < tiles_.parked; ++i) parked_.push_back(nc.psum(int(partitions_), width));
    for (int i = 0; i < tiles_.rows; ++i)
      rows_.push_back(nc.sbuf_pool(d_.depth, int(partitions_), first.together));
    for (int i = 0; i < tiles_.features; ++i)
      features_.push_back(nc.sbuf(int(partitions_), first.each));
    for (int i = 0; i < tiles_.sums; ++i) sums_.push_back(nc.sbuf(int(partitions_), width));
    for (std::int64_t set = 0; set < d_.sets; set += d_.sets_together)
      for (const feature_part& part : d_.parts) add_blocks(set, part);
    if (d_.program.has(kind::largest))
      largest_.emplace(nc, d_.rows, first.together, std::int64_t(blocks_.size()));
    if (tiles_.sums == 0) return;
    ones_ = nc.sbuf(int(partitions_), 1);
    nc.issue(memset{.out = ones_, .value = 1});
  }

  void run() {
    // Nothing before the kernel holds this back.
    begin(blocks_.front());
    blocks_.front().is_first = false;
    pipeline(
        std::int64_t(blocks_.size()), 1,
        [&](std::int64_t i) { return loaded(blocks_[std::size_t(i)]); },
        [&](block b) {
          if (b.is_first) begin(b);
          compute(b);
          if (b.is_last) finish(b);
        });
  }

 private:
  struct block {
    std::int64_t set, sets;
    feature_part part;
    feature_block of;
    bool is_first = false, is_last = false;  // of its part
    std::vector<tile_view> values = {};      // of the steps

    std::int64_t partitions() const { return of.rows * part.pieces; }
    std::int64_t width() const { return of.together * part.each; }
    /// One set's numbers of a value of elements.
    tile_view of_set(std::size_t at, std::int64_t i) const {
      return values[at].columns(i * width(), width());
    }
  };

  void add_blocks(std::int64_t set, const feature_part& part) {
    const std::size_t first = blocks_.size();
    for (const feature_block& of :
         feature_blocks(d_.rows, part, d_.program.has(kind::largest), nc_.machine()))
      blocks_.push_back(
          {.set = set, .sets = std::min(d_.sets_together, d_.sets - set), .part = part, .of = of});
    blocks_[first].is_first = blocks_.back().is_last = true;
  }

  const pointwise_step& step(std::size_t at) const { return d_.program.steps[at]; }
  const hbm_view& input(const block& b, const pointwise_step& s, std::int64_t i = 0) const {
    return t_.in(std::size_t(b.set + i) * d_.program.inputs.size() + std::size_t(s.left));
  }
  const hbm_view& output(const block& b, std::size_t o, std::int64_t i = 0) const {
    return t_.out(std::size_t(b.set + i) * d_.program.outputs.size() + o);
  }

  // Computes what is neither an element's nor a row's, for all blocks of a part.
  void begin(const block& b) {
    const std::int64_t partitions = b.partitions();  // the most of any block
    once_.assign(d_.program.steps.size(), {});
    for (const tile& total : sums_) nc_.issue(memset{.out = total, .value = 0});
    for (std::size_t at = 0; at < once_.size(); ++at) {
      const pointwise_step& s = step(at);
      if (s.each >= one_for::row || d_.program.is_reduced(int(at))) continue;
      const bool is_number = s.each == one_for::tensor;
      once_[at] = features_[std::size_t(tiles_.place[at])]
                      ->partition_range(0, int(partitions))
                      .columns(0, is_number ? 1 : b.part.each);
      if (s.what == kind::load) {
        const hbm_view& from = input(b, s);
        const std::int64_t size = is_number ? 1 : d_.features;
        const hbm_view row = from.reshape({from.elements()}).slice(0, s.right * size, size);
        nc_.issue(dma_copy{.out = once_[at],
                           .in = is_number ? row.repeat(partitions)
                                           : row.slice(0, b.part.first, b.part.pieces * b.part.each)
                                                 .repeat(partitions / b.part.pieces)});
      } else {
        issue(s, once_[at], once_, once_[at].elements());
      }
    }
  }

  // Returns a plane's elements of a block, or its rows' numbers, which all pieces of a row share.
  hbm_view view(const hbm_view& tensor, int plane, const block& b, bool of_rows = false) const {
    const std::int64_t features = of_rows ? 1 : d_.features;
    const std::int64_t first = of_rows ? 0 : b.part.first, piece = of_rows ? 0 : b.part.each;
    return tensor.reshape({tensor.elements()})
        .pattern((plane * d_.rows + b.of.row) * features + first,
                 {{b.of.rows, b.of.together * features},
                  {b.part.pieces, piece},
                  {of_rows ? b.of.together : b.width(), 1}});
  }

  block loaded(block b) {
    b.values.resize(d_.program.steps.size());
    const auto cut = [&](const tile_view& tile, std::int64_t width) {
      return tile.partition_range(0, int(b.partitions())).columns(0, width);
    };
    std::vector<tile_view> taken;
    for (tile_pool& pool : elements_) taken.push_back(pool.next());
    for (std::size_t at = 0; at < b.values.size(); ++at) {
      const pointwise_step& s = step(at);
      const auto place = std::size_t(tiles_.place[at]);
      if (s.each == one_for::row) {
        b.values[at] = cut(rows_[place].next(), b.of.together);
        nc_.issue(dma_copy{.out = b.values[at], .in = view(input(b, s), s.right, b, true)});
      } else if (s.each == one_for::element) {
        b.values[at] =
            cut(tiles_.is_parked[at] ? parked_[place].whole() : taken[place], b.sets * b.width());
        for (std::int64_t i = 0; s.what == kind::load && i < b.sets; ++i)
          nc_.issue(dma_copy{.out = b.of_set(at, i), .in = view(input(b, s, i), s.right, b)});
      }
    }
    return b;
  }

  void compute(block& b) {
    for (std::size_t at = 0; at < b.values.size(); ++at) {
      const pointwise_step& s = step(at);
      if (s.what == kind::sum) {
        const tile_view total = sums_[std::size_t(tiles_.place[at])]
                                    ->partition_range(0, int(b.partitions()))
                                    .columns(0, b.width());
        nc_.issue(tensor_tensor{.out = total,
                                .left = total,
                                .right = b.values[std::size_t(s.left)],
                                .on = unit::gpsimd});
      } else if (s.what == kind::largest) {
        largest_->add(b.values[std::size_t(s.left)]);
      } else if (s.each < one_for::row) {
        if (!once_[at].empty()) b.values[at] = once_[at].partition_range(0, int(b.partitions()));
      } else if (s.what != kind::load) {
        issue(s, b.values[at], b.values, b.part.each,
              tiles_.is_of_gpsimd[at] ? unit::gpsimd : unit::vector);
      }
    }
    for (std::size_t o = 0; o < d_.program.outputs.size(); ++o) {
      const pointwise_tensor& out = d_.program.outputs[o];
      if (out.each != one_for::element) continue;
      for (std::size_t p = 0; p < out.planes.size(); ++p)
        for (std::int64_t i = 0; i < b.sets; ++i)
          nc_.issue(dma_copy{.out = view(output(b, o, i), int(p), b),
                             .in = b.of_set(std::size_t(out.planes[p]), i)});
    }
  }

  // A value of features stands in each row of a partition, and one of a row in all of its features.
  void issue(const pointwise_step& s, const tile_view& out, const std::vector<tile_view>& values,
             std::int64_t each, unit on = unit::vector) {
    const tile_view& left = values[std::size_t(s.left)];
    if (s.what == kind::function) {
      nc_.issue(activation{.out = out, .in = left, .function = s.function});
      return;
    }
    if (s.what == kind::constant) {
      nc_.issue(tensor_scalar{.out = out,
                              .in = left,
                              .op0 = s.op,
                              .operand0 = s.number,
                              .on = s.is_of_scalar_engine() ? unit::scalar : unit::vector});
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
      nc_.issue(tensor_tensor{.out = out, .left = left, .right = right, .op = s.op, .on = on});
    else
      nc_.issue(tensor_tensor{.out = rows(out, s.each),
                              .left = rows(left, of_left),
                              .right = rows(right, of_right),
                              .op = s.op});
  }

  // Stores what a part's blocks give together.
  void finish(const block& b) {
    const feature_part& part = b.part;
    for (std::size_t o = 0; o < d_.program.outputs.size(); ++o) {
      const pointwise_tensor& out = d_.program.outputs[o];
      if (out.each == one_for::element) continue;
      const std::int64_t size = out.each == one_for::tensor ? 1 : d_.features;
      const hbm_view to = output(b, o).reshape({std::int64_t(out.planes.size()), size});
      for (std::size_t p = 0; p < out.planes.size(); ++p) {
        const auto at = std::size_t(out.planes[p]);
        const hbm_view row = to.slice(0, std::int64_t(p), 1);
        if (step(at).what == kind::largest)
          largest_->store(row);
        else if (d_.program.is_reduced(int(at)))
          store_sum(part, at, row);
        else if (out.each == one_for::tensor)
          nc_.issue(dma_copy{.out = row, .in = once_[at].partition_range(0, 1)});
        else
          nc_.issue(dma_copy{.out = row.slice(1, part.first, part.pieces * part.each)
                                        .reshape({part.pieces, part.each}),
                             .in = once_[at].partition_range(0, int(part.pieces))});
      }
    }
  }

  // A sum, or a function of one.
  void store_sum(const feature_part& part, std::size_t at, const hbm_view& row) {
    const bool is_function = step(at).what == kind::function;
    const std::size_t sum_at = is_function ? std::size_t(step(at).left) : at;
    const tile& total = sums_[std::size_t(tiles_.place[sum_at])];
    const std::int64_t most = product_columns(nc_.machine());
    const int array_rows = nc_.machine().tensor.rows;
    const tile columns = nc_.sbuf(int(partitions_), part.each), result = nc_.sbuf(1, part.each);
    tile_view all = total->columns(0, part.each);
    if (part.together > 1) {
      all = columns.whole();
      nc_.issue(tensor_reduce{
          .out = all,
          .in =
              total->columns(0, part.width()).reshape({part.together, part.each}).permute({2, 1})});
    }
    for (std::int64_t c = 0; c < part.each; c += most) {
      const std::int64_t count = std::min(most, part.each - c);
      const tile sum = nc_.psum(1, count);
      for (int first = 0; first < int(partitions_); first += array_rows) {
        const int some = std::min(array_rows, int(partitions_) - first);
        nc_.issue(matmul{.out = sum,
                         .stationary = ones_->partition_range(first, some),
                         .moving = all.partition_range(first, some).columns(c, count),
                         .accumulate = first > 0});
      }
      nc_.issue(
          activation{.out = result->columns(c, count),
                     .in = sum,
                     .function = is_function ? step(at).function : activation_function::copy});
    }
    nc_.issue(dma_copy{.out = row.slice(1, part.first, part.each), .in = result.whole()});
  }

  core& nc_;
  const pointwise_design& d_;
  const kernel_arguments& t_;
  const value_places& tiles_;
  std::int64_t partitions_ = 0;
  std::vector<tile_pool> elements_, rows_;
  std::vector<tile> features_, sums_, parked_;
  tile ones_;
  std::vector<tile_view> once_;
  std::optional<largest_index> largest_;
  std::vector<block> blocks_;
};

tensor_shape shape_of(const pointwise_program& program, const pointwise_tensor& t,
                      std::int64_t rows, std::int64_t features) {
  const auto planes = std::int64_t(t.planes.size());
  if (program.steps[std::size_t(t.planes[0])].what == kind::largest) return {{1}, dtype::int32};
  if (t.each == one_for::element) return {{planes, rows, features}};
  if (t.each == one_for::row) return {{planes, rows}};
  return t.each == one_for::feature ? tensor_shape{{planes, features}} : tensor_shape{{planes}};
}

}  // namespace

std::string pointwise_design::describe() const {
  using base_detail::message;
  const feature_part& first = parts.front();
  return message(program.steps.size(), " steps, rows of ", first.width(), " elements a partition, ",
                 first.together > 1 ? message(first.together, " of the tensor's each")
                                    : message(first.pieces, " to a row of the tensor"),
                 ", ", places.elements, " tiles of elements, ", places.features, " of features",
                 places.rows > 0 ? message(", ", places.rows, " of rows") : std::string(),
                 places.parked > 0 ? message(", ", places.parked, " in PSUM") : std::string(),
                 "\n");
}

sized_kernel pointwise_kernel(const std::string& name, std::int64_t rows, std::int64_t features,
                              pointwise_program program, double expected_error,
                              const machine_spec& machine, std::int64_t sets) {
  require_size(name.c_str(), "rows", rows);
  require_size(name.c_str(), "features", features);
  sized_kernel sized{.program = {.name = name}, .inputs = {}, .outputs = {}};
  const auto add = [&](std::vector<tensor_shape>& to, const std::vector<pointwise_tensor>& of) {
    for (std::int64_t set = 0; set < sets; ++set)
      for (const pointwise_tensor& t : of) to.push_back(shape_of(program, t, rows, features));
  };
  add(sized.inputs, program.inputs);
  add(sized.outputs, program.outputs);
  sized.ranges.resize(sized.inputs.size());
  require_bytes(sized);
  sized.expected_error = expected_error;
  pointwise_design design{rows, features, sets, std::move(program)};
  design.lay_out(machine);
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
