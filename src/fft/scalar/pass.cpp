// The Stockham pass (see pass.hpp) for long double, which no vector unit knows: one lane, plain
// loops over the same tables.
#include "fft/pass.hpp"

#include <cassert>

namespace papilio::fft_detail {
namespace {

using real = long double;

struct point {
  real re, im;
};
point operator+(point a, point b) { return {a.re + b.re, a.im + b.im}; }
point operator-(point a, point b) { return {a.re - b.re, a.im - b.im}; }
point operator*(point a, point w) { return {a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re}; }
point scaled(point a, real s) { return {a.re * s, a.im * s}; }
/// a - i b and a + i b.
point minus_i(point a, point b) { return {a.re + b.im, a.im - b.re}; }
point plus_i(point a, point b) { return {a.re - b.im, a.im + b.re}; }

void dft2(point* x) {
  const point sum = x[0] + x[1];
  x[1] = x[0] - x[1];
  x[0] = sum;
}

void dft3(point* x) {
  constexpr real sine = 0.866025403784438646763723170752936183L;
  const point sum = x[1] + x[2], turn = scaled(x[1] - x[2], sine);
  const point middle = x[0] - scaled(sum, 0.5L);
  x[0] = x[0] + sum;
  x[1] = minus_i(middle, turn);
  x[2] = plus_i(middle, turn);
}

void dft4(point* x) {
  const point a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = x[1] - x[3];
  x[0] = a + c;
  x[1] = minus_i(b, d);
  x[2] = a - c;
  x[3] = plus_i(b, d);
}

void dft5(point* x) {
  constexpr real c1 = 0.309016994374947424102293417182819059L;
  constexpr real c2 = -0.809016994374947424102293417182819059L;
  constexpr real s1 = 0.951056516295153572116439333379382143L;
  constexpr real s2 = 0.587785252292473129168705954639072769L;
  const point p1 = x[1] + x[4], m1 = x[1] - x[4], p2 = x[2] + x[3], m2 = x[2] - x[3];
  const point a = x[0] + (scaled(p1, c1) + scaled(p2, c2));
  const point b = x[0] + (scaled(p1, c2) + scaled(p2, c1));
  const point u = scaled(m1, s1) + scaled(m2, s2), v = scaled(m1, s2) - scaled(m2, s1);
  x[0] = x[0] + (p1 + p2);
  x[1] = minus_i(a, u);
  x[4] = plus_i(a, u);
  x[2] = minus_i(b, v);
  x[3] = plus_i(b, v);
}

/// 4 b points as columns of 4 and rows of b (2 or 4): r = r0 + b r1, j = j0 + 4 j1.
template <void (*Row)(point*), std::size_t B>
void dft_4_by(point* x) {
  constexpr real c = 0.923879532511286756128183189396788287L;  // cos(pi / 8)
  constexpr real s = 0.382683432365089771728459984030398867L;  // sin(pi / 8)
  constexpr real h = 0.707106781186547524400844362104849039L;
  static constexpr point w16[] = {{1, 0},   {c, -s},  {h, -h},  {s, -c}, {0, -1},
                                  {-s, -c}, {-h, -h}, {-c, -s}, {-1, 0}, {-c, s}};
  point y[4][B];
  for (std::size_t r0 = 0; r0 < B; ++r0) {
    point column[] = {x[r0], x[r0 + B], x[r0 + 2 * B], x[r0 + 3 * B]};
    dft4(column);
    y[0][r0] = column[0];
    for (std::size_t j0 = 1; j0 < 4; ++j0)
      y[j0][r0] = r0 == 0 ? column[j0] : column[j0] * w16[r0 * j0 * (4 / B)];
  }
  for (std::size_t j0 = 0; j0 < 4; ++j0) {
    Row(y[j0]);
    for (std::size_t j1 = 0; j1 < B; ++j1) x[j0 + 4 * j1] = y[j0][j1];
  }
}

/// y_j, y_{R-j} = x_0 + sum_r cos(2 pi j r/R) (x_r + x_{R-r}) -+ i sum_r sin(...) (x_r - x_{R-r})
/// The sums go into four each, since rounding errors grow with the terms added to one.
void dft_odd(const pass<real>& p, point* x) {
  const std::size_t radix = p.radix, half = radix / 2;
  point y[max_odd_radix];
  point total[4] = {};
  for (std::size_t r = 1; r <= half; ++r) {
    const point sum = x[r] + x[radix - r];
    x[radix - r] = x[r] - x[radix - r];
    x[r] = sum;
    total[r % 4] = total[r % 4] + sum;
  }
  y[0] = x[0] + ((total[0] + total[1]) + (total[2] + total[3]));
  const real* root = p.odd_roots;
  for (std::size_t j = 1; j <= half; ++j) {
    point even[4] = {}, odd[4] = {};
    for (std::size_t r = 1; r <= half; ++r, root += 2) {
      even[r % 4] = even[r % 4] + scaled(x[r], root[0]);
      odd[r % 4] = odd[r % 4] + scaled(x[radix - r], root[1]);
    }
    const point a = x[0] + ((even[0] + even[1]) + (even[2] + even[3]));
    const point b = (odd[0] + odd[1]) + (odd[2] + odd[3]);
    y[j] = minus_i(a, b);
    y[radix - j] = plus_i(a, b);
  }
  for (std::size_t j = 0; j < radix; ++j) x[j] = y[j];
}

void run_butterfly(const pass<real>& p, point* x) {
  switch (p.radix) {
    case 2:
      return dft2(x);
    case 3:
      return dft3(x);
    case 4:
      return dft4(x);
    case 5:
      return dft5(x);
    case 8:
      return dft_4_by<dft2, 2>(x);
    case 16:
      return dft_4_by<dft4, 4>(x);
    default:
      return dft_odd(p, x);
  }
}

enum class layout { split, interleaved, interleaved_swapped };

template <layout Layout>
point load(const real* re, const real* im, std::size_t at) {
  if constexpr (Layout == layout::split) return {re[at], im[at]};
  if constexpr (Layout == layout::interleaved) return {re[2 * at], re[2 * at + 1]};
  return {re[2 * at + 1], re[2 * at]};
}
template <layout Layout>
void store(point v, real* re, real* im, std::size_t at) {
  if constexpr (Layout == layout::split) {
    re[at] = v.re;
    im[at] = v.im;
  } else {
    re[2 * at] = Layout == layout::interleaved ? v.re : v.im;
    re[2 * at + 1] = Layout == layout::interleaved ? v.im : v.re;
  }
}

template <layout In, layout Out, bool Twiddled>
void run_pass(const pass<real>& p, const real* in_re, const real* in_im, real* out_re,
              real* out_im) {
  const std::size_t l = p.l, radix = p.radix;
  point x[max_odd_radix];
  for (std::size_t t = 0; t < p.count; ++t) {
    const real* w = p.twiddles;
    for (std::size_t k = 0; k < l; ++k) {
      for (std::size_t r = 0; r < radix; ++r) {
        x[r] = load<In>(in_re, in_im, k + l * (t + p.count * r));
        if (Twiddled && r > 0) {
          x[r] = x[r] * point{w[0], w[1]};
          w += 2;
        }
      }
      run_butterfly(p, x);
      for (std::size_t j = 0; j < radix; ++j)
        store<Out>(scaled(x[j], p.scale), out_re, out_im, k + l * (j + radix * t));
    }
  }
}

void narrow(const pass<real>& p, const real* in_re, const real* in_im, real* out_re, real* out_im) {
  p.l == 1 ? run_pass<layout::split, layout::split, false>(p, in_re, in_im, out_re, out_im)
           : run_pass<layout::split, layout::split, true>(p, in_re, in_im, out_re, out_im);
}

constexpr pass_kernels<real> make_kernels() {
  using enum layout;
  return {{run_pass<interleaved, split, false>, run_pass<interleaved_swapped, split, false>},
          narrow,
          run_pass<split, split, true>,
          {run_pass<split, interleaved, true>, run_pass<split, interleaved_swapped, true>},
          {run_pass<interleaved, interleaved, false>,
           run_pass<interleaved_swapped, interleaved_swapped, false>},
          run_pass<split, split, false>};
}

}  // namespace

template <>
const pass_kernels<long double>& find_pass_kernels<long double>(
    [[maybe_unused]] std::size_t radix, [[maybe_unused]] std::size_t lanes) {
  assert(lanes == 1 &&
         (radix <= 5 || radix == 8 || radix == 16 || (radix % 2 == 1 && radix <= max_odd_radix)));
  static constexpr pass_kernels<real> kernels = make_kernels();
  return kernels;
}

}  // namespace papilio::fft_detail
