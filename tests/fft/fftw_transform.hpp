#pragma once

#include <fftw3.h>

#include <cstddef>
#include <vector>

namespace papilio::test {

enum class transform_kind { forward, inverse, r2c, c2r };

/// Reals that one line of n points takes and gives.
inline std::size_t input_reals(transform_kind kind, std::size_t n) {
  if (kind == transform_kind::r2c) return n;
  return kind == transform_kind::c2r ? 2 * (n / 2 + 1) : 2 * n;
}
inline std::size_t output_reals(transform_kind kind, std::size_t n) {
  if (kind == transform_kind::c2r) return n;
  return kind == transform_kind::r2c ? 2 * (n / 2 + 1) : 2 * n;
}

template <class T>
struct fftw_api;

template <>
struct fftw_api<float> {
  using complex = fftwf_complex;
  using plan = fftwf_plan;
  static constexpr auto c2c = fftwf_plan_dft_1d;
  static constexpr auto r2c = fftwf_plan_dft_r2c_1d;
  static constexpr auto c2r = fftwf_plan_dft_c2r_1d;
  static constexpr auto execute = fftwf_execute;
  static constexpr auto destroy = fftwf_destroy_plan;
};
template <>
struct fftw_api<double> {
  using complex = fftw_complex;
  using plan = fftw_plan;
  static constexpr auto c2c = fftw_plan_dft_1d;
  static constexpr auto r2c = fftw_plan_dft_r2c_1d;
  static constexpr auto c2r = fftw_plan_dft_c2r_1d;
  static constexpr auto execute = fftw_execute;
  static constexpr auto destroy = fftw_destroy_plan;
};
template <>
struct fftw_api<long double> {
  using complex = fftwl_complex;
  using plan = fftwl_plan;
  static constexpr auto c2c = fftwl_plan_dft_1d;
  static constexpr auto r2c = fftwl_plan_dft_r2c_1d;
  static constexpr auto c2r = fftwl_plan_dft_c2r_1d;
  static constexpr auto execute = fftwl_execute;
  static constexpr auto destroy = fftwl_destroy_plan;
};

/// FFTW's transform of one line in precision T, unscaled, on buffers of its own.
template <class T>
class fftw_transform {
 public:
  fftw_transform(transform_kind kind, std::size_t n)
      : in_(input_reals(kind, n)), out_(output_reals(kind, n)) {
    const int length = static_cast<int>(n);
    auto* const complex_in = reinterpret_cast<complex*>(in_.data());
    auto* const complex_out = reinterpret_cast<complex*>(out_.data());
    switch (kind) {
      case transform_kind::forward:
        plan_ = api::c2c(length, complex_in, complex_out, FFTW_FORWARD, FFTW_ESTIMATE);
        break;
      case transform_kind::inverse:
        plan_ = api::c2c(length, complex_in, complex_out, FFTW_BACKWARD, FFTW_ESTIMATE);
        break;
      case transform_kind::r2c:
        plan_ = api::r2c(length, in_.data(), complex_out, FFTW_ESTIMATE);
        break;
      case transform_kind::c2r:
        plan_ = api::c2r(length, complex_in, out_.data(), FFTW_ESTIMATE);
        break;
    }
  }
  fftw_transform(const fftw_transform&) = delete;
  fftw_transform& operator=(const fftw_transform&) = delete;
  ~fftw_transform() { api::destroy(plan_); }

  /// The input is converted to T, which must be at least as wide.
  template <class From>
  const std::vector<T>& operator()(const std::vector<From>& in) {
    static_assert(sizeof(From) <= sizeof(T));
    in_.assign(in.begin(), in.end());
    api::execute(plan_);
    return out_;
  }

 private:
  using api = fftw_api<T>;
  using complex = typename api::complex;

  std::vector<T> in_, out_;
  typename api::plan plan_ = nullptr;
};

}  // namespace papilio::test
