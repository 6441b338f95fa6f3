// Quotients of squared integrals by orbital gaps, in square tiles of one vector's edge: of the
// exchanged integrals a tile is transposed in registers. Compiled once per target.
#if defined(PAPILIO_CHEM_ENERGY_PASS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_CHEM_ENERGY_PASS_INL
#undef PAPILIO_CHEM_ENERGY_PASS_INL
#else
#define PAPILIO_CHEM_ENERGY_PASS_INL
#endif

#include <algorithm>
#include <cstddef>

#include "chem/energy_pass.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace papilio::chem_detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Registers have at most 256 bits, as tiles of 16 x 16 would not stay in registers.
template <class T>
using tag = hn::CappedTag<T, 32 / sizeof(T)>;
template <class T>
inline constexpr std::size_t edge = hn::MaxLanes(tag<T>());
template <class T>
using lanes_of = hn::Vec<tag<T>>;

#if HWY_TARGET == HWY_SCALAR
template <class T>
HWY_INLINE void transpose(lanes_of<T> (&)[edge<T>]) {}
#else
// Columns become rows: within blocks of 128 bits, pairs of rows and then pairs of pairs are
// interleaved, and last the halves of 256 bits exchanged.
template <class T>
HWY_INLINE void transpose(lanes_of<T> (&rows)[edge<T>]) {
  const tag<T> d;
  constexpr std::size_t n = edge<T>;
  constexpr std::size_t block = std::min<std::size_t>(n, 16 / sizeof(T));
  for (std::size_t at = 0; at < n; at += block) {
    lanes_of<T>* const r = rows + at;
    if constexpr (block == 2) {
      const auto low = hn::InterleaveLower(d, r[0], r[1]);
      r[1] = hn::InterleaveUpper(d, r[0], r[1]);
      r[0] = low;
    } else if constexpr (block == 4) {
      const hn::RepartitionToWide<decltype(d)> pair;
      const auto low01 = hn::BitCast(pair, hn::InterleaveLower(d, r[0], r[1]));
      const auto high01 = hn::BitCast(pair, hn::InterleaveUpper(d, r[0], r[1]));
      const auto low23 = hn::BitCast(pair, hn::InterleaveLower(d, r[2], r[3]));
      const auto high23 = hn::BitCast(pair, hn::InterleaveUpper(d, r[2], r[3]));
      r[0] = hn::BitCast(d, hn::InterleaveLower(pair, low01, low23));
      r[1] = hn::BitCast(d, hn::InterleaveUpper(pair, low01, low23));
      r[2] = hn::BitCast(d, hn::InterleaveLower(pair, high01, high23));
      r[3] = hn::BitCast(d, hn::InterleaveUpper(pair, high01, high23));
    }
  }
  if constexpr (n > block) {
    for (std::size_t r = 0; r < block; ++r) {
      const auto low = hn::ConcatLowerLower(d, rows[r + block], rows[r]);
      rows[r + block] = hn::ConcatUpperUpper(d, rows[r + block], rows[r]);
      rows[r] = low;
    }
  }
}
#endif

// Sums of vectors of T, carried on in double.
template <class T>
class wide_sum {
  using sum_tag = hn::CappedTag<double, (edge<T> * sizeof(T) < 32 ? 2 : 4)>;

 public:
  HWY_INLINE wide_sum() : low_(hn::Zero(sum_tag())), high_(hn::Zero(sum_tag())) {}
  HWY_INLINE void add(lanes_of<T> values) {
    if constexpr (sizeof(T) == sizeof(double)) {
      low_ = hn::Add(low_, values);
    } else {
#if HWY_TARGET == HWY_SCALAR
      low_ = hn::Add(low_, hn::PromoteTo(sum_tag(), values));
#else
      const hn::Half<tag<T>> half;
      low_ = hn::Add(low_, hn::PromoteTo(sum_tag(), hn::LowerHalf(half, values)));
      high_ = hn::Add(high_, hn::PromoteTo(sum_tag(), hn::UpperHalf(half, values)));
#endif
    }
  }
  HWY_INLINE double total() const {
    return hn::GetLane(hn::SumOfLanes(sum_tag(), hn::Add(low_, high_)));
  }

 private:
  hn::Vec<sum_tag> low_, high_;
};

// A full tile's rows, or with zeros for what is beyond `rows` and `columns`.
template <bool Whole, class T>
HWY_INLINE void load_tile(const T* from, std::ptrdiff_t pitch, std::size_t rows,
                          std::size_t columns, lanes_of<T> (&to)[edge<T>]) {
  const tag<T> d;
  if constexpr (Whole) {
    for (std::size_t r = 0; r < edge<T>; ++r)
      to[r] = hn::LoadU(d, from + static_cast<std::ptrdiff_t>(r) * pitch);
  } else {
    const auto inside = hn::FirstN(d, columns);
    for (std::size_t r = 0; r < edge<T>; ++r)
      to[r] = r < rows ? hn::IfThenElseZero(
                             inside, hn::LoadU(d, from + static_cast<std::ptrdiff_t>(r) * pitch))
                       : hn::Zero(d);
  }
}

template <class T>
struct tile_sums {
  lanes_of<T> squares, differences;
};

template <bool Whole, class T>
HWY_INLINE tile_sums<T> sum_tile(const pair_tile<T>& p, std::size_t a, std::size_t b) {
  const tag<T> d;
  const std::size_t rows = std::min(edge<T>, p.rows - a),
                    columns = std::min(edge<T>, p.columns - b);
  lanes_of<T> y[edge<T>];
  load_tile<Whole>(p.y + static_cast<std::ptrdiff_t>(b) * p.y_pitch + a, p.y_pitch, columns, rows,
                   y);
  transpose<T>(y);
  lanes_of<T> x[edge<T>];
  load_tile<Whole>(p.x + static_cast<std::ptrdiff_t>(a) * p.x_pitch + b, p.x_pitch, rows, columns,
                   x);
  const auto gap = hn::LoadU(d, p.column_gap + b);
  const auto one = hn::Set(d, T(1));
  tile_sums<T> sums{hn::Zero(d), hn::Zero(d)};
  for (std::size_t r = 0; r < (Whole ? edge<T> : rows); ++r) {
    const auto over = hn::Div(one, hn::Add(hn::Set(d, p.row_gap[a + r]), gap));
    const auto difference = hn::Sub(x[r], y[r]);
    const auto squares = hn::MulAdd(x[r], x[r], hn::Mul(y[r], y[r]));
    sums.squares = hn::MulAdd(squares, over, sums.squares);
    sums.differences = hn::MulAdd(hn::Mul(difference, difference), over, sums.differences);
  }
  return sums;
}

template <class T>
pair_sums sum_both_spins(const pair_tile<T>& p) {
  const tag<T> d;
  wide_sum<T> squares, differences;
  const auto half = hn::Set(d, T(0.5));
  for (std::size_t a = 0; a < p.rows; a += edge<T>) {
    const bool is_high = a + edge<T> <= p.rows;
    const std::size_t end = p.is_diagonal ? a : p.columns;
    std::size_t b = 0;
    if (is_high) {
      for (; b + edge<T> <= end; b += edge<T>) {
        const tile_sums<T> sums = sum_tile<true>(p, a, b);
        squares.add(sums.squares);
        differences.add(sums.differences);
      }
    }
    for (; b < end; b += edge<T>) {
      const tile_sums<T> sums = sum_tile<false>(p, a, b);
      squares.add(sums.squares);
      differences.add(sums.differences);
    }
    if (!p.is_diagonal) continue;
    // Has each a > b twice, as (a, b) and as (b, a).
    const tile_sums<T> sums = is_high ? sum_tile<true>(p, a, a) : sum_tile<false>(p, a, a);
    squares.add(hn::Mul(half, sums.squares));
    differences.add(hn::Mul(half, sums.differences));
  }
  return {squares.total(), differences.total()};
}

template <class T>
double sum_squares(const pair_tile<T>& p) {
  const tag<T> d;
  const auto one = hn::Set(d, T(1));
  wide_sum<T> total;
  for (std::size_t b = 0; b < p.columns; b += edge<T>) {
    const auto gap = hn::LoadU(d, p.column_gap + b);
    const auto inside = hn::FirstN(d, std::min(edge<T>, p.columns - b));
    for (std::size_t a = 0; a < p.rows; a += edge<T>) {
      const std::size_t end = std::min(p.rows, a + edge<T>);
      auto sum = hn::Zero(d);
      for (std::size_t r = a; r < end; ++r) {
        const auto x = hn::IfThenElseZero(
            inside, hn::LoadU(d, p.x + static_cast<std::ptrdiff_t>(r) * p.x_pitch + b));
        const auto over = hn::Div(one, hn::Add(hn::Set(d, p.row_gap[r]), gap));
        sum = hn::MulAdd(hn::Mul(x, x), over, sum);
      }
      total.add(sum);
    }
  }
  return total.total();
}

// 0 times what is not finite is no number.
template <class T>
bool are_finite(const T* values, std::size_t count) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>());
  const auto zero = hn::Zero(d);
  auto even = zero, odd = zero;
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    even = hn::MulAdd(hn::LoadU(d, values + i), zero, even);
    odd = hn::MulAdd(hn::LoadU(d, values + i + lanes), zero, odd);
  }
  T rest = hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
  for (; i < count; ++i) rest += values[i] * T(0);
  return rest == T(0);
}

}  // namespace papilio::chem_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
