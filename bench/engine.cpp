// Speed of the emulator, on one thread: dry runs in instructions a second, executed products beside
// OpenBLAS's sgemm in turns, what strict checks cost, and the published MP2 kernel with real data.
#include <cblas.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/published/catalog.hpp"
#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"
#include "peer.hpp"

extern "C" void openblas_set_num_threads(int);

namespace {

using namespace papilio;
using namespace papilio::engine;

double seconds_of(const auto& work) {
  const double start = papilio::bench::thread_seconds();
  work();
  return papilio::bench::thread_seconds() - start;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::vector<float> made(std::size_t count, float low, float high) {
  std::vector<float> values(count);
  std::uint64_t state = 1;
  for (float& v : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = low + (high - low) * static_cast<float>(state >> 40) * 0x1p-24f;
  }
  return values;
}

// A kernel of the catalog with data of the host, launched again and again.
class launcher {
 public:
  launcher(const std::string& name, const std::vector<std::string>& settings, run_mode mode,
           bool strict)
      : device_(trainium1(), sdk_2_24(), {.strict = strict}),
        sized_(
            kernels::size_kernel(kernels::published::find_any(name), settings, device_.machine())),
        mode_(mode) {
    for (std::size_t i = 0; i < sized_.inputs.size(); ++i) {
      const tensor_shape& shape = sized_.inputs[i];
      if (mode == run_mode::dry_run) {
        inputs_.emplace_back(shape);
        continue;
      }
      const auto& range = sized_.ranges[i];
      memory_.push_back(made(std::size_t(shape.elements()), range.low, range.high));
      inputs_.emplace_back(std::as_bytes(std::span(memory_.back())), shape);
    }
    for (const tensor_shape& shape : sized_.outputs) {
      if (mode == run_mode::dry_run) {
        outputs_.emplace_back(shape);
        continue;
      }
      memory_.emplace_back(std::size_t(shape.elements()));
      outputs_.emplace_back(std::as_writable_bytes(std::span(memory_.back())), shape);
    }
  }

  launch_result run() { return device_.launch(sized_.program, inputs_, outputs_, mode_); }
  const std::vector<float>& memory(std::size_t i) const { return memory_[i]; }

 private:
  device device_;
  kernels::sized_kernel sized_;
  run_mode mode_;
  std::vector<std::vector<float>> memory_;
  std::vector<launch_input> inputs_;
  std::vector<launch_output> outputs_;
};

void dry_runs(int repeats) {
  struct sample {
    const char* kernel;
    std::vector<std::string> settings;
  };
  const sample samples[] = {{"gemm", {"m=4096", "k=4096", "n=4096"}},
                            {"published/mp2_energy", {"ic=8", "nocc=64", "nvir=448"}}};
  for (const sample& s : samples) {
    launcher run(s.kernel, s.settings, run_mode::dry_run, true);
    std::vector<double> rates;
    for (int i = 0; i < repeats; ++i) {
      std::uint64_t instructions = 0;
      const double seconds = seconds_of([&] { instructions = run.run().instructions; });
      rates.push_back(double(instructions) / seconds / 1e6);
    }
    std::printf("dry run %-24s%8.2f million instructions/s\n", s.kernel, median(rates));
  }
}

void products(int repeats) {
  const int n = 1024;
  const std::vector<std::string> settings{"m=1024", "k=1024", "n=1024"};
  launcher strict("gemm", settings, run_mode::execute, true);
  launcher loose("gemm", settings, run_mode::execute, false);
  std::vector<float> c(std::size_t(n) * n);
  std::vector<double> ours, unchecked, theirs;
  for (int i = 0; i < repeats; ++i) {
    ours.push_back(seconds_of([&] { strict.run(); }));
    unchecked.push_back(seconds_of([&] { loose.run(); }));
    theirs.push_back(seconds_of([&] {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, strict.memory(0).data(), n,
                  strict.memory(1).data(), n, 0, c.data(), n);
    }));
  }
  std::printf("gemm 1024^3 executed           %8.2f ms, OpenBLAS %.2f ms, ratio %.2f\n",
              median(ours) * 1e3, median(theirs) * 1e3, median(ours) / median(theirs));
  std::printf("strict checks                  %8.2f of the time without\n",
              median(ours) / median(unchecked));
}

void energies(int repeats) {
  const double pairs = 1 * 16, all_pairs = 64 * 64;
  launcher strict("published/mp2_energy", {"ic=1", "nocc=16", "nvir=448"}, run_mode::execute, true);
  launcher loose("published/mp2_energy", {"ic=1", "nocc=16", "nvir=448"}, run_mode::execute, false);
  std::vector<double> with, without;
  for (int i = 0; i < repeats; ++i) {
    with.push_back(seconds_of([&] { strict.run(); }));
    without.push_back(seconds_of([&] { loose.run(); }));
  }
  std::printf(
      "published/mp2_energy executed  %8.2f s for ic = nocc = 64, nvir = 448 at this rate\n",
      median(with) * all_pairs / pairs);
  std::printf("strict checks                  %8.2f of the time without\n",
              median(with) / median(without));
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 9;
  openblas_set_num_threads(1);
  dry_runs(repeats);
  products(repeats);
  energies(repeats);
}
