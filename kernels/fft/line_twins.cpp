// Between bins of complex lines and those of the two real lines that are their parts.
//   identity   Z = X + i Y of z = x + i y, x and y real, so that with a = Z[k], b = Z[n - k]
//                2 X[k] = a + conj b,  2 i Y[k] = a - conj b,  0 <= k <= n/2, Z[n] = Z[0],
//              and back Z[k] = X[k] + i Y[k], Z[n - k] = conj X[k] + i conj Y[k]
#include "kernels/fft/line_twins.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

void op(core& nc, const tile_view& to, const tile_view& left, alu_op how, const tile_view& right) {
  nc.issue(tensor_tensor{.out = to, .left = left, .right = right, .op = how});
}

// Bins k ... of whole lines.
twin_bins bins_of(const whole_twins& t, std::int64_t k, std::int64_t count) {
  const std::int64_t n = t.n, h = n / 2 + 1;
  twin_bins v;
  for (int plane = 0; plane < 2; ++plane) {
    v.a[plane] = t.z.pattern(plane * t.plane + k, {{t.each, n}, {count, 1}});
    v.b[plane] = t.z.pattern(plane * t.plane + (n - k) % n, {{t.each, n}, {count, -1}});
    v.x[plane] = t.lines.pattern(plane * t.each * h + k, {{t.each, h}, {count, 1}});
    v.y[plane] = t.lines.pattern((2 + plane) * t.each * h + k, {{t.each, h}, {count, 1}});
  }
  return v;
}

template <class Pairs, class Own>
void for_bins(const whole_twins& t, const Pairs& pairs, const Own& own) {
  if (t.n > 2) pairs(bins_of(t, 1, (t.n - 1) / 2));
  own(bins_of(t, 0, 1));
  if (t.n % 2 == 0) own(bins_of(t, t.n / 2, 1));
}

}  // namespace

void separate(core& nc, const twin_bins& v, bool both) {
  op(nc, v.y[1], v.b[0], alu_op::subtract, v.a[0]);
  op(nc, v.y[0], v.a[1], alu_op::add, v.b[1]);
  if (!both) return;
  op(nc, v.x[0], v.a[0], alu_op::add, v.b[0]);
  op(nc, v.x[1], v.a[1], alu_op::subtract, v.b[1]);
}

void join(core& nc, const twin_bins& v) {
  op(nc, v.a[0], v.x[0], alu_op::subtract, v.y[1]);
  op(nc, v.b[0], v.x[0], alu_op::add, v.y[1]);
  op(nc, v.a[1], v.x[1], alu_op::add, v.y[0]);
  op(nc, v.b[1], v.y[0], alu_op::subtract, v.x[1]);
}

void separate_own(core& nc, const twin_bins& v, bool both) {
  op(nc, v.y[0], v.a[1], alu_op::add, v.a[1]);
  nc.issue(memset{.out = v.y[1], .value = 0});
  if (!both) return;
  op(nc, v.x[0], v.a[0], alu_op::add, v.a[0]);
  nc.issue(memset{.out = v.x[1], .value = 0});
}

void join_own(core& nc, const twin_bins& v) {
  nc.issue(tensor_copy{.out = v.a[0], .in = v.x[0]});
  nc.issue(tensor_copy{.out = v.a[1], .in = v.y[0]});
}

void separate(core& nc, const whole_twins& twins, bool both) {
  for_bins(
      twins, [&](const twin_bins& v) { separate(nc, v, both); },
      [&](const twin_bins& v) { separate_own(nc, v, both); });
}

void join(core& nc, const whole_twins& twins) {
  for_bins(
      twins, [&](const twin_bins& v) { join(nc, v); },
      [&](const twin_bins& v) { join_own(nc, v); });
}

}  // namespace papilio::kernels_detail
