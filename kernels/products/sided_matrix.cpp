#include "kernels/products/sided_matrix.hpp"

#include "papilio/base/error.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels_detail {

using namespace kernels;

std::vector<kernel_parameter> side_parameters(const std::string& result, const char* n_preset,
                                              const char* part_help) {
  return {{.name = "m", .preset = "1024", .help = "Rows of B and " + result},
          {.name = "n", .preset = n_preset, .help = "Columns of B and " + result},
          {.name = "side",
           .preset = "left",
           .help = "Side of the product on which A stands",
           .choices = {"left", "right"}},
          {.name = "part", .preset = "lower", .help = part_help, .choices = {"lower", "upper"}}};
}

std::vector<kernel_parameter> triangle_parameters(const std::string& result, const char* n_preset) {
  std::vector<kernel_parameter> all = side_parameters(result, n_preset, "The triangle of A");
  all.push_back({.name = "a",
                 .preset = "plain",
                 .help = "op: A or its transpose",
                 .choices = {"plain", "transposed"}});
  all.push_back({.name = "diagonal",
                 .preset = "given",
                 .help = "unit: taken for ones",
                 .choices = {"given", "unit"}});
  return all;
}

engine::launch_result launch_in_place(engine::device& on, const sized_kernel& sized,
                                      const view<const float, 2>& a, const view<float, 2>& b) {
  const auto extent = [&](std::size_t input, std::size_t axis) {
    return std::size_t(sized.inputs[input].extents[axis]);
  };
  const std::size_t order = extent(0, 0), m = extent(1, 0), n = extent(1, 1);
  if (a.extent(0) != order || a.extent(1) != order || b.extent(0) != m || b.extent(1) != n)
    throw shape_error(base_detail::message(sized.program.name, ": a must be ", order, " x ", order,
                                           " and b ", m, " x ", n, ", got ", a.extent(0), " x ",
                                           a.extent(1), " and ", b.extent(0), " x ", b.extent(1)));
  return prepared_kernel(on, sized).launch({a, view<const float, 2>(b)}, {b});
}

}  // namespace papilio::kernels_detail
