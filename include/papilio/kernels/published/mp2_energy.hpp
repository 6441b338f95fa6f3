#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels::published {

/// Variants that its authors tried on hardware.
struct mp2_energy_options {
  /// Makes e_a + e_b once, instead of broadcasting and subtracting both in every strip.
  bool hoist_denominator = false;
  /// Pairs whose partial sums are stored together; 0: all of one i.
  std::int64_t pairs_per_store = 0;
};

/// Rows of a strip: the largest divisor of nvir that is at most the machine's partitions.
PAPILIO_API std::int64_t mp2_energy_strip(std::int64_t nvir, const engine::machine_spec& machine);

/// The MP2 energy of a chunk of i, as trnblas' fused kernel computes it:
///   E = sum over i, j, a, b of T (2 T - T^t) / (e_i + e_j - e_a - e_b),  T^t[a, b] = T[b, a]
///
/// t: [ic nvir, nocc nvir], T[i, j, a, b] at (i nvir + a, j nvir + b); eps_i: [ic, 1]; eps_j:
/// [nocc, 1]; eps_vir: [nvir, 1]; all fp32. partials: [strip, ic nocc] fp32, whose sum is E.
///
/// Layout: strips of a on partitions, b along the free axis. Per strip one load of rows, one
/// transposing load, 2 T on the scalar engine and ten vector instructions (three broadcasts, five
/// two-operand ones, a reciprocal at 8 cycles an element, a sum): 22 cycles an element.
/// Bound: the vector engine. Every T is read twice from HBM.
/// Source: trnsci/trnblas, documentation of nki_mp2_energy and
/// docs/design/mp2_energy_profile_findings.md.
/// shape_error unless the shapes agree.
PAPILIO_API void mp2_energy(engine::core& nc, const engine::hbm_view& partials,
                            const engine::hbm_view& t, const engine::hbm_view& eps_i,
                            const engine::hbm_view& eps_j, const engine::hbm_view& eps_vir,
                            const mp2_energy_options& options = {});

}  // namespace papilio::kernels::published
