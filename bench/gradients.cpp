#include <malloc.h>

#include <complex>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "papilio/papilio.hpp"
#include "turns.hpp"

namespace papilio::bench {
namespace {

constexpr const char* about =
    R"(Time of the gradient of each linear operation over that of the operation itself, one thread, in
float. An adjoint of a linear operation is asked to take at most 1.3 times as long. Then
reconstructions and their derivatives along a change, and what plans hold, and their adjoints
besides.
  OMP_NUM_THREADS=1 build/release/bench/papilio_bench_gradients [istft]
)";

using number = std::complex<float>;

template <class Array>
std::shared_ptr<Array> filled(Array x) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  auto* const values = reinterpret_cast<float*>(x.data());
  for (std::size_t i = 0; i < x.size() * sizeof(*x.data()) / sizeof(float); ++i)
    values[i] = uniform(generator);
  return std::make_shared<Array>(std::move(x));
}

template <class T>
auto numbers(std::size_t n) {
  return filled(std::vector<T>(n));
}
template <class T, std::size_t Rank>
auto shaped(const extents_type<Rank>& extents) {
  return filled(array<T, Rank>(extents));
}

struct calls {
  std::function<void()> forward, gradient;
};

void add(const std::string& name, std::function<calls()> make) {
  add_row(name, [=] {
    const calls both = make();
    return row{.sides = {timed("forward", both.forward), timed("gradient", both.gradient)}};
  });
}

void add_lines(std::size_t n) {
  const std::string size = std::to_string(n);
  add("fft/" + size, [=]() -> calls {
    const fft_plan<float> plan(n), adjoint = plan.adjoint();
    const auto x = numbers<number>(n), y = numbers<number>(n);
    return {[=] { plan.execute(*x, *y); }, [=] { adjoint.execute(*x, *y); }};
  });
  for (const bool is_forward : {true, false})
    add((is_forward ? "rfft/" : "irfft/") + size, [=]() -> calls {
      const rfft_plan<float> plan(n), adjoint = plan.adjoint();
      const auto x = numbers<float>(n);
      const auto bins = numbers<number>(n / 2 + 1);
      const auto forward = [=](const rfft_plan<float>& p) { return [=] { p.forward(*x, *bins); }; };
      const auto inverse = [=](const rfft_plan<float>& p) { return [=] { p.inverse(*bins, *x); }; };
      if (is_forward) return {forward(plan), inverse(adjoint)};
      return {inverse(plan), forward(adjoint)};
    });
}

void add_segments(std::size_t seconds, const stft_options& options, const char* padding = "") {
  const std::string size = std::to_string(seconds) + " s, " + std::to_string(options.n_fft) +
                           " hop " + std::to_string(options.hop) + padding;
  for (const bool is_forward : {true, false})
    add((is_forward ? "stft/" : "istft/") + size, [=]() -> calls {
      const auto signal = numbers<float>(16000 * seconds), samples = numbers<float>(signal->size());
      const stft_plan<float> plan(options);
      const istft_plan<float> inverse(options);
      const auto spectra = shaped<number, 2>({plan.segments(signal->size()), plan.bins()});
      plan.execute(*signal, *spectra);
      const auto forward = [=](const auto& p) { return [=] { p.execute(*signal, *spectra); }; };
      const auto back = [=](const auto& p) { return [=] { p.execute(*spectra, *samples); }; };
      if (is_forward) return {forward(plan), back(plan.adjoint())};
      return {back(inverse), forward(inverse.adjoint())};
    });
}

// The gradients by both operands: five transforms for three, two products for one.
void add_products() {
  for (const std::size_t taps : {200, 4000})
    add("fftconvolve/4000 and " + std::to_string(taps), [=]() -> calls {
      const auto x = numbers<float>(4000), y = numbers<float>(taps),
                 g = numbers<float>(taps + 3999);
      return {[=] { fftconvolve(*x, *y); }, [=] { fftconvolve_vjp(*x, *y, *g); }};
    });
  for (const std::size_t n : {64, 512})
    add("complex gemm/" + std::to_string(n), [=]() -> calls {
      const auto a = shaped<number, 2>({n, n}), b = shaped<number, 2>({n, n}),
                 c = shaped<number, 2>({n, n});
      const product_options one{.on = {.threads = 1}};
      return {[=] { gemm(*a, *b, c->view(), one); }, [=] { gemm_vjp(*a, *b, *c, one); }};
    });
}

// Along a change of all parts, beside the array itself.
template <class Model>
void add_derivative(const char* name, const std::function<Model()>& make) {
  add(std::string("reconstruct/160^3 of 32, ") + name, [=]() -> calls {
    const auto m = std::make_shared<Model>(make());
    return {[=] { reconstruct(*m); }, [=] { reconstruct_jvp(*m, *m, {.threads = 1}); }};
  });
}

cp_model<float> canonical() {
  cp_model<float> model{*shaped<float, 1>({32}), {}};
  for (int mode = 0; mode < 3; ++mode) model.factors.push_back(*shaped<float, 2>({160, 32}));
  return model;
}

struct tensor_train<float> train() {
  struct tensor_train<float> train;
  for (std::size_t mode = 0; mode < 3; ++mode)
    train.cores.push_back(*shaped<float, 3>({mode == 0 ? 1U : 32U, 160, mode == 2 ? 1U : 32U}));
  return train;
}

double
heap_kib() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<double>(now.uordblks + now.hblkhd) / 1024;
}

// The time is that of making the plan.
template <class Plan>
void add_memory(const char* name, std::size_t n) {
  add_row(std::string("memory/") + name + ' ' + std::to_string(n), [=] {
    const double before = heap_kib();
    const Plan plan(n);
    const double alone = heap_kib();
    const Plan adjoint = plan.adjoint();
    return row{.sides = {timed("papilio", [=] { Plan{n}; })},
               .counters = {{"plan_KiB", alone - before}, {"adjoint_KiB", heap_kib() - alone}}};
  });
}

void add_rows() {
  for (const std::size_t n : {64, 1000, 1024, 1009, 65536, 1048576}) add_lines(n);
  add("fftn/512x512", []() -> calls {
    const fftn_plan<float> plan({512, 512}), adjoint = plan.adjoint();
    const auto x = shaped<number, 2>({512, 512}), y = shaped<number, 2>({512, 512});
    return {[=] { plan.execute(x->view(), y->view()); },
            [=] { adjoint.execute(x->view(), y->view()); }};
  });
  // Bins of a minute are written to memory past the caches, those of six seconds are not.
  for (const std::size_t seconds : {6, 60}) {
    add_segments(seconds, {.n_fft = 512, .hop = 128});
    add_segments(seconds, {.n_fft = 512, .hop = 128, .padding = edge_padding::reflect},
                 ", reflect");
    add_segments(seconds, {.n_fft = 2048, .hop = 512});
  }
  add("mel/80 of 513, 1000 segments", []() -> calls {
    const mel_filterbank<float> mel(16000, 1024, {.bands = 80}), adjoint = mel.adjoint();
    const auto power = shaped<float, 2>({1000, mel.bins()}),
               back = shaped<float, 2>(power->extents()),
               bands = shaped<float, 2>({1000, mel.bands()});
    return {[=] { mel.apply(*power, *bands); }, [=] { adjoint.apply(*bands, *back); }};
  });
  add_products();
  add_derivative<cp_model<float>>("CP", canonical);
  add_derivative<tucker_model<float>>("Tucker", [] {
    return tucker_model<float>{*filled(tensor<float>({32, 32, 32})), canonical().factors};
  });
  add_derivative<struct tensor_train<float>>("TT", train);
  for (const std::size_t n : {64, 1000, 1024, 10000, 16384, 65536, 1048576}) {
    add_memory<fft_plan<float>>("fft", n);
    add_memory<rfft_plan<float>>("rfft", n);
  }
}

}  // namespace
}  // namespace papilio::bench

int main(int argc, char** argv) {
  papilio::bench::add_rows();
  return papilio::bench::run_rows(argc, argv, papilio::bench::about, 21);
}
