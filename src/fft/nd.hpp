#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "fft/axis.hpp"
#include "papilio/fft/fft_plan.hpp"

namespace papilio::fft_detail {

/// Part of an array: the leading indices are fixed to `prefix`, the next one runs over
/// [first, first + count), those behind it are whole.
struct block {
  std::vector<std::size_t> prefix;
  std::size_t first = 0, count = 0;
};

/// The lines along one axis of an array, as one step of an N-D transform. Any part may be run
/// whose lines are whole; the parts in any order give the same bits.
template <class Real>
class axis_step {
 public:
  virtual ~axis_step() = default;
  std::size_t axis() const { return axis_; }
  virtual std::size_t memory_reals() const = 0;
  virtual void run(const block& part, Real* memory) const = 0;
  /// Threads of a team that have a part of the whole array.
  virtual std::size_t workers(base_detail::team team) const = 0;
  /// Transforms the whole array, as run_lines does it.
  virtual void run(base_detail::team team, int line_threads,
                   base_detail::team_memory<Real>& memory) const = 0;

 protected:
  explicit axis_step(std::size_t axis) : axis_(axis) {}

 private:
  std::size_t axis_;
};

template <class Real>
using axis_steps = std::vector<std::unique_ptr<const axis_step<Real>>>;
template <class In>
using axis_step_from = std::unique_ptr<const axis_step<real_component<In>>>;

/// Makes a step, which refers to `line` and to the operands' extents and strides.
template <class In, class Out>
axis_step_from<In> make_step(const line_transform<In, Out>& line, strided<const In> in,
                             strided<Out> out, std::size_t axis);

/// Runs steps with the effect of one after the other over the whole array of these extents. The
/// steps of a group, whose axes all rise or all fall, run depth first, so that what a step leaves
/// is in the cache for the next one. `element_bytes` is the larger of the operands'. Allocates
/// before it writes.
template <class Real>
void run_steps(const std::vector<axis_steps<Real>>& groups, std::span<const std::size_t> extents,
               std::size_t element_bytes, int threads);

/// Returns axes in the given order, negative ones counted from the end. Throws invalid_argument if
/// one is out of range or repeated.
std::vector<std::size_t> normalized_axes(const char* function, std::size_t rank,
                                         std::span<const std::ptrdiff_t> axes);

/// Returns the layout of the lines along one axis of a row-major array of these extents.
batch_layout row_major_lines(std::span<const std::size_t> extents, std::size_t axis);

/// Returns 0, 1, ... rank - 1.
std::vector<std::ptrdiff_t> all_axes(std::size_t rank);

/// Throws invalid_argument if there is no extent or one is 0, resource_error if the array's size in
/// bytes overflows.
void require_array(const char* function, std::span<const std::size_t> extents,
                   std::size_t element_bytes);

}  // namespace papilio::fft_detail
