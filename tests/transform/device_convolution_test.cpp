// Cosine and sine transforms, convolutions and chirp transforms on an emulated device.
#include "support/device_case.hpp"

namespace papilio {
namespace {

using test::expect_same;
using test::message_of;
using test::random_array;
using C = std::complex<float>;

constexpr auto dct_of = [](const auto& x, const auto& o) { return dct(x, o); };
constexpr auto idct_of = [](const auto& x, const auto& o) { return idct(x, o); };
constexpr auto dst_of = [](const auto& x, const auto& o) { return dst(x, o); };
constexpr auto idst_of = [](const auto& x, const auto& o) { return idst(x, o); };
constexpr auto dctn_of = [](const auto& x, const auto& o) { return dctn(x, o); };
constexpr auto idctn_of = [](const auto& x, const auto& o) { return idctn(x, o); };
constexpr auto dstn_of = [](const auto& x, const auto& o) { return dstn(x, o); };
constexpr auto idstn_of = [](const auto& x, const auto& o) { return idstn(x, o); };

void expect_lines(engine::device& dev, const auto& x, const trigonometric_options& o) {
  SCOPED_TRACE("type " + std::to_string(o.type) + ", norm " + std::to_string(int(o.norm)));
  expect_same(dev, dct_of, x, o);
  expect_same(dev, idct_of, x, o);
  expect_same(dev, dst_of, x, o);
  expect_same(dev, idst_of, x, o);
}

TEST(device_trigonometric, types_and_factors) {
  engine::device dev;
  const auto x = random_array<float, 2>({3, 7}, 1);
  for (int type = 1; type <= 4; ++type)
    for (const normalization norm :
         {normalization::backward, normalization::orthonormal, normalization::forward})
      expect_lines(dev, x, {.type = type, .norm = norm});
}

TEST(device_trigonometric, axes_lengths_and_parts) {
  engine::device dev;
  const auto real = random_array<float, 3>({4, 5, 6}, 2);
  const auto parts = random_array<C, 3>({4, 5, 6}, 3);
  for (const std::ptrdiff_t axis : {0, 1, -1}) {
    expect_lines(dev, real, {.axis = axis});
    expect_lines(dev, parts, {.type = 3, .n = 8, .axis = axis});
    expect_lines(dev, real, {.type = 1, .n = 2, .axis = axis});
  }
  expect_same(dev, dct_of, random_array<float, 1>({1}, 4), trigonometric_options{});
  expect_same(dev, dct_of, random_array<float, 1>({300}, 4), trigonometric_options{});
}

TEST(device_trigonometric, several_axes) {
  engine::device dev;
  const auto real = random_array<float, 3>({4, 5, 6}, 5);
  const auto parts = random_array<C, 2>({4, 5}, 6);
  const auto expect_all = [&](const auto& x, const trigonometric_grid_options& o) {
    expect_same(dev, dctn_of, x, o);
    expect_same(dev, idctn_of, x, o);
    expect_same(dev, dstn_of, x, o);
    expect_same(dev, idstn_of, x, o);
  };
  expect_all(real, {});
  expect_all(real, {.type = 3, .s = {3, 9}, .axes = {0, 2}});
  expect_all(parts, {.type = 1, .norm = normalization::orthonormal});
  EXPECT_THROW(dctn(to_device(dev, real), {.axes = {1, 1}}), invalid_argument);
}

TEST(device_trigonometric, bounds) {
  engine::device dev;
  const auto x = to_device(dev, random_array<float, 1>({8}, 7));
  EXPECT_THROW(dct(x, {.type = 5}), invalid_argument);
  EXPECT_THROW(dct(x, {.type = 1, .n = 1}), invalid_argument);
  try {
    dct(x, {.n = 4097});
    ADD_FAILURE();
  } catch (const device_error& e) {
    EXPECT_NE(std::string(e.what()).find("at most 4096 points, got type 2 of 4097"),
              std::string::npos)
        << e.what();
  }
  const array<float, 1> long_one({4999});  // a prime
  EXPECT_THROW(dct(long_one, {.on = {.where = policy::device, .on = &dev}}), device_error);
  // automatic has a side that can do it.
  EXPECT_NO_THROW(dct(long_one, {.on = {.where = policy::automatic, .on = &dev}}));
  EXPECT_EQ(last_run().backend, "host");
}

template <class X, class Y>
void expect_convolved(engine::device& dev, const X& x, const Y& y, convolution_options o) {
  const auto widened = [](const auto& a) {
    using A = std::remove_cvref_t<decltype(a)>;
    return test::widened_array<typename A::value_type, transform_detail::rank_of<A>>(a.view());
  };
  convolution_options host = o;
  host.on = {.where = policy::host};
  const auto expected = fftconvolve(widened(x), widened(y), host);
  const double tolerance = 3 * test::device_tolerance(x.extents());
  test::expect_near(to_host(fftconvolve(to_device(dev, x), to_device(dev, y), o)), expected,
                    tolerance);
  test::expect_near(to_host(oaconvolve(to_device(dev, x), to_device(dev, y), o)), expected,
                    tolerance);
  o.on = {.where = policy::device, .on = &dev};
  test::expect_near(fftconvolve(x, y, o), expected, tolerance);
  dev.reset_record();
  test::expect_near(oaconvolve(x, y, o), expected, tolerance);
  EXPECT_EQ(dev.record().upload.tensors, 1u);
  EXPECT_EQ(dev.record().launches, 1u);
  EXPECT_EQ(dev.record().fetch.tensors, 1u);
}

TEST(device_convolution, modes) {
  engine::device dev;
  for (const convolution_mode mode :
       {convolution_mode::full, convolution_mode::same, convolution_mode::valid}) {
    SCOPED_TRACE(int(mode));
    expect_convolved(dev, random_array<float, 1>({50}, 1), random_array<float, 1>({7}, 2),
                     {.mode = mode});
    expect_convolved(dev, random_array<C, 1>({9}, 3), random_array<float, 1>({9}, 4),
                     {.mode = mode});
    expect_convolved(dev, random_array<float, 2>({12, 9}, 5), random_array<C, 2>({3, 4}, 6),
                     {.mode = mode});
  }
}

TEST(device_convolution, axes_and_repetition) {
  engine::device dev;
  expect_convolved(dev, random_array<float, 2>({70, 12}, 7), random_array<float, 2>({1, 5}, 8),
                   {.axes = {1}});
  expect_convolved(dev, random_array<C, 3>({1, 8, 3}, 9), random_array<C, 3>({2, 4, 1}, 10),
                   {.axes = {-2}});
  expect_convolved(dev, random_array<float, 2>({5, 1}, 11), random_array<float, 2>({1, 6}, 12), {});
  const auto x = to_device(dev, random_array<float, 1>({5}, 13));
  EXPECT_THROW(fftconvolve(x, x, {.axes = {0, 0}}), invalid_argument);
  const auto a = to_device(dev, random_array<float, 2>({5, 4}, 13));
  const auto b = to_device(dev, random_array<float, 2>({3, 4}, 13));
  EXPECT_THROW(fftconvolve(a, b, {.axes = {1}}), shape_error);
}

// Of doubles, which no accelerator takes: the messages name the policy that was asked for.
TEST(device_convolution, doubles_under_automatic) {
  engine::device dev;
  const std::vector<double> x(16, 1.0);
  const execution device{.where = policy::automatic, .on = &dev, .backend = "device"};
  const auto refused = [&](const auto& run, const std::string& function) {
    const std::string text = message_of<invalid_argument>(run);
    EXPECT_TRUE(text.starts_with(function + ": neither side can do ")) << text;
    EXPECT_NE(text.find("the device: it computes in float, the operands are double"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("policy is host"), std::string::npos) << text;
  };
  const std::vector<std::complex<double>> z(16, 1.0);
  refused([&] { fftconvolve(z, z, {.on = device}); }, "fftconvolve");
  refused([&] { oaconvolve(z, z, {.on = device}); }, "oaconvolve");
  refused([&] { czt(z, {.on = device}); }, "czt");
  const std::string real = message_of<invalid_argument>([&] { fftconvolve(x, x, {.on = device}); });
  EXPECT_TRUE(real.starts_with("fftconvolve: neither side can do rfft of 32 points in double"))
      << real;
  const execution either{.where = policy::automatic, .on = &dev};
  EXPECT_EQ(fftconvolve(x, x, {.on = either}).size(), 31u);
  EXPECT_EQ(last_run().backend, "host");
  fftconvolve(std::vector<long double>(4, 1.0L), x, {.on = either});
  EXPECT_EQ(last_run().backend, "host");
  EXPECT_EQ(dev.record().launches, 0u);
}

// Without elements nothing runs; what an execution cannot have is refused all the same.
TEST(device_convolution, empty_operands) {
  engine::device dev;
  const std::vector<float> none, x(4, 1.0F);
  const std::vector<double> wide_none, wide(4, 1.0);
  const auto each = [&](const execution& on, const auto& check) {
    check([&] { EXPECT_TRUE(fftconvolve(none, x, {.on = on}).empty()); });
    check([&] { EXPECT_TRUE(oaconvolve(x, none, {.on = on}).empty()); });
    check([&] { EXPECT_TRUE(fftconvolve(none, none, {.on = on}).empty()); });
  };
  const auto throws = [](auto error) {
    return [](const auto& f) { EXPECT_THROW(f(), decltype(error)); };
  };
  const auto good = [](const auto& f) { EXPECT_NO_THROW(f()); };
  for (const policy where : {policy::host, policy::device, policy::automatic}) {
    each({.where = where, .on = &dev, .threads = -1}, throws(invalid_argument("")));
    each({.where = where, .on = &dev, .backend = "nobody"}, throws(invalid_argument("")));
    each({.where = where, .on = &dev, .precision = {.target_error = -1}},
         throws(invalid_argument("")));
    each({.where = where, .on = &dev}, good);
  }
  each({.where = policy::device}, throws(device_error("")));
  each({.where = policy::device, .on = &dev, .backend = "host"}, throws(invalid_argument("")));
  each({.where = policy::host, .backend = "device"}, throws(invalid_argument("")));
  each({.where = policy::host, .precision = {.mode = precision::bf16}},
       throws(invalid_argument("")));
  each({.where = policy::automatic}, good);
  EXPECT_THROW(fftconvolve(wide_none, wide, {.on = {.where = policy::device, .on = &dev}}),
               device_error);
  EXPECT_EQ(message_of<device_error>([&] {
              oaconvolve(none, x, {.on = {.where = policy::device}});
            }).substr(0, 12),
            "oaconvolve: ");
  EXPECT_EQ(dev.record().launches, 0u);
}

TEST(device_convolution, chirp_transforms) {
  engine::device dev;
  constexpr auto czt_of = [](const auto& x, const czt_options& o) { return czt(x, o); };
  const double tolerance = 1e-5;
  expect_same(dev, czt_of, random_array<C, 1>({50}, 1), czt_options{}, tolerance);
  expect_same(dev, czt_of, random_array<float, 2>({4, 33}, 2), czt_options{.m = 20}, tolerance);
  expect_same(
      dev, czt_of, random_array<C, 3>({3, 10, 4}, 3),
      czt_options{.m = 17, .w = std::polar(1.0, -0.01), .a = std::polar(1.0, 0.3), .axis = 1},
      tolerance);
  const auto x = random_array<C, 2>({4, 30}, 4);
  const execution on{.where = policy::device, .on = &dev};
  czt(x, {.on = on});
  dev.reset_record();
  czt(x, {.on = on});
  EXPECT_EQ(dev.record().upload.tensors, 1u);  // tables are there
  EXPECT_EQ(dev.record().fetch.tensors, 1u);
  EXPECT_THROW(czt(to_device(dev, x), {.m = 0}), invalid_argument);
  EXPECT_THROW(czt(to_device(dev, x), {.w = 0}), invalid_argument);
}

}  // namespace
}  // namespace papilio
