#pragma once

#include <complex>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "digest/bit_hash.hpp"
#include "digest/digest_lines.hpp"

namespace papilio::test {

/// Numbers of [-1, 1), real or complex, the same for the same seed with every compiler and library.
template <class Number>
std::vector<Number> made_values(std::size_t count, std::uint64_t seed = 1) {
  std::uint64_t state = seed;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
    return double(std::int64_t(state >> 11) - (std::int64_t{1} << 52)) * 0x1p-52;
  };
  std::vector<Number> values(count);
  for (Number& v : values) {
    if constexpr (std::is_floating_point_v<Number>) {
      v = Number(next());
    } else {
      const auto re = typename Number::value_type(next());
      v = {re, typename Number::value_type(next())};
    }
  }
  return values;
}

template <class Number>
std::string type_name() {
  if constexpr (!std::is_floating_point_v<Number>)
    return "complex_" + type_name<typename Number::value_type>();
  else
    return sizeof(Number) == 4 ? "float" : sizeof(Number) == 8 ? "double" : "long_double";
}

/// The lines of the host part as they come.
class host_runs {
 public:
  /// bits(hash, threads) computes and adds its results; one and two threads must agree.
  template <class Bits>
  void add(const std::string& run, const Bits& bits) {
    bit_hash one, two;
    bits(one, 1);
    bits(two, 2);
    if (one.value() != two.value())
      throw std::runtime_error("host " + run + ": two threads come to other bits than one");
    if (!lines_.try_emplace("host " + run, to_text(one.value())).second)
      throw std::runtime_error("host " + run + ": is listed twice");
  }
  const digest_lines& lines() const { return lines_; }

 private:
  digest_lines lines_;
};

void add_transforms(host_runs& runs);
void add_signals(host_runs& runs);
void add_tensors(host_runs& runs);

}  // namespace papilio::test
