// Arrays of the host with more axes than a launch takes, none of which join by their strides.
#include <algorithm>
#include <array>

#include "support/device_case.hpp"

namespace papilio {
namespace {

using test::random_array;
using C = std::complex<float>;

constexpr extents_type<6> part_extents{2, 3, 2, 2, 3, 2}, whole_extents{2, 4, 3, 3, 4, 3};

template <class T>
view<T, 6> part_of(array<T, 6>& whole) {
  view<T, 6> part = whole.view();
  for (std::size_t axis = 0; axis < 6; ++axis) part = part.slice(axis, 0, part_extents[axis]);
  return part;
}

template <class T>
array<T, 6> values_of(const view<T, 6>& part) {
  return transform_detail::converted_copy<T, T, 6>(part);
}

// On a host whose every call takes a second automatic is the device's.
class device_gather : public testing::Test {
 protected:
  void SetUp() override {
    host_model slow = host_from_features();
    slow.call_seconds = 1;
    use_host(slow);
  }
  void TearDown() override { use_host(host_from_features()); }

  engine::device dev;
  array<C, 6> x_whole = random_array<C, 6>(whole_extents, 1);
  array<C, 6> y_whole = random_array<C, 6>(whole_extents, 2);
  const view<C, 6> x = part_of(x_whole), y = part_of(y_whole);

  array<std::complex<double>, 6> expected(std::ptrdiff_t axis) const {
    const view<const C, 6> read = x;
    return fft(test::widened_array<C, 6>(read),
               {.axis = axis, .on = {.where = policy::host, .threads = 1}});
  }
  std::size_t changed(const array<C, 6>& before) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < before.size(); ++i) count += before.data()[i] != y_whole.data()[i];
    return count;
  }
};

TEST_F(device_gather, operands_of_a_run) {
  for (const policy where : {policy::device, policy::automatic})
    for (const std::ptrdiff_t axis : {0, 3, 5}) {
      const array<C, 6> before = y_whole;
      fft(x, y, {.axis = axis, .on = {.where = where, .on = &dev}});
      EXPECT_EQ(last_run().backend, "device");
      EXPECT_EQ(last_run().uploads, 1u);
      EXPECT_EQ(last_run().upload_bytes, static_cast<double>(8 * x.size()));
      test::expect_near(values_of(y), expected(axis), test::device_tolerance(part_extents));
      EXPECT_LE(changed(before), y.size());  // nothing between the elements
    }
}

TEST_F(device_gather, real_operands) {
  array<float, 6> r_whole = random_array<float, 6>(whole_extents, 3);
  const view<float, 6> r = part_of(r_whole);
  const view<const float, 6> read = r;
  const auto expected = rfft(test::widened_array<float, 6>(read), {.on = {.where = policy::host}});
  const auto got = rfft(r, {.on = {.where = policy::device, .on = &dev}});
  test::expect_near(got, expected, test::device_tolerance(part_extents));
}

TEST_F(device_gather, copies) {
  const array<C, 6> before = y_whole;
  const auto there = to_device(dev, x);
  EXPECT_TRUE(std::ranges::equal(to_host(there), values_of(x)));
  to_host(there, y);
  EXPECT_TRUE(std::ranges::equal(values_of(y), values_of(x)));
  EXPECT_EQ(changed(before), y.size());
}

TEST_F(device_gather, graphs_read_and_write_them_at_each_submission) {
  auto graph = capture(dev, [&] { to_host(fft(to_device(dev, x)), y); });
  EXPECT_EQ(dev.record().launches, 0u);
  for (unsigned time = 0; time < 2; ++time) {
    const array<C, 6> before = y_whole;
    graph.submit();
    test::expect_near(values_of(y), expected(5), test::device_tolerance(part_extents));
    EXPECT_EQ(changed(before), y.size());
    std::ranges::copy(random_array<C, 6>(whole_extents, 7 + time), x_whole.begin());
  }
  // As of other arrays, memory that is written serves one of them, and is not read after.
  EXPECT_THROW(capture(dev,
                       [&] {
                         to_host(fft(to_device(dev, x)), y);
                         to_device(dev, y);
                       }),
               invalid_argument);
  EXPECT_THROW(capture(dev,
                       [&] {
                         const auto bins = fft(to_device(dev, x));
                         to_host(bins, y);
                         to_host(fft(bins), y);
                       }),
               invalid_argument);
}

// A stride of 0 is refused as it is where axes join.
TEST_F(device_gather, elements_that_are_written_are_apart) {
  std::array<std::ptrdiff_t, 6> strides{};
  std::ranges::copy(y.strides(), strides.begin());
  strides[2] = 0;
  const view<C, 6> same(y.data(), part_extents, strides);
  const array<C, 6> before = y_whole;
  const auto there = to_device(dev, x);
  EXPECT_THROW(to_host(there, same), invalid_argument);
  EXPECT_EQ(changed(before), 0u);
}

}  // namespace
}  // namespace papilio
