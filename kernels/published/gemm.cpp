// trnblas' GEMM: the tile loop of tile_products.cpp on operands that the host pads.
//   identity   C = A B
//   layout     A^T [128 k, 128 m] stationary, B [128 k, 512 n] moving, C [128 m, 512 n] in PSUM
//   bound      DMA: 1.6 us a step of 128 x 128 x 512 on trainium1, where the array takes 0.8
#include "papilio/kernels/published.hpp"

#include "kernels/design.hpp"
#include "kernels/entries.hpp"
#include "kernels/products/products.hpp"
#include "kernels/published/padded_launch.hpp"
#include "kernels/published/product_entry.hpp"
#include "kernels/published/tile_products.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels::published {

using namespace engine;

gemm_problem padded(const gemm_problem& problem, const machine_spec& machine) {
  const auto whole = [](const char* name, std::size_t size, std::int64_t tile) {
    const std::int64_t extent = kernels_detail::checked_size("padded", name, size);
    return std::size_t(checked_add(extent, tile - 1, "padded: extent") / tile * tile);
  };
  const std::int64_t side = kernels_detail::tile_side(machine),
                     columns = kernels_detail::tile_columns(machine);
  gemm_problem whole_tiles = problem;
  whole_tiles.m = whole("m", problem.m, side);
  whole_tiles.k = whole("k", problem.k, side);
  whole_tiles.n = whole("n", problem.n, problem.n > std::size_t(columns) ? columns : 1);
  return whole_tiles;
}

void gemm(core& nc, const hbm_view& c, const hbm_view& a, const hbm_view& b) {
  if (a.rank() != 2 || b.rank() != 2 || c.rank() != 2 || a.extent(1) != b.extent(0) ||
      c.extent(0) != a.extent(0) || c.extent(1) != b.extent(1))
    throw shape_error(base_detail::message("published::gemm: C ", c.describe(), " is not A ",
                                           a.describe(), " times B ", b.describe()));
  kernels_detail::tile_products(nc).run(
      1, [&](std::int64_t) { return kernels_detail::hbm_product{.c = c, .a = a, .b = b}; });
}

sized_kernel gemm_kernel(const gemm_problem& problem, const machine_spec& machine) {
  return kernels_detail::product_kernel("published/gemm", problem, machine);
}

launch_result gemm(device& on, const view<const float, 2>& a, const view<const float, 2>& b,
                   const view<float, 2>& c, const product_scale& scale) {
  const gemm_problem problem = kernels_detail::problem_of("published::gemm", a, b, c);
  return kernels_detail::padded_launch(on, gemm_kernel(problem, on.machine()), a, b, c, scale);
}

}  // namespace papilio::kernels::published

namespace papilio::kernels_detail {

kernels::sized_kernel product_kernel(const std::string& name, const gemm_problem& problem,
                                     const engine::machine_spec& machine) {
  const published_product p = published_product_of(problem, machine);
  const auto& [m, k, n] = p.padded;
  return {.program = {.name = name,
                      .body =
                          [](engine::core& nc, const engine::kernel_arguments& t) {
                            kernels::published::gemm(nc, t.out(0), t.in(0), t.in(1));
                          }},
          .inputs = {{{m, k}, engine::dtype::fp32}, {{k, n}, engine::dtype::fp32}},
          .outputs = {{{m, n}, engine::dtype::fp32}},
          .ranges = {{}, {}},
          .design = design_of(p)};
}

published_product published_product_of(const gemm_problem& problem,
                                       const engine::machine_spec& machine) {
  const auto sizes = [](const gemm_problem& p) {
    return std::array{std::int64_t(p.m), std::int64_t(p.k), std::int64_t(p.n)};
  };
  return {.batch = std::int64_t(problem.batch),
          .given = sizes(problem),
          .padded = sizes(kernels::published::padded(problem, machine)),
          .side = tile_side(machine),
          .columns = tile_columns(machine)};
}

std::string published_product::describe() const {
  const std::string tiles =
      base_detail::message("tiles of ", side, " x ", side, " (stationary) and ", side, " x ",
                           columns, " (moving), each loaded where it is used\n");
  if (given == padded) return tiles + "no padding\n";
  return tiles + base_detail::message("m, k, n padded by the host from ", given[0], ", ", given[1],
                                      ", ", given[2], " to ", padded[0], ", ", padded[1], ", ",
                                      padded[2], "\n");
}

std::vector<kernels::kernel_parameter> product_parameters(const char* preset) {
  return {{.name = "m", .preset = preset, .help = "Rows of A and C"},
          {.name = "k", .preset = preset, .help = "Columns of A, rows of B"},
          {.name = "n", .preset = preset, .help = "Columns of B and C"}};
}

gemm_problem product_of(const kernels::parameter_values& values) {
  return {.m = kernels::size_of(values, "m"),
          .k = kernels::size_of(values, "k"),
          .n = kernels::size_of(values, "n")};
}

kernels::catalog_entry published_gemm_entry() {
  return {.name = "published/gemm",
          .summary = "trnblas' GEMM: 128 x 128 stationary, columns of 512, host padding",
          .parameters = product_parameters("512"),
          .size = [](const kernels::parameter_values& values, const engine::machine_spec& machine) {
            return kernels::published::gemm_kernel(product_of(values), machine);
          }};
}

}  // namespace papilio::kernels_detail
