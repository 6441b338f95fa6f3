#pragma once

#include <cstddef>
#include <type_traits>
#include <variant>

#include "papilio/engine/isa/data_movement.hpp"
#include "papilio/engine/isa/gpsimd_engine.hpp"
#include "papilio/engine/isa/scalar_engine.hpp"
#include "papilio/engine/isa/synchronization.hpp"
#include "papilio/engine/isa/tensor_engine.hpp"
#include "papilio/engine/isa/vector_engine.hpp"

namespace papilio::engine {

/// Holds any instruction that a core executes.
using instruction =
    std::variant<activate2, activation, activation_reduce, affine_select, bn_aggr, bn_stats,
                 collective, core_barrier, dma_compute, dma_copy, dma_gather, dma_transpose,
                 dropout, exponential, find_index8, iota, local_gather, match_replace8, matmul,
                 matmul_mx, max8, memset, n_gather, partition_reduce, quantize_mx, range_select,
                 reciprocal, register_load, register_move, register_store, scalar_tensor_tensor,
                 select, select_reduce, semaphore_signal, semaphore_wait, send_receive,
                 sequence_bounds, stream_shuffle, tensor_copy, tensor_copy_dynamic,
                 tensor_copy_predicated, tensor_reduce, tensor_scalar, tensor_scalar_cumulative,
                 tensor_scalar_reduce, tensor_tensor, tensor_tensor_scan, topk, transpose>;

/// Gives the index of an instruction among the alternatives; their number for other types.
template <class One, class... All>
constexpr std::size_t kind_among(const std::variant<All...>*) {
  std::size_t kind = 0;
  (void)((std::is_same_v<One, All> || (++kind, false)) || ...);
  return kind;
}
template <class One>
inline constexpr std::size_t kind_of = kind_among<One>(static_cast<const instruction*>(nullptr));
template <class One>
concept one_instruction = kind_of<One> < std::variant_size_v<instruction>;

/// Returns the cycles of the engine's clock in the cost table, with the start of a gpsimd
/// instruction but without static cost. Tensor engine: the longer of LoadStationary and the
/// multiply, which overlap where many run back to back. 0 for transfers, whose cost is in
/// nanoseconds.
PAPILIO_API double documented_cycles(const instruction& i, const machine_spec& machine);
/// Returns the nanoseconds from start to end on an otherwise idle core: with static cost and far
/// strides, a product with its LoadStationary (at the full clock), a transfer with its latency. 0
/// for semaphores.
PAPILIO_API double cost_ns(const instruction& i, const machine_spec& machine);
PAPILIO_API const char* opcode(const instruction& i);

}  // namespace papilio::engine
