#include "support/oracle.hpp"

#include <numbers>

namespace papilio::test {

std::vector<exact> dft(std::span<const exact> x, int sign) {
  const std::size_t n = x.size();
  std::vector<exact> root(n), out(n);
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                              static_cast<long double>(n);
    root[k] = {std::cos(angle), static_cast<long double>(sign) * std::sin(angle)};
  }
  for (std::size_t k = 0; k < n; ++k) {
    long double re = 0, im = 0;
    for (std::size_t j = 0, at = 0; j < n; ++j) {
      re += x[j].real() * root[at].real() - x[j].imag() * root[at].imag();
      im += x[j].real() * root[at].imag() + x[j].imag() * root[at].real();
      at += k;
      if (at >= n) at -= n;
    }
    out[k] = {re, im};
  }
  return out;
}

}  // namespace papilio::test
