#pragma once

#include <cstddef>

#include "fft/pass.hpp"

namespace papilio::fft_detail {

/// Radices whose kernels are compiled together, each with each element type in a translation unit
/// of its own, to bound compile times.
enum class family { small, large, odd };

/// Null where the family has no such radix or the machine no such width.
template <family Family, class T>
const pass_kernels<T>* family_kernels(std::size_t radix, std::size_t lanes);

template <>
const pass_kernels<float>* family_kernels<family::small>(std::size_t radix, std::size_t lanes);
template <>
const pass_kernels<float>* family_kernels<family::large>(std::size_t radix, std::size_t lanes);
template <>
const pass_kernels<float>* family_kernels<family::odd>(std::size_t radix, std::size_t lanes);
template <>
const pass_kernels<double>* family_kernels<family::small>(std::size_t radix, std::size_t lanes);
template <>
const pass_kernels<double>* family_kernels<family::large>(std::size_t radix, std::size_t lanes);
template <>
const pass_kernels<double>* family_kernels<family::odd>(std::size_t radix, std::size_t lanes);

}  // namespace papilio::fft_detail
