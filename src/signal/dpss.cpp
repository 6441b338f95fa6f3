// The sequence is the eigenvector of the largest eigenvalue of the tridiagonal matrix with
//   diagonal ((n-1)/2 - i)^2 cos(2 pi W) and off-diagonal e[i] = i (n-i) / 2, W = nw / n,
// which commutes with the sinc kernel (Slepian 1978, eq. 14). Since e[i] + e[i+1] = (n^2-1)/4 -
// x^2, x = i - (n-1)/2, the matrix is (n^2-1)/4 minus
//   A = (Laplacian of a chain with conductances e[i]) + diag(2 x^2 sin^2(pi W)),
// so that the vector belongs to A's smallest eigenvalue. A's elimination needs no subtraction when
// it carries the rows' excess over the chain in place of the diagonal (Grassmann, Taksar and Heyman
// 1985), so that rounding alone limits the result, however close to each other the matrix's
// eigenvalues lie beside its norm. The start is even, and A's next even eigenvalue is more than
// four times the smallest: each pass of inverse iteration gains a factor of four at least.

#include "signal/dpss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "papilio/base/array.hpp"

namespace papilio {
namespace {

constexpr int most_passes = 40;

// e[i] between points i - 1 and i.
double conductance(std::size_t i, std::size_t n) {
  return 0.5 * static_cast<double>(i) * static_cast<double>(n - i);
}

// 1 / pivot[i], pivot[i] = e[i+1] + the excess of row i once the rows before it are eliminated.
void eliminate(std::span<double> inverse_pivots, double nw) {
  const std::size_t n = inverse_pivots.size();
  const double s = std::sin(std::numbers::pi * nw / static_cast<double>(n));
  double excess = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(i) - 0.5 * static_cast<double>(n - 1);
    const double diagonal = 2 * (x * s) * (x * s);
    excess = i == 0 ? diagonal : diagonal + conductance(i, n) * (excess * inverse_pivots[i - 1]);
    inverse_pivots[i] = 1 / (conductance(i + 1, n) + excess);
  }
}

void solve(std::span<const double> inverse_pivots, std::span<double> v) {
  const std::size_t n = v.size();
  for (std::size_t i = 1; i < n; ++i) v[i] += conductance(i, n) * inverse_pivots[i - 1] * v[i - 1];
  v[n - 1] *= inverse_pivots[n - 1];
  for (std::size_t i = n - 1; i-- > 0;)
    v[i] = (v[i] + conductance(i + 1, n) * v[i + 1]) * inverse_pivots[i];
}

}  // namespace

void signal_detail::fill_dpss(std::span<double> window, double nw) {
  const std::size_t n = window.size();
  std::fill(window.begin(), window.end(), 1.0);
  // The sequence departs from 1 by about (pi nw)^2 / 2, which vanishes beside 1 well before this.
  if (n == 1 || nw < 1e-9) return;
  array<double, 1> inverse_pivots(n), previous(n);
  eliminate(inverse_pivots.flat(), nw);
  const std::size_t centre = n / 2;
  for (int pass = 0; pass < most_passes; ++pass) {
    std::copy(window.begin(), window.end(), previous.begin());
    solve(inverse_pivots.flat(), window);
    const double scale = 1 / window[centre];
    double change = 0;
    for (std::size_t i = 0; i < n; ++i) {
      window[i] *= scale;
      change = std::max(change, std::abs(window[i] - previous[i]));
    }
    if (change < 4 * std::numeric_limits<double>::epsilon()) break;
  }
  for (std::size_t i = 0; i < n / 2; ++i) window[n - 1 - i] = window[i];
}

}  // namespace papilio
