#include "run_case.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>

#include "papilio/base.hpp"
#include "papilio/fft.hpp"

#if PAPILIO_MKL
#include "mkl_peer.hpp"
#endif

namespace papilio::bench {
namespace {

// Input and output as reals, of the sizes that the case has.
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

  array<T, 1> in, out;
};

template <class T>
std::span<const std::complex<T>> complex_span(const array<T, 1>& x) {
  return {reinterpret_cast<const std::complex<T>*>(x.data()), x.size() / 2};
}
template <class T>
std::span<std::complex<T>> complex_span(array<T, 1>& x) {
  return {reinterpret_cast<std::complex<T>*>(x.data()), x.size() / 2};
}

// Calls use(run, recipe), where run() transforms x.in to x.out.
template <class T, class Use>
void with_line(const bench_case& c, operands<T>& x, const Use& use) {
  const fft_plan<T> plan(c.points());
  array<std::complex<T>, 1> scratch(plan.scratch_size());
  const std::span<const std::complex<T>> in = complex_span<T>(std::as_const(x.in));
  const std::span<std::complex<T>> out = complex_span<T>(x.out);
  use([&] { plan.execute(in, out, scratch.flat()); }, to_string(plan.design()));
}

template <class T, class Use>
void with_real(const bench_case& c, operands<T>& x, const Use& use) {
  // FFTW scales nothing; neither do we here.
  const rfft_plan<T> plan(c.points(), {.norm = normalization::none});
  array<std::complex<T>, 1> scratch(plan.scratch_size());
  if (c.kind == shape::r2c) {
    use([&, in = std::as_const(x.in).flat(),
         out = complex_span<T>(x.out)] { plan.forward(in, out, scratch.flat()); },
        to_string(plan.design()));
  } else {
    use([&, in = complex_span<T>(std::as_const(x.in)),
         out = x.out.flat()] { plan.inverse(in, out, scratch.flat()); },
        to_string(plan.design()));
  }
}

template <class T, class Use>
void with_batch(const bench_case& c, operands<T>& x, const Use& use) {
  const fft_plan<T> plan(c.points());
  const extents_type<2> extents{c.batch, c.points()};
  const view<const std::complex<T>, 2> in(complex_span<T>(std::as_const(x.in)).data(), extents);
  const view<std::complex<T>, 2> out(complex_span<T>(x.out).data(), extents);
  const batch_layout layout{.count = c.batch,
                            .line_stride = static_cast<std::ptrdiff_t>(c.points())};
  use([&] { plan.execute_batch(in, out); }, to_string(plan.design(layout)));
}

template <class T, std::size_t Rank, class Use>
void with_rank(const bench_case& c, operands<T>& x, const Use& use) {
  const fftn_plan<T> plan(c.extents);
  extents_type<Rank> extents;
  std::copy_n(c.extents.begin(), Rank, extents.begin());
  const view<const std::complex<T>, Rank> in(complex_span<T>(std::as_const(x.in)).data(), extents);
  const view<std::complex<T>, Rank> out(complex_span<T>(x.out).data(), extents);
  std::string text;
  for (const recipe& r : plan.designs())
    text.append(text.empty() ? "" : " x ").append(to_string(r));
  use([&] { plan.execute(in, out); }, text);
}

template <class T, class Use>
void with_ours(const bench_case& c, operands<T>& x, const Use& use) {
  switch (c.kind) {
    case shape::c2c:
      return with_line<T>(c, x, use);
    case shape::r2c:
    case shape::c2r:
      return with_real<T>(c, x, use);
    case shape::batch:
      return with_batch<T>(c, x, use);
    case shape::nd:
      if (c.extents.size() == 2) return with_rank<T, 2>(c, x, use);
      if (c.extents.size() == 3) return with_rank<T, 3>(c, x, use);
      break;
  }
  throw std::runtime_error(c.group + ' ' + c.size + " cannot be run");
}

template <class T>
double difference(std::span<const T> ours, std::span<const T> peers) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    error += std::pow(static_cast<double>(ours[i]) - static_cast<double>(peers[i]), 2);
    norm += std::pow(static_cast<double>(peers[i]), 2);
  }
  return std::isfinite(error) ? std::sqrt(error / norm) : std::numeric_limits<double>::infinity();
}

template <class T>
result run(const bench_case& c, const budget& much, double limit_seconds, wisdom_file& wisdom) {
  operands<T> x(c);
  const fftw_peer<T> fftw(c, x.in.data(), x.out.data(), limit_seconds, wisdom);
  result r;
  r.fftw_is_measured = fftw.is_measured();
  with_ours<T>(c, x, [&](const auto& ours, const std::string& recipe) {
    r.recipe = recipe;
    x.fill();
    ours();
    const array<T, 1> our_output = x.out;
    fftw();
    r.difference = difference<T>(our_output.flat(), std::as_const(x.out).flat());
    // FFTW's c2r may write its input, and would grow it to infinity; zeros stay zeros.
    if (c.kind == shape::c2r) std::fill(x.in.begin(), x.in.end(), T(0));
    std::vector<std::function<void()>> sides{ours, std::cref(fftw)};
#if PAPILIO_MKL
    const mkl_peer<T> mkl(c, x.in.data(), x.out.data());
    sides.push_back(std::cref(mkl));
#endif
    const times_of_all times = time_in_turns(sides, much);
    r.our_seconds = times.seconds[0];
    r.fftw_seconds = times.seconds[1];
    if (times.seconds.size() > 2) r.mkl_seconds = times.seconds[2];
    r.is_quiet = times.is_quiet;
  });
  return r;
}

template <class T>
bool plan_only(const bench_case& c, double limit_seconds, wisdom_file& wisdom) {
  operands<T> x(c);
  return fftw_peer<T>(c, x.in.data(), x.out.data(), limit_seconds, wisdom).is_measured();
}

template <class T>
offsets_result offsets_of(std::size_t n) {
  constexpr std::size_t page = 4096, step = 64;
  const fft_plan<T> plan(n);
  array<std::complex<T>, 1> scratch(plan.scratch_size());
  const std::size_t pages = (n * sizeof(std::complex<T>) + page - 1) / page;
  array<T, 1> memory((2 * pages + 2) * page / sizeof(T));
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory.data()) % page;
  T* const begin = memory.data() + (beyond == 0 ? 0 : page - beyond) / sizeof(T);
  const std::span<const std::complex<T>> in(reinterpret_cast<std::complex<T>*>(begin), n);
  const auto run = [&](std::size_t offset) {
    T* const out = begin + (pages * page + offset) / sizeof(T);
    plan.execute(in, {reinterpret_cast<std::complex<T>*>(out), n}, scratch.flat());
  };
  const auto seconds = [&](std::size_t offset, int calls) {
    const double start = thread_seconds();
    for (int i = 0; i < calls; ++i) run(offset);
    return (thread_seconds() - start) / calls;
  };
  int calls = 1;
  while (seconds(0, calls) * calls < 2e-5) calls *= 2;
  // Of the median of its round, which the processor's clock and neighbours change as much.
  std::vector<double> rounds, round(page / step);
  std::vector<std::vector<double>> shares(round.size());
  for (int i = 0; i < 61; ++i) {
    for (std::size_t at = 0; at < round.size(); ++at) round[at] = seconds(at * step, calls);
    rounds.push_back(median(round));
    for (std::size_t at = 0; at < round.size(); ++at)
      shares[at].push_back(round[at] / rounds.back());
  }
  for (std::size_t at = 0; at < round.size(); ++at) round[at] = median(shares[at]);
  const auto [best, worst] = std::ranges::minmax(round);
  const double typical = median(rounds);
  return {typical * best, typical, typical * worst};
}

}  // namespace

bool agrees(const bench_case& c, const result& r) {
  return r.difference < (c.is_double ? 1e-13 : 1e-5);
}

result run_case(const bench_case& c, const budget& much, double limit_seconds,
                wisdom_file& wisdom) {
  return (c.is_double ? run<double> : run<float>)(c, much, limit_seconds, wisdom);
}

bool plan_peer(const bench_case& c, double limit_seconds, wisdom_file& wisdom) {
  return (c.is_double ? plan_only<double> : plan_only<float>)(c, limit_seconds, wisdom);
}

planning_result run_planning(std::size_t n) {
  planning_result r;
  std::vector<double> milliseconds;
  const double begin = wall_seconds();
  while (milliseconds.size() < 3 || (milliseconds.size() < 41 && wall_seconds() - begin < 0.3)) {
    const double start = wall_seconds();
    const fft_plan<float> plan(n);
    milliseconds.push_back(1e3 * (wall_seconds() - start));
  }
  r.first_milliseconds = milliseconds.front();
  r.median_milliseconds = median(milliseconds);
  return r;
}

offsets_result run_offsets(std::size_t n, bool is_double) {
  return is_double ? offsets_of<double>(n) : offsets_of<float>(n);
}

}  // namespace papilio::bench
