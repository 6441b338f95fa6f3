// What goes over the bus: device arrays, tables, captured graphs, memory, threads.
#include <algorithm>
#include <thread>

#include "support/device_case.hpp"

namespace papilio {
namespace {

using test::random_array;
using C = std::complex<float>;

TEST(device_record, a_pipeline_goes_up_once_and_comes_back_once) {
  engine::device dev;
  const auto x = random_array<float, 2>({8, 128}, 1);
  const auto run = [&] {
    const auto spectra = rfft(to_device(dev, x));
    return to_host(irfft(ifft(fft(spectra, {.axis = 0}), {.axis = 0})));
  };
  run();
  const auto tables = dev.record().upload.tensors - 1;
  EXPECT_GT(tables, 0u);
  dev.reset_record();
  const auto y = run();
  EXPECT_EQ(dev.record().upload.tensors, 1u);  // tables are there
  EXPECT_EQ(dev.record().upload.bytes, x.size() * sizeof(float));
  EXPECT_EQ(dev.record().fetch.tensors, 1u);
  EXPECT_EQ(dev.record().fetch.bytes, x.size() * sizeof(float));
  EXPECT_EQ(dev.record().launches, 4u);
  const std::vector<test::exact> before(x.begin(), x.end());
  EXPECT_LT(test::relative_error(y.flat(), before), 2 * test::device_tolerance(x.extents()));
}

TEST(device_record, last_run) {
  engine::device dev;
  const auto x = random_array<C, 2>({4, 64}, 2);
  fft(x, {.on = {.where = policy::host}});
  run_record r = last_run();
  EXPECT_EQ(r.backend, "host");
  EXPECT_EQ(r.operation, "fft of 64 points in float");
  EXPECT_EQ(r.launches, 0u);
  EXPECT_FALSE(r.recipe.empty());
  fft(x, {.on = {.where = policy::device, .on = &dev}});
  r = last_run();
  EXPECT_EQ(r.backend, "device");
  EXPECT_EQ(r.machine, "trainium1");
  EXPECT_EQ(r.operation, "fft of 4x64 in float along axis 1");
  EXPECT_EQ(r.launches, 1u);
  EXPECT_EQ(r.uploads, 1u);
  EXPECT_EQ(r.fetches, 1u);
  EXPECT_EQ(r.upload_bytes, static_cast<double>(8 * x.size()));
  EXPECT_EQ(r.fetch_bytes, static_cast<double>(8 * x.size()));
  EXPECT_GT(r.device_seconds, 0);
  EXPECT_GT(r.seconds(), r.launch_seconds + r.device_seconds);
  EXPECT_FALSE(r.captured);
  EXPECT_FALSE(r.to_text().empty());
  const auto there = to_device(dev, x);
  EXPECT_EQ(last_run().operation, "to_device");
  EXPECT_EQ(last_run().upload_bytes, static_cast<double>(8 * x.size()));
  const auto result = fft(there);
  EXPECT_EQ(last_run().uploads + last_run().fetches, 0u);
  to_host(result);
  EXPECT_EQ(last_run().operation, "to_host");
  EXPECT_EQ(last_run().fetches, 1u);
  // Of this thread.
  std::thread([] { EXPECT_EQ(last_run().backend, ""); }).join();
}

// More programs than are kept: the least recently used are built again, their tables copied again.
TEST(device_record, programs_are_bounded) {
  engine::device dev;
  const auto x = to_device(dev, array<float, 1>({160}));
  const auto uploads_of = [&](std::ptrdiff_t n) {
    dev.reset_record();
    fftshift(x);
    dct(x, {.n = n});
    return dev.record().upload.tensors;
  };
  EXPECT_EQ(uploads_of(2), 1u);
  EXPECT_EQ(uploads_of(2), 0u);
  const std::int64_t free_before = dev.free_bytes();
  // Each is two programs: the cut and the product.
  for (std::ptrdiff_t n = 3; n < 90; ++n) EXPECT_EQ(uploads_of(n), 1u);
  EXPECT_EQ(uploads_of(89), 0u);
  EXPECT_EQ(uploads_of(2), 1u);
  EXPECT_LT(free_before - dev.free_bytes(), 90 * 90 * 90 * 4);
}

TEST(device_record, memory_that_does_not_suffice) {
  engine::device dev;
  const auto x = random_array<C, 1>({1 << 16}, 3);
  const auto there = to_device(dev, x);
  fft(there);
  const std::int64_t free_before = dev.free_bytes();
  std::vector<engine::device_buffer> rest;
  rest.push_back(dev.allocate({{(free_before - (1 << 17)) / 4}}));
  EXPECT_THROW(fft(there), device_error);
  EXPECT_THROW(to_device(dev, x), device_error);
  EXPECT_THROW(fftconvolve(there, there), device_error);
  const execution on{.where = policy::device, .on = &dev};
  EXPECT_THROW(fft(x, {.on = on}), device_error);
  EXPECT_THROW(fft(x, {.axis = 0, .norm = normalization::orthonormal, .on = on}), device_error);
  rest.clear();
  EXPECT_EQ(dev.free_bytes(), free_before);
  EXPECT_NO_THROW(fft(there));
  EXPECT_EQ(dev.free_bytes(), free_before);
}

TEST(device_capture, one_dispatch) {
  engine::device dev;
  auto x = random_array<float, 2>({8, 96}, 4);
  array<float, 2> y({8, 96});
  array<C, 2> bins({8, 49});
  auto graph = capture(dev, [&] {
    const auto spectra = rfft(to_device(dev, x));
    EXPECT_TRUE(last_run().captured);
    to_host(spectra, bins.view());
    to_host(irfft(spectra), y.view());
  });
  EXPECT_EQ(dev.record().launches, 0u);
  EXPECT_EQ(graph.operations(), 2u);
  for (int time = 0; time < 2; ++time) {
    dev.reset_record();
    const run_record r = graph.submit();
    EXPECT_EQ(dev.record().launches, 1u);
    EXPECT_EQ(dev.record().upload.tensors, 1u);
    EXPECT_EQ(dev.record().fetch.tensors, 1u);
    EXPECT_EQ(r.operation, "graph of 2 operations");
    EXPECT_EQ(last_run().operation, r.operation);
    EXPECT_EQ(r.launches, 1u);
    const auto expected =
        rfft(test::widened_array<float, 2>(x.view()), {.on = {.where = policy::host}});
    test::expect_near(bins, expected, test::device_tolerance(x.extents()));
    const std::vector<test::exact> same(x.begin(), x.end());
    EXPECT_LT(test::relative_error(y.flat(), same), 2 * test::device_tolerance(x.extents()));
    std::ranges::copy(random_array<float, 2>({8, 96}, 5), x.begin());
  }
}

TEST(device_capture, whole_operations_of_several_steps) {
  engine::device dev;
  const auto x = random_array<float, 1>({300}, 6), h = random_array<float, 1>({20}, 7);
  array<float, 1> y({319});
  auto graph =
      capture(dev, [&] { to_host(fftconvolve(to_device(dev, x), to_device(dev, h)), y.view()); });
  graph.submit();
  const auto expected =
      fftconvolve(test::widened_array<float, 1>(x.view()), test::widened_array<float, 1>(h.view()),
                  {.on = {.where = policy::host}});
  test::expect_near(y, expected, 3 * test::device_tolerance(y.extents()));
  EXPECT_EQ(dev.record().launches, 1u);
  EXPECT_EQ(dev.record().fetch.tensors, 1u);
}

TEST(device_capture, refusals_keep_nothing) {
  engine::device dev;
  const auto x = random_array<C, 1>({32}, 8);
  array<C, 1> y({32});
  const auto there = to_device(dev, x);
  EXPECT_THROW(capture(dev, [] {}), invalid_argument);
  EXPECT_THROW(capture(dev, [&] { capture(dev, [&] { fft(there); }); }), invalid_argument);
  const execution on{.where = policy::device, .on = &dev};
  EXPECT_THROW(capture(dev, [&] { fft(x, {.on = on}); }), invalid_argument);
  EXPECT_THROW(capture(dev, [&] { czt(x, {.on = on}); }), invalid_argument);
  EXPECT_THROW(capture(dev, [&] { to_host(there, y.view()); }), invalid_argument);
  device_array<C, 1> kept;
  EXPECT_THROW(capture(dev,
                       [&] {
                         kept = fft(to_device(dev, x));
                         throw std::runtime_error("body");
                       }),
               std::runtime_error);
  EXPECT_THROW(to_host(kept), device_error);
  dev.reset_record();
  to_host(fft(there));  // runs again as it did before
  EXPECT_EQ(dev.record().launches, 1u);
}

TEST(device_capture, tensors_of_a_graph) {
  engine::device dev;
  const auto x = random_array<C, 1>({32}, 9);
  array<C, 1> y({32});
  device_array<C, 1> input, between, result;
  auto graph = capture(dev, [&] {
    input = to_device(dev, x);
    between = fft(input);
    result = ifft(between);
    to_host(result, y.view());
  });
  for (const auto& t : {input, result}) {
    EXPECT_THROW(to_host(t), device_error);
    EXPECT_THROW(fft(t), device_error);
  }
  EXPECT_THROW(to_host(between), device_error);  // holds nothing yet
  graph.submit();
  test::expect_near(to_host(between),
                    fft(test::widened_array<C, 1>(x.view()), {.on = {.where = policy::host}}),
                    test::device_tolerance(x.extents()));
  EXPECT_THROW(to_host(result), device_error);
}

TEST(device_capture, a_graph_that_was_moved_from) {
  engine::device dev;
  const auto there = to_device(dev, random_array<C, 1>({32}, 9));
  auto graph = capture(dev, [&] { fft(there); });
  device_graph other = std::move(graph);
  EXPECT_EQ(other.operations(), 1u);
  EXPECT_EQ(graph.operations(), 0u);
  try {
    graph.submit();
    ADD_FAILURE();
  } catch (const invalid_argument& e) {
    EXPECT_STREQ(e.what(), "device_graph::submit: the graph has no operations: it was moved from");
  }
  other.submit();
  graph = std::move(other);
  EXPECT_EQ(graph.operations(), 1u);
  EXPECT_EQ(other.operations(), 0u);
  graph.submit();
}

TEST(device_threads, take_turns) {
  engine::device dev;
  const auto x = random_array<C, 1>({64}, 10);
  const auto expected = to_host(fft(to_device(dev, x)));
  const auto work = [&] {
    for (int i = 0; i < 10; ++i) {
      auto there = to_device(dev, x);
      there = fft(there);
      EXPECT_TRUE(std::ranges::equal(to_host(there), expected));
      if (i % 5 == 0) {
        array<C, 1> y({64});
        capture(dev, [&] { to_host(fft(to_device(dev, x)), y.view()); }).submit();
        EXPECT_TRUE(std::ranges::equal(y, expected));
      }
    }
  };
  std::thread other(work);
  work();
  other.join();
}

}  // namespace
}  // namespace papilio
