// Operations on vectors.
//   identity   sum = ones^T (sums of the partitions)
//   layout     blocks of 128 runs of `width` elements; the rest as whole runs, then what is left
//   bound      DMA: 4 bytes of each operand an element
#include "papilio/kernels/elementwise.hpp"

#include <algorithm>
#include <array>

#include "kernels/ceil_div.hpp"
#include "kernels/checks.hpp"
#include "kernels/designed_kernel.hpp"
#include "kernels/elementwise/elementwise_designs.hpp"
#include "kernels/entries.hpp"
#include "kernels/parameters.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

namespace {

constexpr std::int64_t indices_most = std::int64_t{1} << 31;  // int32
constexpr std::array names{"axpy", "scal", "dot", "nrm2", "asum", "iamax"};

std::int64_t width_for(const vector_problem& problem, const machine_spec& machine) {
  const std::int64_t most = problem.operation == vector_operation::iamax
                                ? std::int64_t{1} << largest_width_log2
                                : machine.thresholds.vector_run_elements_max;
  return std::min(most, ceil_div(problem.n, machine.sbuf.partitions));
}

bool is_sum(vector_operation o) {
  return o >= vector_operation::dot && o <= vector_operation::asum;
}
bool has_two(vector_operation o) {
  return o == vector_operation::axpy || o == vector_operation::dot;
}

class vector_run {
 public:
  vector_run(core& nc, const vector_design& design, const kernel_arguments& t)
      : nc_(nc),
        problem_(design.problem),
        t_(t),
        lanes_(design.lanes),
        width_(design.width),
        left_(nc.sbuf_pool(4, int(lanes_), width_)),
        right_(nc.sbuf_pool(4, int(lanes_), width_)),
        cells_(nc.sbuf_pool(4, int(lanes_), 1)),
        totals_(nc.sbuf(int(lanes_), 1)) {}

  void run() {
    if (is_sum(problem_.operation)) nc_.issue(memset{.out = totals_, .value = 0});
    for (std::int64_t at = 0; at < problem_.n;) {
      const std::int64_t runs = std::min(lanes_, (problem_.n - at) / width_);
      const std::int64_t lanes = std::max<std::int64_t>(runs, 1),
                         width = runs > 0 ? width_ : problem_.n - at;
      block(at, lanes, width);
      at += lanes * width;
    }
    if (is_sum(problem_.operation)) finish();
  }

 private:
  tile_view loaded(tile_pool& pool, std::size_t input, std::int64_t at, std::int64_t lanes,
                   std::int64_t width) {
    const tile_view tile = pool.next().partition_range(0, int(lanes)).columns(0, width);
    nc_.issue(dma_copy{.out = tile, .in = t_.in(input).slice(0, at, lanes * width)});
    return tile;
  }

  void block(std::int64_t at, std::int64_t lanes, std::int64_t width) {
    const tile_view x = loaded(left_, 0, at, lanes, width);
    const tile_view y =
        has_two(problem_.operation) ? loaded(right_, 1, at, lanes, width) : tile_view{};
    if (is_sum(problem_.operation)) return add(x, y);
    if (y.empty())
      nc_.issue(activation{.out = x, .in = x, .scale = problem_.alpha});
    else
      nc_.issue(scalar_tensor_tensor{.out = x,
                                     .in = x,
                                     .right = y,
                                     .op0 = alu_op::multiply,
                                     .operand0 = problem_.alpha,
                                     .op1 = alu_op::add});
    nc_.issue(dma_copy{.out = t_.out(0).slice(0, at, lanes * width), .in = x});
  }

  void add(const tile_view& x, const tile_view& y) {
    const auto function = problem_.operation == vector_operation::nrm2 ? activation_function::square
                          : problem_.operation == vector_operation::asum
                              ? activation_function::abs
                              : activation_function::copy;
    if (!y.empty())
      nc_.issue(tensor_tensor{.out = x, .left = x, .right = y, .op = alu_op::multiply});
    const tile_view cell = cells_.next().partition_range(0, x.partitions()),
                    total = totals_->partition_range(0, x.partitions());
    nc_.issue(activation_reduce{.out = x, .reduced = cell, .in = x, .function = function});
    nc_.issue(tensor_tensor{.out = total, .left = total, .right = cell, .on = unit::gpsimd});
  }

  void finish() {
    const int most = int(std::min<std::int64_t>(lanes_, nc_.machine().tensor.rows));
    const tile ones = nc_.sbuf(most, 1), result = nc_.sbuf(1, 1), sum = nc_.psum(1, 1);
    nc_.issue(memset{.out = ones, .value = 1, .on = unit::gpsimd});
    for (std::int64_t first = 0; first < lanes_; first += most) {
      const int count = int(std::min<std::int64_t>(most, lanes_ - first));
      nc_.issue(matmul{.out = sum,
                       .stationary = totals_->partition_range(int(first), count),
                       .moving = ones->partition_range(0, count),
                       .accumulate = first > 0});
    }
    nc_.issue(activation{.out = result,
                         .in = sum,
                         .function = problem_.operation == vector_operation::nrm2
                                         ? activation_function::sqrt
                                         : activation_function::copy});
    nc_.issue(dma_copy{.out = t_.out(0), .in = result.whole()});
  }

  core& nc_;
  const vector_problem& problem_;
  const kernel_arguments& t_;
  std::int64_t lanes_, width_;
  tile_pool left_, right_, cells_;
  tile totals_;
};

}  // namespace

const char* to_string(vector_operation operation) { return names[std::size_t(operation)]; }

sized_kernel vector_kernel(const vector_problem& problem, const machine_spec& machine) {
  require_size("vector", "n", problem.n);
  require_finite("vector", "alpha", problem.alpha);
  const bool is_index = problem.operation == vector_operation::iamax;
  require(!is_index || problem.n <= indices_most, "vector: n of iamax must be at most ",
          indices_most, ", got ", problem.n);
  const tensor_shape whole{{problem.n}, dtype::fp32},
      one{{1}, is_index ? dtype::int32 : dtype::fp32};
  sized_kernel sized;
  sized.program.name = "vector";
  sized.inputs = {whole};
  if (has_two(problem.operation)) sized.inputs.push_back(whole);
  sized.outputs = {is_index || is_sum(problem.operation) ? one : whole};
  sized.ranges.resize(sized.inputs.size());
  require_bytes(sized);
  const vector_design design{problem, machine.sbuf.partitions, width_for(problem, machine)};
  return designed(std::move(sized), design, machine,
                  [](core& nc, const vector_design& d, const kernel_arguments& t) {
                    if (d.problem.operation == vector_operation::iamax)
                      return run_index_of_largest(nc, d.problem.n, d.width, t.in(0), t.out(0));
                    vector_run(nc, d, t).run();
                  });
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

std::string vector_design::describe() const {
  return base_detail::message(to_string(problem.operation), " of ", problem.n,
                              " elements, runs of ", width, " on ", lanes, " partitions\n");
}

kernels::catalog_entry vector_entry() {
  using namespace engine;
  using namespace kernels;
  return {.name = "vector",
          .summary =
              "alpha x + y, alpha x, the sum of x y, the norm of x, the sum of |x| or where |x| is "
              "largest",
          .parameters = {choice_parameter("operation", "Operation", {names.begin(), names.end()}),
                         {.name = "n", .preset = "1048576", .help = "Elements"},
                         factor_parameter("alpha", "1", "Factor of x, of axpy and scal")},
          .size = [](const parameter_values& values, const machine_spec& machine) {
            const auto named = std::ranges::find(names, values.at("operation"),
                                                 [](const char* n) { return std::string(n); });
            return vector_kernel({.operation = vector_operation(named - names.begin()),
                                  .n = number_of(values, "n"),
                                  .alpha = float_of(values, "alpha")},
                                 machine);
          }};
}

}  // namespace papilio::kernels_detail
