// Errors of gradients, and of derivatives along a change (jvp): in float on the host, and on an
// emulated accelerator, against the host's in double; relative, in the Euclidean norm, of all
// results of an operation together. Tests compare those in double with central differences, adjoint
// identities and torch. Then dispatches, and the accelerator's own modelled time without launches
// and copies.
//   build/release/bench/papilio_bench_gradient_errors
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "papilio/device.hpp"
#include "papilio/papilio.hpp"

namespace {

using namespace papilio;
using numbers = std::vector<std::complex<double>>;

template <class V, std::size_t Rank>
array<V, Rank> made(const extents_type<Rank>& extents, unsigned seed) {
  array<V, Rank> x(extents);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto next = [&] { return static_cast<float>(uniform(generator)); };
  for (V& v : x)
    if constexpr (std::is_floating_point_v<V>) {
      v = next();
    } else {
      const float re = next();
      v = {re, next()};
    }
  return x;
}

template <class... Results>
numbers joined(const Results&... results) {
  numbers all;
  const auto add = [&](const auto& values) { all.insert(all.end(), values.begin(), values.end()); };
  (add(results.flat()), ...);
  return all;
}

double distance(const numbers& got, const numbers& expected) {
  double errors = 0, squares = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    errors += std::norm(got[i] - expected[i]);
    squares += std::norm(expected[i]);
  }
  return squares == 0 ? std::sqrt(errors) : std::sqrt(errors / squares);
}

// of.operator()<T>(execution) computes the gradients in T.
template <class Gradients>
void row(const char* name, const Gradients& of) {
  const numbers exact = of.template operator()<double>(execution{});
  std::printf("| %s | %.1e |", name, distance(of.template operator()<float>(execution{}), exact));
  engine::device dev;
  const numbers got = of.template operator()<float>(execution{policy::device, &dev});
  const engine::device_record run = dev.record();
  std::printf(" %.1e | %zu | %.1f us |\n", distance(got, exact), run.launches,
              1e6 * run.device_seconds);
}

void transforms() {
  row("fft, 64 x 1024", []<class T>(const execution& on) {
    return joined(fft_vjp(made<std::complex<T>, 2>({64, 1024}, 1), {.on = on}));
  });
  row("ifft, 64 x 1000", []<class T>(const execution& on) {
    return joined(ifft_vjp(made<std::complex<T>, 2>({64, 1000}, 1), {.on = on}));
  });
  row("rfft, 64 x 1024", []<class T>(const execution& on) {
    return joined(rfft_vjp(made<std::complex<T>, 2>({64, 513}, 1), {.on = on}));
  });
  row("irfft, 64 x 1024", []<class T>(const execution& on) {
    return joined(irfft_vjp(made<T, 2>({64, 1024}, 1), {.on = on}));
  });
  row("fftn, 64 x 128", []<class T>(const execution& on) {
    return joined(
        ifftn(made<std::complex<T>, 2>({64, 128}, 1), {.norm = normalization::forward, .on = on}));
  });
  row("rfftn, 8 x 64 x 128", []<class T>(const execution& on) {
    return joined(rfftn_vjp(made<std::complex<T>, 3>({8, 64, 65}, 1), {.on = on}));
  });
  row("irfftn, 8 x 64 x 128", []<class T>(const execution& on) {
    return joined(irfftn_vjp(made<T, 3>({8, 64, 128}, 1), {.on = on}));
  });
  row("fftconvolve, 4000 by 200", []<class T>(const execution& on) {
    const auto by = fftconvolve_vjp(made<T, 1>({4000}, 1), made<T, 1>({200}, 2),
                                    made<T, 1>({4199}, 3), {.on = on});
    return joined(by.x, by.y);
  });
}

void signals() {
  constexpr std::size_t samples = 16000;
  const stft_options options{.n_fft = 512, .hop = 128};
  row("stft, a second, 512 hop 128", [&]<class T>(const execution& on) {
    const stft_plan<T> plan(options);
    const auto g = made<std::complex<T>, 3>({1, plan.segments(samples), plan.bins()}, 1);
    array<T, 2> x({1, samples});
    plan.adjoint().execute(g.view(), x.view(), on);
    return joined(x);
  });
  row("istft, the same", [&]<class T>(const execution& on) {
    const stft_plan<T> adjoint = istft_plan<T>(options).adjoint();
    const auto g = made<T, 2>({1, samples}, 1);
    array<std::complex<T>, 3> x({1, adjoint.segments(samples), adjoint.bins()});
    adjoint.execute(g.view(), x.view(), on);
    return joined(x);
  });
  row("mel, 80 bands of 257 bins", []<class T>(const execution& on) {
    const mel_filterbank<T> adjoint = mel_filterbank<T>(16000, 512, {.bands = 80}).adjoint();
    return joined(adjoint.apply(made<T, 2>({126, 80}, 1), on));
  });
  row("apply_mask, real", []<class T>(const execution& on) {
    const auto x = made<std::complex<T>, 2>({126, 257}, 1),
               g = made<std::complex<T>, 2>({126, 257}, 2);
    const auto m = made<T, 2>(x.extents(), 3);
    array<std::complex<T>, 2> by_x(x.extents());
    array<T, 2> by_m(x.extents());
    apply_mask_vjp<T, 2>(x.view(), m.view(), g.view(), by_x.view(), by_m.view(), on);
    return joined(by_x, by_m);
  });
  row("apply_mask, complex", []<class T>(const execution& on) {
    using C = std::complex<T>;
    const auto x = made<C, 2>({126, 257}, 1), g = made<C, 2>({126, 257}, 2),
               m = made<C, 2>({126, 257}, 3);
    array<C, 2> by_x(x.extents()), by_m(x.extents());
    apply_mask_vjp<T, 2>(x.view(), m.view(), g.view(), by_x.view(), by_m.view(), on);
    return joined(by_x, by_m);
  });
  row("magnitudes", []<class T>(const execution& on) {
    const auto x = made<std::complex<T>, 2>({126, 257}, 1);
    const auto g = made<T, 2>(x.extents(), 2);
    array<std::complex<T>, 2> by_x(x.extents());
    magnitude_vjp<T, 2>(x.view(), g.view(), by_x.view(), on);
    return joined(by_x);
  });
  row("powers", []<class T>(const execution& on) {
    const auto x = made<std::complex<T>, 2>({126, 257}, 1);
    const auto g = made<T, 2>(x.extents(), 2);
    array<std::complex<T>, 2> by_x(x.extents());
    power_vjp<T, 2>(x.view(), g.view(), by_x.view(), on);
    return joined(by_x);
  });
}

void products() {
  row("gemm, 64 x 96 by 96 x 80", []<class T>(const execution& on) {
    const auto by = gemm_vjp(made<T, 2>({64, 96}, 1), made<T, 2>({96, 80}, 2),
                             made<T, 2>({64, 80}, 3), {.on = on});
    return joined(by[0], by[1]);
  });
  row("complex gemm, the same", []<class T>(const execution& on) {
    using C = std::complex<T>;
    const auto by = gemm_vjp(made<C, 2>({64, 96}, 1), made<C, 2>({96, 80}, 2),
                             made<C, 2>({64, 80}, 3), {.on = on});
    return joined(by[0], by[1]);
  });
  row("einsum, bij,jk,kl->bil", []<class T>(const execution& on) {
    const auto by =
        einsum_vjp("bij,jk,kl->bil", made<T, 3>({4, 30, 20}, 1), made<T, 3>({4, 30, 40}, 2),
                   made<T, 2>({40, 50}, 3), made<T, 2>({50, 20}, 4), einsum_options{.on = on});
    return joined(by[0], by[1], by[2]);
  });
  row("reconstruct, CP of rank 4", []<class T>(const execution& on) {
    cp_model<T> model;
    model.weights = made<T, 1>({4}, 9);
    for (const std::size_t n : {10, 12, 14})
      model.factors.push_back(made<T, 2>({n, 4}, static_cast<unsigned>(n)));
    const auto by = reconstruct_vjp(model, made<T, 3>({10, 12, 14}, 1), on);
    return joined(by.weights, by.factors[0], by.factors[1], by.factors[2]);
  });
  const auto cp = []<class T>(unsigned seed) {
    cp_model<T> model{made<T, 1>({4}, seed), {}};
    for (const std::size_t n : {10, 12, 14}) model.factors.push_back(made<T, 2>({n, 4}, ++seed));
    return model;
  };
  row("reconstruct_jvp, the same", [&]<class T>(const execution& on) {
    return joined(reconstruct_jvp(cp.template operator()<T>(1), cp.template operator()<T>(11), on));
  });
  const std::vector<double> occupied{-2, -1.5, -1, -0.7};
  std::vector<double> virtuals;
  for (int a = 0; a < 12; ++a) virtuals.push_back(0.3 + 0.1 * a);
  row("df_mp2, 4 x 12 x 30", [&]<class T>(const execution& on) {
    const auto by =
        df_mp2_vjp(made<T, 3>({4, 12, 30}, 1), occupied, virtuals, {1, 1, 1}, {.on = on});
    numbers all = joined(by.b);
    all.insert(all.end(), by.eps_occupied.begin(), by.eps_occupied.end());
    all.insert(all.end(), by.eps_virtual.begin(), by.eps_virtual.end());
    return all;
  });
  row("df_mp2_jvp, the same", [&]<class T>(const execution& on) {
    const auto change = made<T, 3>({4, 12, 30}, 2);
    const mp2_energies by = df_mp2_jvp(made<T, 3>({4, 12, 30}, 1), occupied, virtuals,
                                       mp2_orbitals<T>{change, occupied, virtuals}, {.on = on});
    return numbers{by.opposite_spin, by.alpha_alpha};
  });
}

void layers() {
  row("complex_linear, 128 to 256", []<class T>(const execution& on) {
    using C = std::complex<T>;
    const complex_linear_parameters<T> p{made<C, 2>({256, 128}, 1), made<C, 1>({256}, 2)};
    const auto by =
        complex_linear_vjp<T>(made<C, 2>({64, 128}, 3), p, made<C, 2>({64, 256}, 4), on);
    return joined(by.x, by.parameters.weight, by.parameters.bias);
  });
  row("complex_conv1d, 8 to 16, 5 taps", []<class T>(const execution& on) {
    using C = std::complex<T>;
    const complex_conv1d_parameters<T> p{made<C, 3>({16, 8, 5}, 1), made<C, 1>({16}, 2)};
    const auto by = complex_conv1d_vjp<T>(made<C, 3>({4, 8, 100}, 3), p,
                                          made<C, 3>({4, 16, 100}, 4), same_conv1d(5), on);
    return joined(by.x, by.parameters.weight, by.parameters.bias);
  });
  row("batch norm, training", []<class T>(const execution& on) {
    using C = std::complex<T>;
    const auto by = complex_batch_norm_training_vjp<T>(made<C, 3>({16, 32, 40}, 1),
                                                       initial_batch_norm_parameters<T>(32),
                                                       made<C, 3>({16, 32, 40}, 2), 1e-5, on);
    return joined(by.x, by.parameters.gamma, by.parameters.beta);
  });
  row("batch norm, inference", []<class T>(const execution& on) {
    using C = std::complex<T>;
    const auto by = complex_batch_norm_vjp<T>(
        made<C, 3>({16, 32, 40}, 1), initial_batch_norm_parameters<T>(32),
        initial_batch_statistics<T>(32), made<C, 3>({16, 32, 40}, 2), 1e-5, on);
    return joined(by.x, by.parameters.gamma, by.parameters.beta);
  });
  row("modReLU", []<class T>(const execution& on) {
    using C = std::complex<T>;
    const auto by = complex_modrelu_vjp<T>(made<C, 2>({600, 64}, 1), made<T, 1>({64}, 2),
                                           made<C, 2>({600, 64}, 3), -1, on);
    return joined(by.x, by.bias);
  });
  row("CReLU", []<class T>(const execution& on) {
    using C = std::complex<T>;
    const auto g = made<C, 2>({600, 64}, 2);
    return joined(complex_relu_vjp(made<C, 2>({600, 64}, 1), g, complex_rectifier::crelu, on));
  });
  row("zReLU", []<class T>(const execution& on) {
    using C = std::complex<T>;
    const auto g = made<C, 2>({600, 64}, 2);
    return joined(complex_relu_vjp(made<C, 2>({600, 64}, 1), g, complex_rectifier::zrelu, on));
  });
}

}  // namespace

int main() {
  std::puts(
      "| gradient of | H error | E error | E dispatches | E, modelled |\n|---|---|---|---|---|");
  transforms();
  signals();
  products();
  layers();
}
