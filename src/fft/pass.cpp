#include "fft/pass.hpp"

#include <cassert>

#include "fft/column.hpp"
#include "fft/pointwise.hpp"
#include "fft/simd/families.hpp"

namespace papilio::fft_detail {

template <class T>
std::size_t lanes_at_most(std::size_t limit) {
  std::size_t lanes = find_pointwise_kernels<T>().lanes;
  while (lanes > limit) lanes = lanes * sizeof(T) > 16 ? lanes / 2 : 1;
  return lanes;
}

template <class T>
const pass_kernels<T>& find_pass_kernels(std::size_t radix, std::size_t lanes) {
  const pass_kernels<T>* kernels = family_kernels<family::small, T>(radix, lanes);
  if (kernels == nullptr) kernels = family_kernels<family::medium, T>(radix, lanes);
  if (kernels == nullptr) kernels = family_kernels<family::large, T>(radix, lanes);
  if (kernels == nullptr) kernels = family_kernels<family::odd, T>(radix, lanes);
  assert(kernels != nullptr);
  return *kernels;
}

template <class T>
const column_kernels<T>& find_column_kernels(std::size_t radix) {
  const column_kernels<T>* kernels = family_columns<family::small, T>(radix);
  if (kernels == nullptr) kernels = family_columns<family::medium, T>(radix);
  if (kernels == nullptr) kernels = family_columns<family::large, T>(radix);
  if (kernels == nullptr) kernels = family_columns<family::odd, T>(radix);
  assert(kernels != nullptr);
  return *kernels;
}

bool has_pass(std::size_t radix) {
  if (radix % 2 == 1) return radix > 1 && radix <= max_odd_radix;
  return radix == 2 || radix == 4 || radix == 8 || radix == 16;
}

template std::size_t lanes_at_most<float>(std::size_t);
template std::size_t lanes_at_most<double>(std::size_t);
template std::size_t lanes_at_most<long double>(std::size_t);
template const pass_kernels<float>& find_pass_kernels<float>(std::size_t, std::size_t);
template const pass_kernels<double>& find_pass_kernels<double>(std::size_t, std::size_t);
template const column_kernels<float>& find_column_kernels<float>(std::size_t);
template const column_kernels<double>& find_column_kernels<double>(std::size_t);

}  // namespace papilio::fft_detail
