#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fft/box_lines.hpp"
#include "mpi/exchange.hpp"
#include "mpi/one_axis.hpp"
#include "papilio/base/array.hpp"
#include "papilio/fft/options.hpp"

namespace papilio::mpi {

/// Two buffers, each of a rank's largest box: data are sent from one and received in the other, or
/// written in turn to the one and the other by all ranks.
struct box_buffers {
  node_memory first, second;
};

/// Elements of each buffer that a rank needs for a design; 0 without exchanges.
std::size_t buffer_elements(const fft_design& design, int rank);

/// One direction of a transform among ranks: the steps of a design over complex elements, with the
/// real transform of the last axis before them or behind them. In place of an array that a step
/// leaves, its exchange sends what threads have copied from their caches, or that goes to windows.
template <class T>
class box_transform {
 public:
  using complex = std::complex<T>;
  using real_lines = std::shared_ptr<const fft_detail::real_box_lines<T>>;
  using twiddles = std::shared_ptr<const matrix_twiddles<T>>;

  /// Collective. `design` goes over the spectrum's extents; `real`, if there is one, transforms the
  /// last axis in place of the complex lines; `between`, if given, is between the axes of a matrix.
  /// Exchanges go by windows or by messages.
  box_transform(const communicator& all, const fft_design& design, direction dir,
                fft_options options, real_lines real, bool by_windows, twiddles between = nullptr);

  /// Elements of this rank that leave it, over all exchanges.
  std::size_t sent() const;
  /// Whether the last step is an exchange, whose result goes to `shared_out` by windows.
  bool ends_in_windows() const { return by_windows_ && steps_.back().after != nullptr; }
  /// Allocates work memory of so many threads.
  void require_threads(int threads);

  /// Collective. In and Out are complex, or T on the side of the real transform. `shared_out`, which
  /// may be null, is the shared memory that `out` is on every rank, row-major.
  template <class In, class Out>
  void run(const communicator& all, strided<const In> in, strided<Out> out,
           const node_memory* shared_out, const box_buffers& buffers, int threads);

 private:
  struct step {
    std::vector<fft_detail::box_lines<T>> lines;
    bool real_first = false, real_last = false;
    std::unique_ptr<const exchange<complex>> after;
    box here;    // what the complex lines find
    blocks cut;  // which threads take one by one
  };
  // Memory of a thread: a block, and that of lines.
  struct worker {
    array<complex, 1> block;
    array<T, 1> memory;
  };

  blocks blocks_of(const step& s, const box& here) const;
  template <class In, class Out>
  void run_step(const step& s, strided<const In> in, bool in_blocks, strided<Out> out,
                const node_memory& to, int threads);
  template <class In, class Out>
  void run_block(const step& s, std::size_t first, std::size_t count, strided<const In> in,
                 bool in_blocks, strided<Out> out, const node_memory& to, worker& w) const;

  std::vector<step> steps_;
  real_lines real_;
  twiddles between_;
  bool by_windows_;
  std::size_t memory_reals_ = 0;
  std::vector<worker> workers_;
};

}  // namespace papilio::mpi
