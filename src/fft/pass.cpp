#include "fft/pass.hpp"

#include <cassert>

#include "fft/simd/families.hpp"

namespace papilio::fft_detail {

template <class T>
std::size_t lanes_at_most(std::size_t limit) {
  std::size_t lanes = max_lanes<T>();
  while (lanes > limit) lanes = lanes * sizeof(T) > 16 ? lanes / 2 : 1;
  return lanes;
}

template <class T>
const pass_kernels<T>& find_pass_kernels(std::size_t radix, std::size_t lanes) {
  const pass_kernels<T>* kernels = small_kernels<T>(radix, lanes);
  if (kernels == nullptr) kernels = large_kernels<T>(radix, lanes);
  if (kernels == nullptr) kernels = odd_kernels<T>(radix, lanes);
  assert(kernels != nullptr);
  return *kernels;
}

template std::size_t lanes_at_most<float>(std::size_t);
template std::size_t lanes_at_most<double>(std::size_t);
template const pass_kernels<float>& find_pass_kernels<float>(std::size_t, std::size_t);
template const pass_kernels<double>& find_pass_kernels<double>(std::size_t, std::size_t);

}  // namespace papilio::fft_detail
