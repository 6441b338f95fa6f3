#include "kernels/parameters.hpp"

namespace papilio::kernels_detail {

named_values<engine::dtype> named_dtypes(std::initializer_list<engine::dtype> types) {
  named_values<engine::dtype> named;
  for (const engine::dtype type : types) named.emplace_back(to_string(type), type);
  return named;
}

named_values<precision> named_modes(std::initializer_list<precision> modes) {
  constexpr const char* words[] = {"native", "bf16", "bf16_refined", "split_bf16", "compensated"};
  named_values<precision> named;
  for (const precision mode : modes) named.emplace_back(words[int(mode)], mode);
  return named;
}

settings<gemm_problem> product_sizes(const char* preset) {
  return {number_setting("m", &gemm_problem::m, preset, "Rows of A and C"),
          number_setting("k", &gemm_problem::k, preset, "Columns of A, rows of B"),
          number_setting("n", &gemm_problem::n, preset, "Columns of B and C")};
}

}  // namespace papilio::kernels_detail
