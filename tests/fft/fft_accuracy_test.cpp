// Relative L2 error, rms over 20 random inputs, against FFTW in long double, beside FFTW in the
// same precision: at most max(1.5 x FFTW's, 0.6 epsilon sqrt(log2 2n)).
#include <fftw3.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "fft/wisdom_text.hpp"
#include "papilio/fft.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::exact;

struct error_sums {
  double ours = 0, fftw = 0;
};

class lengths_fixture {
 public:
  explicit lengths_fixture(std::size_t n) : n_(n), in_(n), out_(n) {
    oracle_ = fftwl_plan_dft_1d(static_cast<int>(n), reinterpret_cast<fftwl_complex*>(in_.data()),
                                reinterpret_cast<fftwl_complex*>(out_.data()), FFTW_FORWARD,
                                FFTW_ESTIMATE);
  }
  ~lengths_fixture() { fftwl_destroy_plan(oracle_); }

  template <class T>
  const std::vector<exact>& expected(const std::vector<std::complex<T>>& x) {
    for (std::size_t i = 0; i < n_; ++i) in_[i] = exact(x[i]);
    fftwl_execute(oracle_);
    return out_;
  }

 private:
  std::size_t n_;
  std::vector<exact> in_, out_;
  fftwl_plan oracle_;
};

void run_fftw(std::vector<std::complex<float>>& x, std::vector<std::complex<float>>& y) {
  const auto plan =
      fftwf_plan_dft_1d(static_cast<int>(x.size()), reinterpret_cast<fftwf_complex*>(x.data()),
                        reinterpret_cast<fftwf_complex*>(y.data()), FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_execute(plan);
  fftwf_destroy_plan(plan);
}
void run_fftw(std::vector<std::complex<double>>& x, std::vector<std::complex<double>>& y) {
  const auto plan =
      fftw_plan_dft_1d(static_cast<int>(x.size()), reinterpret_cast<fftw_complex*>(x.data()),
                       reinterpret_cast<fftw_complex*>(y.data()), FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}

// The input has the whole precision of T: a rounded one would make the first sums exact.
template <class T>
void add_errors(const fft_plan<T>& plan, lengths_fixture& fixture, unsigned seed,
                error_sums& sums) {
  auto x = test::random_complex<T>(plan.size(), seed);
  std::vector<std::complex<T>> y(x.size());
  const std::vector<exact>& expected = fixture.expected(x);
  plan.execute(x, y);
  sums.ours += std::pow(test::relative_error(y, expected), 2);
  run_fftw(x, y);
  sums.fftw += std::pow(test::relative_error(y, expected), 2);
}

template <class T>
void expect_accurate(const char* type, std::size_t n, const error_sums& sums, int inputs) {
  const double ours = std::sqrt(sums.ours / inputs), fftw = std::sqrt(sums.fftw / inputs);
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  const double bound =
      std::max(1.5 * fftw, 0.6 * epsilon * std::sqrt(std::log2(2.0 * static_cast<double>(n))));
  std::printf("%-6s %8zu ours %.3g fftw %.3g bound %.3g\n", type, n, ours, fftw, bound);
  EXPECT_LE(ours, bound) << type << " n " << n;
}

void check(std::size_t n) {
  constexpr int inputs = 20;
  lengths_fixture fixture(n);
  const fft_plan<float> single(n);
  const fft_plan<double> twice(n);
  error_sums single_sums, double_sums;
  for (unsigned seed = 0; seed < inputs; ++seed) {
    add_errors(single, fixture, 1000 + seed, single_sums);
    add_errors(twice, fixture, 2000 + seed, double_sums);
  }
  expect_accurate<float>("float", n, single_sums, inputs);
  expect_accurate<double>("double", n, double_sums, inputs);
}

TEST(fft_accuracy, lengths_1_to_130) {
  for (std::size_t n = 1; n <= 130; ++n) check(n);
}

bool is_prime(std::size_t n) {
  for (std::size_t f = 2; f * f <= n; ++f)
    if (n % f == 0) return false;
  return true;
}

TEST(fft_accuracy, primes_below_2000) {
  for (std::size_t n = 131; n < 2000; n += 2)
    if (is_prime(n)) check(n);
}

// Where p - 1 has a large factor, a Bluestein within.
template <class T>
void check_rader(std::size_t p, lengths_fixture& fixture) {
  const std::string part = to_string(fft_plan<T>(p - 1).design());
  const fft_plan<T> plan = test::plan_with<T>("(rader " + std::to_string(p) + " " + part + ")");
  ASSERT_EQ(plan.design().kind, recipe_kind::rader);
  error_sums sums;
  add_errors(plan, fixture, 1, sums);
  EXPECT_LT(std::sqrt(sums.ours), test::fft_tolerance<T>(p)) << to_string(plan.design());
}

TEST(fft_accuracy, rader_at_every_prime_below_2000) {
  for (std::size_t p = 3; p < 2000; p += 2)
    if (is_prime(p)) {
      lengths_fixture fixture(p);
      check_rader<float>(p, fixture);
      check_rader<double>(p, fixture);
    }
}

TEST(fft_accuracy, thirty_larger_lengths) {
  for (const std::size_t n :
       {240,   256,   361,   480,   512,   719,   997,    1000,   1009,   1024,
        1536,  1920,  2048,  2187,  3125,  4096,  4099,   4410,   8192,   10000,
        10007, 16384, 44100, 48000, 65536, 65537, 100000, 131072, 262144, 524288})
    check(n);
}

TEST(fft_accuracy, a_million) {
  for (const std::size_t n : {1000003, 1048576}) check(n);
}

}  // namespace
}  // namespace papilio
