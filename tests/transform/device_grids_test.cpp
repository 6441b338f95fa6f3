// Transforms along several axes on an emulated device.
#include "support/device_case.hpp"

#include <algorithm>

namespace papilio {
namespace {

using test::expect_same;
using test::random_array;
using C = std::complex<float>;

constexpr auto fftn_of = [](const auto& x, const grid_options& o) { return fftn(x, o); };
constexpr auto ifftn_of = [](const auto& x, const grid_options& o) { return ifftn(x, o); };
constexpr auto rfftn_of = [](const auto& x, const grid_options& o) { return rfftn(x, o); };
constexpr auto irfftn_of = [](const auto& x, const grid_options& o) { return irfftn(x, o); };
constexpr auto fft2_of = [](const auto& x, const grid_options& o) { return fft2(x, o); };
constexpr auto ifft2_of = [](const auto& x, const grid_options& o) { return ifft2(x, o); };
constexpr auto rfft2_of = [](const auto& x, const grid_options& o) { return rfft2(x, o); };
constexpr auto irfft2_of = [](const auto& x, const grid_options& o) { return irfft2(x, o); };

void expect_all(engine::device& dev, const auto& real, const auto& bins, const grid_options& o,
                const std::string& what) {
  SCOPED_TRACE(what);
  expect_same(dev, fftn_of, bins, o);
  expect_same(dev, ifftn_of, bins, o);
  expect_same(dev, fftn_of, real, o);
  expect_same(dev, rfftn_of, real, o);
  expect_same(dev, irfftn_of, bins, o);
}

TEST(device_grids, axes_and_lengths) {
  engine::device dev;
  const auto real = random_array<float, 3>({4, 6, 9}, 1);
  const auto bins = random_array<C, 3>({4, 6, 9}, 2);
  expect_all(dev, real, bins, {}, "all");
  expect_all(dev, real, bins, {.axes = {0, 2}}, "0, 2");
  expect_all(dev, real, bins, {.axes = {-1, 0}}, "the first halved");
  expect_all(dev, real, bins, {.axes = {1}}, "one");
  expect_all(dev, real, bins, {.s = {5, 7}}, "the last two, cut and padded");
  expect_all(dev, real, bins, {.s = {3, -1, 12}, .axes = {2, 1, 0}}, "backwards");
}

TEST(device_grids, gradients) {
  engine::device dev;
  constexpr auto rfftn_vjp_of = [](const auto& x, const grid_options& o) {
    return rfftn_vjp(x, o);
  };
  constexpr auto irfftn_vjp_of = [](const auto& x, const grid_options& o) {
    return irfftn_vjp(x, o);
  };
  const auto bins = random_array<C, 3>({4, 6, 9}, 1);
  const auto real = random_array<float, 3>({4, 6, 9}, 2);
  const auto expect_one_launch = [&](const auto& f, const auto& x, const grid_options& o) {
    expect_same(dev, f, x, o);
    EXPECT_EQ(last_run().launches, 1u);
  };
  for (const grid_options& o : {grid_options{},
                                {.axes = {0, 2}, .norm = normalization::orthonormal},
                                {.axes = {1}},
                                {.s = {6, 17}, .axes = {1, 2}}})
    expect_one_launch(rfftn_vjp_of, bins, o);
  for (const grid_options& o :
       {grid_options{}, {.axes = {2, 0}, .norm = normalization::forward}, {.axes = {1}}})
    expect_one_launch(irfftn_vjp_of, real, o);
  // Along an axis twice, the adjoints of each transform in turn, and along more axes than a kernel
  // takes: several programs, captured into one dispatch.
  const auto expect_one_dispatch = [&](const auto& f, const auto& x, grid_options o) {
    expect_same(dev, f, x, o);
    dev.reset_record();
    o.on = {.where = policy::device, .on = &dev};
    f(x, o);
    EXPECT_EQ(dev.record().launches, 1u);
    EXPECT_EQ(dev.record().upload.tensors, 1u);
    EXPECT_EQ(dev.record().fetch.tensors, 1u);
  };
  expect_one_dispatch(rfftn_vjp_of, bins, {.s = {4, 4, 17}, .axes = {0, 0, 2}});
  expect_one_dispatch(irfftn_vjp_of, real, {.axes = {1, 1, 2}});
  expect_one_dispatch(rfftn_vjp_of, random_array<C, 6>({2, 3, 2, 4, 3, 3}, 3), {});
  expect_one_dispatch(irfftn_vjp_of, random_array<float, 6>({2, 3, 2, 4, 3, 5}, 4), {});
}

TEST(device_grids, two_axes) {
  engine::device dev;
  const auto real = random_array<float, 3>({3, 8, 5}, 3);
  const auto bins = random_array<C, 3>({3, 8, 5}, 4);
  const grid_options o{.norm = normalization::orthonormal};
  expect_same(dev, fft2_of, bins, o);
  expect_same(dev, ifft2_of, bins, o);
  expect_same(dev, rfft2_of, real, o);
  expect_same(dev, irfft2_of, bins, o);
}

TEST(device_grids, repeated_axes) {
  engine::device dev;
  const auto real = random_array<float, 2>({6, 10}, 5);
  const auto bins = random_array<C, 2>({6, 10}, 6);
  expect_all(dev, real, bins, {.axes = {1, 1}}, "1, 1");
  expect_all(dev, real, bins, {.axes = {0, 1, 0}}, "0, 1, 0");
  expect_all(dev, real, bins, {.s = {4, 12, 9}, .axes = {0, 1, 0}}, "other lengths each time");
  // However often: one dispatch.
  dev.reset_record();
  const execution on{.where = policy::device, .on = &dev};
  fftn(bins, {.axes = {0, 1, 0}, .on = on});
  const auto tables = dev.record().upload.tensors;
  dev.reset_record();
  fftn(bins, {.axes = {0, 1, 0}, .on = on});
  EXPECT_EQ(dev.record().upload.tensors, 1u) << "after " << tables;
  EXPECT_EQ(dev.record().fetch.tensors, 1u);
  EXPECT_EQ(dev.record().launches, 1u);
}

TEST(device_grids, no_axes) {
  engine::device dev;
  const auto real = random_array<float, 2>({3, 4}, 7);
  const grid_options none{.axes = index_list(std::vector<int>{})};
  const auto result = to_host(fftn(to_device(dev, real), none));
  EXPECT_TRUE(std::ranges::equal(result, fftn(real, none)));
  EXPECT_THROW(rfftn(to_device(dev, real), none), invalid_argument);
}

TEST(device_grids, many_axes) {
  engine::device dev;
  const auto real = random_array<float, 6>({2, 3, 2, 4, 3, 5}, 8);
  const auto bins = random_array<C, 6>({2, 3, 2, 4, 3, 5}, 9);
  expect_all(dev, real, bins, {}, "all six");
  expect_all(dev, real, bins, {.axes = {0, 2, 4}}, "every second");
  expect_all(dev, real, bins, {.s = {3, 2, 3, 5, 2, 6}}, "all six cut or padded");
}

TEST(device_grids, errors_are_those_of_the_host) {
  engine::device dev;
  const auto x = to_device(dev, random_array<C, 2>({3, 4}, 10));
  EXPECT_THROW(fft(x, {.axis = 2}), invalid_argument);
  EXPECT_THROW(fft(x, {.n = 0}), invalid_argument);
  EXPECT_THROW(fftn(x, {.axes = {-3}}), invalid_argument);
  EXPECT_THROW(fftn(x, {.s = {1, 2}, .axes = {0}}), invalid_argument);
  EXPECT_THROW(irfft(to_device(dev, random_array<C, 1>({1}, 1))), invalid_argument);
  try {
    ifft(x, {.axis = -4});
    ADD_FAILURE();
  } catch (const invalid_argument& e) {
    EXPECT_EQ(std::string(e.what()).substr(0, 5), "ifft:") << e.what();
  }
  EXPECT_EQ(dev.record().launches, 0u);
}

}  // namespace
}  // namespace papilio
