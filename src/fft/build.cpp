#include "fft/bluestein.hpp"
#include "fft/codelet.hpp"
#include "fft/direct.hpp"
#include "fft/executable.hpp"
#include "fft/four_step.hpp"
#include "fft/rader.hpp"
#include "fft/stockham.hpp"
#include "fft/two_step.hpp"

namespace papilio::fft_detail {

template <class T>
std::unique_ptr<const executable<T>> build(const recipe& r, direction dir, long double scale) {
  // One lane has no codelets and no columns: see needs_lanes.
  if constexpr (!std::is_same_v<T, long double>) {
    if (r.kind == recipe_kind::codelet) return build_codelet<T>(r, dir, scale);
    if (r.kind == recipe_kind::two_step) return build_two_step<T>(r, dir, scale);
    if (r.kind == recipe_kind::direct) return build_direct<T>(r, dir, scale);
    if (r.kind == recipe_kind::four_step) return build_four_step<T>(r, dir, scale);
  }
  switch (r.kind) {
    case recipe_kind::rader:
      return build_rader<T>(r, dir, scale);
    case recipe_kind::bluestein:
      return build_bluestein<T>(r, dir, scale);
    default:
      break;
  }
  return build_stockham<T>(r, dir, scale);
}

template std::unique_ptr<const executable<float>> build(const recipe&, direction, long double);
template std::unique_ptr<const executable<double>> build(const recipe&, direction, long double);
template std::unique_ptr<const executable<long double>> build(const recipe&, direction,
                                                              long double);

}  // namespace papilio::fft_detail
