// Even n, whatever runs the half length: the transform of n/2 complex numbers, and a pass of its
// own that untangles (the identity is in pointwise.hpp).
#include <algorithm>

#include "fft/executable.hpp"
#include "fft/pointwise.hpp"
#include "fft/real_transform.hpp"
#include "fft/twiddle.hpp"
#include "papilio/base/array.hpp"

namespace papilio::fft_detail {
namespace {

template <class T>
using part_of = std::unique_ptr<const executable<T>>;

template <class T>
class real_half final : public real_transform<T> {
 public:
  // ---- build
  // --------------------------------------------------------------------------------------

  real_half(const recipe& r, real_scales scales)
      : real_half(r.n / 2, build<T>(r.parts[0], direction::forward, scales.forward),
                  build<T>(r.parts[0], direction::inverse, scales.inverse)) {}

  // ---- execute
  // ------------------------------------------------------------------------------------

  void forward(const T* in, T* bins, T* scratch, int threads) const override {
    to_bins_->execute(in, bins, scratch, threads);
    pointwise_.untangle(half_, twiddles_re(), twiddles_im(), bins);
  }

  void inverse(const T* bins, T* out, T* scratch, int threads) const override {
    pointwise_.entangle(half_, twiddles_re(), twiddles_im(), bins, scratch);
    from_bins_->execute(scratch, out, scratch + 2 * half_, threads);
  }

 private:
  real_half(std::size_t half, part_of<T> to_bins, part_of<T> from_bins)
      : real_transform<T>(2 * half +
                          std::max(to_bins->scratch_reals(), from_bins->scratch_reals())),
        half_(half),
        to_bins_(std::move(to_bins)),
        from_bins_(std::move(from_bins)),
        twiddles_(2 * (half / 2 + 1)) {
    const std::size_t count = half / 2 + 1;
    const roots_of_unity<T> root(2 * half);
    for (std::size_t k = 0; k < count; ++k) {
      const std::complex<T> w = root(k);  // -i w / 2
      twiddles_[k] = w.imag() / 2;
      twiddles_[count + k] = -w.real() / 2;
    }
  }
  const T* twiddles_re() const { return twiddles_.data(); }
  const T* twiddles_im() const { return twiddles_.data() + half_ / 2 + 1; }

  std::size_t half_;
  part_of<T> to_bins_, from_bins_;
  array<T, 1> twiddles_;  // of the untangling: re, then im
  const pointwise_kernels<T>& pointwise_ = find_pointwise_kernels<T>();
};

}  // namespace

template <class T>
std::unique_ptr<const real_transform<T>> build_real_half(const recipe& r, real_scales scales) {
  return std::make_unique<real_half<T>>(r, scales);
}

template std::unique_ptr<const real_transform<float>> build_real_half(const recipe&, real_scales);
template std::unique_ptr<const real_transform<double>> build_real_half(const recipe&, real_scales);
template std::unique_ptr<const real_transform<long double>> build_real_half(const recipe&,
                                                                            real_scales);

}  // namespace papilio::fft_detail
