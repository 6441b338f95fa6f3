#pragma once

namespace papilio::kernels_detail {

/// Structs are equal where their fields() are.
template <class Struct>
  requires requires(const Struct& s) { s.fields(); }
bool operator==(const Struct& a, const Struct& b) {
  return a.fields() == b.fields();
}

}  // namespace papilio::kernels_detail
