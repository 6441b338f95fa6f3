#pragma once

#include <optional>

#include "kernels/contraction/choice.hpp"

namespace papilio::kernels_detail {

/// Two steps that follow each other, the second of which reads the first's result as its `reads`
/// operand, with axes that are not joined. `apart` and `next` are what runs otherwise.
struct chain_problem {
  contraction_step first, second;
  side reads = side::left;
  const step_part* before = nullptr;  ///< how the first has to run if it reads from SBUF itself
  const step_choice* apart = nullptr;
  const step_choice* next = nullptr;
};
/// How they run where keeping the result in SBUF is faster; else empty.
struct chained_pair {
  step_part first, second;
};
std::optional<chained_pair> chained(const chain_problem& problem,
                                    const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
