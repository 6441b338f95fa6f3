#include "signal/segment_transform.hpp"

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

namespace {

template <class T>
std::complex<T> mirror_image(std::complex<T> x) {
  return std::conj(x);
}
template <class T>
  requires std::is_floating_point_v<T>
T mirror_image(T x) {
  return x;
}

// Bin n - k from bin k.
template <class Value>
void append_mirror_image(std::size_t n, Value* bins) {
  for (std::size_t k = 1; k < n - n / 2; ++k) bins[n - k] = mirror_image(bins[k]);
}

}  // namespace

template <class T>
template <class Value>
void segment_transform<T>::finish(Value* out, T half) const {
  const std::size_t n = options_.n_fft;
  if (halves_ends()) {
    out[0] *= half;
    if (n % 2 == 0) out[n / 2] *= half;
  }
  if (options_.sides == stft_sides::two) append_mirror_image(n, out);
}

template <class T>
void segment_transform<T>::execute(const T* samples, std::complex<T>* out,
                                   std::complex<T>* scratch) const {
  plan_.forward_windowed({samples, plan_.size()}, weights(), {out, plan_.bins()},
                         {scratch, scratch_size()});
  finish(out, T(0.5));
}

template <class T>
void segment_transform<T>::execute_magnitude(const T* samples, T* out,
                                             std::complex<T>* scratch) const {
  plan_.forward_magnitude({samples, plan_.size()}, weights(), {out, plan_.bins()},
                          {scratch, scratch_size()});
  finish(out, T(0.5));
}

template <class T>
void segment_transform<T>::execute_power(const T* samples, T* out, std::complex<T>* scratch) const {
  plan_.forward_power({samples, plan_.size()}, weights(), {out, plan_.bins()},
                      {scratch, scratch_size()});
  finish(out, T(0.25));
}

template class segment_transform<float>;
template class segment_transform<double>;

}  // namespace papilio::signal_detail
