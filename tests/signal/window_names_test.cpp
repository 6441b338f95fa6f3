#include <gtest/gtest.h>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"

namespace papilio {
namespace {

TEST(window_names, go_there_and_back) {
  for (const char* name : {"rectangular", "hann", "hamming", "blackman", "nuttall",
                           "blackman_harris", "flat_top", "kaiser", "gaussian", "tukey", "dpss"}) {
    EXPECT_EQ(to_string(parse_window_kind(name)), name);
    EXPECT_EQ(parse_window(name), window_spec(parse_window_kind(name)));
    EXPECT_EQ(to_string(parse_window(name)), name);
  }
  for (const char* text :
       {"kaiser:8.6", "kaiser:0", "gaussian:0.1", "gaussian:1e+30", "tukey:0.3", "dpss:2.5"})
    EXPECT_EQ(to_string(parse_window(text)), text);
  EXPECT_EQ(parse_window("kaiser:14").parameter, 14.0);
  EXPECT_EQ(to_string(window_spec(window_kind::kaiser, 1.0 / 3)), "kaiser:0.3333333333333333");
}

TEST(window_names, those_of_scipy_and_numpy_are_known) {
  EXPECT_EQ(parse_window("boxcar"), window_spec(window_kind::rectangular));
  EXPECT_EQ(parse_window("hanning"), window_spec(window_kind::hann));
  EXPECT_EQ(parse_window("blackmanharris"), window_spec(window_kind::blackman_harris));
  EXPECT_EQ(parse_window("flattop"), window_spec(window_kind::flat_top));
}

TEST(window_names, refuse_what_they_do_not_know) {
  for (const char* text :
       {"", "Hann", "hann:", "hann:1", ":1", "kaiser:", "kaiser:x", "kaiser:8.6 ", "kaiser:-1",
        "kaiser:inf", "kaiser:nan", "kaiser:1e999", "kaiser:1:2", "gaussian:0", "tukey:1.1",
        "tukey:-0.1", "dpss:0", "dpss:nan"})
    EXPECT_THROW(parse_window(text), invalid_argument) << text;
  EXPECT_THROW(parse_window_kind("kaiser:8.6"), invalid_argument);
  try {
    parse_window("bartlett");
    FAIL();
  } catch (const invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "window must be rectangular, hann, hamming, blackman, nuttall, blackman_harris, "
                 "flat_top, kaiser, gaussian, tukey or dpss, got \"bartlett\"");
  }
}

TEST(window_names, parameters_are_checked_where_a_window_is_made) {
  EXPECT_THROW(make_window({window_kind::hann, 1.0}, 8), invalid_argument);
  EXPECT_THROW(make_window({window_kind::kaiser, -1.0}, 8), invalid_argument);
  EXPECT_THROW(make_window({window_kind::gaussian, 0.0}, 8), invalid_argument);
  EXPECT_THROW(make_window({window_kind::tukey, 2.0}, 8), invalid_argument);
  EXPECT_THROW(make_window({window_kind::dpss, 4.5}, 8), invalid_argument);
  EXPECT_THROW(make_window({window_kind::dpss, 4.0}, 8, window_symmetry::symmetric),
               invalid_argument);
  EXPECT_NO_THROW(make_window({window_kind::dpss, 4.0}, 8));
}

}  // namespace
}  // namespace papilio
