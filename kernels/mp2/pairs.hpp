#pragma once

#include "kernels/mp2/design.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

/// What of one spin is given: B, and energies [nocc] and [nvir].
struct mp2_operands {
  engine::hbm_view b, occupied, virtuals;
};

/// The energies of all pairs of the design, to `out`.
void run_mp2(engine::core& nc, const mp2_design& design, const mp2_operands& of_left,
             const mp2_operands& of_right, const engine::hbm_view& out);

}  // namespace papilio::kernels_detail
