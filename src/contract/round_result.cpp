#include "contract/round_result.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/splitmix64.hpp"

namespace papilio::contract_detail {
namespace {

struct number_format {
  int significand_bits;  // with the hidden one
  int least_exponent;    // of normal numbers
  double largest;
};

number_format format_of(rounded_type type) {
  if (type == rounded_type::float16) return {11, -14, 65504};
  return {8, -126, 0x1.FEp127};
}

class rounder {
 public:
  explicit rounder(const result_rounding& rounding)
      : rounding_(rounding), format_(format_of(rounding.to)) {}

  template <class Real>
  Real operator()(Real value) {
    const std::uint64_t index = count_++;
    if (!std::isfinite(value) || value == Real(0)) return value;
    const double magnitude = std::abs(static_cast<double>(value));
    const int exponent = std::max(std::ilogb(magnitude), format_.least_exponent);
    const int unit = exponent - format_.significand_bits + 1;  // of the last place
    const double scaled = std::ldexp(magnitude, -unit);        // exact
    double rounded = std::nearbyint(scaled);
    if (rounding_.stochastic) {
      const double below = std::floor(scaled),
                   chance =
                       base_detail::unit_of(base_detail::splitmix64::at(rounding_.seed, index));
      rounded = below + (chance < scaled - below ? 1 : 0);
    }
    double result = std::ldexp(rounded, unit);
    if (result > format_.largest) result = std::numeric_limits<double>::infinity();
    return static_cast<Real>(std::copysign(result, static_cast<double>(value)));
  }
  template <class Real>
  std::complex<Real> operator()(std::complex<Real> value) {
    const Real re = (*this)(value.real());
    return {re, (*this)(value.imag())};
  }

 private:
  result_rounding rounding_;
  number_format format_;
  std::uint64_t count_ = 0;
};

template <class T>
void round_axis(const tensor_view<T>& v, std::size_t axis, T* at, rounder& round) {
  if (axis == v.rank()) {
    *at = round(*at);
    return;
  }
  for (std::size_t i = 0; i < v.extent(axis); ++i)
    round_axis(v, axis + 1, at + static_cast<std::ptrdiff_t>(i) * v.stride(axis), round);
}

}  // namespace

template <class T>
void round_result(const tensor_view<T>& out, const result_rounding& rounding) {
  if (rounding.to == rounded_type::element_type || out.empty()) return;
  rounder round(rounding);
  round_axis(out, 0, out.data(), round);
}

template void round_result(const tensor_view<float>&, const result_rounding&);
template void round_result(const tensor_view<double>&, const result_rounding&);
template void round_result(const tensor_view<std::complex<float>>&, const result_rounding&);
template void round_result(const tensor_view<std::complex<double>>&, const result_rounding&);

}  // namespace papilio::contract_detail
