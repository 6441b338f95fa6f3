#include "papilio/engine/dtype.hpp"

#include <cstring>
#include <type_traits>

#include "engine/number_codec.hpp"
#include "papilio/base/error.hpp"

namespace papilio::engine {
namespace {

using namespace engine_detail;

/// Calls `body` with the codec of `type`.
template <class Body>
decltype(auto) with_codec(const char* function, dtype type, const Body& body) {
  switch (type) {
    case dtype::fp32:
      return body(fp32_codec{});
    case dtype::bf16:
      return body(bf16_codec{});
    case dtype::fp16:
      return body(fp16_codec{});
    case dtype::tf32:
      return body(tf32_codec{});
    case dtype::fp8_e4m3:
      return body(fp8_e4m3_codec{});
    case dtype::fp8_e5m2:
      return body(fp8_e5m2_codec{});
    case dtype::int32:
      return body(int32_codec{});
    case dtype::uint8:
      return body(uint8_codec{});
    case dtype::fp8_e4m3fn:
      return body(fp8_e4m3fn_codec{});
    case dtype::fp8_e4m3fn_x4:
    case dtype::fp8_e5m2_x4:
    case dtype::fp4_e2m1fn_x4:
      throw invalid_argument(base_detail::message(
          function, ": type must have one number an element, got ", to_string(type)));
  }
  throw invalid_argument(base_detail::message(
      function, ": type must be an enumerator of dtype, got ", static_cast<int>(type)));
}

template <class Codec>
constexpr bool is_plain = std::is_same_v<Codec, fp32_codec>;

template <class Codec>
float load(const std::byte* from) {
  typename Codec::element element;
  std::memcpy(&element, from, sizeof element);
  return Codec::widen(element);
}

template <class Element>
void store(std::byte* to, Element element) {
  std::memcpy(to, &element, sizeof element);
}

/// Addresses are computed from the index k: a pointer that is advanced would end outside the row.
template <class Codec>
void load_elements(const std::byte* __restrict from, std::ptrdiff_t stride, std::size_t count,
                   float* __restrict to) {
  constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(typename Codec::element));
  const auto n = static_cast<std::ptrdiff_t>(count);
  if (stride == 1) {
    for (std::ptrdiff_t k = 0; k < n; ++k) to[k] = load<Codec>(from + k * bytes);
  } else {
    for (std::ptrdiff_t k = 0; k < n; ++k) to[k] = load<Codec>(from + k * stride * bytes);
  }
}

template <class Codec>
void store_nearest(const float* __restrict from, std::size_t count, std::byte* __restrict to,
                   std::ptrdiff_t stride) {
  constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(typename Codec::element));
  const auto n = static_cast<std::ptrdiff_t>(count);
  if (stride == 1) {
    for (std::ptrdiff_t k = 0; k < n; ++k) store(to + k * bytes, Codec::narrow(from[k]));
  } else {
    for (std::ptrdiff_t k = 0; k < n; ++k) store(to + k * stride * bytes, Codec::narrow(from[k]));
  }
}

template <class Codec>
void store_stochastic(const float* __restrict from, std::size_t count, std::byte* __restrict to,
                      std::ptrdiff_t stride, std::uint64_t seed, std::uint64_t first_position) {
  constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(typename Codec::element));
  const position_hash hash(seed);
  for (std::size_t k = 0; k < count; ++k)
    store(to + static_cast<std::ptrdiff_t>(k) * stride * bytes,
          Codec::narrow(from[k], hash(first_position + k)));
}

}  // namespace

float round_to(dtype type, float value) {
  return with_codec("round_to", type,
                    [&]<class Codec>(Codec) { return Codec::widen(Codec::narrow(value)); });
}

float round_to(dtype type, float value, const rounding& how, std::uint64_t position) {
  if (how.mode == rounding_mode::nearest_even) return round_to(type, value);
  return with_codec("round_to", type, [&]<class Codec>(Codec) {
    return Codec::widen(Codec::narrow(value, position_hash(how.seed)(position)));
  });
}

void load_row(dtype type, const std::byte* from, std::ptrdiff_t stride, std::size_t count,
              float* to) {
  with_codec("load_row", type, [&]<class Codec>(Codec) {
    if (is_plain<Codec> && stride == 1) {
      if (count > 0) std::memcpy(to, from, count * sizeof(float));
    } else {
      load_elements<Codec>(from, stride, count, to);
    }
  });
}

void store_row(dtype type, const float* from, std::size_t count, std::byte* to,
               std::ptrdiff_t stride, const rounding& how, std::uint64_t first_position) {
  if (stride == 0 && count > 1)
    throw invalid_argument(base_detail::message(
        "store_row: stride must not be 0 for a row of more than one element, got 0 for ", count));
  with_codec("store_row", type, [&]<class Codec>(Codec) {
    if (is_plain<Codec> && stride == 1) {
      if (count > 0) std::memcpy(to, from, count * sizeof(float));
    } else if (is_plain<Codec> || how.mode == rounding_mode::nearest_even) {
      store_nearest<Codec>(from, count, to, stride);
    } else {
      store_stochastic<Codec>(from, count, to, stride, how.seed, first_position);
    }
  });
}

}  // namespace papilio::engine
