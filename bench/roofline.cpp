#include "roofline.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "peer.hpp"
#include "roofline_kernels.hpp"

namespace papilio::bench {
namespace {

constexpr std::size_t page_bytes = std::size_t{2} << 20;

double cache_bytes(int name, double otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? static_cast<double>(bytes) : otherwise;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, name = "unknown processor";
  while (std::getline(file, line))
    if (line.starts_with("model name")) {
      name = line.substr(line.find(':') + 2);
      break;
    }
  std::ostringstream text;
  text << name << ", caches " << cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32768) / 1024 << " KiB, "
       << cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20) / 1024 << " KiB, "
       << cache_bytes(_SC_LEVEL3_CACHE_SIZE, 16 << 20) / 1048576 << " MiB";
  return text.str();
}

// The best of many short runs: what the core can do, whoever else is about.
template <class T>
double peak_gflops(double (*kernel)(std::size_t, T*)) {
  T sink = 1;
  double best = 0;
  for (int run = 0; run < 200; ++run) {
    const double start = thread_seconds();
    const double operations = kernel(20000, &sink);
    best = std::max(best, operations / (thread_seconds() - start));
  }
  return best * 1e-9;
}

struct release {
  void operator()(float* memory) const { std::free(memory); }
};
using buffer = std::unique_ptr<float, release>;

// Huge pages where the system gives them: the figure is of the caches, not of the page tables.
buffer make_buffer(std::size_t bytes) {
  const std::size_t whole = (bytes + page_bytes - 1) / page_bytes * page_bytes;
  void* const memory = std::aligned_alloc(page_bytes, whole);
  if (memory == nullptr) throw std::runtime_error("no memory to measure the bandwidth with");
  madvise(memory, whole, MADV_HUGEPAGE);
  buffer result(static_cast<float*>(memory));
  std::fill_n(result.get(), whole / sizeof(float), 1.0f);
  return result;
}

// 1e9 bytes read and written per second, with from and to together as large as `bytes`.
double copy_gbytes(const float* from, float* to, double bytes) {
  const std::size_t count = static_cast<std::size_t>(bytes / 2 / sizeof(float)) / 256 * 256;
  const double moved = 2 * static_cast<double>(count * sizeof(float));
  const auto repeats = static_cast<std::size_t>(std::max(1.0, 4e6 / moved));
  double best = 0;
  for (int run = 0; run < 9; ++run) {
    const double start = thread_seconds();
    for (std::size_t i = 0; i < repeats; ++i) copy_floats(from, to, count);
    best = std::max(best, moved * static_cast<double>(repeats) / (thread_seconds() - start));
  }
  return best * 1e-9;
}

roofline measure() {
  roofline r;
  r.processor = processor_name();
  r.float_gflops = peak_gflops<float>(multiply_add_float);
  r.double_gflops = peak_gflops<double>(multiply_add_double);
  r.l1_bytes = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32768);
  r.l2_bytes = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20);
  r.l3_bytes = cache_bytes(_SC_LEVEL3_CACHE_SIZE, 16 << 20);
  const double largest = std::clamp(4 * r.l3_bytes, 256e6, 2e9);
  const buffer from = make_buffer(static_cast<std::size_t>(largest / 2));
  const buffer to = make_buffer(static_cast<std::size_t>(largest / 2));
  const auto copy = [&](double bytes) { return copy_gbytes(from.get(), to.get(), bytes); };
  r.l1_gbytes = copy(r.l1_bytes / 2);
  r.l2_gbytes = copy(r.l2_bytes / 2);
  r.l3_gbytes = copy(4 * r.l2_bytes);
  r.memory_gbytes = copy(largest);
  const double fallen = std::sqrt(r.l3_gbytes * r.memory_gbytes);
  double fits = 4 * r.l2_bytes;
  while (2 * fits < std::min(largest, 2 * r.l3_bytes) && copy(2 * fits) > fallen) fits *= 2;
  r.l3_bytes = std::min(fits, r.l3_bytes);
  return r;
}

void write(std::ostream& out, const roofline& r) {
  out << r.processor << '\n';
  for (const double x : {r.float_gflops, r.double_gflops, r.l1_gbytes, r.l2_gbytes, r.l3_gbytes,
                         r.memory_gbytes, r.l1_bytes, r.l2_bytes, r.l3_bytes})
    out << x << '\n';
}

bool read(std::istream& in, roofline& r) {
  std::getline(in, r.processor);
  for (double* const x : {&r.float_gflops, &r.double_gflops, &r.l1_gbytes, &r.l2_gbytes,
                          &r.l3_gbytes, &r.memory_gbytes, &r.l1_bytes, &r.l2_bytes, &r.l3_bytes})
    in >> *x;
  return static_cast<bool>(in) && r.processor == processor_name();
}

}  // namespace

roofline load_roofline(const std::filesystem::path& file, bool measure_again) {
  roofline r;
  if (std::ifstream in(file); !measure_again && in && read(in, r)) return r;
  r = measure();
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file);
  write(out, r);
  out.close();
  if (!out) throw std::runtime_error(file.string() + " cannot be written");
  return r;
}

double least_seconds(const roofline& r, const bench_case& c) {
  const auto n = static_cast<double>(c.points());
  const double peak = c.is_double ? r.double_gflops : r.float_gflops;
  const double passes = std::max(1.0, std::ceil(std::log2(n) / 4));
  double seconds = 0.8 * c.flop() / (peak * 1e9);
  seconds = std::max(seconds, passes * c.bytes() / (r.l1_gbytes * 1e9));
  const struct {
    double above_bytes, gbytes, traffic;
  } levels[] = {{r.l1_bytes, r.l2_gbytes, 1},
                {r.l2_bytes, r.l3_gbytes, 1},
                {r.l3_bytes, r.memory_gbytes, 1.5}};
  for (const auto& level : levels) {
    if (c.bytes() <= level.above_bytes) continue;
    const double sweeps = c.transform_bytes() <= level.above_bytes ? 1 : 2;
    seconds = std::max(seconds, sweeps * level.traffic * c.bytes() / (level.gbytes * 1e9));
  }
  return seconds;
}

std::string to_string(const roofline& r) {
  char text[512];
  std::snprintf(text, sizeof text,
                "%s\n"
                "roofline, one core: %.0f GFLOP/s float, %.0f double; copying, GB/s: L1 %.0f, "
                "L2 %.0f, L3 %.0f (up to %.0f MiB), memory %.0f\n",
                r.processor.c_str(), r.float_gflops, r.double_gflops, r.l1_gbytes, r.l2_gbytes,
                r.l3_gbytes, r.l3_bytes / 1048576, r.memory_gbytes);
  return text;
}

}  // namespace papilio::bench
