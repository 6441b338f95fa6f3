#include "kernels/products/triangular.hpp"

#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace kernels;

std::vector<kernel_parameter> side_parameters(const std::string& result, const char* n_preset,
                                              const char* part_help) {
  return {{.name = "m", .preset = "1024", .help = "Rows of B and " + result},
          {.name = "n", .preset = n_preset, .help = "Columns of B and " + result},
          choice_parameter("side", "Side of the product on which A stands", {"left", "right"}),
          choice_parameter("part", part_help, {"lower", "upper"})};
}

std::vector<kernel_parameter> triangle_parameters(const std::string& result, const char* n_preset) {
  return joined(side_parameters(result, n_preset, "The triangle of A"),
                {choice_parameter("a", "op: A or its transpose", {"plain", "transposed"}),
                 choice_parameter("diagonal", "unit: taken for ones", {"given", "unit"})});
}

engine::launch_result launch_triangular(engine::device& on, const sized_kernel& sized,
                                        const view<const float, 2>& a,
                                        const view<const float, 2>& b, const view<float, 2>& c) {
  const auto extents = [&](std::size_t input) {
    const std::vector<std::int64_t>& of = sized.inputs[input].extents;
    return extents_type<2>{std::size_t(of[0]), std::size_t(of[1])};
  };
  const extents_type<2> whole = extents(0), other = extents(1);
  if (a.extents() != whole || b.extents() != other || c.extents() != other)
    throw shape_error(base_detail::message(
        sized.program.name, ": a must be ", whole[0], " x ", whole[1], ", b and the result ",
        other[0], " x ", other[1], ", got ", a.extent(0), " x ", a.extent(1), ", ", b.extent(0),
        " x ", b.extent(1), " and ", c.extent(0), " x ", c.extent(1)));
  std::vector<engine::launch_input> inputs{a, b};
  if (sized.inputs.size() > 2) inputs.emplace_back(view<const float, 2>(c));
  return prepared_kernel(on, sized).launch(inputs, {c});
}

}  // namespace papilio::kernels_detail
