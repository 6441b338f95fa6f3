#include "chem/atomic_integrals.hpp"

#include <algorithm>
#include <utility>

#include "blas/blas_operand.hpp"
#include "papilio/base/error.hpp"

namespace papilio::chem_detail {

template <class T>
std::size_t atomic_integrals<T>::scratch_elements(std::size_t functions) const {
  return checked_multiply(nbf(), functions, "ao_to_mo: elements of a block");
}

template <class T>
view<const T, 2> atomic_integrals<T>::slice(bool second_is_fixed, std::size_t index,
                                            std::size_t first, std::size_t functions,
                                            T* scratch) const {
  const view<T, 2> copy(scratch, {nbf(), functions});
  if (!is_triangle_) {
    const std::size_t fixed = second_is_fixed ? 1 : 0, free = 1 - fixed;
    const T* const start = full_.data() + static_cast<std::ptrdiff_t>(index) * full_.stride(fixed) +
                           static_cast<std::ptrdiff_t>(first) * full_.stride(2);
    const view<const T, 2> here(start, {nbf(), functions}, {full_.stride(free), full_.stride(2)});
    const blas_detail::strided_matrix<const T> matrix(here);
    if (blas_detail::is_expressible(matrix)) return here;
    blas_detail::copy_matrix(matrix, blas_detail::strided_matrix<T>(copy));
    return copy;
  }
  for (std::size_t m = 0; m < nbf(); ++m) {
    const std::size_t high = std::max(m, index), low = std::min(m, index);
    const view<const T, 1> row = triangle_[high * (high + 1) / 2 + low];
    for (std::size_t p = 0; p < functions; ++p) copy(m, p) = row[first + p];
  }
  return copy;
}

template <class T>
view<const T, 3> atomic_integrals<T>::auxiliary_first(array<T, 3>& memory) const {
  const std::size_t n = nbf(), naux = auxiliaries();
  if (!is_triangle_)
    return {full_.data(), {naux, n, n}, {full_.stride(2), full_.stride(0), full_.stride(1)}};
  memory = array<T, 3>({naux, n, n}, uninitialized);
  for (std::size_t p = 0; p < naux; ++p)
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t k = 0; k <= m; ++k)
        memory(p, m, k) = memory(p, k, m) = triangle_(m * (m + 1) / 2 + k, p);
  return std::as_const(memory).view();
}

template class atomic_integrals<float>;
template class atomic_integrals<double>;

}  // namespace papilio::chem_detail
