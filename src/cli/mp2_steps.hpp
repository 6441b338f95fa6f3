#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/json_value.hpp"
#include "papilio/engine.hpp"

// Where the time of DF-MP2 goes: its steps on the host and on an accelerator, all modelled.
namespace papilio::cli {

struct mp2_sizes {
  std::int64_t nbf = 0, nocc = 0, nvir = 0, naux = 0;
};
/// "512x64x448x1536"; nothing for another text.
std::optional<mp2_sizes> mp2_sizes_of(const std::string& text);

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

struct mp2_steps {
  std::string machine, runtime;
  mp2_sizes sizes;
  std::vector<mp2_step> steps;
  double launch_seconds = 0;  ///< of one launch
};

/// Unfused: the published kernels of the transformation and of the energies, papilio's GEMM between
/// them, T through HBM in as many parts as it takes. Fused: papilio's. The host: its model, on all
/// cores. Errors as the kernels'.
mp2_steps steps_of_mp2(const mp2_sizes& sizes, const engine::machine_spec& machine,
                       const engine::runtime_spec& runtime);

/// A table, and what fusing does to the whole by Amdahl's law.
std::string steps_text(const mp2_steps& steps);
json_value steps_json(const mp2_steps& steps);

}  // namespace papilio::cli
