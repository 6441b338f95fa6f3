// trnblas' batched GEMM: a launch for each slice.
//   identity   C[s] = A[s] B[s]
//   layout     of each slice, published::gemm's
//   bound      the host: launch, two copies in and one out for each slice
#include "papilio/kernels/published.hpp"

#include "kernels/entries.hpp"
#include "kernels/published/padded_launch.hpp"
#include "kernels/published/product_entry.hpp"

namespace papilio::kernels::published {
namespace {

using namespace engine;

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

sized_kernel batched_gemm_slice_kernel(const gemm_problem& problem, const machine_spec& machine) {
  return kernels_detail::product_kernel("published/batched_gemm_slice", problem, machine);
}

device_record batched_gemm_by_slices(device& on, const view<const float, 3>& a,
                                     const view<const float, 3>& b, const view<float, 3>& c,
                                     const product_scale& scale) {
  const gemm_problem problem = kernels_detail::problem_of("batched_gemm_by_slices", a, b, c);
  const sized_kernel slice = batched_gemm_slice_kernel(problem, on.machine());
  device_record sum;
  for (std::size_t s = 0; s < problem.batch; ++s)
    add(sum, kernels_detail::padded_launch<2>(on, slice, a[s], b[s], c[s], scale));
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

kernels::catalog_entry published_batched_gemm_slice_entry() {
  return {.name = "published/batched_gemm_slice",
          .summary = "One of the launches of which trnblas' batched GEMM makes one a slice",
          .parameters = product_parameters("256"),
          .size = [](const kernels::parameter_values& values, const engine::machine_spec& machine) {
            return kernels::published::batched_gemm_slice_kernel(product_of(values), machine);
          }};
}

}  // namespace papilio::kernels_detail
