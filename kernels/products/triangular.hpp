#pragma once

#include <string>
#include <vector>

#include "kernels/checks.hpp"
#include "kernels/parameters.hpp"
#include "papilio/base/array.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/catalog.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/kernels/triangular.hpp"

// Kernels whose matrix A, given by a triangle, stands on one side of an m x n matrix B.
namespace papilio::kernels_detail {

/// invalid_argument, in the function's name, for problems of another one, complex numbers, another
/// type, sizes below 1, and factors that are not finite; resource_error for sizes beyond 64 bits.
void check_triangle(const triangle_problem& problem, triangle_function function);

/// Launches such a kernel once; it also reads c where it has three inputs. shape_error, in its
/// name, unless a, b and c have the shapes of its inputs.
engine::launch_result launch_triangular(engine::device& on, const kernels::sized_kernel& sized,
                                        const view<const float, 2>& a,
                                        const view<const float, 2>& b, const view<float, 2>& c);

inline const named_values<kernels::triangle> named_triangles{{"lower", kernels::triangle::lower},
                                                             {"upper", kernels::triangle::upper}};

/// Returns the settings m, n, side, part, a and diagonal of A op B or B op A, `result` being the
/// result's name in their help.
settings<triangle_problem> triangle_settings(const std::string& result, const char* n_preset);

}  // namespace papilio::kernels_detail
