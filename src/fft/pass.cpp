#include "fft/pass.hpp"

#include "fft/pointwise.hpp"

namespace papilio::fft_detail {

template <class T>
std::size_t lanes_at_most(std::size_t limit) {
  std::size_t lanes = find_pointwise_kernels<T>().lanes;
  while (lanes > limit) lanes = lanes * sizeof(T) > 16 ? lanes / 2 : 1;
  return lanes;
}

bool has_pass(std::size_t radix) {
  if (radix % 2 == 1) return radix > 1 && radix <= max_odd_radix;
  return radix == 2 || radix == 4 || radix == 8 || radix == 16;
}

template std::size_t lanes_at_most<float>(std::size_t);
template std::size_t lanes_at_most<double>(std::size_t);
template std::size_t lanes_at_most<long double>(std::size_t);

}  // namespace papilio::fft_detail
