// FFTW as a backend beside the host's plans: two computations that share no code.
#include <gtest/gtest.h>

#include "papilio/base.hpp"

#include <algorithm>

#include "papilio/transform.hpp"
#include "support/nd.hpp"

namespace papilio {
namespace {

using test::exact;

const execution on_fftw{.backend = "fftw"};

template <class Data>
std::vector<exact> wide(const Data& data) {
  return {data.begin(), data.end()};
}

template <class A, class B>
void expect_same(const A& ours, const B& theirs, double bound) {
  ASSERT_EQ(ours.extents(), theirs.extents());
  EXPECT_LT(test::relative_error(wide(theirs), wide(ours)), 2 * bound);
}

template <class T>
class fftw_backend_test : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(fftw_backend_test, precisions);

constexpr normalization every_norm[] = {normalization::backward, normalization::orthonormal,
                                        normalization::forward, normalization::none};

TYPED_TEST(fftw_backend_test, lines) {
  using T = TypeParam;
  for (const std::size_t n : {1, 2, 3, 12, 64, 67, 1000, 1009, 4096})
    for (const normalization norm : every_norm) {
      const auto x = test::random_complex<T>(n, 1);
      const auto r = test::random_real<T>(n, 2);
      const double bound = test::fft_tolerance<T>(n);
      const auto length = static_cast<std::ptrdiff_t>(n);
      const line_options host{.n = length, .norm = norm};
      const line_options fftw{.n = length, .norm = norm, .on = on_fftw};
      expect_same(fft(x, host), fft(x, fftw), bound);
      expect_same(ifft(x, host), ifft(x, fftw), bound);
      expect_same(rfft(r, host), rfft(r, fftw), bound);
      expect_same(irfft(x, host), irfft(x, fftw), bound);
      expect_same(hfft(x, host), hfft(x, fftw), bound);
      expect_same(fft(r, host), fft(r, fftw), bound);
    }
}

TYPED_TEST(fftw_backend_test, axes_strides_and_threads) {
  using T = TypeParam;
  using C = std::complex<T>;
  const auto values = test::random_complex<T>(6 * 8 * 10, 3);
  const view<const C, 3> strided(values.data() + 479, {6, 4, 10}, {-80, -20, -1});
  const view<const C, 3> repeated(values.data(), {6, 4, 10}, {0, 1, 2});
  for (const auto& x : {strided, repeated})
    for (const std::ptrdiff_t axis : {0, 1, 2})
      for (const int threads : {1, 2}) {
        const line_options fftw{.axis = axis, .on = {.threads = threads, .backend = "fftw"}};
        expect_same(fft(x, {.axis = axis}), fft(x, fftw), test::fft_tolerance<T>(10));
        expect_same(irfft(x, {.axis = axis}), irfft(x, fftw), test::fft_tolerance<T>(20));
      }
  EXPECT_TRUE(std::ranges::equal(values, test::random_complex<T>(6 * 8 * 10, 3)));
}

TYPED_TEST(fftw_backend_test, whole_arrays) {
  using T = TypeParam;
  using C = std::complex<T>;
  const auto values = test::random_complex<T>(4 * 5 * 6, 4);
  const auto reals = test::random_real<T>(4 * 5 * 6, 5);
  const view<const C, 3> z(values.data(), {4, 5, 6}), turned(values.data(), {6, 5, 4}, {1, 6, 30});
  const view<const T, 3> r(reals.data(), {4, 5, 6}), r_turned(reals.data(), {6, 5, 4}, {1, 6, 30});
  const double bound = test::fftn_tolerance<T>({4, 5, 10}, {0, 1, 2});
  for (const normalization norm : every_norm)
    for (const index_list& axes :
         {index_list{0, 1, 2}, index_list{2, 0}, index_list{1, 2}, index_list{0, 1}}) {
      const grid_options host{.axes = axes, .norm = norm};
      const grid_options fftw{.axes = axes, .norm = norm, .on = on_fftw};
      expect_same(fftn(z, host), fftn(z, fftw), bound);
      expect_same(ifftn(turned, host), ifftn(turned, fftw), bound);
      expect_same(rfftn(r, host), rfftn(r, fftw), bound);
      expect_same(rfftn(r_turned, host), rfftn(r_turned, fftw), bound);
      expect_same(irfftn(z, host), irfftn(z, fftw), bound);
      expect_same(irfftn(turned, host), irfftn(turned, fftw), bound);
    }
  // The input of a real inverse is kept, though FFTW's own plan destroys it.
  EXPECT_TRUE(std::ranges::equal(values, test::random_complex<T>(4 * 5 * 6, 4)));
}

TYPED_TEST(fftw_backend_test, in_place_and_into_strided_memory) {
  using T = TypeParam;
  using C = std::complex<T>;
  array<C, 2> x({8, 6});
  std::ranges::copy(test::random_complex<T>(48, 6), x.begin());
  const auto expected = fft(x, {.axis = 0, .on = on_fftw});
  auto memory = x;
  fft(memory, memory, {.axis = 0, .on = on_fftw});
  EXPECT_TRUE(std::ranges::equal(memory, expected));
  memory = x;
  fftn(memory, memory, {.on = on_fftw});
  EXPECT_TRUE(std::ranges::equal(memory, fftn(x, {.on = on_fftw})));
  std::vector<C> room(2 * 48, C(7));
  const view<C, 2> spread(room.data(), {8, 6}, {2, 16});
  fftn(x, spread, {.on = on_fftw});
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(spread(i, j), memory(i, j));
  for (std::size_t i = 1; i < room.size(); i += 2) EXPECT_EQ(room[i], C(7));
  EXPECT_THROW(fftn(x, view<C, 2>(room.data(), {8, 6}, {1, 1}), {.on = on_fftw}), shape_error);
}

TEST(fftw_backend, describes_its_plans) {
  const transform_plan line({.extents = {1000}}, on_fftw);
  EXPECT_EQ(line.backend(), "fftw");
  EXPECT_TRUE(line.recipe().starts_with("(dft")) << line.recipe();
  EXPECT_EQ(line.recipe().find('\n'), std::string::npos);
  const transform_plan measured({.extents = {1000}, .measured = true}, on_fftw);
  EXPECT_EQ(measured.backend(), "fftw");
}

TEST(fftw_backend, says_what_it_cannot_do) {
  try {
    dct(std::vector<double>(8), {.on = on_fftw});
    ADD_FAILURE();
  } catch (const invalid_argument& e) {
    EXPECT_EQ(std::string(e.what()).find("dct: backend \"fftw\" cannot do dct-2 of "), 0u)
        << e.what();
  }
}

}  // namespace
}  // namespace papilio
