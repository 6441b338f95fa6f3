#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace papilio::test {

/// An array of a reference file: little-endian float or double in C order, widened to double.
struct npy_data {
  std::vector<std::size_t> extents;
  std::vector<double> values;
};

/// Throws std::runtime_error naming the file unless it is such a file and holds what it says.
npy_data read_npy_data(const std::string& path);

}  // namespace papilio::test
