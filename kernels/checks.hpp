#pragma once

#include <cstdint>
#include <string>

#include "base/internal.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/engine/dtype.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// Checks of kernels' arguments. `name` is the kernel's, which messages begin with.
namespace papilio::kernels_detail {

/// An Error of these parts unless it holds.
template <class Error = invalid_argument, class... Parts>
void require(bool holds, const Parts&... parts) {
  if (!holds) throw Error(base_detail::message(parts...));
}

/// invalid_argument "NAME: ARGUMENT must be at least 1, got VALUE".
PAPILIO_INTERNAL void require_size(const char* name, const char* argument, std::int64_t value);
/// A problem's size as the device counts. Errors as require_size; resource_error where it does not
/// fit.
PAPILIO_INTERNAL std::int64_t checked_size(const char* name, const char* argument,
                                           std::size_t value);
/// invalid_argument unless a problem is in float.
void require_single(const char* name, real_type type);
/// invalid_argument unless it is a floating-point type.
void require_float(const char* name, const char* argument, engine::dtype type);
/// invalid_argument for an infinity and for what is no number.
void require_finite(const char* name, const char* argument, float value);
/// Operands of a group are arrays of the host, or shapes: invalid_argument for a buffer; shape_error
/// for another shape. `what` names the operand.
void require_of_host(const std::string& what, const engine::launch_operand& given,
                     const engine::tensor_shape& wanted);
/// Overflow of a tensor's bytes, before anything is priced: resource_error.
PAPILIO_INTERNAL void require_bytes(const kernels::sized_kernel& sized);

}  // namespace papilio::kernels_detail
