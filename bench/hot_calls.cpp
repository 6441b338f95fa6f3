// Calls whose speed is guarded, each with fixed operands and on one thread. bench/hot_calls counts
// the instructions of those that have a count; bench/regress times all of them in two builds.
// Public headers only: it also compiles against another version that is installed.
#include <cblas.h>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "clock.hpp"
#include "kernels/published/catalog.hpp"
#include "papilio/base.hpp"
#include "papilio/blas.hpp"
#include "papilio/chem.hpp"
#include "papilio/contract.hpp"
#include "papilio/decompose.hpp"
#include "papilio/engine.hpp"
#include "papilio/fft.hpp"
#include "papilio/kernels.hpp"
#include "papilio/signal.hpp"

namespace {

using namespace papilio;
using std::size_t;

constexpr const char* usage =
    "usage: papilio_bench_hot_calls --list | --count NAME | --environment | --serve\n"
    "\n"
    "  --list         names of all calls, a line each, after how often a counted one is counted: "
    "0\n"
    "                 where it is only timed\n"
    "  --count NAME   the call that often within papilio_bench_counted_calls, which callgrind can\n"
    "                 be told to count (bench/hot_calls)\n"
    "  --environment  compiler and OpenBLAS, on which the counts depend\n"
    "  --serve        answers each line of standard input, a name, with the CPU seconds of a "
    "call:\n"
    "                 mean of a block of about 10 ms\n";

using call = std::function<void()>;

struct hot_call {
  std::string name;
  int counted;                 ///< calls under callgrind; 0: timed only
  std::function<call()> make;  ///< operands and plans, which are not counted
};
using hot_calls = std::vector<hot_call>;

// Numbers within 0.5 of 0, the same each time. Real arrays, so that the alignment is papilio's own.
template <class T>
array<T, 1> made(size_t count) {
  array<T, 1> x({count}, uninitialized);
  std::uint64_t state = 1;
  for (T& v : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<T>(static_cast<double>(state >> 40) * 0x1p-24 - 0.5);
  }
  return x;
}

tensor<float> made_tensor(const std::vector<size_t>& extents) {
  tensor<float> x(extents);
  std::ranges::copy(made<float>(x.flat().size()), x.flat().begin());
  return x;
}

template <class T>
std::complex<T>* complex_data(array<T, 1>& reals) {
  return reinterpret_cast<std::complex<T>*>(reals.data());
}

template <class T>
struct line_operands {
  explicit line_operands(size_t reals) : in(made<T>(reals)), out(made<T>(reals)) {}
  array<T, 1> in, out;
  array<std::complex<T>, 1> scratch = {};

  std::span<const std::complex<T>> input() { return {complex_data(in), in.size() / 2}; }
  std::span<std::complex<T>> output() { return {complex_data(out), out.size() / 2}; }
};

template <class T>
call complex_line(size_t n) {
  const fft_plan<T> plan(n);
  const auto x = std::make_shared<line_operands<T>>(2 * n);
  x->scratch = array<std::complex<T>, 1>({plan.scratch_size()});
  return [=] { plan.execute(x->input(), x->output(), x->scratch.flat()); };
}

call real_line(size_t n, bool is_forward) {
  const rfft_plan<float> plan(n);
  const auto x = std::make_shared<line_operands<float>>(n + 2);
  x->scratch = array<std::complex<float>, 1>({plan.scratch_size()});
  if (is_forward)
    return [=] { plan.forward(std::span(x->in.data(), n), x->output(), x->scratch.flat()); };
  return [=] { plan.inverse(x->input(), std::span(x->out.data(), n), x->scratch.flat()); };
}

call batch(size_t count, size_t n) {
  const fft_plan<float> plan(n);
  const auto x = std::make_shared<line_operands<float>>(2 * count * n);
  return [=] {
    plan.execute_batch({x->input().data(), {count, n}}, {x->output().data(), {count, n}}, 1);
  };
}

template <size_t Rank>
call grid(const extents_type<Rank>& extents) {
  size_t count = 2;
  for (const size_t extent : extents) count *= extent;
  const fftn_plan<float> plan({extents.begin(), extents.end()});
  const auto x = std::make_shared<line_operands<float>>(count);
  return [=] {
    plan.execute(view<const std::complex<float>, Rank>(x->input().data(), extents),
                 view<std::complex<float>, Rank>(x->output().data(), extents), 1);
  };
}

call cosines(size_t n) {
  const dct_plan<float> plan(n);
  const auto x = std::make_shared<line_operands<float>>(n);
  const auto scratch = std::make_shared<array<float, 1>>(made<float>(plan.scratch_size()));
  return [=] { plan.forward(std::as_const(x->in).flat(), x->out.flat(), scratch->flat()); };
}

void add_transforms(hot_calls& to) {
  for (const auto& [n, counted] : {std::pair<size_t, int>{1024, 200},
                                   {65536, 3},
                                   {1000, 200},
                                   {997, 50},
                                   {4099, 20},
                                   {64, 0},
                                   {44100, 0},
                                   {1 << 20, 0}})
    to.push_back({"fft " + std::to_string(n), counted, [n = n] { return complex_line<float>(n); }});
  to.push_back({"fft 1024 double", 100, [] { return complex_line<double>(1024); }});
  to.push_back({"fft 65536 double", 0, [] { return complex_line<double>(65536); }});
  to.push_back({"rfft 4096", 50, [] { return real_line(4096, true); }});
  to.push_back({"irfft 4096", 50, [] { return real_line(4096, false); }});
  to.push_back({"fft 128 of 1024", 3, [] { return batch(128, 1024); }});
  to.push_back({"fft 10000 of 64", 0, [] { return batch(10000, 64); }});
  to.push_back({"fft 128 x 128", 5, [] { return grid<2>({128, 128}); }});
  to.push_back({"fft 1024 x 1024", 0, [] { return grid<2>({1024, 1024}); }});
  to.push_back({"fft 128 x 128 x 128", 0, [] { return grid<3>({128, 128, 128}); }});
  to.push_back({"dct 1000", 100, [] { return cosines(1000); }});
  to.push_back({"fft plan 4096", 20, [] { return [] { fft_plan<float>(4096); }; }});
}

constexpr size_t rate_hz = 44100;

call magnitudes(size_t seconds) {
  const stft_plan<float> plan({.n_fft = 2048, .hop = 512});
  const auto x = std::make_shared<array<float, 1>>(made<float>(rate_hz * seconds));
  const auto out = std::make_shared<array<float, 2>>(
      extents_type<2>{static_cast<size_t>(plan.segments(x->size())), plan.bins()});
  return [=] { plan.execute_magnitude(std::as_const(*x).flat(), out->view(), 1); };
}

call synthesis() {
  const stft_options options{.n_fft = 2048, .hop = 512};
  const size_t segments = static_cast<size_t>(stft_plan<float>(options).segments(rate_hz)),
               bins = stft_plan<float>(options).bins();
  const istft_plan<float> plan(options);
  const auto x = std::make_shared<array<float, 1>>(made<float>(2 * segments * bins));
  const auto out = std::make_shared<array<float, 1>>(made<float>(rate_hz));
  return [=] { plan.execute({complex_data(*x), {segments, bins}}, out->flat(), 1); };
}

call densities() {
  const auto x = std::make_shared<array<float, 1>>(made<float>(rate_hz));
  return [=] { welch(std::as_const(*x).flat(), {.segment_length = 1024}); };
}

call mel_bands() {
  constexpr size_t n_fft = 2048, segments = 87;
  const mel_filterbank<float> bank(rate_hz, n_fft, {.bands = 80});
  const auto x = std::make_shared<array<float, 1>>(made<float>(segments * (n_fft / 2 + 1)));
  const auto out = std::make_shared<array<float, 2>>(extents_type<2>{segments, 80});
  return [=] { bank.apply({x->data(), {segments, n_fft / 2 + 1}}, out->view(), 1); };
}

void add_short_time(hot_calls& to) {
  to.push_back({"stft magnitudes of 1 s", 3, [] { return magnitudes(1); }});
  to.push_back({"stft magnitudes of 60 s", 0, [] { return magnitudes(60); }});
  to.push_back({"istft of 1 s", 3, synthesis});
  to.push_back({"welch of 1 s", 3, densities});
  to.push_back({"mel of 1 s", 10, mel_bands});
}

call product(size_t n) {
  const auto a = std::make_shared<array<float, 1>>(made<float>(n * n));
  const auto c = std::make_shared<array<float, 1>>(made<float>(n * n));
  return [=] {
    const view<const float, 2> x(a->data(), {n, n});
    gemm(1.0F, x, x, 0.0F, view<float, 2>(c->data(), {n, n}), {.threads = 1});
  };
}

call sum_of_products(const char* subscripts, const std::vector<size_t>& left,
                     const std::vector<size_t>& right) {
  return [=, a = made_tensor(left), b = made_tensor(right)] {
    einsum(subscripts, a, b, einsum_options{.on = {.threads = 1}});
  };
}

// A ring of matrices with chords: connected, and no chain.
call path_search_of(int operands) {
  contraction_network network;
  for (int i = 0; i < operands; ++i) {
    network.inputs.push_back({i, (i + 1) % operands, operands + i / 2});
    network.sizes.push_back(static_cast<size_t>(4 + i % 5));
  }
  for (int i = 0; i < operands; i += 2) network.sizes.push_back(static_cast<size_t>(3 + i % 3));
  return [network] { find_path(network, {.search = path_search::optimal}); };
}

call many_products(size_t count, size_t n) {
  const auto a = std::make_shared<tensor<float>>(made_tensor({count, n, n}));
  std::vector<contraction<float>> list;
  for (size_t i = 0; i < count; ++i) {
    const tensor_view<const float> matrix{a->data() + i * n * n, std::vector<size_t>{n, n}};
    list.push_back({"ij,jk->ik", {matrix, matrix}});
  }
  return [=] { contract_many<float>(list, {.on = {.threads = 1}}); };
}

call energy(size_t nocc, size_t nvir, size_t naux) {
  const auto x = std::make_shared<array<float, 1>>(made<float>(nocc * nvir * naux));
  std::vector<double> occupied, virtuals;
  for (size_t i = 0; i < nocc; ++i) occupied.push_back(-2 + 1.5 * double(i) / double(nocc));
  for (size_t a = 0; a < nvir; ++a) virtuals.push_back(0.2 + 3 * double(a) / double(nvir));
  return [=] {
    df_mp2(view<const float, 3>(x->data(), {nocc, nvir, naux}), occupied, virtuals,
           {.on = {.threads = 1}});
  };
}

call canonical(size_t extent, size_t rank) {
  return [=, x = made_tensor({extent, extent, extent})] {
    cp_als(x, rank, {.max_iterations = 20, .tolerance = 0, .on = {.threads = 1}});
  };
}

call tucker(size_t extent, size_t rank) {
  return [=, x = made_tensor({extent, extent, extent})] {
    tucker_sthosvd(x, {.ranks = {rank, rank, rank}, .on = {.threads = 1}});
  };
}

call tensor_train(size_t extent, size_t rank) {
  return [=, x = made_tensor({extent, extent, extent})] {
    tt_svd(x, {.max_ranks = {rank}, .on = {.threads = 1}});
  };
}

void add_tensors(hot_calls& to) {
  to.push_back({"gemm 64", 50, [] { return product(64); }});
  to.push_back({"gemm 512", 0, [] { return product(512); }});
  const auto add_einsum = [&](const char* subscripts, int counted, std::vector<size_t> left,
                              std::vector<size_t> right) {
    to.push_back({std::string("einsum ") + subscripts, counted,
                  [=] { return sum_of_products(subscripts, left, right); }});
  };
  add_einsum("ap,bp->ab", 50, {48, 128}, {48, 128});
  add_einsum("abcd,ebfd->aecf", 5, {12, 12, 12, 12}, {12, 12, 12, 12});
  add_einsum("ab,cb->abc", 20, {50, 50}, {50, 50});
  add_einsum("iab,jba->ij", 0, {200, 40, 40}, {200, 40, 40});
  add_einsum("abcd,dbea->ec", 0, {32, 32, 32, 32}, {32, 32, 32, 32});
  to.push_back({"path of 12 operands", 3, [] { return path_search_of(12); }});
  to.push_back({"contract_many 200 x 16^3", 0, [] { return many_products(200, 16); }});
  to.push_back({"cp 16^3", 2, [] { return canonical(16, 8); }});
  to.push_back({"cp 100^3", 0, [] { return canonical(100, 10); }});
  to.push_back({"tucker 16^3", 5, [] { return tucker(16, 4); }});
  to.push_back({"tucker 100^3", 0, [] { return tucker(100, 10); }});
  to.push_back({"tensor train 16^3", 5, [] { return tensor_train(16, 4); }});
  to.push_back({"tensor train 100^3", 0, [] { return tensor_train(100, 10); }});
  to.push_back({"mp2 5, 19, 72", 10, [] { return energy(5, 19, 72); }});
  to.push_back({"mp2 16, 128, 128", 0, [] { return energy(16, 128, 128); }});
}

struct launched {
  launched(const std::string& kernel, const std::vector<std::string>& settings,
           engine::run_mode mode)
      : on(engine::trainium1()),
        prepared(on,
                 kernels::size_kernel(kernels::published::find_any(kernel), settings, on.machine()),
                 mode) {
    for (const engine::tensor_shape& shape : prepared.what().inputs) {
      if (mode == engine::run_mode::dry_run) {
        inputs.emplace_back(shape);
        continue;
      }
      memory.push_back(made<float>(static_cast<size_t>(shape.elements())));
      inputs.emplace_back(std::as_bytes(std::as_const(memory.back()).flat()), shape);
    }
    for (const engine::tensor_shape& shape : prepared.what().outputs) {
      if (mode == engine::run_mode::dry_run) {
        outputs.emplace_back(shape);
        continue;
      }
      memory.push_back(made<float>(static_cast<size_t>(shape.elements())));
      outputs.emplace_back(std::as_writable_bytes(memory.back().flat()), shape);
    }
  }

  engine::device on;
  kernels::prepared_kernel prepared;
  std::vector<array<float, 1>> memory;  // moved, its elements stay where they are
  std::vector<engine::launch_input> inputs;
  std::vector<engine::launch_output> outputs;
};

hot_call launch(const std::string& name, int counted, engine::run_mode mode,
                const std::string& kernel, const std::vector<std::string>& settings) {
  return {name, counted, [=]() -> call {
            const auto run = std::make_shared<launched>(kernel, settings, mode);
            return [run] { run->prepared.launch(run->inputs, run->outputs); };
          }};
}

void add_emulator(hot_calls& to) {
  using enum engine::run_mode;
  to.push_back(launch("dry run of gemm 512^3", 3, dry_run, "gemm", {"m=512", "k=512", "n=512"}));
  to.push_back(
      launch("dry run of gemm 4096^3", 0, dry_run, "gemm", {"m=4096", "k=4096", "n=4096"}));
  to.push_back(launch("dry run of fft", 3, dry_run, "fft", {"n=1024", "batch=1024"}));
  to.push_back(launch("dry run of mp2_energy", 0, dry_run, "published/mp2_energy",
                      {"ic=8", "nocc=64", "nvir=448"}));
  to.push_back(launch("executed gemm 128^3", 2, execute, "gemm", {"m=128", "k=128", "n=128"}));
  to.push_back(launch("executed gemm 1024^3", 0, execute, "gemm", {"m=1024", "k=1024", "n=1024"}));
  to.push_back(launch("executed fft", 1, execute, "fft", {"n=1024", "batch=16"}));
  to.push_back({"design of fft", 1, [] {
                  return [] {
                    kernels::size_kernel(kernels::find_kernel("fft"),
                                         std::vector<std::string>{"n=1000", "batch=100"},
                                         engine::trainium1());
                  };
                }});
}

hot_calls all_calls() {
  hot_calls all;
  add_transforms(all);
  add_short_time(all);
  add_tensors(all);
  add_emulator(all);
  return all;
}

const hot_call& find(const hot_calls& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &hot_call::name);
  if (found == all.end()) throw std::invalid_argument("there is no call \"" + name + '"');
  return *found;
}

int list(const hot_calls& all) {
  for (const hot_call& c : all) std::printf("%d %s\n", c.counted, c.name.c_str());
  return 0;
}

int environment() {
  const std::string blas = openblas_get_config();
  std::printf("compiler: %s\nblas: %s, %s\n", __VERSION__,
              blas.substr(0, blas.find(' ', blas.find(' ') + 1)).c_str(), openblas_get_corename());
  return 0;
}

int serve(const hot_calls& all) {
  constexpr double block_seconds = 1e-2;
  std::optional<std::string> made_name;
  call run;
  size_t calls = 0;
  const auto seconds = [&](size_t n) { return bench::time_block(run, n, bench::thread_seconds); };
  for (std::string name; std::getline(std::cin, name);) {
    if (name != made_name) {
      run = nullptr;  // never the operands of two
      run = find(all, name).make();
      calls = bench::calls_for(seconds, block_seconds);
      made_name = name;
    }
    std::printf("%.9g\n", seconds(calls) / static_cast<double>(calls));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

// By its name callgrind is told where to count.
extern "C" [[gnu::noinline]] void papilio_bench_counted_calls(const call& run, int count) {
  for (int i = 0; i < count; ++i) run();
}

namespace {

// The first call fills caches of plans and programs.
int count(const hot_call& what) {
  const call run = what.make();
  run();
  papilio_bench_counted_calls(run, what.counted);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  try {
    const hot_calls all = all_calls();
    if (mode == "--list" && argc == 2) return list(all);
    if (mode == "--environment" && argc == 2) return environment();
    if (mode == "--serve" && argc == 2) return serve(all);
    if (mode == "--count" && argc == 3) return count(find(all, argv[2]));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "papilio_bench_hot_calls: %s\n", e.what());
    return 1;
  }
  std::fputs(usage, mode == "--help" ? stdout : stderr);
  return mode == "--help" ? 0 : 2;
}
