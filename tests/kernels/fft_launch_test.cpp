// fft_kernel as a program of a device: bits, operands, values that are no numbers, refusals.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/device_fft.hpp"
#include "papilio/engine/device.hpp"

namespace papilio::kernels::test {
namespace {

using engine::device;
using engine::launch_input;
using engine::launch_output;
using papilio::test::random_complex;

std::vector<std::uint64_t> bits(const complex_values& x) {
  std::vector<std::uint64_t> all;
  for (const auto& v : x)
    all.push_back(std::uint64_t(std::bit_cast<std::uint32_t>(v.real())) << 32 |
                  std::bit_cast<std::uint32_t>(v.imag()));
  return all;
}

const std::vector<fft_row>& shapes() {
  static const std::vector<fft_row> all{{.extents = {129, 60}, .axes = {-1}},
                                        {.extents = {3, 127}, .axes = {-1}},
                                        {.extents = {64, 150}},
                                        {.extents = {5000}},
                                        {.extents = {7, 30, 20}, .axes = {1}}};
  return all;
}

complex_values noise(const fft_row& shape) { return random_complex<float>(count_of(shape), 11); }

TEST(fft_launch, the_same_bits_with_two_threads) {
  for (const fft_row& shape : shapes()) {
    device one, two(engine::trainium1(), engine::sdk_2_24(), {.threads = 2});
    const complex_values x = noise(shape);
    EXPECT_EQ(bits(device_fft(one, shape, x)), bits(device_fft(two, shape, x)));
  }
}

// There and back as one submission, the spectrum on the device in between.
TEST(fft_launch, the_same_bits_in_a_graph) {
  for (const fft_row& shape : shapes()) {
    device dev;
    fft_row back = shape;
    back.inverse = true;
    back.scale = 0.25;
    const complex_values x = noise(shape), there = device_fft(dev, shape, x);
    const prepared_kernel forward(dev, fft_kernel(shape, dev.machine())),
        inverse(dev, fft_kernel(back, dev.machine()));
    const std::vector<float> in = planes_of(x);
    std::vector<float> spectrum(in.size()), out(in.size());
    const engine::tensor_shape& tensor = forward.what().inputs[0];
    const launch_output result(std::as_writable_bytes(std::span(spectrum)), tensor);
    engine::graph both(dev);
    forward.capture(both, {{std::as_bytes(std::span(in)), tensor}}, {result});
    inverse.capture(both, {{std::as_bytes(std::span(spectrum)), tensor}},
                    {{std::as_writable_bytes(std::span(out)), tensor}});
    both.submit();
    EXPECT_EQ(bits(from_planes(spectrum)), bits(there));
    EXPECT_EQ(bits(from_planes(out)), bits(device_fft(dev, back, there)));
  }
}

TEST(fft_launch, complex_arrays_are_strided_operands) {
  const fft_row shape{.extents = {6, 90}, .axes = {1}};
  device dev;
  complex_values x = noise(shape), y(x.size());
  const auto planes = [](complex_values& of) {
    return view<float, 3>(reinterpret_cast<float*>(of.data()), {2, 6, 90}, {1, 180, 2});
  };
  const prepared_kernel fft(dev, fft_kernel(shape, dev.machine()));
  fft.launch({planes(x)}, {planes(y)});
  EXPECT_EQ(bits(y), bits(device_fft(dev, shape, x)));
}

// By name, parameters and operands a device tells programs apart.
TEST(fft_launch, other_axes_are_another_program) {
  const auto key = [](std::vector<int> axes, bool inverse = false, double scale = 1) {
    return fft_kernel({.extents = {128, 8, 8},
                       .axes = std::move(axes),
                       .inverse = inverse,
                       .scale = scale},
                      engine::trainium1())
        .program.parameters;
  };
  EXPECT_NE(key({1}), key({2}));
  EXPECT_EQ(key({1}), key({-2}));
  EXPECT_NE(key({1}), key({1}, true));
  device dev;
  const fft_row rows{.extents = {128, 8, 8}, .axes = {2}},
      columns{.extents = {128, 8, 8}, .axes = {1}};
  device_fft(dev, rows, noise(rows));
  device_fft(dev, columns, noise(columns));
  device_fft(dev, rows, noise(rows));
  EXPECT_EQ(dev.record().hits, 1u);
}

// A line with a NaN or an infinity is all NaN or not finite, in strict mode too; others are as they
// would be without.
TEST(fft_launch, values_that_are_no_numbers_stay_in_their_line) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                  infinity = std::numeric_limits<float>::infinity();
  for (const std::size_t n : {1, 16, 60, 127, 1024, 6000})
    for (const float bad : {nan, infinity})
      for (const bool strict : {true, false}) {
        SCOPED_TRACE(testing::Message() << n << " " << bad << " " << strict);
        const fft_row shape{.extents = {3, std::int64_t(n)}, .axes = {1}};
        device dev(engine::trainium1(), engine::sdk_2_24(), {.strict = strict});
        complex_values x = noise(shape);
        const complex_values plain = device_fft(dev, shape, x);
        x[n + n / 3] = {1, bad};
        const complex_values y = device_fft(dev, shape, x);
        for (std::size_t i = 0; i < 3 * n; ++i) {
          if (i / n == 1) {
            ASSERT_FALSE(std::isfinite(y[i].real()) && std::isfinite(y[i].imag())) << i;
            if (std::isnan(bad) && n > 1) {
              ASSERT_TRUE(std::isnan(y[i].real()) && std::isnan(y[i].imag())) << i;
            }
          } else {
            ASSERT_EQ(y[i], plain[i]) << i;
          }
        }
      }
}

// Short lines beside each other are multiplied by one matrix, whose zeros do not stop it.
TEST(fft_launch, values_that_are_no_numbers_among_short_lines) {
  const fft_row shape{.extents = {2048, 8}, .axes = {1}};
  device dev;
  complex_values x = noise(shape);
  const complex_values plain = device_fft(dev, shape, x);
  constexpr std::size_t bad = 1000 * 8 + 3;
  x[bad] = std::numeric_limits<float>::quiet_NaN();
  const complex_values y = device_fft(dev, shape, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i / 8 == bad / 8) {
      ASSERT_TRUE(std::isnan(y[i].real()) && std::isnan(y[i].imag())) << i;
    } else if (i + 512 < bad || i > bad + 512) {
      ASSERT_EQ(y[i], plain[i]) << i;
    }
  }
}

template <class Error>
void expect_refused(const std::function<void()>& run, const std::vector<std::string>& parts) {
  try {
    run();
    ADD_FAILURE() << "accepted: " << parts.front();
  } catch (const Error& e) {
    for (const std::string& part : parts)
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << part << " in " << e.what();
  }
}

// What nobody wrote is refused where it is strict, and comes out as NaN where it is not.
TEST(fft_launch, buffers_that_nobody_wrote) {
  for (const fft_row& shape : shapes()) {
    std::vector<float> out(2 * count_of(shape), 3.0f);
    device strict;
    const prepared_kernel fft(strict, fft_kernel(shape, strict.machine()));
    const engine::tensor_shape& tensor = fft.what().inputs[0];
    const launch_output result(std::as_writable_bytes(std::span(out)), tensor);
    const engine::device_buffer empty = strict.allocate(tensor);
    expect_refused<device_error>([&] { fft.launch({empty}, {result}); },
                                 {"device::launch(fft)", "inputs[0]", "nobody has written"});
    for (const float v : out) ASSERT_EQ(v, 3.0f);

    device lax(engine::trainium1(), engine::sdk_2_24(), {.strict = false});
    const prepared_kernel same(lax, fft_kernel(shape, lax.machine()));
    same.launch({lax.allocate(tensor)}, {result});
    for (const float v : out) ASSERT_TRUE(std::isnan(v));
  }
}

TEST(fft_launch, operands_of_other_shapes) {
  device dev;
  const prepared_kernel fft(dev, fft_kernel({.extents = {4, 30}, .axes = {1}}, dev.machine()));
  std::vector<float> out(240);
  const launch_output result(std::as_writable_bytes(std::span(out)), {{2, 4, 30}});
  const array<float, 3> turned({2, 30, 4}), right({2, 4, 30});
  expect_refused<shape_error>([&] { fft.launch({turned}, {result}); },
                              {"[2, 30, 4]", "[2, 4, 30]"});
  expect_refused<invalid_argument>([&] { fft.launch({}, {result}); }, {"fft"});
  expect_refused<invalid_argument>([&] { fft.launch({right, right}, {result}); }, {"fft"});
}

TEST(fft_launch, another_machine_is_refused) {
  device dev(engine::trainium2());
  const fft_row shape{.extents = {4, 30}, .axes = {1}};
  expect_refused<device_error>(
      [&] { prepared_kernel(dev, fft_kernel(shape, engine::trainium1())); },
      {"prepared_kernel: fft was designed for trainium1, the device is trainium2"});
  // The name does not make it the same.
  engine::machine_spec other = engine::trainium2();
  other.sbuf.bytes_per_partition /= 2;
  expect_refused<device_error>([&] { prepared_kernel(dev, fft_kernel(shape, other)); },
                               {"the device is another trainium2"});
  EXPECT_NO_THROW(prepared_kernel(dev, fft_kernel(shape, dev.machine())));
  EXPECT_TRUE(size_kernel(find_kernel("gemm"), {}, other).machine == other);
}

TEST(fft_launch, shapes_that_are_refused) {
  const auto refused = [](const fft_row& shape) {
    return [shape] { fft_kernel(shape, engine::trainium1()); };
  };
  expect_refused<invalid_argument>(refused({.extents = {}}), {"fft_kernel", "extents", "empty"});
  expect_refused<invalid_argument>(refused({.extents = {4, 0}}),
                                   {"fft_kernel", "at least 1", "got 4x0"});
  expect_refused<invalid_argument>(refused({.extents = {4, 4}, .axes = {2}}),
                                   {"fft_kernel", "axes must be less than 2, got 2"});
  expect_refused<invalid_argument>(refused({.extents = {4, 4}, .axes = {1, -1}}),
                                   {"fft_kernel", "axes must be distinct, got 1 twice"});
  fft_problem in_double = fft_row{.extents = {4}}.problem();
  in_double.type = real_type::double_precision;
  expect_refused<invalid_argument>([&] { kernels::fft_kernel(in_double, engine::trainium1()); },
                                   {"fft_kernel", "type must be float, got double"});
  fft_problem without_axes = fft_row{.extents = {4, 4}}.problem();
  without_axes.axes = {};
  expect_refused<invalid_argument>([&] { kernels::fft_kernel(without_axes, engine::trainium1()); },
                                   {"fft_kernel", "axes must not be empty"});
  expect_refused<shape_error>(refused({.extents = {2, 2, 2, 2, 2, 2}}),
                              {"fft_kernel", "at most 5 extents", "got 6"});
  expect_refused<resource_error>(refused({.extents = {INT64_MAX / 2, 3}}),
                                 {"fft_kernel", "overflows"});
  expect_refused<resource_error>(refused({.extents = {INT64_MAX / 4}}),
                                 {"fft_kernel", "overflows"});
}

}  // namespace
}  // namespace papilio::kernels::test
