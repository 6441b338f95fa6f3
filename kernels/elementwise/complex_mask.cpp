// Elementwise product of planar complex tensors: a formula of rows of one number.
//   identity   re = Mr Sr - Mi Si, im = Mr Si + Mi Sr
//   bound      DMA: 24 bytes an element. Vector engine: 10 cycles an element of a partition
#include <complex>
#include <vector>

#include "kernels/checks.hpp"
#include "kernels/design.hpp"
#include "kernels/elementwise/pointwise.hpp"
#include "kernels/entries.hpp"
#include "kernels/parameters.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/elementwise.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using namespace kernels_detail;

constexpr const char* complex_mask_name = "complex_mask";

// A mask that is a table.
struct fixed_mask_design {
  kernel_design product;
  std::vector<std::complex<float>> factors;

  auto fields() const { return std::tie(product, factors); }
  std::string describe() const { return product.explain(); }
};

// The mask becomes a table. The program is the same for all factors; designs differ.
sized_kernel with_factors(sized_kernel kernel, const std::vector<std::complex<float>>& factors) {
  kernel = with_table(std::move(kernel), "factors", [factors](std::span<float> t) {
    const std::size_t count = t.size() / 2;
    for (std::size_t i = 0; i < count; ++i) {
      t[i] = factors[i % factors.size()].real();
      t[count + i] = factors[i % factors.size()].imag();
    }
  });
  kernel.design = design_of(fixed_mask_design{kernel.design, factors});
  kernel.program.name += " by a table";
  return kernel;
}

void require_divisor(const char* argument, std::size_t value, std::size_t count) {
  require(value >= 1 && count % value == 0, complex_mask_name, ": ", argument, " must divide ",
          count, ", got ", value);
}

}  // namespace

sized_kernel complex_mask_kernel(const product_problem& problem, const machine_spec& machine,
                                 const complex_mask_kernel_options& options) {
  const bool is_fixed = !problem.factors.empty();
  const std::int64_t elements = checked_size(complex_mask_name, "count", problem.count),
                     masks = checked_size(complex_mask_name, "masks", options.masks);
  require_single(complex_mask_name, problem.type);
  require_divisor("rows", options.rows, problem.count);
  if (is_fixed) require_divisor("the number of factors", problem.factors.size(), problem.count);
  require(!is_fixed || masks == 1, complex_mask_name,
          ": masks must be 1 where there are factors, got ", masks);
  formula f;
  const auto one = f.input<2>(one_for::element), other = f.input<2>(one_for::element);
  f.output(one * other);
  // Two products and their sum have 0.4247 2^-24 rms each.
  sized_kernel sized = pointwise_kernel(complex_mask_name, elements, 1, f.program(),
                                        0.4247 * 1.4142 * 0x1p-24, machine, masks);
  const auto rows = std::int64_t(options.rows);
  for (auto* tensors : {&sized.inputs, &sized.outputs})
    for (tensor_shape& tensor : *tensors) tensor.extents = {2, rows, elements / rows};
  return is_fixed ? with_factors(std::move(sized), problem.factors) : sized;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry complex_mask_entry() {
  struct mask_request {
    std::size_t rows = 1, columns = 1, count = 1;
  };
  using r = mask_request;
  return settings<r>{number_setting("rows", &r::rows, "1024", "Rows of all three"),
                     number_setting("columns", &r::columns, "1024", "Columns of all three"),
                     number_setting("count", &r::count, "1", "Masks, each with its spectrum")}
      .entry("complex_mask", "mask * spectrum, element by element, of planar complex tensors",
             [](const r& of, const engine::machine_spec& machine) {
               return kernels::complex_mask_kernel(
                   {.count = checked_multiply(of.rows, of.columns, "complex_mask: elements")},
                   machine, {.rows = of.rows, .masks = of.count});
             });
}

}  // namespace papilio::kernels_detail
