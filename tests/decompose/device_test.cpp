// Decompositions by an accelerator: beside the host's, what is copied and launched, and what is
// refused.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "decompose/sample.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"

namespace papilio::test {
namespace {

using engine::device;

constexpr double single = std::numeric_limits<float>::epsilon();

execution on(device& dev) { return {.where = policy::device, .on = &dev}; }

// Each product with x errs by some roundings of its norm, up to 8 in sums of 64 terms; each
// solution by that times the condition of the normal equations, which is small where factors are
// random. The error is a smooth function of the factors.
constexpr double of_sweeps = 256 * single;

const std::vector<sizes> shapes{{12, 9}, {7, 8, 9}, {16, 16, 16}, {5, 6, 4, 7}, {3, 4, 2, 3, 4}};

TEST(device_cp, is_near_the_hosts) {
  for (const sizes& extents : shapes)
    for (const bool nonnegative : {false, true}) {
      device dev;
      const auto x = normal_tensor<float>(extents, 1);
      cp_options<float> options{
          .max_iterations = 4, .tolerance = 0, .nonnegative = nonnegative, .seed = 2};
      options.on = {.where = policy::host};
      const auto host = cp_als(x, 3, options);
      options.on = on(dev);
      const auto got = cp_als(x, 3, options);
      EXPECT_EQ(last_run().backend, "device");
      ASSERT_EQ(got.iteration.history.size(), host.iteration.history.size());
      for (std::size_t i = 0; i < host.iteration.history.size(); ++i)
        EXPECT_NEAR(got.iteration.history[i], host.iteration.history[i], of_sweeps);
      EXPECT_NEAR(got.relative_error, naive_error(x, got), of_sweeps);
    }
}

TEST(device_cp, finds_what_there_is) {
  device dev;
  const auto x = naive_tensor<float>(normal_cp<float>({12, 10, 11}, 2, 5));
  const auto m =
      cp_als(x, 2, {.max_iterations = 60, .tolerance = 0, .start = cp_start::svd, .on = on(dev)});
  EXPECT_LT(naive_error(x, m), 64 * single);
  EXPECT_NEAR(m.relative_error, naive_error(x, m), 4 * single);
}

TEST(device_cp, a_mode_is_one_dispatch_and_x_goes_up_once) {
  for (const sizes& extents : shapes) {
    device dev(engine::trainium1(), engine::sdk_2_29(), {.start = engine::program_start::cold});
    const std::size_t sweeps = 3, rank = 2, order = extents.size();
    const auto x = normal_tensor<float>(extents, 1);
    cp_als(x, rank, {.max_iterations = sweeps, .tolerance = 0, .on = on(dev)});
    const run_record run = last_run();
    EXPECT_EQ(run.launches, sweeps * order);
    EXPECT_EQ(run.uploads, 1 + sweeps * order);
    EXPECT_EQ(run.fetches, sweeps * order);
    // x once, a factor for each other mode at most, in pieces of 64 bytes.
    std::size_t rows = 0;
    for (const std::size_t e : extents) rows += e;
    EXPECT_GE(run.upload_bytes, 4.0 * double(x.size()));
    EXPECT_LE(run.upload_bytes,
              4.0 * double(x.size()) + double(sweeps * order * (4 * rank * rows + 64 * order)));
    EXPECT_NEAR(run.fetch_bytes, 4.0 * double(sweeps * rank * rows), double(64 * sweeps * order));
    // What the machine itself has counted.
    const engine::device_record& all = dev.record();
    EXPECT_EQ(run.launches, all.launches);
    EXPECT_EQ(all.compiles, order);
    EXPECT_DOUBLE_EQ(run.compile_seconds, all.compile_seconds);
    EXPECT_DOUBLE_EQ(run.launch_seconds, all.launch_seconds);
    EXPECT_DOUBLE_EQ(run.upload_seconds, all.upload.seconds);
    EXPECT_DOUBLE_EQ(run.fetch_seconds, all.fetch.seconds);
    EXPECT_NEAR(run.device_seconds, all.device_seconds, 1e-12);
    ASSERT_EQ(run.steps.size(), order);
    double steps = 0;
    for (const run_step& s : run.steps) steps += s.device_seconds;
    EXPECT_NEAR(steps, run.device_seconds, 1e-12);
  }
}

TEST(device_cp, the_same_seed_gives_the_same_bits) {
  device dev, other;
  const auto x = normal_tensor<float>({9, 8, 7}, 1);
  const scattered<float> y(x);
  const cp_options<float> options{.max_iterations = 3, .seed = 5, .on = on(dev)};
  const auto first = cp_als(x, 4, options);
  EXPECT_TRUE(same_bits(first, cp_als(x, 4, options)));
  cp_options<float> elsewhere = options;
  elsewhere.on.on = &other;
  elsewhere.on.threads = 3;
  EXPECT_TRUE(same_bits(first, cp_als(y.view(), 4, elsewhere)));
  elsewhere.seed = 6;
  EXPECT_FALSE(same_bits(first, cp_als(x, 4, elsewhere)));
}

TEST(device_cp, elements_of_any_size) {
  device dev;
  auto x = normal_tensor<float>({6, 5, 4}, 1);
  const cp_options<float> options{.max_iterations = 5, .on = on(dev)};
  const auto m = cp_als(x, 2, options);
  for (float& v : x.flat()) v = std::ldexp(v, 100);
  const auto large = cp_als(x, 2, options);
  for (std::size_t mode = 0; mode < 3; ++mode)
    for (std::size_t i = 0; i < m.factors[mode].size(); ++i)
      EXPECT_NEAR(m.factors[mode].data()[i], large.factors[mode].data()[i], 64 * of_sweeps);
  EXPECT_NEAR(std::ldexp(large.weights(0), -100), m.weights(0), 64 * of_sweeps * m.weights(0));
}

// Of x or of what is left of it: the error of these ranks is the host's, as far as rounding to
// float (64 epsilon) allows, whatever the singular values.
template <class Decompose>
void expect_as_good(const tensor<float>& x, const Decompose& decompose) {
  device dev;
  const auto host = decompose(x, execution{.where = policy::host});
  const auto got = decompose(x, on(dev));
  EXPECT_EQ(last_run().backend, "device");
  EXPECT_EQ(got.ranks(), host.ranks());
  EXPECT_LE(naive_error(x, got), 1.001 * naive_error(x, host) + 64 * single);
  // |x|^2 - |core|^2 has the errors of sums in float.
  EXPECT_NEAR(
      got.relative_error, naive_error(x, got),
      got.relative_error < 0.011 ? 8 * single : 32 * single / std::max(0.011, got.relative_error));
}

// Singular values of each unfolding fall by `ratio` from one to the next, about.
tensor<float> falling(const sizes& extents, double ratio, unsigned seed) {
  tucker_model<float> m = normal_tucker<float>(extents, extents, seed);
  for (std::size_t at = 0; at < m.core.size(); ++at) {
    double power = 0;
    for (const std::size_t i : index_of(extents, at)) power += double(i);
    m.core.data()[at] *= static_cast<float>(std::pow(ratio, power));
  }
  return naive_tensor<float>(m);
}

const std::vector<sizes> small_shapes{{12, 9}, {7, 8, 6}, {4, 5, 3, 4}};

TEST(device_tucker, is_as_good_as_the_hosts) {
  for (const sizes& extents : small_shapes)
    for (const double ratio : {1.0, 0.5, 0.1, 0.01}) {
      const auto x = ratio == 1 ? normal_tensor<float>(extents, 3) : falling(extents, ratio, 3);
      sizes ranks;
      for (const std::size_t e : extents) ranks.push_back((e + 1) / 2);
      expect_as_good(x, [&](const auto& of, const execution& where) {
        return tucker_sthosvd(of, {.ranks = ranks, .on = where});
      });
      expect_as_good(x, [&](const auto& of, const execution& where) {
        return tucker_hooi(of, {.ranks = ranks, .max_iterations = 2, .change = 0, .on = where});
      });
      expect_as_good(x, [&](const auto& of, const execution& where) {
        return tt_svd(of, {.max_ranks = {3}, .on = where});
      });
    }
}

TEST(device_tucker, tolerances_are_met) {
  for (const sizes& extents : small_shapes)
    for (const double ratio : {0.5, 0.1, 0.02})
      for (const double tolerance : {0.3, 1e-2, 1e-4, 1e-5}) {
        device dev;
        const auto x = falling(extents, ratio, 4);
        const auto m = tucker_sthosvd(x, {.tolerance = tolerance, .on = on(dev)});
        EXPECT_LE(naive_error(x, m), tolerance);
        EXPECT_LE(m.relative_error, tolerance);
        // A share of the budget is known to a hundredth.
        const sizes ranks = m.ranks(), host = tucker_sthosvd(x, {.tolerance = tolerance}).ranks();
        for (std::size_t mode = 0; mode < ranks.size(); ++mode)
          EXPECT_NEAR(double(ranks[mode]), double(host[mode]), 1);
        const auto train = tt_svd(x, {.tolerance = tolerance, .on = on(dev)});
        EXPECT_LE(naive_error(x, train), tolerance);
        EXPECT_LE(train.relative_error, tolerance);
      }
}

bool has_step(const run_record& run, const std::string& beginning) {
  return std::ranges::any_of(run.steps,
                             [&](const run_step& s) { return s.name.starts_with(beginning); });
}

// Where sums in float do not tell the vectors the record says that the host has computed them.
TEST(device_tucker, the_host_computes_what_float_does_not_tell) {
  device dev;
  tucker_sthosvd(normal_tensor<float>({16, 16, 16}, 1), {.ranks = {4, 4, 4}, .on = on(dev)});
  EXPECT_FALSE(has_step(last_run(), "vectors by the host"));
  const auto x = falling({8, 16, 8}, 0.1, 1);
  tucker_sthosvd(x, {.tolerance = 1e-5, .on = on(dev)});
  EXPECT_TRUE(has_step(last_run(), "vectors by the host of 8x128"));
  EXPECT_GT(last_run().fetches, last_run().launches);
  tt_svd(x, {.on = on(dev)});
  EXPECT_TRUE(has_step(last_run(), "vectors by the host"));
}

TEST(device_tucker, a_truncation_is_one_dispatch) {
  device dev;
  const auto x = normal_tensor<float>({8, 9, 7}, 1);
  tucker_sthosvd(x, {.ranks = {3, 4, 2}, .on = on(dev)});
  run_record run = last_run();
  EXPECT_EQ(run.launches, 4u);  // three Gram matrices, of which two follow a product, and the core
  EXPECT_EQ(run.uploads, 4u);   // x and three factors
  EXPECT_EQ(run.fetches, 4u);
  EXPECT_EQ(run.launches, dev.record().launches);
  EXPECT_DOUBLE_EQ(run.upload_seconds, dev.record().upload.seconds);
  EXPECT_DOUBLE_EQ(run.fetch_seconds, dev.record().fetch.seconds);
  EXPECT_NEAR(run.device_seconds, dev.record().device_seconds, 1e-12);
  tucker_hooi(x, {.ranks = {3, 4, 2}, .max_iterations = 5, .change = 0, .on = on(dev)});
  run = last_run();
  EXPECT_EQ(run.launches, 4u + 5 * 4);
  EXPECT_EQ(run.uploads, 4u + 5 * 4);
  EXPECT_EQ(run.fetches, 4u + 5 * 4);
  // A mode of full rank is left as it is.
  tucker_sthosvd(x, {.ranks = {3, 9, 2}, .on = on(dev)});
  EXPECT_EQ(last_run().launches, 3u);
}

TEST(device_train, unfoldings_of_either_side) {
  device dev;
  // Longer than wide from the first bond on, in the middle, and nowhere.
  for (const sizes& extents : {sizes{40, 3, 4}, sizes{4, 5, 6, 5, 3}, sizes{6, 50}}) {
    const auto x =
        naive_tensor<float>(normal_train<float>(extents, sizes(extents.size() - 1, 2), 7));
    const auto train = tt_svd(x, {.max_ranks = {2}, .on = on(dev)});
    EXPECT_LT(naive_error(x, train), 64 * single);
    EXPECT_EQ(train.ranks(), tt_svd(x, {.max_ranks = {2}}).ranks());
    for (std::size_t mode = 0; mode + 1 < extents.size(); ++mode) {
      const array<float, 3>& core = train.cores[mode];
      const view<const float, 2> joined(core.data(),
                                        {core.extent(0) * core.extent(1), core.extent(2)});
      EXPECT_LT(orthogonality_error(joined), 16 * single);
    }
  }
}

// All of them with the same execution.
template <class Error, class T>
void expect_refusals(const tensor<T>& x, const execution& where, const std::string& text) {
  const sizes ranks(x.rank(), 2);
  expect_refusal<Error>([&] { cp_als(x, 2, {.on = where}); }, "cp_als: " + text);
  expect_refusal<Error>([&] { tucker_sthosvd(x, {.ranks = ranks, .on = where}); },
                        "tucker_sthosvd: " + text);
  expect_refusal<Error>([&] { tucker_hooi(x, {.ranks = ranks, .on = where}); },
                        "tucker_hooi: " + text);
  expect_refusal<Error>([&] { tt_svd(x, {.max_ranks = {2}, .on = where}); }, "tt_svd: " + text);
}

TEST(device_decompositions, what_is_refused) {
  device dev;
  const auto x = normal_tensor<float>({6, 5, 4}, 1);
  expect_refusals<device_error>(normal_tensor<double>({6, 5, 4}, 1), on(dev),
                                "the accelerator trainium1 cannot do");
  // Even where nothing is cut off, and nothing computed.
  expect_refusal<device_error>(
      [&] {
        tucker_sthosvd(normal_tensor<double>({6, 5, 4}, 1), {.ranks = {6, 5, 4}, .on = on(dev)});
      },
      "tucker_sthosvd: the accelerator trainium1 cannot do");
  execution bad = on(dev);
  bad.precision.mode = precision::bf16;
  expect_refusals<invalid_argument>(x, bad, "a decomposition computes in native precision only");
  bad = on(dev);
  bad.backend = "host";
  expect_refusals<invalid_argument>(x, bad, "backend \"host\" runs on the host");
  bad = {.where = policy::host, .backend = "device"};
  expect_refusals<invalid_argument>(x, bad, "the policy is host");
  tensor<bool> mask({6, 5, 4});
  std::ranges::fill(mask.flat(), true);
  expect_refusal<invalid_argument>([&] { cp_als(x, 1, {.mask = mask.view(), .on = on(dev)}); },
                                   "cp_als: a mask is of the host only");
  EXPECT_THROW(cp_als(x, 1, {.on = {.where = policy::device, .on = &dev, .threads = -1}}),
               invalid_argument);
  const auto train = tt_svd(x);
  expect_refusal<device_error>([&] { tt_round(train, {.on = on(dev)}); }, "tt_round: it computes");
  expect_refusal<invalid_argument>([&] { capture(dev, [&] { cp_als(x, 1, {.on = on(dev)}); }); },
                                   "inside capture()");
  EXPECT_EQ(dev.record().launches, 0u);
  EXPECT_EQ(dev.record().upload.tensors, 0u);
}

TEST(device_decompositions, memory_must_suffice) {
  engine::machine_spec small = engine::trainium1();
  small.hbm.usable_bytes_per_core = 4 * 8 * 8 * 8 - 1;
  device dev(small);
  const auto x = normal_tensor<float>({8, 8, 8}, 1);
  expect_refusals<device_error>(x, on(dev), "");
  // There is room again for what fits.
  cp_als(normal_tensor<float>({4, 4, 4}, 1), 1, {.on = on(dev)});
  EXPECT_EQ(last_run().backend, "device");
}

TEST(device_decompositions, an_iteration_may_be_left) {
  device dev;
  const auto x = normal_tensor<float>({6, 5, 4}, 1);
  cp_options<float> options{.on = on(dev)};
  options.progress = [](const decomposition_progress& p) { return p.iteration < 2; };
  EXPECT_TRUE(cp_als(x, 2, options).iteration.stopped);
  EXPECT_EQ(last_run().launches, 6u);
  options.progress = [](const decomposition_progress&) -> bool { throw std::runtime_error("no"); };
  EXPECT_THROW(cp_als(x, 2, options), std::runtime_error);
  options.progress = {};
  EXPECT_NO_THROW(cp_als(x, 2, options));
}

TEST(device_decompositions, automatic_takes_the_faster_side) {
  const auto backend_of = [](const std::function<void()>& call) {
    call();
    return last_run().backend;
  };
  const auto all = [&](const tensor<float>& x, const execution& where) {
    const sizes ranks(x.rank(), 2);
    return std::vector<std::string>{
        backend_of([&] { cp_als(x, 2, {.max_iterations = 1, .on = where}); }),
        backend_of([&] { tucker_sthosvd(x, {.ranks = ranks, .on = where}); }),
        backend_of([&] { tucker_hooi(x, {.ranks = ranks, .max_iterations = 1, .on = where}); }),
        backend_of([&] { tt_svd(x, {.max_ranks = {2}, .on = where}); })};
  };
  const std::vector<std::string> host(4, "host"), accelerator(4, "device");
  device dev;
  const execution automatic{.where = policy::automatic, .on = &dev, .threads = 1};
  EXPECT_EQ(all(normal_tensor<float>({8, 8, 8}, 1), automatic), host);
  EXPECT_EQ(dev.record().launches, 0u);
  EXPECT_EQ(backend_of([&] {
              cp_als(normal_tensor<double>({8, 8, 8}, 1), 2, {.on = automatic});
            }),
            "host");
  tensor<bool> mask({8, 8, 8});
  std::ranges::fill(mask.flat(), true);
  EXPECT_EQ(backend_of([&] {
              cp_als(normal_tensor<float>({8, 8, 8}, 1), 2, {.mask = mask.view(), .on = automatic});
            }),
            "host");
  // A runtime that costs nothing.
  engine::runtime_spec free = engine::sdk_2_24();
  free.launch_us = free.host_to_device_us = free.host_to_device_us_per_mb = 0;
  free.host_to_device_large_us_per_mb = free.device_to_host_us = free.device_to_host_us_per_mb = 0;
  device near(engine::trainium1(), free);
  EXPECT_EQ(all(normal_tensor<float>({96, 96, 96}, 1),
                {.where = policy::automatic, .on = &near, .threads = 1}),
            accelerator);
}

// More sweeps are worth a copy that fewer are not.
TEST(device_decompositions, automatic_reckons_with_all_sweeps) {
  engine::runtime_spec runtime = engine::sdk_2_24();
  runtime.launch_us = runtime.host_to_device_us = runtime.device_to_host_us = 0;
  runtime.device_to_host_us_per_mb = 0;
  runtime.host_to_device_us_per_mb = runtime.host_to_device_large_us_per_mb = 4000;
  device dev(engine::trainium1(), runtime);
  const auto x = normal_tensor<float>({64, 64, 64}, 1);
  const auto backend = [&](std::size_t sweeps) {
    cp_options<float> options{.max_iterations = sweeps,
                              .on = {.where = policy::automatic, .on = &dev, .threads = 1}};
    options.progress = [](const decomposition_progress&) { return false; };
    cp_als(x, 16, options);
    return last_run().backend;
  };
  EXPECT_EQ(backend(1), "host");
  EXPECT_EQ(backend(100000), "device");
}

}  // namespace
}  // namespace papilio::test
