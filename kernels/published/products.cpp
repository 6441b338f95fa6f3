// Products of trnblas and trntensor: the tile loop of tile_products.cpp on operands that the host
// pads. GEMM and a product of two matrices; a batch of those in one program; a batch of GEMMs with
// a launch for each slice.
//   identity   C[s] = A[s] B[s]
//   layout     A^T [128 k, 128 m] stationary, B [128 k, 512 n] moving, C [128 m, 512 n] in PSUM;
//              nothing is shared in a batch
//   bound      DMA: 1.6 us a step of 128 x 128 x 512 on trainium1, where the array takes 0.8; by
//              slices the host: launch, two copies in and one out for each
#include <algorithm>
#include <array>

#include "kernels/checks.hpp"
#include "kernels/design.hpp"
#include "kernels/parameters.hpp"
#include "kernels/published/designs.hpp"
#include "kernels/published/entries.hpp"
#include "kernels/published/published.hpp"
#include "kernels/published/tile_products.hpp"
#include "kernels/tiles.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/device.hpp"

namespace papilio::kernels::published {

using namespace engine;
using namespace kernels_detail;

gemm_problem padded(const gemm_problem& problem, const machine_spec& machine) {
  const auto whole = [](const char* name, std::size_t size, std::int64_t tile) {
    const std::int64_t extent = checked_size("padded", name, size);
    return std::size_t(checked_add(extent, tile - 1, "padded: extent") / tile * tile);
  };
  const std::int64_t tile_rows = array_rows(machine), columns = product_columns(machine);
  gemm_problem whole_tiles = problem;
  whole_tiles.m = whole("m", problem.m, tile_rows);
  whole_tiles.k = whole("k", problem.k, tile_rows);
  whole_tiles.n = whole("n", problem.n, problem.n > std::size_t(columns) ? columns : 1);
  return whole_tiles;
}

namespace {

hbm_view slice_of(const hbm_view& v, std::int64_t s) {
  return v.slice(0, s, 1).reshape({v.extent(1), v.extent(2)});
}

// Whether C = A B by shape: equal batch axes, and [m, n] = [m, k] [k, n].
bool are_product(const hbm_view& c, const hbm_view& a, const hbm_view& b, int rank) {
  if (a.rank() != rank || b.rank() != rank || c.rank() != rank) return false;
  const int row = rank - 2, column = rank - 1;
  return (rank == 2 || (a.extent(0) == b.extent(0) && a.extent(0) == c.extent(0))) &&
         a.extent(column) == b.extent(row) && c.extent(row) == a.extent(row) &&
         c.extent(column) == b.extent(column);
}

published_product design_for(const gemm_problem& problem, const machine_spec& machine) {
  const auto sizes = [](const gemm_problem& p) {
    return std::array{std::int64_t(p.m), std::int64_t(p.k), std::int64_t(p.n)};
  };
  return {.batch = std::int64_t(problem.batch),
          .given = sizes(problem),
          .padded = sizes(padded(problem, machine)),
          .tile_rows = array_rows(machine),
          .columns = product_columns(machine)};
}

// One product on padded operands, or as many as the batch has.
sized_kernel padded_kernel(const char* name, const gemm_problem& problem,
                           const machine_spec& machine, bool in_batch = false) {
  const std::int64_t batch = in_batch ? checked_size("bmm_kernel", "batch", problem.batch) : 1;
  const published_product p = design_for(problem, machine);
  const auto& [m, k, n] = p.padded;
  const auto matrices = [&](std::int64_t rows, std::int64_t columns) {
    return in_batch ? tensor_shape{{batch, rows, columns}} : tensor_shape{{rows, columns}};
  };
  return {.program = {.name = name,
                      .body =
                          [in_batch](core& nc, const kernel_arguments& t) {
                            if (in_batch) return bmm(nc, t.out(0), t.in(0), t.in(1));
                            gemm(nc, t.out(0), t.in(0), t.in(1));
                          }},
          .inputs = {matrices(m, k), matrices(k, n)},
          .outputs = {matrices(m, n)},
          .ranges = {{}, {}},
          .design = design_of(p)};
}

// out(i, j, ...) = of(value, what it was), over all of `out`; `in` is at least as large.
template <class Of>
void combine(const view<const float, 2>& in, const view<float, 2>& out, const Of& of) {
  for (std::size_t i = 0; i < out.extent(0); ++i)
    for (std::size_t j = 0; j < out.extent(1); ++j) out(i, j) = of(in(i, j), out(i, j));
}
template <class Of>
void combine(const view<const float, 3>& in, const view<float, 3>& out, const Of& of) {
  for (std::size_t s = 0; s < out.extent(0); ++s)
    combine(view<const float, 2>(in[s]), view<float, 2>(out[s]), of);
}

// An operand with zeros below and to the right, where it is not as large as it should be.
template <std::size_t Rank>
class padded_operand {
 public:
  padded_operand(const view<const float, Rank>& in, const extents_type<Rank>& extents) : seen_(in) {
    if (in.extents() == extents) return;
    copy_ = array<float, Rank>(extents);
    view<float, Rank> inside = copy_.view();
    for (std::size_t axis = 0; axis < Rank; ++axis) inside = inside.slice(axis, 0, in.extent(axis));
    combine(in, inside, [](float value, float) { return value; });
    seen_ = view<const float, Rank>(copy_.view());
  }
  padded_operand(const padded_operand&) = delete;
  padded_operand& operator=(const padded_operand&) = delete;

  const view<const float, Rank>& seen() const { return seen_; }

 private:
  array<float, Rank> copy_;
  view<const float, Rank> seen_;
};

// The products of the last two axes; shape_error unless they agree, named `what`.
template <std::size_t Rank>
gemm_problem problem_of(const char* what, const view<const float, Rank>& a,
                        const view<const float, Rank>& b, const view<float, Rank>& c) {
  const std::size_t row = Rank - 2, column = Rank - 1;
  bool fits = a.extent(column) == b.extent(row) && c.extent(row) == a.extent(row) &&
              c.extent(column) == b.extent(column);
  for (std::size_t axis = 0; axis < row; ++axis)
    fits = fits && a.extent(axis) == b.extent(axis) && a.extent(axis) == c.extent(axis);
  require<shape_error>(fits, what, ": c of ", c.extent(row), " x ", c.extent(column),
                       " is not a of ", a.extent(row), " x ", a.extent(column), " times b of ",
                       b.extent(row), " x ", b.extent(column),
                       Rank == 3 ? ", or there are not as many of each" : "");
  return {.batch = Rank == 3 ? a.extent(0) : 1,
          .m = a.extent(row),
          .k = a.extent(column),
          .n = b.extent(column)};
}

// Pads, launches `sized` and takes the product's part: c = alpha (a b) + beta c.
template <std::size_t Rank>
launch_result padded_launch(device& on, const sized_kernel& sized, const view<const float, Rank>& a,
                            const view<const float, Rank>& b, const view<float, Rank>& c,
                            const product_scale& scale = {}) {
  const auto extents = [](const tensor_shape& shape) {
    extents_type<Rank> result;
    std::ranges::copy(shape.extents, result.begin());
    return result;
  };
  const padded_operand<Rank> left(a, extents(sized.inputs[0])), right(b, extents(sized.inputs[1]));
  array<float, Rank> product(extents(sized.outputs[0]), uninitialized);
  launch_result result = on.launch(sized.program, {left.seen(), right.seen()}, {product});
  const view<const float, Rank> made(product.view());
  if (scale.beta == 0)
    combine(made, c, [&](float value, float) { return scale.alpha * value; });
  else
    combine(made, c,
            [&](float value, float before) { return scale.alpha * value + scale.beta * before; });
  return result;
}

void add(device_record& sum, const launch_result& one) {
  ++sum.launches;
  sum.compiles += one.program == program_state::compiled;
  sum.loads += one.program == program_state::compiled || one.program == program_state::loaded;
  sum.hits += one.program == program_state::hit;
  sum.upload.add(one.upload);
  sum.fetch.add(one.fetch);
  sum.launch_seconds += one.launch_seconds;
  sum.compile_seconds += one.compile_seconds;
  sum.device_seconds += one.wait_seconds;
  sum.wall_seconds += one.wall_seconds;
}

}  // namespace

void gemm(core& nc, const hbm_view& c, const hbm_view& a, const hbm_view& b) {
  require<shape_error>(are_product(c, a, b, 2), "published::gemm: C ", c, " is not A ", a,
                       " times B ", b);
  tile_products(nc).run(1, [&](std::int64_t) { return hbm_product{.c = c, .a = a, .b = b}; });
}

void bmm(core& nc, const hbm_view& c, const hbm_view& a, const hbm_view& b) {
  require<shape_error>(are_product(c, a, b, 3), "published::bmm: C ", c, " is not A ", a,
                       " times B ", b);
  tile_products(nc).run(a.extent(0), [&](std::int64_t s) {
    return hbm_product{.c = slice_of(c, s), .a = slice_of(a, s), .b = slice_of(b, s)};
  });
}

sized_kernel gemm_kernel(const gemm_problem& problem, const machine_spec& machine) {
  return padded_kernel("published/gemm", problem, machine);
}

sized_kernel matmul_kernel(const gemm_problem& problem, const machine_spec& machine) {
  return padded_kernel("published/matmul", problem, machine);
}

sized_kernel bmm_kernel(const gemm_problem& problem, const machine_spec& machine) {
  return padded_kernel("published/bmm", problem, machine, true);
}

sized_kernel batched_gemm_slice_kernel(const gemm_problem& problem, const machine_spec& machine) {
  return padded_kernel("published/batched_gemm_slice", problem, machine);
}

launch_result gemm(device& on, const view<const float, 2>& a, const view<const float, 2>& b,
                   const view<float, 2>& c, const product_scale& scale) {
  const gemm_problem problem = problem_of("published::gemm", a, b, c);
  return padded_launch(on, gemm_kernel(problem, on.machine()), a, b, c, scale);
}

launch_result matmul(device& on, const view<const float, 2>& a, const view<const float, 2>& b,
                     const view<float, 2>& c) {
  const gemm_problem problem = problem_of("published::matmul", a, b, c);
  return padded_launch(on, matmul_kernel(problem, on.machine()), a, b, c);
}

launch_result bmm(device& on, const view<const float, 3>& a, const view<const float, 3>& b,
                  const view<float, 3>& c) {
  const gemm_problem problem = problem_of("published::bmm", a, b, c);
  return padded_launch(on, bmm_kernel(problem, on.machine()), a, b, c);
}

device_record batched_gemm_by_slices(device& on, const view<const float, 3>& a,
                                     const view<const float, 3>& b, const view<float, 3>& c,
                                     const product_scale& scale) {
  const gemm_problem problem = problem_of("batched_gemm_by_slices", a, b, c);
  const sized_kernel slice = batched_gemm_slice_kernel(problem, on.machine());
  device_record sum;
  for (std::size_t s = 0; s < problem.batch; ++s)
    add(sum, padded_launch<2>(on, slice, a[s], b[s], c[s], scale));
  return sum;
}

device_record batched_gemm_by_slices(device& on, const gemm_problem& problem) {
  const sized_kernel one = batched_gemm_slice_kernel(problem, on.machine());
  device_record sum;
  for (std::size_t s = 0; s < problem.batch; ++s)
    add(sum, on.launch(one.program, {one.inputs[0], one.inputs[1]}, {one.outputs[0]},
                       run_mode::dry_run));
  return sum;
}

}  // namespace papilio::kernels::published

namespace papilio::kernels_detail {

std::string published_product::describe() const {
  const std::string tiles =
      base_detail::message("tiles of ", tile_rows, " x ", tile_rows, " (stationary) and ",
                           tile_rows, " x ", columns, " (moving), each loaded where it is used\n");
  if (given == padded) return tiles + "no padding\n";
  return tiles + base_detail::message("m, k, n padded by the host from ", given[0], ", ", given[1],
                                      ", ", given[2], " to ", padded[0], ", ", padded[1], ", ",
                                      padded[2], "\n");
}

kernels::catalog_entry published_gemm_entry() {
  return product_sizes("512").entry(
      "published/gemm", "trnblas' GEMM: 128 x 128 stationary, columns of 512, host padding",
      kernels::published::gemm_kernel);
}

kernels::catalog_entry published_batched_gemm_slice_entry() {
  return product_sizes("256").entry(
      "published/batched_gemm_slice",
      "One of the launches of which trnblas' batched GEMM makes one a slice",
      kernels::published::batched_gemm_slice_kernel);
}

kernels::catalog_entry published_matmul_entry() {
  return product_sizes("512").entry(
      "published/matmul", "trntensor's product of two matrices, for contractions of one index",
      kernels::published::matmul_kernel);
}

kernels::catalog_entry published_bmm_entry() {
  return settings<gemm_problem>{number_setting("batch", &gemm_problem::batch, "16", "Products")}
      .with(product_sizes("256"))
      .entry("published/bmm", "trntensor's batch of matrix products in one program",
             kernels::published::bmm_kernel);
}

}  // namespace papilio::kernels_detail
