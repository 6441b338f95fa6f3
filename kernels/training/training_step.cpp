// One step of training the complex-mask denoiser of examples/speech_mask.cpp in one program: analysis,
// network, synthesis, loss, backward and Adam's update, with nothing leaving HBM in between.
//   identity   F = log(1 + |X|), A = conv(F, W1), B = batch norm(A), C = modReLU(B),
//              M = conv(C, W2) + b, y = istft(M X), loss |y - s|^2 / |s|^2;
//              gradients from the last to the first, those of real numbers W1 meets in F real
//   layout     rows are segments of all clips, features bins or channels: a convolution along the
//              rows is a product with windows, rows of its taps side by side, and its gradient by the
//              input the product of windows of the other direction
//   bound      the vector engine, since the products are small
#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/checks.hpp"
#include "kernels/elementwise/formulas.hpp"
#include "kernels/entries.hpp"
#include "kernels/parameters.hpp"
#include "kernels/short_time/stft_design.hpp"
#include "kernels/stage_list.hpp"
#include "papilio/kernels/contraction.hpp"
#include "papilio/kernels/elementwise.hpp"
#include "papilio/kernels/rearrange.hpp"
#include "papilio/kernels/stft.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using namespace kernels;

constexpr const char* training_name = "training_step";
constexpr float epsilon = 1e-5F;

struct training_sizes {
  std::int64_t clips, samples, n_fft, hop, hidden, taps;

  std::int64_t segments() const { return samples / hop + 1; }
  std::int64_t rows() const { return clips * segments(); }
  std::int64_t bins() const { return n_fft / 2 + 1; }
};

pointwise_program log_magnitudes() {
  formula f;
  const real_term size = polar(f.input<2>(one_for::element)).size;
  f.output(apply(activation_function::log, size + 1.0F));
  return f.program();
}

// Adds the bias to the mask, and multiplies the spectrum by it.
pointwise_program masked() {
  formula f;
  const auto mask = f.input<2>(one_for::element), bias = f.input<2>(one_for::feature),
             x = f.input<2>(one_for::element);
  f.output((mask + bias) * x);
  return f.program();
}

// Spectrum, the gradient by its product with the mask but for weights of bins, and those, to the
// gradients by mask and bias.
pointwise_program masked_vjp() {
  formula f;
  const auto x = f.input<2>(one_for::element), g = f.input<2>(one_for::element);
  const auto weights = f.input(one_for::feature);
  const complex_term by = weights * conjugate_product(x, g);
  f.output(by);
  f.output(sum(by.re), sum(by.im));
  return f.program();
}

// Samples, clean ones, energy and 1 / the sums of squared weights to the error and to the gradient by
// what the synthesis divides.
pointwise_program residual() {
  formula f;
  const auto y = f.input(one_for::element), s = f.input(one_for::element),
             energy = f.input(one_for::tensor), weights = f.input(one_for::feature);
  const real_term error = y - s;
  f.output(error);
  f.output(error * weights * (2 * reciprocal(energy)));
  return f.program();
}

pointwise_program quotient() {
  formula f;
  const auto a = f.input(one_for::tensor), b = f.input(one_for::tensor);
  f.output(a * reciprocal(b));
  return f.program();
}

// Running moments and sums over `count` numbers to the running ones, with momentum 0.1.
pointwise_program moved_moments(std::int64_t count) {
  formula f;
  const auto running = f.input(one_for::element), sums = f.input(one_for::element);
  f.output(0.9F * running + (0.1F / float(count)) * sums);
  return f.program();
}

// Rows [clip, segment, taps, features] of the segments around each, zeros beyond a clip's ends. The
// forward convolution's tap t is at t - (taps - 1) / 2; a gradient by the input reads the other way.
arrangement_problem windows(const training_sizes& s, std::int64_t features, bool is_complex,
                            bool is_gradient) {
  const auto n = [](std::int64_t v) { return std::size_t(v); };
  const std::int64_t segments = s.segments();
  arrangement_problem p{.in_extents = {n(s.clips), n(segments), n(features)},
                        .out_extents = {n(s.clips), n(segments), n(s.taps * features)},
                        .complex_in = is_complex,
                        .complex_out = is_complex,
                        .boxes = {}};
  for (std::int64_t tap = 0; tap < s.taps; ++tap) {
    const std::int64_t shift = (is_gradient ? -1 : 1) * (tap - (s.taps - 1) / 2),
                       from = std::max<std::int64_t>(0, shift),
                       to = std::max<std::int64_t>(0, -shift);
    if (std::max(from, to) >= segments) continue;
    p.boxes.push_back({{0, n(from), 0},
                       {0, n(to), n(tap * features)},
                       {n(s.clips), n(segments - from - to), n(features)}});
  }
  return p;
}

// A sum of products of two operands by their labels.
sized_kernel product(std::vector<std::size_t> sizes, std::vector<int> left, std::vector<int> right,
                     std::vector<int> result, bool conjugate_left, bool conjugate_right,
                     bool is_complex, const machine_spec& machine) {
  return contraction_kernel(
      labelled_contraction(std::move(sizes), {left, right},
                           {{{{0, left, conjugate_left}, {1, right, conjugate_right}}, result}},
                           is_complex),
      machine);
}

class step_of_training {
 public:
  step_of_training(const training_sizes& s, const machine_spec& machine) : s_(s), m_(machine) {}

  sized_kernel kernel() {
    const std::int64_t c = s_.clips, n = s_.samples, rows = s_.rows(), k = s_.bins(), h = s_.hidden,
                       first = 2 * s_.taps * k * h, second = 2 * s_.taps * h * k,
                       all = first + 6 * h + second + 2 * k, spectra = 2 * rows * k,
                       inner = 2 * rows * h;
    const tensor_shape sounds{{c, n}}, parameters{{all}}, statistics{{5, h}}, number{{1}};
    const stage_tensor noisy = list_.input(sounds), clean = list_.input(sounds),
                       now = list_.input(parameters), mean = list_.input(parameters),
                       squares = list_.input(parameters, {0, 1}), running = list_.input(statistics),
                       rate = list_.input(number, {0, 1e-3F});
    const stage_tensor next = list_.output(parameters), next_mean = list_.output(parameters),
                       next_squares = list_.output(parameters), moved = list_.output(statistics),
                       loss = list_.output(number);
    struct weights {
      stage_tensor first, gamma, beta, bias, second, last;
    };
    const auto parts = [&](const stage_tensor& t) {
      return weights{t.part(0, first),
                     t.part(first, 3 * h),
                     t.part(first + 3 * h, 2 * h),
                     t.part(first + 5 * h, h),
                     t.part(first + 6 * h, second),
                     t.part(first + 6 * h + second, 2 * k)};
    };
    const stage_tensor gradient = list_.between(all);
    const weights w = parts(now), by = parts(gradient);
    const auto size = [](std::int64_t v) { return std::size_t(v); };

    // Forward.
    const stage_tensor x = list_.between(spectra), f = list_.between(rows * k),
                       f_windows = list_.between(s_.taps * rows * k), a = list_.between(inner),
                       moments = list_.between(5 * h), sums = moments.part(0, 2 * h),
                       products = moments.part(2 * h, 3 * h), b = list_.between(inner),
                       d = list_.between(inner), d_windows = list_.between(s_.taps * inner),
                       mask = list_.between(spectra), kept = list_.between(spectra),
                       y = list_.between(c * n);
    const std::vector<float> hann_window = hann(s_.n_fft);
    list_.add("analysis", analysis(hann_window), {noisy}, {x});
    formula_stage("features", rows, k, log_magnitudes(), {x}, {f});
    list_.add("windows 1", rearrange_kernel(windows(s_, k, false, false), m_), {f}, {f_windows});
    // Labels: 0 rows, 1 taps and bins, 2 re and im, 3 hidden.
    const std::vector<std::size_t> real{size(rows), size(s_.taps * k), 2, size(h)};
    list_.add("convolution 1", product(real, {0, 1}, {2, 1, 3}, {2, 0, 3}, false, false, false, m_),
              {f_windows, w.first}, {a});
    formula_stage("mean", rows, h, mean_sums(), {a}, {sums});
    formula_stage("covariance", rows, h, central_sums(rows), {a, sums}, {products});
    formula_stage("batch norm", rows, h, normalised({rows, epsilon}),
                  {a, sums, products, w.gamma, w.beta}, {b});
    formula_stage("modrelu", rows, h, formula_of(layer_function::modrelu).program, {b, w.bias},
                  {d});
    list_.add("windows 2", rearrange_kernel(windows(s_, h, true, false), m_), {d}, {d_windows});
    // Labels: 0 rows, 1 taps and hidden, 2 bins.
    const std::vector<std::size_t> complex{size(rows), size(s_.taps * h), size(k)};
    list_.add("convolution 2", product(complex, {0, 1}, {1, 2}, {0, 2}, false, false, true, m_),
              {d_windows, w.second}, {mask});
    formula_stage("mask", rows, k, masked(), {mask, w.last, x}, {kept});
    list_.add("synthesis", synthesis(hann_window), {kept}, {y});

    // Loss.
    const stage_tensor energy = list_.between(1), squared = list_.between(1),
                       error = list_.between(c * n), by_y = list_.between(c * n);
    const sized_kernel dot = vector_kernel({.operation = vector_operation::dot, .n = c * n}, m_);
    list_.add("energy", dot, {clean, clean}, {energy});
    list_.add(
        "residual",
        with_table(pointwise_kernel("residual", c, n, residual(), 0x1p-24, m_), "1 / sum of w^2",
                   [s = s_, hann_window](std::span<float> t) { fill_weights(s, hann_window, t); }),
        {y, clean, energy}, {error, by_y});
    list_.add("loss", dot, {error, error}, {squared});
    formula_stage("loss over energy", 1, 1, quotient(), {squared, energy}, {loss});

    // Backward.
    const stage_tensor by_kept = list_.between(spectra), by_mask = list_.between(spectra),
                       by_windows = list_.between(s_.taps * spectra), by_d = list_.between(inner),
                       by_b = list_.between(inner), by_a = list_.between(inner),
                       outer = list_.between(4 * h);
    list_.add("by synthesis", analysis(hann_window), {by_y}, {by_kept});
    list_.add("by mask",
              with_table(pointwise_kernel("by mask", rows, k, masked_vjp(), 0x1p-24, m_),
                         "weights of bins",
                         [n = s_.n_fft](std::span<float> t) {
                           std::ranges::fill(t, 2 / float(n));
                           t.front() /= 2;
                           if (n % 2 == 0) t.back() /= 2;
                         }),
              {x, by_kept}, {by_mask, by.last});
    list_.add("by convolution 2, weights",
              product(complex, {0, 1}, {0, 2}, {1, 2}, true, false, true, m_), {d_windows, by_mask},
              {by.second});
    list_.add("windows of gradient", rearrange_kernel(windows(s_, k, true, true), m_), {by_mask},
              {by_windows});
    // Labels: 0 rows, 1 taps, 2 hidden, 3 bins.
    list_.add("by convolution 2",
              product({size(rows), size(s_.taps), size(h), size(k)}, {0, 1, 3}, {1, 2, 3}, {0, 2},
                      false, true, true, m_),
              {by_windows, w.second}, {by_d});
    formula_stage("by modrelu", rows, h, formula_of(layer_function::modrelu_vjp).program,
                  {b, w.bias, by_d}, {by_b, by.bias});
    formula_stage("by batch norm, sums", rows, h, normalised_vjp_sums({rows, epsilon}),
                  {a, sums, by_b}, {outer, by.beta});
    formula_stage("by batch norm", rows, h, normalised_vjp({rows, epsilon}, true),
                  {a, sums, products, w.gamma, by_b, outer, by.beta}, {by_a, by.gamma});
    list_.add("by convolution 1, weights",
              product(real, {0, 1}, {2, 0, 3}, {2, 1, 3}, false, false, false, m_),
              {f_windows, by_a}, {by.first});

    // Update.
    formula_stage("update", 1, all, adam(), {now, gradient, mean, squares, rate},
                  {next, next_mean, next_squares});
    formula_stage("statistics", 1, 5 * h, moved_moments(rows), {running, moments}, {moved});
    return list_.kernel(m_);
  }

 private:
  void formula_stage(const char* name, std::int64_t rows, std::int64_t features,
                     pointwise_program program, std::vector<stage_tensor> in,
                     std::vector<stage_tensor> out) {
    list_.add(name, pointwise_kernel(name, rows, features, std::move(program), 0x1p-24, m_),
              std::move(in), std::move(out));
  }

  sized_kernel analysis(const std::vector<float>& window) const {
    return stft_kernel({.channels = std::size_t(s_.clips),
                        .samples = std::size_t(s_.samples),
                        .n_fft = std::size_t(s_.n_fft),
                        .hop = std::size_t(s_.hop),
                        .window = window},
                       m_);
  }
  sized_kernel synthesis(const std::vector<float>& window) const {
    return istft_kernel({.channels = std::size_t(s_.clips),
                         .segments = std::size_t(s_.segments()),
                         .samples = std::size_t(s_.samples),
                         .n_fft = std::size_t(s_.n_fft),
                         .hop = std::size_t(s_.hop),
                         .window = window},
                        m_);
  }

  static void fill_weights(const training_sizes& s, const std::vector<float>& window,
                           std::span<float> weights) {
    for (std::int64_t i = 0; i < s.samples; ++i) {
      double sum = 0;
      const std::int64_t at = i + s.n_fft / 2;
      for (std::int64_t g = std::min(at / s.hop, s.segments() - 1);
           g >= 0 && at - g * s.hop < s.n_fft; --g)
        sum += double(window[std::size_t(at - g * s.hop)]) *
               double(window[std::size_t(at - g * s.hop)]);
      weights[std::size_t(i)] = float(1 / sum);
    }
  }

  training_sizes s_;
  machine_spec m_;
  stage_list list_{training_name};
};

}  // namespace

catalog_entry training_step_entry() {
  using r = training_sizes;
  return settings<r>{number_setting("clips", &r::clips, "6", "Sounds of the batch"),
                     number_setting("samples", &r::samples, "8000", "Samples of a sound"),
                     number_setting("n_fft", &r::n_fft, "256", "Points of a segment"),
                     number_setting("hop", &r::hop, "128", "Samples between segments"),
                     number_setting("hidden", &r::hidden, "32", "Features between the layers"),
                     number_setting("taps", &r::taps, "3", "Segments that a layer sees")}
      .entry(training_name,
             "A step of training examples/speech_mask.cpp: forward, backward and update",
             [](const r& s, const machine_spec& machine) {
               for (const std::int64_t features : {s.bins(), s.hidden}) {
                 tensor_shape{{2, s.taps, features, s.clips, s.segments()}}.bytes();
                 tensor_shape{{2, s.taps, features, s.bins(), s.hidden}}.bytes();
               }
               return step_of_training(s, machine).kernel();
             });
}

}  // namespace papilio::kernels_detail
