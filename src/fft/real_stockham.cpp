// Even n, the half length by Stockham passes: the first pass of the inverse entangles what it
// loads, and the last pass of the forward transform untangles what it stores (the identities are in
// real_pass.hpp). Column k of the last pass, its outputs k + l j, has its mirrors in column l - k.
#include <algorithm>
#include <utility>

#include "base/roots_of_unity.hpp"
#include "fft/real_pass.hpp"
#include "fft/real_transform.hpp"
#include "fft/stockham_passes.hpp"
#include "papilio/base/array.hpp"

namespace papilio::fft_detail {

using base_detail::roots_of_unity;
namespace {

template <class T>
class real_stockham final : public real_transform<T> {
 public:
  real_stockham(stockham_passes<T> passes, real_scales scales)
      : real_transform<T>(2 * passes.last().l * passes.last().radix, passes.scratch_reals()),
        passes_(std::move(passes)),
        half_(passes_.last().l * passes_.last().radix),
        first_(*find_real_pass_kernels<T>(passes_.first().radix)),
        last_(*find_real_pass_kernels<T>(passes_.last().radix)),
        first_plain_(find_pass_kernels<T>(passes_.first().radix, passes_.first().lanes).first[0]),
        last_swapped_(find_pass_kernels<T>(passes_.last().radix, passes_.last().lanes).last[1]) {
    const roots_of_unity<T> root(2 * half_);
    fill_untangling(root, scales.forward, scales.forward_ends);
    fill_entangling(root, scales.inverse, scales.inverse_ends);
  }

  void forward(const T* in, T* bins, T* scratch, int) const override {
    pass_buffers<T> b = passes_.lines(scratch, {bins, bins + half_}, in == bins);
    first_plain_(passes_.first(), in, nullptr, b.from.re, b.from.im);
    passes_.run_middle(b);
    last_.last_untangled[0](passes_.last(), untangling_, b.from.re, b.from.im, bins);
  }

  void spectrum(const T* in, const T* window, spectrum_form form, T* out,
                T* scratch) const override {
    // Reals to store are too few to serve as a line between passes.
    T* const line = form == spectrum_form::complex ? out : scratch + passes_.scratch_reals();
    pass_buffers<T> b = passes_.lines(scratch, {line, line + half_}, false);
    first_.first_windowed(passes_.first(), in, window, b.from.re, b.from.im);
    passes_.run_middle(b);
    last_.last_untangled[static_cast<int>(form)](passes_.last(), untangling_, b.from.re, b.from.im,
                                                 out);
  }
  std::size_t spectrum_scratch_reals() const override {
    return passes_.scratch_reals() + 2 * half_;
  }

  void inverse(const T* bins, T* out, T* scratch, int) const override {
    pass_buffers<T> b = passes_.lines(scratch, {out, out + half_}, bins == out);
    first_.first_entangled(passes_.first(), entangling_, bins, b.from.re, b.from.im);
    passes_.run_middle(b);
    last_swapped_(passes_.last(), b.from.re, b.from.im, out, nullptr);
  }

 private:
  // -i s/2 W^k.
  static T* put(T* next, std::size_t lanes, const roots_of_unity<T>& root, std::size_t first,
                long double scale) {
    const auto half = static_cast<T>(scale / 2);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::complex<T> w = root(first + lane);
      next[lane] = half * w.imag();
      next[lanes + lane] = -half * w.real();
    }
    return next + 2 * lanes;
  }

  void fill_untangling(const roots_of_unity<T>& root, long double scale, long double ends) {
    const pass<T>& p = passes_.last();
    const std::size_t lanes = last_.lanes, pairs = (p.l / 2 + lanes - 1) / lanes;
    const roots_of_unity<T> own(half_);
    for_last_ = array<T, 1>(pairs * 2 * lanes * (3 * p.radix - 2) + 2 * (p.radix / 2));
    untangling_ = {static_cast<T>(scale / 2), static_cast<T>(ends * scale), for_last_.data(),
                   nullptr};
    T* next = for_last_.data();
    for (std::size_t start = 1; 2 * start <= p.l; start += lanes) {
      const std::size_t k = std::min(start, p.l - lanes);
      next = fill_twiddle_block(p, own, k, lanes, next);
      next = fill_twiddle_block(p, own, p.l - k - lanes + 1, lanes, next);
      for (std::size_t j = 0; j < p.radix; ++j) next = put(next, lanes, root, k + p.l * j, scale);
    }
    untangling_.column = next;
    for (std::size_t j = 1; j <= p.radix / 2; ++j) next = put(next, 1, root, p.l * j, scale);
  }

  void fill_entangling(const roots_of_unity<T>& root, long double scale, long double ends) {
    const pass<T>& p = passes_.first();
    const std::size_t lanes = first_.lanes, blocks = (p.count + lanes - 1) / lanes;
    for_first_ = array<T, 1>(blocks * 2 * lanes * p.radix);
    entangling_ = {static_cast<T>(scale), static_cast<T>(ends), for_first_.data()};
    T* next = for_first_.data();
    for (std::size_t start = 0; start < p.count; start += lanes)
      for (std::size_t r = 0; r < p.radix; ++r, next += 2 * lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          const std::size_t t = std::min(start, p.count - lanes) + lane;
          const std::complex<T> w = root(t + p.count * r);
          next[lane] = entangling_.scale * w.imag();
          next[lanes + lane] = entangling_.scale * w.real();
        }
  }

  stockham_passes<T> passes_;
  std::size_t half_;
  const real_pass_kernels<T>&first_, &last_;
  pass_function<T> first_plain_, last_swapped_;
  untangling<T> untangling_;
  entangling<T> entangling_;
  array<T, 1> for_last_, for_first_;
};

}  // namespace

template <class T>
std::unique_ptr<const real_transform<T>> build_real_stockham(const recipe& r, real_scales scales) {
  if (r.parts[0].kind != recipe_kind::stockham || r.parts[0].radices.size() < 2) return nullptr;
  stockham_passes<T> passes(r.parts[0], T(1));
  const auto* first = find_real_pass_kernels<T>(passes.first().radix);
  const auto* last = find_real_pass_kernels<T>(passes.last().radix);
  if (first == nullptr || last == nullptr) return nullptr;
  if (passes.first().count < first->lanes || passes.last().l <= last->lanes) return nullptr;
  return std::make_unique<real_stockham<T>>(std::move(passes), scales);
}

template std::unique_ptr<const real_transform<float>> build_real_stockham(const recipe&,
                                                                          real_scales);
template std::unique_ptr<const real_transform<double>> build_real_stockham(const recipe&,
                                                                           real_scales);

}  // namespace papilio::fft_detail
