#include "signal/segment_transform.hpp"

#include <type_traits>
#include <utility>

#include "signal/synthesis.hpp"

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

// Padding is left out by the inverse, so that zeros stand there for its adjoint.
stft_options without_padding(stft_options o) {
  o.padding = edge_padding::zero;
  return o;
}

}  // namespace

template <class T>
segment_transform<T>::segment_transform(std::shared_ptr<const synthesis<T>> inverse)
    : inverse_(std::move(inverse)),
      options_(inverse_->analysis().options()),
      geometry_(without_padding(options_)),
      plan_(inverse_->analysis().plan().adjoint()),
      bins_(inverse_->analysis().bins()),
      window_(inverse_->analysis().window_),
      weights_(window_),
      dividing_weights_(inverse_->weights().divided_window(weights())) {}

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

template <class T>
T raised(T x, int power) {
  return power == 2 ? x * x : x;
}

}  // namespace

template <class T>
template <class Value>
void segment_transform<T>::finish(Value* out, int power) const {
  const std::size_t n = options_.n_fft;
  const bool is_two_sided = options_.sides == stft_sides::two;
  // An inverse doubles the ends, and takes the mean of a bin and its mirror image.
  if (halves_ends()) {
    const T ends = raised(inverse_ ? T(2) : T(0.5), power);
    out[0] *= ends;
    if (n % 2 == 0) out[n / 2] *= ends;
  }
  if (is_two_sided && inverse_)
    for (std::size_t k = 1; k < n - n / 2; ++k) out[k] *= raised(T(0.5), power);
  if (is_two_sided) append_mirror_image(n, out);
}

template <class T>
void segment_transform<T>::execute(const T* samples, std::span<const T> window,
                                   std::complex<T>* out, std::complex<T>* scratch) const {
  plan_.forward_windowed({samples, plan_.size()}, window, {out, plan_.bins()},
                         {scratch, scratch_size()});
  finish(out, 1);
}

template <class T>
void segment_transform<T>::execute_magnitude(const T* samples, std::span<const T> window, T* out,
                                             std::complex<T>* scratch) const {
  plan_.forward_magnitude({samples, plan_.size()}, window, {out, plan_.bins()},
                          {scratch, scratch_size()});
  finish(out, 1);
}

template <class T>
void segment_transform<T>::execute_power(const T* samples, std::span<const T> window, T* out,
                                         std::complex<T>* scratch) const {
  plan_.forward_power({samples, plan_.size()}, window, {out, plan_.bins()},
                      {scratch, scratch_size()});
  finish(out, 2);
}

template class segment_transform<float>;
template class segment_transform<double>;

}  // namespace papilio::signal_detail
