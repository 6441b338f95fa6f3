// Memory that cannot be had, in whichever order it is asked for and by whichever thread: the output
// is as it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "fft/wisdom_text.hpp"
#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "support/granted_memory.hpp"
#include "support/oracle.hpp"

namespace papilio::test {
namespace {

// Calls execute(out) with none, one, two ... allocations granted until it needs no more, each on a
// thread of its own, which has kept no memory of an earlier call.
template <class Out, class Execute>
void expect_untouched(const std::vector<Out>& before, const Execute& execute) {
  bool done = false;
  for (long count = 0; !done; ++count) {
    ASSERT_LT(count, 100);
    std::vector<Out> out = before;
    granted = count;
    std::thread([&] {
      try {
        execute(out);
        done = true;
      } catch (const resource_error&) {
      }
    }).join();
    granted = all;
    if (done) {
      EXPECT_GT(count, 0) << "nothing was refused, " << out.size();
      EXPECT_NE(out, before);
    } else {
      EXPECT_EQ(out, before) << count << " granted";
    }
  }
}

class refused_memory : public testing::Test {
 protected:
  void TearDown() override { forget_wisdom(); }
};

constexpr const char* square = "(four_step 65536 (stockham 256 16 16) (stockham 256 16 16))";

TEST_F(refused_memory, one_line_of_several_threads) {
  for (const std::string& text :
       {std::string(square), "(bluestein 32000 " + std::string(square) + ")"}) {
    const auto plan = plan_with<float>(text);
    const auto x = random_complex<float>(plan.size(), 1);
    for (const int threads : {2, 3})
      expect_untouched(x, [&](std::vector<std::complex<float>>& out) {
        plan.execute_parallel(x, out, threads);
      });
    expect_untouched(
        x, [&](std::vector<std::complex<float>>& out) { plan.execute_parallel(out, out, 3); });
    const extents_type<2> row{1, x.size()};
    expect_untouched(x, [&](std::vector<std::complex<float>>& out) {
      plan.execute_batch({x.data(), row}, {out.data(), row}, 3);
    });
  }
}

// Contiguous, as columns and gathered.
TEST_F(refused_memory, lines_of_an_array) {
  using complex = std::complex<double>;
  const extents_type<3> extents{19, 20, 1009};
  const auto x = random_complex<double>(19 * 20 * 1009, 1);
  for (const std::size_t axis : {0, 1, 2}) {
    const fft_plan<double> plan(extents[axis]);
    for (const int threads : {1, 3})
      expect_untouched(x, [&](std::vector<complex>& out) {
        plan.execute_axis({x.data(), extents}, view<complex, 3>(out.data(), extents), axis,
                          threads);
      });
  }
  const auto r = random_real<double>(400 * 19, 2);
  const dct_plan<double> cosine(400);
  for (const int threads : {1, 3})
    expect_untouched(r, [&](std::vector<double>& out) {
      cosine.forward_axis({r.data(), {400, 19}}, view<double, 2>(out.data(), {400, 19}), 0,
                          threads);
    });
}

// Blocks of trailing axes in the cache, or all of it; more memory for the later axes.
TEST_F(refused_memory, several_axes) {
  using complex = std::complex<float>;
  for (const extents_type<3> extents :
       {extents_type<3>{9, 8, 127}, extents_type<3>{523, 20, 32}, extents_type<3>{3, 523, 100},
        extents_type<3>{523, 521, 1}}) {
    const auto x = random_complex<float>(extents[0] * extents[1] * extents[2], 1);
    const fftn_plan<float> plan({extents.begin(), extents.end()});
    for (const int threads : {1, 2, 3})
      expect_untouched(x, [&](std::vector<complex>& out) {
        plan.execute({x.data(), extents}, view<complex, 3>(out.data(), extents), threads);
      });
  }
}

// The halved axis last, and before others.
TEST_F(refused_memory, real_arrays) {
  using complex = std::complex<float>;
  const extents_type<3> extents{61, 100, 62};
  const auto x = random_real<float>(61 * 100 * 62, 1);
  for (const std::vector<std::ptrdiff_t>& axes :
       {std::vector<std::ptrdiff_t>{0, 1, 2}, std::vector<std::ptrdiff_t>{2, 0, 1}}) {
    const rfftn_plan<float> plan({61, 100, 62}, axes);
    const auto& bins = plan.spectrum_extents();
    const extents_type<3> spectrum{bins[0], bins[1], bins[2]};
    const auto y = random_complex<float>(bins[0] * bins[1] * bins[2], 2);
    for (const int threads : {1, 3}) {
      expect_untouched(y, [&](std::vector<complex>& out) {
        plan.forward({x.data(), extents}, view<complex, 3>(out.data(), spectrum), threads);
      });
      expect_untouched(x, [&](std::vector<float>& out) {
        plan.inverse({y.data(), spectrum}, view<float, 3>(out.data(), extents), threads);
      });
    }
  }
}

}  // namespace
}  // namespace papilio::test
