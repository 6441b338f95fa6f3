// Stockham autosort: n = R_1 R_2 ... R_m, one pass for each factor, decimation in time, the index
// of the finished part fastest, no bit reversal (the identity is in pass.hpp).
#include "fft/stockham.hpp"

#include <utility>

#include "fft/stockham_passes.hpp"

namespace papilio::fft_detail {
namespace {

template <class T>
class stockham final : public executable<T> {
 public:
  stockham(const recipe& r, direction dir, long double scale)
      : stockham(r, dir, stockham_passes<T>(r, static_cast<T>(scale)), static_cast<T>(scale)) {}

  void execute(const T* in, T* out, T* scratch, int) const override {
    if (passes_.count() < 2) {
      if (passes_.count() == 0) {
        copy_scaled(in, in + 1, out, out + 1);
      } else {
        single_(passes_.first(), in, nullptr, out, nullptr);
      }
      return;
    }
    pass_buffers<T> b = passes_.lines(scratch, {out, out + n_}, in == out);
    first_(passes_.first(), in, nullptr, b.from.re, b.from.im);
    passes_.run_middle(b);
    last_(passes_.last(), b.from.re, b.from.im, out, nullptr);
  }

  void execute_split(const T* in_re, const T* in_im, T* out_re, T* out_im,
                     T* scratch) const override {
    if (passes_.count() == 0) return copy_scaled(in_re, in_im, out_re, out_im);
    if (swap_) {
      std::swap(in_re, in_im);
      std::swap(out_re, out_im);
    }
    if (passes_.count() == 1) {
      single_split_(passes_.first(), in_re, in_im, out_re, out_im);
      return;
    }
    const bool in_place = in_re == out_re || in_re == out_im || in_im == out_re || in_im == out_im;
    pass_buffers<T> b = passes_.lines(scratch, {out_re, out_im}, in_place);
    passes_.split_form(0)(passes_.first(), in_re, in_im, b.from.re, b.from.im);
    passes_.run_middle(b);
    passes_.split_form(passes_.count() - 1)(passes_.last(), b.from.re, b.from.im, out_re, out_im);
  }

 private:
  stockham(const recipe& r, direction dir, stockham_passes<T> passes, T scale)
      : executable<T>(passes.scratch_reals()),
        n_(r.n),
        swap_(dir == direction::inverse),
        scale_(scale),
        passes_(std::move(passes)) {
    if (passes_.count() == 0) return;
    const auto kernels_of = [](const pass<T>& p) -> const pass_kernels<T>& {
      return find_pass_kernels<T>(p.radix, p.lanes);
    };
    first_ = kernels_of(passes_.first()).first[swap_];
    last_ = kernels_of(passes_.last()).last[swap_];
    single_ = kernels_of(passes_.first()).single[swap_];
    single_split_ = kernels_of(passes_.first()).single_split;
  }

  void copy_scaled(const T* in_re, const T* in_im, T* out_re, T* out_im) const {
    const T re = *in_re * scale_, im = *in_im * scale_;
    *out_re = re;
    *out_im = im;
  }

  std::size_t n_;
  bool swap_;
  T scale_;
  stockham_passes<T> passes_;
  pass_function<T> first_ = nullptr, last_ = nullptr, single_ = nullptr, single_split_ = nullptr;
};

}  // namespace

template <class T>
std::unique_ptr<const executable<T>> build_stockham(const recipe& r, direction dir,
                                                    long double scale) {
  return std::make_unique<stockham<T>>(r, dir, scale);
}

template std::unique_ptr<const executable<float>> build_stockham(const recipe&, direction,
                                                                 long double);
template std::unique_ptr<const executable<double>> build_stockham(const recipe&, direction,
                                                                  long double);
template std::unique_ptr<const executable<long double>> build_stockham(const recipe&, direction,
                                                                       long double);

}  // namespace papilio::fft_detail
