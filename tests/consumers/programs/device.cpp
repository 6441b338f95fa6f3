// papilio::device alone: alpha x + y by a kernel on the emulated accelerator.
#include <cstdio>
#include <papilio/engine.hpp>
#include <papilio/kernels.hpp>

int main() {
  using namespace papilio;
  engine::device machine(engine::trainium1(), engine::sdk_2_24());
  array<float, 1> x(5000), y(5000), out(5000);
  for (std::size_t i = 0; i < x.size(); ++i) x(i) = float(i % 100), y(i) = float(i % 7);
  const kernels::prepared_kernel axpy(
      machine, kernels::vector_kernel({.n = 5000, .alpha = 2}, machine.machine()));
  const auto run = axpy.launch({x, y}, {out});
  std::size_t differences = 0;
  for (std::size_t i = 0; i < x.size(); ++i) differences += out(i) != 2 * x(i) + y(i);
  std::printf("device: %zu elements differ, %.1f us on %s\n", differences, run.device_seconds * 1e6,
              machine.name().c_str());
  return differences == 0 && run.device_seconds > 0 ? 0 : 1;
}
