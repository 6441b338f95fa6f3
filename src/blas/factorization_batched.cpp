#include "papilio/blas/factorization.hpp"

#include <algorithm>
#include <atomic>
#include <complex>
#include <exception>
#include <limits>
#include <mutex>

#include "blas/block_grid.hpp"
#include "blas/gemm_check.hpp"
#include "blas/lapack_matrix.hpp"

namespace papilio::blas_detail {
namespace {

// Calls body(item) for each item of a batch, whose factorisation takes about `work`
// multiply-additions; rethrows what the first item of those that fail has thrown, whatever the
// threads.
template <class Body>
void for_items(const char* who, std::size_t batch, double work, int threads, const Body& body) {
  std::mutex mutex;
  std::exception_ptr failure;
  std::atomic<std::size_t> failed{std::numeric_limits<std::size_t>::max()};
  const auto keep = [&](std::size_t item, std::exception_ptr e) {
    const std::scoped_lock lock(mutex);
    if (item >= failed.load()) return;
    failed = item;
    failure = std::move(e);
  };
  const auto named = [&](std::size_t item, const std::exception& e) {
    return base_detail::message(who, ": item ", item, ": ", e.what());
  };
  const int team = threads_for(work * static_cast<double>(batch), threads);
  papilio::parallel_for(batch, team, [&](std::size_t item) {
    if (item > failed.load()) return;
    try {
      body(item);
    } catch (const invalid_argument& e) {
      keep(item, std::make_exception_ptr(invalid_argument(named(item, e))));
    } catch (...) {
      keep(item, std::current_exception());
    }
  });
  if (failure) std::rethrow_exception(failure);
}

template <class T, std::size_t Rank>
void put(const array<T, Rank>& from, array<T, Rank + 1>& to, std::size_t item) {
  std::ranges::copy(from, to.begin() + static_cast<std::ptrdiff_t>(item * from.size()));
}

template <class T>
std::size_t square_items(const char* who, const view<const T, 3>& a) {
  return square_extent(
      who, view<const T, 2>(a.data(), {a.extent(1), a.extent(2)}, {a.stride(1), a.stride(2)}));
}

// Factorisations in units of that of a product of the same size.
template <class T>
double work_of_item(const view<const T, 3>& a, double products) {
  const std::size_t m = a.extent(1), n = a.extent(2);
  return products * work_of(m, n, std::min(m, n), weight_of<T>);
}

}  // namespace

template <class T>
batched_qr_factors<T> qr_batched(view<const T, 3> a, int threads) {
  constexpr const char* who = "qr_batched";
  check_threads(who, threads);
  const auto [batch, m, n] = a.extents();
  const std::size_t k = std::min(m, n);
  batched_qr_factors<T> result{array<T, 3>({batch, m, k}), array<T, 3>({batch, k, n})};
  for_items(who, batch, work_of_item(a, 2), threads, [&](std::size_t i) {
    const qr_factors<T> item = qr(a[i]);
    put(item.q, result.q, i);
    put(item.r, result.r, i);
  });
  return result;
}

template <class T>
batched_svd_factors<T> svd_batched(view<const T, 3> a, svd_vectors vectors, int threads) {
  constexpr const char* who = "svd_batched";
  check_threads(who, threads);
  const auto [batch, m, n] = a.extents();
  const std::size_t k = std::min(m, n);
  const bool is_full = vectors == svd_vectors::full;
  batched_svd_factors<T> result;
  result.s = array<real_of_element<T>, 2>({batch, k});
  if (vectors != svd_vectors::none) {
    result.u = array<T, 3>({batch, m, is_full ? m : k});
    result.vh = array<T, 3>({batch, is_full ? n : k, n});
  }
  for_items(who, batch, work_of_item(a, 8), threads, [&](std::size_t i) {
    const svd_factors<T> item = svd(a[i], vectors);
    put(item.s, result.s, i);
    put(item.u, result.u, i);
    put(item.vh, result.vh, i);
  });
  return result;
}

template <class T>
batched_eigh_factors<T> eigh_batched(view<const T, 3> a, eigen_vectors vectors,
                                     matrix_triangle triangle, int threads) {
  constexpr const char* who = "eigh_batched";
  check_threads(who, threads);
  const std::size_t n = square_items(who, a), batch = a.extent(0);
  batched_eigh_factors<T> result;
  result.values = array<real_of_element<T>, 2>({batch, n});
  if (vectors == eigen_vectors::all) result.vectors = array<T, 3>({batch, n, n});
  for_items(who, batch, work_of_item(a, 5), threads, [&](std::size_t i) {
    const eigh_factors<T> item = eigh(a[i], vectors, triangle);
    put(item.values, result.values, i);
    put(item.vectors, result.vectors, i);
  });
  return result;
}

template <class T>
array<T, 3> cholesky_batched(view<const T, 3> a, matrix_triangle triangle, int threads) {
  constexpr const char* who = "cholesky_batched";
  check_threads(who, threads);
  square_items(who, a);
  array<T, 3> result(a.extents());
  for_items(who, a.extent(0), work_of_item(a, 0.5), threads,
            [&](std::size_t i) { put(cholesky(a[i], triangle), result, i); });
  return result;
}

template <class T>
array<T, 3> solve_batched(view<const T, 3> a, view<const T, 3> b, int threads) {
  constexpr const char* who = "solve_batched";
  check_threads(who, threads);
  const std::size_t n = square_items(who, a), batch = a.extent(0);
  if (b.extent(0) != batch || b.extent(1) != n)
    throw shape_error(base_detail::message(who, ": a is ", batch, " x ", n, " x ", n, ", b is ",
                                           b.extent(0), " x ", b.extent(1), " x ", b.extent(2)));
  array<T, 3> result(b.extents());
  for_items(who, batch, work_of_item(a, 1), threads,
            [&](std::size_t i) { put(solve(a[i], b[i]), result, i); });
  return result;
}

#define PAPILIO_INSTANTIATE(T)                                                                 \
  template PAPILIO_API batched_qr_factors<T> qr_batched(view<const T, 3>, int);                \
  template PAPILIO_API batched_svd_factors<T> svd_batched(view<const T, 3>, svd_vectors, int); \
  template PAPILIO_API batched_eigh_factors<T> eigh_batched(view<const T, 3>, eigen_vectors,   \
                                                            matrix_triangle, int);             \
  template PAPILIO_API array<T, 3> cholesky_batched(view<const T, 3>, matrix_triangle, int);   \
  template PAPILIO_API array<T, 3> solve_batched(view<const T, 3>, view<const T, 3>, int)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail
