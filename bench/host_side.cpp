#include "host_side.hpp"

#include <cblas.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "fftw_peer.hpp"

namespace papilio::bench {
namespace {

bench_case fftw_case(const fft_problem& p) {
  bench_case c{.group = "page", .size = "", .extents = p.extents};
  if (p.axes.size() < p.extents.size()) {
    c.kind = shape::batch;
    c.batch = p.extents[0];
    c.extents.erase(c.extents.begin());
  } else if (p.extents.size() > 1) {
    c.kind = shape::nd;
  }
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

}  // namespace

row host_row(const page_row& of, bool is_on_all) {
  const int threads = is_on_all ? 0 : 1;
  const auto clock = clock_of(threads);
  if (of.decomposed) {
    const auto call = decomposition_call(*of.decomposed);
    return {.sides = {timed(
                "papilio", [=] { call({.where = policy::host, .threads = threads}); }, clock)}};
  }
  const auto x = std::make_shared<host_operation<float>>(of);
  const auto out = std::make_shared<array<float, 1>>(x->out.extents());
  row r{.sides = {timed(
            "papilio", [=] { x->run(threads); }, clock)}};
  if (const auto* const p = std::get_if<gemm_problem>(&*of.what)) {
    const auto peer = [=, p = *p] {
      openblas_set_num_threads(is_on_all ? std::max(1, openblas_get_num_procs()) : 1);
      cblas_products(*x, out->data(), p, of);
      openblas_set_num_threads(1);  // papilio cuts products itself
    };
    r.sides.push_back(timed("cblas", peer, clock));
  } else if (const auto* const f = std::get_if<fft_problem>(&*of.what); f && !is_on_all) {
    const auto fftw =
        std::make_shared<fftw_peer<float>>(fftw_case(*f), x->in[0].data(), out->data());
    x->fill();  // planning writes over it
    r.sides.push_back(timed(
        "FFTW", [x, out, fftw] { (*fftw)(); }, clock));
    if (!fftw->is_measured()) r.label = "FFTW: estimate";
  }
  return r;
}

}  // namespace papilio::bench
