// The host's rates from the processor's and the system's features, and round figures for rates that
// these do not tell.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <limits>
#include <string>

#include "base/caches.hpp"
#include "base/processor_key.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/dispatch/host_model.hpp"

namespace papilio {
namespace {

std::size_t widest_register_bytes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return 64;
  if (__builtin_cpu_supports("avx2")) return 32;
#endif
  return 16;
}

/// Bytes of the widest vector registers that this build uses.
std::size_t register_bytes() {
#if defined(HWY_COMPILE_ONLY_STATIC) && !defined(__AVX512F__)
  return std::min<std::size_t>(widest_register_bytes(), 32);
#else
  return widest_register_bytes();
#endif
}

/// Highway's name of the instruction set with these registers.
const char* register_name() {
  const std::size_t bytes = register_bytes();
  return bytes == 64 ? "AVX3" : bytes == 32 ? "AVX2" : "SSE4";
}

/// The value of the first "KEY : VALUE" of /proc/cpuinfo; empty where there is none.
std::string cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

/// The processor's name, cut to 64 printable characters of ASCII, so that it fits files and
/// terminals.
std::string processor_name() {
  std::string name = cpuinfo("model name").substr(0, 64);
  for (char& c : name)
    if (c < ' ' || c > '~') c = '?';
  return name.empty() ? host_model().processor : name;
}

template <class Number>
Number first_of_file(const std::string& path, Number otherwise) {
  std::ifstream file(path);
  Number value{};
  return file >> value ? value : otherwise;
}

double clock_hz() {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cpufreq/";
  const double khz = first_of_file(folder + "cpuinfo_max_freq", 0.0);
  if (khz > 0) return std::clamp(khz * 1e3, 1e8, 1e11);
  const double mhz = std::atof(cpuinfo("cpu MHz").c_str());
  return mhz > 0 ? std::clamp(mhz * 1e6, 1e8, 1e11) : 2.5e9;
}

double memory_bytes() {
  const double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
  return std::max(1e9, pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
}

/// A level of memory; all cores together move `cores_at_once` times the bytes of one.
host_level level_of(const host_model& h, double capacity_bytes, double bytes_per_second,
                    double cores_at_once, double fft_peak_share) {
  return {.capacity_bytes = capacity_bytes,
          .core_bytes_per_second = bytes_per_second,
          .machine_bytes_per_second = bytes_per_second * cores_at_once,
          .float_fft_flops_per_second = fft_peak_share * h.float_peak_flops_per_second,
          .double_fft_flops_per_second = fft_peak_share * h.double_peak_flops_per_second};
}

host_model found() {
  host_model h;
  h.processor = processor_name();
  h.instruction_set = base_detail::processor_key() + '-' + register_name();
  h.cores = std::clamp(thread_count(0), 1, 65536);
  h.clock_hz = clock_hz();
  h.vector_bytes = static_cast<double>(register_bytes());
  const double units = 2, flops_each = 2;
  h.double_peak_flops_per_second = h.clock_hz * units * flops_each * h.vector_bytes / 8;
  h.float_peak_flops_per_second = 2 * h.double_peak_flops_per_second;
  h.extended_flops_per_second = 0.2 * h.clock_hz;
  // Libraries of matrix products reach 80 % of the peak, with the processor's widest vectors; this
  // build, whose peak it is a share of, may use narrower ones.
  h.gemm_peak_share = 0.8 * static_cast<double>(widest_register_bytes()) / h.vector_bytes;
  h.elementwise_peak_share = 0.25;
  h.elementwise_bandwidth_share = 0.8;
  h.rearrangement_bandwidth_share = 0.2;
  h.call_seconds = 300e-9;
  h.line_seconds = 3e-9;
  h.thread_start_seconds = 5e-6;
  // L1 moves one and a half vectors a cycle; farther levels move what the width of their buses lets
  // through.
  const auto cache = [](int level, std::size_t otherwise) {
    return static_cast<double>(base_detail::cache_bytes(level, otherwise));
  };
  const double l1 = cache(1, 32768);
  const double l2 = std::max(l1, cache(2, 1048576));
  const double l3 = std::max(l2, cache(3, 16777216));
  h.l1 = level_of(h, l1, 1.5 * h.vector_bytes * h.clock_hz, h.cores, 0.35);
  h.l2 = level_of(h, l2, 24 * h.clock_hz, h.cores, 0.35);
  h.l3 = level_of(h, l3, 8 * h.clock_hz, std::max(1.0, 0.75 * h.cores), 0.25);
  h.memory = level_of(h, std::max(l3, memory_bytes()), 1e10, std::min(h.cores, 8), 0.12);
  return h;
}

}  // namespace

host_model host_from_features() {
  static const host_model host = found();
  return host;
}

}  // namespace papilio
