#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decompose/device_step.hpp"
#include "decompose/mode_array.hpp"
#include "decompose/projection.hpp"

namespace papilio::decompose_detail {

/// mode_array on an accelerator, in float. Products wait until something is asked for: all of them
/// and the Gram matrix are then one dispatch, to which the matrices go up and from which the Gram
/// matrix comes back; the array stays. Eigenvectors are the host's, in double.
///
/// A Gram matrix of n rows is as right as the accelerator says of its sums, an error e in the
/// Euclidean norm: its elements err by about e times the roots of the diagonal's, its eigenvalues
/// and their vectors by the norm of such a random matrix, 2 sqrt(n) e of the largest. Where the
/// vectors are not reliable for that, the array is fetched and the host's own way is taken.
class device_mode_array final : public mode_array<float> {
 public:
  /// `x` is the array [extents] on the accelerator, and in the host's memory; `sum` counts what
  /// runs. All but `x` must outlive it. Errors of this and of all calls as device_step's, in the
  /// name of `function`.
  device_mode_array(const char* function, accelerator& on, shared_tensor x, const float* of_host,
                    std::span<const std::size_t> extents, int threads, run_record& sum);

  subspace<float> leading(std::size_t first, std::size_t last, const truncation& keep) override;
  void shorten(std::size_t axis, view<const float, 2> factor) override;
  void restart() override;
  array<float, 1> values() override;
  bool has_exact_tails() const override { return false; }

  /// The same elements with other extents.
  void reshape(std::span<const std::size_t> extents);

 private:
  struct waiting {
    std::size_t axis;
    array<float, 2> factor;
  };
  std::vector<axis_product> products() const;
  std::vector<step_input> inputs() const;
  void compute();
  subspace<float> leading_by_host(const mode_split& split, const truncation& keep);

  const char* function_;
  accelerator& on_;
  shared_tensor whole_, tensor_;
  const float* of_host_;
  std::vector<std::size_t> whole_extents_, extents_;  // of tensor_
  std::vector<waiting> waiting_;
  int threads_;
  run_record& sum_;
};

}  // namespace papilio::decompose_detail
