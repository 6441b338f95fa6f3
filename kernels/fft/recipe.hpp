#pragma once

#include <string>
#include <vector>

#include "kernels/fft/pass.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels_detail {

/// Tensors of a recipe by number: its input, its output, and scratch in HBM from 2 on.
inline constexpr int input_tensor = 0, output_tensor = 1, first_scratch = 2;

/// One step: reads tensor `in`, writes tensor `out`.
struct fft_step {
  fft_pass pass;
  int in = input_tensor, out = output_tensor;
};

/// What a transform is made of, in order. A value: no memory, no tables.
struct fft_recipe {
  std::vector<fft_step> steps = {};
  std::vector<std::int64_t> scratch = {};  ///< elements of each scratch tensor
  double hbm_bytes = 0;                    ///< that must move
};

/// An array along one of whose axes a transform goes: [outer, n, inner], planes apart by `plane`.
struct fft_line {
  std::int64_t outer = 1, n = 1, inner = 1;
};

fft_recipe design_fft(const kernels::fft_shape& shape, const engine::machine_spec& machine);

std::vector<kernels::constant_table> tables_of(const fft_recipe& recipe);
void run_recipe(engine::core& nc, const fft_recipe& recipe, const engine::hbm_view& in,
                const engine::hbm_view& out, const engine::kernel_arguments& arguments,
                std::size_t first_table);
std::string describe(const fft_recipe& recipe);

}  // namespace papilio::kernels_detail
