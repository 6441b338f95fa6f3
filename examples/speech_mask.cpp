// Learns to denoise: a small complex network makes of a noisy sound's magnitudes a complex mask for
// its spectrum, and is trained on made mixtures by Adam with the gradient through the ISTFT.
//   speech_mask [STEPS]    (default 120)
// What a step takes on the accelerator: papilio profile training_step --dry-run --trace step.json
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "papilio/papilio.hpp"

namespace {

using namespace papilio;
using number = std::complex<float>;

constexpr std::size_t rate = 8000, clip = 8000, clips_at_once = 6, hidden = 32, taps = 3;
const stft_options segments{.n_fft = 256, .hop = 128};

// Sounds of a gliding voice: harmonics under two moving resonances, in syllables.
struct mixtures {
  array<float, 2> clean, noisy;

  mixtures(std::size_t count, unsigned seed) : clean({count, clip}), noisy({count, clip}) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, 0.12F);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (std::size_t c = 0; c < count; ++c) {
      const double pitch = 90 + 130 * uniform(random), glide = uniform(random) - 0.5;
      const double syllables = 2 + 3 * uniform(random), shift = uniform(random);
      double phase = 0;
      for (std::size_t i = 0; i < clip; ++i) {
        const double t = static_cast<double>(i) / rate, wave = std::sin(2 * std::numbers::pi * t);
        const double f = pitch * (1 + 0.3 * glide * wave);
        phase += 2 * std::numbers::pi * f / rate;
        const double first = 500 + 250 * wave, second = 1500 + 600 * std::cos(4 * t + 6 * shift);
        double sum = 0;
        for (int h = 1; h * f < 3600; ++h) {
          const double a = (h * f - first) / 150, b = (h * f - second) / 250;
          sum += (1 / (1 + a * a) + 0.6 / (1 + b * b)) * std::sin(h * phase);
        }
        const double loud = std::max(0.0, std::sin(2 * std::numbers::pi * (syllables * t + shift)));
        clean(c, i) = static_cast<float>(0.15 * loud * sum);
        noisy(c, i) = clean(c, i) + normal(random);
      }
    }
  }
};

// Moves parameters against their gradients (Kingma and Ba 2015).
struct adam {
  std::vector<float> mean, square;

  void step(std::span<float> parameters, std::span<const float> gradient, int time) {
    mean.resize(parameters.size());
    square.resize(parameters.size());
    const float rate_now = 3e-3F * static_cast<float>(std::sqrt(1 - std::pow(0.999, time)) /
                                                      (1 - std::pow(0.9, time)));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      mean[i] = 0.9F * mean[i] + 0.1F * gradient[i];
      square[i] = 0.999F * square[i] + 0.001F * gradient[i] * gradient[i];
      parameters[i] -= rate_now * mean[i] / (std::sqrt(square[i]) + 1e-8F);
    }
  }
};

// The real numbers of an array; Adam treats them alike.
template <class Array>
auto numbers_of(Array& x) {
  using real = std::conditional_t<std::is_const_v<Array>, const float, float>;
  return std::span<real>(reinterpret_cast<real*>(x.data()), x.size() * sizeof(*x.data()) / 4);
}

// Layers over time, with bins as channels: convolution, normalisation, modReLU, convolution.
class network {
 public:
  explicit network(std::size_t bins)
      : first_{weights(hidden, bins), {}},
        norm_(initial_batch_norm_parameters<float>(hidden)),
        running_(initial_batch_statistics<float>(hidden)),
        bias_({hidden}),
        second_{weights(bins, hidden), array<number, 1>({bins})} {
    for (number& v : second_.bias) v = 0.5F;  // it begins by keeping half of everything
  }

  tensor<number> mask(const tensor<number>& features) const {
    const auto h = complex_batch_norm(complex_conv1d(features, first_, same_), norm_, running_);
    return complex_conv1d(complex_modrelu(h, bias_, 1), second_, same_);
  }

  // Forward, `gradient_of` the mask, backward, update.
  template <class GradientOf>
  void train(const tensor<number>& features, int time, const GradientOf& gradient_of) {
    const auto a = complex_conv1d(features, first_, same_);
    const auto b = complex_batch_norm_training(a, norm_);
    const auto c = complex_modrelu(b, bias_, 1);
    const auto by_mask = gradient_of(complex_conv1d(c, second_, same_));
    const auto by_second = complex_conv1d_vjp(c, second_, by_mask, same_);
    const auto by_bias = complex_modrelu_vjp(b, bias_, by_second.x, 1);
    const auto by_norm = complex_batch_norm_training_vjp(a, norm_, by_bias.x);
    const auto by_first = complex_conv1d_vjp(features, first_, by_norm.x, same_);
    update_statistics(running_, batch_statistics<float>(a));
    auto in_turn = [&, which = std::size_t{0}](auto& parameters, const auto& by) mutable {
      steps_[which++].step(numbers_of(parameters), numbers_of(by), time);
    };
    in_turn(first_.weight, by_first.parameters.weight);
    in_turn(norm_.gamma, by_norm.parameters.gamma);
    in_turn(norm_.beta, by_norm.parameters.beta);
    in_turn(bias_, by_bias.bias);
    in_turn(second_.weight, by_second.parameters.weight);
    in_turn(second_.bias, by_second.parameters.bias);
  }

 private:
  static array<number, 3> weights(std::size_t out, std::size_t in) {
    std::mt19937 random(static_cast<unsigned>(in));
    std::normal_distribution<float> normal(0, 0.5F / std::sqrt(static_cast<float>(in * taps)));
    array<number, 3> w({out, in, taps});
    for (number& v : w) {
      const float re = normal(random);
      v = {re, normal(random)};
    }
    return w;
  }

  const conv1d_options same_ = same_conv1d(taps);
  complex_conv1d_parameters<float> first_;
  complex_batch_norm_parameters<float> norm_;
  complex_batch_statistics<float> running_;
  array<float, 1> bias_;
  complex_conv1d_parameters<float> second_;
  adam steps_[6];
};

// Spectra of all clips and what the network sees of them, [clips, bins, segments].
struct analysed {
  array<number, 3> spectra;
  tensor<number> features;

  analysed(const stft_plan<float>& plan, const array<float, 2>& sounds)
      : spectra({sounds.extent(0), plan.segments(clip), plan.bins()}),
        features({sounds.extent(0), plan.bins(), plan.segments(clip)}) {
    plan.execute(sounds, spectra);
    const auto to = features.as<3>();
    for (std::size_t c = 0; c < to.extent(0); ++c)
      for (std::size_t k = 0; k < to.extent(1); ++k)
        for (std::size_t s = 0; s < to.extent(2); ++s)
          to(c, k, s) = std::log1p(std::abs(spectra(c, s, k)));
  }
};

// As spectra lie.
view<const number, 3> by_segments(const tensor<number>& mask) {
  const auto m = mask.as<3>();
  return {
      m.data(), {m.extent(0), m.extent(2), m.extent(1)}, {m.stride(0), m.stride(2), m.stride(1)}};
}

array<float, 2> masked(const istft_plan<float>& inverse, const analysed& x,
                       const tensor<number>& mask) {
  array<number, 3> kept(x.spectra.extents());
  apply_mask<float, 3>(x.spectra.view(), by_segments(mask), kept.view());
  array<float, 2> sounds({kept.extent(0), clip});
  inverse.execute(kept, sounds);
  return sounds;
}

// Scale-invariant signal-to-distortion ratio in dB, the mean over the clips (Le Roux et al. 2019).
double si_sdr(const array<float, 2>& sounds, const array<float, 2>& clean) {
  double sum = 0;
  for (std::size_t c = 0; c < clean.extent(0); ++c) {
    double xs = 0, ss = 0, xx = 0;
    for (std::size_t i = 0; i < clip; ++i) {
      const double x = static_cast<double>(sounds(c, i)), s = static_cast<double>(clean(c, i));
      xs += x * s;
      ss += s * s;
      xx += x * x;
    }
    const double target = xs * xs / ss;
    sum += 10 * std::log10(target / (xx - target));
  }
  return sum / static_cast<double>(clean.extent(0));
}

}  // namespace

int main(int argc, char** argv) try {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 120;
  if (argc > 2 || steps < 1 || steps > 100000) {
    std::fprintf(stderr, "usage: speech_mask [STEPS]\nSTEPS is 1 ... 100000.\n");
    return 2;
  }
  const stft_plan<float> plan(segments);
  const istft_plan<float> inverse(segments);
  const stft_plan<float> inverse_adjoint = inverse.adjoint();
  network net(plan.bins());

  double first = 0, last = 0;
  for (int step = 1; step <= steps; ++step) {
    const mixtures sounds(clips_at_once, static_cast<unsigned>(step % 20));
    const analysed x(plan, sounds.noisy);
    double loss = 0;
    net.train(x.features, step, [&](const tensor<number>& mask) {
      // Loss: the squared error of the samples over the energy of the clean ones.
      array<float, 2> error = masked(inverse, x, mask);
      double energy = 0;
      for (std::size_t i = 0; i < error.size(); ++i) {
        const float s = sounds.clean.data()[i];
        error.data()[i] -= s;
        energy += static_cast<double>(s * s);
        loss += static_cast<double>(error.data()[i] * error.data()[i]);
      }
      loss /= energy;
      for (float& e : error) e *= static_cast<float>(2 / energy);
      array<number, 3> by_kept(x.spectra.extents()), by_mask(by_kept.extents()), unused(by_mask);
      inverse_adjoint.execute(error, by_kept);
      apply_mask_vjp<float, 3>(x.spectra.view(), by_segments(mask), by_kept.view(), unused.view(),
                               by_mask.view());
      tensor<number> gradient(mask.extents());
      const auto to = gradient.as<3>();
      for (std::size_t c = 0; c < to.extent(0); ++c)
        for (std::size_t k = 0; k < to.extent(1); ++k)
          for (std::size_t s = 0; s < to.extent(2); ++s) to(c, k, s) = by_mask(c, s, k);
      return gradient;
    });
    if (step == 1) first = loss;
    last = loss;
    if (step == 1 || step % 20 == 0) std::printf("step %3d  loss %.4f\n", step, loss);
  }

  const mixtures held_out(6, 1000);
  const analysed x(plan, held_out.noisy);
  const double before = si_sdr(held_out.noisy, held_out.clean);
  const double after = si_sdr(masked(inverse, x, net.mask(x.features)), held_out.clean);
  std::printf("held out: SI-SDR %.2f dB before, %.2f dB after, %+.2f dB\n", before, after,
              after - before);
  return steps < 20 || (last < first && after > before) ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "speech_mask: %s\n", e.what());
  return 1;
}
