#include "papilio/blas/vector.hpp"

#include <cmath>
#include <complex>

#include "blas/cblas_calls.hpp"
#include "blas/serial_blas.hpp"
#include "blas/vector_pieces.hpp"

namespace papilio::blas_detail {
namespace {

template <class T>
auto taxicab(T x) {
  return std::abs(std::real(x)) + std::abs(std::imag(x));
}

template <class T>
T conjugate_if(bool conjugated, T x) {
  if constexpr (is_complex<T>) return conjugated ? std::conj(x) : x;
  return x;
}

// Returns the same elements upwards, for the routines that take no negative step.
template <class T>
blas_vector<T> upwards(const view<T, 1>& x, std::size_t first, std::size_t count) {
  const auto piece = blas_piece(x, first, count);
  return {piece.lowest, std::abs(piece.step)};
}

}  // namespace

template <class T>
void axpy(T alpha, view<const T, 1> x, view<T, 1> y) {
  check_lengths("axpy", x, y.extent(0));
  base_detail::require_distinct("axpy", y);
  check_apart("axpy", "x", x, "y", y);
  use_serial_blas();
  if (!has_blas_step(x) || !has_blas_step(y)) {
    for (std::size_t i = 0; i < y.extent(0); ++i) y[i] += alpha * x[i];
    return;
  }
  for_blas_pieces(y.extent(0), [&](std::size_t first, std::size_t count) {
    const auto from = blas_piece(x, first, count);
    const auto to = blas_piece(y, first, count);
    call_axpy(static_cast<int>(count), alpha, from.lowest, from.step, to.lowest, to.step);
  });
}

template <class T>
void scal(T alpha, view<T, 1> x) {
  base_detail::require_distinct("scal", x);
  use_serial_blas();
  if (!has_blas_step(x)) {
    for (std::size_t i = 0; i < x.extent(0); ++i) x[i] *= alpha;
    return;
  }
  for_blas_pieces(x.extent(0), [&](std::size_t first, std::size_t count) {
    const auto piece = upwards(x, first, count);
    call_scal(static_cast<int>(count), alpha, piece.lowest, piece.step);
  });
}

template <class T>
T dot(view<const T, 1> x, view<const T, 1> y, bool conjugated) {
  check_lengths("dot", x, y.extent(0));
  use_serial_blas();
  T sum = T(0);
  if (!has_blas_step(x) || !has_blas_step(y)) {
    for (std::size_t i = 0; i < y.extent(0); ++i) sum += conjugate_if(conjugated, x[i]) * y[i];
    return sum;
  }
  for_blas_pieces(y.extent(0), [&](std::size_t first, std::size_t count) {
    const auto left = blas_piece(x, first, count);
    const auto right = blas_piece(y, first, count);
    sum += call_dot(conjugated, static_cast<int>(count), left.lowest, left.step, right.lowest,
                    right.step);
  });
  return sum;
}

template <class T>
decltype(std::abs(T())) nrm2(view<const T, 1> x) {
  use_serial_blas();
  decltype(std::abs(T())) norm = 0;
  if (!has_blas_step(x)) {
    for (std::size_t i = 0; i < x.extent(0); ++i) norm = std::hypot(norm, std::abs(x[i]));
    return norm;
  }
  for_blas_pieces(x.extent(0), [&](std::size_t first, std::size_t count) {
    const auto piece = upwards(x, first, count);
    norm = std::hypot(norm, call_nrm2(static_cast<int>(count), piece.lowest, piece.step));
  });
  return norm;
}

template <class T>
decltype(std::abs(T())) asum(view<const T, 1> x) {
  use_serial_blas();
  decltype(std::abs(T())) sum = 0;
  if (!has_blas_step(x)) {
    for (std::size_t i = 0; i < x.extent(0); ++i) sum += taxicab(x[i]);
    return sum;
  }
  for_blas_pieces(x.extent(0), [&](std::size_t first, std::size_t count) {
    const auto piece = upwards(x, first, count);
    sum += call_asum(static_cast<int>(count), piece.lowest, piece.step);
  });
  return sum;
}

template <class T>
std::size_t iamax(view<const T, 1> x) {
  if (x.empty()) throw shape_error("iamax: x is empty");
  use_serial_blas();
  std::size_t best = 0;
  if (!has_blas_step(x) || (x.extent(0) > 1 && x.stride(0) < 0)) {
    // BLAS finds the first of equals upwards in memory.
    for (std::size_t i = 1; i < x.extent(0); ++i)
      if (taxicab(x[i]) > taxicab(x[best])) best = i;
    return best;
  }
  for_blas_pieces(x.extent(0), [&](std::size_t first, std::size_t count) {
    const auto piece = blas_piece(x, first, count);
    const std::size_t found = first + call_iamax(static_cast<int>(count), piece.lowest, piece.step);
    if (taxicab(x[found]) > taxicab(x[best])) best = found;
  });
  return best;
}

#define PAPILIO_INSTANTIATE(T)                                          \
  template PAPILIO_API void axpy(T, view<const T, 1>, view<T, 1>);      \
  template PAPILIO_API void scal(T, view<T, 1>);                        \
  template PAPILIO_API T dot(view<const T, 1>, view<const T, 1>, bool); \
  template PAPILIO_API decltype(std::abs(T())) nrm2(view<const T, 1>);  \
  template PAPILIO_API decltype(std::abs(T())) asum(view<const T, 1>);  \
  template PAPILIO_API std::size_t iamax(view<const T, 1>)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail
