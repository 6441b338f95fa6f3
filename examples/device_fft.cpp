// A batch of transforms on an emulated accelerator: the same numbers as on the host, what the
// machine would have taken, and what the dispatcher makes of it. Emulation is slower than the host.
//   device_fft [BATCH [N]]
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <string_view>

#include "papilio/device.hpp"
#include "papilio/papilio.hpp"

namespace {

using complex = std::complex<float>;

double relative_error(const papilio::array<complex, 2>& a, const papilio::array<complex, 2>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::norm(a.data()[i] - b.data()[i]);
    size += std::norm(b.data()[i]);
  }
  return std::sqrt(difference / size);
}

// A whole number of 1 to 2^20; 0 where the text is none.
std::size_t size_of(std::string_view text) {
  std::size_t size = 0;
  const auto [stopped, fault] = std::from_chars(text.data(), text.data() + text.size(), size);
  const bool is_whole = fault == std::errc() && stopped == text.data() + text.size();
  return is_whole && size <= std::size_t{1} << 20 ? size : 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::size_t batch = argc > 1 ? size_of(argv[1]) : 128,
                    n = argc > 2 ? size_of(argv[2]) : 1024;
  if (argc > 3 || batch * n == 0 || batch * n > std::size_t{1} << 24) {
    std::fprintf(stderr,
                 "usage: device_fft [BATCH [N]]\n"
                 "BATCH transforms of N points, each 1 to 2^20, together at most 2^24\n");
    return 2;
  }

  papilio::array<complex, 2> x({batch, n});
  for (std::size_t i = 0; i < x.size(); ++i)
    x.data()[i] = {std::sin(0.1F * static_cast<float>(i)), std::cos(0.37F * static_cast<float>(i))};

  papilio::engine::device dev(papilio::engine::trainium1(), papilio::engine::sdk_2_24());
  const auto on_host = papilio::fft(x);
  papilio::array<complex, 2> on_device;
  const papilio::run_record run = papilio::recorded(
      [&] { on_device = papilio::fft(x, {.on = {.where = papilio::policy::device, .on = &dev}}); });
  std::printf("%s", run.to_text().c_str());
  std::printf("difference from the host: %.1e\n", relative_error(on_device, on_host));

  // What would one choose if one had the machine?
  const papilio::transform_plan choice({.kind = papilio::fft_kind::complex,
                                        .type = papilio::real_type::single_precision,
                                        .extents = {n}},
                                       {.where = papilio::policy::automatic, .on = &dev}, batch);
  std::printf("automatic would run on: %s\n", choice.backend().c_str());
  return relative_error(on_device, on_host) < 1e-6 ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "device_fft: %s\n", e.what());
  return 1;
}
