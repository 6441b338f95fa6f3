#include "signal/synthesis.hpp"

namespace papilio::signal_detail {

template <class T>
synthesis<T>::synthesis(const windowed_options& resolved)
    : analysis_(resolved),
      weights_(analysis_.geometry(), analysis_.weights(), analysis_.window()) {}

template <class T>
void synthesis<T>::execute(view<const std::complex<T>, 1> bins, T* samples,
                           std::complex<T>* scratch) const {
  const rfft_plan<T>& plan = analysis_.plan();
  const std::size_t n = plan.size(), half = plan.bins();
  const std::complex<T>* from = bins.data();
  const bool two = analysis_.options().sides == stft_sides::two;
  if (two || analysis_.halves_ends() || bins.stride(0) != 1) {
    for (std::size_t k = 0; k < half; ++k)
      scratch[k] =
          two && k > 0 && 2 * k < n ? (bins[k] + std::conj(bins[n - k])) * T(0.5) : bins[k];
    if (analysis_.halves_ends()) {
      scratch[0] *= T(2);
      if (n % 2 == 0) scratch[n / 2] *= T(2);
    }
    from = scratch;
  }
  plan.inverse({from, half}, {samples, n}, {scratch + half, plan.scratch_size()});
}

template class synthesis<float>;
template class synthesis<double>;

}  // namespace papilio::signal_detail
