#include <complex>

#include "kernels/fft/units.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/roots_of_unity.hpp"

namespace papilio::kernels_detail {

kernels::constant_table twiddle_table(const fft_pass& pass) {
  const std::int64_t lanes = pass.lanes, outputs = pass.points(), order = pass.twiddle_order,
                     first = pass.twiddle_first;
  return {.name = base_detail::message(pass.name, " twiddle factors"),
          .shape = {{2, lanes, outputs}},
          .fill = [lanes, outputs, order, first, inverse = pass.inverse](std::span<float> out) {
            const base_detail::roots_of_unity<double> root{std::size_t(order)};
            for (std::int64_t l = 0; l < lanes; ++l)
              for (std::int64_t k = 0; k < outputs; ++k) {
                const std::complex<double> w = root(std::size_t((first + l) * k % order));
                out[std::size_t(l * outputs + k)] = static_cast<float>(w.real());
                out[std::size_t((lanes + l) * outputs + k)] =
                    static_cast<float>(inverse ? -w.imag() : w.imag());
              }
          }};
}

}  // namespace papilio::kernels_detail
