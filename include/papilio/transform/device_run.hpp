#pragma once

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

// The transforms of arrays that lie on an accelerator. What throws, throws in the name of
// `function`. Every step is a launch; results are new tensors.
namespace papilio::transform_detail {

/// Who speaks, and how it is to run.
struct device_call {
  const char* function;
  effort plan_effort;
  const execution& on;
  /// Not null: operations are noted there and none is run; results are shapes without elements.
  std::vector<pipeline_step>* planned = nullptr;
};

/// One launch: the operation's result, a new tensor. Errors as run_on and place_device_array.
PAPILIO_API shared_tensor run_step(const device_call& c, const operation& what,
                                   const precision_options& precision,
                                   std::span<const shared_tensor> in);

/// The same, the result's elements as an array of another shape.
PAPILIO_API shared_tensor run_step_as(const device_call& c, const operation& what,
                                      const precision_options& precision,
                                      std::span<const shared_tensor> in,
                                      const operand_shape& result);

/// x from `first` on, cut to the extents, or zeros after it; complex where asked, its imaginary
/// part times scale_im. x itself where that serves.
PAPILIO_API shared_tensor part_of(const device_call& c, const shared_tensor& x,
                                  std::span<const std::size_t> first,
                                  std::span<const std::size_t> extents, bool is_complex,
                                  double scale_im = 1);
/// The same from the first element on.
PAPILIO_API shared_tensor arranged(const device_call& c, const shared_tensor& x,
                                   std::span<const std::size_t> extents, bool is_complex,
                                   double scale_im = 1);

/// x rolled along each axis: its element 0 goes to shifts[axis].
PAPILIO_API shared_tensor rolled(const device_call& c, const shared_tensor& x,
                                 std::span<const std::size_t> shifts);

/// A transform over distinct axes, where the real array (complex kinds: input and output) has these
/// extents, to which x is cut or padded first. Real kinds halve the last of `axes`.
PAPILIO_API shared_tensor transform_on_device(const device_call& c, const transform_form& form,
                                              const shared_tensor& x,
                                              std::span<const std::size_t> extents,
                                              std::span<const std::size_t> axes);

/// numpy.fft's transforms along one axis, by the kind of their core. fft and ifft take real x too.
PAPILIO_API shared_tensor complex_line_on_device(const char* function, direction dir,
                                                 const shared_tensor& x,
                                                 const line_options& options);
PAPILIO_API shared_tensor real_line_on_device(const char* function, direction dir,
                                              const shared_tensor& x, const line_options& options);
PAPILIO_API shared_tensor hermitian_line_on_device(const char* function, direction dir,
                                                   const shared_tensor& x,
                                                   const line_options& options);

/// Along several axes; one that is named twice is transformed twice. A half spectrum is of or from
/// the last one's.
PAPILIO_API shared_tensor complex_grid_on_device(const device_call& c, const transform_form& form,
                                                 const shared_tensor& x, const grid_axes& grid);
PAPILIO_API shared_tensor real_grid_on_device(const device_call& c, direction dir,
                                              normalization norm, const shared_tensor& x,
                                              const grid_axes& grid);

/// Cosine and sine transforms along the axes of the grid, the last first; complex x part by part.
PAPILIO_API shared_tensor trigonometric_on_device(const device_call& c, const transform_form& form,
                                                  const shared_tensor& x, const grid_axes& grid);

/// fftconvolve, as a whole. Float where both operands are.
PAPILIO_API shared_tensor convolution_on_device(const device_call& c, const shared_tensor& x,
                                                const shared_tensor& y, convolution_mode mode,
                                                const index_list& axes);

/// An array of the host that operations on device arrays are to read.
struct host_array {
  untyped_view<const void> values;
  bool is_complex;
  real_type type;
};
/// Operations on arrays of the host, all of which go up once; the result comes back once. `body`
/// takes the tensors and returns the result's; it is called twice, the first time to see what it
/// does. False, and nothing has happened, where `place` says that the host is to do it: always of
/// elements that are not float, which under policy::device are a device_error.
PAPILIO_API bool run_on_device_arrays(
    const device_call& c, std::span<const host_array> in, const untyped_view<void>& out,
    bool complex_out,
    function_ref<shared_tensor(const device_call&, std::span<const shared_tensor>)> body);

/// Where there are no elements, and nothing to run: what an execution cannot have of a transform is
/// refused all the same.
PAPILIO_API void require_execution(const device_call& c, bool is_complex, real_type type);

/// Whether a transform over these axes of an array of the host takes several steps: then they are
/// captured, and one dispatch.
inline bool has_several_steps(const execution& on, const grid_axes& grid, std::size_t rank) {
  return on.where != policy::host && (grid.is_repeated || (rank > 5 && grid.axes.size() > 2));
}

/// run_on_device_arrays of views; false, too, where there are no elements.
template <class In, class Out, std::size_t Rank, class Body>
bool ran_on_device_arrays(const device_call& c, const view<const In, Rank>& in,
                          const view<Out, Rank>& out, const Body& body) {
  const host_array arrays[] = {{untyped_view<const void>(in), element<In>::is_complex,
                                real_type_of<typename element<In>::real>}};
  return !in.empty() && !out.empty() &&
         run_on_device_arrays(c, arrays, untyped_view<void>(out), element<Out>::is_complex, body);
}
template <class X, class Y, class Out, std::size_t Rank, class Body>
bool ran_on_device_arrays(const device_call& c, const view<const X, Rank>& x,
                          const view<const Y, Rank>& y, const view<Out, Rank>& out,
                          const Body& body) {
  const host_array arrays[] = {{untyped_view<const void>(x), element<X>::is_complex,
                                real_type_of<typename element<X>::real>},
                               {untyped_view<const void>(y), element<Y>::is_complex,
                                real_type_of<typename element<Y>::real>}};
  return run_on_device_arrays(c, arrays, untyped_view<void>(out), element<Out>::is_complex, body);
}

/// Of the steps of an operation that automatic has decided the host to do.
inline execution decided(const execution& on) {
  execution result = on;
  if (on.where == policy::automatic) result.where = policy::host;
  return result;
}

/// fftshift and ifftshift: each axis that is named is rolled by half its extent.
PAPILIO_API shared_tensor shift_on_device(const char* function, const shared_tensor& x,
                                          const index_list& axes, bool inverse);

}  // namespace papilio::transform_detail
