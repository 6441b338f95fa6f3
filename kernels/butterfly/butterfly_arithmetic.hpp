#pragma once

#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

/// A tile of numbers, or of unevaluated sums of two. An empty `lo` is zero.
struct butterfly_value {
  engine::tile_view hi, lo = {};

  /// The same part of both.
  template <class Part>
  butterfly_value of(const Part& part) const {
    return {part(hi), lo.empty() ? engine::tile_view{} : part(lo)};
  }
  /// One plane; axis 1 is (re, im).
  butterfly_value plane(int which) const {
    return of([&](const engine::tile_view& v) { return v.slice(1, which, 1); });
  }
  butterfly_value planes_swapped() const {
    return of([](const engine::tile_view& v) { return v.slice(1, 1, 2, -1); });
  }
};

/// Intermediates of the compensated operations, each as long as the longest operand; the names in
/// PSUM are those that meet others in SBUF.
struct butterfly_scratch {
  engine::tile_view difference, upper, lower, parked_error;  // PSUM
  engine::tile_view rest, product, first, second, error;     // SBUF
};

/// A twiddle factor's numbers: 1, or high, low and the two halves of high.
struct butterfly_factor {
  engine::tile_view part[4];
};

/// Element by element; in SBUF but where said. On the vector engine, and on gpsimd where that
/// reaches all three operands and is faster: they share a port, or do not and both work. Operands
/// agree in elements; an `out` is apart from the inputs.
class butterfly_arithmetic {
 public:
  butterfly_arithmetic(engine::core& nc, bool compensated) : nc_(nc), compensated_(compensated) {}

  void use(const butterfly_scratch& scratch) { scratch_ = scratch; }

  /// out = a +- b. Plain operands may lie in PSUM, one of a and b.
  void combine(const butterfly_value& out, const butterfly_value& a, const butterfly_value& b,
               bool subtract);
  /// out = a c
  void multiply(const butterfly_value& out, const butterfly_value& a, double c);
  /// out = a c + b; plain, out may be b.
  void multiply_add(const butterfly_value& out, const butterfly_value& a, double c,
                    const butterfly_value& b);
  /// out = a w for complex numbers, axis 1 (re, im); re and im are as
  /// long as both planes, or (plain) as one and read for each. Plain:
  /// products go to `here` and, in PSUM, to `parked`.
  void twiddle(const butterfly_value& out, const butterfly_value& a, const butterfly_factor& re,
               const butterfly_factor& im, const engine::tile_view& here,
               const engine::tile_view& parked);
  /// A copy in PSUM, by the scalar engine, so that a sum with it takes half the cycles.
  engine::tile_view parked(const engine::tile_view& place, const engine::tile_view& a);
  /// hi += lo
  void round(const butterfly_value& a);

 private:
  void binary(const engine::tile_view& out, const engine::tile_view& left,
              const engine::tile_view& right, engine::alu_op op);
  void fused(const engine::tile_view& out, const engine::tile_view& in, float c,
             const engine::tile_view& right, engine::alu_op op);
  void split(const engine::tile_view& a);
  void two_product(const engine::tile_view& product, const engine::tile_view& error,
                   const butterfly_value& a, const butterfly_factor& w, bool swapped);

  engine::core& nc_;
  bool compensated_;
  butterfly_scratch scratch_ = {};
};

}  // namespace papilio::kernels_detail
