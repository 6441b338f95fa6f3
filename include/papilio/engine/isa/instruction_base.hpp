#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"
#include "papilio/engine/unit.hpp"

namespace papilio::engine_detail {
class operand_list;
class checker;
class execution;
}  // namespace papilio::engine_detail

// Every instruction is a plain struct of operands with the same members:
//   opcode      its name in messages, listings and profiles
//   runs_on()   the unit that executes it
//   operands()  names what it reads and writes, for hazards and checks
//   validate()  refuses what the machine refuses: kernel_error, before anything is computed
//   cost()      what it takes, from shapes and machine_spec alone
//   execute()   the values
namespace papilio::engine {

/// What an instruction takes. Cycles are of its engine's clock, as the cost table documents them:
/// the static cost of an instruction and the factor for far strides are the machine's and are added
/// for all alike.
struct instruction_cost {
  double cycles = 0;
  double load_cycles = 0;         ///< tensor engine: LoadStationary, behind the multiply before
  double fixed_ns = 0;            ///< on top, whatever the clock
  std::uint64_t dma_buffers = 0;  ///< contiguous runs of a transfer
  double dma_buffer_bytes = 0;    ///< of each
  double dma_rate_factor = 1;     ///< of the engines' rate, below 1 for transposing transfers
  double dma_descriptor_ns = 0;   ///< of a buffer, where it is not dma.descriptor_ns
  double descriptor_cycles = 0;   ///< of gpsimd, which writes the descriptors before the transfer
  double multiply_adds = 0;       ///< tensor engine, for the profile's FLOPs
  double passes = 1;              ///< tensor engine: of the type, for the profile's adjusted FLOPs
};

}  // namespace papilio::engine
