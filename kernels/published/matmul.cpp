// trntensor's product of two matrices, and of a batch of them in one program.
//   identity   C[s] = A[s] B[s]
//   layout     of each slice, published::gemm's
//   bound      as published::gemm; the batch adds nothing, and nothing is shared
#include "papilio/kernels/published.hpp"

#include "kernels/design.hpp"
#include "kernels/entries.hpp"
#include "kernels/products/products.hpp"
#include "kernels/published/padded_launch.hpp"
#include "kernels/published/product_entry.hpp"
#include "kernels/published/tile_products.hpp"

namespace papilio::kernels::published {

using namespace engine;

sized_kernel matmul_kernel(const gemm_problem& problem, const machine_spec& machine) {
  return kernels_detail::product_kernel("published/matmul", problem, machine);
}

launch_result matmul(device& on, const view<const float, 2>& a, const view<const float, 2>& b,
                     const view<float, 2>& c) {
  const gemm_problem problem = kernels_detail::problem_of("published::matmul", a, b, c);
  return kernels_detail::padded_launch(on, matmul_kernel(problem, on.machine()), a, b, c);
}

void bmm(core& nc, const hbm_view& c, const hbm_view& a, const hbm_view& b) {
  if (a.rank() != 3 || b.rank() != 3 || c.rank() != 3 || a.extent(0) != b.extent(0) ||
      a.extent(0) != c.extent(0) || a.extent(2) != b.extent(1) || c.extent(1) != a.extent(1) ||
      c.extent(2) != b.extent(2))
    throw shape_error(base_detail::message("published::bmm: C ", c.describe(), " is not A ",
                                           a.describe(), " times B ", b.describe()));
  kernels_detail::tile_products(nc).run(a.extent(0), [&](std::int64_t s) {
    const auto slice = [s](const hbm_view& v) {
      return v.slice(0, s, 1).reshape({v.extent(1), v.extent(2)});
    };
    return kernels_detail::hbm_product{.c = slice(c), .a = slice(a), .b = slice(b)};
  });
}

sized_kernel bmm_kernel(const gemm_problem& problem, const machine_spec& machine) {
  const std::int64_t batch = kernels_detail::checked_size("bmm_kernel", "batch", problem.batch);
  const kernels_detail::published_product p =
      kernels_detail::published_product_of(problem, machine);
  const auto& [m, k, n] = p.padded;
  return {.program = {.name = "published/bmm",
                      .body =
                          [](core& nc, const kernel_arguments& t) {
                            published::bmm(nc, t.out(0), t.in(0), t.in(1));
                          }},
          .inputs = {{{batch, m, k}, dtype::fp32}, {{batch, k, n}, dtype::fp32}},
          .outputs = {{{batch, m, n}, dtype::fp32}},
          .ranges = {{}, {}},
          .design = kernels_detail::design_of(p)};
}

launch_result bmm(device& on, const view<const float, 3>& a, const view<const float, 3>& b,
                  const view<float, 3>& c) {
  const gemm_problem problem = kernels_detail::problem_of("published::bmm", a, b, c);
  return kernels_detail::padded_launch(on, bmm_kernel(problem, on.machine()), a, b, c);
}

}  // namespace papilio::kernels::published

namespace papilio::kernels_detail {

kernels::catalog_entry published_matmul_entry() {
  return {.name = "published/matmul",
          .summary = "trntensor's product of two matrices, for contractions of one index",
          .parameters = product_parameters("512"),
          .size = [](const kernels::parameter_values& values, const engine::machine_spec& machine) {
            return kernels::published::matmul_kernel(product_of(values), machine);
          }};
}

kernels::catalog_entry published_bmm_entry() {
  std::vector<kernels::kernel_parameter> parameters = product_parameters("256");
  parameters.insert(parameters.begin(), {.name = "batch", .preset = "16", .help = "Products"});
  return {.name = "published/bmm",
          .summary = "trntensor's batch of matrix products in one program",
          .parameters = parameters,
          .size = [](const kernels::parameter_values& values, const engine::machine_spec& machine) {
            gemm_problem batch = product_of(values);
            batch.batch = kernels::size_of(values, "batch");
            return kernels::published::bmm_kernel(batch, machine);
          }};
}

}  // namespace papilio::kernels_detail
