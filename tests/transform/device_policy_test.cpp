// Where transforms run: policies, what contradicts them, how an accelerator computes, and
// accelerators that are gone.
#include <algorithm>
#include <optional>

#include "support/device_case.hpp"

namespace papilio {
namespace {

using test::message_of;
using test::random_array;
using C = std::complex<float>;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(device_policy, contradictions) {
  engine::device dev;
  const auto x = random_array<C, 1>({16}, 1);
  const auto run = [&](const execution& on) { fft(x, {.on = on}); };
  EXPECT_TRUE(has(message_of<device_error>([&] { run({.where = policy::device}); }),
                  "fft: policy::device needs an accelerator"));
  EXPECT_TRUE(has(message_of<invalid_argument>(
                      [&] { run({.where = policy::device, .on = &dev, .backend = "nobody"}); }),
                  "\"nobody\""));
  EXPECT_THROW(run({.where = policy::device, .on = &dev, .backend = "host"}), invalid_argument);
  EXPECT_THROW(run({.where = policy::host, .backend = "device"}), invalid_argument);
  EXPECT_THROW(run({.where = policy::device, .on = &dev, .threads = -1}), invalid_argument);
  EXPECT_THROW(run({.where = policy::automatic, .on = &dev, .backend = "nobody"}),
               invalid_argument);
  EXPECT_EQ(dev.record().launches, 0u);
  run({.where = policy::device, .on = &dev, .backend = "device"});
  EXPECT_EQ(last_run().backend, "device");
  run({.where = policy::automatic, .on = &dev, .backend = "host"});
  EXPECT_EQ(last_run().backend, "host");
  run({.where = policy::automatic});
  EXPECT_EQ(last_run().backend, "host");
  run({.where = policy::automatic, .on = &dev, .backend = "device"});
  EXPECT_EQ(last_run().backend, "device");
}

// Operations of several steps refuse in the same words before anything is copied.
TEST(device_policy, contradictions_of_several_steps) {
  engine::device dev;
  const auto x = random_array<float, 1>({16}, 1);
  const std::vector<double> wide(16, 1.0);
  const auto each = [&](const execution& on, const auto& check) {
    check([&] { fftconvolve(x, x, {.on = on}); });
    check([&] { oaconvolve(x, x, {.on = on}); });
    check([&] { czt(x, {.on = on}); });
    check([&] { dctn(x, {.on = on}); });
    check([&] { fftn(x, {.axes = {0, 0}, .on = on}); });
  };
  each({.where = policy::device}, [](const auto& f) { EXPECT_THROW(f(), device_error); });
  for (const policy where : {policy::device, policy::automatic})
    each({.where = where, .on = &dev, .backend = "nobody"},
         [](const auto& f) { EXPECT_THROW(f(), invalid_argument); });
  each({.where = policy::device, .on = &dev, .backend = "host"},
       [](const auto& f) { EXPECT_THROW(f(), invalid_argument); });
  each({.where = policy::automatic}, [](const auto& f) {
    f();
    EXPECT_EQ(last_run().backend, "host");
  });
  const execution device{.where = policy::device, .on = &dev};
  EXPECT_THROW(fftconvolve(wide, wide, {.on = device}), device_error);
  EXPECT_THROW(czt(wide, {.on = device}), device_error);
  EXPECT_THROW(dctn(wide, {.on = device}), device_error);
  EXPECT_EQ(dev.record().upload.tensors, 0u);
  // Small ones are the host's, all of their steps.
  each({.where = policy::automatic, .on = &dev}, [](const auto& f) { f(); });
  EXPECT_EQ(dev.record().launches, 0u);
  each({.where = policy::automatic, .on = &dev, .backend = "device"}, [](const auto& f) {
    f();
    EXPECT_EQ(last_run().backend, "device");
  });
}

TEST(device_policy, what_an_accelerator_does_not_do) {
  engine::device dev;
  const execution on{.where = policy::device, .on = &dev};
  const std::vector<double> wide(8, 1.0);
  EXPECT_TRUE(has(message_of<device_error>([&] { rfft(wide, {.on = on}); }),
                  "rfft: the accelerator trainium1 cannot do"));
  const std::vector<long double> wider(8, 1.0L);
  EXPECT_THROW(fft(wider, {.on = on}), device_error);
  const auto x = random_array<C, 1>({16}, 2);
  EXPECT_TRUE(
      has(message_of<device_error>([&] { fft(x, {.plan_effort = effort::measure, .on = on}); }),
          "effort::measure"));
  EXPECT_THROW(fft(to_device(dev, x), {.plan_effort = effort::measure}), device_error);
  // The host has what the device has not.
  EXPECT_NO_THROW(fft(wide, {.on = {.where = policy::automatic, .on = &dev}}));
  EXPECT_EQ(last_run().backend, "host");
}

// Modes of precision reach the kernel: the error is of the size that it should be.
TEST(device_policy, precision) {
  engine::device dev;
  const auto x = random_array<C, 1>({1024}, 3);
  const auto expected = fft(test::widened_array<C, 1>(x.view()), {.on = {.where = policy::host}});
  const std::vector<test::exact> exact(expected.begin(), expected.end());
  const auto error_of = [&](const precision_options& p) {
    const auto got = fft(x, {.on = {.where = policy::device, .on = &dev, .precision = p}});
    const auto same = to_host(fft(to_device(dev, x), {.on = {.precision = p}}));
    EXPECT_TRUE(std::ranges::equal(got, same));
    return test::relative_error(got.flat(), exact);
  };
  const double native = error_of({});
  const double bf16 = error_of({.mode = precision::bf16});
  const double split = error_of({.mode = precision::split_bf16, .parts = 2});
  EXPECT_LT(native, 1e-6);
  EXPECT_GT(bf16, 1e-3);
  EXPECT_LT(bf16, 2e-2);
  EXPECT_GT(split, 1e-6);
  EXPECT_LT(split, 1e-4);
  EXPECT_LT(error_of({.mode = precision::compensated}), native);
  EXPECT_LT(error_of({.target_error = 1e-6}), 1e-6);
}

TEST(device_policy, precision_that_cannot_be_had) {
  engine::device dev;
  const auto x = random_array<C, 1>({1024}, 3);
  const precision_options bf16{.mode = precision::bf16}, hopeless{.target_error = 1e-12};
  EXPECT_THROW(fft(x, {.on = {.where = policy::host, .precision = bf16}}), invalid_argument);
  EXPECT_THROW(fft(x, {.on = {.where = policy::host, .precision = hopeless}}), invalid_argument);
  const std::string why = message_of<device_error>(
      [&] { fft(x, {.on = {.where = policy::device, .on = &dev, .precision = hopeless}}); });
  EXPECT_EQ(why.substr(0, 4), "fft:") << why;
  EXPECT_TRUE(has(why, "target_error must be at least")) << why;
  const auto real = random_array<float, 1>({64}, 4);
  const precision_options compensated{.mode = precision::compensated};
  const execution device{.where = policy::device, .on = &dev, .precision = compensated};
  EXPECT_TRUE(has(message_of<device_error>([&] { rfft(real, {.on = device}); }), "compensated"));
  // automatic takes the side that can, and says why where neither does.
  fft(x, {.on = {.where = policy::automatic, .on = &dev, .precision = bf16}});
  EXPECT_EQ(last_run().backend, "device");
  EXPECT_THROW(
      rfft(real, {.on = {.where = policy::automatic, .on = &dev, .precision = compensated}}),
      invalid_argument);
  fft(test::widened_array<C, 1>(x.view()),
      {.on = {.where = policy::automatic, .on = &dev, .precision = {.target_error = 1e-12}}});
  EXPECT_EQ(last_run().backend, "host");
}

TEST(device_policy, two_accelerators) {
  engine::device one, other(engine::trainium2());
  const auto x = random_array<C, 1>({16}, 5);
  const auto here = to_device(one, x), there = to_device(other, x);
  EXPECT_TRUE(has(message_of<invalid_argument>([&] { fft(here, {.on = {.on = &other}}); }),
                  "execution::on names another, trainium2"));
  EXPECT_THROW(fftconvolve(here, there), invalid_argument);
  EXPECT_THROW(fft(here, {.on = {.backend = "host"}}), invalid_argument);
  EXPECT_THROW(fft(here, {.on = {.backend = "nobody"}}), invalid_argument);
  const auto result = fft(here, {.on = {.where = policy::host}});
  EXPECT_EQ(&result.on(), &one);
  EXPECT_EQ(&fft(there).on(), &other);
}

TEST(device_policy, device_arrays_and_plans_whose_accelerator_is_gone) {
  std::optional<engine::device> dev(std::in_place);
  const auto x = random_array<C, 2>({4, 16}, 6);
  auto there = to_device(*dev, x);
  const transform_plan plan({.type = real_type::single_precision, .extents = {16}},
                            {.where = policy::device, .on = &*dev}, 4);
  array<C, 2> y({4, 16});
  plan.execute(x.view(), y.view());
  EXPECT_EQ(plan.backend(), "device");
  EXPECT_FALSE(plan.recipe().empty());
  EXPECT_GT(plan.estimate(4).seconds, 0);
  auto graph = capture(*dev, [&] { to_host(fft(there), y.view()); });
  dev.reset();
  EXPECT_TRUE(has(message_of<device_error>([&] { fft(there); }), "fft: the accelerator"));
  EXPECT_THROW(to_host(there), device_error);
  EXPECT_THROW(there.on(), device_error);
  EXPECT_EQ(there.extent(1), 16u);
  EXPECT_THROW(plan.execute(x.view(), y.view()), device_error);
  EXPECT_THROW(plan.recipe(), device_error);
  EXPECT_THROW(plan.estimate(), device_error);
  EXPECT_THROW(graph.submit(), device_error);
  EXPECT_EQ(plan.problem().extents, std::vector<std::size_t>{16});
  there = {};
  EXPECT_TRUE(there.is_empty());
  EXPECT_THROW(fft(there), device_error);
  EXPECT_THROW(there.on(), device_error);
}

TEST(device_policy, automatic_is_the_comparison_of_the_estimates) {
  engine::device dev;
  int on_device = 0;
  for (const std::size_t lines : {1, 4096})
    for (const std::size_t n : {64, 4096}) {
      const fft_problem p{.type = real_type::single_precision, .extents = {lines, n}, .axes = {1}};
      const execution on{.where = policy::automatic, .on = &dev, .threads = 1};
      const double host = estimate_on_host(p, on, host_transforms()).seconds;
      const double device = backend_of("test", dev).estimate(p, {}, dev).seconds();
      EXPECT_EQ(place("test", p, on, host_transforms()) != nullptr, device < host)
          << lines << " x " << n;
      on_device += device < host;
    }
  EXPECT_EQ(dev.record().launches, 0u);
  EXPECT_LE(on_device, 3);
}

// The steps of a convolution together: one upload of each operand, one fetch.
TEST(device_policy, automatic_adds_up_steps) {
  engine::device dev;
  const fft_problem p{.type = real_type::single_precision, .extents = {64, 128}, .axes = {1}};
  const std::vector<pipeline_step> steps{{p, {}}, {p, {}}, {p, {}}};
  const operand_shapes arrays = shapes_of(p);
  const execution on{.where = policy::automatic, .on = &dev, .threads = 1};
  const device_estimate one = backend_of("test", dev).estimate(p, {}, dev);
  const double device = one.upload_seconds + one.fetch_seconds + 3 * one.device_array_seconds();
  const double host = 3 * estimate_on_host(p, on, host_transforms()).seconds;
  EXPECT_EQ(place("test", steps, arrays, on, host_transforms()) != nullptr, device < host);
}

}  // namespace
}  // namespace papilio
