// papilio::fft alone: a tone of 17 periods in 1009 samples, a prime, is bin 17.
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <papilio/fft.hpp>
#include <vector>

int main() {
  const std::size_t n = 1009, tone = 17;
  std::vector<std::complex<double>> x(n), y(n);
  for (std::size_t j = 0; j < n; ++j)
    x[j] = std::polar(1.0, 2 * std::numbers::pi * double(j * tone % n) / double(n));
  papilio::fft_plan<double>(n).execute(x, y);
  double error = 0;
  for (std::size_t k = 0; k < n; ++k)
    error = std::fmax(error, std::abs(y[k] - (k == tone ? double(n) : 0.0)));
  std::printf("fft: bin %zu is %g, largest error %.1e\n", tone, y[tone].real(), error);
  return error < 1e-10 ? 0 : 1;
}
