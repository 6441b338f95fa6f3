// Problems as values, the choice of a backend, and what backends promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "papilio/base.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine/environment.hpp"
#include "papilio/signal/host_signals.hpp"
#include "papilio/transform/candidate.hpp"
#include "papilio/version.hpp"

namespace papilio {
namespace {

class some_machine final : public accelerator {
 public:
  std::string name() const override { return "some machine"; }
};

fft_problem line_of(std::size_t n, fft_kind kind = fft_kind::complex,
                    direction dir = direction::forward) {
  fft_problem p;
  p.kind = kind;
  p.dir = dir;
  p.extents = {n};
  return p;
}

TEST(fft_problem, text) {
  EXPECT_EQ(to_string(line_of(64)), "fft of 64 points in double");
  fft_problem p{.kind = fft_kind::real,
                .dir = direction::inverse,
                .type = real_type::single_precision,
                .extents = {128, 1024},
                .axes = {0, 1}};
  EXPECT_EQ(to_string(p), "irfft of 128x1024 in float along axes 0, 1");
  p = line_of(8, fft_kind::sine);
  p.trigonometric_type = 4;
  p.type = real_type_of<long double>;
  EXPECT_EQ(to_string(p), "dst-4 of 8 points in long double");
}

TEST(fft_problem, equality_is_of_everything_that_decides) {
  const fft_problem p = line_of(8);
  std::vector<fft_problem> others(7, p);
  others[0].dir = direction::inverse;
  others[1].type = real_type::single_precision;
  others[2].norm = normalization::forward;
  others[3].extents = {9};
  others[4].axes = {};
  others[5].trigonometric_type = 1;
  others[6].measured = true;
  for (const fft_problem& other : others) EXPECT_NE(other, p);
  EXPECT_EQ(line_of(8), p);
}

std::string refusal_of(const fft_problem& p) {
  try {
    p.require_valid("f");
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(fft_problem, malformed_ones_are_refused) {
  EXPECT_EQ(refusal_of(line_of(1)), "");
  fft_problem p = line_of(8);
  p.extents = {};
  EXPECT_EQ(refusal_of(p), "f: fft_problem: extents must not be empty");
  p.extents = {4, 0};
  EXPECT_EQ(refusal_of(p), "f: fft_problem: extents must be at least 1, got 4x0");
  p.extents = {4, 5};
  p.axes = {2};
  EXPECT_EQ(refusal_of(p), "f: fft_problem: axes must be less than 2, got 2");
  p.axes = {1, 1};
  EXPECT_EQ(refusal_of(p), "f: fft_problem: axes must be distinct, got 1 twice");
  p.axes = {};
  EXPECT_EQ(refusal_of(p), "");
  p.kind = fft_kind::real;
  EXPECT_EQ(refusal_of(p), "f: fft_problem: real needs an axis");
  p = line_of(8);
  p.axes = {};
  EXPECT_EQ(refusal_of(p), "f: fft_problem: a line is transformed over its one axis");
  p = line_of(8);
  p.trigonometric_type = 2;
  EXPECT_NE(refusal_of(p), "");
  p = line_of(8, fft_kind::cosine);
  for (const int type : {0, 5, -1}) {
    p.trigonometric_type = type;
    EXPECT_NE(refusal_of(p), "") << type;
  }
  p.trigonometric_type = 3;
  EXPECT_EQ(refusal_of(p), "");
  p.extents = {8, 8};
  EXPECT_EQ(refusal_of(p), "");
  EXPECT_THROW(choose_fft("f", p, {}), invalid_argument);
  p.axes = {0, 1};
  EXPECT_EQ(refusal_of(p), "f: fft_problem: cosine and sine problems have one axis, got 2 axes");
}

TEST(dispatch, backends_of_this_build) {
  const auto names = backend_names(host_transforms());
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names[0], "host");
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
#ifdef PAPILIO_FFTW
  EXPECT_EQ(names, (std::vector<std::string>{"host", "fftw", "device"}));
  EXPECT_TRUE(build_info().starts_with("papilio " PAPILIO_VERSION ", fftw 3.")) << build_info();
#else
  EXPECT_EQ(names, (std::vector<std::string>{"host", "device"}));
  EXPECT_EQ(build_info(), "papilio " PAPILIO_VERSION);
#endif
}

TEST(dispatch, policies) {
  some_machine machine;
  const fft_problem p = line_of(64);
  // The host computes doubles; no accelerator does.
  const auto chosen = [&](const execution& on) {
    const accelerator* const device = place("f", p, on, host_transforms());
    return device != nullptr ? device->name() : std::string(choose_fft("f", p, on).name);
  };
  EXPECT_EQ(chosen({}), "host");
  EXPECT_EQ(chosen({.on = &machine}), "host");
  EXPECT_EQ(chosen({.where = policy::automatic}), "host");
  // No backend drives this accelerator.
  EXPECT_EQ(chosen({.where = policy::automatic, .on = &machine}), "host");
  EXPECT_THROW(chosen({.where = policy::device}), device_error);
  EXPECT_THROW(chosen({.where = policy::device, .on = &machine}), device_error);
  EXPECT_THROW(chosen({.where = policy::device, .on = &machine, .backend = "host"}),
               invalid_argument);
  for (const fft_candidate& candidate : fft_candidates())
    EXPECT_EQ(chosen({.backend = candidate.name}), candidate.name);
  EXPECT_THROW(chosen({.backend = "device"}), invalid_argument);
}

// What was decided is kept, but not for another host.
TEST(dispatch, automatic_follows_the_model_of_the_host) {
  const auto device = make_device("", "");
  const execution on{.where = policy::automatic, .on = device.get(), .threads = 1};
  const gemm_problem what{.m = 1024, .k = 1024, .n = 1024};
  const host_model before = current_host();
  host_model slow = before, fast = before;
  slow.float_peak_flops_per_second = 1e9;
  fast.float_peak_flops_per_second = 1e15;
  use_host(slow);
  EXPECT_EQ(place("f", what, on, host_roofline()), device.get());
  use_host(fast);
  EXPECT_EQ(place("f", what, on, host_roofline()), nullptr);
  use_host(before);
}

// The same on both sides, and where both are asked.
TEST(dispatch, malformed_matrices_of_bands_are_refused) {
  const auto device = make_device("", "");
  const auto refusal = [&](const stft_problem& p, policy where, bool explained) {
    try {
      const execution on{.where = where, .on = device.get(), .threads = 1};
      if (explained)
        explain(p, on);
      else
        place("f", p, on, host_signals());
    } catch (const invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto expect = [&](const stft_problem& p, const std::string& text) {
    for (const policy where : {policy::host, policy::device, policy::automatic}) {
      EXPECT_EQ(refusal(p, where, false), text.empty() ? text : "f: " + text);
      EXPECT_EQ(refusal(p, where, true), text.empty() ? text : "explain: " + text);
    }
  };
  stft_problem p{.samples = 512, .n_fft = 64, .hop = 16, .result = spectrum_form::mel};
  expect(p, "mel must have at least one band of 33 bins, got 0 weights");
  p.mel.assign(3 * 33, 0.5F);
  expect(p, "");
  p.mel.pop_back();
  expect(p, "mel must have whole bands of 33 bins, got 98 weights");
  p.mel.assign(3 * 33, 0.5F);
  p.mel[40] = std::numeric_limits<float>::infinity();
  expect(p, "mel must be finite, got inf as weight 7 of band 1");
  p.mel[40] = 0;
  p.result = spectrum_form::decibel;
  expect(p, "");
  p.result = spectrum_form::power;
  expect(p, "mel must be empty but for mel bands and decibel, got 99 weights");
  p.mel.clear();
  p.result = spectrum_form::decibel;
  expect(p, "");
}

TEST(dispatch, refusals_name_what_there_is) {
  std::string known;
  for (const std::string& name : backend_names(host_transforms()))
    known += (known.empty() ? "" : ", ") + name;
  try {
    choose_fft("fft", line_of(64), {.backend = "nobody"});
    ADD_FAILURE();
  } catch (const invalid_argument& e) {
    EXPECT_EQ(e.what(), "fft: backend must be one of " + known + " in this build, got \"nobody\"");
  }
  EXPECT_THROW(choose_fft("f", line_of(0), {}), invalid_argument);
  EXPECT_THROW(choose_fft("f", line_of(4), {.threads = -1}), invalid_argument);
#ifdef PAPILIO_FFTW
  fft_problem p = line_of(8, fft_kind::cosine);
  p.trigonometric_type = 2;
  EXPECT_STREQ(choose_fft("f", p, {}).name, "host");
  EXPECT_THROW(choose_fft("f", p, {.backend = "fftw"}), invalid_argument);
#endif
}

// Estimates are arithmetic: the same every time, positive, and larger for more work.
TEST(dispatch, estimates) {
  const host_model computer = host_from_features();
  use_host(computer);  // whatever was measured on this computer
  const host_level &cache = computer.l1, &memory = computer.memory;
  const double slower =
      std::max(cache.core_bytes_per_second / memory.core_bytes_per_second,
               cache.double_fft_flops_per_second / memory.double_fft_flops_per_second);
  for (const fft_candidate& candidate : fft_candidates()) {
    SCOPED_TRACE(candidate.name);
    for (const bool is_real : {false, true})
      for (const std::size_t n : {2, 37, 64, 1000, 1009, 65536}) {
        const fft_problem p = is_real ? line_of(n, fft_kind::real, direction::inverse) : line_of(n);
        const fft_estimate one = candidate.estimate(p, 1), many = candidate.estimate(p, 1000);
        EXPECT_FALSE(one.recipe.empty());
        EXPECT_GE(one.passes, 1u);
        EXPECT_GT(one.flops, 0);
        EXPECT_GT(one.bytes_moved, 0);
        EXPECT_GT(one.seconds, 0);
        EXPECT_GT(one.relative_error, 1e-17);
        EXPECT_LT(one.relative_error, 1e-14);
        EXPECT_EQ(candidate.estimate(p, 1).seconds, one.seconds);
        // A call costs 100 lines, whatever they do; many lines are one call, but may lie in memory
        // where one lies in a cache.
        EXPECT_GT(many.seconds, 10 * one.seconds);
        EXPECT_LE(many.seconds, 1000 * slower * one.seconds);
        EXPECT_NEAR(many.flops, 1000 * one.flops, 1e-6 * many.flops);
        fft_problem narrow = p;
        narrow.type = real_type::single_precision;
        EXPECT_LT(candidate.estimate(narrow, 1).bytes_moved, one.bytes_moved);
        EXPECT_GT(candidate.estimate(narrow, 1).relative_error, one.relative_error);
      }
    const fft_problem grid{.extents = {128, 1024}, .axes = {0, 1}};
    const double rows = candidate.estimate(line_of(1024), 128).flops;
    const double columns = candidate.estimate(line_of(128), 1024).flops;
    EXPECT_NEAR(candidate.estimate(grid, 1).flops, rows + columns, 1e-6 * (rows + columns));
  }
}

// The convention 5 n log2 n is within a factor of two of what a power of two takes.
TEST(dispatch, operations_of_the_host_are_counted) {
  const fft_candidate& host = fft_candidates()[0];
  for (const std::size_t n : {16, 256, 4096, 65536}) {
    const double convention = 5 * static_cast<double>(n) * std::log2(static_cast<double>(n));
    const double counted = host.estimate(line_of(n), 1).flops;
    EXPECT_GT(counted, convention / 2) << n;
    EXPECT_LT(counted, convention * 2) << n;
    const double real = host.estimate(line_of(n, fft_kind::real), 1).flops;
    EXPECT_LT(real, 0.9 * counted) << n;
  }
  // A convolution costs several transforms.
  EXPECT_GT(host.estimate(line_of(1009), 1).flops, 2 * host.estimate(line_of(1000), 1).flops);
}

// Every kind of recipe counts: short sums and codelets in registers read and write their points
// once, the two steps of a codelet in the cache, and of a four-step, twice.
TEST(dispatch, passes_of_the_host_are_counted) {
  const fft_candidate& host = fft_candidates()[0];
  const auto expect = [&](std::size_t n, const std::string& kind, std::size_t passes) {
    fft_problem p = line_of(n);
    p.type = real_type::single_precision;
    const fft_estimate e = host.estimate(p, 1);
    EXPECT_EQ(e.recipe.substr(0, kind.size()), kind);
    EXPECT_EQ(e.passes, passes) << e.recipe;
    EXPECT_EQ(e.bytes_moved, static_cast<double>(passes * n * 16)) << e.recipe;
    return e.flops;
  };
  // Twice four butterflies of 16 flops; three twiddles of 6 flops before each of the second four.
  EXPECT_EQ(expect(16, "(codelet 16 4 4)", 1), 2 * 4 * 16 + 4 * 3 * 6);
  expect(1024, "(codelet 1024 16 4 16)", 2);
  // 15 pairs: four combinations of 15 terms for each of 15, in multiplications and additions.
  EXPECT_EQ(expect(31, "(direct 31)", 1), 8 * 15 * 15 + 10 * 15);
  // 5 folds two pairs; 10 is 2 x 5 without twiddles.
  EXPECT_EQ(expect(1000, "(two_step 1000 4 5 5 10)", 2),
            250 * 16 + 2 * 200 * (52 + 4 * 6) + 100 * (5 * 4 + 2 * 52 + 9 * 6));
  expect(1331, "(stockham 1331 11 11 11)", 3);
  const double steps = expect(16384, "(four_step 16384", 2);
  EXPECT_EQ(steps, 2 * 128 * expect(128, "(codelet 128 16 8)", 1) + 6 * 16384);
}

// Real transforms untangle in the last pass of codelets and of long Stockham transforms, else in
// one of their own.
TEST(dispatch, passes_of_real_transforms_are_counted) {
  const auto passes = [](std::size_t n) {
    fft_problem p = line_of(n, fft_kind::real);
    p.type = real_type::single_precision;
    return fft_candidates()[0].estimate(p, 1).passes;
  };
  EXPECT_EQ(passes(512), 1);     // (codelet 256 16 16)
  EXPECT_EQ(passes(2048), 2);    // (codelet 1024 16 4 16)
  EXPECT_EQ(passes(3072), 4);    // (stockham 1536 16 8 4 3)
  EXPECT_EQ(passes(24), 3);      // two passes of 12 points
  EXPECT_EQ(passes(62), 2);      // (direct 31)
  EXPECT_EQ(passes(131072), 3);  // a four-step
}

// The recipe of a length that no memory holds is found at once, without a search for its factors.
TEST(dispatch, estimates_of_lengths_beyond_all_memory) {
  const fft_candidate& host = fft_candidates()[0];
  const auto kind_of = [&](std::size_t n) {
    const std::string recipe = host.estimate(line_of(n), 1).recipe;
    return recipe.substr(0, recipe.find(' '));
  };
  EXPECT_EQ(kind_of(std::size_t{1} << 55), "(stockham");
  EXPECT_EQ(kind_of((std::size_t{1} << 55) - 55), "(bluestein");  // a prime
}

TEST(dispatch, recipes_of_estimates_are_those_of_plans) {
  for (const fft_candidate& candidate : fft_candidates())
    for (std::size_t n : {2, 15, 64, 1009}) {
      std::vector<fft_problem> problems{line_of(n), line_of(n, fft_kind::real)};
      for (int type = 1; type <= 4; ++type)
        for (const fft_kind kind : {fft_kind::cosine, fft_kind::sine}) {
          problems.push_back(line_of(n, kind, direction::inverse));
          problems.back().trigonometric_type = type;
        }
      problems.push_back({.kind = fft_kind::real, .extents = {n, 6}, .axes = {1, 0}});
      problems.push_back({.extents = {n, 6, 4}, .axes = {2, 0}});
      for (const fft_problem& p : problems)
        if (candidate.refusal(p).empty()) {
          EXPECT_EQ(candidate.build(p)->recipe(), candidate.estimate(p, 1).recipe)
              << candidate.name << " " << to_string(p);
        }
    }
}

}  // namespace
}  // namespace papilio
