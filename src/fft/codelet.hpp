#pragma once

#include <cstddef>

namespace papilio::fft_detail {

template <class T>
struct codelet_tables {
  const T* twiddles = nullptr;
  T sign = 1;
  T scale = 1;
};

}  // namespace papilio::fft_detail
