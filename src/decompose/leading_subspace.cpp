#include "decompose/leading_subspace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "decompose/mode_gram.hpp"
#include "papilio/blas/factorization.hpp"

namespace papilio::decompose_detail {
namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();

struct cut {
  std::size_t rank = 0;
  double tail = 0;
};

// `squares` descend.
cut cut_off(std::span<const double> squares, const truncation& keep) {
  cut result;
  for (std::size_t r = squares.size(); r-- > 0;) {
    const double longer = result.tail + std::max(squares[r], 0.0);
    if (r < keep.max_rank && (keep.budget < 0 || longer > keep.budget || r == 0)) {
      result.rank = r + 1;
      break;
    }
    result.tail = longer;
  }
  return result;
}

// Squares of singular values, the largest first: all of them, or those that are kept.
struct spectrum {
  double largest = 0, last_kept = 0;
  std::size_t count = 0;
};

// Eigenvalues have errors of about `error`. A kept direction of eigenvalue s is then turned by
// error / s, which takes error^2 / s away from what is kept; that must be nothing beside what is
// cut off or what rounding to T takes anyway. What is cut off is known up to `noise`.
template <class T>
bool is_reliable(const spectrum& s, const cut& c, const truncation& keep,
                 const gram_errors& errors) {
  if (s.largest <= 0) return true;
  const double unit = 64 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const double error = errors.eigenvalue * s.largest, noise = errors.sum * s.largest;
  const double rounding = unit * unit * s.largest;
  if (keep.exact_tail && c.tail < 100 * noise) return false;
  // Nothing is cut off: right, unless the errors alone are above the budget.
  if (c.rank == s.count)
    return s.count == 1 || keep.budget < 0 || s.last_kept > keep.budget + noise;
  if (keep.budget >= 0 && noise > 0.01 * keep.budget) return false;
  if (error <= rounding) return true;
  const double allowed = c.tail > noise ? std::max(rounding, 1e-4 * c.tail) : rounding;
  return s.last_kept > error && error * error / s.last_kept <= allowed;
}

template <class T>
subspace<T> from_columns(view<const double, 2> vectors, const cut& c, bool is_ascending) {
  const std::size_t n = vectors.extent(0), all = vectors.extent(1);
  subspace<T> result{array<T, 2>({n, c.rank}, uninitialized), c.tail, false};
  for (std::size_t r = 0; r < c.rank; ++r) {
    const std::size_t from = is_ascending ? all - 1 - r : r;
    std::size_t largest = 0;
    for (std::size_t i = 1; i < n; ++i)
      if (std::abs(vectors(i, from)) > std::abs(vectors(largest, from))) largest = i;
    const double sign = vectors(largest, from) < 0 ? -1 : 1;
    for (std::size_t i = 0; i < n; ++i)
      result.vectors(i, r) = static_cast<T>(sign * vectors(i, from));
  }
  return result;
}

// R of the QR factorisation of the transposed unfolding, chunk by chunk: each is put under the R of
// those before.
template <class T>
array<double, 2> triangle_of(const T* x, const mode_split& split) {
  const std::size_t n = split.extent, columns = split.columns();
  const std::size_t length = std::min(columns, std::max<std::size_t>(2 * n, 256));
  array<double, 2> r({0, n});
  array<double, 1> buffer(n * length, uninitialized);
  for (std::size_t first = 0; first < columns; first += length) {
    const std::size_t count = std::min(length, columns - first), above = r.extent(0);
    unfold(x, split, first, count, buffer.data());
    array<double, 2> stack({above + count, n}, uninitialized);
    std::copy_n(r.data(), r.size(), stack.data());
    double* const below = stack.data() + above * n;
    if (split.right == 1)
      std::copy_n(buffer.data(), count * n, below);
    else
      for (std::size_t j = 0; j < count; ++j)
        for (std::size_t i = 0; i < n; ++i) below[j * n + i] = buffer.data()[i * count + j];
    r = qr(stack).r;
  }
  return r;
}

template <class T>
subspace<T> by_svd(const T* x, const mode_split& split, const truncation& keep) {
  array<double, 2> r = triangle_of(x, split);
  // Rows of zeros complete the basis where more vectors are asked for than there are columns.
  const std::size_t n = split.extent, asked = std::min(keep.max_rank, n);
  if (keep.budget < 0 && asked > r.extent(0)) {
    array<double, 2> longer({asked, n});
    std::ranges::copy(r, longer.begin());
    r = std::move(longer);
  }
  const view<const double, 2> turned(r.data(), {n, r.extent(0)},
                                     {1, static_cast<std::ptrdiff_t>(n)});
  const svd_factors<double> factors = svd(turned);
  std::vector<double> squares;
  for (const double s : factors.s) squares.push_back(s * s);
  return from_columns<T>(factors.u, cut_off(squares, keep), false);
}

// Few directions of many: their number is given, so that no other eigenvalue is asked for. What is
// cut off is what the trace has beyond them.
bool wants_few(const truncation& keep, std::size_t n) {
  return keep.budget < 0 && !keep.exact_tail && n >= 32 && keep.max_rank <= n / 4;
}

template <class T>
std::optional<subspace<T>> from_few(const array<double, 2>& gram, const truncation& keep,
                                    const gram_errors& errors) {
  const std::size_t n = gram.extent(0);
  const eigh_factors<double> factors = eigh_leading(gram, keep.max_rank);
  cut c{.rank = keep.max_rank};
  for (std::size_t i = 0; i < n; ++i) c.tail += gram(i, i);
  for (const double value : factors.values) c.tail -= std::max(value, 0.0);
  c.tail = std::max(c.tail, 0.0);
  const spectrum s{factors.values(0), factors.values(c.rank - 1), n};
  if (!is_reliable<T>(s, c, keep, errors)) return std::nullopt;
  return from_columns<T>(factors.vectors, c, false);
}

template <class T>
std::optional<subspace<T>> from_all(const array<double, 2>& gram, const truncation& keep,
                                    const gram_errors& errors) {
  const eigh_factors<double> factors = eigh(gram);
  std::vector<double> squares(factors.values.begin(), factors.values.end());
  std::ranges::reverse(squares);
  const cut c = cut_off(squares, keep);
  const spectrum s{squares.front(), squares[c.rank - 1], squares.size()};
  if (!is_reliable<T>(s, c, keep, errors)) return std::nullopt;
  return from_columns<T>(factors.vectors, c, true);
}

}  // namespace

bool keeps_everything(const truncation& keep, std::size_t extent) {
  return !keep.whole_basis && keep.budget < 0 && keep.max_rank >= extent;
}

template <class T>
subspace<T> everything(std::size_t extent) {
  subspace<T> result{array<T, 2>({extent, extent}), 0, true};
  for (std::size_t i = 0; i < extent; ++i) result.vectors(i, i) = 1;
  return result;
}

template <class T>
std::optional<subspace<T>> leading_subspace_of(const array<double, 2>& gram, const truncation& keep,
                                               const gram_errors& errors) {
  return wants_few(keep, gram.extent(0)) ? from_few<T>(gram, keep, errors)
                                         : from_all<T>(gram, keep, errors);
}

template <class T>
subspace<T> leading_subspace(const T* x, const mode_split& split, const truncation& keep,
                             int threads) {
  if (keeps_everything(keep, split.extent)) return everything<T>(split.extent);
  const double error = 16 * unit_roundoff;
  std::optional<subspace<T>> result = leading_subspace_of<T>(
      mode_gram(x, split, threads), keep,
      {.eigenvalue = error, .sum = error * static_cast<double>(split.extent)});
  return result ? std::move(*result) : by_svd(x, split, keep);
}

#define PAPILIO_INSTANTIATE(T)                                                                    \
  template subspace<T> everything(std::size_t);                                                   \
  template std::optional<subspace<T>> leading_subspace_of(const array<double, 2>&,                \
                                                          const truncation&, const gram_errors&); \
  template subspace<T> leading_subspace(const T*, const mode_split&, const truncation&, int)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::decompose_detail
