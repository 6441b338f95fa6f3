#include "papilio/fft/rfft_plan.hpp"

#include "fft/axis.hpp"
#include "fft/design.hpp"
#include "fft/line.hpp"
#include "fft/measure.hpp"
#include "fft/real_line.hpp"
#include "fft/real_transform.hpp"

namespace papilio {

using namespace fft_detail;

template <class T>
struct rfft_plan<T>::state {
  std::size_t n;
  real_scales scales;
  recipe plan;
  std::unique_ptr<const real_transform<T>> transform;

  state(recipe chosen, real_scales factors)
      : n(chosen.n),
        scales(factors),
        plan(std::move(chosen)),
        transform(build_real<T>(plan, scales)) {}
};

template <class T>
rfft_plan<T>::rfft_plan(std::size_t n, fft_options options) {
  if (n == 0) throw invalid_argument("rfft_plan: n must be at least 1, got 0");
  checked_multiply(n, 16 * sizeof(std::complex<T>), "rfft_plan: n");
  const real_scales scales{scale_of(options.norm, direction::forward, n),
                           scale_of(options.norm, direction::inverse, n)};
  state_ = std::make_shared<const state>(
      real_design(n, [&](std::size_t m) { return choose_part<T>(m, options.plan_effort); }),
      scales);
}

template <class T>
std::size_t rfft_plan<T>::size() const {
  return state_->n;
}
template <class T>
std::size_t rfft_plan<T>::bins() const {
  return state_->n / 2 + 1;
}
template <class T>
std::size_t rfft_plan<T>::scratch_size() const {
  return (state_->transform->scratch_reals() + 1) / 2;
}
template <class T>
const recipe& rfft_plan<T>::design() const {
  return state_->plan;
}
template <class T>
rfft_plan<T> rfft_plan<T>::adjoint() const {
  return rfft_plan(std::make_shared<const state>(state_->plan, adjoint_of(state_->scales)));
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
  require_length(name, "in", in.size(), size(), "forward_batch");
  require_length(name, "out", out.size(), bins(), "forward_batch");
  require_same_or_apart(name, in.data(), in.size_bytes(), out.data(), out.size_bytes());
  with_scratch<T>(name, scratch, scratch_size(), [&](T* memory) {
    state_->transform->forward(in.data(), reals(out.data()), memory, 1);
  });
}

template <class T>
void rfft_plan<T>::inverse(std::span<const std::complex<T>> in, std::span<T> out,
                           std::span<std::complex<T>> scratch) const {
  constexpr const char* name = "rfft_plan::inverse";
  require_length(name, "in", in.size(), bins(), "inverse_batch");
  require_length(name, "out", out.size(), size(), "inverse_batch");
  require_same_or_apart(name, in.data(), in.size_bytes(), out.data(), out.size_bytes());
  with_scratch<T>(name, scratch, scratch_size(), [&](T* memory) {
    state_->transform->inverse(reals(in.data()), out.data(), memory, 1);
  });
}

template <class T>
std::size_t rfft_plan<T>::spectrum_scratch_size() const {
  return (state_->transform->spectrum_scratch_reals() + 1) / 2;
}

template <class T>
template <class Out>
void rfft_plan<T>::spectrum(const char* name, std::span<const T> in, std::span<const T> window,
                            spectrum_form form, std::span<Out> out,
                            std::span<std::complex<T>> scratch) const {
  require_length(name, "in", in.size(), size());
  require_length(name, "window", window.size(), size());
  require_length(name, "out", out.size(), bins());
  require_apart(name, in.data(), in.size_bytes(), out.data(), out.size_bytes());
  require_apart(name, window.data(), window.size_bytes(), out.data(), out.size_bytes());
  // Spans are captured by value: one that was passed in memory would be copied to the stack in one
  // load, which waits until the two stores that made it, and all before them, are in the cache.
  with_scratch<T>(name, scratch, spectrum_scratch_size(),
                  [state = state_.get(), from = in.data(), weights = window.data(), form,
                   to = reinterpret_cast<T*>(out.data())](T* memory) {
                    state->transform->spectrum(from, weights, form, to, memory);
                  });
}

template <class T>
void rfft_plan<T>::forward_windowed(std::span<const T> in, std::span<const T> window,
                                    std::span<std::complex<T>> out,
                                    std::span<std::complex<T>> scratch) const {
  spectrum("rfft_plan::forward_windowed", in, window, spectrum_form::complex, out, scratch);
}
template <class T>
void rfft_plan<T>::forward_magnitude(std::span<const T> in, std::span<const T> window,
                                     std::span<T> out, std::span<std::complex<T>> scratch) const {
  spectrum("rfft_plan::forward_magnitude", in, window, spectrum_form::magnitude, out, scratch);
}
template <class T>
void rfft_plan<T>::forward_power(std::span<const T> in, std::span<const T> window, std::span<T> out,
                                 std::span<std::complex<T>> scratch) const {
  spectrum("rfft_plan::forward_power", in, window, spectrum_form::power, out, scratch);
}

template <class T>
void rfft_plan<T>::forward_batch(view<const T, 2> in, view<std::complex<T>, 2> out,
                                 int threads) const {
  transform_axis("rfft_plan::forward_batch", plan_access::forward(*this), any_rank(in),
                 any_rank(out), 1, threads);
}

template <class T>
void rfft_plan<T>::inverse_batch(view<const std::complex<T>, 2> in, view<T, 2> out,
                                 int threads) const {
  transform_axis("rfft_plan::inverse_batch", plan_access::inverse(*this), any_rank(in),
                 any_rank(out), 1, threads);
}

template <class T>
void rfft_plan<T>::forward_lines(base_detail::strided<const T> in,
                                 base_detail::strided<std::complex<T>> out, std::size_t axis,
                                 int threads) const {
  transform_axis("rfft_plan::forward_axis", plan_access::forward(*this), in, out, axis, threads);
}

template <class T>
void rfft_plan<T>::inverse_lines(base_detail::strided<const std::complex<T>> in,
                                 base_detail::strided<T> out, std::size_t axis, int threads) const {
  transform_axis("rfft_plan::inverse_axis", plan_access::inverse(*this), in, out, axis, threads);
}

namespace fft_detail {

template <class T>
real_line_forward<T> plan_access::forward(const rfft_plan<T>& plan) {
  return {plan.size(), *plan.state_->transform};
}
template <class T>
real_line_inverse<T> plan_access::inverse(const rfft_plan<T>& plan) {
  return {plan.size(), *plan.state_->transform};
}
#define PAPILIO_LINES(T)                                                   \
  template real_line_forward<T> plan_access::forward(const rfft_plan<T>&); \
  template real_line_inverse<T> plan_access::inverse(const rfft_plan<T>&);
PAPILIO_LINES(float)
PAPILIO_LINES(double)
PAPILIO_LINES(long double)
#undef PAPILIO_LINES

}  // namespace fft_detail

template class rfft_plan<float>;
template class rfft_plan<double>;
template class rfft_plan<long double>;

}  // namespace papilio
