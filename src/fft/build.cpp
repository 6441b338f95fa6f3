#include "fft/bluestein.hpp"
#include "fft/executable.hpp"
#include "fft/four_step.hpp"
#include "fft/stockham.hpp"

namespace papilio::fft_detail {

template <class T>
std::unique_ptr<const executable<T>> build(const recipe& r, direction dir, double scale) {
  switch (r.kind) {
    case recipe_kind::four_step:
      return build_four_step<T>(r, dir, scale);
    case recipe_kind::bluestein:
      return build_bluestein<T>(r, dir, scale);
    default:
      return build_stockham<T>(r, dir, scale);
  }
}

template std::unique_ptr<const executable<float>> build(const recipe&, direction, double);
template std::unique_ptr<const executable<double>> build(const recipe&, direction, double);

}  // namespace papilio::fft_detail
