// Codelets: short transforms in registers or in the first cache; the identity is in
// simd/codelet-inl.hpp.
#include "fft/codelet.hpp"

#include "base/roots_of_unity.hpp"
#include "papilio/base/array.hpp"

namespace papilio::fft_detail {

using base_detail::roots_of_unity;

std::optional<recipe> design_codelet(std::size_t n) { return codelet_among(codelet_radices, n); }

// Below every other: what lies between its steps stays in registers or in the first cache.
double codelet_cost(const recipe& r) { return 7 * static_cast<double>(r.n); }

namespace {

template <class T>
array<T, 1> codelet_twiddles(const recipe& r, direction dir) {
  const codelet_code<T>& code = *find_codelet<T>(r.n);
  const std::size_t complexes = code.complexes, row = 4 * complexes;
  const std::size_t n = r.n, columns = r.radices[0], rows = n / columns;
  array<T, 1> twiddles(4 * rows * (columns - 1) + (code.halves ? 3 * row : 0), uninitialized);
  const roots_of_unity<T> root(n);
  T* next = twiddles.data();
  for (std::size_t c = 0; c < rows; c += complexes)
    for (std::size_t k = 1; k < columns; ++k, next += row)
      for (std::size_t i = 0; i < complexes; ++i)
        put_twiddle(next, complexes, i, root(k * (c + i)), dir);
  if (!code.halves) return twiddles;
  for (std::size_t q = 1; q < 4; ++q, next += row)
    for (std::size_t i = 0; i < complexes; ++i)
      put_twiddle(next, complexes, i, root(i < complexes / 2 ? 0 : q * n / 8), dir);
  return twiddles;
}

template <class T>
class codelet final : public executable<T> {
 public:
  codelet(const recipe& r, direction dir, long double scale)
      : executable<T>(aligned_reals<T>(find_codelet<T>(r.n)->memory_reals)),
        constants_(r, dir, scale),
        tables_(constants_.tables()),
        run_(find_codelet<T>(r.n)->run[scale != 1]),
        run_lines_(find_codelet<T>(r.n)->run_lines[scale != 1]),
        run_split_(find_codelet<T>(r.n)->run_split[scale != 1]) {}

  void execute(const T* in, T* out, T* scratch, int) const override {
    run_(tables_, in, out, aligned(scratch));
  }
  void execute_lines(const T* in, std::ptrdiff_t in_step, T* out, std::ptrdiff_t out_step,
                     std::size_t count, T* scratch) const override {
    run_lines_(tables_, in, in_step, out, out_step, count, aligned(scratch));
  }
  void execute_split(const T* in_re, const T* in_im, T* out_re, T* out_im,
                     T* scratch) const override {
    run_split_(tables_, in_re, in_im, out_re, out_im, aligned(scratch));
  }

 private:
  codelet_constants<T> constants_;
  codelet_tables<T> tables_;
  codelet_function<T> run_;
  codelet_lines_function<T> run_lines_;
  split_codelet_function<T> run_split_;
};

}  // namespace

template <class T>
codelet_constants<T>::codelet_constants(const recipe& r, direction dir, long double scale)
    : twiddles_(codelet_twiddles<T>(r, dir)),
      rows_(column_codelet_twiddles<T>(std::span(r.radices).subspan(1), dir)),
      sign_(dir == direction::inverse ? T(-1) : T(1)),
      scale_(static_cast<T>(scale)) {}

template <class T>
codelet_tables<T> codelet_constants<T>::tables() const {
  return {twiddles_.data(), sign_, scale_, rows_.data()};
}

template <class T>
std::unique_ptr<const executable<T>> build_codelet(const recipe& r, direction dir,
                                                   long double scale) {
  return std::make_unique<codelet<T>>(r, dir, scale);
}

template std::unique_ptr<const executable<float>> build_codelet(const recipe&, direction,
                                                                long double);
template std::unique_ptr<const executable<double>> build_codelet(const recipe&, direction,
                                                                 long double);

template class codelet_constants<float>;
template class codelet_constants<double>;

}  // namespace papilio::fft_detail
