#include "kernels/complex_product.hpp"

#include <utility>

#include "kernels/product_entry.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::sized_kernel;

namespace {

tensor_shape right_shape(const matrix_product& p) {
  return p.right_transposed ? tensor_shape{{2, p.n, p.k}, p.type}
                            : tensor_shape{{2, p.k, p.n}, p.type};
}

void run(core& nc, const matrix_product& p, const product_tiling& tiling,
         const kernel_arguments& t) {
  const auto single = [](const hbm_view& v) { return v.reshape({1, 2, v.extent(1), v.extent(2)}); };
  nc.state_floor(p.bytes(), p.tensor_cycles(4, nc.machine()));
  run_product(nc, p, tiling,
              {.c = single(t.out(0)),
               .a = single(t.in(0)),
               .b = single(t.in(1)),
               .bias = p.biased ? t.in(2) : hbm_view{}});
}

}  // namespace

sized_kernel complex_product_kernel(const char* name, int products, matrix_product problem,
                                    const machine_spec& machine) {
  problem.form = product_form_of(name, products);
  require_float(name, "type", problem.type);
  require_float(name, "result", problem.result);
  const auto operands = [name, products](const matrix_product& p) {
    sized_kernel all{
        .program = {.name = name, .parameters = base_detail::message("products=", products)},
        .inputs = {{{2, p.m, p.k}, p.type}, right_shape(p)},
        .outputs = {{{2, p.m, p.n}, p.result}},
        .ranges = {{}, {}}};
    if (p.biased) {
      all.inputs.push_back({{2, p.n}, p.type});
      all.ranges.push_back({});
    }
    return all;
  };
  sized_kernel sized = tiled_kernel(problem, {.operands = operands, .run = run}, machine);
  sized.explanation = base_detail::message(products, " real products; ", sized.explanation);
  return sized;
}

std::vector<kernels::kernel_parameter> complex_product_parameters(
    std::vector<kernels::kernel_parameter> sizes, const char* dtype_help) {
  sizes.push_back({.name = "products",
                   .preset = "4",
                   .help = "Real products that a complex one is made of",
                   .choices = {"4", "3"}});
  sizes.push_back(product_dtype_parameter(dtype_help));
  return sizes;
}

}  // namespace papilio::kernels_detail
