#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/recorded_instruction.hpp"
#include "papilio/base/export.hpp"

// A program that was unrolled, as loops: stretches of it that repeat but for their places in HBM.
namespace papilio::engine_detail {

/// `turns` times the same `period` instructions, from `first` on. Inner ones are within the first
/// period, and so in each.
struct repetition {
  std::uint64_t first = 0, period = 0, turns = 0;
  std::vector<repetition> inner = {};

  std::uint64_t end() const { return first + period * turns; }
};

/// The repetitions of a program, in order, those that save most first where they exclude each other.
PAPILIO_API std::vector<repetition> repetitions_of(std::span<const recorded_instruction> program);

/// A stretch of a program: plain instructions, or a loop whose iterations are the same parts.
struct program_part {
  std::uint64_t instructions = 0;  // plain ones; 0 of a loop
  std::uint64_t iterations = 0;    // of a loop
  std::vector<program_part> body = {};
};

/// The program with loops for those of its repetitions with which at most `tiles_max` of its
/// products are loaded, and with as few iterations as that allows. Empty if there is no such way.
PAPILIO_API std::vector<program_part> fold_program(std::span<const recorded_instruction> program,
                                                   std::span<const repetition> repetitions,
                                                   std::uint64_t tiles_max);

/// The iterations of loops that end before an instruction, the inner loop's first.
struct iteration_end {
  std::uint64_t before = 0;
  int ends = 0;
};

/// A program that is issued as loops. Places in HBM that differ from iteration to iteration are in
/// registers, one for each way in which they differ: advanced by a constant, or loaded.
struct looped_program {
  std::uint64_t loops = 0, iterations = 0;
  std::uint64_t instructions = 0, tiles = 0;  // loaded: of a loop one iteration
  int registers = 0;                          // of the loop that needs most; one counts
  std::vector<iteration_end> ends = {};
  std::vector<bool> moves = {};  // of each instruction: whether a register has its place
};
PAPILIO_API looped_program place_loops(std::span<const recorded_instruction> program,
                                       std::span<const program_part> parts);

/// Where in its loops a program is that is issued one instruction after the other.
class loop_position {
 public:
  loop_position() = default;
  explicit loop_position(const looped_program& of)
      : ends_(of.ends), moves_(of.moves), registers_(of.registers) {}

  /// How many iterations ended just before this instruction; 0 when it is asked for again.
  int ended_before(std::uint64_t instruction) {
    if (at_ == ends_.size() || ends_[at_].before != instruction) return 0;
    return ends_[at_++].ends;
  }
  /// Whether the instruction's place in HBM is a register's; of one beyond the program it is not.
  bool moves(std::uint64_t instruction) const {
    return instruction < moves_.size() && moves_[instruction];
  }
  int registers() const { return registers_; }

 private:
  std::vector<iteration_end> ends_;
  std::vector<bool> moves_;
  std::size_t at_ = 0;
  int registers_ = 0;
};

}  // namespace papilio::engine_detail
