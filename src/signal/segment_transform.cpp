#include "signal/segment_transform.hpp"

#include <cmath>
#include <type_traits>

namespace papilio::signal_detail {

template <class T>
segment_transform<T>::segment_transform(const windowed_options& resolved)
    : options_(resolved.options),
      geometry_(options_),
      plan_(options_.n_fft, {.norm = normalization::none}),
      bins_(options_.sides == stft_sides::one ? plan_.bins() : options_.n_fft),
      window_(scaled_window<T>(resolved.window.flat(), 1)),
      weights_(scaled_window<T>(resolved.window.flat(),
                                scaling_factor(options_, resolved.window.flat()))) {}

template <class T>
void segment_transform<T>::half_spectrum(const T* samples, std::complex<T>* out,
                                         std::complex<T>* scratch) const {
  const std::size_t n = options_.n_fft;
  T* const windowed = reinterpret_cast<T*>(scratch);
  const T* const weights = weights_.data();
  for (std::size_t j = 0; j < n; ++j) windowed[j] = samples[j] * weights[j];
  plan_.forward(std::span<const T>(windowed, n), {out, plan_.bins()},
                {scratch + windowed_size(), plan_.scratch_size()});
  if (!halves_ends()) return;
  out[0] *= T(0.5);
  if (n % 2 == 0) out[n / 2] *= T(0.5);
}

namespace {

template <class T>
std::complex<T> mirror_image(std::complex<T> x) {
  return std::conj(x);
}
template <class T>
requires std::is_floating_point_v<T> T mirror_image(T x) { return x; }

// Bin n - k from bin k.
template <class Value>
void append_mirror_image(std::size_t n, Value* bins) {
  for (std::size_t k = 1; k < n - n / 2; ++k) bins[n - k] = mirror_image(bins[k]);
}

}  // namespace

template <class T>
void segment_transform<T>::execute(const T* samples, std::complex<T>* out,
                                   std::complex<T>* scratch) const {
  half_spectrum(samples, out, scratch);
  if (options_.sides == stft_sides::two) append_mirror_image(options_.n_fft, out);
}

// Of n / 2 + 1 bins one value each.
template <class T>
template <class Level>
void segment_transform<T>::levels(const T* samples, T* out, std::complex<T>* scratch,
                                  const Level& level) const {
  const std::size_t half = plan_.bins();
  std::complex<T>* const bins = scratch + windowed_size() + plan_.scratch_size();
  half_spectrum(samples, bins, scratch);
  const T* const parts = reinterpret_cast<const T*>(bins);
  for (std::size_t k = 0; k < half; ++k)
    out[k] = level(parts[2 * k] * parts[2 * k] + parts[2 * k + 1] * parts[2 * k + 1]);
  if (options_.sides == stft_sides::two) append_mirror_image(options_.n_fft, out);
}

template <class T>
void segment_transform<T>::execute_magnitude(const T* samples, T* out,
                                             std::complex<T>* scratch) const {
  levels(samples, out, scratch, [](T power) { return std::sqrt(power); });
}

template <class T>
void segment_transform<T>::execute_power(const T* samples, T* out, std::complex<T>* scratch) const {
  levels(samples, out, scratch, [](T power) { return power; });
}

template class segment_transform<float>;
template class segment_transform<double>;

}  // namespace papilio::signal_detail
