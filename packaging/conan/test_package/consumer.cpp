#include <cstdio>
#include <papilio/transform.hpp>
#include <papilio/version.hpp>
#include <vector>

int main() {
  const std::vector<float> x(1000, 1.0f);
  const auto bins = papilio::rfft(x);
  std::printf("papilio %s: %zu bins, %g\n", PAPILIO_VERSION, bins.size(), double(bins[0].real()));
  return bins.size() == 501 && bins[0].real() == 1000 ? 0 : 1;
}
