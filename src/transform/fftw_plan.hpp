#pragma once

#include <cstddef>
#include <string>

#include "papilio/dispatch/operation.hpp"
#include "transform/fftw_api.hpp"

namespace papilio::transform_detail {

/// A plan of FFTW for one line, or for a whole array, in row-major memory without gaps, from one
/// buffer to another of any alignment; unscaled. Real inverses of arrays destroy their input, all
/// others keep it. Executing is safe from many threads.
template <class T>
class fftw_built {
 public:
  /// Throws resource_error if FFTW makes no plan.
  explicit fftw_built(const fft_problem& problem);
  ~fftw_built();
  fftw_built(const fftw_built&) = delete;
  fftw_built& operator=(const fftw_built&) = delete;

  /// `in` is written only where real inverses of arrays do.
  void execute(void* in, void* out) const;

  /// FFTW's own description, on one line.
  std::string recipe() const;

 private:
  fft_kind kind_;
  direction dir_;
  typename fftw_api<T>::plan plan_ = nullptr;
};

/// "3.3.10".
std::string fftw_version_number();

}  // namespace papilio::transform_detail
