// papilio::signal alone: a sine of amplitude 1 at a bin's centre has the power 1/2 there.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <papilio/signal.hpp>
#include <vector>

int main() {
  std::vector<double> sound(4096);
  for (std::size_t j = 0; j < sound.size(); ++j)
    sound[j] = std::sin(2 * std::numbers::pi * double(j * 20 % 256) / 256);
  const auto power = papilio::welch<double>(
      sound, {.rate_hz = 8000, .segment_length = 256, .scaling = papilio::psd_scaling::spectrum});
  std::printf("signal: %zu bins, power at bin 20 is %g\n", power.size(), power(20));
  return power.size() == 129 && std::fabs(power(20) - 0.5) < 1e-12 ? 0 : 1;
}
