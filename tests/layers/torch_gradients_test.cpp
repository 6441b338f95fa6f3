// The numbers of torch.autograd, with its convention for complex gradients, for all that has one:
// tests/layers/reference/make_gradient_reference.py. Both compute in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <string>

#include "papilio/papilio.hpp"
#include "support/npy_data.hpp"

namespace papilio {
namespace {

using C = std::complex<double>;

// The arrays of a file, taken one after another.
class reference {
 public:
  explicit reference(const std::string& name)
      : values_(test::read_npy_data(PAPILIO_GRADIENT_DATA "/" + name + ".npy").values) {}
  ~reference() { EXPECT_EQ(at_, values_.size()); }

  template <class V = C>
  tensor<V> take(std::initializer_list<std::size_t> extents) {
    tensor<V> x(extents);
    for (V& v : x.flat()) {
      if constexpr (std::is_same_v<V, C>) {
        v = {values_.at(at_), values_.at(at_ + 1)};
        at_ += 2;
      } else {
        v = values_.at(at_++);
      }
    }
    return x;
  }

  // The next array is this, but for the rounding of a few operations.
  template <class X>
  void expect(const X& got) {
    using V = std::remove_cvref_t<decltype(*std::begin(got))>;
    for (const V& v : got) {
      const V wanted = take<V>({1}).flat()[0];
      EXPECT_NEAR(std::abs(v - wanted), 0, 1e-12 * (1 + std::abs(wanted)));
    }
  }

 private:
  std::vector<double> values_;
  std::size_t at_ = 0;
};

TEST(torch_gradients, complex_transforms) {
  for (const bool is_inverse : {false, true}) {
    reference r(is_inverse ? "ifft" : "fft");
    const std::size_t n = is_inverse ? 6 : 7;
    const fft_plan<double> plan(
        n, is_inverse ? direction::inverse : direction::forward,
        {.norm = is_inverse ? normalization::backward : normalization::orthonormal});
    const auto x = r.take({n}), g = r.take({n});
    std::vector<C> y(n);
    plan.execute(x.flat(), y);
    r.expect(y);
    plan.adjoint().execute(g.flat(), y);
    r.expect(y);
  }
  reference r("fftn");
  const auto x = r.take({3, 2, 4}), g = r.take({3, 2, 4});
  array<C, 3> y({3, 2, 4});
  const fftn_plan<double> plan({3, 2, 4}, std::vector<std::ptrdiff_t>{0, 2});
  plan.execute(x.as<3>(), y);
  r.expect(y);
  plan.adjoint().execute(g.as<3>(), y);
  r.expect(y);
}

TEST(torch_gradients, real_transforms) {
  for (const std::size_t n : {8, 7}) {
    reference forward(n == 8 ? "rfft" : "rfft_odd"), inverse(n == 8 ? "irfft" : "irfft_odd");
    const std::size_t bins = n / 2 + 1;
    const rfft_plan<double> plan(
        n, {.norm = n == 8 ? normalization::backward : normalization::forward});
    std::vector<C> spectrum(bins);
    std::vector<double> samples(n);
    const auto x = forward.take<double>({n});
    const auto g = forward.take({bins});
    plan.forward(x.flat(), spectrum);
    forward.expect(spectrum);
    plan.adjoint().inverse(g.flat(), samples);
    forward.expect(samples);
    const rfft_plan<double> back(n);
    const auto y = inverse.take({bins});
    const auto h = inverse.take<double>({n});
    back.inverse(y.flat(), samples);
    inverse.expect(samples);
    back.adjoint().forward(h.flat(), spectrum);
    inverse.expect(spectrum);
  }
}

// torch has segments along the last axis.
view<C, 2> transposed(tensor<C>& x) {
  return {x.data(), {x.extent(1), x.extent(0)}, {1, static_cast<std::ptrdiff_t>(x.extent(1))}};
}

TEST(torch_gradients, short_time_transforms) {
  const stft_options options{.n_fft = 16, .hop = 4, .padding = edge_padding::reflect};
  reference forward("stft"), inverse("istft");
  const auto x = forward.take<double>({41});
  auto g = forward.take({9, 11});
  tensor<C> spectra({9, 11});
  const stft_plan<double> plan(options);
  plan.execute(x.flat(), transposed(spectra));
  forward.expect(spectra.flat());
  std::vector<double> signal(41);
  plan.adjoint().execute(transposed(g), signal);
  forward.expect(signal);

  auto y = inverse.take({9, 11});
  const auto h = inverse.take<double>({38});
  signal.resize(38);
  const istft_plan<double> back(options);
  back.execute(transposed(y), signal);
  inverse.expect(signal);
  back.adjoint().execute(h.flat(), transposed(spectra));
  inverse.expect(spectra.flat());
}

TEST(torch_gradients, magnitudes_and_masks) {
  reference magnitudes("magnitude"), masks("mask");
  const auto x = magnitudes.take({5});
  const auto g = magnitudes.take<double>({5});
  magnitudes.take<double>({5});
  array<C, 1> by_x({5}), by_mask({5});
  magnitude_vjp<double, 1>(x.as<1>(), g.as<1>(), by_x.view());
  magnitudes.expect(by_x);
  const auto s = masks.take({5}), m = masks.take({5}), h = masks.take({5});
  masks.take({5});
  apply_mask_vjp<double, 1>(s.as<1>(), m.as<1>(), h.as<1>(), by_x.view(), by_mask.view());
  masks.expect(by_x);
  masks.expect(by_mask);
}

TEST(torch_gradients, products_and_einsum) {
  reference products("gemm"), sums("einsum");
  const auto a = products.take({3, 4}), b = products.take({4, 2}), g = products.take({3, 2});
  products.take({3, 2});
  const auto by = gemm_vjp(a.as<2>(), b.as<2>(), g.as<2>());
  products.expect(by[0].flat());
  products.expect(by[1].flat());
  const auto x = sums.take({3, 3, 2}), y = sums.take({2, 4}), z = sums.take({4});
  const auto h = sums.take({3});
  const einsum_options options{.conjugate = {false, true}};
  sums.expect(einsum("iij,jk,k->i", x, y, z, options).flat());
  for (const auto& gradient : einsum_vjp("iij,jk,k->i", h, x, y, z, options))
    sums.expect(gradient.flat());
}

template <std::size_t Rank, class V>
array<V, Rank> to_array(const tensor<V>& x) {
  extents_type<Rank> extents;
  std::ranges::copy(x.extents(), extents.begin());
  array<V, Rank> result(extents);
  std::ranges::copy(x.flat(), result.begin());
  return result;
}

TEST(torch_gradients, linear_and_convolution) {
  reference linear("linear"), conv("conv1d");
  const auto x = linear.take({3, 4});
  const complex_linear_parameters<double> p{to_array<2>(linear.take({2, 4})),
                                            to_array<1>(linear.take({2}))};
  const auto g = linear.take({3, 2});
  linear.expect(complex_linear(x, p).flat());
  const auto by = complex_linear_vjp(x, p, g);
  linear.expect(by.x.flat());
  linear.expect(by.parameters.weight);
  linear.expect(by.parameters.bias);

  const conv1d_options options{
      .stride = 2, .dilation = 2, .groups = 2, .padding_before = 2, .padding_after = 2};
  const auto signal = conv.take({2, 4, 9});
  const complex_conv1d_parameters<double> q{to_array<3>(conv.take({6, 2, 3})),
                                            to_array<1>(conv.take({6}))};
  const auto h = conv.take({2, 6, 5});
  conv.expect(complex_conv1d(signal, q, options).flat());
  const auto of_conv = complex_conv1d_vjp(signal, q, h, options);
  conv.expect(of_conv.x.flat());
  conv.expect(of_conv.parameters.weight);
  conv.expect(of_conv.parameters.bias);
}

// There the root is of eigenvalues, here of the closed form.
TEST(torch_gradients, batch_norm) {
  reference r("batch_norm");
  const auto x = r.take({3, 2, 5});
  const complex_batch_norm_parameters<double> p{to_array<2>(r.take<double>({2, 3})),
                                                to_array<1>(r.take({2}))};
  const auto g = r.take({3, 2, 5});
  r.expect(complex_batch_norm_training(x, p).flat());
  const auto by = complex_batch_norm_training_vjp(x, p, g);
  r.expect(by.x.flat());
  r.expect(by.parameters.gamma);
  r.expect(by.parameters.beta);
}

TEST(torch_gradients, activations) {
  reference modrelu("modrelu"), crelu("crelu");
  const auto z = modrelu.take({6, 3});
  const auto bias = to_array<1>(modrelu.take<double>({3}));
  const auto g = modrelu.take({6, 3});
  modrelu.expect(complex_modrelu(z, bias).flat());
  const auto by = complex_modrelu_vjp(z, bias, g);
  modrelu.expect(by.x.flat());
  modrelu.expect(by.bias);
  const auto x = crelu.take({12}), h = crelu.take({12});
  crelu.expect(complex_relu(x).flat());
  crelu.expect(complex_relu_vjp(x, h).flat());
}

}  // namespace
}  // namespace papilio
