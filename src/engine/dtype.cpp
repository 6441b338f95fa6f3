#include "papilio/engine/dtype.hpp"

#include <array>
#include <cstring>
#include <string>

#include "papilio/base/error.hpp"

namespace papilio::engine {
namespace {

constexpr std::array all_types{dtype::fp32,          dtype::bf16,        dtype::fp16,
                               dtype::tf32,          dtype::fp8_e4m3,    dtype::fp8_e5m2,
                               dtype::int32,         dtype::uint8,       dtype::fp8_e4m3fn,
                               dtype::fp8_e4m3fn_x4, dtype::fp8_e5m2_x4, dtype::fp4_e2m1fn_x4};

/// Returns the value that fills unwritten elements, in the lowest size_bytes(type) bytes.
std::uint32_t poison(dtype type) {
  switch (type) {
    case dtype::fp32:
    case dtype::tf32:
      return 0x7fc00000u;
    case dtype::bf16:
      return 0x7fc0u;
    case dtype::fp16:
      return 0x7e00u;
    case dtype::fp8_e4m3:
      return 0x7cu;
    case dtype::fp8_e5m2:
      return 0x7eu;
    case dtype::int32:
    case dtype::uint8:
      return 4u;
    case dtype::fp8_e4m3fn:
      return 0x7fu;
    case dtype::fp8_e4m3fn_x4:
      return 0x7f7f7f7fu;
    case dtype::fp8_e5m2_x4:
      return 0x7e7e7e7eu;
    case dtype::fp4_e2m1fn_x4:
      return 0x7777u;
  }
  throw invalid_argument(base_detail::message(
      "fill_poison: type must be an enumerator of dtype, got ", static_cast<int>(type)));
}

template <class Element>
void fill(std::byte* to, std::size_t count, std::uint32_t pattern) {
  const auto element = static_cast<Element>(pattern);
  for (std::size_t k = 0; k < count; ++k)
    std::memcpy(to + k * sizeof(Element), &element, sizeof(Element));
}

}  // namespace

const char* to_string(dtype type) {
  switch (type) {
    case dtype::fp32:
      return "fp32";
    case dtype::bf16:
      return "bf16";
    case dtype::fp16:
      return "fp16";
    case dtype::tf32:
      return "tf32";
    case dtype::fp8_e4m3:
      return "fp8_e4m3";
    case dtype::fp8_e5m2:
      return "fp8_e5m2";
    case dtype::int32:
      return "int32";
    case dtype::uint8:
      return "uint8";
    case dtype::fp8_e4m3fn:
      return "fp8_e4m3fn";
    case dtype::fp8_e4m3fn_x4:
      return "fp8_e4m3fn_x4";
    case dtype::fp8_e5m2_x4:
      return "fp8_e5m2_x4";
    case dtype::fp4_e2m1fn_x4:
      return "fp4_e2m1fn_x4";
  }
  throw invalid_argument(base_detail::message(
      "to_string: type must be an enumerator of dtype, got ", static_cast<int>(type)));
}

dtype parse_dtype(std::string_view name) {
  std::string names;
  for (const dtype type : all_types) {
    if (name == to_string(type)) return type;
    names.append(names.empty() ? "" : ", ").append(to_string(type));
  }
  throw invalid_argument(
      base_detail::message("parse_dtype: name must be one of ", names, ", got \"", name, "\""));
}

void fill_poison(dtype type, std::byte* to, std::size_t count) {
  const std::uint32_t pattern = poison(type);
  switch (size_bytes(type)) {
    case 1:
      return fill<std::uint8_t>(to, count, pattern);
    case 2:
      return fill<std::uint16_t>(to, count, pattern);
    default:
      return fill<std::uint32_t>(to, count, pattern);
  }
}

}  // namespace papilio::engine
