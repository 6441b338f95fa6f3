#pragma once

#include <mpi.h>

#include <complex>
#include <memory>

#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/fft/distribution.hpp"
#include "papilio/mpi/shared_array.hpp"

namespace papilio::mpi {

/// Moves an array among the ranks of a communicator from one distribution to another; both are of
/// the same extents and of as many ranks as the communicator has. T is float, double, or complex of
/// these.
///
/// Ranks that exchange elements are a group with a communicator of its own, in which one
/// MPI_Alltoallv moves all; counts are in rows, so that boxes beyond 2^31 elements go. Memory: both
/// boxes of the rank once more, taken while planning. Making one, executing and destroying it are
/// collective: every rank of the communicator does them, in the same order. Not for use by two
/// threads at once.
template <class T>
class PAPILIO_API redistribution {
 public:
  /// Plans the exchange; the communicator is duplicated. Throws on every rank what one of them
  /// refuses, naming it: invalid_argument for other extents, numbers of ranks, or arguments that
  /// differ between ranks; resource_error for memory, and for more than 2^31 - 1 rows to one rank;
  /// error for what MPI reports.
  redistribution(MPI_Comm communicator, const distribution& from, const distribution& to);
  redistribution(redistribution&&) noexcept;
  redistribution& operator=(redistribution&&) noexcept;
  ~redistribution();

  /// Boxes of this rank.
  const box& input() const;
  const box& output() const;

  /// Moves the elements of input() to output(), of any strides; `out` may overlap `in`.
  /// Throws on every rank shape_error for other extents on one of them.
  void execute(tensor_view<const T> in, tensor_view<T> out);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

extern template class redistribution<float>;
extern template class redistribution<double>;
extern template class redistribution<std::complex<float>>;
extern template class redistribution<std::complex<double>>;

}  // namespace papilio::mpi
