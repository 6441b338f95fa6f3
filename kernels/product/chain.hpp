#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/product/design.hpp"

// Two products, of which the second reads the first one's result from SBUF, a slice at a time.
namespace papilio::kernels_detail {

/// Two products that run slice by slice, over the values of an axis that both have. The result of
/// the first is the left operand of the second. Axes are not joined, and have labels.
struct product_chain {
  contraction_step first = {}, second = {};
  std::array<int, 2> axes = {};  ///< the sliced axis in the first step and in the second
  product_step_design make = {}, read = {};

  std::int64_t slices() const { return first.extent(axes[0]); }
  /// Bytes of a partition that both products take.
  std::int64_t room() const;
  /// Modelled seconds, scaled from a dry run of some slices; empty where the machine refuses it.
  std::optional<double> seconds(const engine::machine_spec& machine) const;
  std::string describe() const;
  auto fields() const { return std::tie(first, second, axes, make, read); }
};

/// Axes to put on partitions, as many as fit, the first ones first.
struct chain_partitions {
  std::vector<int> summed, rows;  ///< summed axes and rows of the first product
  std::vector<int> last;          ///< rows of the second product
};

/// Designs a chain with both left operands stationary and nothing transposed; empty where SBUF has
/// no room for two slices and the smallest blocks.
std::optional<product_chain> chain_of(const contraction_step& first, const contraction_step& second,
                                      const std::array<int, 2>& sliced,
                                      const chain_partitions& partitions,
                                      const engine::machine_spec& machine);

/// Runs the first `count` slices; fewer than all only to estimate the time.
void run_chain(engine::core& nc, const product_chain& chain, const step_tensors& of_first,
               const step_tensors& of_second,
               std::int64_t count = std::numeric_limits<std::int64_t>::max());

}  // namespace papilio::kernels_detail
