// Relative L2 error, rms over random inputs, against FFTW in long double, beside FFTW in the same
// precision: at most max(1.5 x FFTW's, 0.6 epsilon sqrt(log2 2n)). Run by hand it prints a table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fft/fftw_transform.hpp"
#include "fft/wisdom_text.hpp"
#include "papilio/fft.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::transform_kind;

struct kind_name {
  transform_kind kind;
  const char* name;
};

// The unit of the error model: epsilon sqrt(log2 2n).
template <class T>
double model_unit(std::size_t n) {
  return static_cast<double>(std::numeric_limits<T>::epsilon()) *
         std::sqrt(std::log2(2.0 * static_cast<double>(n)));
}

template <class T>
std::vector<std::complex<T>> as_complex(const std::vector<T>& x) {
  std::vector<std::complex<T>> result(x.size() / 2);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = {x[2 * i], x[2 * i + 1]};
  return result;
}
template <class T>
std::vector<T> as_reals(const std::vector<std::complex<T>>& x) {
  std::vector<T> result;
  for (const std::complex<T>& z : x) result.insert(result.end(), {z.real(), z.imag()});
  return result;
}

// Ours with the default scaling: 1/n of FFTW's where the direction is back.
template <class T>
class our_transform {
 public:
  our_transform(transform_kind kind, std::size_t n)
      : kind_(kind),
        complex_(n, kind == transform_kind::inverse ? direction::inverse : direction::forward),
        real_(n) {}

  std::vector<T> operator()(const std::vector<T>& in) const {
    std::vector<T> reals(real_.size());
    std::vector<std::complex<T>> values(real_.bins());
    switch (kind_) {
      case transform_kind::r2c:
        real_.forward(in, values);
        return as_reals(values);
      case transform_kind::c2r:
        real_.inverse(as_complex(in), reals);
        return reals;
      default:
        values.resize(complex_.size());
        complex_.execute(as_complex(in), values);
        return as_reals(values);
    }
  }

 private:
  transform_kind kind_;
  fft_plan<T> complex_;
  rfft_plan<T> real_;
};

// |scale * got - expected| / |expected|
template <class T>
double error(const std::vector<T>& got, const std::vector<long double>& expected,
             long double scale) {
  long double difference = 0, norm = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const long double d = scale * static_cast<long double>(got[i]) - expected[i];
    difference += d * d;
    norm += expected[i] * expected[i];
  }
  if (got.size() != expected.size() || !std::isfinite(difference))
    return std::numeric_limits<double>::infinity();
  return static_cast<double>(std::sqrt(difference / norm));
}

// Of the whole precision of T: a rounded input would make the first sums exact. The imaginary parts
// that do not enter a real result are 0.
template <class T>
std::vector<T> random_input(transform_kind kind, std::size_t n, unsigned seed) {
  std::vector<T> x = test::random_real<T>(test::input_reals(kind, n), seed);
  if (kind == transform_kind::c2r) {
    x[1] = 0;
    if (n % 2 == 0) x[n + 1] = 0;
  }
  return x;
}

struct measured {
  double ours = 0, fftw = 0;
};

template <class T>
measured rms_errors(transform_kind kind, std::size_t n, test::fftw_transform<long double>& oracle,
                    int inputs) {
  const our_transform<T> ours(kind, n);
  test::fftw_transform<T> fftw(kind, n);
  const bool is_back = kind == transform_kind::inverse || kind == transform_kind::c2r;
  const long double scale = is_back ? static_cast<long double>(n) : 1;
  measured sums;
  for (int i = 0; i < inputs; ++i) {
    const auto x = random_input<T>(kind, n, static_cast<unsigned>(1000 * sizeof(T) + i));
    const std::vector<long double>& expected = oracle(x);
    sums.ours += std::pow(error(ours(x), expected, scale), 2);
    sums.fftw += std::pow(error(fftw(x), expected, 1), 2);
  }
  return {std::sqrt(sums.ours / inputs), std::sqrt(sums.fftw / inputs)};
}

// The largest error in units of the model, of smooth lengths and of those that have a prime factor
// above 16, which cost a convolution.
struct worst {
  double units = 0;
  std::size_t n = 0;
};
struct worst_of_kinds {
  worst smooth, rough;
};

bool is_smooth(std::size_t n) {
  for (std::size_t p = 2; p <= 16; ++p)
    while (n % p == 0) n /= p;
  return n == 1;
}

template <class T>
void check(const kind_name& k, std::size_t n, test::fftw_transform<long double>& oracle, int inputs,
           bool print, worst_of_kinds& all) {
  const measured m = rms_errors<T>(k.kind, n, oracle, inputs);
  const double bound = std::max(1.5 * m.fftw, 0.6 * model_unit<T>(n));
  const char* const type = sizeof(T) == 4 ? "float" : "double";
  worst& most = is_smooth(n) ? all.smooth : all.rough;
  const double units = m.ours / model_unit<T>(n);
  if (units > most.units) most = {units, n};
  if (print)
    std::printf("%-8s %-7s %8zu %9.2e %9.2e %9.2e %6.2f\n", k.name, type, n, m.ours, m.fftw, bound,
                units);
  EXPECT_LE(m.ours, bound) << k.name << ' ' << type << " n " << n << ", FFTW " << m.fftw;
}

bool is_prime(std::size_t n) {
  for (std::size_t f = 2; f * f <= n; ++f)
    if (n % f == 0) return false;
  return true;
}

// Where lengths are large the rms of few inputs is as sure as that of many of the short ones.
int inputs_for(std::size_t n) { return n <= 130 ? 20 : n <= 131072 ? 4 : 1; }

void check_all(const kind_name& k) {
  std::vector<std::size_t> lengths;
  for (std::size_t n = 1; n <= 130; ++n) lengths.push_back(n);
  for (const std::size_t n :
       {240,   256,   361,   480,   512,   719,   997,    1000,   1009,   1024,    1536,
        1920,  2048,  2187,  3125,  4096,  4097,  4099,   4410,   8192,   10000,   10007,
        16384, 44100, 48000, 65536, 65537, 96000, 100000, 131072, 262144, 1000003, 1048576})
    lengths.push_back(n);
  for (std::size_t n = 131; n < 2000; n += 2)
    if (is_prime(n)) lengths.push_back(n);
  const std::vector<std::size_t> printed{16,   60,    127,   256,   1000,    1024,
                                         4099, 44100, 65536, 65537, 1000003, 1048576};
  worst_of_kinds single, twice;
  std::printf("%-8s %-7s %8s %9s %9s %9s %6s\n", "", "", "n", "ours", "FFTW", "bound", "units");
  for (const std::size_t n : lengths) {
    const bool print = std::ranges::find(printed, n) != printed.end();
    test::fftw_transform<long double> oracle(k.kind, n);
    check<float>(k, n, oracle, inputs_for(n), print, single);
    check<double>(k, n, oracle, inputs_for(n), print, twice);
  }
  for (const auto& [type, all] : {std::pair{"float", single}, std::pair{"double", twice}})
    std::printf(
        "%-8s %-7s largest: %.2f units at n = %zu; with a prime factor above 16: %.2f at "
        "n = %zu\n",
        k.name, type, all.smooth.units, all.smooth.n, all.rough.units, all.rough.n);
  std::printf("units of epsilon sqrt(log2 2n)\n");
}

TEST(fft_accuracy, forward) { check_all({transform_kind::forward, "forward"}); }
TEST(fft_accuracy, inverse) { check_all({transform_kind::inverse, "inverse"}); }
TEST(fft_accuracy, real_to_complex) { check_all({transform_kind::r2c, "r2c"}); }
TEST(fft_accuracy, complex_to_real) { check_all({transform_kind::c2r, "c2r"}); }

// Where p - 1 has a large factor, a Bluestein within.
template <class T>
void check_rader(std::size_t p, test::fftw_transform<long double>& oracle) {
  const std::string part = to_string(fft_plan<T>(p - 1).design());
  const fft_plan<T> plan = test::plan_with<T>("(rader " + std::to_string(p) + " " + part + ")");
  ASSERT_EQ(plan.design().kind, recipe_kind::rader);
  const auto x = random_input<T>(transform_kind::forward, p, 1);
  std::vector<std::complex<T>> y(p);
  plan.execute(as_complex(x), y);
  EXPECT_LT(error(as_reals(y), oracle(x), 1), test::fft_tolerance<T>(p))
      << to_string(plan.design());
}

TEST(fft_accuracy, rader_at_every_prime_below_2000) {
  for (std::size_t p = 3; p < 2000; p += 2)
    if (is_prime(p)) {
      test::fftw_transform<long double> oracle(transform_kind::forward, p);
      check_rader<float>(p, oracle);
      check_rader<double>(p, oracle);
    }
}

}  // namespace
}  // namespace papilio
