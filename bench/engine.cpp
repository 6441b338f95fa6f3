#include <cblas.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/published/catalog.hpp"
#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"
#include "turns.hpp"

namespace papilio::bench {
namespace {

constexpr const char* about =
    R"(Speed of the emulator, on one thread: dry runs in instructions a second, executed products beside
OpenBLAS's sgemm, and the published MP2 kernel with real data (256 times that is the time for ic =
nocc = 64). unchecked: the time without strict checks over that with them.
)";

using namespace engine;

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
           bool strict = true)
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

row dry_run_row(const std::string& kernel, const std::vector<std::string>& settings) {
  const auto run = std::make_shared<launcher>(kernel, settings, run_mode::dry_run);
  const auto instructions = static_cast<double>(run->run().instructions);
  return {.sides = {timed("papilio", [run] { run->run(); })},
          .work = 1e3 * instructions,
          .rate = "M_instructions/s"};
}

// A launch with strict checks, and without.
row executed_row(const std::string& kernel, const std::vector<std::string>& settings) {
  const auto strict = std::make_shared<launcher>(kernel, settings, run_mode::execute);
  const auto loose = std::make_shared<launcher>(kernel, settings, run_mode::execute, false);
  row r{.sides = {timed("papilio", [strict] { strict->run(); }),
                  timed("unchecked", [loose] { loose->run(); })},
        .most_seconds = 20};
  if (kernel != "gemm") return r;
  constexpr int n = 1024;
  const auto c = std::make_shared<std::vector<float>>(std::size_t{n} * n);
  r.sides.push_back(timed("OpenBLAS", [=] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, strict->memory(0).data(), n,
                strict->memory(1).data(), n, 0, c->data(), n);
  }));
  return r;
}

}  // namespace
}  // namespace papilio::bench

int main(int argc, char** argv) {
  using namespace papilio::bench;
  openblas_set_num_threads(1);
  add_row("dry_run/gemm 4096^3", [] {
    return dry_run_row("gemm", {"m=4096", "k=4096", "n=4096"});
  });
  add_row("dry_run/mp2_energy", [] {
    return dry_run_row("published/mp2_energy", {"ic=8", "nocc=64", "nvir=448"});
  });
  add_row("executed/gemm 1024^3", [] {
    return executed_row("gemm", {"m=1024", "k=1024", "n=1024"});
  });
  add_row("executed/mp2_energy", [] {
    return executed_row("published/mp2_energy", {"ic=1", "nocc=16", "nvir=448"});
  });
  return run_rows(argc, argv, about);
}
