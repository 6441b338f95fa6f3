#pragma once

#include <fftw3.h>

namespace papilio::transform_detail {

/// The names of FFTW's interface in one precision.
template <class T>
struct fftw_api;

#define PAPILIO_FFTW_API(Real, prefix)                             \
  template <>                                                      \
  struct fftw_api<Real> {                                          \
    using complex = prefix##_complex;                              \
    using plan = prefix##_plan;                                    \
    using dimension = prefix##_iodim64;                            \
    static constexpr auto plan_dft = prefix##_plan_guru64_dft;     \
    static constexpr auto plan_r2c = prefix##_plan_guru64_dft_r2c; \
    static constexpr auto plan_c2r = prefix##_plan_guru64_dft_c2r; \
    static constexpr auto execute_dft = prefix##_execute_dft;      \
    static constexpr auto execute_r2c = prefix##_execute_dft_r2c;  \
    static constexpr auto execute_c2r = prefix##_execute_dft_c2r;  \
    static constexpr auto destroy = prefix##_destroy_plan;         \
    static constexpr auto print = prefix##_sprint_plan;            \
    static constexpr auto allocate = prefix##_malloc;              \
    static constexpr auto release = prefix##_free;                 \
  }
PAPILIO_FFTW_API(float, fftwf);
PAPILIO_FFTW_API(double, fftw);
PAPILIO_FFTW_API(long double, fftwl);
#undef PAPILIO_FFTW_API

}  // namespace papilio::transform_detail
