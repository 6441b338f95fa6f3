#pragma once

#include <mpi.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/fft/distribution.hpp"
#include "papilio/fft/options.hpp"
#include "papilio/mpi/shared_array.hpp"

namespace papilio::mpi {

/// How ranks exchange elements: messages on any network, windows in memory that the ranks of one node
/// share; automatic: windows where all ranks are on one node with room for them.
enum class exchange_method { automatic, messages, windows };

/// Options of a distributed transform.
struct plan_options {
  /// Numbers of processes along the axes of the input, of which the last is 1; empty: best_grid. For
  /// one axis {ranks}, or empty.
  std::vector<int> grid = {};
  order output = order::natural;
  normalization norm = normalization::backward;
  exchange_method exchanges = exchange_method::automatic;
};

/// Complex discrete Fourier transform over all axes of an array that lies in boxes on the ranks of a
/// communicator, 1 to 8 axes. Sign and scaling are those of papilio::fftn_plan. T is float or
/// double.
///
///   papilio::mpi::fftn_plan<double> plan(MPI_COMM_WORLD, {512, 512, 512});
///   auto x = papilio::mpi::make_array<std::complex<double>>(plan.input());
///   auto y = papilio::mpi::make_array<std::complex<double>>(plan.output());
///   plan.forward(x, y);  // on every rank
///
/// The bits are those of papilio::fftn_plan on one process, for every number of ranks and grid; those
/// of inverse with transposed order, which goes from the first axis to the last, are equal for all
/// ranks and grids. An exchange copies what a rank has transformed, while it is in the cache, to where
/// one MPI_Alltoallv of the ranks that share it sends it from, or by windows to where the other ranks
/// find it behind a barrier.
///
/// One axis of n points is a matrix [n1, n2] to the steps, n1 n2 = n, n1 <= n2 as near to each other
/// as they can be (four-step: columns, twiddle factors, rows). input() is a part of the vector, of one
/// axis: rows of the matrix; so is output() in natural order: rows of [n2, n1]. In transposed order
/// output() is a box of rows of [n1, n2], whose element (k1, k2) is X[k1 + n1 k2]. Bits are the same
/// for all numbers of ranks, and not those of fft_plan. There are 3 exchanges, 2 in transposed order.
///
/// Making, executing and destroying a plan are collective. Memory: twice the largest box of the
/// rank, taken while planning, and a block for each thread. Not for use by two threads at once.
/// O(N log N / ranks).
template <class T>
class PAPILIO_API fftn_plan {
 public:
  /// Plans both directions; the communicator is duplicated. Throws on every rank what one of them
  /// refuses, naming it: invalid_argument for extents and grids that distribution refuses, a grid of
  /// another number of ranks or one that cuts the last of several axes, other than 1 to 8 axes, one
  /// axis with n1 below the ranks (a prime, say), or arguments that differ between ranks;
  /// resource_error for memory; error for what MPI reports. Where exchanges are to go by windows:
  /// invalid_argument for ranks on several nodes, resource_error for too little room in /dev/shm.
  fftn_plan(MPI_Comm communicator, std::vector<std::size_t> extents, plan_options options = {});
  fftn_plan(fftn_plan&&) noexcept;
  fftn_plan& operator=(fftn_plan&&) noexcept;
  ~fftn_plan();

  /// Boxes of this rank.
  const box& input() const;
  const box& output() const;
  const fft_design& design() const;

  /// Transforms the boxes input() to output(), or back. Arrays may have any strides (ghost cells);
  /// `out` may be `in` where both boxes are the same. `threads` threads share a rank's work (0: one
  /// per core).
  /// Throws on every rank what one of them refuses: shape_error for other extents or an `out` whose
  /// elements share addresses, invalid_argument if threads < 0 or the operands overlap otherwise,
  /// resource_error for the threads' memory.
  void forward(tensor_view<const std::complex<T>> in, tensor_view<std::complex<T>> out,
               int threads = 1);
  void inverse(tensor_view<const std::complex<T>> in, tensor_view<std::complex<T>> out,
               int threads = 1);
  /// Transforms to memory that the ranks share, which saves a copy where the last exchange goes by
  /// windows; on every rank the array that one make_array of this communicator has made.
  void forward(tensor_view<const std::complex<T>> in, shared_array<std::complex<T>>& out,
               int threads = 1);
  void inverse(tensor_view<const std::complex<T>> in, shared_array<std::complex<T>>& out,
               int threads = 1);

  /// Returns the steps of the forward transform, how exchanges go and why, what leaves this rank, its
  /// memory, and what network_model predicts with its defaults: seconds, the exchanges' share, memory
  /// of a rank, and the number of ranks of the least time.
  std::string explain() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

extern template class fftn_plan<float>;
extern template class fftn_plan<double>;

/// Discrete Fourier transform of a real array over all axes, and its inverse, among ranks as
/// mpi::fftn_plan; papilio::rfftn_plan on one process, to the bit in both directions. The spectrum has
/// n / 2 + 1 bins along the last axis, of extent n. 2 to 8 axes: one real axis is to be given to
/// mpi::fftn_plan as complex.
template <class T>
class PAPILIO_API rfftn_plan {
 public:
  /// Plans both directions of a real array of these extents. Throws as mpi::fftn_plan.
  rfftn_plan(MPI_Comm communicator, std::vector<std::size_t> extents, plan_options options = {});
  rfftn_plan(rfftn_plan&&) noexcept;
  rfftn_plan& operator=(rfftn_plan&&) noexcept;
  ~rfftn_plan();

  /// This rank's boxes of the real array and of the spectrum.
  const box& input() const;
  const box& output() const;
  /// Steps of the spectrum, of whose last axis the first step makes the bins.
  const fft_design& design() const;

  /// Transforms real boxes to boxes of the spectrum, or back, as mpi::fftn_plan.
  void forward(tensor_view<const T> in, tensor_view<std::complex<T>> out, int threads = 1);
  void forward(tensor_view<const T> in, shared_array<std::complex<T>>& out, int threads = 1);
  void inverse(tensor_view<const std::complex<T>> in, tensor_view<T> out, int threads = 1);

  std::string explain() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

extern template class rfftn_plan<float>;
extern template class rfftn_plan<double>;

}  // namespace papilio::mpi
