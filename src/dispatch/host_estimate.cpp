// The expected times and errors of operations on the host, by a roofline of its rates.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/labels.hpp"
#include "dispatch/host_model.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/host_model.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio {

using namespace dispatch_detail;

namespace {

constexpr real_type single = real_type::single_precision;

double real_count(std::size_t n) { return static_cast<double>(n); }

host_estimate estimate_of(const product_problem& p, const execution& on) {
  return estimate_of_work(p, p.type, complex_mask_work(real_count(p.count), p.type), on, "",
                          epsilon_of(p.type));
}

host_estimate estimate_of(const gemm_problem& p, const execution& on) {
  const host_work work = gemm_work(real_count(p.m), real_count(p.k), real_count(p.n),
                                   real_count(p.batch), p.is_complex, p.type);
  // BLAS sums in vectors and blocks, so that errors are those of a tree: sqrt(log2(terms)).
  return estimate_of_work(p, p.type, work, on, "",
                          0.7 * epsilon_of(p.type) * std::sqrt(std::log2(2 * real_count(p.k))));
}

host_estimate estimate_of(const triangle_problem& p, const execution& on) {
  const bool is_syrk = p.function == triangle_function::syrk;
  const double order = real_count(p.order()), terms = is_syrk ? real_count(p.k) : order;
  host_work work =
      gemm_work(is_syrk ? order : real_count(p.m), terms, real_count(p.n), 1, p.is_complex, p.type);
  work.flops = p.nominal_flops();
  return estimate_of_work(p, p.type, work, on, "",
                          0.7 * epsilon_of(p.type) * std::sqrt(std::log2(2 * terms)));
}

host_estimate estimate_of(const pair_energy_problem& p, const execution& on) {
  const std::size_t others = p.spins == pair_spins::opposite_spin ? p.nvir_other : p.nvir;
  host_work work = gemm_work(real_count(p.nvir), real_count(p.naux), real_count(others), p.pairs(),
                             false, p.type);
  work.flops = nominal_flops(p);
  return estimate_of_work(p, p.type, work, on, "", epsilon_of(p.type));
}

host_estimate estimate_of(const integral_transform_problem& p, const execution& on) {
  host_work work = gemm_work(real_count(p.nocc), real_count(p.nbasis), real_count(p.nbasis),
                             real_count(p.naux), false, p.type);
  work.flops = nominal_flops(p);
  return estimate_of_work(p, p.type, work, on, "", epsilon_of(p.type));
}

host_estimate estimate_of(const arrangement_problem& p, const execution& on) {
  const operand_shape out = shapes_of(p).out[0];
  const host_work work = copy_work(real_count(out.count()), out.is_complex ? 8 : 4, true);
  return estimate_of_work(p, single, work, on, "", 0);
}

host_estimate estimate_of(const layer_problem& p, const execution& on) {
  const operand_shapes shapes = p.shapes();
  double reals = 0;
  for (const auto* operands : {&shapes.in, &shapes.out})
    for (const operand_shape& s : *operands)
      reals += (s.is_complex ? 2 : 1) * real_count(s.count());
  const double bytes = reals * real_count(size_of(p.type));
  return estimate_of_work(p, p.type,
                          {.kind = host_work_kind::elementwise,
                           .flops = p.nominal_flops(),
                           .bytes_moved = bytes,
                           .working_bytes = bytes},
                          on, "", epsilon_of(p.type));
}

// The host's work for a step, a product of matrices or a copy that sums, and the terms of each sum.
struct step_work {
  host_work work;
  double terms = 1;
};
step_work work_of(const contraction_problem& p, const contraction_problem::step& s,
                  const std::vector<std::size_t>& sizes) {
  using base_detail::has;
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

host_estimate estimate_of(const contraction_problem& p, const execution& on) {
  host_estimate all;
  double square = 0;
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    std::vector<std::size_t> sizes = p.sizes;  // sizes within one slice
    double slices = 1;
    for (const contraction_problem::loop& l : p.loops) {
      if (i < l.first || i > l.last) continue;
      for (const int label : l.labels) {
        slices *= real_count(sizes[static_cast<std::size_t>(label)]);
        sizes[static_cast<std::size_t>(label)] = 1;
      }
    }
    const step_work step = work_of(p, p.steps[i], sizes);
    const host_estimate one = estimate_of_work(p, p.type, step.work, on, "", 0);
    all.backend = one.backend;
    all.seconds += slices * one.seconds;
    all.flops += slices * one.flops;
    all.bytes_moved += slices * one.bytes_moved;
    // The error of a step is that of a product of matrices, as above.
    square += std::log2(2 * step.terms);
  }
  all.recipe = base_detail::message(p.steps.size(), p.steps.size() == 1 ? " step" : " steps");
  all.relative_error = 0.7 * epsilon_of(p.type) * std::sqrt(square);
  return all;
}

template <class Transform>
host_estimate estimate_of(const Transform& p, const execution&) {
  throw invalid_argument(base_detail::message(
      to_string(operation(p)), ": the host's transforms have rows of their own, none was given"));
}

host_estimate estimate(const operation& what, const execution& on) {
  return std::visit([&](const auto& p) { return estimate_of(p, on); }, what);
}

}  // namespace

const host_row& host_roofline() {
  static const host_row row{{"host"}, estimate};
  return row;
}

host_estimate estimate_on_host(const operation& what, const execution& on, const host_row& row) {
  host_estimate e = row.estimate(what, on);
  e.basis = to_string(current_host());
  return e;
}

host_estimate dispatch_detail::estimate_of_work(const operation& what, real_type type,
                                                const host_work& work, const execution& on,
                                                std::string recipe, double relative_error) {
  if (!on.backend.empty() && on.backend != "host")
    throw invalid_argument(
        base_detail::message("backend \"", on.backend, "\" cannot do ", to_string(what)));
  return {"host",     std::move(recipe), modelled_seconds(current_host(), type, work, on.threads),
          work.flops, work.bytes_moved,  relative_error};
}

}  // namespace papilio
