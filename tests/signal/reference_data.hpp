#pragma once

#include <string>
#include <vector>

#include "papilio/base.hpp"
#include "support/npy_data.hpp"

namespace papilio::test {

/// tests/signal/data/NAME.npy, which tests/signal/reference/make_reference.py wrote.
inline npy_data reference(const std::string& name) {
  return read_npy_data(std::string(PAPILIO_SIGNAL_DATA) + "/" + name + ".npy");
}

/// The signal that the references are of: 6615 samples, rounded to float when it was made.
template <class T>
std::vector<T> reference_signal() {
  const npy_data data = reference("features_signal");
  return {data.values.begin(), data.values.end()};
}

/// Row r of a reference of rank 2.
inline std::vector<double> row(const npy_data& data, std::size_t r) {
  const std::size_t length = data.extents.at(1);
  const auto first = data.values.begin() + static_cast<std::ptrdiff_t>(r * length);
  return {first, first + static_cast<std::ptrdiff_t>(length)};
}

}  // namespace papilio::test
