// All components together: spectra on the host and on the emulated accelerator.
#include <papilio/device.hpp>
#include <papilio/papilio.hpp>

#include <cmath>
#include <complex>
#include <cstdio>

int main() {
  papilio::array<std::complex<float>, 2> x({4, 64});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(0.1F * float(i));
  papilio::engine::device machine(papilio::engine::trainium1(), papilio::engine::sdk_2_24());
  const auto host = papilio::fft(x);
  const auto device = papilio::fft(x, {.on = {.where = papilio::policy::device, .on = &machine}});
  float error = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    error = std::fmax(error, std::abs(host.data()[i] - device.data()[i]));
  const auto sums = papilio::einsum("ij->i", papilio::array<double, 2>({2, 2}));
  std::printf("papilio %s: host and device differ by %.1e\n", PAPILIO_VERSION, double(error));
  return error < 1e-4F && sums.size() == 2 ? 0 : 1;
}
