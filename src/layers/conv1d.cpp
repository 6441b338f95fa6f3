// Convolutions are one einsum over windows: x[b, group, c, l stride + k dilation] is a view of the
// padded input with overlapping strides, so that only the products copy windows.
#include <utility>
#include <vector>

#include "layers/device_layer.hpp"
#include "layers/features.hpp"
#include "papilio/contract/einsum.hpp"

namespace papilio {

using namespace layers_detail;

conv1d_options same_conv1d(std::size_t kernel, std::size_t dilation, std::size_t groups) {
  if (kernel == 0 || dilation == 0)
    throw invalid_argument(base_detail::message(
        "same_conv1d: kernel and dilation must be at least 1, got ", kernel, " and ", dilation));
  const std::size_t zeros = checked_multiply(kernel - 1, dilation, "same_conv1d: padding");
  return {.dilation = dilation,
          .groups = groups,
          .padding_before = zeros / 2,
          .padding_after = zeros - zeros / 2};
}

namespace {

constexpr const char* conv_name = "complex_conv1d";
constexpr const char* conv_vjp_name = "complex_conv1d_vjp";
constexpr const char* conv_sum = "bgclk,gock->bgol";

// Extents of one convolution, checked.
template <class T>
struct conv_shape {
  std::size_t batch, in_channels, length, out_channels, kernel, groups, padded, out_length;
  conv1d_options options;

  template <class X, class Parameters>
  conv_shape(const char* function, const X& x, const Parameters& p, const conv1d_options& o)
      : options(o) {
    if (x.rank() != 3)
      throw shape_error(base_detail::message(
          function, ": x must be batch x channels x length, got ", text_of(x.extents())));
    if (o.stride == 0 || o.dilation == 0 || o.groups == 0)
      throw invalid_argument(
          base_detail::message(function, ": stride, dilation and groups must be at least 1, got ",
                               o.stride, ", ", o.dilation, " and ", o.groups));
    batch = x.extent(0);
    in_channels = x.extent(1);
    length = x.extent(2);
    out_channels = p.weight.extent(0);
    kernel = p.weight.extent(2);
    groups = o.groups;
    if (in_channels % groups != 0 || out_channels % groups != 0)
      throw invalid_argument(base_detail::message(function, ": groups must divide the ",
                                                  in_channels, " and ", out_channels,
                                                  " channels, got ", groups));
    if (p.weight.extent(1) != in_channels / groups)
      throw shape_error(base_detail::message(function, ": weight must have ", in_channels / groups,
                                             " channels a group, got ", p.weight.extent(1)));
    if (p.bias.size() > 0) require_count(function, "bias", out_channels, p.bias.size());
    padded =
        checked_add(checked_add(length, o.padding_before, function), o.padding_after, function);
    const std::size_t reach = kernel == 0
                                  ? 0
                                  : checked_add(checked_multiply(kernel - 1, o.dilation, function),
                                                std::size_t{1}, function);
    if (kernel == 0 || reach > padded)
      throw shape_error(base_detail::message(function, ": a kernel of ", kernel, " taps reaches ",
                                             reach, " of the ", padded, " samples with padding"));
    out_length = (padded - reach) / o.stride + 1;
  }

  std::vector<std::size_t> out_extents() const { return {batch, out_channels, out_length}; }

  // Returns the windows of padded inputs as a view [batch, group, channel, position, tap].
  template <class Element>
  tensor_view<Element> windows(Element* data) const {
    const auto channel = static_cast<std::ptrdiff_t>(padded);
    const std::size_t of_group = in_channels / groups;
    return {data, std::vector<std::size_t>{batch, groups, of_group, out_length, kernel},
            std::vector<std::ptrdiff_t>{static_cast<std::ptrdiff_t>(in_channels) * channel,
                                        static_cast<std::ptrdiff_t>(of_group) * channel, channel,
                                        static_cast<std::ptrdiff_t>(options.stride),
                                        static_cast<std::ptrdiff_t>(options.dilation)}};
  }
  template <class Element>
  tensor_view<Element> by_group(Element* weight) const {
    return {weight,
            std::vector<std::size_t>{groups, out_channels / groups, in_channels / groups, kernel}};
  }
  template <class Element>
  tensor_view<Element> grouped(const tensor_view<Element>& y) const {
    const auto of_group = static_cast<std::ptrdiff_t>(out_channels / groups);
    return {
        y.data(), std::vector<std::size_t>{batch, groups, out_channels / groups, out_length},
        std::vector<std::ptrdiff_t>{y.stride(0), of_group * y.stride(1), y.stride(1), y.stride(2)}};
  }

  tensor<std::complex<T>> padded_copy(const complex_view<T>& x) const {
    tensor<std::complex<T>> copy({batch, in_channels, padded});
    const auto from = x.template as<3>();
    const auto to = copy.template as<3>();
    for (std::size_t b = 0; b < batch; ++b)
      for (std::size_t c = 0; c < in_channels; ++c)
        for (std::size_t l = 0; l < length; ++l)
          to(b, c, options.padding_before + l) = from(b, c, l);
    return copy;
  }
};

}  // namespace

template <class T>
tensor<std::complex<T>> complex_conv1d(given_view<T> x, const complex_conv1d_parameters<T>& p,
                                       const conv1d_options& options, const execution& on) {
  const conv_shape<T> shape(conv_name, x, p, options);
  const tensor<std::complex<T>> padded = shape.padded_copy(x);
  tensor<std::complex<T>> y(shape.out_extents(), uninitialized);
  einsum_into(conv_sum, shape.grouped(y.view()), shape.windows(padded.data()),
              shape.by_group(p.weight.data()), einsum_options{.on = on});
  add_bias(y, 1, p.bias);
  return y;
}

template <class T>
layer_gradients<T, complex_conv1d_parameters<T>> complex_conv1d_vjp(
    given_view<T> x, const complex_conv1d_parameters<T>& p, given_view<T> gradient,
    const conv1d_options& options, const execution& on) {
  const conv_shape<T> shape(conv_vjp_name, x, p, options);
  require_extents(conv_vjp_name, "gradient", shape.out_extents(), gradient.extents());
  const tensor<std::complex<T>> padded = shape.padded_copy(x);
  const auto by = einsum_vjp(conv_sum, shape.grouped(gradient), shape.windows(padded.data()),
                             shape.by_group(p.weight.data()), einsum_options{.on = on});
  layer_gradients<T, complex_conv1d_parameters<T>> result{
      tensor<std::complex<T>>(x.extents()), {array<std::complex<T>, 3>(p.weight.extents()), {}}};
  std::ranges::copy(by[1].flat(), result.parameters.weight.begin());
  result.parameters.bias = bias_gradient<T>(gradient, 1, p.bias);
  // The gradient by a sample is the sum of the gradients by the windows that hold it.
  const auto windows = by[0].template as<5>();
  const auto to = result.x.template as<3>();
  const std::size_t of_group = shape.in_channels / shape.groups;
  for (std::size_t b = 0; b < shape.batch; ++b)
    for (std::size_t c = 0; c < shape.in_channels; ++c)
      for (std::size_t l = 0; l < shape.out_length; ++l)
        for (std::size_t k = 0; k < shape.kernel; ++k) {
          const std::size_t at = l * options.stride + k * options.dilation;
          if (at >= options.padding_before && at - options.padding_before < shape.length)
            to(b, c, at - options.padding_before) += windows(b, c / of_group, c % of_group, l, k);
        }
  return result;
}

namespace {

// Convolution on an accelerator, where windows are copies, [tap, row, position, 1] of rows [steps,
// stride] with zeros at both ends; rows are the channels of the batch.
class device_conv {
 public:
  device_conv(const char* function, const shared_tensor& x, const conv_shape<float>& shape,
              const execution& on)
      : layer_(function, x, on),
        s_(shape),
        steps_((s_.padded + s_.options.stride - 1) / s_.options.stride) {}

  const device_layer& layer() const { return layer_; }
  std::vector<std::size_t> sizes() const {
    return {s_.batch,      s_.groups, s_.in_channels / s_.groups,
            s_.out_length, s_.kernel, s_.out_channels / s_.groups,
            positions()};
  }
  std::size_t positions() const { return steps_ * s_.options.stride; }

  shared_tensor windows(const shared_tensor& x) const {
    const std::size_t rows = s_.batch * s_.in_channels;
    return taken(arrangement(rows, true), padded(x, rows));
  }
  // Returns, for every tap, the gradient by the results at the positions of the samples that the
  // tap multiplied, with zeros elsewhere.
  shared_tensor windows_of_gradient(const shared_tensor& g) const {
    return taken(arrangement(s_.batch * s_.out_channels, false), g);
  }
  // Cuts the samples of x out of the padded positions.
  shared_tensor cut(const shared_tensor& by_positions) const {
    const std::size_t rows = s_.batch * s_.in_channels;
    const std::vector<std::size_t> x{s_.batch, s_.in_channels, s_.length};
    if (by_positions->shape().extents == x) return by_positions;
    arrangement_problem what = padding(rows);
    std::swap(what.in_extents, what.out_extents);
    std::swap(what.boxes[0].from, what.boxes[0].to);
    return layer_.moved(what, by_positions, x);
  }

 private:
  arrangement_problem padding(std::size_t rows) const {
    return {.in_extents = {rows, s_.length},
            .out_extents = {rows, positions()},
            .complex_in = true,
            .complex_out = true,
            .boxes = {{{0, 0}, {0, s_.options.padding_before}, {rows, s_.length}}}};
  }
  shared_tensor padded(const shared_tensor& x, std::size_t rows) const {
    return positions() == s_.length ? x : taken(padding(rows), x);
  }
  // Returns the copy between rows and windows, in which tap k begins at position k dilation.
  arrangement_problem arrangement(std::size_t rows, bool of_samples) const {
    const std::size_t stride = s_.options.stride;
    arrangement_problem what{
        .in_extents = {1, rows, of_samples ? steps_ : s_.out_length, of_samples ? stride : 1},
        .out_extents = {s_.kernel, rows, of_samples ? s_.out_length : steps_,
                        of_samples ? 1 : stride},
        .complex_in = true,
        .complex_out = true,
        .boxes = {}};
    for (std::size_t k = 0; k < s_.kernel; ++k) {
      const std::size_t at = k * s_.options.dilation, step = at / stride, left = at % stride;
      const std::vector<std::size_t> extents{1, rows, s_.out_length, 1};
      what.boxes.push_back(
          of_samples ? arrangement_problem::box{{0, 0, step, left}, {k, 0, 0, 0}, extents}
                     : arrangement_problem::box{{0, 0, 0, 0}, {k, 0, step, left}, extents});
    }
    return what;
  }
  shared_tensor taken(const arrangement_problem& what, const shared_tensor& x) const {
    return layer_.moved(what, x, what.out_extents);
  }

  device_layer layer_;
  const conv_shape<float>& s_;
  std::size_t steps_;
};

// Labels stand for batch, group, channel, position, tap, output of a group, and sample.
constexpr const char* conv_labels = "bgclkot";

}  // namespace

complex_device_array complex_conv1d(const complex_device_array& x,
                                    const device_conv1d_parameters& p,
                                    const conv1d_options& options, const execution& on) {
  const shared_tensor from = x.tensor(conv_name), weight = p.weight.tensor(conv_name);
  const conv_shape<float> s(conv_name, x, p, options);
  const device_conv conv(conv_name, from, s, on);
  const device_layer& layer = conv.layer();
  // biased() needs the channels last, which are moved back afterwards.
  const bool has_bias = !p.bias.is_empty();
  const contraction_problem what = products_of(conv_labels, conv.sizes(), {"kbgcl", "gock"},
                                               {{0, 1, has_bias ? "blgo" : "bgol"}});
  const operand_shape result{s.out_extents(), true};
  const shared_tensor y = layer.run(what, {conv.windows(from), weight}, {result})[0];
  if (!has_bias) return complex_device_array(y);
  return complex_device_array(layer.swapped(
      layer.biased(y, p.bias), {s.batch, s.out_length, s.out_channels}, result.extents));
}

device_layer_gradients<device_conv1d_parameters> complex_conv1d_vjp(
    const complex_device_array& x, const device_conv1d_parameters& p,
    const complex_device_array& gradient, const conv1d_options& options, const execution& on) {
  constexpr const char* name = conv_vjp_name;
  const shared_tensor from = x.tensor(name), weight = p.weight.tensor(name),
                      g = gradient.tensor(name);
  const conv_shape<float> s(conv_vjp_name, x, p, options);
  require_extents(name, "gradient", s.out_extents(), gradient.extents());
  const device_conv conv(name, from, s, on);
  std::vector<labelled_product> products{{3, 1, "bgct"}, {2, 0, "gock"}};
  std::vector<operand_shape> results{{{s.batch, s.in_channels, conv.positions()}, true},
                                     weight->shape()};
  if (!p.bias.is_empty()) {
    products.push_back({2, {}, "go"});
    results.push_back({{p.bias.size()}, true});
  }
  const contraction_problem what =
      products_of(conv_labels, conv.sizes(), {"kbgcl", "gock", "bgol", "kbgot"}, products, true);
  std::vector<shared_tensor> by =
      conv.layer().run(what, {conv.windows(from), weight, g, conv.windows_of_gradient(g)}, results);
  by[0] = conv.cut(by[0]);
  return gradients_of<device_conv1d_parameters>(by);
}

#define PAPILIO_INSTANTIATE(T)                                                              \
  template PAPILIO_API tensor<std::complex<T>> complex_conv1d(                              \
      complex_view<T>, const complex_conv1d_parameters<T>&, const conv1d_options&,          \
      const execution&);                                                                    \
  template PAPILIO_API layer_gradients<T, complex_conv1d_parameters<T>> complex_conv1d_vjp( \
      complex_view<T>, const complex_conv1d_parameters<T>&, complex_view<T>,                \
      const conv1d_options&, const execution&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio
