// Time of the gradient of each linear operation beside that of the operation itself, one thread, in
// float: both sides in turns, medians of quiet runs, see peer.hpp. An adjoint of a linear operation
// is asked to take at most 1.3 times as long. Then reconstructions and their derivatives along a
// change, and what plans hold, and their adjoints beside them. An argument chooses the rows that
// begin with it.
//   OMP_NUM_THREADS=1 build/release/bench/papilio_bench_gradients
//   OMP_NUM_THREADS=1 build/release/bench/papilio_bench_gradients istft
#include <malloc.h>

#include <complex>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "papilio/papilio.hpp"
#include "peer.hpp"

namespace {

using namespace papilio;
using number = std::complex<float>;

template <class Array>
Array filled(Array x) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  auto* const values = reinterpret_cast<float*>(x.data());
  for (std::size_t i = 0; i < x.size() * sizeof(*x.data()) / sizeof(float); ++i)
    values[i] = uniform(generator);
  return x;
}

std::string chosen;

void row(const std::string& what, const std::function<void()>& forward,
         const std::function<void()>& vjp) {
  if (!what.starts_with(chosen)) return;
  const bench::comparison t = bench::compare(forward, vjp, {.seconds = 2});
  std::printf("| %s | %.2f us | %.2f us | %.2f |%s\n", what.c_str(), 1e6 * t.first_seconds,
              1e6 * t.second_seconds, t.second_seconds / t.first_seconds,
              t.is_quiet ? "" : " not quiet");
}

void lines(std::size_t n) {
  const std::string size = std::to_string(n);
  const auto x = filled(std::vector<number>(n)), bins = filled(std::vector<number>(n / 2 + 1));
  const auto samples = filled(std::vector<float>(n));
  std::vector<number> y(n), half(n / 2 + 1);
  std::vector<float> real(n);
  const fft_plan<float> plan(n), adjoint = plan.adjoint();
  row(
      "fft " + size, [&] { plan.execute(x, y); }, [&] { adjoint.execute(x, y); });
  const rfft_plan<float> halved(n), adjoint_halved = halved.adjoint();
  row(
      "rfft " + size, [&] { halved.forward(samples, half); },
      [&] { adjoint_halved.inverse(bins, real); });
  row(
      "irfft " + size, [&] { halved.inverse(bins, real); },
      [&] { adjoint_halved.forward(samples, half); });
}

double heap_kib() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<double>(now.uordblks + now.hblkhd) / 1024;
}

template <class Plan>
void memory(const char* name, std::size_t n) {
  const double before = heap_kib();
  const Plan plan(n);
  const double alone = heap_kib();
  const Plan adjoint = plan.adjoint();
  std::printf("| %s %zu | %.1f KiB | %.1f KiB |\n", name, n, alone - before, heap_kib() - alone);
}

void segments(std::size_t seconds, const stft_options& options, const char* padding = "") {
  const std::string size = std::to_string(seconds) + " s, " + std::to_string(options.n_fft) +
                           " hop " + std::to_string(options.hop) + padding;
  const auto signal = filled(std::vector<float>(16000 * seconds));
  std::vector<float> samples(signal.size());
  const stft_plan<float> plan(options);
  const istft_plan<float> inverse(options), adjoint = plan.adjoint();
  const stft_plan<float> adjoint_inverse = inverse.adjoint();
  array<number, 2> spectra({plan.segments(signal.size()), plan.bins()}), other(spectra.extents());
  plan.execute(signal, spectra);
  row(
      "stft, " + size, [&] { plan.execute(signal, other); },
      [&] { adjoint.execute(spectra, samples); });
  row(
      "istft, " + size, [&] { inverse.execute(spectra, samples); },
      [&] { adjoint_inverse.execute(signal, other); });
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) chosen = arguments[1];
  std::puts("| operation | forward | gradient | ratio |\n|---|---|---|---|");
  for (const std::size_t n : {64, 1000, 1024, 1009, 65536, 1048576}) lines(n);
  {
    const auto x = filled(array<number, 2>({512, 512}));
    array<number, 2> y({512, 512});
    const fftn_plan<float> plan({512, 512}), adjoint = plan.adjoint();
    row(
        "fftn 512x512", [&] { plan.execute(x, y); }, [&] { adjoint.execute(x, y); });
  }
  // Bins of a minute are written to memory past the caches, those of six seconds are not.
  for (const std::size_t seconds : {6, 60}) {
    segments(seconds, {.n_fft = 512, .hop = 128});
    segments(seconds, {.n_fft = 512, .hop = 128, .padding = edge_padding::reflect}, ", reflect");
    segments(seconds, {.n_fft = 2048, .hop = 512});
  }
  {
    const mel_filterbank<float> mel(16000, 1024, {.bands = 80}), adjoint = mel.adjoint();
    const auto power = filled(array<float, 2>({1000, mel.bins()}));
    array<float, 2> bands({1000, mel.bands()}), back(power.extents());
    row(
        "mel 80 of 513, 1000 segments", [&] { mel.apply(power, bands); },
        [&] { adjoint.apply(bands, back); });
  }
  // Five transforms for three; the gradients by both operands.
  for (const std::size_t taps : {200, 4000}) {
    const auto x = filled(std::vector<float>(4000)), y = filled(std::vector<float>(taps)),
               g = filled(std::vector<float>(taps + 3999));
    row(
        "fftconvolve of 4000 and " + std::to_string(taps) + ", both operands",
        [&] { fftconvolve(x, y); }, [&] { fftconvolve_vjp(x, y, g); });
  }
  // Two products for one; the gradients by both operands.
  for (const std::size_t n : {64, 512}) {
    const auto a = filled(array<number, 2>({n, n})), b = filled(array<number, 2>({n, n}));
    const product_options one{.on = {.threads = 1}};
    array<number, 2> c({n, n});
    row(
        "complex gemm " + std::to_string(n) + ", both operands", [&] { gemm(a, b, c.view(), one); },
        [&] { gemm_vjp(a, b, c, one); });
  }
  // Along a change of all parts, beside the array itself.
  {
    cp_model<float> model{filled(array<float, 1>({32})), {}};
    struct tensor_train<float> train;
    for (std::size_t mode = 0; mode < 3; ++mode) {
      model.factors.push_back(filled(array<float, 2>({160, 32})));
      train.cores.push_back(
          filled(array<float, 3>({mode == 0 ? 1U : 32U, 160, mode == 2 ? 1U : 32U})));
    }
    const tucker_model<float> tucker{filled(tensor<float>({32, 32, 32})), model.factors};
    const auto derivative = [](const char* name, const auto& m) {
      row(
          name, [&] { reconstruct(m); }, [&] { reconstruct_jvp(m, m, {.threads = 1}); });
    };
    derivative("reconstruct CP, 160^3 of 32, jvp", model);
    derivative("reconstruct Tucker, the same, jvp", tucker);
    derivative("reconstruct TT, the same, jvp", train);
  }
  if (!chosen.empty()) return 0;
  std::puts("\n| plan | holds | its adjoint, besides |\n|---|---|---|");
  for (const std::size_t n : {64, 1000, 1024, 10000, 16384, 65536, 1048576}) {
    memory<fft_plan<float>>("fft", n);
    memory<rfft_plan<float>>("rfft", n);
  }
}
