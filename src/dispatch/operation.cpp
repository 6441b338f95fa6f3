#include "papilio/dispatch/operation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "papilio/base/checked.hpp"
#include "papilio/base/error.hpp"

namespace papilio {
namespace {

using base_detail::message;

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};
template <class... F>
overloaded(F...) -> overloaded<F...>;  // clang 14 does not find it by itself

std::string joined(const std::vector<std::size_t>& extents) {
  std::string text;
  for (const std::size_t e : extents) text.append(text.empty() ? "" : "x").append(message(e));
  return text.empty() ? "scalar" : text;
}

double count_of(const std::vector<std::size_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), 1.0,
                         [](double a, std::size_t b) { return a * static_cast<double>(b); });
}

bool is_real_forward(const fft_problem& p) { return p.kind == fft_kind::real_forward; }
bool is_real_inverse(const fft_problem& p) { return p.kind == fft_kind::real_inverse; }
bool is_trigonometric(const fft_problem& p) { return p.kind >= fft_kind::cosine_forward; }

operand_shapes shapes(const fft_problem& p) {
  std::vector<std::size_t> half = p.extents;
  if (!p.axes.empty()) half[p.axes.back()] = half[p.axes.back()] / 2 + 1;
  if (is_trigonometric(p)) return {{{p.extents, false}}, {{p.extents, false}}};
  if (is_real_forward(p)) return {{{p.extents, false}}, {{half, true}}};
  if (is_real_inverse(p)) return {{{half, true}}, {{p.extents, false}}};
  return {{{p.extents, true}}, {{p.extents, true}}};
}

operand_shapes shapes(const stft_problem& p) {
  const bool is_mel = !p.mel.empty();
  return {{{{p.channels, p.samples}, false}},
          {{{p.channels, p.segments(), is_mel ? p.bands() : p.bins()},
            p.result == stft_result::complex}}};
}

operand_shapes shapes(const istft_problem& p) {
  return {{{{p.channels, p.segments, p.bins()}, true}}, {{{p.channels, p.samples}, false}}};
}

operand_shapes shapes(const product_problem& p) {
  const operand_shape numbers{{p.count}, true};
  if (!p.factors.empty()) return {{numbers}, {numbers}};
  return {{numbers, numbers}, {numbers}};
}

operand_shapes shapes(const gemm_problem& p) {
  return {{{{p.shared_left ? 1 : p.batch, p.m, p.k}, p.is_complex},
           {{p.shared_right ? 1 : p.batch, p.k, p.n}, p.is_complex}},
          {{{p.batch, p.m, p.n}, p.is_complex}}};
}

operand_shapes shapes(const pair_energy_problem& p) {
  const std::size_t energies = p.spins == pair_spins::closed_shell ? 2 : 1;
  operand_shapes all{{{{p.nocc, p.nvir, p.naux}}, {{p.nocc}}, {{p.nvir}}}, {{{energies}}}};
  if (p.spins == pair_spins::opposite_spin)
    all.in.insert(all.in.end(),
                  {{{p.nocc_other, p.nvir_other, p.naux}}, {{p.nocc_other}}, {{p.nvir_other}}});
  return all;
}

operand_shapes shapes(const integral_transform_problem& p) {
  operand_shapes all{{{{p.naux, p.nbasis, p.nbasis}}, {{p.nbasis, p.nocc}}, {{p.nbasis, p.nvir}}},
                     {{{p.nocc, p.nvir, p.naux}}}};
  if (p.has_metric) all.in.push_back({{p.naux, p.naux}});
  return all;
}

double flops(const integral_transform_problem& p) {
  const double halves = count_of({p.naux, p.nocc, p.nbasis}) *
                        (static_cast<double>(p.nbasis) + static_cast<double>(p.nvir));
  return 2 * (halves + (p.has_metric ? count_of({p.nocc, p.nvir, p.naux, p.naux}) : 0));
}

operand_shapes shapes(const arrangement_problem& p) {
  return {{{p.in_extents, p.complex_in}}, {{p.out_extents, p.complex_out}}};
}

operand_shapes shapes(const contraction_problem& p) {
  operand_shapes all;
  for (const std::vector<std::size_t>& extents : p.operands)
    all.in.push_back({extents, p.is_complex});
  for (const std::size_t r : p.results) {
    operand_shape result{{}, p.is_complex};
    for (const int label : p.steps.at(r - p.operands.size()).labels)
      result.extents.push_back(p.sizes.at(static_cast<std::size_t>(label)));
    all.out.push_back(std::move(result));
  }
  return all;
}

// Labels of a step: all, and whether some are summed.
double flops(const contraction_problem& p, std::size_t i) {
  const contraction_problem::step& s = p.steps[i];
  std::vector<int> labels;
  for (const contraction_problem::term& t : s.of)
    labels.insert(labels.end(), t.labels.begin(), t.labels.end());
  std::ranges::sort(labels);
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  double terms = 1;
  bool sums = false;
  for (const int label : labels) {
    const auto size = static_cast<double>(p.sizes[static_cast<std::size_t>(label)]);
    terms *= size;
    sums = sums || (size > 1 && std::ranges::find(s.labels, label) == s.labels.end());
  }
  for (const contraction_problem::loop& l : p.loops)
    for (const int label : l.labels)
      if (l.first <= i && i <= l.last && !std::ranges::binary_search(labels, label))
        terms *= static_cast<double>(p.sizes[static_cast<std::size_t>(label)]);
  if (s.of.size() == 1) return sums ? terms * (p.is_complex ? 2 : 1) : 0;
  return terms * (p.is_complex ? (sums ? 8 : 6) : (sums ? 2 : 1));
}

double flops(const contraction_problem& p) {
  double all = 0;
  for (std::size_t i = 0; i < p.steps.size(); ++i) all += flops(p, i);
  return all;
}

double flops(const fft_problem& p) {
  double n = 1;
  for (const std::size_t a : p.axes) n *= static_cast<double>(p.extents[a]);
  const bool is_complex =
      p.kind == fft_kind::complex_forward || p.kind == fft_kind::complex_inverse;
  return (is_complex ? 5 : 2.5) * count_of(p.extents) * std::log2(n);
}

double segment_flops(std::size_t channels, std::size_t segments, std::size_t n_fft) {
  const double n = static_cast<double>(n_fft);
  return static_cast<double>(channels) * static_cast<double>(segments) * 2.5 * n * std::log2(n);
}

std::string sound_text(std::size_t channels, std::size_t samples) {
  return message(channels == 1 ? "" : message(channels, " channels of "), samples, " samples");
}

}  // namespace

std::size_t stft_problem::segments() const {
  const std::size_t whole =
      checked_add(samples, centre ? 2 * (n_fft / 2) : 0, "stft_problem: samples");
  if (samples == 0 || hop == 0 || (whole < n_fft && !pad_end)) return 0;
  if (!pad_end) return 1 + (whole - n_fft) / hop;
  if (whole <= n_fft) return 1;
  const std::size_t steps = (whole - n_fft - 1) / hop + 1;
  return steps <= (whole - 1) / hop ? 1 + steps : steps;
}

double pair_energy_problem::pairs() const {
  const auto correlated = [&](std::size_t n) {
    return static_cast<double>(n - std::min(n, frozen));
  };
  const double i = correlated(nocc);
  return spins == pair_spins::opposite_spin ? i * correlated(nocc_other) : i * (i + 1) / 2;
}

std::size_t operand_shape::count() const {
  std::size_t n = 1;
  for (const std::size_t e : extents) n = checked_multiply(n, e, "operand: elements");
  return n;
}

operand_shapes shapes_of(const operation& what) {
  return std::visit([](const auto& p) { return shapes(p); }, what);
}

double nominal_flops(const operation& what) {
  return std::visit(
      overloaded{
          [](const fft_problem& p) { return flops(p); },
          [](const stft_problem& p) { return segment_flops(p.channels, p.segments(), p.n_fft); },
          [](const istft_problem& p) { return segment_flops(p.channels, p.segments, p.n_fft); },
          [](const product_problem& p) { return 6 * static_cast<double>(p.count); },
          [](const gemm_problem& p) {
            return (p.is_complex ? 8 : 2) * count_of({p.batch, p.m, p.k, p.n});
          },
          [](const pair_energy_problem& p) {
            const bool mixed = p.spins == pair_spins::opposite_spin;
            return 2 * p.pairs() * count_of({p.nvir, mixed ? p.nvir_other : p.nvir, p.naux});
          },
          [](const integral_transform_problem& p) { return flops(p); },
          [](const arrangement_problem&) { return 0.0; },
          [](const contraction_problem& p) { return flops(p); }},
      what);
}

std::string to_string(const operation& what) {
  return std::visit(
      overloaded{
          [](const fft_problem& p) { return to_string(p); },
          [](const stft_problem& p) {
            return message("stft of ", sound_text(p.channels, p.samples), ", n_fft ", p.n_fft,
                           ", hop ", p.hop);
          },
          [](const istft_problem& p) {
            return message("istft of ", p.segments, p.segments == 1 ? " segment" : " segments",
                           " to ", sound_text(p.channels, p.samples), ", n_fft ", p.n_fft, ", hop ",
                           p.hop);
          },
          [](const product_problem& p) {
            return message("product of ", p.count, " complex numbers",
                           p.factors.empty() ? "" : message(" by a table of ", p.factors.size()));
          },
          [](const gemm_problem& p) {
            return message("gemm of ", p.batch == 1 ? "" : message(p.batch, " times "),
                           p.is_complex ? "complex " : "", p.m, "x", p.k, " by ", p.k, "x", p.n,
                           " in ", to_string(p.type));
          },
          [](const pair_energy_problem& p) {
            const bool mixed = p.spins == pair_spins::opposite_spin;
            return message(
                "MP2 energy of ", p.nocc, "x", p.nvir,
                mixed ? message(" and ", p.nocc_other, "x", p.nvir_other) : std::string(),
                " orbitals, ", p.naux, " auxiliary functions in ", to_string(p.type));
          },
          [](const integral_transform_problem& p) {
            return message("integrals over ", p.nocc, "x", p.nvir, " orbitals from ", p.nbasis,
                           " basis and ", p.naux, " auxiliary functions in ", to_string(p.type));
          },
          [](const arrangement_problem& p) {
            return message("arrangement of ", joined(p.in_extents), " in ", joined(p.out_extents));
          },
          [](const contraction_problem& p) {
            return message("contraction of ", p.operands.size(),
                           p.operands.size() == 1 ? " tensor in " : " tensors in ", p.steps.size(),
                           p.steps.size() == 1 ? " step, " : " steps, ",
                           p.is_complex ? "complex " : "", to_string(p.type));
          }},
      what);
}

}  // namespace papilio
