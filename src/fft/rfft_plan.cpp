// Even n: the n reals are n/2 complex numbers, transformed at half length and untangled. Odd n: a
// complex transform of length n with zero imaginary part, of which half is kept.
#include "papilio/fft/rfft_plan.hpp"

#include <algorithm>
#include <utility>

#include "fft/axis.hpp"
#include "fft/executable.hpp"
#include "fft/line.hpp"
#include "fft/measure.hpp"
#include "fft/pointwise.hpp"
#include "fft/real_line.hpp"
#include "fft/twiddle.hpp"

namespace papilio {

using namespace fft_detail;

template <class T>
struct rfft_plan<T>::state {
  std::size_t n, half;
  recipe plan;
  std::unique_ptr<const executable<T>> to_bins, from_bins;
  array<T, 1> twiddles;  // of the untangling: re, then im
  const pointwise_kernels<T>& pointwise;

  state(std::size_t length, fft_options options)
      : n(length),
        half(length / 2),
        plan{recipe_kind::real, length, {}, {}},
        pointwise(find_pointwise_kernels<T>()) {
    const bool even = n % 2 == 0;
    plan.parts.push_back(choose<T>(even ? half : n, direction::forward, options.plan_effort));
    const auto scale = [&](direction dir) { return scale_of(options.norm, dir, n); };
    to_bins = build<T>(plan.parts[0], direction::forward, scale(direction::forward));
    from_bins = build<T>(plan.parts[0], direction::inverse, scale(direction::inverse));
    if (even) fill_twiddles();
  }

  void fill_twiddles() {
    const std::size_t count = half / 2 + 1;
    twiddles = array<T, 1>(2 * count);
    const roots_of_unity<T> root(n);
    for (std::size_t k = 0; k < count; ++k) {
      const std::complex<T> w = root(k);  // -i w / 2
      twiddles[k] = w.imag() / 2;
      twiddles[count + k] = -w.real() / 2;
    }
  }
  const T* twiddles_re() const { return twiddles.data(); }
  const T* twiddles_im() const { return twiddles.data() + half / 2 + 1; }

  std::size_t scratch_reals() const {
    const std::size_t inner = std::max(to_bins->scratch_reals(), from_bins->scratch_reals());
    return inner + (n % 2 == 0 ? 2 * half : 4 * n);
  }

  void forward(const T* in, std::complex<T>* out, T* scratch) const {
    if (n % 2 == 0) {
      to_bins->execute(in, reals(out), scratch);
      pointwise.untangle(half, twiddles_re(), twiddles_im(), reals(out));
      return;
    }
    T *const zero = scratch, *const re = zero + n, *const im = re + n;
    std::fill_n(zero, n, T(0));
    to_bins->execute_split(in, zero, re, im, im + n);
    for (std::size_t k = 0; k <= half; ++k) out[k] = {re[k], im[k]};
    out[0].imag(0);
  }

  void inverse(const std::complex<T>* in, T* out, T* scratch) const {
    if (n % 2 == 0) {
      pointwise.entangle(half, twiddles_re(), twiddles_im(), reals(in), scratch);
      from_bins->execute(scratch, out, scratch + 2 * half);
      return;
    }
    T *const re = scratch, *const im = re + n, *const out_re = im + n, *const rest = out_re + n;
    re[0] = in[0].real();
    im[0] = 0;
    for (std::size_t k = 1; k <= half; ++k) {
      re[k] = re[n - k] = in[k].real();
      im[k] = in[k].imag();
      im[n - k] = -in[k].imag();
    }
    from_bins->execute_split(re, im, out_re, rest, rest + n);
    std::copy_n(out_re, n, out);
  }
};

template <class T>
rfft_plan<T>::rfft_plan(std::size_t n, fft_options options) {
  if (n == 0) throw invalid_argument("rfft_plan: n must be at least 1, got 0");
  checked_multiply(n, 16 * sizeof(std::complex<T>), "rfft_plan: n");
  state_ = std::make_shared<const state>(n, options);
}

template <class T>
std::size_t rfft_plan<T>::size() const {
  return state_->n;
}
template <class T>
std::size_t rfft_plan<T>::bins() const {
  return state_->half + 1;
}
template <class T>
std::size_t rfft_plan<T>::scratch_size() const {
  return (state_->scratch_reals() + 1) / 2;
}
template <class T>
const recipe& rfft_plan<T>::design() const {
  return state_->plan;
}

namespace {

// Runs `transform(memory)` with the caller's scratch, checked, or with some of its own.
template <class T, class Transform>
void with_scratch(const char* name, std::span<std::complex<T>> scratch, std::size_t complexes,
                  const Transform& transform) {
  if (scratch.empty()) {
    line_scratch<T> own(2 * complexes);
    transform(own.data());
  } else {
    require_scratch(name, scratch.size(), complexes);
    transform(reals(scratch.data()));
  }
}

}  // namespace

template <class T>
void rfft_plan<T>::forward(std::span<const T> in, std::span<std::complex<T>> out,
                           std::span<std::complex<T>> scratch) const {
  constexpr const char* name = "rfft_plan::forward";
  require_length(name, "in", in.size(), size());
  require_length(name, "out", out.size(), bins());
  require_same_or_apart(name, in.data(), in.size_bytes(), out.data(), out.size_bytes());
  with_scratch<T>(name, scratch, scratch_size(),
                  [&](T* memory) { state_->forward(in.data(), out.data(), memory); });
}

template <class T>
void rfft_plan<T>::inverse(std::span<const std::complex<T>> in, std::span<T> out,
                           std::span<std::complex<T>> scratch) const {
  constexpr const char* name = "rfft_plan::inverse";
  require_length(name, "in", in.size(), bins());
  require_length(name, "out", out.size(), size());
  require_same_or_apart(name, in.data(), in.size_bytes(), out.data(), out.size_bytes());
  with_scratch<T>(name, scratch, scratch_size(),
                  [&](T* memory) { state_->inverse(in.data(), out.data(), memory); });
}

template <class T>
void rfft_plan<T>::forward_batch(view<const T, 2> in, view<std::complex<T>, 2> out,
                                 int threads) const {
  transform_axis("rfft_plan::forward_batch", real_line_forward<T>(*this), any_rank(in),
                 any_rank(out), 1, threads);
}

template <class T>
void rfft_plan<T>::inverse_batch(view<const std::complex<T>, 2> in, view<T, 2> out,
                                 int threads) const {
  transform_axis("rfft_plan::inverse_batch", real_line_inverse<T>(*this), any_rank(in),
                 any_rank(out), 1, threads);
}

template <class T>
void rfft_plan<T>::forward_lines(base_detail::strided<const T> in,
                                 base_detail::strided<std::complex<T>> out, std::size_t axis,
                                 int threads) const {
  transform_axis("rfft_plan::forward_axis", real_line_forward<T>(*this), in, out, axis, threads);
}

template <class T>
void rfft_plan<T>::inverse_lines(base_detail::strided<const std::complex<T>> in,
                                 base_detail::strided<T> out, std::size_t axis, int threads) const {
  transform_axis("rfft_plan::inverse_axis", real_line_inverse<T>(*this), in, out, axis, threads);
}

template class rfft_plan<float>;
template class rfft_plan<double>;
template class rfft_plan<long double>;

}  // namespace papilio
