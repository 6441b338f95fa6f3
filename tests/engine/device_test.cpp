#include "papilio/engine/device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/fma_kernel.hpp"
#include "support/oracle.hpp"

namespace papilio::engine::test {
namespace {

using papilio::test::random_real;

constexpr double us = 1e-6;

array<float, 2> random_matrix(std::size_t rows, std::size_t columns, unsigned seed) {
  array<float, 2> m({rows, columns});
  const std::vector<float> values = random_real<float>(rows * columns, seed);
  std::ranges::copy(values, m.begin());
  return m;
}

class device_launch : public ::testing::Test {
 protected:
  array<float, 2> a = random_matrix(130, 70, 1), b = random_matrix(130, 70, 2);
  array<float, 2> c = random_matrix(130, 70, 3), out{{130, 70}};
  const double mb = 130 * 70 * 4 / 1e6;
  const kernel fma = fma_kernel();

  void expect_result(view<const float, 2> got) const {
    for (std::size_t i = 0; i < 130; ++i)
      for (std::size_t j = 0; j < 70; ++j) {
        const float product = a(i, j) * b(i, j);
        ASSERT_EQ(got(i, j), product + c(i, j)) << i << ", " << j;
      }
  }
};

TEST_F(device_launch, computes_from_arrays_of_the_host) {
  device dev;
  dev.launch(fma, {a, b, c}, {out});
  expect_result(out);
}

TEST_F(device_launch, records_what_the_runtime_takes) {
  device dev(trainium1(), sdk_2_24());
  const launch_result r = dev.launch(fma, {a, b, c}, {out});
  const double upload_us = 3 * 169 + 3 * mb * 109, fetch_us = 73 + mb * 160;
  EXPECT_DOUBLE_EQ(r.launch_seconds, 624 * us);
  EXPECT_NEAR(r.upload.seconds, upload_us * us, 1e-12);
  EXPECT_EQ(r.upload.tensors, 3u);
  EXPECT_EQ(r.upload.bytes, 3u * 130 * 70 * 4);
  EXPECT_NEAR(r.fetch.seconds, fetch_us * us, 1e-12);
  EXPECT_EQ(r.fetch.tensors, 1u);
  EXPECT_EQ(r.fetch.bytes, 130u * 70 * 4);
  EXPECT_EQ(r.compile_seconds, 0);
  EXPECT_EQ(r.program, program_state::assumed_warm);
  EXPECT_GT(r.device_seconds, 0);
  EXPECT_EQ(r.wait_seconds, r.device_seconds);
  EXPECT_NEAR(r.total_seconds(), (624 + upload_us + fetch_us) * us + r.device_seconds, 1e-12);

  const device_record& all = dev.record();
  EXPECT_EQ(all.launches, 1u);
  EXPECT_EQ(all.upload, r.upload);
  EXPECT_EQ(all.fetch, r.fetch);
  EXPECT_NEAR(all.total_seconds(), r.total_seconds(), 1e-12);
  EXPECT_GT(all.wall_seconds, 0);
  dev.reset_record();
  EXPECT_EQ(dev.record().launches, 0u);
  EXPECT_EQ(dev.record().total_seconds(), 0);
}

// The published floor of a dispatch: one array in, one out, of no size to speak of.
TEST_F(device_launch, has_the_published_floor) {
  const kernel copy{.name = "copy", .body = [](core& nc, const kernel_arguments& t) {
                      const tile x = nc.sbuf(1, 1);
                      nc.issue(dma_copy{.out = x.whole(), .in = t.in(0)});
                      nc.issue(dma_copy{.out = t.out(0), .in = x.whole()});
                    }};
  const tensor_shape one{{1, 1}};
  device old(trainium1(), sdk_2_24()), recent(trainium1(), sdk_2_29());
  const launch_result slow = old.launch(copy, {one}, {one}, run_mode::dry_run);
  const launch_result slower = recent.launch(copy, {one}, {one}, run_mode::dry_run);
  EXPECT_NEAR(slow.total_seconds() - slow.wait_seconds, 866 * us, 0.01 * us);
  EXPECT_NEAR(slower.total_seconds() - slower.wait_seconds, 1758 * us, 0.01 * us);
}

TEST_F(device_launch, takes_as_long_as_its_core) {
  device dev;
  const launch_result r = dev.launch(fma, {a, b, c}, {out});
  core nc(trainium1(), {.mode = run_mode::dry_run, .strict = false});
  const auto tensor = [&] { return nc.hbm({130, 70}); };
  fused_multiply_add(nc, {{tensor(), tensor(), tensor()}, {tensor()}});
  EXPECT_DOUBLE_EQ(r.device_seconds, nc.summary().value("total_time"));
  EXPECT_EQ(r.instructions, 12u);
  EXPECT_EQ(r.summary.kernel, "fma");
  EXPECT_EQ(r.summary.value("hbm_read_bytes"), 3. * 130 * 70 * 4);
  EXPECT_TRUE(r.events.instructions().empty());
  device traced(trainium1(), sdk_2_24(), {.trace = true});
  EXPECT_EQ(traced.launch(fma, {a, b, c}, {out}).events.instructions().size(), 12u);
}

TEST_F(device_launch, copies_no_resident_operand) {
  device dev;
  const device_buffer x = dev.upload(a), y = dev.upload(b), z = dev.upload(c);
  EXPECT_EQ(dev.record().upload.tensors, 3u);
  EXPECT_TRUE(x.is_written());
  const device_buffer sum = dev.allocate({{130, 70}});
  EXPECT_FALSE(sum.is_written());
  dev.reset_record();

  const launch_result first = dev.launch(fma, {x, y, z}, {sum});
  EXPECT_EQ(first.upload.tensors + first.fetch.tensors, 0u);
  EXPECT_EQ(first.wait_seconds, 0);
  EXPECT_DOUBLE_EQ(first.total_seconds(), 624 * us);
  dev.launch(fma, {x, y, z}, {sum});
  EXPECT_EQ(dev.record().device_seconds, 0);
  EXPECT_DOUBLE_EQ(dev.record().pending_seconds, 2 * first.device_seconds);
  dev.synchronize();
  EXPECT_DOUBLE_EQ(dev.record().device_seconds, 2 * first.device_seconds);
  EXPECT_DOUBLE_EQ(dev.record().total_seconds(), 2 * 624 * us + 2 * first.device_seconds);
  dev.synchronize();
  EXPECT_DOUBLE_EQ(dev.record().device_seconds, 2 * first.device_seconds);

  expect_result(dev.download<float, 2>(sum));
  EXPECT_EQ(dev.record().fetch.tensors, 1u);
  EXPECT_NEAR(dev.record().fetch.seconds, (73 + mb * 160) * us, 1e-12);
}

TEST_F(device_launch, waits_for_earlier_launches_when_it_fetches) {
  device dev;
  const device_buffer x = dev.upload(a), sum = dev.allocate({{130, 70}});
  const launch_result first = dev.launch(fma, {x, b, c}, {sum});
  const launch_result second = dev.launch(fma, {x, b, c}, {out});
  EXPECT_DOUBLE_EQ(second.wait_seconds, first.device_seconds + second.device_seconds);
  EXPECT_EQ(dev.record().pending_seconds, 0);
}

TEST_F(device_launch, starts_cold_cached_or_warm) {
  device cold(trainium1(), sdk_2_24(), {.start = program_start::cold});
  device cached(trainium1(), sdk_2_24(), {.start = program_start::cached});
  kernel other = fma;
  other.parameters = "k=2";
  const launch_result first = cold.launch(fma, {a, b, c}, {out});
  EXPECT_EQ(first.program, program_state::compiled);
  const double each = 4300 * us * double(first.instructions);  // of either program
  EXPECT_DOUBLE_EQ(first.compile_seconds, 27 + each + 1.5 + 52e3 * us);
  EXPECT_EQ(cold.launch(fma, {a, b, c}, {out}).program, program_state::hit);
  const launch_result third = cold.launch(other, {a, b, c}, {out});
  EXPECT_DOUBLE_EQ(third.compile_seconds, 27 + each + 1.5);
  EXPECT_EQ(cold.record().compiles, 2u);
  EXPECT_EQ(cold.record().loads, 2u);
  EXPECT_EQ(cold.record().hits, 1u);
  EXPECT_DOUBLE_EQ(cold.record().compile_seconds, 2 * (28.5 + each) + 52e3 * us);

  const launch_result loaded = cached.launch(fma, {a, b, c}, {out});
  EXPECT_EQ(loaded.program, program_state::loaded);
  EXPECT_DOUBLE_EQ(loaded.compile_seconds, 1.5 + 52e3 * us);
  const auto part = [](array<float, 2>& m) { return m.view().slice(0, 0, 100); };
  const launch_result smaller = cached.launch(fma, {part(a), part(b), part(c)}, {part(out)});
  EXPECT_EQ(smaller.program, program_state::loaded) << "another shape is another program";
  EXPECT_EQ(cached.record().compiles, 0u);
  EXPECT_EQ(cached.record().loads, 2u);
}

TEST_F(device_launch, forgets_the_program_launched_longest_ago) {
  device dev(trainium1(), sdk_2_24(), {.start = program_start::cached, .programs_max = 2});
  const auto launch = [&](const char* parameters) {
    kernel k = fma;
    k.parameters = parameters;
    return dev.launch(k, {a, b, c}, {out}).program;
  };
  EXPECT_EQ(launch("1"), program_state::loaded);
  EXPECT_EQ(launch("2"), program_state::loaded);
  EXPECT_EQ(launch("1"), program_state::hit);
  EXPECT_EQ(launch("3"), program_state::loaded);
  EXPECT_EQ(launch("1"), program_state::hit);
  EXPECT_EQ(launch("2"), program_state::loaded);
}

TEST_F(device_launch, takes_any_strides) {
  device dev;
  array<float, 2> wide({130, 140}), transposed({70, 130}), result({70, 130});
  for (std::size_t i = 0; i < 130; ++i)
    for (std::size_t j = 0; j < 70; ++j) {
      wide(i, 2 * j) = a(i, j);
      transposed(j, i) = b(i, j);
    }
  const view<float, 2> every_other(wide.data(), {130, 70}, {140, 2});
  const view<float, 2> turned(transposed.data(), {130, 70}, {1, 130});
  const view<float, 2> turned_result(result.data(), {130, 70}, {1, 130});
  dev.launch(fma, {every_other, turned, c}, {turned_result});
  expect_result(turned_result);
}

TEST_F(device_launch, rounds_arrays_to_the_operands_type) {
  device dev;
  const device_buffer x = dev.upload({a, dtype::bf16});
  EXPECT_EQ(x.shape().describe(), "[130, 70] bf16");
  EXPECT_EQ(dev.record().upload.bytes, 130u * 70 * 2);
  const array<float, 2> back = [&] {
    array<float, 2> values({130, 70});
    dev.download(x, {values, dtype::bf16});
    return values;
  }();
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(back.data()[i], round_to(dtype::bf16, a.data()[i]));
  array<std::int32_t, 1> whole({3});
  whole(2) = 7;
  EXPECT_EQ((dev.download<std::int32_t, 1>(dev.upload(whole))(2)), 7);
  EXPECT_EQ(refusal<invalid_argument>([&] {
              dev.upload({whole, dtype::fp32});
            }),
            "launch operand: an array of int32 cannot become fp32 on a device");
  const std::byte raw[4] = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  std::byte same[4] = {};
  const device_buffer bytes = dev.upload({std::span(raw), tensor_shape{{2}, dtype::bf16}});
  dev.download(bytes, {std::span(same), tensor_shape{{2}, dtype::bf16}});
  EXPECT_TRUE(std::ranges::equal(raw, same));
}

TEST_F(device_launch, writes_in_place) {
  device dev;
  const device_buffer x = dev.upload(a), y = dev.upload(b), z = dev.upload(c);
  dev.launch(fma, {x, y, z}, {x});
  expect_result(dev.download<float, 2>(x));
  // An array that is an input and an output: the device reads its copy of what it was.
  array<float, 2> same = a;
  dev.launch(fma, {same, b, c}, {same});
  expect_result(same);
}

TEST(device_dry_run, needs_no_data) {
  device dev;
  const std::int64_t rows = std::int64_t{1} << 18, columns = 8192;
  const kernel first_rows{.name = "first_rows", .body = [](core& nc, const kernel_arguments& t) {
                            const tile x = nc.sbuf(128, 8192);
                            nc.issue(dma_copy{.out = x.whole(), .in = t.in(0).slice(0, 0, 128)});
                            nc.issue(dma_copy{.out = t.out(0), .in = x.whole()});
                          }};
  const launch_result r = dev.launch(first_rows, {tensor_shape{{rows, columns}}},
                                     {tensor_shape{{128, columns}}}, run_mode::dry_run);
  EXPECT_EQ(r.upload.bytes, 8589934592u);
  EXPECT_GT(r.device_seconds, 0);
  const device_buffer table = dev.upload(tensor_shape{{rows, columns}});
  EXPECT_EQ(dev.free_bytes(), 15900000000 - 8589934592);
  const device_buffer out = dev.allocate({{128, columns}});
  dev.launch(first_rows, {table}, {out}, run_mode::dry_run);
  EXPECT_FALSE(out.is_written());
  EXPECT_EQ(refusal<device_error>([&] { dev.launch(first_rows, {table}, {out}); }),
            "device::launch(first_rows): inputs[0]: reads a buffer [262144, 8192] fp32 that only "
            "dry runs wrote: it holds no data");
}

TEST(device_dry_run, times_as_execution_does) {
  device dev;
  array<float, 2> a({130, 70}), b({130, 70}), c({130, 70}), out({130, 70});
  const tensor_shape s{{130, 70}};
  const launch_result run = dev.launch(fma_kernel(), {a, b, c}, {out});
  const launch_result dry = dev.launch(fma_kernel(), {s, s, s}, {s}, run_mode::dry_run);
  EXPECT_EQ(dry.program, program_state::hit);
  EXPECT_EQ(dry.total_seconds(), run.total_seconds());
}

class device_refusal : public device_launch {
 protected:
  device dev;
};

TEST_F(device_refusal, shapes_that_overflow) {
  const std::int64_t big = std::int64_t{1} << 40;
  EXPECT_EQ(refusal<resource_error>([&] {
              dev.allocate({{big, big}});
            }),
            "tensor_shape: elements: 1099511627776 * 1099511627776 overflows");
  EXPECT_EQ(refusal<resource_error>([&] { dev.allocate({{std::int64_t{1} << 62}}); }),
            "tensor_shape: bytes: 4611686018427387904 * 4 overflows");
  EXPECT_EQ(refusal<shape_error>([&] {
              dev.allocate({{4, 0}});
            }),
            "tensor_shape: extents[1] must be at least 1, got 0");
  EXPECT_EQ(refusal<shape_error>([&] { dev.allocate({{}}); }),
            "tensor_shape: rank must be 1 to 6, got 0");
  EXPECT_EQ(refusal<resource_error>([&] {
              dev.launch(fma, {tensor_shape{{big, big}}}, {out}, run_mode::dry_run);
            }),
            "tensor_shape: elements: 1099511627776 * 1099511627776 overflows");
}

TEST_F(device_refusal, more_than_the_memory) {
  const device_buffer held = dev.allocate({{1000000000}, dtype::uint8});
  const std::string message = refusal<device_error>([&] { dev.allocate({{4000000000}}); });
  EXPECT_NE(message.find("device::allocate: 16000000000 bytes asked for, 14900000000 are free of "
                         "the 15900000000 of trainium1"),
            std::string::npos)
      << message;
  const tensor_shape half{{2000000, 1000}};
  EXPECT_NE(refusal<device_error>([&] {
              dev.launch(fma, {half, half, half}, {half}, run_mode::dry_run);
            }).find("device::launch(fma): 32000000000 bytes asked for"),
            std::string::npos);
  EXPECT_EQ(dev.free_bytes(), 14900000000);
  const kernel hungry{.name = "hungry", .body = [](core& nc, const kernel_arguments&) {
                        nc.hbm({14900000001}, dtype::uint8);
                      }};
  EXPECT_EQ(refusal<kernel_error>([&] { dev.launch(hungry, {}, {}, run_mode::dry_run); }),
            "kernel hungry: hbm: tensors of 15900000001 bytes are beyond the core's 15900000000");
}

TEST_F(device_refusal, a_kernel_that_fills_its_input) {
  const float before = a(0, 0);
  const kernel filling{.name = "filling", .body = [](core& nc, const kernel_arguments& t) {
                         const std::vector<std::byte> zeros(130 * 70 * 4);
                         nc.write_tensor(t.in(0), zeros);
                       }};
  EXPECT_EQ(refusal<invalid_argument>([&] { dev.launch(filling, {a}, {out}); }),
            "core::write_tensor: inputs[0] is an input of the kernel");
  EXPECT_EQ(a(0, 0), before);
}

TEST_F(device_refusal, memory_is_freed_with_the_last_handle) {
  device_buffer outlives;
  {
    device other;
    const device_buffer x = other.allocate({{1024}});
    device_buffer same = x;
    EXPECT_EQ(same, x);
    EXPECT_EQ(other.free_bytes(), 15900000000 - 4096);
    outlives = x;
  }
  EXPECT_EQ(outlives.shape().bytes(), 4096);
  {
    const device_buffer x = dev.allocate({{1024}});
    EXPECT_EQ(dev.free_bytes(), 15900000000 - 4096);
  }
  EXPECT_EQ(dev.free_bytes(), 15900000000);
}

TEST_F(device_refusal, buffers_of_another_device) {
  device other;
  const device_buffer foreign = other.upload(a);
  const std::string message = refusal<device_error>([&] {
    dev.launch(fma, {a, foreign, c}, {out});
  });
  EXPECT_EQ(message.find("device::launch(fma): inputs[1]: is a buffer of another trainium1"), 0u)
      << message;
  EXPECT_EQ(refusal<device_error>([&] {
              dev.download<float, 2>(foreign);
            }).find("device::download: from: is a buffer of another trainium1"),
            0u);
  EXPECT_EQ(refusal<invalid_argument>([&] {
              dev.launch(fma, {a, device_buffer(), c}, {out});
            }),
            "device::launch(fma): inputs[1]: the buffer was never allocated");
}

TEST_F(device_refusal, reading_what_nobody_wrote) {
  const device_buffer empty = dev.allocate({{130, 70}});
  EXPECT_EQ(
      refusal<device_error>([&] {
        dev.launch(fma, {a, b, empty}, {out});
      }),
      "device::launch(fma): inputs[2]: reads a buffer [130, 70] fp32 that nobody has written");
  EXPECT_EQ(refusal<device_error>([&] { dev.download<float, 2>(empty); }),
            "device::download: from: reads a buffer [130, 70] fp32 that nobody has written");
  device lax(trainium1(), sdk_2_24(), {.strict = false});
  const device_buffer poison = lax.allocate({{130, 70}});
  lax.launch(fma, {a, b, poison}, {out});
  for (const float v : out) ASSERT_TRUE(std::isnan(v));
}

TEST_F(device_refusal, outputs_that_stay_unwritten) {
  const kernel forgetful{.name = "forgetful", .body = [](core& nc, const kernel_arguments& t) {
                           const tile x = nc.sbuf(100, 70);
                           nc.issue(dma_copy{.out = x.whole(), .in = t.in(0).slice(0, 0, 100)});
                           nc.issue(dma_copy{.out = t.out(0).slice(0, 0, 100), .in = x.whole()});
                         }};
  std::ranges::fill(out, 5.0f);
  const device_buffer resident = dev.upload(b);
  const device_record before = dev.record();
  EXPECT_EQ(refusal<kernel_error>([&] { dev.launch(forgetful, {a}, {out}); }),
            "kernel forgetful: outputs[0]: is an output of 9100 elements, of which 2100 were never "
            "written");
  for (const float v : out) ASSERT_EQ(v, 5) << "a failed launch writes no array";
  EXPECT_THROW(dev.launch(forgetful, {a}, {resident}), kernel_error);
  EXPECT_FALSE(resident.is_written());
  EXPECT_EQ(dev.record().launches, before.launches);
}

TEST_F(device_refusal, writing_an_input) {
  const kernel backwards{.name = "backwards", .body = [](core& nc, const kernel_arguments& t) {
                           const tile x = nc.sbuf(100, 70);
                           nc.issue(dma_copy{.out = x.whole(), .in = t.in(0).slice(0, 0, 100)});
                           nc.issue(dma_copy{.out = t.in(0).slice(0, 0, 100), .in = x.whole()});
                         }};
  EXPECT_EQ(refusal<kernel_error>([&] { dev.launch(backwards, {a}, {out}); }),
            "kernel backwards: instruction 1 (dma_copy): out: inputs[0] is an input: it cannot be "
            "written");
}

TEST_F(device_refusal, arguments_that_make_no_launch) {
  EXPECT_EQ(refusal<invalid_argument>([&] { dev.launch({}, {a}, {out}); }),
            "device::launch: the kernel has no name");
  EXPECT_EQ(refusal<invalid_argument>([&] { dev.launch({.name = "x"}, {a}, {out}); }),
            "device::launch: the kernel x has no body");
  EXPECT_EQ(refusal<invalid_argument>([&] {
              dev.launch(fma, {a, b}, {out});
            }),
            "kernel_arguments::in: index must be below 2, got 2");
  EXPECT_EQ(refusal<invalid_argument>([&] {
              dev.launch(fma, {a, b, tensor_shape{{1}}}, {out});
            }),
            "device::launch(fma): inputs[2]: is a shape without data, which only a dry run takes");
  EXPECT_EQ(refusal<invalid_argument>([&] {
              dev.launch(fma, {a, b, c}, {out, out});
            }),
            "device::launch(fma): outputs[1]: overlaps outputs[0]");
  const view<float, 2> smeared(out.data(), {130, 70}, {0, 1});
  EXPECT_EQ(refusal<invalid_argument>([&] {
              dev.launch(fma, {a, b, c}, {smeared});
            }),
            "device::launch(fma): outputs[0]: is written through a stride of 0");
  EXPECT_EQ(refusal<shape_error>([&] { dev.write(dev.allocate({{3}}), a); }),
            "device::write: the buffer is [3] fp32, the array [130, 70] fp32");
  EXPECT_EQ(refusal<shape_error>([&] { dev.download<float, 1>(dev.upload(a)); }),
            "device::download: the buffer is [130, 70] fp32, asked for rank 1");
  EXPECT_EQ(refusal<invalid_argument>([&] { dev.upload(dev.allocate({{3}})); }),
            "device::upload: array: must be of the host, is a buffer");
  EXPECT_THROW(device(trainium1(), sdk_2_24(), {.programs_max = 0}), invalid_argument);
  EXPECT_THROW(device(trainium1(), sdk_2_24(), {.threads = -1}), invalid_argument);
}

TEST_F(device_launch, interleaved_outputs_do_not_overlap) {
  const kernel split{.name = "split", .body = [](core& nc, const kernel_arguments& t) {
                       const tile x = nc.sbuf(64, 70);
                       nc.issue(dma_copy{.out = x.whole(), .in = t.in(0).slice(0, 0, 64)});
                       nc.issue(dma_copy{.out = t.out(0), .in = x->columns(0, 35)});
                       nc.issue(dma_copy{.out = t.out(1), .in = x->columns(35, 35)});
                     }};
  device dev;
  array<float, 2> both({64, 70});
  dev.launch(split, {a}, {both.view().slice(1, 35, 35), both.view().slice(1, 0, 35)});
  for (std::size_t j = 0; j < 70; ++j) ASSERT_EQ(both(63, j), a(63, (j + 35) % 70));
}

TEST_F(device_launch, does_not_depend_on_threads) {
  array<float, 2> again({130, 70});
  device one, two(trainium1(), sdk_2_24(), {.threads = 2});
  const launch_result r = one.launch(fma, {a, b, c}, {out});
  const launch_result s = two.launch(fma, {a, b, c}, {again});
  EXPECT_TRUE(std::ranges::equal(out, again));
  EXPECT_EQ(r.total_seconds(), s.total_seconds());
}

TEST_F(device_launch, reports_in_text_and_json) {
  device dev;
  dev.launch(fma, {a, b, c}, {out});
  EXPECT_NE(dev.record().to_text().find("launches                        1\n"), std::string::npos)
      << dev.record().to_text();
  EXPECT_NE(dev.record().to_json().find("\"uploaded_bytes\": 109200"), std::string::npos);
}

}  // namespace
}  // namespace papilio::engine::test
