#include "papilio/engine/instruction.hpp"

#include <type_traits>

namespace papilio::engine {

// Programs have millions: an instruction is a few hundred bytes that are copied and forgotten.
static_assert(std::is_trivially_copyable_v<instruction>);

const char* to_string(unit u) {
  switch (u) {
    case unit::tensor:
      return "tensor";
    case unit::vector:
      return "vector";
    case unit::scalar:
      return "scalar";
    case unit::gpsimd:
      return "gpsimd";
    case unit::sync:
      return "sync";
    case unit::collective:
      return "collective";
    case unit::dma:
      return "dma";
  }
  return "?";
}

const char* opcode(const instruction& i) {
  return std::visit([](const auto& one) { return std::decay_t<decltype(one)>::opcode; }, i);
}

}  // namespace papilio::engine
