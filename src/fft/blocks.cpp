#include "fft/blocks.hpp"

namespace papilio::fft_detail {

sharing_bounds& shared_from() {
  static constinit sharing_bounds bounds;
  return bounds;
}

}  // namespace papilio::fft_detail
