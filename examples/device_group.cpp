// A transform, a product and an MP2 energy on the cores of an emulated accelerator: what a dry run
// estimates, copies and links between the cores included, beside what the run then takes.
//   device_group [large] [CORES...]
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/device.hpp"
#include "papilio/papilio.hpp"

namespace {

using complex = std::complex<float>;
using namespace papilio;

// A number of 1 to 64; 0 where the text is none.
int cores_of(std::string_view text) {
  int cores = 0;
  const auto [stopped, fault] = std::from_chars(text.data(), text.data() + text.size(), cores);
  const bool is_whole = fault == std::errc() && stopped == text.data() + text.size();
  return is_whole && cores >= 1 && cores <= 64 ? cores : 0;
}

template <class T>
double relative_error(const T* a, const T* b, std::size_t count) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    difference += std::norm(a[i] - b[i]);
    size += std::norm(b[i]);
  }
  return std::sqrt(difference / size);
}

// Values without a pattern that a transform would find.
float number(std::size_t i) {
  const double x = std::sin(12.9898 * static_cast<double>(i)) * 43758.5453;
  return static_cast<float>(x - std::floor(x) - 0.5);
}
template <std::size_t Rank>
array<float, Rank> numbers(const extents_type<Rank>& extents) {
  array<float, Rank> a(extents);
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = number(i);
  return a;
}

// An operation, and its error against the host's result where it runs.
struct work {
  const char* name;
  operation what;
  std::function<double(const execution&)> error_on;
};

std::vector<work> all_work(bool is_large) {
  const std::size_t n = std::size_t{1} << (is_large ? 24 : 22), side = is_large ? 4096 : 2048,
                    nocc = is_large ? 40 : 24, nvir = is_large ? 320 : 200, naux = 1000;
  array<complex, 1> x({n});
  for (std::size_t i = 0; i < n; ++i) x(i) = {number(2 * i), number(2 * i + 1)};
  const auto spectrum = fft(x);
  const auto a = numbers<2>({side, side});
  const auto product = gemm(a, a);
  auto b = numbers<3>({nocc, nvir, naux});
  for (float& v : b) v *= 0.1F;
  std::vector<double> occupied, virtuals;
  for (std::size_t i = 0; i < b.extent(0); ++i)
    occupied.push_back(-2 + 0.05 * static_cast<double>(i));
  for (std::size_t v = 0; v < b.extent(1); ++v)
    virtuals.push_back(0.5 + 0.02 * static_cast<double>(v));
  const double energy = df_mp2(b, occupied, virtuals, {}).correlation();
  return {{is_large ? "fft 2^24" : "fft 2^22",
           fft_problem{.type = real_type::single_precision, .extents = {n}},
           [=](const execution& on) {
             const auto y = fft(x, {.on = on});
             return relative_error(y.data(), spectrum.data(), n);
           }},
          {is_large ? "gemm 4096^3" : "gemm 2048^3", gemm_problem{.m = side, .k = side, .n = side},
           [=](const execution& on) {
             const auto y = gemm(a, a, {.on = on});
             return relative_error(y.data(), product.data(), y.size());
           }},
          {is_large ? "mp2 40x320x1000" : "mp2 24x200x1000",
           pair_energy_problem{.nocc = nocc, .nvir = nvir, .naux = naux}, [=](const execution& on) {
             return std::abs(df_mp2(b, occupied, virtuals, {.on = on}).correlation() / energy - 1);
           }}};
}

}  // namespace

int main(int argc, char** argv) try {
  const bool is_large = argc > 1 && std::string_view(argv[1]) == "large";
  std::vector<int> groups;
  for (int i = is_large ? 2 : 1; i < argc; ++i) groups.push_back(cores_of(argv[i]));
  for (const int cores : groups)
    if (cores == 0) {
      std::fprintf(stderr, "usage: device_group [large] [CORES...]\nCORES: 1 to 64 [1 2 4 16]\n");
      return 2;
    }
  if (groups.empty()) groups = {1, 2, 4, 16};
  std::printf(
      "milliseconds, modelled; emulation is slower than the host\n"
      "%-16s %5s %10s %10s %10s %10s %10s %10s  %s\n",
      "", "cores", "estimate", "run", "copies", "dispatch", "device", "links", "error");
  bool is_right = true;
  for (const work& w : all_work(is_large))
    for (const int cores : groups) {
      engine::device_group trn(engine::trainium1(), engine::sdk_2_24(), cores);
      const execution on{.where = policy::device, .on = &trn};
      const double estimate = explain(w.what, on, host_signals()).device.seconds();
      double error = 0;
      const run_record run = recorded([&] { error = w.error_on(on); });
      std::printf("%-16s %5d %10.3f %10.3f %10.3f %10.3f %10.3f %10.3f  %.1e, %s\n", w.name, cores,
                  estimate * 1e3, run.seconds() * 1e3,
                  (run.upload_seconds + run.fetch_seconds) * 1e3, run.launch_seconds * 1e3,
                  run.device_seconds * 1e3, run.link_seconds * 1e3, error,
                  run.recipe.substr(0, run.recipe.find_first_of(":\n")).c_str());
      is_right = is_right && error < 1e-5 && std::abs(run.seconds() - estimate) < 1e-3 * estimate;
    }
  return is_right ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "device_group: %s\n", e.what());
  return 1;
}
