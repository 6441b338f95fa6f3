#include <cblas.h>

#include <algorithm>
#include <functional>
#include <thread>
#include <vector>

#include "fftw_peer.hpp"
#include "host_side.hpp"
#include "peer.hpp"

namespace papilio::bench {
namespace {

constexpr double long_call_seconds = 0.2, longest_repeated = 3;

struct pair_times {
  double ours = 0, peers = 0;
  bool is_quiet = true;
};

// Long calls are few: each is timed by itself, in turns.
pair_times timed(const std::function<void()>& ours, const std::function<void()>& peer,
                 double seconds, double (*now)()) {
  const double start = wall_seconds();
  ours();
  const double first = wall_seconds() - start;
  if (first < long_call_seconds) {
    const comparison c =
        compare(ours, peer, {.blocks = 21, .least_blocks = 5, .seconds = seconds}, now);
    return {c.first_seconds, c.second_seconds, c.is_quiet};
  }
  std::vector<double> a, b;
  peer();
  for (int i = 0; i < 3; ++i) {
    a.push_back(detail::time_block(ours, 1, now));
    b.push_back(detail::time_block(peer, 1, now));
  }
  return {median(a), median(b), true};
}

bench_case fftw_case(const fft_problem& p) {
  bench_case c{.group = "page", .extents = p.extents};
  if (p.axes.size() < p.extents.size()) {
    c.kind = shape::batch;
    c.batch = p.extents[0];
    c.extents.erase(c.extents.begin());
  } else if (p.extents.size() > 1) {
    c.kind = shape::nd;
  }
  for (const std::size_t extent : p.extents)
    c.size.append(c.size.empty() ? "" : "x").append(std::to_string(extent));
  return c;
}

void cblas_products(const host_operation<float>& x, float* out, const gemm_problem& p,
                    const page_row& row) {
  const auto m = static_cast<int>(p.m), k = static_cast<int>(p.k), n = static_cast<int>(p.n);
  const auto op_a = row.transpose_a ? CblasTrans : CblasNoTrans;
  const auto op_b = row.transpose_b ? CblasTrans : CblasNoTrans;
  const int lda = row.transpose_a ? m : k, ldb = row.transpose_b ? k : n;
  const std::size_t reals = p.is_complex ? 2 : 1;
  const float one[2] = {1, 0}, zero[2] = {0, 0};
  for (std::size_t i = 0; i < p.batch; ++i) {
    const float* const a = x.in[0].data() + i * p.m * p.k * reals;
    const float* const b = x.in[1].data() + i * p.k * p.n * reals;
    float* const c = out + i * p.m * p.n * reals;
    if (p.is_complex)
      cblas_cgemm(CblasRowMajor, op_a, op_b, m, n, k, one, a, lda, b, ldb, zero, c, n);
    else
      cblas_sgemm(CblasRowMajor, op_a, op_b, m, n, k, 1, a, lda, b, ldb, 0, c, n);
  }
}

host_times measured_products(const page_row& row, const gemm_problem& p, double seconds) {
  host_operation<float> x(row);
  array<float, 1> out(x.out.extents());
  const int cores = std::max(1, openblas_get_num_procs());
  const auto peer_on = [&](int threads) {
    return [&, threads] {
      openblas_set_num_threads(threads);
      cblas_products(x, out.data(), p, row);
      openblas_set_num_threads(1);  // papilio cuts products itself
    };
  };
  const pair_times one = timed([&] { x.run(1); }, peer_on(1), seconds, thread_seconds);
  const pair_times all = timed([&] { x.run(0); }, peer_on(cores), seconds, wall_seconds);
  return {.one = one.ours,
          .all = all.ours,
          .peer = "cblas",
          .peer_one = one.peers,
          .peer_all = all.peers,
          .is_quiet = one.is_quiet && all.is_quiet};
}

host_times measured_transform(const page_row& row, const fft_problem& p, double seconds,
                              double plan_seconds, wisdom_file& wisdom) {
  host_operation<float> x(row);
  array<float, 1> out(x.out.extents());
  const fftw_peer<float> peer(fftw_case(p), x.in[0].data(), out.data(), plan_seconds, wisdom);
  x.fill();  // planning writes over it
  const pair_times one = timed([&] { x.run(1); }, [&] { peer(); }, seconds, thread_seconds);
  const auto ours = [&] { x.run(0); };
  const pair_times all = timed(ours, ours, seconds, wall_seconds);
  return {.one = one.ours,
          .all = all.ours,
          .peer = peer.is_measured() ? "FFTW" : "FFTW (estimate)",
          .peer_one = one.peers,
          .is_quiet = one.is_quiet && all.is_quiet};
}

// A call of many seconds is its own median.
pair_times timed_alone(const std::function<void()>& call, double seconds, double (*now)()) {
  const double first = detail::time_block(call, 1, now);
  if (first < longest_repeated) return timed(call, call, seconds, now);
  return {.ours = first};
}

host_times measured_alone(const std::function<void(int)>& run, double seconds) {
  const pair_times first = timed_alone([&] { run(1); }, seconds, thread_seconds);
  const pair_times second = timed_alone([&] { run(0); }, seconds, wall_seconds);
  return {.one = first.ours, .all = second.ours, .is_quiet = first.is_quiet && second.is_quiet};
}

}  // namespace

host_times measured_host(const page_row& row, double seconds, double plan_seconds,
                         wisdom_file& wisdom) {
  if (row.what) {
    if (const auto* const p = std::get_if<gemm_problem>(&*row.what))
      return measured_products(row, *p, seconds);
    if (const auto* const p = std::get_if<fft_problem>(&*row.what))
      return measured_transform(row, *p, seconds, plan_seconds, wisdom);
  }
  if (row.decomposed) {
    const auto call = decomposition_call(*row.decomposed);
    return measured_alone([&](int threads) { call({.where = policy::host, .threads = threads}); },
                          seconds);
  }
  const host_operation<float> x(row);
  return measured_alone([&](int threads) { x.run(threads); }, seconds);
}

}  // namespace papilio::bench
