#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "page_rows.hpp"
#include "papilio/base.hpp"
#include "papilio/dispatch/execution.hpp"
#include "turns.hpp"

namespace papilio::bench {

/// Elements.
std::size_t count_of(const operand_shape& s);

/// The operands of a row in memory of the host, as reals (a complex number is two), and the call of
/// the public API that computes it. The same values in float and in double; energies of orbitals
/// are evenly spaced, with a gap.
template <class T>
class host_operation {
 public:
  /// std::runtime_error for rows without an operation.
  explicit host_operation(const page_row& row);
  host_operation(const host_operation&) = delete;
  host_operation& operator=(const host_operation&) = delete;

  void fill();
  void run(int threads) const { run_(threads); }

  std::vector<array<T, 1>> in;
  array<T, 1> out;

 private:
  std::function<void(int)> run_;
};
extern template class host_operation<float>;
extern template class host_operation<double>;

/// The decomposition of a row, of normally distributed elements.
std::function<void(const execution&)> decomposition_call(const decomposition& of);

/// A row's call on one thread (CPU time) or all (wall time), beside its peer: FFTW planned with
/// MEASURE on one thread, plain calls of cblas on as many.
row host_row(const page_row& of, bool is_on_all);

}  // namespace papilio::bench
