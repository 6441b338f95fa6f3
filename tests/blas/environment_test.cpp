// A program of its own: what OpenBLAS is told is decided at the first use in a process.
#include <gtest/gtest.h>

#include <cstdlib>

#include "papilio/blas.hpp"

namespace papilio::test {
namespace {

TEST(blas_environment, a_wish_that_is_none_is_refused_and_may_be_mended) {
  array<double, 2> a({2, 2}), c({2, 2});
  c(0, 0) = 3;
  setenv("PAPILIO_BLAS_THREADS", "four", 1);
  try {
    gemm(1, a, a, 0, c);
    ADD_FAILURE() << "not refused";
  } catch (const invalid_argument& e) {
    EXPECT_STREQ(e.what(), "PAPILIO_BLAS_THREADS: must be \"keep\" or not be set, is \"four\"");
  }
  EXPECT_EQ(c(0, 0), 3);
  setenv("PAPILIO_BLAS_THREADS", "keep", 1);
  gemm(1, a, a, 0, c);
  EXPECT_EQ(c(0, 0), 0);
}

}  // namespace
}  // namespace papilio::test
