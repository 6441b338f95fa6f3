#include "calibration/host_calibration.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "papilio/dispatch.hpp"
#include "support/temporary_directory.hpp"

namespace papilio::calibration {
namespace {

TEST(calibrate_host, measures_a_computer_that_can_be_saved) {
  int products = 0;
  const gemm_maker make_gemm = [&](real_type, std::size_t) {
    return [&] {
      ++products;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
  };
  const host_model h = calibrate_host(0.01, make_gemm), features = host_from_features();
  EXPECT_GE(products, 6);
  EXPECT_NE(h.gemm_peak_share, features.gemm_peak_share);
  EXPECT_TRUE(h.is_calibrated());
  EXPECT_EQ(h.measured_on.size(), 10u);
  EXPECT_EQ(h.processor, features.processor);
  EXPECT_EQ(h.clock_hz, features.clock_hz);
  EXPECT_EQ(h.elementwise_peak_share, features.elementwise_peak_share);
  EXPECT_NE(h.float_peak_flops_per_second, features.float_peak_flops_per_second);
  EXPECT_NE(h.l1.float_fft_flops_per_second, features.l1.float_fft_flops_per_second);
  EXPECT_NE(h.memory.core_bytes_per_second, features.memory.core_bytes_per_second);
  for (const host_level& l : {h.l1, h.l2, h.l3, h.memory})
    EXPECT_GE(l.machine_bytes_per_second, l.core_bytes_per_second);
  EXPECT_EQ(current_host().is_calibrated(), false) << "what is measured is not used unasked";
  const test::temporary_directory directory;
  save_host(directory / "host.json", h);
  EXPECT_EQ(load_host(directory / "host.json"), h);
}

TEST(calibrate_host, says_how_quiet_the_computer_was) {
  host_steadiness found{.waited_share = -1, .spread = -1};
  calibrate_host(0.01, {}, &found);
  EXPECT_GE(found.waited_share, 0);
  EXPECT_LT(found.waited_share, 1);
  EXPECT_GE(found.spread, 0);
  EXPECT_EQ((host_steadiness{.waited_share = 0.1, .spread = 0.25}).fault(), "");
  EXPECT_NE((host_steadiness{.waited_share = 0.34}).fault().find("waited for a core 34 %"),
            std::string::npos);
  EXPECT_NE((host_steadiness{.spread = 0.4}).fault().find("up to 40 % longer"), std::string::npos);
}

TEST(calibrate_host, refuses_times_that_are_none) {
  for (const double seconds : {0.0, -1.0, 601.0, std::nan("")})
    EXPECT_THROW(calibrate_host(seconds), invalid_argument) << seconds;
}

}  // namespace
}  // namespace papilio::calibration
