#include "fft/bluestein.hpp"
#include "fft/executable.hpp"
#include "fft/rader.hpp"
#include "fft/stockham.hpp"

namespace papilio::fft_detail {

template <class T>
std::unique_ptr<const executable<T>> build(const recipe& r, direction dir, long double scale) {
  if (r.kind == recipe_kind::rader) return build_rader<T>(r, dir, scale);
  return r.kind == recipe_kind::bluestein ? build_bluestein<T>(r, dir, scale)
                                          : build_stockham<T>(r, dir, scale);
}

template std::unique_ptr<const executable<float>> build(const recipe&, direction, long double);
template std::unique_ptr<const executable<double>> build(const recipe&, direction, long double);
template std::unique_ptr<const executable<long double>> build(const recipe&, direction,
                                                              long double);

}  // namespace papilio::fft_detail
