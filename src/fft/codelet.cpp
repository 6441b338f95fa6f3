// Codelets: short transforms whole in registers, n = R1 R2; the identity is in
// simd/codelet-inl.hpp.
#include "fft/codelet.hpp"

#include "base/roots_of_unity.hpp"
#include "papilio/base/array.hpp"

namespace papilio::fft_detail {

using base_detail::roots_of_unity;

std::optional<recipe> design_codelet(std::size_t n) {
  const auto with = [&](std::size_t columns, std::size_t rows) {
    return recipe{recipe_kind::codelet, n, {columns, rows}, {}};
  };
  switch (n) {
    case 16:
      return with(4, 4);
    case 32:
      return with(4, 8);
    case 64:
      return with(8, 8);
    case 128:
      return with(16, 8);
    case 256:
      return with(16, 16);
    default:
      return std::nullopt;
  }
}

// Below every other: nothing is loaded or stored between its two halves.
double codelet_cost(const recipe& r) { return 7 * static_cast<double>(r.n); }

namespace {

// `complexes` times (w, w) in real parts, and (-w, w) in imaginary ones; conjugate for the inverse.
template <class T>
void put(T* next, std::size_t complexes, std::size_t i, std::complex<T> w, direction dir) {
  put_turning(next, complexes, i, dir == direction::inverse ? std::conj(w) : w);
}

}  // namespace

template <class T>
array<T, 1> codelet_twiddles(std::size_t n, direction dir) {
  const codelet_code<T>& code = *find_codelet<T>(n);
  const std::size_t complexes = code.complexes, row = 4 * complexes;
  array<T, 1> twiddles(4 * code.rows * (code.columns - 1) + (code.halves ? 3 * row : 0));
  const roots_of_unity<T> root(n);
  T* next = twiddles.data();
  for (std::size_t c = 0; c < code.rows; c += complexes)
    for (std::size_t k = 1; k < code.columns; ++k, next += row)
      for (std::size_t i = 0; i < complexes; ++i) put(next, complexes, i, root(k * (c + i)), dir);
  if (!code.halves) return twiddles;
  for (std::size_t q = 1; q < 4; ++q, next += row)
    for (std::size_t i = 0; i < complexes; ++i)
      put(next, complexes, i, root(i < complexes / 2 ? 0 : q * n / 8), dir);
  return twiddles;
}

namespace {

template <class T>
class codelet final : public executable<T> {
 public:
  codelet(const recipe& r, direction dir, long double scale)
      : executable<T>(0),
        run_(find_codelet<T>(r.n)->run[scale != 1]),
        run_split_(find_codelet<T>(r.n)->run_split[scale != 1]),
        memory_(codelet_twiddles<T>(r.n, dir)) {
    tables_.twiddles = memory_.data();
    tables_.sign = dir == direction::inverse ? T(-1) : T(1);
    tables_.scale = static_cast<T>(scale);
  }

  void execute(const T* in, T* out, T*, int) const override { run_(tables_, in, out); }

  void execute_split(const T* in_re, const T* in_im, T* out_re, T* out_im, T*) const override {
    run_split_(tables_, in_re, in_im, out_re, out_im);
  }

 private:
  codelet_function<T> run_;
  split_codelet_function<T> run_split_;
  array<T, 1> memory_;
  codelet_tables<T> tables_;
};

}  // namespace

template <class T>
std::unique_ptr<const executable<T>> build_codelet(const recipe& r, direction dir,
                                                   long double scale) {
  return std::make_unique<codelet<T>>(r, dir, scale);
}

template std::unique_ptr<const executable<float>> build_codelet(const recipe&, direction,
                                                                long double);
template std::unique_ptr<const executable<double>> build_codelet(const recipe&, direction,
                                                                 long double);

template array<float, 1> codelet_twiddles(std::size_t, direction);
template array<double, 1> codelet_twiddles(std::size_t, direction);

}  // namespace papilio::fft_detail
