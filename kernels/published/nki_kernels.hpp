#pragma once

#include <cstdint>

#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// Kernels of which others published a profile, or the time of the device alone. Each issues its
// source's loops, written out, with the engines and the reuse that the published profile shows of
// the vendor's compiler; all fp32 unless it says otherwise. They throw invalid_argument unless the
// sizes are multiples of the source's tiles, which are named.
namespace papilio::kernels::published {

/// Computes y = x / (1 + exp(-x)) of [rows, columns], multiples of 128 and 1024.
/// Layout: blocks of 128 x 1024, of which halves pass the scalar engine (exp, + 1) and the vector
/// engine (reciprocal, product). Bound: the vector engine.
/// Source: zhang677/AccelOpt, NKIBench/kernels/silu_M4096_N7168_0.py.
sized_kernel silu_kernel(std::int64_t rows, std::int64_t columns,
                         const engine::machine_spec& machine);

/// Computes rotary embeddings of x [128, columns] with cos and sin [64, columns]: of the halves u, l
/// of the rows, (u cos - l sin, l cos + u sin). Columns: a multiple of 512.
/// Layout: 512 columns at a time, l copied to u's partitions by the scalar engine, six products and
/// sums on the vector engine. Bound: the vector engine.
/// Source: zhang677/AccelOpt, NKIBench/kernels/rope_single_freq_apply_B1_H64_N4096_D128_0.py.
sized_kernel rope_kernel(std::int64_t columns, const engine::machine_spec& machine);

/// Computes C = A^T B, A [k, m], B [k, n]; m a multiple of 1024, k of 128.
/// Layout: 1024 x 1024 of C at a time, for which A's columns stay on chip and B's stream. The last
/// columns are padded with zeros to 512, as the profile counts them. Bound: the tensor engine.
/// Source: zhang677/AccelOpt, NKIBench/kernels/transpose_matmul_M4096_K2048_N10944_0.py.
sized_kernel transposed_product_kernel(const gemm_problem& problem,
                                       const engine::machine_spec& machine);

/// Computes C[s] = A[s] B[s], A [batch, m, k], B [batch, k, n]; k at most 128, m and n multiples of
/// 1024. Inputs: A, B, and the identity of the array's side, by which the source transposes.
/// Layout: A transposed on the tensor engine once; 1024 x 1024 of C at a time. Bound: DMA, which
/// stores C.
/// Source: zhang677/AccelOpt, NKIBench/kernels/bmm_B16_M4096_K64_N4096_0.py.
sized_kernel batched_product_kernel(const gemm_problem& problem,
                                    const engine::machine_spec& machine);

/// Computes C = (x / sqrt(mean of x^2)) W, x [m, k] by rows, W [k, n]; m and n multiples of 1024, k of
/// 512. Inputs: x, W and the identity, as batched_product_kernel.
/// Layout: 1024 rows at a time; squares, scales and copies on the scalar engine, sums on the vector
/// engine, scaled rows transposed on the tensor engine; W stays on chip. Bound: the tensor engine.
/// Source: zhang677/AccelOpt, NKIBench/kernels/rmsnorm_matmul_M4096_N2048_K1024_0.py.
sized_kernel rmsnorm_product_kernel(const gemm_problem& problem,
                                    const engine::machine_spec& machine);

/// Computes C = A^T B in bf16, A [k, m], B [k, n], C [m, n], by one of the six steps (0 to 5) of a
/// search; m a multiple of 512, n of 1024, k of 128.
/// Layout: so many tiles of 128 rows and of 512 columns of C share a pass over k; loads are of one
/// tile but in step 4, whose loads of A are of two, and in step 5, of four of A and two of B.
/// Bound: DMA in steps 0 to 3, the tensor engine in 4 and 5.
/// Source: ucb-bar/autocomp, examples/trn-tutorial/1_gemm_trace.py.
sized_kernel ladder_kernel(int step, const gemm_problem& problem,
                           const engine::machine_spec& machine);

/// Describes a layer of the state space model Mamba, of one sequence.
struct mamba_problem {
  std::int64_t channels = 0, length = 0, states = 0;
  /// The tutorial's kernels: 1 loads delta and u again for each state, 2 once for all of them; 3 is
  /// 2 in stretches of 512 steps.
  int version = 1;
};

/// Computes y[c, t] = sum over s of C[s, t] h[s, c, t], h[t] = exp(delta[t] A[c, s]) h[t - 1] +
/// delta[t] u[t] B[s, t]. Inputs: delta, u [channels, length], A [channels, states], B, C [states,
/// length]. Channels: a multiple of 128; length: at most 512, in version 3 a multiple of it.
/// Layout: channels on partitions; B's and C's rows are spread over them by the tensor engine into
/// PSUM; four or five vector instructions a state. Bound: the vector engine.
/// Source: the Neuron SDK's tutorial of fused Mamba, nki/examples/fused_mamba.
sized_kernel mamba_kernel(const mamba_problem& problem, const engine::machine_spec& machine);

}  // namespace papilio::kernels::published
