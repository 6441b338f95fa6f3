#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decompose/leading_subspace.hpp"
#include "decompose/projection.hpp"
#include "decompose/runner.hpp"
#include "papilio/base/array.hpp"

namespace papilio::decompose_detail {

/// Array that is multiplied along its axes until it is short, and whose unfoldings' singular
/// vectors are asked for. Products wait until they are needed.
///
/// On an accelerator, in float, all products that wait and the Gram matrix that is asked for are
/// one dispatch: matrices go up, the Gram matrix comes back, and the array stays. The host computes
/// eigenvectors, in double. The accelerator states the relative error e of its sums, in the
/// Euclidean norm. Elements of a Gram matrix of n rows err by about e times the roots of the
/// diagonal's, its eigenvalues and their vectors by the norm of such a random matrix, 2 sqrt(n) e
/// of the largest. If vectors are not reliable for that, the array is fetched and the host computes
/// them its own way.
///
/// A dry run cuts nothing off: subspaces have the largest rank that is allowed, and vectors and
/// elements without meaning.
template <class T>
class mode_array {
 public:
  /// `x` [extents], row-major, is the host's and outlives this; a dry run does not read it. On an
  /// accelerator it goes up, once.
  mode_array(runner& on, const T* x, std::span<const std::size_t> extents);

  /// Extents after all products.
  std::vector<std::size_t> extents() const;
  /// Returns leading_subspace of the unfolding that has the axes [first, last) as rows.
  subspace<T> leading(std::size_t first, std::size_t last, const truncation& keep);
  /// Multiplies along an axis by the transpose of `factor` [extent, rank].
  void shorten(std::size_t axis, view<const T, 2> factor);
  /// Gives the elements other extents.
  void reshape(std::span<const std::size_t> extents);
  /// Goes back to the whole array, without any product.
  void restart();
  /// Returns the elements, row-major.
  array<T, 1> values();

  /// Whether the squared tails of leading() are right to rounding in double.
  bool has_exact_tails() const { return on_.is_host(); }
  /// The whole array, where it lies on an accelerator.
  const shared_tensor& whole() const { return whole_; }

 private:
  struct waiting {
    std::size_t axis;
    array<T, 2> factor;
  };
  const T* data() const { return is_whole_ ? of_host_ : kept_.data(); }
  std::vector<axis_product> products() const;
  std::vector<step_input> inputs() const;
  void compute();
  subspace<T> leading_by_device(const axis_range& rows, const mode_split& split,
                                const truncation& keep);
  subspace<T> leading_by_host(const mode_split& split, const truncation& keep);

  runner& on_;
  const T* of_host_;
  std::vector<std::size_t> whole_extents_, extents_;  // before the products that wait
  std::vector<waiting> waiting_;
  bool is_whole_ = true;          // nothing was computed since the beginning
  array<T, 1> kept_;              // the array as computed so far, on the host
  shared_tensor whole_, tensor_;  // on an accelerator
};

}  // namespace papilio::decompose_detail
