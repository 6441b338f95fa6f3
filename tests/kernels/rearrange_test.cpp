// Against an element-by-element copy on the host: bit for bit, one product where scaled.
#include "papilio/kernels/rearrange.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "kernels/runs.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using extents_list = std::vector<std::size_t>;
using shifts_list = std::vector<std::int64_t>;

std::size_t product(const extents_list& extents) {
  std::size_t all = 1;
  for (const std::size_t e : extents) all *= e;
  return all;
}

// Index of a box's element in an array, digit by digit.
std::size_t index_in(const extents_list& array, const extents_list& first,
                     const extents_list& extents, std::size_t element) {
  std::size_t index = 0, stride = 1;
  for (std::size_t a = array.size(); a-- > 0;) {
    index += (first[a] + element % extents[a]) * stride;
    element /= extents[a];
    stride *= array[a];
  }
  return index;
}

std::vector<float> expected(const arrangement_problem& what, const std::vector<float>& in) {
  const std::size_t plane_in = product(what.in_extents), plane_out = product(what.out_extents);
  std::vector<float> out(plane_out * (what.complex_out ? 2 : 1), 0.0F);
  for (const arrangement_problem::box& b : what.boxes)
    for (std::size_t i = 0; i < product(b.extents); ++i)
      for (std::size_t p = 0; p < (what.complex_in && what.complex_out ? 2U : 1U); ++p)
        out[p * plane_out + index_in(what.out_extents, b.to, b.extents, i)] =
            float(p == 0 ? what.scale_re : what.scale_im) *
            in[p * plane_in + index_in(what.in_extents, b.from, b.extents, i)];
  return out;
}

std::vector<float> launched(const arrangement_problem& what, const std::vector<float>& in,
                            const machine_spec& machine = trainium1()) {
  const sized_kernel sized = rearrange_kernel(what, machine);
  std::vector<float> out(std::size_t(sized.outputs[0].elements()));
  device dev(machine);
  prepared_kernel(dev, sized)
      .launch({launch_input(std::as_bytes(std::span(in)), sized.inputs[0])},
              {launch_output(std::as_writable_bytes(std::span(out)), sized.outputs[0])});
  return out;
}

void expect_rearranged(const arrangement_problem& what, const machine_spec& machine = trainium1()) {
  const std::size_t count = product(what.in_extents) * (what.complex_in ? 2 : 1);
  const auto in = papilio::test::random_real<float>(count, 7);
  const auto wanted = expected(what, in), got = launched(what, in, machine);
  ASSERT_EQ(got.size(), wanted.size());
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (std::bit_cast<std::uint32_t>(got[i]) != std::bit_cast<std::uint32_t>(wanted[i]) &&
        wrong++ == 0)
      first = i;
  EXPECT_EQ(wrong, 0u) << "of " << got.size() << ", first at " << first << "; "
                       << rearrange_kernel(what, machine).explain();
}

arrangement_problem resized(const extents_list& in, const extents_list& out, int in_planes = 1,
                            int out_planes = 1) {
  arrangement_problem what{.in_extents = in,
                           .out_extents = out,
                           .complex_in = in_planes == 2,
                           .complex_out = out_planes == 2,
                           .boxes = {}};
  arrangement_problem::box all{
      .from = extents_list(in.size(), 0), .to = extents_list(in.size(), 0), .extents = {}};
  for (std::size_t a = 0; a < in.size(); ++a) all.extents.push_back(std::min(in[a], out[a]));
  what.boxes = {all};
  return what;
}

TEST(rearrange, pads_and_crops_any_axes) {
  for (const auto& [in, out] : {std::pair<extents_list, extents_list>{{1}, {1}},
                                {{1}, {5}},
                                {{7}, {3}},
                                {{100000}, {100003}},
                                {{1, 4097}, {1, 8192}},
                                {{3, 5}, {4, 7}},
                                {{300, 7}, {300, 3}},
                                {{129, 1}, {129, 2}},
                                {{1000, 130}, {1000, 257}},
                                {{17, 2000}, {40, 2000}},
                                {{5, 6, 7}, {7, 6, 5}},
                                {{2, 3, 130, 5}, {2, 3, 131, 4}},
                                {{2, 3, 4, 5, 6}, {3, 2, 5, 4, 7}}})
    for (const int planes : {1, 2}) expect_rearranged(resized(in, out, planes, planes));
}

TEST(rearrange, planes) {
  for (const auto& [in, out] : {std::pair<extents_list, extents_list>{{6}, {6}},
                                {{4, 1000}, {4, 1000}},
                                {{33, 65}, {40, 50}}}) {
    expect_rearranged(resized(in, out, 1, 2));
    expect_rearranged(resized(in, out, 2, 1));
  }
}

TEST(rearrange, scales) {
  arrangement_problem conjugate = resized({70, 90}, {70, 90}, 2, 2);
  conjugate.scale_im = -1;
  expect_rearranged(conjugate);
  EXPECT_EQ(rearrange_kernel(conjugate, trainium1()).expected_error, 0);
  for (const auto& [in, out] : {std::pair{2, 2}, {1, 2}, {2, 1}, {1, 1}}) {
    arrangement_problem scaled = resized({30, 50}, {31, 49}, in, out);
    scaled.scale_re = 0.1;
    scaled.scale_im = in == 2 && out == 2 ? -3.25 : 0.1;
    expect_rearranged(scaled);
    const double error = rearrange_kernel(scaled, trainium1()).expected_error;
    EXPECT_GT(error, 0);
    EXPECT_LT(error, 0x1p-23);
  }
}

TEST(rearrange, rolls_as_fftshift_does) {
  for (const extents_list& extents :
       {extents_list{1}, {2}, {9}, {100001}, {64, 48}, {5, 6, 7}, {3, 1, 4, 2, 5}})
    for (const std::int64_t direction : {0, 1}) {
      shifts_list shifts;
      for (const std::size_t e : extents) shifts.push_back((std::int64_t(e) + direction) / 2);
      arrangement_problem what{.in_extents = extents,
                               .out_extents = extents,
                               .complex_in = true,
                               .complex_out = true,
                               .boxes = rolled_boxes(extents, shifts)};
      expect_rearranged(what);
      const auto in = papilio::test::random_real<float>(2 * product(extents), 8);
      const auto out = launched(what, in);
      // out[(i + shift) mod n] = in[i], without boxes.
      for (std::size_t i = 0; i < product(extents); ++i) {
        std::size_t left = i, to = 0, stride = 1;
        for (std::size_t a = extents.size(); a-- > 0;) {
          const std::size_t n = extents[a];
          to += (left % n + std::size_t(shifts[a])) % n * stride;
          left /= n;
          stride *= n;
        }
        ASSERT_EQ(out[to], in[i]) << i;
      }
    }
  EXPECT_EQ(rolled_boxes(extents_list{8, 8}, shifts_list{4, 0}).size(), 2u);
  EXPECT_EQ(rolled_boxes(extents_list{8}, shifts_list{-3})[0].to, extents_list{5});
}

TEST(rearrange, many_boxes_and_none) {
  arrangement_problem what{.in_extents = {40, 50}, .out_extents = {60, 70}, .boxes = {}};
  for (std::size_t i = 0; i < 5; ++i)
    what.boxes.push_back({.from = {7 * i, 3}, .to = {50 - 11 * i, 13 * i}, .extents = {6, 12}});
  expect_rearranged(what);
  what.boxes.clear();
  expect_rearranged(what);
}

TEST(rearrange, other_machines) {
  expect_rearranged(resized({129, 67}, {140, 70}, 2, 2), trainium2());
  machine_spec small = trainium1();
  small.name = "small";
  small.sbuf.bytes_per_partition = 4096;
  expect_rearranged(resized({200, 3001}, {201, 3100}, 2, 2), small);
}

TEST(rearrange, values_that_are_not_finite_keep_their_bits) {
  const float nan = std::bit_cast<float>(0xffc12345U);
  const std::vector<float> in{nan, -std::numeric_limits<float>::infinity(), -0.0F};
  const auto out = launched(resized({3}, {4}), in);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(in[i]));
}

TEST(rearrange, what_changes_the_program_is_in_its_key) {
  arrangement_problem a = resized({8, 8}, {8, 8}, 2, 2), b = a;
  b.scale_im = std::nextafter(1.0F, 2.0F);
  const auto key = [](const arrangement_problem& what) {
    return rearrange_kernel(what, trainium1()).program.parameters;
  };
  EXPECT_NE(key(a), key(b));
  b = a;
  b.boxes = rolled_boxes(extents_list{8, 8}, shifts_list{1, 0});
  EXPECT_NE(key(a), key(b));
}

template <class Error>
void expect_refused(const arrangement_problem& what, const std::string& message) {
  try {
    rearrange_kernel(what, trainium1());
    ADD_FAILURE() << "accepted: " << message;
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()), message);
  }
}

TEST(rearrange, refusals) {
  const arrangement_problem good = resized({4, 5}, {6, 7});
  const auto with = [&](auto change) {
    arrangement_problem what = good;
    change(what);
    return what;
  };
  expect_refused<shape_error>({}, "rearrange: in_extents must have 1 to 5 entries, got 0");
  expect_refused<shape_error>(with([](auto& w) {
                                w.out_extents = {6, 0};
                                w.boxes.clear();
                              }),
                              "rearrange: out_extents must be at least 1, got 0");
  expect_refused<invalid_argument>(with([](auto& w) { w.out_extents = {6}; }),
                                   "rearrange: an arrangement must have as many out_extents as "
                                   "in_extents, 2, got 1");
  expect_refused<invalid_argument>(
      with([](auto& w) { w.scale_re = std::numeric_limits<double>::quiet_NaN(); }),
      "rearrange: scale must be finite in fp32, got nan");
  expect_refused<invalid_argument>(with([](auto& w) { w.boxes[0].to = {1}; }),
                                   "rearrange: a box of an arrangement must have 2 axes");
  expect_refused<shape_error>(with([](auto& w) {
                                w.boxes[0].extents = {4, 0};
                              }),
                              "rearrange: box 0: extents must be at least 1, got 0");
  expect_refused<invalid_argument>(with([](auto& w) {
                                     w.boxes[0].to = {0, 3};
                                   }),
                                   "rearrange: a box of an arrangement, 5 elements of axis 1, "
                                   "leaves the array");
  expect_refused<invalid_argument>(with([](auto& w) {
                                     w.boxes[0].from = {1, 0};
                                   }),
                                   "rearrange: a box of an arrangement, 4 elements of axis 0, "
                                   "leaves the array");
  expect_refused<shape_error>(
      with([](auto& w) {
        w.boxes.push_back({.from = {0, 0}, .to = {3, 4}, .extents = {1, 1}});
      }),
      "rearrange: boxes must be disjoint in the output: 0 and 1 meet");
  const std::size_t large = std::size_t{1} << 40;
  EXPECT_THROW(rearrange_kernel(resized({large, large}, {large, large}), trainium1()),
               resource_error);
  EXPECT_THROW(rearrange_kernel(resized({large}, {1}), trainium1()), resource_error);
  EXPECT_THROW(rolled_boxes(extents_list{3}, shifts_list{}), shape_error);
  EXPECT_THROW(
      size_kernel(find_kernel("rearrange"), std::vector<std::string>{"fftshift=yes"}, trainium1()),
      shape_error);
}

TEST(rearrange, is_bound_by_dma) {
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{"rows=4096", "columns=4096", "out_rows=4096", "out_columns=8192"},
        {"rows=8192", "columns=4096", "out_rows=8192", "out_columns=2048"},
        {"rows=4096", "columns=4096", "out_rows=4096", "out_columns=4096", "fftshift=yes"},
        {"rows=4096", "columns=4096", "out_rows=4096", "out_columns=4096", "conjugate=yes"}}) {
    const profile p = dry_profile("rearrange", settings);
    EXPECT_EQ(p.verdict.bound_by, unit::dma);
    EXPECT_GE(p.verdict.floor_fraction, 0.9);
    EXPECT_LE(p.verdict.floor_fraction, 1);
  }
}

}  // namespace
}  // namespace papilio::kernels::test
