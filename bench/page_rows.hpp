#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "papilio/dispatch/operation.hpp"

namespace papilio::bench {

/// What the steps of an MP2 energy count.
struct mp2_sizes {
  std::int64_t nocc = 1, nvir = 1, naux = 1;
};

/// A row of the published tables.
struct page_row {
  std::string table = {}, op = {}, shape = {};
  double flops = 0;
  std::optional<operation> what = {};             ///< of one launch of ours; none: see below
  bool transpose_a = false, transpose_b = false;  ///< a product of matrices that lie so
  std::size_t iterations = 1;                     ///< beyond 1: on operands that stay on the device
  std::optional<mp2_sizes> fused_mp2 = {};        ///< the published fused kernel
  std::optional<mp2_sizes> energy_step = {};      ///< products, then the published energy kernel
  std::string missing = {};                       ///< why there is nothing to time
  std::optional<double> published_device = {}, published_host = {};  ///< microseconds
  std::string published_note = {};
};

/// All, in the order of the published pages.
std::vector<page_row> page_rows();

}  // namespace papilio::bench
