#pragma once

#include <complex>

namespace papilio::kernels_detail {

/// d(part of the result) / d(part of the operand) for result += u a or, conjugated, u conj a.
inline double coefficient(std::complex<double> u, bool conjugated, int in_plane, int out_plane) {
  const std::complex<double> unit =
      in_plane == 0 ? std::complex<double>(1, 0) : std::complex<double>(0, conjugated ? -1 : 1);
  const std::complex<double> v = u * unit;
  return out_plane == 0 ? v.real() : v.imag();
}

}  // namespace papilio::kernels_detail
