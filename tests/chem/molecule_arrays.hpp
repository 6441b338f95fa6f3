#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "papilio/base/array.hpp"
#include "support/npy_data.hpp"

namespace papilio::test {

/// A file of PAPILIO_MOLECULES as an array of T, read without papilio's own reader.
template <class T, std::size_t Rank>
array<T, Rank> loaded(const std::string& name) {
  const npy_data data = read_npy_data(std::string(PAPILIO_MOLECULES) + '/' + name);
  extents_type<Rank> extents;
  EXPECT_EQ(data.extents.size(), Rank) << name;
  std::copy_n(data.extents.begin(), Rank, extents.begin());
  array<T, Rank> a(extents);
  std::ranges::transform(data.values, a.data(), [](double x) { return static_cast<T>(x); });
  return a;
}

}  // namespace papilio::test
