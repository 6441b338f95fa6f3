#include <cblas.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "device_side.hpp"
#include "host_side.hpp"
#include "papilio/contract.hpp"
#include "papilio/dispatch/host_model.hpp"
#include "papilio/transform/candidate.hpp"
#include "papilio/version.hpp"

namespace papilio::bench {
namespace {

constexpr const char* about =
    R"(The rows of the published tables that this library has: "TABLE/OPERATION/SHAPE/host 1" and "host
all", the public API on the host beside FFTW or cblas, and ".../device", the modelled device.
bench/run makes docs/benchmarks.md of them.
)";

void describe(const device_side& device) {
  const host_model host = current_host();
  const char* const asked = std::getenv("OPENBLAS_CORETYPE");
  const std::string config = openblas_get_config();
  // papilio may choose other kernels at its first product.
  const array<float, 2> one({1, 1});
  gemm(one, one, {.on = {.where = policy::host}});
  add_context("version", PAPILIO_VERSION);
  add_context("build", build_info());
  add_context("processor", host.processor);
  add_context("instruction_set", host.instruction_set);
  add_context("host_model", to_string(host));
  add_context("blas", config.substr(0, config.find(' ', config.find(' ') + 1)));
  add_context("blas_core", openblas_get_corename());
  add_context("blas_core_asked", asked == nullptr ? "" : asked);
  add_context("machine", device.on().machine().name);
  add_context("runtime", device.on().runtime().name);
}

}  // namespace
}  // namespace papilio::bench

int main(int argc, char** argv) {
  using namespace papilio::bench;
  const auto device = std::make_shared<device_side>();
  describe(*device);
  for (const page_row& of : page_rows()) {
    const std::string name = of.table + '/' + of.op + '/' + of.shape;
    if (of.iterations == 1) {
      add_row(name + "/host 1", [=] { return host_row(of, false); });
      add_row(name + "/host all", [=] { return host_row(of, true); });
    }
    add_row(name + "/device", [=] { return device->modelled(of); });
  }
  return run_rows(argc, argv, about);
}
