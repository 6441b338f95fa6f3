#include "papilio/base/frequency_axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

TEST(frequency_axis, places_follow_the_scale) {
  const frequency_axis linear{frequency_scale::linear, 1000, 3000};
  EXPECT_DOUBLE_EQ(linear.place(1500), 0.25);
  EXPECT_DOUBLE_EQ(linear.hz(0.25), 1500);
  const frequency_axis octaves{frequency_scale::logarithmic, 20, 20480};
  EXPECT_NEAR(octaves.place(640), 0.5, 1e-15);
  EXPECT_NEAR(octaves.hz(0.1), 40, 1e-12);
  // Slaney's scale: 1000 Hz is 15 mel, 6400 Hz 42.
  const frequency_axis mel{frequency_scale::mel, 0, 6400};
  EXPECT_NEAR(mel.place(1000), 15.0 / 42, 1e-15);
  EXPECT_NEAR(mel.place(500), 7.5 / 42, 1e-15);
  EXPECT_NEAR(mel.hz(15.0 / 42), 1000, 1e-10);
  // 600 Hz is 6 asinh(1) Bark, 600 * 3 / 4 Hz 6 ln 2.
  const frequency_axis bark{frequency_scale::bark, 0, 600};
  EXPECT_NEAR(bark.place(450), std::log(2.0) / std::log(1 + std::sqrt(2.0)), 1e-15);
  EXPECT_NEAR(bark.hz(bark.place(150)), 150, 1e-11);
  const frequency_axis notes{frequency_scale::notes, 55, 880};
  EXPECT_NEAR(notes.place(220), 0.5, 1e-15);
}

TEST(frequency_axis, ends_are_exact_and_places_come_back) {
  for (const frequency_scale scale :
       {frequency_scale::linear, frequency_scale::logarithmic, frequency_scale::mel,
        frequency_scale::bark, frequency_scale::notes}) {
    const frequency_axis a{scale, 31.7, 22050};
    EXPECT_EQ(a.hz(0), 31.7);
    EXPECT_EQ(a.hz(1), 22050);
    for (int i = 0; i <= 100; ++i) EXPECT_NEAR(a.place(a.hz(i / 100.0)), i / 100.0, 1e-13);
  }
}

TEST(frequency_axis, scales_have_names) {
  for (const frequency_scale scale :
       {frequency_scale::linear, frequency_scale::logarithmic, frequency_scale::mel,
        frequency_scale::bark, frequency_scale::notes})
    EXPECT_EQ(frequency_scale_named(to_string(scale)), scale);
  EXPECT_EQ(to_string(frequency_scale::logarithmic), "log");
  EXPECT_THROW(frequency_scale_named("erb"), invalid_argument);
}

TEST(frequency_axis, refusals_name_the_bound) {
  const auto refusal = [](const frequency_axis& a) -> std::string {
    try {
      a.require_valid("f");
    } catch (const invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({frequency_scale::linear, 0, 1}), "");
  EXPECT_EQ(refusal({frequency_scale::linear, -1, 1}), "f: low_hz must be 0 to 1e+12, not -1");
  EXPECT_EQ(refusal({frequency_scale::logarithmic, 0, 1}),
            "f: low_hz must be 1e-09 to 1e+12 on a logarithmic axis, not 0");
  EXPECT_EQ(refusal({frequency_scale::mel, 5, 5}),
            "f: high_hz must be above low_hz 5 by 1e-12 of itself or more, not 5");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal({frequency_scale::linear, nan, 1}), "");
  EXPECT_NE(refusal({frequency_scale::linear, 0, nan}), "");
  EXPECT_NE(refusal({static_cast<frequency_scale>(5), 0, 1}), "");
}

}  // namespace
}  // namespace papilio
