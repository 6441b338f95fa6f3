#include "papilio/chem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "blas/blas_operand.hpp"
#include "blas/block_grid.hpp"
#include "blas/buffer_pool.hpp"
#include "blas/cblas_calls.hpp"
#include "blas/serial_blas.hpp"
#include "chem/atomic_integrals.hpp"
#include "chem/device_integrals.hpp"
#include "chem/finite.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/dispatch/device_program.hpp"

namespace papilio::chem_detail {
namespace {

using base_detail::message;
using blas_detail::strided_matrix;

// C = A B, operands that BLAS can take.
template <class T>
void multiply(const strided_matrix<const T>& a, const strided_matrix<const T>& b, T* c,
              std::size_t pitch) {
  const auto left = blas_detail::expressed(a), right = blas_detail::expressed(b);
  blas_detail::call_row_major_gemm(left.op, right.op, static_cast<int>(a.rows),
                                   static_cast<int>(b.columns), static_cast<int>(a.columns), T(1),
                                   left.data, left.pitch, right.data, right.pitch, T(0), c,
                                   static_cast<int>(pitch));
}

/// Threads for which there is memory, beside `fixed_bytes`.
int team_of(double work, std::size_t block_bytes, std::size_t fixed_bytes,
            const ao_to_mo_options& options) {
  const std::size_t least = checked_add(block_bytes, fixed_bytes, "ao_to_mo: bytes of a block");
  if (options.memory_bytes < least)
    throw resource_error(message("ao_to_mo: memory_bytes must be at least ", least,
                                 " for one block, got ", options.memory_bytes));
  const int wanted = blas_detail::threads_for(work, options.on.threads);
  const std::size_t room = (options.memory_bytes - fixed_bytes) / block_bytes;
  return room < static_cast<std::size_t>(wanted) ? static_cast<int>(room) : wanted;
}

// Auxiliary functions of a block.
template <class T>
std::size_t block_functions(std::size_t half_rows, std::size_t naux) {
  constexpr std::size_t most = 64, least = 8, bytes = std::size_t{1} << 24;
  const std::size_t fitting = bytes / sizeof(T) / half_rows;
  return std::min(naux, std::clamp(fitting, least, most));
}

/// The two half transforms of B: one orbital set on one index of the integrals, then the other.
template <class T>
class transform {
 public:
  transform(const atomic_integrals<T>& integrals, view<const T, 2> c_occ, view<const T, 2> c_vir,
            array<T, 3>& result)
      : integrals_(integrals),
        nbf_(integrals.nbf()),
        naux_(integrals.auxiliaries()),
        occupied_first_(c_occ.extent(1) <= c_vir.extent(1) ||
                        c_vir.extent(1) > blas_detail::blas_limit / naux_),
        first_(columns_of(occupied_first_ ? c_occ : c_vir)),
        second_(columns_of(occupied_first_ ? c_vir : c_occ)),
        result_(result) {
    half_rows_ = checked_multiply(first_.extent(0), nbf_, "ao_to_mo: elements of a block");
    functions_ = block_functions<T>(half_rows_, naux_);
  }

  std::size_t fixed_bytes() const { return (first_.size() + second_.size()) * sizeof(T); }
  std::size_t block_elements() const {
    return checked_add(checked_multiply(half_rows_, functions_, "ao_to_mo: elements of a block"),
                       integrals_.scratch_elements(functions_), "ao_to_mo: elements of a block");
  }
  std::size_t block_count() const { return (naux_ + functions_ - 1) / functions_; }
  double work() const {
    return static_cast<double>(half_rows_) * static_cast<double>(naux_) *
           static_cast<double>(nbf_ + second_.extent(0));
  }

  void run(std::size_t block, T* workspace) const {
    const std::size_t at = block * functions_, functions = std::min(functions_, naux_ - at);
    T* const half = workspace;  // [first orbitals, nbf, functions]
    T* const scratch = workspace + half_rows_ * functions_;
    for (std::size_t n = 0; n < nbf_; ++n)
      multiply<T>(first_.view(), integrals_.slice(occupied_first_, n, at, functions, scratch),
                  half + n * functions, nbf_ * functions);
    const std::size_t virtuals = result_.extent(1);
    for (std::size_t o = 0; o < first_.extent(0); ++o) {
      const view<const T, 2> integrals(half + o * nbf_ * functions, {nbf_, functions});
      T* const to = result_.data() + o * (occupied_first_ ? virtuals : 1) * naux_ + at;
      multiply<T>(second_.view(), integrals, to, occupied_first_ ? naux_ : virtuals * naux_);
    }
  }

 private:
  // [orbitals, nbf], gapless: small, and then never copied again.
  static array<T, 2> columns_of(const view<const T, 2>& c) {
    array<T, 2> rows({c.extent(1), c.extent(0)}, uninitialized);
    blas_detail::copy_matrix(strided_matrix<const T>(c).transposed(),
                             strided_matrix<T>(rows.view()));
    return rows;
  }

  const atomic_integrals<T>& integrals_;
  std::size_t nbf_, naux_;
  bool occupied_first_;
  const array<T, 2> first_, second_;
  array<T, 3>& result_;
  std::size_t half_rows_ = 0, functions_ = 0;
};

template <class T>
void transform_all(const atomic_integrals<T>& integrals, view<const T, 2> c_occ,
                   view<const T, 2> c_vir, array<T, 3>& result, const ao_to_mo_options& options) {
  const transform<T> work(integrals, c_occ, c_vir, result);
  const std::size_t elements = work.block_elements();
  const std::size_t bytes = checked_multiply(elements, sizeof(T), "ao_to_mo: bytes of a block");
  const int team = team_of(work.work(), bytes, work.fixed_bytes(), options);
  blas_detail::buffer_pool<T> workspaces(
      std::min(work.block_count(), static_cast<std::size_t>(team)), elements);
  parallel_for(work.block_count(), team, [&](std::size_t block) {
    typename blas_detail::buffer_pool<T>::lease workspace(workspaces);
    work.run(block, workspace.data());
  });
}

constexpr std::size_t metric_rows = 128;

// Rows of B times the root, in double.
template <class T>
void multiply_rows(view<T, 2> rows, const array<double, 2>& root, double* workspace) {
  const std::size_t naux = rows.extent(1);
  double* const product = workspace + rows.size();
  std::copy_n(rows.data(), rows.size(), workspace);
  multiply<double>(view<const double, 2>(workspace, rows.extents()), root.view(), product, naux);
  std::transform(product, product + rows.size(), rows.data(),
                 [](double x) { return static_cast<T>(x); });
}

template <class T>
void apply_metric(array<T, 3>& b, const ao_to_mo_options& options) {
  const std::size_t rows = b.extent(0) * b.extent(1), naux = b.extent(2);
  const std::size_t elements = 2 * std::min(rows, metric_rows) * naux;
  const double work = static_cast<double>(b.size()) * static_cast<double>(naux);
  const std::size_t square = checked_multiply(naux, naux, "ao_to_mo: elements of the metric");
  const int team = team_of(work, elements * sizeof(double), 4 * square * sizeof(double), options);
  const array<double, 2> root = inverse_square_root(options.metric);
  const std::size_t blocks = (rows + metric_rows - 1) / metric_rows;
  blas_detail::buffer_pool<double> workspaces(std::min(blocks, static_cast<std::size_t>(team)),
                                              elements);
  parallel_for(blocks, team, [&](std::size_t block) {
    const std::size_t first = block * metric_rows;
    blas_detail::buffer_pool<double>::lease workspace(workspaces);
    multiply_rows<T>({b.data() + first * naux, {std::min(metric_rows, rows - first), naux}}, root,
                     workspace.data());
  });
}

template <class T>
void check_coefficients(const char* name, view<const T, 2> c, std::size_t nbf) {
  if (c.extent(0) != nbf)
    throw shape_error(message("ao_to_mo: eri is of ", nbf, " basis functions, ", name, " is ",
                              c.extent(0), " x ", c.extent(1), "; must have ", nbf, " rows"));
  for (std::size_t m = 0; m < nbf; ++m)
    for (std::size_t i = 0; i < c.extent(1); ++i)
      if (!std::isfinite(c(m, i)))
        throw invalid_argument(
            message("ao_to_mo: ", name, "[", m, ", ", i, "] must be finite, is ", c(m, i)));
}

template <class T>
void check_integrals(const view<const T, 3>& eri) {
  if (const auto at = first_not_finite(eri))
    throw invalid_argument(message("ao_to_mo: eri[", (*at)[0], ", ", (*at)[1], ", ", (*at)[2],
                                   "] must be finite, is ", eri((*at)[0], (*at)[1], (*at)[2])));
}

template <class T>
void check_integrals(const view<const T, 2>& eri) {
  const view<const T, 3> rows(eri.data(), {1, eri.extent(0), eri.extent(1)},
                              {0, eri.stride(0), eri.stride(1)});
  if (const auto at = first_not_finite(rows))
    throw invalid_argument(message("ao_to_mo: eri[", (*at)[1], ", ", (*at)[2],
                                   "] must be finite, is ", eri((*at)[1], (*at)[2])));
}

void record_host() { dispatch_detail::record_host_run("integrals over molecular orbitals"); }

template <class T>
array<T, 3> transformed(const atomic_integrals<T>& integrals, view<const T, 2> c_occ,
                        view<const T, 2> c_vir, const ao_to_mo_options& options) {
  const std::size_t naux = integrals.auxiliaries();
  check_coefficients("c_occ", c_occ, integrals.nbf());
  check_coefficients("c_vir", c_vir, integrals.nbf());
  const bool has_metric = options.metric.extent(0) > 0 || options.metric.extent(1) > 0;
  if (has_metric && options.metric.extents() != extents_type<2>{naux, naux})
    throw shape_error(message("ao_to_mo: eri has naux ", naux, ", metric is ",
                              options.metric.extent(0), " x ", options.metric.extent(1),
                              "; must be ", naux, " x ", naux));
  array<T, 3> b({c_occ.extent(1), c_vir.extent(1), naux});
  const bool is_empty = b.empty() || integrals.nbf() == 0;
  if (!is_empty && std::max({naux, integrals.nbf(), c_vir.extent(1), c_occ.extent(1)}) > 1u << 20)
    throw resource_error(message("ao_to_mo: extents must be at most ", 1u << 20));
  // Extents of 0 count as 1 where there is nothing to sum, so that the policy is checked anyway.
  const auto some = [&](std::size_t n) { return is_empty ? std::size_t{1} : n; };
  accelerator* const device =
      integrals_on({some(integrals.nbf()), some(b.extent(0)), some(b.extent(1)), some(naux),
                    has_metric, real_type_of<T>},
                   options.on);
  if (is_empty) return b;
  if (device != nullptr) {
    if constexpr (std::is_same_v<T, float>)
      transform_on(*device, integrals, c_occ, c_vir, b, options);
  } else {
    record_host();
    blas_detail::use_serial_blas();
    transform_all(integrals, c_occ, c_vir, b, options);
    if (has_metric) apply_metric(b, options);
  }
  for (const T& x : b)
    if (!std::isfinite(x))
      throw invalid_argument(message("ao_to_mo: sums exceed the range of ",
                                     sizeof(T) == sizeof(float) ? "float" : "double"));
  return b;
}

// Rows of a triangle: nbf (nbf + 1) / 2.
void check_triangle(std::size_t rows, std::size_t nbf) {
  if (nbf > std::size_t{1} << 31 || rows != nbf * (nbf + 1) / 2)
    throw shape_error(message("ao_to_mo: c_occ has ", nbf, " rows, so eri must have ", nbf, " * (",
                              nbf, " + 1) / 2 rows m >= n, got ", rows));
}

void check_threads(int threads) {
  if (threads < 0)
    throw invalid_argument(message("ao_to_mo: threads must be at least 0, got ", threads));
}

}  // namespace

template <class T>
array<T, 3> ao_to_mo(view<const T, 3> eri, view<const T, 2> c_occ, view<const T, 2> c_vir,
                     const ao_to_mo_options& options) {
  check_threads(options.on.threads);
  if (eri.extent(0) != eri.extent(1))
    throw shape_error(message("ao_to_mo: eri is ", eri.extent(0), " x ", eri.extent(1), " x ",
                              eri.extent(2), "; must be nbf x nbf x naux"));
  check_integrals(eri);
  return transformed(atomic_integrals<T>(eri), c_occ, c_vir, options);
}

template <class T>
array<T, 3> ao_to_mo(view<const T, 2> triangle, view<const T, 2> c_occ, view<const T, 2> c_vir,
                     const ao_to_mo_options& options) {
  check_threads(options.on.threads);
  check_triangle(triangle.extent(0), c_occ.extent(0));
  check_integrals(triangle);
  return transformed(atomic_integrals<T>(triangle, c_occ.extent(0)), c_occ, c_vir, options);
}

#define PAPILIO_INSTANTIATE(T)                                                                    \
  template PAPILIO_API array<T, 3> ao_to_mo(view<const T, 3>, view<const T, 2>, view<const T, 2>, \
                                            const ao_to_mo_options&);                             \
  template PAPILIO_API array<T, 3> ao_to_mo(view<const T, 2>, view<const T, 2>, view<const T, 2>, \
                                            const ao_to_mo_options&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::chem_detail
