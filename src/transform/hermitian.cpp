#include <complex>

#include "base/lines.hpp"
#include "papilio/transform/run.hpp"

namespace papilio::transform_detail {

using base_detail::for_pieces;
using base_detail::line_count;
using base_detail::line_offset;

template <class T>
void complete_hermitian(const untyped_view<void>& spectrum, std::size_t axis, bool conjugate,
                        int threads) {
  const std::size_t n = spectrum.extents[axis];
  const std::ptrdiff_t step = spectrum.strides[axis];
  for_pieces(line_count(spectrum.extents, axis), threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t line = first; line < last; ++line) {
      std::complex<T>* const x = static_cast<std::complex<T>*>(spectrum.data) +
                                 line_offset(spectrum.extents, spectrum.strides, axis, line);
      std::complex<T>*low = x + step, *high = x + static_cast<std::ptrdiff_t>(n - 1) * step;
      for (std::size_t k = 1; k < n - k; ++k, low += step, high -= step) {
        *high = conjugate ? *low : std::conj(*low);
        if (conjugate) *low = std::conj(*low);
      }
    }
  });
}

template PAPILIO_API void complete_hermitian<float>(const untyped_view<void>&, std::size_t, bool,
                                                    int);
template PAPILIO_API void complete_hermitian<double>(const untyped_view<void>&, std::size_t, bool,
                                                     int);
template PAPILIO_API void complete_hermitian<long double>(const untyped_view<void>&, std::size_t,
                                                          bool, int);

}  // namespace papilio::transform_detail
