// Direct: the n^2 / 2 products of the sum itself, for a short odd n; the identity is in
// simd/direct-inl.hpp. With lanes over the outputs that is less than any detour of a short prime.
#include "fft/direct.hpp"

#include <utility>

#include "base/roots_of_unity.hpp"
#include "papilio/base/array.hpp"

namespace papilio::fft_detail {

using base_detail::roots_of_unity;

std::optional<recipe> design_direct(std::size_t n) {
  // Shorter ones are a pass of their own.
  if (n % 2 == 0 || n < 15 || n > max_direct) return std::nullopt;
  return recipe{recipe_kind::direct, n, {}, {}};
}

double direct_cost(const recipe& r) {
  const auto registers = static_cast<double>((r.n / 2 + 15) / 16);
  return static_cast<double>(r.n) * (35 + 8 * registers);
}

namespace {

template <class T>
class direct_sum final : public executable<T> {
 public:
  direct_sum(const recipe& r, direction dir, long double scale)
      : executable<T>(0), swap_(dir == direction::inverse), run_(find_direct<T>()) {
    constexpr std::size_t widest = 64 / sizeof(T);
    const std::size_t half = r.n / 2, width = (half + widest - 1) / widest * widest;
    memory_ = array<T, 1>(2 * width * half);
    const roots_of_unity<T> root(r.n);
    for (std::size_t i = 1; i <= half; ++i)
      for (std::size_t j = 1; j <= half; ++j) {
        const std::complex<T> w = root(i * j);
        memory_[2 * width * (i - 1) + j - 1] = w.real();
        memory_[2 * width * (i - 1) + width + j - 1] = -w.imag();
      }
    tables_ = {r.n, width, memory_.data(), static_cast<T>(scale)};
  }

  void execute(const T* in, T* out, T*, int) const override { run(in, in + 1, 2, out, out + 1, 2); }
  void execute_split(const T* in_re, const T* in_im, T* out_re, T* out_im, T*) const override {
    run(in_re, in_im, 1, out_re, out_im, 1);
  }

 private:
  void run(const T* in_re, const T* in_im, std::size_t in_step, T* out_re, T* out_im,
           std::size_t out_step) const {
    if (swap_) {
      std::swap(in_re, in_im);
      std::swap(out_re, out_im);
    }
    run_(tables_, in_re, in_im, in_step, out_re, out_im, out_step);
  }

  bool swap_;
  direct_function<T> run_;
  array<T, 1> memory_;
  direct_tables<T> tables_;
};

}  // namespace

template <class T>
std::unique_ptr<const executable<T>> build_direct(const recipe& r, direction dir,
                                                  long double scale) {
  return std::make_unique<direct_sum<T>>(r, dir, scale);
}

template std::unique_ptr<const executable<float>> build_direct(const recipe&, direction,
                                                               long double);
template std::unique_ptr<const executable<double>> build_direct(const recipe&, direction,
                                                                long double);

}  // namespace papilio::fft_detail
