// Linked to tests of small arrays, which threads would leave to one of them.
#include "fft/blocks.hpp"

namespace papilio::fft_detail {
namespace {

[[maybe_unused]] const bool small_ones_too = [] {
  shared_from() = {.points_of_a_thread = 1, .points_in_steps = 0};
  return true;
}();

}  // namespace
}  // namespace papilio::fft_detail
