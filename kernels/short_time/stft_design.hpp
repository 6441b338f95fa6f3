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

// Short-time transforms share this.
namespace papilio::kernels_detail {

/// The mode of precision in which operands are held so.
inline precision_options mode_of(const array_operands& operands) {
  if (operands.is_fp32()) return {};
  if (operands.parts == 1) return {.mode = precision::bf16};
  return {.mode = precision::split_bf16, .parts = operands.parts};
}

/// What a body of instructions depends on, with the values of its tables, on which it does not: all
/// windows have one program.
template <class Body>
struct windowed {
  Body body = {};
  std::vector<float> window = {}, mel = {};
  bool halved_ends = false;  // of the problem

  auto fields() const { return std::tie(body, window, mel, halved_ends); }
  std::string describe() const { return body.describe(); }
  windowed without_batch() const { return {body.without_batch(), window, mel, halved_ends}; }
};

/// istft_adjoint is stft_kernel of a checked adjoint.
kernels::sized_kernel istft_adjoint(const stft_problem& s, const engine::machine_spec& machine,
                                    const precision_options& precision);

/// invalid_argument that names the first value that is not finite.
void require_finite(const char* what, std::span<const float> values);

/// resource_error above a size at which nothing overflows.
void require_most(const char* name, std::size_t value, std::size_t most);

/// Hann's window, periodic: for runs by name.
std::vector<float> hann(std::int64_t n);

}  // namespace papilio::kernels_detail
