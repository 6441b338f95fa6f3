#pragma once

#include <unordered_map>

#include "digest/bit_hash.hpp"
#include "papilio/engine.hpp"

namespace papilio::test {

/// Hash of a program as it is issued: of each instruction its opcode, unit, queue, and every field:
/// operands by memory space, offset, access pattern and type; scalars; choices by their names. No
/// address of the host and no name of a tensor enters, so that it is the same in every run.
class instruction_hash {
 public:
  /// Tensors of HBM are numbered: those of the kernel, then others as they first occur.
  explicit instruction_hash(const engine::kernel_arguments& arguments);

  void add(const engine::instruction& issued, int dma_queue);
  std::uint64_t value() const { return hash_.value(); }
  std::uint64_t count() const { return count_; }

 private:
  template <class Field>
  void field(const Field& f);
  void field(const engine::tile_view& view);
  void field(const engine::hbm_view& view);
  void field(const engine::dma_operand& side);
  void field(const engine::scalar_operand& scalar);
  std::uint64_t number_of(const engine::hbm_view& view);

  bit_hash hash_;
  std::uint64_t count_ = 0;
  std::unordered_map<const void*, std::uint64_t> tensors_;
};

}  // namespace papilio::test
