#include "kernels/checks.hpp"

#include <limits>

namespace papilio::kernels_detail {

using namespace engine;

void require_size(const char* name, const char* argument, std::int64_t value) {
  require(value >= 1, name, ": ", argument, " must be at least 1, got ", value);
}

std::int64_t checked_size(const char* name, const char* argument, std::size_t value) {
  const auto size = checked_cast<std::int64_t>(value, name);
  require_size(name, argument, size);
  return size;
}

void require_single(const char* name, real_type type) {
  require(type == real_type::single_precision, name, ": the problem must be in float, got ",
          to_string(type));
}

void require_float(const char* name, const char* argument, dtype type) {
  require(is_float(type), name, ": ", argument, " must be a floating-point type, got ",
          to_string(type));
}

void require_finite(const char* name, const char* argument, float value) {
  constexpr float most = std::numeric_limits<float>::max();
  require(value >= -most && value <= most, name, ": ", argument, " must be finite, got ", value);
}

void require_of_host(const std::string& what, const launch_operand& given,
                     const tensor_shape& wanted) {
  require(given.from() != launch_operand::source::buffer, what, ": is a buffer of one core");
  require<shape_error>(given.shape() == wanted, what, ": must be ", wanted, ", got ",
                       given.shape());
}

void require_bytes(const kernels::sized_kernel& sized) {
  for (const tensor_shape& operand : sized.inputs) operand.bytes();
  for (const tensor_shape& operand : sized.outputs) operand.bytes();
}

}  // namespace papilio::kernels_detail
