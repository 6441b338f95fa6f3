#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/transform/options.hpp"

namespace papilio {

/// How much of a convolution is returned.
///   full   every value that any product enters: n + m - 1
///   same   as long as the first operand, from the middle of full
///   valid  where the operands overlap wholly: max(n, m) - min(n, m) + 1
enum class convolution_mode { full, same, valid };

namespace transform_detail {

/// Sizes of a convolution, decided before anything is computed.
struct convolution_shape {
  std::vector<std::size_t> axes;            ///< transformed: neither operand has extent 1
  std::vector<std::size_t> padded_lengths;  ///< of the transforms along them
  std::vector<std::size_t> full_extents;
  std::vector<std::size_t> kept_first, kept_extents;  ///< what the mode keeps of full
  std::size_t block_length = 0;                       ///< 0: at once
  std::size_t block_axis = 0;
  std::vector<std::size_t> block_lengths;  ///< of the transforms of one block
};

/// The errors of fftconvolve are thrown here.
PAPILIO_API convolution_shape checked_convolution(const char* function,
                                                  std::span<const std::size_t> x,
                                                  std::span<const std::size_t> y,
                                                  convolution_mode mode, const index_list& axes,
                                                  bool is_real, bool in_blocks);

}  // namespace transform_detail
}  // namespace papilio
