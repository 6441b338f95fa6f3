#pragma once

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "kernels/contraction/step_designs.hpp"
#include "kernels/product/choice.hpp"

// How each step of a contraction is chosen, by dry runs, and how two steps are chained through
// SBUF.
namespace papilio::kernels_detail {

using step_design = std::variant<product_step_design, vector_step_design, move_step_design>;

/// A part of a step: all of it, or a long axis up to a multiple of the partitions, or the rest of
/// that axis. A part that is all of its step may also read an operand that the step before left in
/// SBUF, or leave its result there.
struct step_part {
  contraction_step loops;                    ///< axes are not joined where a tensor is in SBUF
  std::array<std::int64_t, 3> offsets = {};  ///< where the part begins in each tensor
  step_design design;
  bool keeps = false;  ///< the result stays in SBUF

  /// The operand that lies in SBUF; null: none.
  const panel_design* given() const;
  auto fields() const { return std::tie(loops, offsets, design, keeps); }
};
using step_parts = std::vector<step_part>;
std::string describe(const step_parts& parts);

/// The parts that do a step, and their modelled seconds.
struct step_choice {
  step_parts parts;
  double seconds = 0;
};
/// The fastest way to do a step, by dry runs of some blocks of each design. Choices are cached by
/// step and machine; the least recently used are dropped first.
step_choice choose(const contraction_step& step, const engine::machine_spec& machine);

/// Seconds of a step whose operands are permuted first, each by its choice; null: not permuted. A
/// dry run of all of them finds less than the sum of their seconds, since one begins before the
/// other ends; where that run would be long, the sum is returned.
double seconds_together(const std::array<const step_choice*, 2>& permuted, const step_choice& step,
                        const engine::machine_spec& machine);

/// Issues the instructions of a step. `given` is the value that it reads from SBUF; the value that
/// it keeps there is returned.
chip_value run(engine::core& nc, const step_parts& parts, const step_tensors& tensors,
               const chip_value& given = {});

/// Two steps that follow each other, the second of which reads the first's result as its `reads`
/// operand, with axes that are not joined. `apart` and `next` are their choices where they run
/// through HBM.
struct chain_problem {
  contraction_step first, second;
  operand_role reads = operand_role::left;
  const step_part* before = nullptr;  ///< how the first has to run if it reads from SBUF itself
  const step_choice* apart = nullptr;
  const step_choice* next = nullptr;
};
/// The designs of two chained steps; empty where going through HBM is as fast.
struct chained_pair {
  step_part first, second;
};
std::optional<chained_pair> chained(const chain_problem& problem,
                                    const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
