#include "papilio/engine/device_group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/fma_kernel.hpp"
#include "support/oracle.hpp"

namespace papilio::engine::test {
namespace {

using papilio::test::random_real;

// Round numbers of no machine, so that every term of a formula shows.
machine_spec linked_machine() {
  machine_spec m = trainium1();
  m.cores_per_chip = 2;
  m.link.chips_per_node = 4;
  m.link.core_hop_ns = 1000;
  m.link.chip_hop_ns = 2000;
  m.link.node_hop_ns = 15000;
  m.link.core_bytes_per_ns = 256;
  m.link.chip_bytes_per_ns = 128;
  m.link.node_bytes_per_ns = 64;
  return m;
}

array<float, 1> line(const std::vector<float>& values) {
  array<float, 1> result({values.size()});
  std::ranges::copy(values, result.begin());
  return result;
}

/// A buffer of random values on each core, and the values.
struct lines {
  std::vector<std::vector<float>> values;
  std::vector<device_buffer> buffers;

  lines(device_group& group, std::size_t n, dtype type = dtype::fp32) {
    for (int c = 0; c < group.cores(); ++c) {
      values.push_back(random_real<float>(n, unsigned(c) + 1));
      for (float& v : values.back()) v = round_to(type, v);
      buffers.push_back(group.core(c).upload({line(values.back()), type}));
    }
  }
};

std::vector<float> read(device_group& group, int core, const device_buffer& buffer) {
  const array<float, 1> got = [&] {
    array<float, 1> values({std::size_t(buffer.shape().elements())});
    group.core(core).download(buffer, {values, buffer.shape().type});
    return values;
  }();
  return {got.begin(), got.end()};
}

TEST(link_model, messages) {
  const machine_spec m = linked_machine();
  const link_model links(m, 16);  // 2 nodes of 4 chips of 2 cores
  EXPECT_EQ(links.message_ns(3, 3, 512), 0);
  EXPECT_EQ(links.message_ns(0, 1, 512), 1000 + 2);
  EXPECT_EQ(links.message_ns(1, 2, 512), 2000 + 4);
  EXPECT_EQ(links.message_ns(0, 5, 512), 2 * 2000 + 4) << "chips 0 and 2";
  EXPECT_EQ(links.message_ns(7, 0, 512), 2000 + 4) << "chips 3 and 0: round the ring";
  EXPECT_EQ(links.message_ns(7, 8, 512), 15000 + 8);
  EXPECT_EQ(links.message_ns(15, 0, 512), 15000 + 8);
  EXPECT_EQ(link_model(m, 6).message_ns(0, 4, 0), 2000) << "three chips are the ring";
  EXPECT_EQ(links.shift_ns(1, 512), 15000 + 8);
  EXPECT_EQ(link_model(m, 8).shift_ns(1, 512), 2000 + 4);
  EXPECT_EQ(link_model(m, 8).shift_ns(4, 512), 4000 + 4);
  EXPECT_EQ(link_model(m, 2).shift_ns(1, 512), 1000 + 2);
  EXPECT_EQ(link_model(m, 1).shift_ns(1, 512), 0);
  EXPECT_EQ(refusal<invalid_argument>([&] { links.message_ns(0, 16, 1); }),
            "link_model::message_ns: core must be in [0, 16), got 16");
  EXPECT_EQ(refusal<invalid_argument>([&] { links.message_ns(0, 1, -1); }),
            "link_model::message_ns: bytes must be at least 0, got -1");
  EXPECT_THROW(link_model(m, 0), invalid_argument);
}

TEST(device_group, all_reduce_adds_in_order_of_cores) {
  constexpr std::size_t n = 10000;
  device_group group(linked_machine(), sdk_2_24(), 4);
  const lines in(group, n);
  const group_phase& phase = group.all_reduce(in.buffers);
  for (int c = 0; c < 4; ++c) {
    const std::vector<float> got = read(group, c, in.buffers[std::size_t(c)]);
    for (std::size_t i = 0; i < n; ++i) {
      float sum = in.values[0][i];
      for (std::size_t d = 1; d < 4; ++d) sum += in.values[d][i];
      ASSERT_EQ(got[i], sum) << c << ", " << i;
    }
  }
  EXPECT_EQ(phase.kind, phase_kind::communication);
  EXPECT_NEAR(phase.link_seconds, 6 * (2000 + 2500 * 4 / 128.) * 1e-9, 1e-15);
  EXPECT_EQ(phase.link_bytes, 6u * 4 * 10000);
  EXPECT_EQ(phase.seconds(), phase.link_seconds);
}

TEST(device_group, all_reduce_rounds_once) {
  device_group group(linked_machine(), sdk_2_24(), 3);
  const lines in(group, 5, dtype::bf16);
  const group_phase& phase = group.all_reduce(in.buffers);
  const std::vector<float> got = read(group, 2, in.buffers[2]);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(got[i], round_to(dtype::bf16, in.values[0][i] + in.values[1][i] + in.values[2][i]));
  // ceil(5 / 3) elements of 2 bytes to the next; the ring closes between chips 1 and 0.
  EXPECT_NEAR(phase.link_seconds, 4 * (2000 + 4 / 128.) * 1e-9, 1e-15);
}

TEST(device_group, all_reduce_of_integers_wraps) {
  device_group group(linked_machine(), sdk_2_24(), 2);
  array<std::int32_t, 1> large({1}), one({1});
  large(0) = 2147483647;
  one(0) = 2;
  const std::vector<device_buffer> b{group.core(0).upload(large), group.core(1).upload(one)};
  group.all_reduce(b);
  EXPECT_EQ((group.core(1).download<std::int32_t, 1>(b[1])(0)), -2147483647);
}

TEST(device_group, all_gather_joins) {
  device_group group(linked_machine(), sdk_2_24(), 4);
  const lines in(group, 6);
  const std::vector<device_buffer> out = group.allocate({{4, 6}});
  const group_phase& phase = group.all_gather(in.buffers, out);
  std::vector<float> all;
  for (const std::vector<float>& v : in.values) all.insert(all.end(), v.begin(), v.end());
  for (int c = 0; c < 4; ++c)
    EXPECT_EQ((group.core(c).download<float, 2>(out[std::size_t(c)])(3, 5)), all.back());
  const array<float, 2> got = group.core(2).download<float, 2>(out[2]);
  EXPECT_TRUE(std::ranges::equal(got, all));
  EXPECT_NEAR(phase.link_seconds, 3 * (2000 + 24 / 128.) * 1e-9, 1e-15);
  EXPECT_EQ(phase.link_bytes, 3u * 4 * 24);
}

TEST(device_group, reduce_scatter_leaves_a_part_on_each) {
  device_group group(linked_machine(), sdk_2_24(), 3);
  const lines in(group, 12);
  const std::vector<device_buffer> out = group.allocate({{4}});
  const group_phase& phase = group.reduce_scatter(in.buffers, out);
  for (std::size_t c = 0; c < 3; ++c) {
    const std::vector<float> got = read(group, int(c), out[c]);
    for (std::size_t i = 0; i < 4; ++i) {
      float sum = 0;
      for (std::size_t d = 0; d < 3; ++d) sum += in.values[d][4 * c + i];
      EXPECT_EQ(got[i], sum);
    }
  }
  EXPECT_NEAR(phase.link_seconds, 2 * (2000 + 16 / 128.) * 1e-9, 1e-15);
}

TEST(device_group, all_to_all_transposes_parts) {
  device_group group(linked_machine(), sdk_2_24(), 8);
  const lines in(group, 16);
  const std::vector<device_buffer> out = group.allocate({{8, 2}});
  const group_phase& phase = group.all_to_all(in.buffers, out);
  for (std::size_t c = 0; c < 8; ++c) {
    const array<float, 2> got = group.core(int(c)).download<float, 2>(out[c]);
    for (std::size_t d = 0; d < 8; ++d)
      for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(got(d, i), in.values[d][2 * c + i]);
  }
  // Shifts by 1 and 7 reach the next chip, by 2 and 6 one too, by 3, 4 and 5 two.
  const double message_ns = 8 / 128.;
  EXPECT_NEAR(phase.link_seconds, (4 * 2000 + 3 * 4000 + 7 * message_ns) * 1e-9, 1e-15);
}

TEST(device_group, point_to_point_copies) {
  device_group group(linked_machine(), sdk_2_24(), 16);
  const lines in(group, 128);
  const std::vector<device_buffer> out = group.allocate({{128}});
  const group_phase& phase = group.point_to_point(2, in.buffers[2], 9, out[9]);
  EXPECT_EQ(read(group, 9, out[9]), in.values[2]);
  EXPECT_NEAR(phase.link_seconds, (15000 + 512 / 64.) * 1e-9, 1e-15);
  EXPECT_EQ(phase.link_bytes, 512u);
}

/// out = a b + c with rows shared among the cores.
array<float, 2> sharded(int cores, int threads, group_report& report) {
  constexpr std::size_t rows = 64, columns = 33;
  array<float, 2> a({rows, columns}), b({rows, columns}), c({rows, columns}), out({rows, columns});
  std::ranges::copy(random_real<float>(a.size(), 1), a.begin());
  std::ranges::copy(random_real<float>(a.size(), 2), b.begin());
  std::ranges::copy(random_real<float>(a.size(), 3), c.begin());
  device_group group(linked_machine(), sdk_2_24(), cores, {.threads = threads});
  std::vector<std::vector<launch_input>> in;
  std::vector<std::vector<launch_output>> results;
  const std::size_t share = rows / std::size_t(cores);
  for (std::size_t i = 0; i < std::size_t(cores); ++i) {
    const auto part = [&](array<float, 2>& m) { return m.view().slice(0, i * share, share); };
    in.push_back({part(a), part(b), part(c)});
    results.push_back({part(out)});
  }
  group.run(fma_kernel(), in, results);
  report = group.report();
  return out;
}

TEST(device_group, gives_the_bits_of_one_core) {
  group_report one, many, parallel;
  const array<float, 2> expected = sharded(1, 1, one), got = sharded(16, 1, many);
  EXPECT_TRUE(std::ranges::equal(expected, got));
  EXPECT_TRUE(std::ranges::equal(expected, sharded(16, 2, parallel)));
  EXPECT_EQ(many.seconds(), parallel.seconds());
  ASSERT_EQ(many.phases.size(), 1u);
  const group_phase& phase = many.phases[0];
  EXPECT_EQ(phase.name, "fma");
  EXPECT_DOUBLE_EQ(phase.launch_seconds, 624e-6) << "one dispatch";
  EXPECT_EQ(phase.upload.tensors, 48u);
  const double mb = 64 * 33 * 4 / 1e6;
  EXPECT_NEAR(phase.upload.seconds, (48 * 169 + 3 * mb * 109) * 1e-6, 1e-12);
  EXPECT_NEAR(phase.fetch.seconds, (16 * 73 + mb * 160) * 1e-6, 1e-12);
  EXPECT_LT(phase.device_seconds, one.phases[0].device_seconds);
}

TEST(device_group, lasts_as_long_as_its_slowest_core) {
  device_group group(linked_machine(), sdk_2_24(), 2);
  const tensor_shape small{{16, 16}}, large{{256, 2048}};
  const std::vector<launch_result> r =
      group.run(fma_kernel(), {{small, small, small}, {large, large, large}}, {{small}, {large}},
                run_mode::dry_run);
  EXPECT_LT(r[0].device_seconds, r[1].device_seconds);
  EXPECT_EQ(group.report().phases[0].device_seconds, r[1].device_seconds);
}

TEST(device_group, each_core_may_have_a_program_of_its_own) {
  device_group group(trainium1(), sdk_2_24(), 3, {.threads = 2});
  std::vector<kernel> programs;
  std::vector<std::vector<launch_output>> out(3);
  std::vector<array<float, 2>> results;
  results.reserve(3);
  for (int c = 0; c < 3; ++c) {
    programs.push_back({.name = "constant",
                        .parameters = std::to_string(c),
                        .body = [c](core& nc, const kernel_arguments& t) {
                          const tile value = nc.sbuf(1, 4);
                          nc.issue(memset{.out = value, .value = double(c + 1)});
                          nc.issue(dma_copy{.out = t.out(0), .in = value.whole()});
                        }});
    results.emplace_back(extents_type<2>{1, 4});
    out[std::size_t(c)].emplace_back(results.back());
  }
  const std::vector<std::vector<launch_input>> in(3);
  group.run(programs, in, out);
  for (int c = 0; c < 3; ++c)
    for (const float v : results[std::size_t(c)]) EXPECT_EQ(v, float(c + 1));
  programs.pop_back();
  EXPECT_THROW(group.run(programs, in, out), invalid_argument);
}

TEST(device_group, dry_runs_on_1_2_16_and_64_cores) {
  double one_core = 0;
  for (const int cores : {1, 2, 16, 64}) {
    device_group group(trainium1(), sdk_2_24(), cores);
    const tensor_shape s{{65536 / cores, 2048}};
    std::vector<std::vector<launch_input>> in;
    std::vector<std::vector<launch_output>> out;
    std::vector<device_buffer> sums = group.allocate(s);
    for (int c = 0; c < cores; ++c) {
      const device_buffer x = group.core(c).upload(s);
      in.push_back({x, x, x});
      out.push_back({sums[std::size_t(c)]});
    }
    group.run(fma_kernel(), in, out, run_mode::dry_run);
    group.all_reduce(sums, run_mode::dry_run);
    const group_report& report = group.report();
    ASSERT_EQ(report.phases.size(), 2u);
    const double device = report.phases[0].device_seconds;
    if (cores == 1) one_core = device;
    // Rows are shared evenly; what does not shrink is the start and the end of the pipeline: about
    // 4 us of 143 on 64 cores.
    EXPECT_NEAR(device * cores, one_core, 0.04 * one_core) << cores;
    EXPECT_EQ(report.seconds(phase_kind::communication) > 0, cores > 1);
    EXPECT_DOUBLE_EQ(report.share(phase_kind::compute) + report.share(phase_kind::communication),
                     1);
    EXPECT_FALSE(sums[0].is_written());
  }
}

TEST(device_group, reports_its_phases) {
  device_group group(linked_machine(), sdk_2_24(), 2);
  const lines in(group, 4);
  group.all_reduce(in.buffers);
  EXPECT_EQ(group.report().to_text(),
            "phase                    kind                  seconds    share\n"
            "all_reduce               communication     0.000002000  100.00%\n"
            "all                      compute           0.000000000    0.00%\n"
            "all                      communication     0.000002000  100.00%\n");
  EXPECT_NE(group.report().to_json().find("\"name\": \"all_reduce\""), std::string::npos);
  group.reset_report();
  EXPECT_TRUE(group.report().phases.empty());
  EXPECT_EQ(group.report().share(phase_kind::compute), 0);
}

TEST(device_group, refusals) {
  EXPECT_EQ(refusal<invalid_argument>([] { device_group(trainium1(), sdk_2_24(), 0); }),
            "device_group: cores must be in [1, 4096], got 0");
  device_group group(linked_machine(), sdk_2_24(), 2);
  const lines in(group, 6);
  const std::vector<device_buffer> empty = group.allocate({{6}}), odd = group.allocate({{3}});
  const device_buffer a = in.buffers[0], b = in.buffers[1];
  const auto reduce = [&](std::vector<device_buffer> buffers) {
    return refusal<error>([&] { group.all_reduce(buffers); });
  };
  EXPECT_EQ(reduce({a}),
            "device_group::all_reduce: buffers: must be 2 buffers, one for each core, got 1");
  EXPECT_EQ(reduce({b, a}),
            "device_group::all_reduce: buffers[0]: is a buffer of trainium1 (core 1), not of "
            "trainium1 (core 0)");
  EXPECT_EQ(reduce({a, odd[1]}),
            "device_group::all_reduce: buffers[1]: must be [6] fp32 as buffers[0], is [3] fp32");
  EXPECT_EQ(reduce({a, empty[1]}),
            "device_group::all_reduce: buffers[1]: reads a buffer [6] fp32 that nobody has "
            "written");
  EXPECT_EQ(reduce({a, device_buffer()}),
            "device_group::all_reduce: buffers[1]: the buffer was never allocated");
  EXPECT_EQ(reduce(group.upload(tensor_shape{{6}, dtype::uint8})),
            "device_group::all_reduce: buffers[0]: reads a buffer [6] uint8 that only dry runs "
            "wrote: it holds no data");
  EXPECT_EQ(reduce(group.upload(array<std::uint8_t, 1>({6}))),
            "device_group::all_reduce: sums of uint8 are not defined");
  EXPECT_EQ(refusal<shape_error>([&] { group.all_gather(in.buffers, empty); }),
            "device_group::all_gather: targets of [6] fp32 must have 2 times the elements of "
            "sources of [6] fp32");
  EXPECT_EQ(refusal<shape_error>([&] { group.reduce_scatter(in.buffers, empty); }),
            "device_group::reduce_scatter: sources of [6] fp32 must have 2 times the elements of "
            "targets of [6] fp32");
  EXPECT_EQ(refusal<shape_error>([&] { group.all_to_all(odd, group.allocate({{3}})); }),
            "device_group::all_to_all: sources of [3] fp32 must have a multiple of 2 elements");
  EXPECT_EQ(refusal<invalid_argument>([&] { group.all_to_all(in.buffers, in.buffers); }),
            "device_group::all_to_all: targets[0]: is sources[0]");
  EXPECT_EQ(refusal<invalid_argument>([&] { group.point_to_point(0, a, 2, b); }),
            "device_group::core: index must be in [0, 2), got 2");
  EXPECT_EQ(refusal<shape_error>([&] { group.point_to_point(0, a, 1, odd[1]); }),
            "device_group::point_to_point: target: must be [6] fp32, is [3] fp32");
  EXPECT_EQ(refusal<invalid_argument>([&] {
              group.run(fma_kernel(), {{a, a, a}}, {{a}, {b}});
            }),
            "device_group::run: inputs: must be 2 lists, one for each core, got 1");
  EXPECT_EQ(read(group, 0, a), in.values[0]) << "nothing was written";
}

/// Sends a line to the next core, and keeps what comes from the one before. Which core it is comes
/// with the data.
kernel ring_shift(int cores, bool last_is_silent = false) {
  return {.name = "ring_shift", .body = [=](core& nc, const kernel_arguments& t) {
            const int self = int(t.in(0).extent(0)) - 1;  // one row more on each core
            const tile x = nc.sbuf(1, 8), y = nc.sbuf(1, 8);
            nc.issue(dma_copy{.out = x.whole(), .in = t.in(0).slice(0, self, 1)});
            if (last_is_silent && self == cores - 1)
              nc.issue(tensor_copy{.out = y, .in = x});
            else
              nc.issue(send_receive{
                  .out = y, .in = x, .to = (self + 1) % cores, .from = (self + cores - 1) % cores});
            nc.issue(dma_copy{.out = t.out(0), .in = y.whole()});
          }};
}

TEST(device_group, kernels_exchange_messages) {
  constexpr int cores = 5;
  machine_spec machine = linked_machine();
  machine.core = "NeuronCore-v3";
  for (const int threads : {1, 2}) {
    device_group group(machine, sdk_2_24(), cores, {.threads = threads});
    std::vector<array<float, 2>> in;
    std::vector<array<float, 2>> out(cores, array<float, 2>({1, 8}));
    std::vector<std::vector<launch_input>> inputs;
    std::vector<std::vector<launch_output>> outputs;
    for (std::size_t c = 0; c < cores; ++c) {
      in.emplace_back(extents_type<2>{c + 1, 8});
      std::ranges::fill(in.back(), float(c));
    }
    for (std::size_t c = 0; c < cores; ++c) {
      inputs.push_back({in[c]});
      outputs.push_back({out[c]});
    }
    group.run(ring_shift(cores), inputs, outputs);
    for (std::size_t c = 0; c < cores; ++c)
      EXPECT_EQ(out[c](0, 7), float((c + cores - 1) % cores)) << c;
    EXPECT_EQ(refusal<device_error>([&] { group.run(ring_shift(cores, true), inputs, outputs); }),
              "send_receive: core 0 waits for core 4, which sends nothing more");
    EXPECT_EQ(refusal<device_error>([&] { group.run(ring_shift(7), inputs, outputs); }),
              "send_receive: core 6 is not in the group, which has 5");
  }
}

// What an exchange costs inside a program and outside of it is one formula.
TEST(device_group, collectives_cost_what_the_instruction_costs) {
  for (const int cores : {2, 8, 16}) {
    const machine_spec m = linked_machine();
    device_group group(m, sdk_2_24(), cores);
    const std::vector<device_buffer> whole = group.upload(tensor_shape{{4096}});
    const double ns = cost_ns(
        collective{.kind = collective_kind::all_reduce, .cores = cores, .bytes = 4 * 4096}, m);
    EXPECT_NEAR(group.all_reduce(whole, run_mode::dry_run).link_seconds, ns * 1e-9, 1e-15);
  }
}

TEST(device_group, writes_one_array_to_each_core) {
  device_group group(linked_machine(), sdk_2_24(), 3);
  const std::vector<device_buffer> to = group.allocate({{8}});
  std::vector<array<float, 1>> values;
  for (unsigned c = 0; c < 3; ++c) values.push_back(line(random_real<float>(8, c)));
  const group_phase& phase =
      group.write(to, std::vector<launch_input>(values.begin(), values.end()));
  EXPECT_EQ(phase.upload.tensors, 3u);
  EXPECT_EQ(phase.upload.bytes, 3u * 32);
  EXPECT_DOUBLE_EQ(phase.seconds(), 3 * sdk_2_24().upload_us(1, 32) * 1e-6);
  for (int c = 0; c < 3; ++c)
    EXPECT_TRUE(std::ranges::equal(read(group, c, to[std::size_t(c)]), values[std::size_t(c)]));
  EXPECT_NE(refusal<invalid_argument>([&] { group.write(to, {}); }).find("got 3 and 0"),
            std::string::npos);
}

TEST(device_group, the_first_cores_are_a_group_with_the_same_report) {
  device_group all(linked_machine(), sdk_2_24(), 8);
  {
    device_group some(all, 2);
    EXPECT_EQ(some.cores(), 2);
    EXPECT_EQ(some.name(), "trainium1, 2 cores");
    EXPECT_EQ(&some.core(1), &all.core(1));
    const std::vector<device_buffer> b = some.upload(tensor_shape{{64}});
    const device_group two(linked_machine(), sdk_2_24(), 2);
    EXPECT_EQ(some.all_reduce(b, run_mode::dry_run).link_seconds,
              2 * two.links().shift_ns(1, 128) * 1e-9);
  }
  EXPECT_EQ(all.report().phases.size(), 1u);
  EXPECT_NE(
      refusal<invalid_argument>([&] { device_group(all, 9); }).find("[1, 8] of the group, got 9"),
      std::string::npos);
}

// The first core's fault is thrown, whichever thread came first.
TEST(device_group, throws_the_fault_of_the_first_core) {
  device_group group(linked_machine(), sdk_2_24(), 4, {.threads = 2});
  const tensor_shape good{{16, 16}}, bad{{16, 8}};
  const auto in = [](const tensor_shape& s) { return std::vector<launch_input>{s, s, s}; };
  for (int repeat = 0; repeat < 10; ++repeat)
    EXPECT_EQ(refusal<error>([&] {
                group.run(fma_kernel(), {in(good), in(bad), {good}, in(bad)},
                          {{good}, {good}, {good}, {good}}, run_mode::dry_run);
              }).find("hbm_view::slice"),
              0u);
  EXPECT_TRUE(group.report().phases.empty());
}

}  // namespace
}  // namespace papilio::engine::test
