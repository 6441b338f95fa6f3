#pragma once

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "kernels/contraction/step_designs.hpp"
#include "kernels/product/choice.hpp"

namespace papilio::kernels_detail {

using step_design = std::variant<product_step_design, lane_step_design, move_step_design>;

/// A part of a step: all of it, or an axis up to a multiple of the lanes, and then its rest. All of
/// a step may also read an operand that the step before left in SBUF, or leave its result there.
struct step_part {
  contraction_step loops;                    ///< axes are not joined where a tensor is in SBUF
  std::array<std::int64_t, 3> offsets = {};  ///< of the part in each tensor
  step_design design;
  bool keeps = false;  ///< the result stays in SBUF

  /// The operand that lies in SBUF; null: none.
  const panel_design* given() const;
  auto fields() const { return std::tie(loops, offsets, design, keeps); }
};
using step_parts = std::vector<step_part>;
std::string describe(const step_parts& parts);

/// The fastest way to do a step, by dry runs of some blocks of each.
struct step_choice {
  step_parts parts;
  double seconds = 0;
};
/// What was chosen is kept for the next who asks, the least recently used going first.
step_choice choose(const contraction_step& step, const engine::machine_spec& machine);

/// Seconds of a step whose operands are permuted first, each by its choice, or null: less than
/// their sum, since the one begins before the other ends. A dry run, or the sum where that is long.
double seconds_together(const std::array<const step_choice*, 2>& permuted, const step_choice& step,
                        const engine::machine_spec& machine);

/// `given`: the value that the step reads from SBUF. Returns the value that it keeps there.
chip_value run(engine::core& nc, const step_parts& parts, const step_tensors& tensors,
               const chip_value& given = {});

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
