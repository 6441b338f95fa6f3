// Even n, whatever runs the half length: the transform of n/2 complex numbers, and a pass of its
// own that untangles what it gives, or entangles what it takes.
#include <algorithm>
#include <utility>

#include "fft/real_transform.hpp"
#include "fft/untangled_forward.hpp"

namespace papilio::fft_detail {
namespace {

template <class T>
using part_of = std::unique_ptr<const executable<T>>;

template <class T>
class real_half final : public real_transform<T> {
 public:
  real_half(const recipe& part, real_scales scales)
      : real_half(part.n, untangled_forward<T>(part, scales),
                  build<T>(part, direction::inverse, scales.inverse),
                  static_cast<T>(scales.inverse_ends)) {}

  void forward(const T* in, T* bins, T* scratch, int threads) const override {
    to_bins_.run(in, bins, scratch, threads);
  }

  void inverse(const T* bins, T* out, T* scratch, int threads) const override {
    pointwise_.entangle(half_, to_bins_.twiddles_re(), to_bins_.twiddles_im(), bins, scratch);
    for (T* const end : {scratch, scratch + 1}) *end *= ends_;
    from_bins_->execute(scratch, out, scratch + 2 * half_, threads);
  }

 private:
  real_half(std::size_t half, untangled_forward<T> to_bins, part_of<T> from_bins, T ends)
      : real_transform<T>(2 * half,
                          2 * half + std::max(to_bins.scratch_reals(), from_bins->scratch_reals())),
        half_(half),
        to_bins_(std::move(to_bins)),
        from_bins_(std::move(from_bins)),
        ends_(ends) {}

  std::size_t half_;
  untangled_forward<T> to_bins_;
  part_of<T> from_bins_;
  T ends_;
  const pointwise_kernels<T>& pointwise_ = find_pointwise_kernels<T>();
};

}  // namespace

template <class T>
std::unique_ptr<const real_transform<T>> build_real_half(const recipe& r, real_scales scales) {
  return std::make_unique<real_half<T>>(r.parts[0], scales);
}

template std::unique_ptr<const real_transform<float>> build_real_half(const recipe&, real_scales);
template std::unique_ptr<const real_transform<double>> build_real_half(const recipe&, real_scales);
template std::unique_ptr<const real_transform<long double>> build_real_half(const recipe&,
                                                                            real_scales);

}  // namespace papilio::fft_detail
