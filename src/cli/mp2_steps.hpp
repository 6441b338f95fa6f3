#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "papilio/engine.hpp"

// Where the time of DF-MP2 goes: its steps on the host and on an accelerator, all modelled.
namespace papilio::cli::mp2_verb {

struct mp2_sizes {
  std::int64_t nbf = 0, nocc = 0, nvir = 0, naux = 0;
};

/// Kernels one after the other, by dry runs, operands resident.
struct mp2_kernels {
  std::uint64_t launches = 0;
  double seconds = 0;  ///< of the device
  double tensor_seconds = 0, vector_seconds = 0, scalar_seconds = 0, dma_seconds = 0;  ///< active
};

/// A step of the whole. Fused, product and energy are one: the energy's line has both.
struct mp2_step {
  std::string name;
  double host_seconds = 0;
  std::optional<mp2_kernels> unfused = {}, fused = {};
};

/// Seconds of all steps.
struct mp2_totals {
  double host = 0, unfused = 0, fused = 0;
  std::uint64_t unfused_launches = 0, fused_launches = 0;
};

struct mp2_steps {
  std::string machine, runtime;
  mp2_sizes sizes;
  std::vector<mp2_step> steps;
  double launch_seconds = 0;  ///< of one launch

  mp2_totals totals() const;
  /// The speedup of the whole run by the fused kernels, after Amdahl.
  engine::amdahl_report amdahl() const;
};

/// Unfused: the published kernels of the transformation and of the energies, papilio's GEMM between
/// them, T through HBM in as many parts as it takes. Fused: papilio's. The host: its model, on all
/// cores. Errors as the kernels'.
mp2_steps steps_of_mp2(const mp2_sizes& sizes, const engine::machine_spec& machine,
                       const engine::runtime_spec& runtime);

}  // namespace papilio::cli::mp2_verb
