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

/// Two buffers, each of a rank's largest box: data are sent from one and received in the other.
template <class T>
struct box_buffers {
  array<std::complex<T>, 1> first, second;
};

/// One direction of a transform among ranks: the steps of a design over complex elements, with the
/// real transform of the last axis before them or behind them. In place of an array that a step
/// leaves, its exchange sends what threads have copied from their caches.
template <class T>
class box_transform {
 public:
  using complex = std::complex<T>;
  using real_lines = std::shared_ptr<const fft_detail::real_box_lines<T>>;
  using twiddles = std::shared_ptr<const matrix_twiddles<T>>;

  /// Collective. `design` goes over the spectrum's extents; `real`, if there is one, transforms the
  /// last axis in place of the complex lines; `between`, if given, is between the axes of a matrix.
  box_transform(const communicator& all, const fft_design& design, direction dir,
                fft_options options, real_lines real, twiddles between = nullptr);

  std::size_t buffer_elements() const { return buffer_elements_; }
  /// Elements of this rank that leave it, over all exchanges.
  std::size_t sent() const;
  /// Allocates work memory of so many threads.
  void require_threads(int threads);

  /// Collective. In and Out are complex, or T on the side of the real transform.
  template <class In, class Out>
  void run(strided<const In> in, strided<Out> out, box_buffers<T>& buffers, int threads);

 private:
  struct step {
    std::vector<fft_detail::box_lines<T>> lines;
    bool real_first = false, real_last = false;
    std::unique_ptr<const exchange<complex>> after;
    box here;  // what the complex lines find
    std::size_t chunk_axis = 0, chunk = 0;
  };
  // Memory of a thread: a chunk, and that of lines.
  struct worker {
    array<complex, 1> chunk;
    array<T, 1> memory;
  };

  void choose_chunk(step& s) const;
  template <class In, class Out>
  void run_step(const step& s, strided<const In> in, strided<complex> work, strided<Out> out,
                complex* send, int threads);
  template <class In, class Out>
  void run_chunk(const step& s, std::size_t first, std::size_t count, strided<const In> in,
                 strided<complex> work, strided<Out> out, complex* send, worker& w) const;

  std::vector<step> steps_;
  real_lines real_;
  twiddles between_;
  std::size_t buffer_elements_ = 0, chunk_elements_ = 0, memory_reals_ = 0;
  std::vector<worker> workers_;
};

}  // namespace papilio::mpi
