#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cases.hpp"
#include "fftw_peer.hpp"
#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "turns.hpp"

#if PAPILIO_MKL
#include "mkl_peer.hpp"
#endif

namespace papilio::bench {
namespace {

constexpr const char* about =
    R"(papilio's transforms beside FFTW (MEASURE), and MKL in the build of bench/peers, one thread, out
of place, CPU time, on the same operands. Classes: c2c r2c c2r double mixed primes batches 2d 3d
smooth. GFLOPS: 5 n log2 n, half of it for real transforms. Only where they are asked for:
  other/1009     any length, complex float
  pffft          complex float, 1024 to 16384, the lengths of small libraries for one line
  planning       the time to make a plan (estimate), 2^4 to 2^22, beside FFTW's ESTIMATE without wisdom;
                 first_us: that of papilio's first, measure_us: FFTW's MEASURE, of 10 s at most, once
  offsets        one line for 64 places of its output in a page; spread: the worst over the best
  threads        2^14 to 2^24, 2-D, 3-D, batches on 1, 2, 4, ... threads, wall time; speedup: over
                 one thread of papilio
  threads_fftw   the same beside FFTW on as many threads
)";

/// Input and output as reals, of the sizes that the case has.
template <class T>
struct operands {
  explicit operands(const bench_case& c)
      : in(c.batch * (c.kind == shape::r2c ? c.points() : complex_reals(c))),
        out(c.batch * (c.kind == shape::c2r ? c.points() : complex_reals(c))) {}

  static std::size_t complex_reals(const bench_case& c) {
    const bool is_half = c.kind == shape::r2c || c.kind == shape::c2r;
    return 2 * (is_half ? c.points() / 2 + 1 : c.points());
  }
  void fill() {
    std::mt19937 generator(1);
    std::normal_distribution<T> normal;
    for (T& x : in) x = normal(generator);
  }
  std::span<const std::complex<T>> input() const {
    return {reinterpret_cast<const std::complex<T>*>(in.data()), in.size() / 2};
  }
  std::span<std::complex<T>> output() {
    return {reinterpret_cast<std::complex<T>*>(out.data()), out.size() / 2};
  }

  array<T, 1> in, out;
};

struct transform {
  std::function<void(int threads)> run;
  std::string recipe;
};

template <class T>
transform line_transform(const bench_case& c, operands<T>& x) {
  const fft_plan<T> plan(c.points());
  const auto scratch = std::make_shared<array<std::complex<T>, 1>>(plan.scratch_size());
  return {[=, in = x.input(), out = x.output()](int threads) {
            if (threads == 1)
              plan.execute(in, out, scratch->flat());
            else
              plan.execute_parallel(in, out, threads);
          },
          to_string(plan.design())};
}

template <class T>
transform real_transform(const bench_case& c, operands<T>& x) {
  // FFTW scales nothing; neither do we here.
  const rfft_plan<T> plan(c.points(), {.norm = normalization::none});
  const auto scratch = std::make_shared<array<std::complex<T>, 1>>(plan.scratch_size());
  if (c.kind == shape::r2c)
    return {[=, in = std::as_const(x.in).flat(), out = x.output()](int) {
              plan.forward(in, out, scratch->flat());
            },
            to_string(plan.design())};
  return {[=, in = x.input(), out = x.out.flat()](int) { plan.inverse(in, out, scratch->flat()); },
          to_string(plan.design())};
}

template <class T>
transform batch_transform(const bench_case& c, operands<T>& x) {
  const fft_plan<T> plan(c.points());
  const extents_type<2> extents{c.batch, c.points()};
  const view<const std::complex<T>, 2> in(x.input().data(), extents);
  const view<std::complex<T>, 2> out(x.output().data(), extents);
  const batch_layout layout{.count = c.batch,
                            .line_stride = static_cast<std::ptrdiff_t>(c.points())};
  return {[=](int threads) { plan.execute_batch(in, out, threads); },
          to_string(plan.design(layout))};
}

template <class T, std::size_t Rank>
transform grid_transform(const bench_case& c, operands<T>& x) {
  const fftn_plan<T> plan(c.extents);
  extents_type<Rank> extents;
  std::copy_n(c.extents.begin(), Rank, extents.begin());
  const view<const std::complex<T>, Rank> in(x.input().data(), extents);
  const view<std::complex<T>, Rank> out(x.output().data(), extents);
  std::string text;
  for (const recipe& r : plan.designs())
    text.append(text.empty() ? "" : " x ").append(to_string(r));
  return {[=](int threads) { plan.execute(in, out, threads); }, text};
}

template <class T>
transform transform_of(const bench_case& c, operands<T>& x) {
  if (c.kind == shape::c2c) return line_transform<T>(c, x);
  if (c.kind == shape::batch) return batch_transform<T>(c, x);
  if (c.kind == shape::nd)
    return c.extents.size() == 2 ? grid_transform<T, 2>(c, x) : grid_transform<T, 3>(c, x);
  return real_transform<T>(c, x);
}

template <class T>
double difference(std::span<const T> ours, std::span<const T> peers) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    error += std::pow(static_cast<double>(ours[i]) - static_cast<double>(peers[i]), 2);
    norm += std::pow(static_cast<double>(peers[i]), 2);
  }
  return std::sqrt(error / norm);
}

template <class T>
row row_of(const bench_case& c) {
  const auto x = std::make_shared<operands<T>>(c);
  const auto fftw = std::make_shared<fftw_peer<T>>(c, x->in.data(), x->out.data());
  const transform ours = transform_of<T>(c, *x);
  row r{.sides = {timed("papilio", [=] { ours.run(1); }), timed("FFTW", [x, fftw] { (*fftw)(); })},
        .work = c.flop(),
        .label = ours.recipe + (fftw->is_measured() ? "" : " (FFTW: estimate)")};
  x->fill();
  ours.run(1);
  const array<T, 1> our_output = x->out;
  (*fftw)();
  const double apart = difference<T>(our_output.flat(), std::as_const(x->out).flat());
  if (!(apart < (c.is_double ? 1e-13 : 1e-5)))
    r.fault = "the results differ by " + std::to_string(apart);
  // FFTW's c2r may write its input, and would grow it to infinity; zeros stay zeros.
  if (c.kind == shape::c2r) std::fill(x->in.begin(), x->in.end(), T(0));
#if PAPILIO_MKL
  const auto mkl = std::make_shared<mkl_peer<T>>(c, x->in.data(), x->out.data());
  r.sides.push_back(timed("MKL", [mkl] { (*mkl)(); }));
#endif
  return r;
}

row planning_row(std::size_t n) {
  const auto plan = [n] { fft_plan<float>{n}; };
  const double first = time_block(plan, 1, wall_seconds);
  const auto memory = std::make_shared<array<std::complex<float>, 1>>(2 * n);
  auto* const in = reinterpret_cast<fftwf_complex*>(memory->data());
  const auto fftw = [=](unsigned flags) {
    [[maybe_unused]] const auto owner = memory;
    fftwf_forget_wisdom();  // else it would find its last plan
    fftwf_destroy_plan(fftwf_plan_dft_1d(static_cast<int>(n), in, in + n, FFTW_FORWARD, flags));
  };
  fftwf_set_timelimit(10);
  const double measured = time_block([&] { fftw(FFTW_MEASURE); }, 1, wall_seconds);
  return {.sides = {timed("papilio", plan, wall_seconds),
                    timed(
                        "FFTW", [=] { fftw(FFTW_ESTIMATE); }, wall_seconds)},
          .counters = {{"first_us", 1e6 * first}, {"measure_us", 1e6 * measured}}};
}

// Loads that wait for a store whose address agrees in its last 12 bits, and rows that share the sets
// of the first cache, would make the time depend on where the operands lie.
template <class T>
row offsets_row(std::size_t n) {
  constexpr std::size_t page = 4096, step = 64;
  const fft_plan<T> plan(n);
  array<std::complex<T>, 1> scratch(plan.scratch_size());
  const std::size_t pages = (n * sizeof(std::complex<T>) + page - 1) / page;
  array<T, 1> memory((2 * pages + 2) * page / sizeof(T));
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory.data()) % page;
  T* const begin = memory.data() + (beyond == 0 ? 0 : page - beyond) / sizeof(T);
  const std::span<const std::complex<T>> in(reinterpret_cast<std::complex<T>*>(begin), n);
  const auto seconds = [&](std::size_t offset, std::size_t calls) {
    T* const out = begin + (pages * page + offset) / sizeof(T);
    const auto run = [&] {
      plan.execute(in, {reinterpret_cast<std::complex<T>*>(out), n}, scratch.flat());
    };
    return time_block(run, calls, thread_seconds) / static_cast<double>(calls);
  };
  const std::size_t calls =
      calls_for([&](std::size_t k) { return seconds(0, k) * static_cast<double>(k); }, 2e-5);
  // Each place's share of the median of its round, which neighbours and the processor's clock change
  // as much.
  std::vector<double> rounds, places(page / step);
  std::vector<std::vector<double>> shares(places.size());
  for (int i = 0; i < 61; ++i) {
    for (std::size_t at = 0; at < places.size(); ++at) places[at] = seconds(at * step, calls);
    rounds.push_back(median(places));
    for (std::size_t at = 0; at < places.size(); ++at)
      shares[at].push_back(places[at] / rounds.back());
  }
  for (std::size_t at = 0; at < places.size(); ++at) places[at] = median(shares[at]);
  const auto [best, worst] = std::ranges::minmax(places);
  const double typical = median(rounds);
  return {.sides = {{"papilio", [=](std::size_t k) { return typical * static_cast<double>(k); }}},
          .counters = {{"spread", worst / best}}};
}

row threads_row(const bench_case& c, int threads, bool is_beside_fftw) {
  const auto x = std::make_shared<operands<float>>(c);
  std::shared_ptr<fftw_peer<float>> fftw;
  if (is_beside_fftw) {
    fftwf_plan_with_nthreads(threads);
    fftw = std::make_shared<fftw_peer<float>>(c, x->in.data(), x->out.data(), 3);
    fftwf_plan_with_nthreads(1);
  }
  x->fill();
  const transform ours = transform_of<float>(c, *x);
  row r{.sides = {timed(
            "papilio", [=] { ours.run(threads); }, wall_seconds)},
        .work = c.flop()};
  if (is_beside_fftw)
    r.sides.push_back(timed(
        "FFTW", [x, fftw] { (*fftw)(); }, wall_seconds));
  else
    r.sides.push_back(timed(
        "speedup", [x, ours] { ours.run(1); }, wall_seconds));
  return r;
}

void add_rows(const std::vector<bench_case>& cases) {
  for (const bench_case& c : cases)
    add_row(c.group + '/' + c.size,
            [=] { return (c.is_double ? row_of<double> : row_of<float>)(c); });
  for (std::size_t n = 16; n <= std::size_t{1} << 22; n *= 2)
    add_row("planning/" + std::to_string(n), [=] { return planning_row(n); });
  for (std::size_t n = 64; n <= 8192; n *= 2) {
    add_row("offsets/float/" + std::to_string(n), [=] { return offsets_row<float>(n); });
    add_row("offsets/double/" + std::to_string(n), [=] { return offsets_row<double>(n); });
  }
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (const bench_case& c : scaling_cases())
    for (int threads = 1; threads <= cores; threads *= 2)
      for (const bool is_beside_fftw : {false, true})
        add_row((is_beside_fftw ? "threads_fftw/" : "threads/") + c.size + '/' +
                    std::to_string(threads),
                [=] { return threads_row(c, threads, is_beside_fftw); });
}

}  // namespace
}  // namespace papilio::bench

int main(int argc, char** argv) {
  using namespace papilio::bench;
  fftwf_init_threads();
  std::vector<bench_case> cases = all_cases();
  for (int i = 1; i < argc; ++i)
    if (const std::string word = argv[i]; word.starts_with("other/"))
      cases.push_back(other_case(std::strtoul(word.c_str() + 6, nullptr, 10)));
  add_rows(cases);
  return run_rows(argc, argv, about, 9, "-^(pffft|planning|offsets|threads|threads_fftw)/");
}
