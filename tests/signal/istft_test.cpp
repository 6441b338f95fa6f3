#include "papilio/signal/istft.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

// Greatest error over the peak, and error over signal in the Euclidean norm.
template <class T>
struct deviation {
  double peak = 0, norm = 0;

  deviation(std::span<const T> got, std::span<const T> x) {
    double greatest = 0, largest = 0, error = 0, square = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double e = std::abs(static_cast<double>(got[i]) - static_cast<double>(x[i]));
      greatest = std::max(greatest, std::isfinite(e) ? e : 1e300);
      largest = std::max(largest, std::abs(static_cast<double>(x[i])));
      error += e * e;
      square += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    }
    peak = greatest / largest;
    norm = std::sqrt(error / square);
  }
};

template <class T>
std::vector<T> round_trip(const stft_options& options, const std::vector<T>& x, int threads = 1) {
  const stft_plan<T> plan(options);
  const istft_plan<T> inverse(options);
  array<std::complex<T>, 2> spectra(
      {static_cast<std::size_t>(plan.segments(x.size())), plan.bins()});
  plan.execute(x, spectra, threads);
  std::vector<T> back(x.size(), T(-1));
  inverse.execute(spectra, back, threads);
  return back;
}

template <class T>
void expect_inverse(const stft_options& options, std::size_t samples) {
  const auto x = test::random_real<T>(samples, 5);
  const deviation<T> d(round_trip(options, x), x);
  const double bound = std::is_same_v<T, float> ? 2e-7 : 1e-15;
  EXPECT_LT(d.peak, bound) << samples;
  EXPECT_LT(d.norm, bound) << samples;
}

TEST(istft, inverts_stft) {
  for (const std::size_t samples : {1, 100, 1024, 2049, 44100})
    for (const auto padding : {edge_padding::zero, edge_padding::reflect, edge_padding::edge}) {
      const stft_options options{.padding = padding};
      expect_inverse<float>(options, samples);
      expect_inverse<double>(options, samples);
    }
}

}  // namespace
}  // namespace papilio
