// Parts of operands for the cores of a group, with a kernel that only moves data: segments of a
// signal, which overlap.
#include "papilio/kernels/group_split.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "papilio/base/error.hpp"
#include "papilio/engine.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

constexpr std::int64_t length = 8, hop = 3;

std::int64_t samples_of(std::int64_t segments) { return (segments - 1) * hop + length; }

// [channels, samples] -> [channels, segments, length]
sized_kernel segments_kernel(std::int64_t channels, std::int64_t segments) {
  sized_kernel sized;
  sized.inputs = {{{channels, samples_of(segments)}}};
  sized.outputs = {{{channels, segments, length}}};
  sized.program = {
      .name = "segments", .body = [](core& nc, const kernel_arguments& t) {
        const hbm_view& out = t.out(0);
        const std::int64_t count = out.extent(1);
        const tile all = nc.sbuf(int(out.extent(0)), count * length);
        nc.issue(dma_copy{.out = all.whole(),
                          .in = t.in(0).pattern(
                              0, {{out.extent(0), t.in(0).extent(1)}, {count, hop}, {length, 1}})});
        nc.issue(dma_copy{.out = out, .in = all.whole()});
      }};
  return sized;
}

group_split segments_split(std::int64_t channels, std::int64_t segments, int cores) {
  group_split split{.name = "segments", .machine = trainium1()};
  split.inputs = {{{channels, samples_of(segments)}}};
  split.outputs = {{{channels, segments, length}}};
  for (const index_range& own : even_ranges(segments, cores)) {
    core_share& share = split.shares.emplace_back();
    if (own.count == 0) continue;
    share = {.kernel = int(split.kernels.size()),
             .inputs = {{{0, own.first * hop}, {channels, samples_of(own.count)}}},
             .outputs = {{{0, own.first, 0}, {channels, own.count, length}}}};
    split.kernels.push_back(segments_kernel(channels, own.count));
  }
  return split;
}

TEST(even_ranges, differ_by_one) {
  EXPECT_EQ(even_ranges(7, 3), (std::vector<index_range>{{0, 3}, {3, 2}, {5, 2}}));
  EXPECT_EQ(even_ranges(2, 4), (std::vector<index_range>{{0, 1}, {1, 1}, {2, 0}, {2, 0}}));
  EXPECT_THROW(even_ranges(3, 0), invalid_argument);
  EXPECT_THROW(even_ranges(-1, 2), invalid_argument);
}

TEST(prepared_split, segments_that_overlap) {
  for (const int cores : {1, 2, 3, 5, 9}) {
    const std::int64_t channels = 2, segments = 7;
    device_group group(trainium1(), sdk_2_24(), cores + 1);  // one that stays idle
    const prepared_split split(group, segments_split(channels, segments, cores));
    array<float, 2> x({std::size_t(channels), std::size_t(samples_of(segments))});
    std::iota(x.begin(), x.end(), 1.0f);
    array<float, 3> y({std::size_t(channels), std::size_t(segments), std::size_t(length)});
    EXPECT_EQ(split.run({x}, {y}).size(), std::size_t(cores + 1));
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t s = 0; s < segments; ++s)
        for (std::int64_t k = 0; k < length; ++k)
          ASSERT_EQ(y.data()[(c * segments + s) * length + k],
                    x.data()[c * samples_of(segments) + s * hop + k])
              << cores << ": " << c << " " << s << " " << k;
    EXPECT_EQ(group.report().phases.size(), 1u);
  }
}

// Parts of an array that is itself a strided view, and of an axis cut in two.
TEST(launch_operand, parts_of_strided_arrays) {
  array<float, 2> x({6, 10});
  std::iota(x.begin(), x.end(), 0.0f);
  const view<float, 2> columns(x.data() + 1, {6, 4}, {10, 2});
  const std::int64_t first[] = {1, 0, 1}, extents[] = {1, 3, 2};
  const launch_input part = launch_input(columns).split_axis(0, 2).part(first, extents);
  device dev;
  const device_buffer buffer = dev.upload(part);
  const array<float, 3> got = dev.download<float, 3>(buffer);
  ASSERT_EQ(got.size(), 6u);
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 2; ++c)
      EXPECT_EQ(got.data()[r * 2 + c], x.data()[(3 + r) * 10 + 1 + 2 * (c + 1)]);
  const std::int64_t beyond[] = {1, 0, 3};
  EXPECT_THROW(launch_input(columns).split_axis(0, 2).part(beyond, extents), shape_error);
  EXPECT_THROW(launch_input(columns).split_axis(0, 4), shape_error);
  EXPECT_THROW(launch_input(columns).split_axis(2, 1), shape_error);
  EXPECT_THROW(launch_input(buffer).split_axis(0, 1), invalid_argument);
  EXPECT_THROW(launch_input(buffer).part(first, extents), invalid_argument);
}

TEST(prepared_split, bad_input) {
  device_group group(trainium1(), sdk_2_24(), 3);
  const group_split good = segments_split(1, 7, 3);
  const auto refused = [&](const group_split& split, const std::string& word) {
    try {
      prepared_split(group, split, run_mode::dry_run);
      ADD_FAILURE() << "not refused: " << word;
    } catch (const error& e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << word << " in: " << e.what();
    }
  };
  group_split bad = good;
  bad.shares[1].kernel = 9;
  refused(bad, "share 1: kernel must be in [-1, 3), got 9");
  bad = good;
  bad.shares[1].outputs[0].first[1] = 2;
  refused(bad, "[0:1, 0:3, 0:8] and [0:1, 2:4, 0:8] overlap");
  bad = good;
  bad.shares[2] = {};
  refused(bad, "parts have 40 of the 56 elements");
  bad = good;
  bad.shares[2].inputs[0].first[1] = 99;
  refused(bad, "does not lie within [1, 26] fp32");
  bad = good;
  bad.shares[2].inputs[0].extents[1] += 1;
  refused(bad, "part of input 0 must be [1, 11] fp32");
  bad = good;
  bad.shares[2].inputs.clear();
  refused(bad, "must have parts of 1 inputs");
  bad = good;
  bad.kernels[2].program.parameters = "other";
  refused(bad, "kernels 1 and 2 differ");
  refused(segments_split(1, 7, 4), "is for 4 cores, the group has 3");
}

}  // namespace
}  // namespace papilio::kernels::test
