// Resampling by the spectrum, every step where the signal lies: one copy to the accelerator, one
// back. Then the same as a graph: one dispatch. Emulation is slower than the host.
//   device_pipeline
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <numbers>

#include "papilio/device.hpp"
#include "papilio/papilio.hpp"

namespace {

constexpr std::size_t samples = 16000, fewer = 2000;

double sine(double periods, std::size_t i, std::size_t n) {
  return std::sin(2 * std::numbers::pi * periods * static_cast<double>(i) / static_cast<double>(n));
}

// Bins 0 ... 1000 of the spectrum are all that 2000 samples have; the others are cut.
papilio::device_array<float, 1> resampled(const papilio::device_array<float, 1>& x) {
  const auto norm = papilio::normalization::forward;  // amplitudes stay
  return papilio::irfft(papilio::rfft(x, {.norm = norm}), {.n = fewer, .norm = norm});
}

}  // namespace

int main(int argc, char**) try {
  using namespace papilio;
  if (argc > 1) {
    std::fprintf(stderr, "usage: device_pipeline\nIt takes no arguments.\n");
    return 2;
  }
  array<float, 1> x({samples});
  for (std::size_t i = 0; i < samples; ++i)
    x(i) = static_cast<float>(sine(50, i, samples) + 0.5 * sine(3000, i, samples));

  engine::device dev;
  const device_array<float, 1> sound = to_device(dev, x);
  const array<float, 1> y = to_host(resampled(sound));
  std::printf("%s", dev.record().to_text().c_str());

  // The sine of 50 periods is left.
  double error = 0;
  for (std::size_t i = 0; i < fewer; ++i)
    error = std::max(error, std::abs(static_cast<double>(y(i)) - sine(50, i, fewer)));
  std::printf("largest error %.1e\n\n", error);

  array<float, 1> again({fewer});
  device_graph graph = capture(dev, [&] { to_host(resampled(to_device(dev, x)), again.view()); });
  std::printf("%s", graph.submit().to_text().c_str());
  const bool is_same = std::ranges::equal(again, y);
  std::printf("the graph's result is %s\n", is_same ? "the same" : "another");
  return is_same && error < 1e-5 ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "device_pipeline: %s\n", e.what());
  return 1;
}
