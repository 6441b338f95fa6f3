#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels_detail {

/// How split_stft divides `count` channels or segments: in even ranges, a kernel for each size.
struct split_stft_design {
  bool by_channels = true;
  std::int64_t count = 1;
  int cores = 1;
  std::vector<kernels::kernel_design> kernels = {};

  auto fields() const { return std::tie(by_channels, count, cores, kernels); }
  std::string describe() const;
};

}  // namespace papilio::kernels_detail
