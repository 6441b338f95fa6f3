#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "papilio/engine/core.hpp"
#include "papilio/kernels/elementwise.hpp"

// What kernels that work element by element were designed to be.
namespace papilio::kernels_detail {

/// A block of a mask's elements: `lanes` runs of `width`.
struct mask_layout {
  std::int64_t lanes = 1, width = 1;
  bool parked = false;  ///< the mask in PSUM

  auto fields() const { return std::tie(lanes, width, parked); }
  std::string describe() const;
};

struct mask_design {
  std::int64_t masks = 1, elements = 1;  ///< of each mask
  mask_layout layout;
  std::vector<std::complex<float>> factors;  ///< the mask that is a table; empty: it is an input

  auto fields() const { return std::tie(masks, elements, layout, factors); }
  std::string describe() const { return layout.describe(); }
};

/// Features [first, first + pieces * each) in pieces, of all rows. `together` rows make a line of
/// one lane where each is all features.
struct feature_part {
  std::int64_t first = 0, pieces = 1, each = 1, together = 1;

  auto fields() const { return std::tie(first, pieces, each, together); }
};

/// Rows of a part: lanes are (group of `together` rows, piece).
struct feature_block {
  std::int64_t row, rows, together;  ///< `rows` groups of `together`
};

/// Parts of rows of features on partitions of at most `most` elements each.
std::vector<feature_part> feature_parts(std::int64_t rows, std::int64_t features, std::int64_t most,
                                        const engine::machine_spec& machine);
std::vector<feature_block> feature_blocks(std::int64_t rows, const feature_part& part,
                                          const engine::machine_spec& machine);

struct modrelu_design {
  std::int64_t rows = 1, features = 1;
  std::vector<feature_part> parts;

  auto fields() const { return std::tie(rows, features, parts); }
  std::string describe() const;
  modrelu_design without_batch() const { return {0, features, parts}; }
};

/// layer_kernel's modReLU, of checked sizes.
kernels::sized_kernel modrelu_kernel(std::int64_t rows, std::int64_t features,
                                     const engine::machine_spec& machine);

/// Runs of `width` elements, one on each of `lanes` partitions.
struct vector_design {
  kernels::vector_problem problem;
  std::int64_t lanes = 1, width = 1;

  auto fields() const {
    return std::tie(problem.operation, problem.n, problem.alpha, lanes, width);
  }
  std::string describe() const;
};

/// out[0] = the index of the first of the n elements of x whose magnitude is largest; int32, n up
/// to 2^31. Runs of `width` elements, one a partition; fp32 holds the number of a run and a place
/// in it: where the index itself does not fit, width is `largest_width_log2` bits.
inline constexpr std::int64_t largest_width_log2 = 11;
void run_index_of_largest(engine::core& nc, std::int64_t n, std::int64_t width,
                          const engine::hbm_view& x, const engine::hbm_view& out);

}  // namespace papilio::kernels_detail
