// Even n, the half length by a codelet: its input is entangled as it is loaded, and its output,
// which stays in the first cache, untangled as it is stored.
#include "fft/real_codelet.hpp"

#include <algorithm>

#include "base/roots_of_unity.hpp"
#include "fft/real_transform.hpp"

namespace papilio::fft_detail {

using base_detail::roots_of_unity;
namespace {

template <class T>
class real_codelet final : public real_transform<T> {
 public:
  real_codelet(const recipe& part, real_scales scales)
      : real_transform<T>(2 * part.n, aligned_reals<T>(find_real_codelet<T>(part.n)->memory_reals)),
        code_(*find_real_codelet<T>(part.n)),
        to_bins_(part, direction::forward, 1),
        from_bins_(part, direction::inverse, 1),
        tangling_(2 * part.n + 4 * part.n + 4 * code_.complexes) {
    const std::size_t half = part.n;
    tables_.forward = to_bins_.tables();
    tables_.inverse = from_bins_.tables();
    tables_.half_scale = static_cast<T>(scales.forward / 2);
    tables_.scale = static_cast<T>(scales.inverse);
    const auto scale_at = [](std::size_t k, T scale, long double ends) {
      return k == 0 ? static_cast<T>(ends) * scale : scale;
    };
    const roots_of_unity<T> root(2 * half);
    tables_.untangling = tangling_.data();
    T* next = fill(half / 2, tangling_.data(), [&](std::size_t k) {
      const std::complex<T> w = root(k);
      return scale_at(k, tables_.half_scale, scales.forward_ends) *
             std::complex<T>(w.imag(), -w.real());
    });
    tables_.entangling = next;
    next = fill(half, next, [&](std::size_t k) {
      const std::complex<T> w = root(k);
      return scale_at(k, tables_.scale, scales.inverse_ends) * std::complex<T>(w.imag(), w.real());
    });
    tables_.first_half_scale = next;
    tables_.first_scale = next + 2 * code_.complexes;
    for (std::size_t k = 0; k < code_.complexes; ++k, next += 2) {
      std::fill_n(next, 2, scale_at(k, tables_.half_scale, scales.forward_ends));
      std::fill_n(next + 2 * code_.complexes, 2, scale_at(k, tables_.scale, scales.inverse_ends));
    }
  }

  void forward(const T* in, T* bins, T* scratch, int) const override {
    code_.forward(tables_, in, bins, aligned(scratch));
  }
  void inverse(const T* bins, T* out, T* scratch, int) const override {
    code_.inverse(tables_, bins, out, aligned(scratch));
  }
  void spectrum(const T* in, const T* window, spectrum_form form, T* out,
                T* scratch) const override {
    code_.windowed[static_cast<int>(form)](tables_, in, window, out, aligned(scratch));
  }
  std::size_t spectrum_scratch_reals() const override { return this->scratch_reals(); }

 private:
  template <class Weight>
  T* fill(std::size_t count, T* next, const Weight& weight) const {
    const std::size_t complexes = code_.complexes;
    for (std::size_t k = 0; k < count; k += complexes, next += 4 * complexes)
      for (std::size_t i = 0; i < complexes; ++i) put_twiddle(next, complexes, i, weight(k + i));
    return next;
  }

  const real_codelet_code<T>& code_;
  codelet_constants<T> to_bins_, from_bins_;
  array<T, 1> tangling_;
  real_codelet_tables<T> tables_;
};

}  // namespace

template <class T>
std::unique_ptr<const real_transform<T>> build_real_codelet(const recipe& r, real_scales scales) {
  if (r.parts[0].kind != recipe_kind::codelet) return nullptr;
  return std::make_unique<real_codelet<T>>(r.parts[0], scales);
}

template std::unique_ptr<const real_transform<float>> build_real_codelet(const recipe&,
                                                                         real_scales);
template std::unique_ptr<const real_transform<double>> build_real_codelet(const recipe&,
                                                                          real_scales);

}  // namespace papilio::fft_detail
