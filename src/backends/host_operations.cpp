// What operations are expected to take on the host.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "backends/host_model.hpp"
#include "papilio/base/checked.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/candidate.hpp"
#include "papilio/dispatch/host_calibration.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio {

using namespace backends_detail;

namespace {

constexpr real_type single = real_type::single_precision;

// Candidates know cosine and sine transforms as lines; other arrays stay what they are.
struct line_batch {
  fft_problem problem;
  std::size_t lines = 1;
};
line_batch lines_of(const fft_problem& whole) {
  line_batch b{whole};
  if (whole.trigonometric_type == 0 || whole.is_line() || whole.axes.size() != 1 ||
      whole.axes[0] >= whole.extents.size())
    return b;
  b.problem.extents = {whole.extents[whole.axes[0]]};
  b.problem.axes = {0};
  for (std::size_t a = 0; a < whole.extents.size(); ++a)
    if (a != whole.axes[0]) b.lines = checked_multiply(b.lines, whole.extents[a], "lines");
  return b;
}

double real_count(std::size_t n) { return static_cast<double>(n); }

host_estimate estimate_of(const host_model& host, const fft_problem& whole, const execution& on) {
  execution native = on;
  native.precision = {};
  const line_batch b = lines_of(whole);
  const fft_candidate& candidate = choose_fft("estimate", b.problem, native);
  const fft_estimate e = on.backend.empty() || on.backend == "host"
                             ? host_fft_estimate(host, b.problem, b.lines, on.threads)
                             : candidate.estimate(b.problem, b.lines);
  return {candidate.name, e.recipe, e.seconds, e.flops, e.bytes_moved, e.relative_error};
}

host_estimate of_work(const host_model& host, const operation& what, real_type type,
                      const host_work& work, const execution& on, std::string recipe,
                      double relative_error) {
  if (!on.backend.empty() && on.backend != "host")
    throw invalid_argument(
        base_detail::message("backend \"", on.backend, "\" cannot do ", to_string(what)));
  return {"host",     std::move(recipe), modelled_seconds(host, type, work, on.threads),
          work.flops, work.bytes_moved,  relative_error};
}

// Of the transform of a segment.
fft_estimate segment(const host_model& host, std::size_t n_fft, fft_kind kind, real_type type) {
  return host_fft_estimate(host, {.kind = kind, .type = type, .extents = {n_fft}});
}

stft_output output_of(stft_result result) {
  return result == stft_result::complex     ? stft_output::complex_bins
         : result == stft_result::magnitude ? stft_output::magnitudes
                                            : stft_output::powers;
}

host_estimate estimate_of(const host_model& host, const stft_problem& p, const execution& on) {
  const fft_estimate one = segment(host, p.n_fft, fft_kind::real_forward, p.type);
  host_work work = stft_work(real_count(p.samples), real_count(p.channels), p.n_fft,
                             real_count(p.hop), output_of(p.result), p.type);
  // The host's filterbanks leave out weights of 0.
  const auto weights = p.mel.size() - static_cast<std::size_t>(std::ranges::count(p.mel, 0.0F));
  work.flops += 2 * real_count(p.channels) * real_count(p.segments()) * real_count(weights);
  return of_work(host, p, p.type, work, on, one.recipe, one.relative_error);
}

host_estimate estimate_of(const host_model& host, const istft_problem& p, const execution& on) {
  const fft_estimate one = segment(host, p.n_fft, fft_kind::real_inverse, p.type);
  const host_work work =
      istft_work(real_count(p.samples), real_count(p.channels), p.n_fft, real_count(p.hop), p.type);
  return of_work(host, p, p.type, work, on, one.recipe, one.relative_error);
}

host_estimate estimate_of(const host_model& host, const product_problem& p, const execution& on) {
  return of_work(host, p, p.type, complex_mask_work(real_count(p.count), p.type), on, "",
                 epsilon_of(p.type));
}

host_estimate estimate_of(const host_model& host, const gemm_problem& p, const execution& on) {
  const host_work work = gemm_work(real_count(p.m), real_count(p.k), real_count(p.n),
                                   real_count(p.batch), p.is_complex, p.type);
  // Sums of random terms in vectors and blocks: the errors of a tree of them.
  return of_work(host, p, p.type, work, on, "",
                 0.7 * epsilon_of(p.type) * std::sqrt(std::log2(2 * real_count(p.k))));
}

host_estimate estimate_of(const host_model& host, const pair_energy_problem& p,
                          const execution& on) {
  const std::size_t others = p.spins == pair_spins::opposite_spin ? p.nvir_other : p.nvir;
  const host_work work = gemm_work(real_count(p.nvir), real_count(p.naux), real_count(others),
                                   p.pairs(), false, p.type);
  return of_work(host, p, p.type, work, on, "", epsilon_of(p.type));
}

host_estimate estimate_of(const host_model& host, const integral_transform_problem& p,
                          const execution& on) {
  host_work work = gemm_work(real_count(p.nocc), real_count(p.nbasis), real_count(p.nbasis),
                             real_count(p.naux), false, p.type);
  work.flops = nominal_flops(p);
  return of_work(host, p, p.type, work, on, "", epsilon_of(p.type));
}

host_estimate estimate_of(const host_model& host, const arrangement_problem& p,
                          const execution& on) {
  const operand_shape out = shapes_of(p).out[0];
  const host_work work = copy_work(real_count(out.count()), out.is_complex ? 8 : 4, true);
  return of_work(host, p, single, work, on, "", 0);
}

// A step as the host does it: a product of matrices, or a copy that sums; `terms` of each sum.
struct step_work {
  host_work work;
  double terms = 1;
};
step_work work_of(const contraction_problem& p, const contraction_problem::step& s,
                  const std::vector<std::size_t>& sizes) {
  const auto has = [](const std::vector<int>& labels, int label) {
    return std::ranges::find(labels, label) != labels.end();
  };
  double batch = 1, m = 1, k = 1, n = 1;
  std::vector<int> seen;
  for (const contraction_problem::term& t : s.of)
    for (const int label : t.labels) {
      if (has(seen, label)) continue;
      seen.push_back(label);
      const bool left = has(s.of[0].labels, label),
                 right = s.of.size() > 1 && has(s.of[1].labels, label);
      (!has(s.labels, label) ? k
       : left && right       ? batch
       : left                ? m
                             : n) *= real_count(sizes[static_cast<std::size_t>(label)]);
    }
  if (s.of.size() == 1) return {copy_work(m * k, p.is_complex ? 8 : 4, true), k};
  return {gemm_work(m, k, n, batch, p.is_complex, p.type), k};
}

host_estimate estimate_of(const host_model& host, const contraction_problem& p,
                          const execution& on) {
  host_estimate all;
  double square = 0;
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    std::vector<std::size_t> sizes = p.sizes;  // of one slice
    double slices = 1;
    for (const contraction_problem::loop& l : p.loops) {
      if (i < l.first || i > l.last) continue;
      for (const int label : l.labels) {
        slices *= real_count(sizes[static_cast<std::size_t>(label)]);
        sizes[static_cast<std::size_t>(label)] = 1;
      }
    }
    const step_work step = work_of(p, p.steps[i], sizes);
    const host_estimate one = of_work(host, p, p.type, step.work, on, "", 0);
    all.backend = one.backend;
    all.seconds += slices * one.seconds;
    all.flops += slices * one.flops;
    all.bytes_moved += slices * one.bytes_moved;
    // As that of a product of matrices.
    square += std::log2(2 * step.terms);
  }
  all.recipe = base_detail::message(p.steps.size(), p.steps.size() == 1 ? " step" : " steps");
  all.relative_error = 0.7 * epsilon_of(p.type) * std::sqrt(square);
  return all;
}

}  // namespace

host_estimate estimate_on_host(const operation& what, const execution& on) {
  const host_model host = current_host();
  host_estimate e = std::visit([&](const auto& p) { return estimate_of(host, p, on); }, what);
  e.basis = to_string(host);
  return e;
}

}  // namespace papilio
