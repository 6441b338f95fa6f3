// Transforms along one axis on an emulated device: arrays of the host, and device arrays.
#include "support/device_case.hpp"

#include <algorithm>

namespace papilio {
namespace {

using test::expect_same;
using test::random_array;
using C = std::complex<float>;

constexpr auto fft_of = [](const auto& x, const line_options& o) { return fft(x, o); };
constexpr auto ifft_of = [](const auto& x, const line_options& o) { return ifft(x, o); };
constexpr auto rfft_of = [](const auto& x, const line_options& o) { return rfft(x, o); };
constexpr auto irfft_of = [](const auto& x, const line_options& o) { return irfft(x, o); };
constexpr auto hfft_of = [](const auto& x, const line_options& o) { return hfft(x, o); };
constexpr auto ihfft_of = [](const auto& x, const line_options& o) { return ihfft(x, o); };

constexpr auto fft_vjp_of = [](const auto& x, const line_options& o) { return fft_vjp(x, o); };
constexpr auto ifft_vjp_of = [](const auto& x, const line_options& o) { return ifft_vjp(x, o); };
constexpr auto rfft_vjp_of = [](const auto& x, const line_options& o) { return rfft_vjp(x, o); };
constexpr auto irfft_vjp_of = [](const auto& x, const line_options& o) { return irfft_vjp(x, o); };

void expect_all(engine::device& dev, const auto& real, const auto& bins, const line_options& o,
                const std::string& what) {
  SCOPED_TRACE(what);
  expect_same(dev, fft_of, bins, o);
  expect_same(dev, ifft_of, bins, o);
  expect_same(dev, fft_of, real, o);
  expect_same(dev, ifft_of, real, o);
  expect_same(dev, rfft_of, real, o);
  expect_same(dev, ihfft_of, real, o);
  if (!o.n && bins.size() < 2) return;  // one bin alone needs a length
  expect_same(dev, irfft_of, bins, o);
  expect_same(dev, hfft_of, bins, o);
}

TEST(device_lines, lengths) {
  engine::device dev;
  for (const std::size_t n : {1, 2, 3, 7, 16, 97, 100, 1009})
    expect_all(dev, random_array<float, 1>({n}, 1), random_array<C, 1>({n}, 2), {},
               "n = " + std::to_string(n));
}

TEST(device_lines, axes) {
  engine::device dev;
  const auto real = random_array<float, 3>({5, 6, 9}, 3);
  const auto bins = random_array<C, 3>({5, 6, 9}, 4);
  for (const std::ptrdiff_t axis : {0, 1, 2, -1, -2, -3})
    expect_all(dev, real, bins, {.axis = axis}, "axis " + std::to_string(axis));
}

TEST(device_lines, cut_and_padded) {
  engine::device dev;
  const auto real = random_array<float, 2>({6, 10}, 5);
  const auto bins = random_array<C, 2>({6, 10}, 6);
  for (const std::ptrdiff_t axis : {0, 1})
    for (const std::ptrdiff_t n : {1, 4, 7, 19, 33})
      expect_all(dev, real, bins, {.n = n, .axis = axis},
                 "n = " + std::to_string(n) + ", axis " + std::to_string(axis));
}

TEST(device_lines, factors) {
  engine::device dev;
  const auto real = random_array<float, 2>({3, 12}, 7);
  const auto bins = random_array<C, 2>({3, 12}, 8);
  for (const normalization norm : {normalization::backward, normalization::orthonormal,
                                   normalization::forward, normalization::none})
    expect_all(dev, real, bins, {.norm = norm}, "norm " + std::to_string(int(norm)));
}

TEST(device_lines, gradients) {
  engine::device dev;
  for (const std::ptrdiff_t n : {2, 5, 16, 31, 100})
    for (const normalization norm : {normalization::backward, normalization::orthonormal}) {
      const auto points = static_cast<std::size_t>(n), half = points / 2 + 1;
      const auto real = random_array<float, 3>({2, points, 3}, 3);
      const auto bins = random_array<C, 3>({2, half, 3}, 4);
      const line_options o{.n = n, .axis = 1, .norm = norm};
      expect_same(dev, rfft_vjp_of, bins, o);
      expect_same(dev, irfft_vjp_of, real, o);
      expect_same(dev, fft_vjp_of, bins, line_options{.axis = 1, .norm = norm});
      expect_same(dev, ifft_vjp_of, bins, line_options{.axis = -2, .norm = norm});
    }
}

TEST(device_lines, ranks) {
  engine::device dev;
  expect_all(dev, random_array<float, 4>({2, 3, 4, 5}, 9), random_array<C, 4>({2, 3, 4, 5}, 10),
             {.axis = 1}, "rank 4");
  expect_all(dev, random_array<float, 6>({2, 1, 3, 4, 2, 3}, 11),
             random_array<C, 6>({2, 1, 3, 4, 2, 3}, 12), {.axis = 3}, "rank 6");
  expect_all(dev, random_array<float, 6>({2, 1, 3, 4, 2, 3}, 11),
             random_array<C, 6>({2, 1, 3, 4, 2, 3}, 12), {.n = 5, .axis = -2}, "rank 6, padded");
}

// Values that would not be finite after a sum with others show where anything else was read.
TEST(device_lines, strides) {
  engine::device dev;
  const execution on{.where = policy::device, .on = &dev};
  array<C, 2> memory = random_array<C, 2>({20, 30}, 13);
  // Every second row backwards, every third column; then one row, again and again.
  const view<const C, 2> some(memory.data() + 19 * 30, {10, 10}, {-60, 3});
  const view<const C, 2> same(memory.data(), {4, 15}, {0, 2});
  for (const auto& x : {some, same}) {
    const auto expected = fft(test::widened_array<C, 2>(x), {.on = {.where = policy::host}});
    test::expect_near(fft(x, {.on = on}), expected, test::device_tolerance(x.extents()));
    test::expect_near(to_host(fft(to_device(dev, x))), expected,
                      test::device_tolerance(x.extents()));
  }
  // Out of order as well: transposed, every second element.
  array<C, 2> wide({20, 10});
  const view<C, 2> out(wide.data(), {10, 10}, {1, 20});
  fft(some, out, {.on = on});
  array<C, 2> copy({10, 10});
  for (std::size_t i = 0; i < 10; ++i)
    for (std::size_t j = 0; j < 10; ++j) {
      copy(i, j) = out(i, j);
      EXPECT_EQ(wide(2 * j + 1, i), C());  // between its elements nothing is written
    }
  test::expect_near(copy, fft(test::widened_array<C, 2>(some), {.on = {.where = policy::host}}),
                    test::device_tolerance(some.extents()));
}

TEST(device_lines, in_place_and_overlapping) {
  engine::device dev;
  const execution on{.where = policy::device, .on = &dev};
  auto x = random_array<C, 2>({4, 25}, 14);
  const auto expected = fft(test::widened_array<C, 2>(std::as_const(x).view()),
                            {.axis = 0, .on = {.where = policy::host}});
  fft(x, x.view(), {.axis = 0, .on = on});
  test::expect_near(x, expected, test::device_tolerance(x.extents()));

  auto line = random_array<C, 1>({40}, 15);
  const view<const C, 1> from(line.data(), {30});
  const view<C, 1> to(line.data() + 10, {30});
  const auto shifted = ifft(test::widened_array<C, 1>(from), {.on = {.where = policy::host}});
  ifft(from, to, {.on = on});
  array<C, 1> got({30});
  std::copy_n(line.data() + 10, 30, got.data());
  test::expect_near(got, shifted, test::device_tolerance(got.extents()));
}

TEST(device_lines, without_elements_nothing_runs) {
  engine::device dev;
  const execution on{.where = policy::device, .on = &dev};
  const array<C, 2> none({0, 8});
  EXPECT_EQ(fft(none, {.on = on}).extents(), (extents_type<2>{0, 8}));
  EXPECT_EQ(dev.record().launches, 0u);
  EXPECT_THROW(to_device(dev, none), invalid_argument);
}

TEST(device_lines, shifts) {
  engine::device dev;
  const auto check = [&](const auto& x, const shift_options& o) {
    EXPECT_TRUE(std::ranges::equal(to_host(fftshift(to_device(dev, x), o)), fftshift(x, o)));
    EXPECT_TRUE(std::ranges::equal(to_host(ifftshift(to_device(dev, x), o)), ifftshift(x, o)));
  };
  check(random_array<float, 1>({1}, 1), {});
  check(random_array<float, 1>({9}, 1), {});
  check(random_array<C, 3>({4, 5, 7}, 2), {});
  check(random_array<C, 3>({4, 5, 7}, 3), {.axes = {-1, 0}});
  check(random_array<C, 3>({4, 5, 7}, 3), {.axes = {1, 1}});
  check(random_array<float, 3>({4, 5, 7}, 4), {.axes = index_list(std::vector<int>{})});
  check(random_array<float, 6>({2, 3, 4, 3, 2, 5}, 5), {});
  EXPECT_THROW(fftshift(to_device(dev, random_array<float, 1>({4}, 1)), {.axes = {1}}),
               invalid_argument);
}

}  // namespace
}  // namespace papilio
