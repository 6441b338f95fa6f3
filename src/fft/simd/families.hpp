#pragma once

#include <cstddef>

#include "fft/pass.hpp"

namespace papilio::fft_detail {

// Each family of radices is one translation unit per element type, to bound compile times.
// Null where the family has no such radix or the machine no such width.
template <class T>
const pass_kernels<T>* small_kernels(std::size_t radix, std::size_t lanes);
template <class T>
const pass_kernels<T>* large_kernels(std::size_t radix, std::size_t lanes);
template <class T>
const pass_kernels<T>* odd_kernels(std::size_t radix, std::size_t lanes);

/// Lanes of the widest register.
template <class T>
std::size_t max_lanes();

template <>
const pass_kernels<float>* small_kernels<float>(std::size_t radix, std::size_t lanes);
template <>
const pass_kernels<double>* small_kernels<double>(std::size_t radix, std::size_t lanes);
template <>
const pass_kernels<float>* large_kernels<float>(std::size_t radix, std::size_t lanes);
template <>
const pass_kernels<double>* large_kernels<double>(std::size_t radix, std::size_t lanes);
template <>
const pass_kernels<float>* odd_kernels<float>(std::size_t radix, std::size_t lanes);
template <>
const pass_kernels<double>* odd_kernels<double>(std::size_t radix, std::size_t lanes);
template <>
std::size_t max_lanes<float>();
template <>
std::size_t max_lanes<double>();

}  // namespace papilio::fft_detail
