// trnblas' GEMM: the tile loop of tile_products.cpp on operands that the host pads.
//   identity   C = A B
//   layout     A^T [128 k, 128 m] stationary, B [128 k, 512 n] moving, C [128 m, 512 n] in PSUM
//   bound      DMA: 1.6 us a step of 128 x 128 x 512 on trainium1, where the array takes 0.8
#include "papilio/kernels/published.hpp"

#include "kernels/entries.hpp"
#include "kernels/published/padded_launch.hpp"
#include "kernels/published/product_entry.hpp"
#include "kernels/published/tile_products.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels::published {

using namespace engine;

gemm_shape padded(const gemm_shape& shape, const machine_spec& machine) {
  const auto whole = [](const char* name, std::int64_t extent, std::int64_t tile) {
    if (extent < 1)
      throw invalid_argument(
          base_detail::message("padded: ", name, " must be at least 1, got ", extent));
    return checked_add(extent, tile - 1, "padded: extent") / tile * tile;
  };
  const std::int64_t side = kernels_detail::tile_side(machine),
                     columns = kernels_detail::tile_columns(machine);
  return {.m = whole("m", shape.m, side),
          .k = whole("k", shape.k, side),
          .n = whole("n", shape.n, shape.n > columns ? columns : 1)};
}

void gemm(core& nc, const hbm_view& c, const hbm_view& a, const hbm_view& b) {
  if (a.rank() != 2 || b.rank() != 2 || c.rank() != 2 || a.extent(1) != b.extent(0) ||
      c.extent(0) != a.extent(0) || c.extent(1) != b.extent(1))
    throw shape_error(base_detail::message("published::gemm: C ", c.describe(), " is not A ",
                                           a.describe(), " times B ", b.describe()));
  kernels_detail::tile_products(nc).run(
      1, [&](std::int64_t) { return kernels_detail::hbm_product{.c = c, .a = a, .b = b}; });
}

sized_kernel gemm_kernel(const gemm_shape& shape, const machine_spec& machine) {
  return kernels_detail::product_kernel("published/gemm", shape, machine);
}

launch_result gemm(device& on, const view<const float, 2>& a, const view<const float, 2>& b,
                   const view<float, 2>& c, const product_scale& scale) {
  const gemm_shape shape = kernels_detail::shape_of("published::gemm", a, b, c);
  return kernels_detail::padded_launch(on, gemm_kernel(shape, on.machine()), a, b, c, scale);
}

}  // namespace papilio::kernels::published

namespace papilio::kernels_detail {

kernels::sized_kernel product_kernel(const std::string& name,
                                     const kernels::published::gemm_shape& shape,
                                     const engine::machine_spec& machine) {
  const kernels::published::gemm_shape p = kernels::published::padded(shape, machine);
  return {.program = {.name = name,
                      .body =
                          [](engine::core& nc, const engine::kernel_arguments& t) {
                            kernels::published::gemm(nc, t.out(0), t.in(0), t.in(1));
                          }},
          .inputs = {{{p.m, p.k}, engine::dtype::fp32}, {{p.k, p.n}, engine::dtype::fp32}},
          .outputs = {{{p.m, p.n}, engine::dtype::fp32}},
          .ranges = {{}, {}},
          .explanation = padding_text(shape, machine)};
}

std::string padding_text(const kernels::published::gemm_shape& shape,
                         const engine::machine_spec& machine) {
  const kernels::published::gemm_shape p = kernels::published::padded(shape, machine);
  const std::int64_t side = tile_side(machine), columns = tile_columns(machine);
  const std::string tiles =
      base_detail::message("tiles of ", side, " x ", side, " (stationary) and ", side, " x ",
                           columns, " (moving), each loaded where it is used\n");
  if (shape == p) return tiles + "no padding\n";
  return tiles + base_detail::message("m, k, n padded by the host from ", shape.m, ", ", shape.k,
                                      ", ", shape.n, " to ", p.m, ", ", p.k, ", ", p.n, "\n");
}

std::vector<kernels::kernel_parameter> product_parameters(const char* preset) {
  return {{.name = "m", .preset = preset, .help = "Rows of A and C"},
          {.name = "k", .preset = preset, .help = "Columns of A, rows of B"},
          {.name = "n", .preset = preset, .help = "Columns of B and C"}};
}

kernels::published::gemm_shape product_shape(const kernels::parameter_values& values) {
  return {.m = kernels::number_of(values, "m"),
          .k = kernels::number_of(values, "k"),
          .n = kernels::number_of(values, "n")};
}

kernels::catalog_entry published_gemm_entry() {
  return {.name = "published/gemm",
          .summary = "trnblas' GEMM: 128 x 128 stationary, columns of 512, host padding",
          .parameters = product_parameters("512"),
          .size = [](const kernels::parameter_values& values, const engine::machine_spec& machine) {
            return kernels::published::gemm_kernel(product_shape(values), machine);
          }};
}

}  // namespace papilio::kernels_detail
