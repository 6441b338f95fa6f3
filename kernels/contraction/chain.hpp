#pragma once

#include <optional>
#include <tuple>

#include "kernels/contraction/choice.hpp"

namespace papilio::kernels_detail {

/// A step that reads from SBUF what the one before left there, or leaves its result for the next.
struct chained_step {
  contraction_step loops;  ///< axes are not joined
  product_step_design design;
  side given = side::out;  ///< the operand that lies in SBUF; out: none
  chip_layout lies = {};   ///< how
  bool keeps = false;      ///< the result stays

  auto fields() const { return std::tie(loops, design, given, lies, keeps); }
};

/// Two steps that follow each other, the second of which reads the first's result as its `reads`
/// operand. `before`: how the first has to run if it reads from SBUF itself. `apart` and `next` are
/// what runs otherwise. Empty where keeping the result is not faster.
struct chained_pair {
  chained_step first, second;
};
struct chain_problem {
  contraction_step first, second;
  side reads = side::left;
  std::optional<chained_step> before = {};
  const step_choice* apart = nullptr;
  const step_choice* next = nullptr;
};
std::optional<chained_pair> chained(const chain_problem& problem,
                                    const engine::machine_spec& machine);

/// `given` is the value that the step reads from SBUF; the value that it leaves, if it keeps it.
chip_value run(engine::core& nc, const chained_step& step, const step_tensors& tensors,
               const chip_value* given);

}  // namespace papilio::kernels_detail
