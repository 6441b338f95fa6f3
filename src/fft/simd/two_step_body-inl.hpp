// The two-step code of one element type, PAPILIO_FFT_REAL. Included once for each target.
#include "fft/simd/two_step-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

first_step_function<PAPILIO_FFT_REAL> look_up_first_step(std::size_t radix, std::size_t complexes) {
  return first_step_for<PAPILIO_FFT_REAL>(radix, complexes);
}
row_pass_function<PAPILIO_FFT_REAL> look_up_row_pass(std::size_t radix, bool is_first,
                                                     bool is_scaled, std::size_t complexes) {
  return row_pass_for<PAPILIO_FFT_REAL>(radix, is_first, is_scaled, complexes);
}
std::size_t look_up_complexes(std::size_t columns, std::size_t rows) {
  return complexes_for<PAPILIO_FFT_REAL>(columns, rows);
}

}  // namespace
}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {
namespace {
HWY_EXPORT(look_up_first_step);
HWY_EXPORT(look_up_row_pass);
HWY_EXPORT(look_up_complexes);
}  // namespace

template <>
first_step_function<PAPILIO_FFT_REAL> find_first_step<PAPILIO_FFT_REAL>(std::size_t radix,
                                                                        std::size_t complexes) {
  return HWY_DYNAMIC_DISPATCH(look_up_first_step)(radix, complexes);
}
template <>
row_pass_function<PAPILIO_FFT_REAL> find_row_pass<PAPILIO_FFT_REAL>(std::size_t radix,
                                                                    bool is_first, bool is_scaled,
                                                                    std::size_t complexes) {
  return HWY_DYNAMIC_DISPATCH(look_up_row_pass)(radix, is_first, is_scaled, complexes);
}
template <>
std::size_t two_step_complexes<PAPILIO_FFT_REAL>(std::size_t columns, std::size_t rows) {
  return HWY_DYNAMIC_DISPATCH(look_up_complexes)(columns, rows);
}

}  // namespace papilio::fft_detail
#endif
