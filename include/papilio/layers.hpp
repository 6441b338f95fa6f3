#pragma once

// Layers of complex networks as functions of their input and parameters, and their gradients.
#include <complex>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio {

// Inputs are arrays, tensors or views of complex numbers, any strides; results are new row-major
// tensors. T is float or double. `layer_vjp(x, ..., gradient)` takes the gradient of a real loss L
// by the layer's result and returns the gradients by its input and parameters. The gradient by a
// complex number is dL/dRe + i dL/dIm, as in torch.autograd. Gradients of real parameters are real.
//
// Layers run where `on` says, and throw as place() where it cannot be met. An accelerator takes
// float alone and computes each in one dispatch. explain() compares it with the host, of a
// layer_problem or, for complex_linear and complex_conv1d, of a contraction_problem.
//
// Layers of device arrays run where these are, whatever the policy, in float; results stay there,
// and inside capture() launches are part of its one dispatch. A layer is one launch, one more for a
// bias and for each operand and result of which the features' axis is not the last; convolutions
// have more, which copy windows. Throws as for arrays of the host, and as device_array says.

namespace layers_detail {

template <class X>
concept complex_operand =
    requires { typename blas_detail::element_of<X>::value_type; } &&
    std::floating_point<typename blas_detail::element_of<X>::value_type> &&
    std::is_convertible_v<const X&, tensor_view<const blas_detail::element_of<X>>>;

template <class T>
using complex_view = tensor_view<const std::complex<T>>;
template <class T>
using given_view = std::type_identity_t<complex_view<T>>;
template <class X>
using real_of = typename blas_detail::element_of<X>::value_type;

// A template template parameter takes no constrained template, so this alias has no constraint.
template <class T, std::size_t Rank>
using on_device = device_array<T, Rank>;

}  // namespace layers_detail

/// Complex numbers of a layer on an accelerator; a `device_array` converts to it.
using complex_device_array = device_ndarray<std::complex<float>>;

/// Parameters of `complex_linear`, and their gradients, as arrays or device arrays.
template <class T, template <class, std::size_t> class Array = array>
struct complex_linear_parameters {
  Array<std::complex<T>, 2> weight;     ///< [outputs, inputs]
  Array<std::complex<T>, 1> bias = {};  ///< [outputs], or none
};
using device_linear_parameters = complex_linear_parameters<float, layers_detail::on_device>;

/// Gradients by the input and by the parameters of a layer.
template <class T, class Parameters, class X = tensor<std::complex<T>>>
struct layer_gradients {
  X x;
  Parameters parameters;
};
template <class Parameters>
using device_layer_gradients = layer_gradients<float, Parameters, complex_device_array>;

/// Computes y = x W^T + b along the last axis: [..., inputs] to [..., outputs]. The product, an
/// einsum, runs where `on` says; the host adds the bias. O(rows inputs outputs).
/// Throws shape_error if extents do not fit, and as einsum.
template <class T>
PAPILIO_API tensor<std::complex<T>> complex_linear(layers_detail::given_view<T> x,
                                                   const complex_linear_parameters<T>& parameters,
                                                   const execution& on = {});
template <class T>
PAPILIO_API layer_gradients<T, complex_linear_parameters<T>> complex_linear_vjp(
    layers_detail::given_view<T> x, const complex_linear_parameters<T>& parameters,
    layers_detail::given_view<T> gradient, const execution& on = {});
PAPILIO_API complex_device_array complex_linear(const complex_device_array& x,
                                                const device_linear_parameters& parameters,
                                                const execution& on = {});
PAPILIO_API device_layer_gradients<device_linear_parameters> complex_linear_vjp(
    const complex_device_array& x, const device_linear_parameters& parameters,
    const complex_device_array& gradient, const execution& on = {});

/// Options of `complex_conv1d`.
struct conv1d_options {
  std::size_t stride = 1, dilation = 1;               ///< at least 1
  std::size_t groups = 1;                             ///< divides the channels of input and output
  std::size_t padding_before = 0, padding_after = 0;  ///< zeros at the ends; none: "valid"

  bool operator==(const conv1d_options&) const = default;
};

/// Returns the padding with which a convolution of stride 1 keeps the length, as padding="same" in
/// torch; of an odd number of zeros one more is behind. Throws invalid_argument for a kernel or
/// dilation of 0.
PAPILIO_API conv1d_options same_conv1d(std::size_t kernel, std::size_t dilation = 1,
                                       std::size_t groups = 1);

/// Parameters of `complex_conv1d`, and their gradients.
template <class T, template <class, std::size_t> class Array = array>
struct complex_conv1d_parameters {
  Array<std::complex<T>, 3> weight;     ///< [out channels, in channels / groups, kernel]
  Array<std::complex<T>, 1> bias = {};  ///< [out channels], or none
};
using device_conv1d_parameters = complex_conv1d_parameters<float, layers_detail::on_device>;

/// Computes the sums of torch.nn.functional.conv1d,
///   y[b, o, l] = bias[o] + sum over c, k of weight[o, c, k] x[b, group(o) + c, l stride +
///   k dilation - padding_before],
/// [batch, in channels, length] to [batch, out channels, (length + padding - (kernel - 1) dilation
/// - 1) / stride + 1]. One einsum over a view of the windows of x (of a padded copy), which runs
/// where `on` says; the host adds the bias. vjp needs memory of `kernel` inputs.
/// Throws shape_error if extents do not fit or the kernel is longer than the padded input,
/// invalid_argument for options out of range, and as einsum.
template <class T>
PAPILIO_API tensor<std::complex<T>> complex_conv1d(layers_detail::given_view<T> x,
                                                   const complex_conv1d_parameters<T>& parameters,
                                                   const conv1d_options& options = {},
                                                   const execution& on = {});
template <class T>
PAPILIO_API layer_gradients<T, complex_conv1d_parameters<T>> complex_conv1d_vjp(
    layers_detail::given_view<T> x, const complex_conv1d_parameters<T>& parameters,
    layers_detail::given_view<T> gradient, const conv1d_options& options = {},
    const execution& on = {});
/// Overloads for device arrays copy the windows, which takes the memory of `kernel` inputs, or of
/// `kernel` outputs for the gradient.
PAPILIO_API complex_device_array complex_conv1d(const complex_device_array& x,
                                                const device_conv1d_parameters& parameters,
                                                const conv1d_options& options = {},
                                                const execution& on = {});
PAPILIO_API device_layer_gradients<device_conv1d_parameters> complex_conv1d_vjp(
    const complex_device_array& x, const device_conv1d_parameters& parameters,
    const complex_device_array& gradient, const conv1d_options& options = {},
    const execution& on = {});

/// Parameters of complex batch normalisation, and their gradients.
template <class T, template <class, std::size_t> class Array = array>
struct complex_batch_norm_parameters {
  Array<T, 2> gamma;               ///< [features, 3]: rr, ri and ii of a symmetric matrix
  Array<std::complex<T>, 1> beta;  ///< [features]
};
using device_batch_norm_parameters = complex_batch_norm_parameters<float, layers_detail::on_device>;

/// Mean and covariance of every feature: of a batch, or running over batches.
template <class T, template <class, std::size_t> class Array = array>
struct complex_batch_statistics {
  Array<std::complex<T>, 1> mean;  ///< [features]
  Array<T, 2> covariance;          ///< [features, 3]: rr, ri, ii; sums divided by the count
};
using device_batch_statistics = complex_batch_statistics<float, layers_detail::on_device>;

/// Returns the paper's first parameters, gamma with 1 / sqrt(2) on the diagonal and beta 0, and its
/// first running statistics, a mean of 0 and 1 / sqrt(2) on the diagonal.
template <class T>
PAPILIO_API complex_batch_norm_parameters<T> initial_batch_norm_parameters(std::size_t features);
template <class T>
PAPILIO_API complex_batch_statistics<T> initial_batch_statistics(std::size_t features);

/// Returns the statistics of [batch, features, ...] over all axes but the second, in double.
/// Throws shape_error for fewer than two axes or if a feature has no numbers.
template <class T>
PAPILIO_API complex_batch_statistics<T> batch_statistics(layers_detail::complex_view<T> x);

/// Moves running statistics towards those of a batch: (1 - momentum) running + momentum batch.
/// Throws shape_error if they are not of as many features, invalid_argument unless momentum is
/// 0 ... 1.
template <class T>
PAPILIO_API void update_statistics(complex_batch_statistics<T>& running,
                                   const complex_batch_statistics<T>& batch, double momentum = 0.1);

/// Computes complex batch normalisation, y = gamma V^(-1/2) (x - mean) + beta, with complex numbers
/// as vectors (re, im). V is the covariance plus epsilon on the diagonal, so that V^(-1/2) whitens.
/// Mean and covariance are those of x itself (training) or running ones (inference).
/// - x is [batch, features, ...]; y as x. O(size).
/// - In training the gradient by x goes through mean and covariance; in inference they are fixed.
///
/// Source: Trabelsi, C. et al. (2018), Deep complex networks, ICLR, 3.5.
/// Throws shape_error if extents do not fit; invalid_argument unless epsilon is above 0, or if a
/// running covariance is not positive definite, or that of an x with NaN on the host.
template <class T>
PAPILIO_API tensor<std::complex<T>> complex_batch_norm(
    layers_detail::given_view<T> x, const complex_batch_norm_parameters<T>& parameters,
    const complex_batch_statistics<T>& statistics, double epsilon = 1e-5, const execution& on = {});
template <class T>
PAPILIO_API layer_gradients<T, complex_batch_norm_parameters<T>> complex_batch_norm_vjp(
    layers_detail::given_view<T> x, const complex_batch_norm_parameters<T>& parameters,
    const complex_batch_statistics<T>& statistics, layers_detail::given_view<T> gradient,
    double epsilon = 1e-5, const execution& on = {});
template <class T>
PAPILIO_API tensor<std::complex<T>> complex_batch_norm_training(
    layers_detail::given_view<T> x, const complex_batch_norm_parameters<T>& parameters,
    double epsilon = 1e-5, const execution& on = {});
template <class T>
PAPILIO_API layer_gradients<T, complex_batch_norm_parameters<T>> complex_batch_norm_training_vjp(
    layers_detail::given_view<T> x, const complex_batch_norm_parameters<T>& parameters,
    layers_detail::given_view<T> gradient, double epsilon = 1e-5, const execution& on = {});
/// Overloads for device arrays do not check the covariance: one that is not positive definite gives
/// NaN.
PAPILIO_API complex_device_array complex_batch_norm(const complex_device_array& x,
                                                    const device_batch_norm_parameters& parameters,
                                                    const device_batch_statistics& statistics,
                                                    double epsilon = 1e-5,
                                                    const execution& on = {});
PAPILIO_API device_layer_gradients<device_batch_norm_parameters> complex_batch_norm_vjp(
    const complex_device_array& x, const device_batch_norm_parameters& parameters,
    const device_batch_statistics& statistics, const complex_device_array& gradient,
    double epsilon = 1e-5, const execution& on = {});
PAPILIO_API complex_device_array complex_batch_norm_training(
    const complex_device_array& x, const device_batch_norm_parameters& parameters,
    double epsilon = 1e-5, const execution& on = {});
PAPILIO_API device_layer_gradients<device_batch_norm_parameters> complex_batch_norm_training_vjp(
    const complex_device_array& x, const device_batch_norm_parameters& parameters,
    const complex_device_array& gradient, double epsilon = 1e-5, const execution& on = {});

/// Gradients of `complex_modrelu`.
template <class T, class X = tensor<std::complex<T>>, class Bias = array<T, 1>>
struct modrelu_gradients {
  X x;
  Bias bias;
};
using device_modrelu_gradients =
    modrelu_gradients<float, complex_device_array, device_array<float, 1>>;

/// Computes modReLU, max(|z| + b, 0) z / |z|, with one real b for each feature along `axis`
/// (negative: from the end); the phase stays, and a magnitude of at most -b becomes 0. It is 0, with
/// a derivative of 0 by z and b, where z is 0, at which it has none unless b <= 0, and where
/// |z| + b is 0. On the host a NaN in z, or in b where z is not 0, gives NaN.
/// Source: Arjovsky, Shah, Bengio (2016), Unitary evolution recurrent neural networks.
/// Throws shape_error unless bias has the extent of the axis, invalid_argument if x lacks the axis.
template <class T>
PAPILIO_API tensor<std::complex<T>> complex_modrelu(layers_detail::given_view<T> x,
                                                    const array<T, 1>& bias,
                                                    std::ptrdiff_t axis = -1,
                                                    const execution& on = {});
template <class T>
PAPILIO_API modrelu_gradients<T> complex_modrelu_vjp(layers_detail::given_view<T> x,
                                                     const array<T, 1>& bias,
                                                     layers_detail::given_view<T> gradient,
                                                     std::ptrdiff_t axis = -1,
                                                     const execution& on = {});
PAPILIO_API complex_device_array complex_modrelu(const complex_device_array& x,
                                                 const device_array<float, 1>& bias,
                                                 std::ptrdiff_t axis = -1,
                                                 const execution& on = {});
PAPILIO_API device_modrelu_gradients complex_modrelu_vjp(const complex_device_array& x,
                                                         const device_array<float, 1>& bias,
                                                         const complex_device_array& gradient,
                                                         std::ptrdiff_t axis = -1,
                                                         const execution& on = {});

/// Rectifiers without parameters. On the host they pass a NaN, and the gradient beside it.
///   crelu  max(re, 0) + i max(im, 0); derivatives at 0 are 0, as of torch.relu
///   zrelu  z where re >= 0 and im >= 0, else 0 (Guberman 2016); the derivative is 1 or 0 likewise
enum class complex_rectifier { crelu, zrelu };

namespace layers_detail {
template <class T>
PAPILIO_API tensor<std::complex<T>> rectified(complex_view<T> x, complex_rectifier kind,
                                              const execution& on);
template <class T>
PAPILIO_API tensor<std::complex<T>> rectified_vjp(complex_view<T> x, complex_view<T> gradient,
                                                  complex_rectifier kind, const execution& on);
}  // namespace layers_detail

/// Computes a rectifier of every element.
template <layers_detail::complex_operand X>
auto complex_relu(const X& x, complex_rectifier kind = complex_rectifier::crelu,
                  const execution& on = {}) {
  return layers_detail::rectified<layers_detail::real_of<X>>(x, kind, on);
}
/// Computes the gradient of complex_relu by x. Throws shape_error for a gradient of other extents.
template <layers_detail::complex_operand X>
auto complex_relu_vjp(const X& x, const tensor_view<const blas_detail::element_of<X>>& gradient,
                      complex_rectifier kind = complex_rectifier::crelu, const execution& on = {}) {
  return layers_detail::rectified_vjp<layers_detail::real_of<X>>(x, gradient, kind, on);
}
PAPILIO_API complex_device_array complex_relu(const complex_device_array& x,
                                              complex_rectifier kind = complex_rectifier::crelu,
                                              const execution& on = {});
PAPILIO_API complex_device_array complex_relu_vjp(const complex_device_array& x,
                                                  const complex_device_array& gradient,
                                                  complex_rectifier kind = complex_rectifier::crelu,
                                                  const execution& on = {});

}  // namespace papilio
