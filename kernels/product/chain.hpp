#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/product/design.hpp"

// Two products, of which the second reads what the first one made from SBUF, a slice at a time.
namespace papilio::kernels_detail {

/// The result of the first is the left operand of the second, for one value after the other of an
/// axis that both have. Axes are not joined, and have labels.
struct product_chain {
  contraction_step first = {}, second = {};
  std::array<int, 2> axes = {};  ///< the sliced one of the first and of the second
  product_step_design make = {}, read = {};

  std::int64_t slices() const { return first.extent(axes[0]); }
  /// Bytes of a partition of SBUF.
  std::int64_t room() const;
  /// Modelled, of a dry run of some slices, which stands for all; nothing where the machine refuses.
  std::optional<double> seconds(const engine::machine_spec& machine) const;
  std::string describe() const;
  auto fields() const { return std::tie(first, second, axes, make, read); }
};

/// Axes that lie on partitions, the first ones first.
struct chain_lanes {
  std::vector<int> summed, rows;  ///< of the first product
  std::vector<int> last;          ///< rows of the second one
};

/// Both left operands stationary, and loaded as they lie; nothing where SBUF has no room for two
/// slices and the smallest blocks.
std::optional<product_chain> chain_of(const contraction_step& first, const contraction_step& second,
                                      const std::array<int, 2>& sliced, const chain_lanes& lanes,
                                      const engine::machine_spec& machine);

/// The first `count` slices: all, unless it is to be priced.
void run_chain(engine::core& nc, const product_chain& chain, const step_tensors& of_first,
               const step_tensors& of_second,
               std::int64_t count = std::numeric_limits<std::int64_t>::max());

}  // namespace papilio::kernels_detail
