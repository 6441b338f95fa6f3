#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/design.hpp"
#include "kernels/table.hpp"
#include "kernels/transform/formula.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// Declarations that short-time transforms and their inverses share.
namespace papilio::kernels_detail {

/// The precision mode that holds operands so.
inline precision_options mode_of(const array_operands& operands) {
  if (operands.is_fp32()) return {};
  if (operands.parts == 1) return {.mode = precision::bf16};
  return {.mode = precision::split_bf16, .parts = operands.parts};
}

/// A short-time transform's design: the body, which decides the instructions, and the values of its
/// tables, which do not, so that all windows share one program.
template <class Body>
struct windowed {
  Body body = {};
  std::vector<float> window = {}, mel = {};
  bool halved_ends = false;  // of the problem

  auto fields() const { return std::tie(body, window, mel, halved_ends); }
  std::string describe() const { return body.describe(); }
  windowed without_batch() const { return {body.without_batch(), window, mel, halved_ends}; }
};

/// stft_kernel for a checked problem with `adjoint`: see istft_adjoint.cpp.
kernels::sized_kernel istft_adjoint(const stft_problem& s, const engine::machine_spec& machine,
                                    const precision_options& precision);

/// Throws invalid_argument, naming the first value that is not finite.
void require_finite(const char* what, std::span<const float> values);

/// Throws resource_error for values above `most`, up to which sizes do not overflow.
void require_most(const char* name, std::size_t value, std::size_t most);

/// The periodic Hann window, which named runs use.
std::vector<float> hann(std::int64_t n);

}  // namespace papilio::kernels_detail
