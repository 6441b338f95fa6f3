#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/placement.hpp"
#include "papilio/transform/options.hpp"
#include "papilio/transform/run.hpp"

// Transforms of device arrays. Errors name `function`. Every step is a launch; results are new
// tensors.
namespace papilio::transform_detail {

/// Name of the calling function, for its messages, and how it is to run.
struct device_call {
  const char* function;
  effort plan_effort;
  const execution& on;
  /// If not null, operations are recorded here, not run; results are shapes without elements.
  std::vector<pipeline_step>* planned = nullptr;
};

/// Runs one launch and returns the operation's result. Throws as run_on and place_device_array.
PAPILIO_API shared_tensor run_step(const device_call& c, const operation& what,
                                   const precision_options& precision,
                                   std::span<const shared_tensor> in);

/// Runs one launch and returns the result's elements as an array of another shape.
PAPILIO_API shared_tensor run_step_as(const device_call& c, const operation& what,
                                      const precision_options& precision,
                                      std::span<const shared_tensor> in,
                                      const operand_shape& result);

/// Cuts x from `first` on to the extents, with zeros after it; complex where asked, its imaginary
/// part times scale_im. Returns x itself if nothing changes.
PAPILIO_API shared_tensor part_of(const device_call& c, const shared_tensor& x,
                                  std::span<const std::size_t> first,
                                  std::span<const std::size_t> extents, bool is_complex,
                                  double scale_im = 1);
/// Cuts or pads x from its first element on, as part_of.
PAPILIO_API shared_tensor arranged(const device_call& c, const shared_tensor& x,
                                   std::span<const std::size_t> extents, bool is_complex,
                                   double scale_im = 1);

/// Multiplies complex x by the factor of its index along the axis, 0 where there is none.
PAPILIO_API shared_tensor multiplied(const device_call& c, const shared_tensor& x, std::size_t axis,
                                     std::span<const std::complex<double>> factors);

/// Rolls x along each axis: its element 0 goes to shifts[axis].
PAPILIO_API shared_tensor rolled(const device_call& c, const shared_tensor& x,
                                 std::span<const std::size_t> shifts);

/// A transform over distinct axes, where the real array (complex kinds: input and output) has these
/// extents, to which x is cut or padded first. Real kinds halve the last of `axes`.
PAPILIO_API shared_tensor transform_on_device(const device_call& c, const transform_form& form,
                                              const shared_tensor& x,
                                              std::span<const std::size_t> extents,
                                              std::span<const std::size_t> axes);

/// Transforms along one axis, as numpy.fft. fft and ifft take real x too.
PAPILIO_API shared_tensor complex_line_on_device(const char* function, direction dir,
                                                 const shared_tensor& x,
                                                 const line_options& options);
PAPILIO_API shared_tensor real_line_on_device(const char* function, direction dir,
                                              const shared_tensor& x, const line_options& options,
                                              bool adjoint = false);
PAPILIO_API shared_tensor hermitian_line_on_device(const char* function, direction dir,
                                                   const shared_tensor& x,
                                                   const line_options& options);

/// Transforms along several axes; one that is named twice is transformed twice. The last is halved.
PAPILIO_API shared_tensor complex_grid_on_device(const device_call& c, const transform_form& form,
                                                 const shared_tensor& x, const grid_axes& grid);
PAPILIO_API shared_tensor real_grid_on_device(const device_call& c, direction dir,
                                              normalization norm, const shared_tensor& x,
                                              const grid_axes& grid, bool adjoint = false);

/// Cosine and sine transforms along the axes of the grid, the last first; the real and imaginary
/// planes of complex x separately.
PAPILIO_API shared_tensor trigonometric_on_device(const device_call& c, const transform_form& form,
                                                  const shared_tensor& x, const grid_axes& grid);

/// Computes fftconvolve. The result is float if both operands are.
PAPILIO_API shared_tensor convolution_on_device(const device_call& c, const shared_tensor& x,
                                                const shared_tensor& y, convolution_mode mode,
                                                const index_list& axes);
/// Computes the convolutions of `gradient`, which is reversed, with y and x: of each the part that
/// has the gradient by x or y, reversed, and not summed along axes that the operand repeats.
PAPILIO_API std::vector<shared_tensor> correlations_on_device(const device_call& c,
                                                              const shared_tensor& gradient,
                                                              const shared_tensor& x,
                                                              const shared_tensor& y,
                                                              const convolution_shape& shape);

/// Array of the host that is copied up for operations on device arrays, or back: of a view that
/// outlives it.
struct host_array {
  untyped_view<const void> values;
  bool is_complex;
  real_type type;
};
struct host_result {
  untyped_view<void> values;
  bool is_complex;
};
template <class V, std::size_t Rank>
host_array host_array_of(const view<const V, Rank>& x) {
  return {untyped_view<const void>(x), element<V>::is_complex,
          real_type_of<typename element<V>::real>};
}
template <class V, std::size_t Rank>
host_result host_result_of(const view<V, Rank>& x) {
  return {untyped_view<void>(x), element<V>::is_complex};
}
template <class V, std::size_t Rank>
host_array host_array_of(view<V, Rank>&&) = delete;
template <class V, std::size_t Rank>
host_result host_result_of(view<V, Rank>&&) = delete;
/// Runs operations on arrays of the host, which are copied up once; the results are copied back
/// once: one dispatch. `body` takes the tensors and returns the results'; it is called twice, the
/// first time to record its operations. Returns false, with nothing done, if `place` chooses the
/// host: always for elements that are not float, which under policy::device are a device_error.
PAPILIO_API bool run_on_device_arrays(
    const device_call& c, std::span<const host_array> in, std::span<const host_result> out,
    function_ref<std::vector<shared_tensor>(const device_call&, std::span<const shared_tensor>)>
        body);

/// Refuses an execution that a transform cannot have, for calls without elements.
PAPILIO_API void require_execution(const device_call& c, bool is_complex, real_type type);

/// Whether a transform over these axes of an array of the host takes several steps, which are then
/// captured into one dispatch.
inline bool has_several_steps(const execution& on, const grid_axes& grid, std::size_t rank) {
  return on.where != policy::host && (grid.is_repeated || (rank > 5 && grid.axes.size() > 2));
}

/// Calls run_on_device_arrays with views, for one result; returns false also if there are no
/// elements.
template <class In, class Out, std::size_t Rank, class Body>
bool ran_on_device_arrays(const device_call& c, const view<const In, Rank>& in,
                          const view<Out, Rank>& out, const Body& body) {
  const host_array arrays[] = {host_array_of(in)};
  const host_result results[] = {host_result_of(out)};
  return !in.empty() && !out.empty() &&
         run_on_device_arrays(c, arrays, results, [&](const device_call& d, const auto& t) {
           return std::vector{body(d, t)};
         });
}
template <class X, class Y, class Out, std::size_t Rank, class Body>
bool ran_on_device_arrays(const device_call& c, const view<const X, Rank>& x,
                          const view<const Y, Rank>& y, const view<Out, Rank>& out,
                          const Body& body) {
  const host_array arrays[] = {host_array_of(x), host_array_of(y)};
  const host_result results[] = {host_result_of(out)};
  return run_on_device_arrays(c, arrays, results, [&](const device_call& d, const auto& t) {
    return std::vector{body(d, t)};
  });
}

/// Execution of the steps of an operation that automatic has decided the host to do.
inline execution decided(const execution& on) {
  execution result = on;
  if (on.where == policy::automatic) result.where = policy::host;
  return result;
}

/// Computes fftshift and ifftshift: each axis named is rolled by half its extent.
PAPILIO_API shared_tensor shift_on_device(const char* function, const shared_tensor& x,
                                          const index_list& axes, bool inverse);

}  // namespace papilio::transform_detail
