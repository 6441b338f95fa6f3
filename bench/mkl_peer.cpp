#include "mkl_peer.hpp"

#include <mkl_dfti.h>

#include <stdexcept>
#include <type_traits>
#include <vector>

namespace papilio::bench {
namespace {

void require(MKL_LONG status) {
  if (status != DFTI_NO_ERROR) throw std::runtime_error(DftiErrorMessage(status));
}

}  // namespace

template <class T>
mkl_peer<T>::mkl_peer(const bench_case& c, T* in, T* out)
    : in_(in), out_(out), is_inverse_(c.kind == shape::c2r) {
  const bool is_real = c.kind == shape::r2c || c.kind == shape::c2r;
  const std::vector<MKL_LONG> lengths(c.extents.begin(), c.extents.end());
  const auto precision = std::is_same_v<T, float> ? DFTI_SINGLE : DFTI_DOUBLE;
  const auto domain = is_real ? DFTI_REAL : DFTI_COMPLEX;
  DFTI_DESCRIPTOR_HANDLE handle = nullptr;
  // In parentheses: the function, not the macro of its name, which takes literals.
  const auto rank = static_cast<MKL_LONG>(lengths.size());
  require(rank == 1 ? (DftiCreateDescriptor)(&handle, precision, domain, rank, lengths[0])
                    : (DftiCreateDescriptor)(&handle, precision, domain, rank, lengths.data()));
  descriptor_ = handle;
  require(DftiSetValue(handle, DFTI_PLACEMENT, DFTI_NOT_INPLACE));
  if (is_real) require(DftiSetValue(handle, DFTI_CONJUGATE_EVEN_STORAGE, DFTI_COMPLEX_COMPLEX));
  if (c.batch > 1) {
    const auto points = static_cast<MKL_LONG>(c.points());
    require(DftiSetValue(handle, DFTI_NUMBER_OF_TRANSFORMS, static_cast<MKL_LONG>(c.batch)));
    require(DftiSetValue(handle, DFTI_FWD_DISTANCE, points));
    require(DftiSetValue(handle, DFTI_BWD_DISTANCE, points));
  }
  require(DftiCommitDescriptor(handle));
}

template <class T>
mkl_peer<T>::~mkl_peer() {
  auto handle = static_cast<DFTI_DESCRIPTOR_HANDLE>(descriptor_);
  DftiFreeDescriptor(&handle);
}

template <class T>
void mkl_peer<T>::operator()() const {
  const auto handle = static_cast<DFTI_DESCRIPTOR_HANDLE>(descriptor_);
  if (is_inverse_) {
    DftiComputeBackward(handle, in_, out_);
  } else {
    DftiComputeForward(handle, in_, out_);
  }
}

template class mkl_peer<float>;
template class mkl_peer<double>;

}  // namespace papilio::bench
