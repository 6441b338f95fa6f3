#pragma once

#include <cstdint>
#include <string>

#include "papilio/base/error.hpp"
#include "papilio/base/export.hpp"

namespace papilio::engine {

/// A kernel did what the machine refuses. The message names the kernel, the instruction, its index
/// in the program, the operand, the bound and the value.
class PAPILIO_API kernel_error : public device_error {
 public:
  kernel_error(std::string kernel, std::string instruction, std::uint64_t index,
               std::string operand, const std::string& reason);
  ~kernel_error() override;

  const std::string& kernel() const noexcept { return kernel_; }
  /// The opcode; empty where the fault was not an instruction's.
  const std::string& instruction() const noexcept { return instruction_; }
  std::uint64_t index() const noexcept { return index_; }
  const std::string& operand() const noexcept { return operand_; }

 private:
  std::string kernel_, instruction_, operand_;
  std::uint64_t index_;
};

}  // namespace papilio::engine
