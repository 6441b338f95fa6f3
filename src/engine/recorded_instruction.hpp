#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/instruction.hpp"

namespace papilio::engine_detail {

/// An instruction as a loop sees it: what must be the same in every iteration, and what a register
/// can hold.
struct recorded_instruction {
  std::uint64_t same = 0;                   // of all fields but the places in HBM
  std::array<std::int64_t, 2> places = {};  // in HBM, in elements; 0 where there is none
  bool is_tile = false;                     // product or transpose of the tensor engine
};

/// Records a program while it is issued.
class PAPILIO_API program_recorder {
 public:
  void add(const engine::instruction& issued);
  const std::vector<recorded_instruction>& program() const { return program_; }

 private:
  std::vector<recorded_instruction> program_;
  std::unordered_map<const void*, std::uint64_t> tensors_;
};

}  // namespace papilio::engine_detail
