#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "papilio/dispatch/operation.hpp"

namespace papilio::bench {

/// CP by so many sweeps, or Tucker without any, of a cube of order 3.
struct decomposition {
  std::size_t extent = 1, rank = 1, sweeps = 0;
};

/// A row of the published tables.
struct page_row {
  std::string table = {}, op = {}, shape = {};
  double flops = 0;
  std::optional<operation> what = {};             ///< of one launch of ours
  bool transpose_a = false, transpose_b = false;  ///< a product of matrices that lie so
  std::size_t iterations = 1;                     ///< beyond 1: on operands that stay on the device
  std::optional<decomposition> decomposed = {};   ///< a call of many launches instead
  std::optional<double> published_device = {}, published_host = {};  ///< microseconds
  std::string published_note = {};
};

/// All, in the order of the published pages.
std::vector<page_row> page_rows();

}  // namespace papilio::bench
